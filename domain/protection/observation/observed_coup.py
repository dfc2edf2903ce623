"""What everybody could have seen before each face, and what lay on the felt then: the words.

`sabot.domain.protection.observation.watcher` reads it from a shoe's events. A face that was shown
counts as seen by all, whatever is voided later; a card that left the shoe face down stays unseen.
What lay on the felt is read just before a face is shown, so that a bet made or changed afterwards
is never taken for knowledge of that card: it is kept apart as a `Change`.

Where nobody recorded when a card was turned that lay face down, what lay on the felt is read when
no more bets were called for, or else when the card left the shoe: its face cannot have been seen
before. Bets count as they stood on record at each face
(`sabot.domain.protection.observation.knowledge_at`).

Where the record may lack a face that was seen, ``lacking`` says how many at most; the tests
then reckon with the worst that they can have been.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from sabot.domain.protection.e_process.next_card_chances import coup_totals
from sabot.domain.rules.coup_result import Result
from sabot.domain.rules.third_card_table import player_draws
from sabot.domain.values.cards import Card

Stakes = dict[str, dict[str, int]]
"""What lies on the felt: minor units by patron and wager."""

_ORDER: Final = ("player", "banker", "player", "banker")


class Look(Struct, frozen=True, gc=False):
    """A face was shown.

    ``place`` counts the cards drawn for the coup in the order in which they left the shoe, from
    1; 0 is a card burned face up after the coup was opened. ``unseen`` counts by value what
    nobody had seen just before, this card among them. ``early`` marks a card that came on the
    felt face down while bets were still taken. ``plain`` marks one whose face could already be
    seen in the shoe.
    """

    place: int
    value: int
    unseen: tuple[int, ...]
    lacking: int
    stakes: Stakes
    event: int
    early: bool = False
    plain: bool = False


class Change(Struct, frozen=True, gc=False):
    """A patron's bets changed after a face of the coup had been shown.

    ``known`` are the cards shown by then, as (place, value); ``hands`` those to which cards had
    been drawn, which all can see of cards face down too. ``unseen`` counts by value what nobody had
    seen then, and ``lacking`` what may have been seen of it. ``unsure`` says that a card lay there
    of which the record does not tell when it was turned: he may have seen it, or not.
    """

    patron: str
    before: dict[str, int]
    after: dict[str, int]
    known: tuple[tuple[int, int], ...]
    event: int
    unseen: tuple[int, ...]
    lacking: int = 0
    hands: tuple[str, ...] = ()
    unsure: bool = False


class CoupObservation(Struct):
    """A coup as it could be seen.

    ``unseen``, ``lacking`` and ``stakes`` are as they were before its first face. ``dealt`` are
    the values drawn, in order. ``regular`` says that these are the next cards of the shoe in
    the order P, B, P, B, so that what they come to is as chance has it. ``laid_out`` says that
    before the first face four cards lay there face down, on which bets had been taken.
    ``unshown`` counts cards dealt whose faces nobody saw to the end. ``doubtful`` marks an
    exposed card that the record does not name, ``disputed`` are patrons of whom a bet was
    corrected after a face had been shown, or may have been made then; of these ``unsure`` counts
    the bets by why.
    ``mixed`` says why what is asked of it may rest on a face: it counts at the least for everybody,
    as it does for those who are ``astray``: they may have come or gone after a face. ``dealers``
    are others who may have dealt. ``cut``: it was over, by the log, before any face of it was told.
    ``shown`` is how many cards of the shoe had been shown before its first face; ``event`` and
    ``index`` are its last and first place in the log.
    """

    number: int
    patrons: tuple[str, ...] = ()
    dealer: str | None = None
    at_us: int | None = None
    index: int = 0
    shown: int = 0
    unseen: tuple[int, ...] = ()
    lacking: int = 0
    stakes: Stakes = {}
    undecided: frozenset[str] = frozenset()
    looks: list[Look] = []
    changes: list[Change] = []
    dealt: list[int] = []
    hands: list[str] = []
    regular: bool = True
    laid_out: bool = False
    unshown: int = 0
    doubtful: bool = False
    disputed: frozenset[str] = frozenset()
    unsure: dict[str, dict[str, int]] = {}
    mixed: str = ""
    cut: bool = False
    astray: frozenset[str] = frozenset()
    dealers: tuple[str, ...] = ()
    voided: bool = False
    event: int = 0

    @property
    def unordered(self) -> frozenset[str]:
        """Those of whom a bet may have been made, or who came or went, once a face was shown."""
        return self.astray.union(self.unsure)

    def in_doubt(self, patrons: Iterable[str]) -> bool:
        """Tell whether the record of what was seen, or of these patrons' bets, is in doubt."""
        return self.doubtful or not self.disputed.isdisjoint(patrons)

    @property
    def totals(self) -> tuple[int, int] | None:
        """Final totals that the tableau gives to the cards dealt; None where they do not tell."""
        result = self.result
        return None if result is None else (result.player, result.banker)

    @property
    def result(self) -> Result | None:
        """What the cards dealt come to by the tableau, pairs apart; None where they do not tell.

        What nobody saw tells nothing: it is among the cards unseen at the next coup.
        """
        if not self.regular or self.unshown or tuple(self.hands[:4]) != _ORDER:
            return None
        found = coup_totals(self.dealt)
        if found is None:
            return None
        player, banker, used = found
        third = player_draws(
            (self.dealt[0] + self.dealt[2]) % 10, (self.dealt[1] + self.dealt[3]) % 10
        )
        return Result(player, banker, 2 + third, used - 2 - third)


class ShoeObservation(Struct):
    """A shoe as it could be seen; ``broken`` says why nothing can be said from some coup on.

    ``shown`` are the cards whose faces were shown, in that order.
    """

    coups: list[CoupObservation] = []
    broken: str = ""
    shown: list[Card] = []
