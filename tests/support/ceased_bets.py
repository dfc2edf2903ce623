"""Coups with a bet that is withdrawn or lowered to nothing, and settled all the same."""

from collections.abc import Iterable

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support import bank_coups, own_hand_coups, tableaux_coups
from tests.support.coup_notation import Felt, in_order
from tests.support.device_records import CLOCKS

PLAYER_WINS, PLAYER_LOSES = "P 4 5  B K 8", "P 4 4  B K 9"
"""Player wins 9 to 8, and loses 8 to 9."""

AWAY = [(ev.BetWithdrawn(1, 1),), (ev.BetChanged(1, 1, 0),)]


def moved_by(shoe: Shoe) -> list[tuple[str, int | None, str | None, int | None]]:
    found = audit_shoe(shoe).findings
    return [(each.code, each.coup, each.patron, each.money.house) for each in found]


def only_one(shoe: Shoe) -> Finding:
    (found,) = audit_shoe(shoe).findings
    return found


def bet_of_500(
    before: Iterable[ev.Event] = (),
    after: Iterable[ev.Event] = (),
    *,
    wager: str = "player",
    late: Iterable[ev.Event] = (),
    cards: str = PLAYER_WINS,
    rules: str = "classic-8",
) -> Felt:
    """Bet 1 of 500 is placed, this follows, the cards are dealt, and this is how it is settled."""
    felt = Felt(rules).ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", wager, 500, 1))
    felt.put(*before, ev.NoMoreBets(1)).cards(cards).put(*late)
    outcome = "P" if cards == PLAYER_WINS else "B"
    felt.put(ev.ResultCalled(1, outcome=outcome), *after)
    return felt.put(ev.CoupClosed(1))


def by_two_devices(withdrawn_ms: int | None) -> Shoe:
    """The terminal tells of a payment at 6.000 s, and a chip reader of a withdrawal before it."""
    felt = Felt(pack_text("classic-8") + CLOCKS).ready()
    cards = [ev.CardDrawn(1, *each) for each in in_order(PLAYER_WINS)]
    payloads = [
        (-20_000, ev.CoupOpened(1)),
        (-19_000, ev.BetPlaced(1, 1, "p1", "player", 500, 1)),
        (0, ev.NoMoreBets(1)),
        *enumerate(cards, 1),
        (5000, ev.ResultCalled(1, outcome="P")),
    ]
    for at, payload in payloads:
        felt.tell("terminal", 40_000 + at, payload, recorded_ms=100_000)
    at = None if withdrawn_ms is None else 40_000 + withdrawn_ms
    felt.tell("chips", at, ev.BetWithdrawn(1, 1), recorded_ms=100_000)
    felt.tell("terminal", 46_000, ev.BetPaid(1, 1, 500), recorded_ms=100_000)
    return felt.tell("terminal", 47_000, ev.CoupClosed(1), recorded_ms=100_000).shoe


def finished_with(felt: Felt, *moves: ev.Event) -> Shoe:
    """All that is due to the others, then this, and the close of the coup."""
    while not isinstance(payload := next_action(felt.shoe).payload, ev.CoupClosed):
        assert payload is not None
        felt.put(payload)
    return felt.put(*moves, payload).shoe


def chemin(away: Iterable[ev.Event], moves: Iterable[ev.Event]) -> Shoe:
    """p3's 500 is bet 2 against p1's bank; p2 plays for 6000."""
    felt = bank_coups.staked(("p2", 6000), ("p3", 500)).put(*away, ev.NoMoreBets(1))
    return finished_with(felt.due(bank_ev.HandGiven).cards("P 4 4  B K 7"), *moves)


def banque(away: Iterable[ev.Event], moves: Iterable[ev.Event]) -> Shoe:
    """p5's 500 on the left is bet 2 against p11's bank."""
    felt = tableaux_coups.table().put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(ev.BetPlaced(1, 1, "p7", "right", 500, 7), ev.BetPlaced(1, 2, "p5", "left", 500, 5))
    felt.put(*away, ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    return finished_with(tableaux_coups.deal(felt, "3 4; 2 5; K 8"), *moves)


def own_hands(pack: str, away: Iterable[ev.Event], moves: Iterable[ev.Event]) -> Shoe:
    """p1's 500 is bet 2 against p3's bank; p2 has a hand."""
    felt = own_hand_coups.table(pack).put(
        ev.CoupOpened(1), ev.BetPlaced(1, 1, "p2", "hand", 500, 2)
    )
    felt.put(ev.BetPlaced(1, 2, "p1", "hand", 500, 1), *away, ev.NoMoreBets(1))
    cards = "2: 7; B: 8" if pack.startswith("macao") else "2: 7 K; B: 8 K"
    return finished_with(own_hand_coups.hands(felt, cards), *moves)


BANKED = {
    "chemin-de-fer": (chemin, "p3", "p1"),
    "banque": (banque, "p5", "p11"),
    "macao-old": (lambda *payloads: own_hands("macao-old", *payloads), "p1", "p3"),
    "victoria": (lambda *payloads: own_hands("victoria", *payloads), "p1", "p3"),
}


MOVED = [
    ((ev.BetPaid(1, 1, 500),), 500),
    ((ev.BetTaken(1, 1, 500),), -500),
    ((ev.BetPushed(1, 1),), 0),
]


def withdrawn_from_no_wager() -> Shoe:
    """A bet on a wager that is not offered is withdrawn in time, and paid 500."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "royal-nine", 500, 1))
    felt.put(ev.BetWithdrawn(1, 1), ev.NoMoreBets(1)).cards(PLAYER_WINS).put(
        ev.ResultCalled(1, 9, 8, "P")
    )
    return felt.put(ev.BetPaid(1, 1, 500), ev.CoupClosed(1)).shoe


def coup_with_excess(amount: int, moves: Iterable[ev.Event]) -> Shoe:
    """Two stakes of 10000 and 500 against 10000, and so much of the second goes back."""
    felt = bank_coups.staked(("p2", 10_000), ("p3", 500)).put(bank_ev.ExcessReturned(1, 2, amount))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 2  B K 9")
    return finished_with(felt, *moves)
