"""The late corrections of a coup, or of events outside coups, with their effects."""

from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.findings import Finding
from sabot.domain.audit.late_corrections import Correction
from sabot.domain.events import Event
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe


class BetGivenOver(Struct, frozen=True):
    """A settled bet that a correction gave to another patron.

    ``before`` is the bet as first recorded, and ``now`` the bet of the corrected record.
    """

    before: Bet
    now: Bet

    @property
    def patron_before(self) -> str:
        """The patron as first recorded."""
        return self.before.patron

    @property
    def to(self) -> str:
        """The patron of the corrected record."""
        return self.now.patron

    @property
    def nets(self) -> tuple[int, int]:
        """What the bet won as first recorded, and by the corrected record, in minor units.

        Commission that was collected is left out: its event names the patron who gave it.
        """
        before, now = (bet.paid - bet.taken - bet.marked for bet in (self.before, self.now))
        return before, now


class BankGivenOver(Struct, frozen=True):
    """A bank that a correction gave to another patron, in a coup that was settled against it.

    ``patron_before`` held it as first recorded, and ``to`` holds it on the corrected record.
    ``net`` is what the bank won in the coup after the levy, in minor units.
    """

    coup: int
    patron_before: str
    to: str
    net: int

    @property
    def nets(self) -> tuple[int, int]:
        """What the bank won, for both bankers."""
        return self.net, self.net


class CorrectionView(Struct, frozen=True):
    """The late corrections of a coup, with the findings that they remove.

    ``removed`` are breaches on record when the last correction was made. ``repaid`` are wrong
    payments of coups whose result was known then, and ``given_over`` are bets of such coups
    and banks against which they were played. ``settled_anew`` are bets whose settlement was
    corrected, so that their patron won or lost something else. ``chips`` is what each person has
    more on these bets by the corrected record, in minor units. ``made`` are findings that exist
    only with the corrections. ``corrected`` are the original events that were corrected, None for
    an event that is not on record. ``coup`` is None for events outside coups.
    """

    shoe: Shoe
    coup: int | None
    corrections: tuple[Correction, ...]
    corrected: tuple[Event | None, ...]
    removed: tuple[Finding, ...]
    repaid: tuple[Finding, ...]
    made: tuple[Finding, ...] = ()
    given_over: tuple[BetGivenOver | BankGivenOver, ...] = ()
    settled_anew: tuple[Bet, ...] = ()
    chips: tuple[tuple[str | None, int], ...] = ()

    def gains(self) -> Counter[str | None]:
        """Return what the corrections gave to each patron, in minor units.

        The key None has the amounts of unnamed patrons. Outside coups only a bank is given over,
        with all that it won, so findings of the corrected record are not deducted.
        """
        gains = Counter(dict(self.chips))
        made = self.made if self.coup is not None else ()
        for sign, findings in ((1, (*self.removed, *self.repaid)), (-1, made)):
            for money in (finding.money for finding in findings):
                named = sum(money.patrons.values())
                for patron, gain in (*money.patrons.items(), (None, (money.patron or 0) - named)):
                    gains[patron] += sign * gain
        for moved in self.given_over:
            net, now = moved.nets
            gains[moved.patron_before] -= net
            gains[moved.to] += now
        return gains

    @property
    def has_effect(self) -> bool:
        """Whether the corrections removed a breach or changed a payment."""
        return bool(self.removed or self.repaid or self.given_over or self.settled_anew)

    def joined(self, other: "CorrectionView") -> "CorrectionView":
        """Return the effects of the same corrections on two coups.

        The coup is the first with an effect.
        """
        first, second = (self, other) if self.has_effect else (other, self)
        chips = Counter(dict(first.chips))
        chips.update(dict(second.chips))
        return replace(
            first,
            removed=first.removed + second.removed,
            repaid=first.repaid + second.repaid,
            made=first.made + second.made,
            given_over=first.given_over + second.given_over,
            settled_anew=first.settled_anew + second.settled_anew,
            chips=tuple(chips.items()),
        )

    def explains(self, finding: Finding) -> bool:
        """Return whether a finding exists only because of the corrections."""
        known = {(each.code, each.patron) for each in (*self.removed, *self.repaid)}
        made = any(each.fingerprint == finding.fingerprint for each in self.made)
        return made and (finding.code, finding.patron) not in known
