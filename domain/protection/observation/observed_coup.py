"""Data types for what could be seen before each card was shown.

`sabot.domain.protection.observation.watcher` derives them from a shoe's events. A face that was
shown counts as seen by everyone, even if the coup is voided later. A card that left the shoe face
down stays unseen. The stakes are read just before a face is shown, so a bet made or changed
afterwards is never attributed to knowledge of that card; it is kept apart as a `Change`.

If the turning of a face-down card is not recorded, the stakes are read at the call of no more bets,
or else when the card left the shoe, since its face cannot have been seen earlier. Bets count as
recorded at the time of each face (`sabot.domain.protection.observation.knowledge_at`).

If the record may lack a face that was seen, ``lacking`` is the maximum number of such faces. The
tests then use the worst case.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from sabot.domain.protection.e_process.next_card_chances import COUP_CARDS, coup_totals
from sabot.domain.rules.coup_result import Result
from sabot.domain.rules.third_card_table import player_draws
from sabot.domain.values.cards import Card
from sabot.domain.values.scalars import Outcome

Stakes = dict[str, dict[str, int]]
"""Stakes on the layout: minor units by patron and wager."""

_ORDER: Final = ("player", "banker", "player", "banker")


class Look(Struct, frozen=True, gc=False):
    """A face that was shown.

    ``place`` numbers the cards drawn for the coup in order, from 1; 0 is a card burned face up
    after the coup was opened. ``unseen`` counts, by value, the cards unseen just before, this card
    included. ``early`` marks a card dealt face down while bets were still taken. ``plain`` marks a
    card whose face was visible in the shoe.
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
    """A change of bets after a face was shown.

    ``known`` are the cards shown by then, as (place, value). ``hands`` are the hands to which cards
    had been drawn, which is visible for face-down cards too. ``unseen`` counts, by value, the cards
    unseen then, and ``lacking`` those of them that may have been seen. ``unsure`` marks a change
    made while a card without a recorded turning was on the table, which the patron may have seen.
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
    """A coup as people at the table could see it.

    ``unseen``, ``lacking`` and ``stakes`` are those before its first face. ``dealt`` are the values
    drawn, in order. ``regular`` means that these are the next cards of the shoe in the order P, B,
    P, B, so that the result has its distribution under the null hypothesis. ``laid_out`` means that
    four cards were face down before the first face, while bets were taken. ``unshown`` counts cards
    dealt whose faces were never shown. ``doubtful`` marks an exposed card that the record does not
    name. ``disputed`` are patrons with a bet that was corrected after a face was shown, or may have
    been made then; ``unsure`` counts the latter bets by reason.

    ``mixed`` is the reason why the tests themselves may depend on a face. The coup then counts with
    the smallest possible factor for everyone. The same holds for patrons in ``astray``, who may
    have come or gone after a face. ``dealers`` are others who may have dealt. ``cut`` means that,
    by the log, the coup ended before any of its faces was recorded. ``shown`` is the number of the
    shoe's cards shown before its first face. ``index`` and ``event`` are its first and last log
    index.

    ``called`` is the outcome that the dealer called. If a coup has no cards on record, ``stakes``
    are those at its end.
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
    called: Outcome | None = None

    @property
    def unordered(self) -> frozenset[str]:
        """The patrons who may have bet, come or gone after a face was shown."""
        return self.astray.union(self.unsure)

    def in_doubt(self, patrons: Iterable[str]) -> bool:
        """Return whether faces or these patrons' bets are in doubt."""
        return self.doubtful or not self.disputed.isdisjoint(patrons)

    @property
    def missing_cards(self) -> int:
        """How many cards a finished coup may lack on record, at most.

        0 if its cards end the coup by the third-card table.
        """
        hands = {"player": list[int](), "banker": list[int]()}
        for hand, value in zip(self.hands, self.dealt, strict=True):
            hands.setdefault(hand, []).append(value)
        player, banker = hands["player"], hands["banker"]
        first = [value for pair in zip(player[:2], banker[:2], strict=False) for value in pair]
        whole = len(first) == len(_ORDER)
        if whole and coup_totals([*first, *player[2:], *banker[2:]]) is not None:
            return 0
        return max(0, COUP_CARDS - len(self.dealt))

    @property
    def totals(self) -> tuple[int, int] | None:
        """The final totals by the third-card table. None if the cards do not determine them."""
        result = self.result
        return None if result is None else (result.player, result.banker)

    @property
    def result(self) -> Result | None:
        """The result by the third-card table, without pairs.

        None if not determined. A coup with unshown cards has no result, since these cards are among
        the unseen ones of the next coup.
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
    """A shoe as people at the table could see it.

    ``broken`` is the reason why it cannot be tested further. ``shown`` are the cards whose faces
    were shown, in order.
    """

    coups: list[CoupObservation] = []
    broken: str = ""
    shown: list[Card] = []
