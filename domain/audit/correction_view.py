"""The late corrections of a coup, or of events outside coups, with their effects."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.checks.bank.levy import wrong_levy
from sabot.domain.audit.checks.bank.tableaux_bets import (
    carried_stake_not_held,
    held_stake_taken_up,
)
from sabot.domain.audit.checks.carried_bets import carried_bet_without_tie, held_bet_taken_up
from sabot.domain.audit.checks.commission_owed import commission_unpaid_at_shoe_end
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.late_corrections import Correction, corrections_of
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import BetCarried, Event
from sabot.domain.events.bank import LevyTaken
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.patron_bank import bank_events_of
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe

_OF_CARRYING: Final = {
    code_of(rule)
    for rule in (
        *(carried_bet_without_tie, held_bet_taken_up),
        *(carried_stake_not_held, held_stake_taken_up),
    )
}
"""Rules on whether a carried bet is one that a coup before left on the layout."""
_WRONG_LEVY: Final = code_of(wrong_levy)
_OPEN_COMMISSION: Final = code_of(commission_unpaid_at_shoe_end)


def is_of_open_commission(finding: Finding, patrons: Collection[str]) -> bool:
    """Return whether a finding is about the open commission of one of some patrons.

    It shows the change of a mark that was corrected before the end of the shoe.
    """
    return finding.code == _OPEN_COMMISSION and finding.patron in patrons


def those_behind(
    finding: Finding,
    corrections: tuple[Correction, ...],
    records: Iterable[Sequence[RecordedEvent]],
) -> tuple[Correction, ...]:
    """Return those of some corrections that change an event of a finding, or all if none does.

    Args:
        finding: the finding.
        corrections: the corrections.
        records: the events of each stream that they may be of.
    """
    shown = [each for record in records for each in corrections_of(finding.events, record)]
    return tuple(each for each in shown if each in corrections) or corrections


def money_of(findings: Iterable[Finding]) -> Counter[str | None]:
    """Return what each patron got too much by some findings, in minor units.

    The key None has the amounts of unnamed patrons.
    """
    gains: Counter[str | None] = Counter()
    for money in (finding.money for finding in findings):
        named = sum(money.patrons.values())
        for patron, gain in (*money.patrons.items(), (None, (money.patron or 0) - named)):
            gains[patron] += gain
    return gains


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
        """What the bank won: the amount is the same for the former banker and the new one."""
        return self.net, self.net


class CorrectionView(Struct, frozen=True):
    """The late corrections of a coup, with the findings that they remove.

    ``removed`` are breaches on record when the last correction was made. ``repaid`` are wrong
    payments of coups whose result was known then, and ``given_over`` are bets of such coups and
    banks against which they were played. ``settled_anew`` are bets whose settlement was corrected,
    so that their patron won or lost something else. ``chips`` is what each person has more on these
    bets by the corrected record, in minor units. ``marked`` are patrons whose marked commission was
    corrected, as ``chips`` and ``given_over`` count it. ``made`` are findings that exist only with
    the corrections. ``turned_wrong`` are those of them on payments of a coup whose result was
    known: the payments had been made, and were right as first recorded. ``corrected`` are the
    original events that were corrected, None for an event that is not on record. ``coup`` is None
    for events outside coups. ``following`` are the fingerprints of findings that followed from
    removed ones, as first recorded. If ``revealed``, the removed breaches were put on record by an
    earlier correction, and the first record lacks them.
    """

    shoe: Shoe
    coup: int | None
    corrections: tuple[Correction, ...]
    corrected: tuple[Event | None, ...]
    removed: tuple[Finding, ...]
    repaid: tuple[Finding, ...]
    made: tuple[Finding, ...] = ()
    turned_wrong: tuple[Finding, ...] = ()
    given_over: tuple[BetGivenOver | BankGivenOver, ...] = ()
    settled_anew: tuple[Bet, ...] = ()
    chips: tuple[tuple[str | None, int], ...] = ()
    marked: frozenset[str] = frozenset()
    following: frozenset[str] = frozenset()
    revealed: bool = False

    def gains(self) -> Counter[str | None]:
        """Return the corrections' gain of each patron, in minor units.

        The key None has the amounts of unnamed patrons. There are none if ``revealed``: the
        payments are as first recorded.
        """
        gains = Counter(dict(self.chips))
        if self.revealed:
            return gains
        gains.update(money_of((*self.removed, *self.repaid)))
        gains.subtract(money_of(self._deducted()))
        for moved in self.given_over:
            net, now = moved.nets
            gains[moved.patron_before] -= net
            gains[moved.to] += now
            banker = self._banker_of(moved)
            if banker is not None:
                gains[banker] += net - now
        return gains

    def _banker_of(self, moved: BetGivenOver | BankGivenOver) -> str | None:
        """Return the patron against whose bank a bet was settled that was given over, if any."""
        if isinstance(moved, BankGivenOver):
            return None
        return bank_events_of(self.shoe.coups[moved.now.placed.payload.coup]).banker

    def _deducted(self) -> list[Finding]:
        """Return the findings of the corrected record whose amounts the corrections did not give.

        Findings that only show a corrected payment are left out: of a bank outside coups, or of a
        levy. So are findings on open commission whose mark was corrected: ``chips`` has its amount.
        If a bank is given over, its new holder has all that it won, so there are none.
        """
        if self.coup is None:
            in_coups = [each for each in self.turned_wrong if each.coup is not None]
            return [] if self.given_over else in_coups
        return [
            each
            for each in self.made
            if not self.has_amount_of(each)
            and not self._is_of_corrected_levy(each)
            and not is_of_open_commission(each, self.marked)
        ]

    @property
    def has_effect(self) -> bool:
        """Whether the corrections removed a breach or changed a payment."""
        return bool(
            self.removed or self.repaid or self.given_over or self.settled_anew or self.turned_wrong
        )

    def has_moved_event_of(self, other: "CorrectionView") -> bool:
        """Return whether a person's correction of an event is in both: it moved the event."""
        indexes, of_other = ({each.index for each in one.corrections} for one in (self, other))
        people, others = (
            {each.payload.by or each.actor for each in one.corrections} for one in (self, other)
        )
        return people == others and not indexes.isdisjoint(of_other)

    def joined(self, other: "CorrectionView") -> "CorrectionView":
        """Return the effects of corrections on two coups.

        The coup is the first with an effect.
        """
        first, second = (self, other) if self.has_effect else (other, self)
        every = {each.index: each for each in (*first.corrections, *second.corrections)}
        corrected = [each for each in second.corrected if each not in first.corrected]
        chips = Counter(dict(first.chips))
        chips.update(dict(second.chips))
        return replace(
            first,
            corrections=tuple(every[index] for index in sorted(every)),
            corrected=(*first.corrected, *corrected),
            removed=first.removed + second.removed,
            repaid=first.repaid + second.repaid,
            made=first.made + second.made,
            turned_wrong=first.turned_wrong + second.turned_wrong,
            given_over=first.given_over + second.given_over,
            settled_anew=first.settled_anew + second.settled_anew,
            chips=tuple(chips.items()),
            marked=first.marked | second.marked,
            following=first.following | second.following,
        )

    def with_causes(self, causes: Mapping[str, str | None]) -> "CorrectionView":
        """Return this view with findings that followed from removed ones.

        Args:
            causes: the findings as first recorded, each with the one that explains it, if any, by
                fingerprint.
        """
        gone = {each.fingerprint for each in (*self.removed, *self.repaid)}
        following = {each for each, cause in causes.items() if cause in gone}
        return replace(self, following=frozenset(following - gone))

    def explains(self, finding: Finding) -> bool:
        """Return whether a finding exists because of the corrections.

        Either only the corrected record has it, or the corrections removed the finding from which
        it followed.
        """
        if finding.fingerprint in self.following:
            return True
        known = {(each.code, each.patron) for each in (*self.removed, *self.repaid)}
        made = any(each.fingerprint == finding.fingerprint for each in self.made)
        return made and (finding.code, finding.patron) not in known

    def behind(self, finding: Finding) -> tuple[Correction, ...]:
        """Return the corrections behind a finding: those of the events that it shows, or all."""
        table = self.shoe.at_table
        records = [self.shoe.history, *([] if table is None else [table.history])]
        return those_behind(finding, self.corrections, records)

    def has_amount_of(self, finding: Finding) -> bool:
        """Return whether the amounts of the corrections include that of a finding they made.

        If a carried bet was corrected, the record has a stake that no tie left, and lacks the stake
        that the tie left. The amount of both findings is what the bet won or lost by the
        correction. A finding that is known to have moved no money has no such amount.
        """
        moved_nothing = bool(finding.money.patrons) and not finding.money.moved
        of_carrying = finding.code in _OF_CARRYING and self._corrects(BetCarried)
        return of_carrying and not moved_nothing and self.explains(finding)

    def _is_of_corrected_levy(self, finding: Finding) -> bool:
        """Return whether a finding shows only that the amount of a levy was corrected."""
        of_levy = finding.code == _WRONG_LEVY and self._corrects(LevyTaken)
        return of_levy and not self.settled_anew and self.explains(finding)

    def _corrects(self, kind: type[Event]) -> bool:
        """Return whether an event of a kind is corrected."""
        return any(isinstance(each, kind) for each in self.corrected)
