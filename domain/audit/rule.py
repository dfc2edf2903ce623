"""What a rule is, what it looks at, and what it answers.

A rule's function answers `NO_BREACH`, a reason why the rule does not apply (a string), or the
breaches that it found, with a `Doubt` for what it could not judge beside them. Silence is no
answer: a rule that looked at nothing says why.
"""

from collections.abc import Callable
from typing import Any, Final, Literal

from msgspec import Struct

from sabot.domain.audit.announced_bank import on_announced_bank
from sabot.domain.audit.completeness import (
    bank_unknown,
    is_of_another_game,
    may_fall_short,
    turn_unknown,
)
from sabot.domain.audit.floor_view import BatchView, Floor, Moment, TableView
from sabot.domain.audit.profiles import CoupProfile, ShoeProfile
from sabot.domain.audit.settled_stakes import with_settled_stakes
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.upcasting import FORMER_CODES
from sabot.domain.procedure.games import game_of
from sabot.domain.rules.coup_result import Result, result_of
from sabot.domain.rules.payouts import Cashier, Due, cashier_for
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.sources import Source
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason
from sabot.domain.timeline.ordering import Order
from sabot.domain.values.cards import VALUE, Card

_PLAIN: Final = "punto-banco"
"""The game whose bets rest on the result alone, so that many coups are judged fast."""

Family = Literal["tableau", "totals", "payout", "composition", "procedure", "integrity"]
Severity = Literal["high", "medium", "low"]


MoneyEffect = tuple[tuple[str | None, int], ...] | str
"""What each patron has too much (negative: too little) in minor units; or why nobody can say.

None stands for a patron whom the record does not name.
"""


class Breach(Struct, frozen=True):
    """One breach of a rule: what is required, what is shown, and the events that show it.

    The first of ``events`` is what the breach is about. A rule may leave the rest out: ``money`` is
    what it cost whom, ``patron`` whom it is about (else the first event tells). ``key`` identifies
    the breach among others of its rule on the same coup, where the first event does not. ``shoe``
    names the shoe, where a rule looks at more than one. ``offending_event`` is the event by which
    the rule was broken, where that is none of ``events``. ``stake`` is what should have lain on the
    bet that it is about, where that is not what lay there: `sabot.domain.audit.attribution` says
    what that moved. ``cards`` come before ``events``: cards of shoes of which no more is kept than
    when they were drawn.
    """

    message: str
    expected: str
    observed: str
    events: tuple[RecordedEvent, ...] = ()
    coup: int | None = None
    money: MoneyEffect | None = None
    patron: str | None = None
    key: tuple[str | int, ...] | None = None
    shoe: str | None = None
    offending_event: RecordedEvent | None = None
    stake: int | None = None
    cards: tuple[Moment, ...] = ()


class Doubt(Struct, frozen=True):
    """What a rule could not judge of a coup or a shoe, beside what it could: why it could not."""

    reason: Reason


Judgement = tuple[Breach | Doubt, ...] | Reason
"""What a rule answers: what it found, or why it was not applied."""
NO_BREACH: Final[tuple[Breach, ...]] = ()


class CoupView(Struct, gc=False):
    """A coup with what its cards come to, worked out once for all rules.

    ``player_total`` and ``banker_total`` are the two-card totals; ``player_third`` the value of the
    Player hand's third card. ``dealt`` is False while a hand lacks cards that come first.
    ``starts_before_record`` is True where the record begins in the coup, or behind it: then nobody
    knows that its cards are all of them, and it is not taken for ``dealt`` either. ``in_play`` is
    True until the result is called, ``open`` until the coup is closed or voided, left for another
    coup, or the shoe ends. ``settlements_due`` are the settled bets with what was due to each
    (None: the record's cards, or the pack, do not say), but those that go back on a ruling. Where
    every one of them was settled exactly so, ``settled_as_due`` has the kinds of settlement among
    them; it is empty where one was not: then the rules look closer.
    """

    shoe: Shoe
    coup: Coup
    cashier: Cashier | None
    dealt: bool
    starts_before_record: bool
    in_play: bool
    open: bool
    player_total: int
    banker_total: int
    player_third: int | None
    result: Result
    settlements_due: list[tuple[Bet, Due | None]]
    settled_as_due: frozenset[str]

    @property
    def order(self) -> Order | None:
        """The order of the shoe's events, where it is not the order in which they came."""
        return self.shoe.order

    def due(self, bet: Bet, stake: int) -> Due | None:
        """Return what is due to a bet, had it this stake; None: record or pack do not say."""
        if self.cashier is None:
            return None
        game = game_of(self.shoe.pack)
        if game.name == _PLAIN:
            return self.cashier.due(bet.wager, self.result, stake)
        return game.due(self.shoe, self.coup, bet, stake)


NO_CARDS: Final = "no card is on record"
NO_PACK: Final = Reason("not-required", "the rule pack cannot be read")
"""Why a rule is not applied that the pack would have to ask for, where there is no pack."""
STARTS_BEFORE_RECORD: Final = "the record does not hold the beginning of the coup"
"""Why a coup is not judged that was in play when its record began, or was over by then."""


def starts_before_record(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether the record may begin behind the first card of the coup."""
    if coup.opened is not None:
        return False
    return may_start_after_opening(shoe, coup) and not _from_its_first_card(shoe, coup)


def may_start_after_opening(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether the record may begin behind the opening of the coup.

    That is so of a coup that was never opened, where the record holds coups alone, or not the
    loading of the shoe, and no earlier coup.
    """
    if coup.opened is not None or (shoe.coverage == "whole" and shoe.loaded is not None):
        return False
    return coup.number <= next(iter(shoe.coups), coup.number)


def may_begin_before_record(shoe: Shoe) -> set[int]:
    """Return the numbers of the coups whose opening may stand before the record."""
    unopened = [coup for coup in shoe.coups.values() if coup.opened is None]
    none_opened = shoe.coverage == "coups" and len(unopened) == len(shoe.coups)
    return {
        coup.number
        for coup in unopened
        if coup.events and (none_opened or may_start_after_opening(shoe, coup))
    }


def _from_its_first_card(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether the record surely holds the first card of a coup that it does not see opened.

    The call of no more bets comes before it; or all cards that left the shoe before it are there;
    or the first four went out in turn, behind a bet or with more behind them: had two come
    earlier, there would be seven.
    """
    if not coup.cards:
        return False
    first, call = coup.cards[0], coup.no_more_bets
    if call is not None and call.position < first.position:
        return True
    if first.payload.place == shoe.left.index(first) + 1:
        return True
    hands = tuple(card.payload.hand for card in coup.cards)
    bet = any(bet.placed.position < first.position for bet in coup.bets.values())
    return hands[:4] == ("player", "banker") * 2 and (bet or len(hands) > 4)  # noqa: PLR2004


def first_event_of(coup: Coup) -> RecordedEvent | None:
    """Return the event with which a coup begins: its opening, or its first card."""
    return coup.opened or next(iter(coup.cards), None)


def next_coup(shoe: Shoe, coup: Coup) -> RecordedEvent | None:
    """Return the beginning of the coup that began first after this one was first spoken of."""
    since = coup.events[0].position if coup.events else 0
    begun = (first_event_of(other) for other in shoe.coups.values() if other.number != coup.number)
    later = [event for event in begun if event is not None and event.position > since]
    return min(later, key=lambda event: event.position, default=None)


def is_undealt(coup: Coup) -> bool:
    """Tell whether nothing came of a coup: no card was drawn, no call made, and no bet lies."""
    if coup.cards or coup.removed_cards or coup.calls:
        return False
    return all(bet.withdrawn for bet in coup.bets.values())


def view_coup(shoe: Shoe, coup: Coup, cashier: Cashier | None) -> CoupView:
    """Work out what the coup's cards come to, as they were dealt.

    What lay in its bank is what the croupier called, where a finding told before by how much the
    record is off; what lay on its bets is what they were settled for.
    """
    in_play = shoe.current is coup
    coup = with_settled_stakes(shoe, on_announced_bank(shoe, coup))
    player, banker = coup.player, coup.banker
    result = result_of(player, banker)
    game = game_of(shoe.pack)
    begins_earlier = coup.opened is None and starts_before_record(shoe, coup)
    unknown = shoe.pack is None and is_of_another_game(coup)
    dealt = not begins_earlier and not unknown and game.is_dealt(shoe, coup)
    dues: list[tuple[Bet, Due | None]] = []
    if dealt and cashier is not None and coup.voided is None:
        settled = [bet for bet in coup.bets.values() if bet.moves and not bet.withdrawn]
        if coup.irregularities:
            back = coup.refunded_bets
            settled = [bet for bet in settled if bet.number not in back]
        if game.name == _PLAIN:
            due = cashier.due
            dues = [(bet, due(bet.wager, result, bet.amount)) for bet in settled]
        elif settled:
            owed = {bet.number: due for bet, due in game.due_bets(shoe, coup)}
            dues = [(bet, owed.get(bet.number)) for bet in settled]
            if any(may_fall_short(*each) for each in dues) and bank_unknown(shoe, coup):
                dues = [(bet, None if may_fall_short(bet, due) else due) for bet, due in dues]
            if turn_unknown(shoe, coup, owed.values()):
                dues = [(bet, due if due and due.kind == "take" else None) for bet, due in dues]
    return CoupView(
        shoe=shoe,
        coup=coup,
        cashier=cashier,
        dealt=dealt,
        starts_before_record=begins_earlier,
        in_play=in_play and coup.result_called is None,
        open=in_play and shoe.ended is None,
        player_total=total_of_two(player),
        banker_total=total_of_two(banker),
        player_third=VALUE[player[2]] if len(player) > 2 else None,  # noqa: PLR2004
        result=result,
        settlements_due=dues,
        settled_as_due=kinds_settled_as_due(dues),
    )


_NONE: Final = frozenset[str]()


def kinds_settled_as_due(dues: list[tuple[Bet, Due | None]]) -> frozenset[str]:
    """Return the kinds of settlement that were due, if each bet was settled exactly so."""
    kinds = set()
    for bet, due in dues:
        if due is None or not is_settled_as_due(bet, due):
            return _NONE
        kinds.add(due.kind)
    return frozenset(kinds)


def is_settled_as_due(bet: Bet, due: Due) -> bool:
    """Tell whether a bet was settled exactly as is due to it."""
    return (
        bet.paid == due.paid
        and bet.taken == due.taken
        and (bet.marked or bet.collected) == due.commission
        and not bet.after_commission
    )


def total_of_two(hand: list[Card]) -> int:
    """Return the total of a hand's first two cards, or of what there is of them."""
    if len(hand) > 1:
        return (VALUE[hand[0]] + VALUE[hand[1]]) % 10
    return VALUE[hand[0]] if hand else 0


def cashier_of(shoe: Shoe) -> Cashier | None:
    """Return the cashier of the shoe's pack; None where the pack cannot be read."""
    return cashier_for(shoe.pack_text) if shoe.pack is not None else None


TWO_HANDS: Final[tuple[GameName, ...]] = ("punto-banco", "chemin-de-fer")
"""The games of one Player hand and one Banker hand, dealt two cards each."""


GROUPS: Final = {
    "T": "third-card",
    "D": "dealing",
    "C": "calls",
    "Q": "coup-sequence",
    "B": "bets",
    "L": "limits",
    "P": "payments",
    "E": "settlement",
    "S": "shoe-procedure",
    "N": "card-count",
    "Z": "end-of-shoe",
    "I": "irregularities",
    "H": "shoe-holder",
    "K": "bank",
    "Y": "levy",
    "W": "two-tableaux",
    "O": "own-hands",
    "M": "custody",
    "V": "inventory",
    "F": "tables",
    "A": "approvals",
    "R": "record",
}
"""The groups of rules by what a pit boss audits, by the letter that their numbers begin with."""

_FORMER: Final = {code: former for former, code in FORMER_CODES.items()}


class Rule(Struct, frozen=True):
    """A rule of the house.

    ``number`` (``B201``) and ``code`` (``past-posted-bet``) are permanent; the number's letter is
    that of the rule's group. ``why`` says what the rule protects. ``cites`` names the article of a
    regulation, a publication, or a house convention. One function looks: at each coup, at a shoe
    as a whole, or beyond one shoe: at a batch of cards, a table, or the whole floor. A rule
    that is not ``live`` waits for an event that has no hour: whoever follows a shoe is not told
    of it before the shoe is audited whole. ``games`` are those that it is a rule of; none named,
    it is a rule of all.
    """

    number: str
    code: str
    family: Family
    severity: Severity
    why: str
    cites: tuple[str, ...]
    on_coup: Callable[[CoupView], Judgement] | None = None
    on_shoe: Callable[[Shoe], Judgement] | None = None
    on_batch: Callable[[BatchView], Judgement] | None = None
    on_table: Callable[[TableView], Judgement] | None = None
    on_floor: Callable[[Floor], Judgement] | None = None
    live: bool = True
    games: tuple[GameName, ...] = ()
    needs: tuple[Any, ...] = ()
    each: Any = None
    due: Any = None
    reads: tuple[type, ...] = ()
    breaks: str = ""
    keeps: str = ""
    also: tuple[str, ...] = ()
    clean_when: Callable[[CoupProfile, ShoeProfile], bool] | None = None
    sources: tuple[Source, ...] = ()

    @property
    def group(self) -> str:
        """What it is about, finer than its family: the group of its number."""
        return GROUPS[self.number[0]]

    @property
    def former_code(self) -> str | None:
        """What it was called in the first release; None of a rule that is younger."""
        return _FORMER.get(self.code)

    @property
    def looks_at(self) -> str:
        """What its function looks at."""
        looks = (
            ("each coup", self.on_coup),
            ("the shoe as a whole", self.on_shoe),
            ("each batch of cards", self.on_batch),
            ("each table", self.on_table),
            ("the floor as a whole", self.on_floor),
        )
        return next(what for what, look in looks if look is not None)

    @property
    def of_the_floor(self) -> bool:
        """Whether it looks beyond one shoe."""
        return self.on_coup is None and self.on_shoe is None

    @property
    def rests_on(self) -> frozenset[str]:
        """What of a record it rests on: without it, it is not applied, or finds it missing."""
        named = {need.about for need in self.needs}
        return frozenset(named if self.each is None else {*named, self.each.about})

    def is_of(self, game: GameName | None) -> bool:
        """Tell whether it is a rule of that game; of an unknown one, whether it is of all."""
        return not self.games or game in self.games
