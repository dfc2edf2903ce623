"""Faults at the table, described by what happens there and written without use of `tests.faults`.

Each fault changes the events of one simulated shoe, from the third coup on.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec.structs import replace

from benchmarks.altered_record import Record
from sabot.domain import events as ev
from sabot.domain.events import bank
from sabot.domain.rules.rule_pack import parse_pack

SETTLED: Final = (ev.BetPaid, ev.BetTaken, ev.BetPushed)
CHARGED: Final = (ev.CommissionCollected, ev.CommissionMarked)
CALLED: Final = (ev.ResultCalled, bank.HandsCalled)
DAY_US: Final = 86_400_000_000


def _take_as(payload: Callable[[Any], ev.Event]) -> Callable[[Record], None]:
    """Return a fault in which another event is recorded in place of taking a losing bet."""

    def put(r: Record) -> None:
        place = r.first(ev.BetTaken)
        r.instead(place, payload(r.at(place)))

    return put


def _push_taken(r: Record) -> None:
    place = r.first(ev.BetPushed)
    was = r.at(place)
    r.instead(place, ev.BetTaken(was.coup, was.bet, r.at(r.bet_of(place)).amount))


def _pays_swapped(r: Record) -> None:
    for one in r.places(ev.BetPaid):
        r.coup = r.at(one).coup
        for other in r.of_coup(ev.BetPaid):
            amounts = r.at(one).amount, r.at(other).amount
            if amounts[0] != amounts[1]:
                r.change(one, amount=amounts[1])
                r.change(other, amount=amounts[0])
                return
    raise LookupError


def _commission_on_player(r: Record) -> None:
    for place in r.places(ev.BetPaid):
        r.coup = r.at(place).coup
        bet = r.at(r.bet_of(place))
        if bet.wager == "player" and parse_pack(r.loaded.pack).game == "punto-banco":
            charge = r.at(place).amount // 20
            r.after(place, ev.CommissionCollected(bet.patron, charge, bet.coup, bet.bet))
            return
    raise LookupError


def _late_bet(r: Record) -> None:
    r.first(ev.NoMoreBets)
    r.move(r.of_coup(ev.BetPlaced)[-1], r.of_coup(ev.CardDrawn)[0])


def _early_card(r: Record) -> None:
    r.first(ev.NoMoreBets)
    r.move(r.of_coup(ev.CardDrawn)[0], r.of_coup(ev.BetPlaced)[0])


def _raised_after_result(r: Record) -> None:
    place = r.first(ev.BetPaid)
    bet = r.at(r.bet_of(place))
    r.after(place - 1, ev.BetChanged(bet.coup, bet.bet, bet.amount * 2))


def _below_minimum(r: Record) -> None:
    bet = r.at(r.first(ev.BetPlaced))
    r.after(r.first(ev.BetPlaced), replace(bet, bet=99, amount=100))


def _from_then_on(
    kind: Any, events: Callable[[Record], Iterable[ev.Event]]
) -> Callable[[Record], None]:
    """Return a fault of the shoe as a whole: events after the first event of a kind."""

    def put(r: Record) -> None:
        r.after(r.first(kind), *events(r))
        r.coup = None

    return put


def _limits(minimum: int, behind: Any) -> Callable[[Record], None]:
    changed = ev.LimitsChanged((ev.Limit(minimum, 600_000),), displayed=True)
    return _from_then_on(behind, lambda _: [changed])


def _third_card_elsewhere(r: Record) -> None:
    r.first(ev.NoMoreBets)
    for number in sorted({r.at(place).coup for place in r.places(ev.CardDrawn)}):
        r.coup = number
        mine = [place for place in r.of_coup(ev.CardDrawn) if r.at(place).hand == "player"]
        if len(mine) > 2:
            r.change(mine[2], hand="banker")
            return
    raise LookupError


def _first_cards_swapped(r: Record) -> None:
    r.first(ev.NoMoreBets)
    one, other, *_ = r.of_coup(ev.CardDrawn)
    was, is_ = r.at(one), r.at(other)
    r.change(one, hand=is_.hand, seat=is_.seat)
    r.change(other, hand=was.hand, seat=was.seat)


def _card_skipped(r: Record) -> None:
    first = r.first(ev.CardDrawn)
    for place in r.places((ev.CardDrawn, ev.CardBurned), since=0):
        if place >= first and r.at(place).place:
            r.change(place, place=lambda card: card.place + 1)


def _number_skipped(r: Record) -> None:
    r.coup = 6
    for place, event in enumerate(r.events):
        if (getattr(event.payload, "coup", None) or 0) > r.coup - 2:
            r.change(place, coup=lambda payload: payload.coup + 1)


def _patron_gone(r: Record) -> None:
    patron = r.at(r.first(ev.BetPlaced)).patron
    r.after(r.of_coup(ev.CoupOpened)[0] - 1, ev.PatronLeft(patron))
    r.coup = None


def _newcomer(r: Record) -> Iterable[ev.Event]:
    if not r.loaded.seats:
        raise LookupError
    return [ev.PatronSeated(r.loaded.seats[0].seat, "newcomer")]


def _asked(r: Record) -> None:
    place = r.first(bank.ChoiceMade, lambda choice: choice.choice == "stand")
    r.change(place, choice="draw")


def _corrected(kind: Any, instead: Any) -> Callable[[Record], None]:
    """Return a fault in which the bet is corrected after it was settled."""

    def correct(r: Record) -> None:
        place = r.first(kind)
        bet = r.bet_of(place)
        made = ev.EventCorrected(bet + 1, "typing", "crew-1", instead(r.at(bet)))
        r.after(place, made)
        if made.instead is None:
            r.remove(place)

    return correct


def _voided(r: Record) -> None:
    r.first(CALLED)
    r.remove(*r.of_coup((*SETTLED, *CHARGED)))
    r.instead(r.of_coup(ev.CoupClosed)[0], ev.CoupVoided(r.coup or 0, by="crew-1"))


def _a_day_ahead(r: Record) -> None:
    place = r.first(CALLED)
    event = r.events[place]
    r.events[place] = replace(event, at_us=(event.at_us or 0) + DAY_US)


def _settled_in_next(r: Record) -> None:
    place = r.first(ev.BetTaken)
    number = r.at(place).coup
    r.move(place, r.first(ev.CoupOpened, lambda opened: opened.coup == number + 1))
    r.coup = number


def _anothers_commission(r: Record) -> None:
    place = r.first(ev.CommissionCollected)
    patrons = {r.at(bet).patron for bet in r.places(ev.BetPlaced)} - {r.at(place).patron}
    r.change(place, patron=min(patrons))


def _levy_of_another_game(r: Record) -> None:
    if r.places(bank.LevyTaken, since=0):
        raise LookupError
    place = r.first(ev.CoupClosed)
    r.after(place - 1, bank.LevyTaken(r.coup or 0, 500))


def _abandoned(r: Record) -> None:
    place = r.first(ev.BetPaid)
    was = r.at(place)
    r.after(place, ev.BetAbandoned(was.coup, was.bet, by=r.loaded.crew[0].person))


def _by(person: str, kind: Any, when: Any = None, since: int = 3) -> Callable[[Record], None]:
    """Return a fault in which a stranger acts."""
    return lambda r: r.change(r.first(kind, when, since), **{person: "stranger"})


FAULTS: Final[dict[str, Callable[[Record], Any]]] = {
    "a winner is paid half": lambda r: r.change(
        r.first(ev.BetPaid), amount=lambda p: p.amount // 2
    ),
    "a winner is paid a cent less": lambda r: r.change(
        r.first(ev.BetPaid), amount=lambda p: p.amount - 1
    ),
    "a winner is paid twice": lambda r: r.after(at := r.first(ev.BetPaid), r.at(at)),
    "a winner is paid eight times": lambda r: r.change(
        r.first(ev.BetPaid), amount=lambda p: p.amount * 8
    ),
    "a loser is paid": _take_as(lambda p: ev.BetPaid(p.coup, p.bet, p.amount)),
    "a loser is pushed": _take_as(lambda p: ev.BetPushed(p.coup, p.bet)),
    "a loser withdraws the bet": _take_as(lambda p: ev.BetWithdrawn(p.coup, p.bet)),
    "twice the losing bet is taken": lambda r: r.change(
        r.first(ev.BetTaken), amount=lambda p: p.amount * 2
    ),
    "a push is taken": _push_taken,
    "the payments of two winners are swapped": _pays_swapped,
    "commission is not taken": lambda r: r.remove(r.first(CHARGED)),
    "commission is 4 % instead of 5 %": lambda r: r.change(
        r.first(CHARGED), amount=lambda p: p.amount * 4 // 5
    ),
    "commission is taken on Player": _commission_on_player,
    "commission is taken from another patron": _anothers_commission,
    "the wrong side is announced": lambda r: r.change(
        r.first(ev.ResultCalled, lambda p: p.outcome in {"P", "B"}),
        outcome=lambda p: "B" if p.outcome == "P" else "P",
    ),
    "a hand is announced one point too high": lambda r: r.change(
        r.first(bank.HandsCalled),
        totals=lambda p: (replace(p.totals[0], total=(p.totals[0].total + 1) % 10), *p.totals[1:]),
    ),
    "a bet comes after the first card": _late_bet,
    "the first card comes before the bets": _early_card,
    "a bet is raised after the result": _raised_after_result,
    "a bet below the minimum is accepted and not settled": _below_minimum,
    "the minimum rises in mid-coup, and nobody heeds it": _limits(10_000, ev.NoMoreBets),
    "a minimum above the maximum is set": _limits(900_000, ev.CoupClosed),
    "Player's third card goes to Banker": _third_card_elsewhere,
    "the first two cards go to the wrong hands": _first_cards_swapped,
    "a card is switched": lambda r: r.change(
        r.first(ev.CardDrawn), card=lambda p: "2c" if p.card == "9h" else "9h"
    ),
    "a second card is dealt instead of the first": _card_skipped,
    "a card is burned without a reason": _from_then_on(
        ev.CoupClosed, lambda _: [ev.CardBurned(None, reason="other")]
    ),
    "a card that was not dealt is turned": lambda r: r.change(r.first(ev.CardTurned), nth=4),
    "a card is dealt face up from the shoe": lambda r: r.change(
        r.first(ev.CardDrawn), face_up=True
    ),
    "a coup is not closed": lambda r: r.remove(r.first(ev.CoupClosed)),
    "bets are not closed": lambda r: r.remove(r.first(ev.NoMoreBets)),
    "a coup number is skipped": _number_skipped,
    "a dealer bets": lambda r: r.change(r.first(ev.BetPlaced), patron=r.loaded.crew[0].person),
    "a patron who has left bets": _patron_gone,
    "a newcomer takes an occupied seat": _from_then_on(ev.CoupClosed, _newcomer),
    "a bet comes from seat 40": lambda r: r.change(r.first(ev.BetPlaced), seat=40),
    "the shoe passes as lost after the bank won": lambda r: r.change(
        r.first(ev.ShoePassed, lambda p: p.reason == "chosen"), reason="lost"
    ),
    "a stranger takes the shoe": _by("by", ev.ShoeTaken, since=0),
    "a stranger posts the bank": _by("by", bank.BankPosted, since=0),
    "the bank is announced too high": lambda r: r.change(
        r.first(bank.BankCalled), amount=lambda p: p.amount + 10_000
    ),
    "a banker takes out more than the bank": lambda r: r.change(
        r.first(bank.BankWithdrawn), amount=lambda p: p.amount + 5000
    ),
    "stakes beyond the bank are not returned": lambda r: r.remove(r.first(bank.ExcessReturned)),
    "a stranger gets a hand": _by("to", bank.HandGiven),
    "a stranger decides for a hand": _by("by", bank.ChoiceMade, lambda p: p.by is not None),
    "a card is asked for and not dealt": _asked,
    "a correction raises a paid bet": _corrected(
        ev.BetPaid, lambda bet: replace(bet, amount=bet.amount + 2500)
    ),
    "a correction removes a lost bet": _corrected(ev.BetTaken, lambda _: None),
    "a dealer voids a coup after the result": _voided,
    "a clock is a day ahead": _a_day_ahead,
    "two cards are missing at the end": lambda r: r.change(
        r.first(ev.ShoeEnded, lambda p: p.left is not None, 0), left=lambda p: p.left - 2
    ),
    "the shoe is not shuffled": lambda r: r.remove(*r.places(ev.ShoeShuffled, since=0)),
    "all posts are left": _from_then_on(
        ev.CoupClosed, lambda r: [ev.CrewChanged(each.post, None) for each in r.loaded.crew]
    ),
    "the dealer cuts": lambda r: r.change(r.first(ev.ShoeCut, since=0), by=r.loaded.crew[0].person),
    "the first card is not burned": lambda r: r.remove(r.first(ev.CardBurned, since=0)),
    "a bet is settled in the next coup": _settled_in_next,
    "the last coup is not announced": lambda r: r.remove(r.first(ev.LastCoupCalled, since=0)),
    "a levy is taken at a game without one": _levy_of_another_game,
    "winnings are noted as left on the layout": _abandoned,
}
"""Each fault by what happens."""

WHOLE_SHOE: Final = frozenset(
    ("two cards are missing at the end", "the last coup is not announced")
)
"""Faults that need a shoe dealt to its end."""
