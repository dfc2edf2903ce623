"""Shoes of chemin de fer that break each rule of banks and choices, and shoes that nearly do."""

from collections.abc import Callable
from typing import Literal

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt

SEATS = tuple(ev.Seat(n, f"p{n}") for n in range(1, 5))


def table(bank: int = 10_000, pack: str = "chemin-de-fer") -> Felt:
    """p1 banks against p2, p3 and p4."""
    return Felt(pack, seats=SEATS).ready().bank("p1", bank)


def coup(line: str, pack: str = "chemin-de-fer") -> Callable[[], Shoe]:
    """A coup against p1's bank of 10000."""
    return lambda: table(pack=pack).coup(line).shoe


def staked(*bets: tuple[str, int], before: tuple[ev.Event, ...] = (), call: int = 10_000) -> Felt:
    """A coup whose bets lie there, the bank called so."""
    felt = table().put(ev.CoupOpened(1), bank_ev.BankCalled(1, call), *before)
    for number, (who, amount) in enumerate(bets, 1):
        felt.put(ev.BetPlaced(1, number, who, "player", amount))
    return felt


def finish(felt: Felt, cards: str = "P 4 2  B K 9") -> Shoe:
    """No more bets, these cards, and all that is due until the coup is closed."""
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards(cards)
    return felt.due(ev.Event).shoe


def given(to: str) -> Shoe:
    """p2 has staked the most, and the hand goes to somebody."""
    felt = staked(("p2", 6000), ("p3", 4000)).put(
        ev.NoMoreBets(1), bank_ev.HandGiven(1, "player", to)
    )
    return felt.cards("P 4 2  B K 9").due(ev.Event).shoe


def chosen(*choices: bank_ev.ChoiceMade) -> Shoe:
    """Player draws on 5 after these choices; the banker stands on 7."""
    felt = staked(("p2", 6000)).put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 3 2  B K 7")
    felt.put(*choices, ev.CardDrawn(1, "player", "K", 5))
    felt.put(bank_ev.ChoiceMade(1, "banker", "stand", "p1"))
    return felt.due(ev.Event).shoe


def covered(pack: str) -> Shoe:
    """12000 is staked against 10000, and the banker adds 2000."""
    felt = table(pack=pack).put(ev.CoupOpened(1), bank_ev.BankCalled(1, 10_000))
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 12_000), bank_ev.BankRaised("p1", 2000, 1))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 2  B K 9")
    return felt.due(ev.Event).shoe


BURNED = (
    ev.CardDrawn(1, "player", "2", 5),
    ev.IrregularityNoted("wrong-draw", "burn-card", 1, "sue"),
    ev.CardBurned("2", 5, "ruling", 1),
)
"""A card that nobody was due is dealt and, by a ruling, burned."""


def asked(cards: str, *payloads: ev.Event, then: Literal["stand"] | None = None) -> Shoe:
    """Player asks for a card and has none, or takes it back; the banker stands on 7."""
    felt = staked(("p2", 6000)).put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards(cards)
    felt.put(bank_ev.ChoiceMade(1, "player", "draw", "p2"), *payloads)
    felt.put(*([bank_ev.ChoiceMade(1, "player", then, "p2")] if then else []))
    felt.put(bank_ev.ChoiceMade(1, "banker", "stand", "p1"))
    felt.put(*(ev.CardTurned(1, hand, nth) for hand in ("player", "banker") for nth in (1, 2)))
    points = {"P 3 2": 5, "P 3 3": 6, "P 3 4": 7}[cards[:5]]
    winner: Literal["B", "T"] = "B" if points < 7 else "T"
    felt.put(ev.ResultCalled(1, points, 7, winner))
    return felt.put(
        ev.BetTaken(1, 1, 6000) if points < 7 else ev.BetPushed(1, 1), ev.CoupClosed(1)
    ).shoe


def returned(bet: int) -> Shoe:
    """Two bets of 6000 against 10000: so much of one goes back."""
    return finish(staked(("p2", 6000), ("p3", 6000)).put(bank_ev.ExcessReturned(1, bet, 2000)))


def claimed(*claims: bank_ev.BancoCalled, bets: tuple[tuple[str, int], ...]) -> Shoe:
    """Claims to go bank, and what was staked then."""
    return finish(staked(*bets, before=claims))


def levied(amount: int, ticket: str | None = "T-1") -> Shoe:
    """The bank wins 10000, and the house levies so much, for a ticket or none."""
    felt = table(pack="chemin-de-fer-france").put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 10_000), ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    felt.cards("P 4 2  B K 9").due(ev.CardTurned, ev.ResultCalled, ev.BetTaken)
    return felt.put(*stepped(amount, amount, ticket), ev.CoupClosed(1)).shoe


def stepped(amount: int, taken: int, ticket: str | None = "T-1") -> list[ev.Event]:
    """Return the steps of a levy: announced and ticketed at one amount, taken at another."""
    tickets = [bank_ev.TicketsDetached(1, amount, (ticket,))] if ticket is not None else []
    return [
        bank_ev.LevyAnnounced(1, amount),
        *tickets,
        bank_ev.LevyTaken(1, taken),
        bank_ev.TicketsTorn(1),
    ]


def steps(*order: int, torn: Literal["in", "between", "late"] = "in") -> Shoe:
    """The steps of a levy of 500, some left out or elsewhere; the next coup is opened.

    The last of them comes in the coup, between the coups, or in the next one.
    """
    felt = table(pack="chemin-de-fer-france").put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 10_000), ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    felt.cards("P 4 2  B K 9").due(ev.CardTurned, ev.ResultCalled, ev.BetTaken)
    *done, last = [stepped(500, 500)[step] for step in order]
    ends: list[ev.Event] = [ev.CoupClosed(1), ev.CoupOpened(2)]
    ends.insert({"in": 0, "between": 1, "late": 2}[torn], last)
    return felt.put(*done, *ends).shoe


def ticketed(amount: int) -> Shoe:
    """A levy of 500, and tickets for so much."""
    return _levied_in_steps(
        bank_ev.LevyAnnounced(1, 500), bank_ev.TicketsDetached(1, amount, ("T-1",))
    )


def announced(amount: int) -> Shoe:
    """A levy of 500 that was announced at so much."""
    return _levied_in_steps(
        bank_ev.LevyAnnounced(1, amount), bank_ev.TicketsDetached(1, 500, ("T-1",))
    )


def _levied_in_steps(*payloads: ev.Event) -> Shoe:
    felt = table(pack="chemin-de-fer-france").put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 10_000), ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    felt.cards("P 4 2  B K 9").due(ev.CardTurned, ev.ResultCalled, ev.BetTaken)
    return felt.put(
        *payloads, bank_ev.LevyTaken(1, 500), bank_ev.TicketsTorn(1), ev.CoupClosed(1)
    ).shoe


GOES_ON: list[ev.Event] = [
    ev.ShoeOffered("p2"),
    ev.ShoeTaken("p2"),
    bank_ev.BankPosted("p2", 10_000),
]


def false_draw(*then: ev.Event, by_player: bool = False) -> Shoe:
    """A false draw voids the first coup; a coup follows."""
    felt = table(pack="chemin-de-fer-france").put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 10_000), ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    for hand, card in (("player", "4"), ("banker", "K"), ("player", "2"), ("banker", "7")):
        felt.put(ev.CardDrawn(1, hand, card, len(felt.shoe.left) + 1))  # type: ignore[arg-type]
    if by_player:
        felt.put(bank_ev.ChoiceMade(1, "player", "draw", "p2"))
    felt.put(ev.IrregularityNoted("wrong-draw", "void", 1, "sue"), ev.CoupVoided(1, "false draw"))
    return felt.put(*then).coup("p3 player 10000 | P 4 2  B K 9").shoe


def offered(*to: str) -> Shoe:
    """The bank is offered to these in turn; the last one takes it."""
    felt = Felt("chemin-de-fer", seats=SEATS).ready()
    for who in to[:-1]:
        felt.put(ev.ShoeOffered(who), ev.ShoeRefused(who))
    felt.put(ev.ShoeOffered(to[-1]), ev.ShoeTaken(to[-1]), bank_ev.BankPosted(to[-1], 10_000))
    return felt.coup("x player 500 | P 4 2  B K 9").shoe


def taken_over(amount: int) -> Shoe:
    """p1 gives up a bank of 20000, and p2 takes it over."""
    felt = table().coup("p2 player 10000 | P 4 2  B K 9")
    felt.put(bank_ev.BankWithdrawn("p1", 20_000), ev.ShoePassed("p1", "chosen"))
    felt.put(ev.ShoeOffered("p2", 20_000), ev.ShoeTaken("p2"), bank_ev.BankPosted("p2", amount))
    return felt.coup("x player 500 | P 4 2  B K 9").shoe


def passed(*last: ev.Event) -> Shoe:
    """The bank loses 4000 of 10000, and is given up."""
    felt = table().coup("p2 player 4000 | P 4 5  B K 6")
    return felt.put(*last, ev.ShoePassed("p1", "lost")).shoe


BANK_CASES: list[tuple[str, int | None, Callable[[], Shoe], Callable[[], Shoe]]] = [
    (
        "draw-on-mandatory-stand",
        1,
        coup("p2 player 6000 | P 4 2 K  B K 7"),
        coup("p2 player 6000 | P 3 2 K  B K 7"),
    ),
    (
        "draw-on-mandatory-stand",
        1,
        coup("p2 player 6000 | P 4 5  B K 2 4"),
        coup("p2 player 6000 | P 4 3  B K 2 4"),
    ),
    (
        "stand-on-mandatory-draw",
        1,
        coup("p2 player 6000 | P 2 2  B K 7"),
        coup("p2 player 6000 | P 3 2  B K 7"),
    ),
    (
        "unrequested-third-card",
        1,
        chosen,
        lambda: chosen(bank_ev.ChoiceMade(1, "player", "draw", "p2")),
    ),
    (
        "unrequested-third-card",
        1,
        lambda: chosen(bank_ev.ChoiceMade(1, "player", "stand", "p2")),
        lambda: chosen(
            bank_ev.ChoiceMade(1, "player", "stand", "p2"),
            bank_ev.ChoiceMade(1, "player", "draw", "p2"),
        ),
    ),
    (
        "decision-by-wrong-player",
        1,
        lambda: chosen(bank_ev.ChoiceMade(1, "player", "draw", "p3")),
        lambda: chosen(bank_ev.ChoiceMade(1, "player", "draw", "p2")),
    ),
    ("wrong-player-for-hand", 1, lambda: given("p3"), lambda: given("p2")),
    (
        "miscalled-bank",
        1,
        lambda: finish(staked(("p2", 6000), call=9000)),
        lambda: finish(staked(("p2", 6000))),
    ),
    (
        "stakes-beyond-bank",
        1,
        lambda: finish(staked(("p2", 6000), ("p3", 4001))),
        lambda: finish(staked(("p2", 6000), ("p3", 4000))),
    ),
    ("excess-returned-out-of-order", 1, lambda: returned(1), lambda: returned(2)),
    (
        "excess-returned-out-of-order",
        1,
        lambda: finish(staked(("p2", 6000), ("p3", 6000)).put(bank_ev.ExcessReturned(1, 2, 2001))),
        lambda: finish(staked(("p2", 6000), ("p3", 6000)).put(bank_ev.ExcessReturned(1, 2, 2000))),
    ),
    (
        "stake-beside-banco",
        1,
        lambda: claimed(bank_ev.BancoCalled(1, "p3"), bets=(("p3", 6000), ("p4", 4000))),
        lambda: claimed(bank_ev.BancoCalled(1, "p3"), bets=(("p3", 10_000),)),
    ),
    (
        "stake-beside-banco",
        1,
        # p2 sits nearer to the banker than p3, whose claim came first
        lambda: claimed(
            bank_ev.BancoCalled(1, "p3"), bank_ev.BancoCalled(1, "p2"), bets=(("p3", 10_000),)
        ),
        lambda: claimed(
            bank_ev.BancoCalled(1, "p3"), bank_ev.BancoCalled(1, "p2"), bets=(("p2", 10_000),)
        ),
    ),
    (
        "unjustified-banco",
        1,
        lambda: claimed(bank_ev.BancoCalled(1, "p3", suivi=True), bets=(("p3", 10_000),)),
        lambda: claimed(bank_ev.BancoCalled(1, "p3"), bets=(("p3", 10_000),)),
    ),
    (
        "banker-stake-against-own-bank",
        1,
        lambda: finish(staked(("p2", 6000), ("p1", 4000))),
        lambda: finish(staked(("p2", 6000), ("p4", 4000))),
    ),
    (
        "shoe-kept-after-wrong-draw",
        1,
        false_draw,
        lambda: false_draw(
            bank_ev.BankWithdrawn("p1", 10_000), ev.ShoePassed("p1", "ruling"), *GOES_ON
        ),
    ),
    (
        "shoe-kept-after-wrong-draw",
        1,
        false_draw,
        # Player asked for a card on 6: that is no fault of who deals
        lambda: false_draw(by_player=True),
    ),
    ("wrong-levy", 1, lambda: levied(510), lambda: levied(500)),
    ("levy-without-ticket", 1, lambda: levied(500, None), lambda: levied(500)),
    ("levy-without-ticket", 1, lambda: ticketed(400), lambda: ticketed(500)),
    ("levy-out-of-order", 1, lambda: steps(1, 2, 3), lambda: steps(0, 1, 2, 3)),
    ("levy-out-of-order", 1, lambda: steps(1, 0, 2, 3), lambda: steps(0, 1, 2, 3)),
    ("levy-out-of-order", 1, lambda: steps(0, 2, 1, 3), lambda: steps(0, 1, 2, 3)),
    ("levy-out-of-order", 1, lambda: announced(510), lambda: announced(500)),
    (
        "untorn-tickets",
        1,
        lambda: steps(0, 1, 2, 3, torn="late"),
        lambda: steps(0, 1, 2, 3, torn="between"),
    ),
    ("untorn-tickets", 1, lambda: steps(0, 1, 2), lambda: steps(0, 1, 2, 3)),
    ("bank-offered-out-of-turn", None, lambda: offered("p2"), lambda: offered("p1", "p2")),
    (
        "wrong-bank-amount",
        None,
        lambda: table(9999).coup("p2 player 500 | P 4 2  B K 9").shoe,
        lambda: table(10_000).coup("p2 player 500 | P 4 2  B K 9").shoe,
    ),
    (
        "wrong-bank-amount",
        None,
        lambda: taken_over(19_000),
        lambda: taken_over(20_000),
    ),
    (
        "premature-bank-withdrawal",
        None,
        lambda: table().put(bank_ev.BankWithdrawn("p1", 10_000)).shoe,
        lambda: passed(bank_ev.BankWithdrawn("p1", 6000)),
    ),
    # France: what the bank does not cover goes back, and nobody covers it
    (
        "stakes-beyond-bank",
        1,
        lambda: covered("chemin-de-fer-france"),
        lambda: covered("chemin-de-fer"),
    ),
    (
        "requested-card-not-dealt",
        1,
        lambda: asked("P 3 2  B K 7"),
        lambda: asked("P 3 2  B K 7", then="stand"),
    ),
    # on 7 he may not ask, and has none; or he takes it back
    (
        "request-on-mandatory-stand",
        1,
        lambda: asked("P 3 4  B K 7"),
        lambda: asked("P 3 4  B K 7", then="stand"),
    ),
    # he asked on 7, and a ruling burned the card that he had
    (
        "request-on-mandatory-stand",
        1,
        lambda: asked("P 3 3  B K 7"),
        lambda: asked("P 3 4  B K 7", *BURNED),
    ),
    (
        "partial-bank-withdrawal",
        None,
        lambda: (
            table()
            .coup("p2 player 10000 | P 4 2  B K 9")
            .put(bank_ev.BankWithdrawn("p1", 5000))
            .coup("p2 player 500 | P 4 2  B K 9")
            .shoe
        ),
        lambda: taken_over(20_000),
    ),
    ("chip-balance-mismatch", None, passed, lambda: passed(bank_ev.BankWithdrawn("p1", 6000))),
]
