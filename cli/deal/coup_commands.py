"""Commands of a coup: bets, cards, calls, payments."""

from typing import Final, get_args

from sabot.cli.deal.parser import (
    Speech,
    Words,
    hand_of,
    has_count,
    misused,
    name,
    number,
    one_of,
    positive,
    rest,
)
from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.values.cards import HIGHEST_TOTAL
from sabot.domain.values.errors import BadInput

Events = list[ev.ShoeEvent]
_OUTCOMES: Final[dict[str, ev.Outcome]] = {
    "player": "P",
    "p": "P",
    "banker": "B",
    "b": "B",
    "tie": "T",
    "t": "T",
}
_IRREGULARITIES: Final[tuple[ev.Irregularity, ...]] = get_args(ev.Irregularity)
_RULINGS: Final[tuple[ev.Ruling, ...]] = get_args(ev.Ruling)


def open_coup(speech: Speech, words: Words) -> Events:
    """Open the next coup."""
    shoe = speech.shoe
    free = list(words) == ["free"]
    if words and not free:
        misused("open [free]")
    return [ev.CoupOpened(max(shoe.coups, default=0) + 1, free=free)]


def bet(speech: Speech, words: Words) -> Events:
    """Place one bet, or several separated by commas."""
    coup = speech.shoe.coups.get(speech.coup)
    lying = max(coup.bets, default=0) if coup is not None else 0
    payloads: Events = []
    for part in " ".join(words).split(","):
        given = part.split()
        if not has_count(given, 3):
            misused("bet PATRON WAGER AMOUNT [, PATRON WAGER AMOUNT]…")
        patron, wager, amount = name(given[0]), name(given[1]), speech.amount(given[2])
        seats = speech.shoe.seats
        seat = next((seat for seat, sitting in seats.items() if sitting == patron), None)
        lying += 1
        payloads.append(ev.BetPlaced(speech.coup, lying, patron, wager, amount, seat))
    return payloads


def change(speech: Speech, words: Words) -> Events:
    """Change a bet's amount."""
    found, left = speech.bet(words)
    if len(left) != 1:
        misused("change BET AMOUNT, or change PATRON WAGER AMOUNT")
    return [ev.BetChanged(speech.coup, found.number, speech.amount(left[0]))]


def withdraw(speech: Speech, words: Words) -> Events:
    """Withdraw a bet."""
    found, left = speech.bet(words)
    if left:
        misused("withdraw BET, or withdraw PATRON WAGER")
    return [ev.BetWithdrawn(speech.coup, found.number)]


def no_more_bets(speech: Speech, words: Words) -> Events:
    """Call no more bets."""
    if words:
        misused("no more bets")
    return [ev.NoMoreBets(speech.coup)]


def card(speech: Speech, words: Words) -> Events:
    """Deal the next card to the hand in turn, or burn it face up if due."""
    due = next_action(speech.shoe)
    if len(words) > 1:
        misused("card [CARD]")
    if due.expects == "burn-up":
        return [ev.CardBurned(speech.next_card(words), speech.place())]
    if due.expects != "card" or due.hand is None:
        raise BadInput(f"no card is due; {due.text}")
    face = speech.next_card(words)
    return [ev.CardDrawn(speech.coup, due.hand, face, speech.place(), seat=due.seat)]


def to_player(speech: Speech, words: Words) -> Events:
    """Deal a card to the Player hand."""
    return [ev.CardDrawn(speech.coup, "player", speech.next_card(words), speech.place())]


def to_banker(speech: Speech, words: Words) -> Events:
    """Deal a card to the Banker hand."""
    return [ev.CardDrawn(speech.coup, "banker", speech.next_card(words), speech.place())]


def turn(speech: Speech, words: Words) -> Events:
    """Turn a card that lies face down."""
    if not has_count(words, 2):
        misused("turn HAND NTH, as turn player 1")
    return [ev.CardTurned(speech.coup, hand_of(words[0]), positive(words[1], "the card"))]


def call(speech: Speech, words: Words) -> Events:
    """Announce totals, or the outcome."""
    if has_count(words, 2) and words[0].isdigit():
        return [ev.TotalsCalled(speech.coup, _total(words[0]), _total(words[1]))]
    if has_count(words, 3) and words[0].isdigit():
        return [_three_called(speech, words)]
    outcome = _OUTCOMES.get(words[0].lower()) if words else None
    if outcome is None or len(words) not in (1, 3):
        misused(
            "call PLAYER BANKER (totals, as call 5 7), or call OUTCOME [PLAYER BANKER], "
            "or call RIGHT LEFT BANKER"
        )
    if len(words) == 1:
        return [ev.ResultCalled(speech.coup, outcome=outcome)]
    return [ev.ResultCalled(speech.coup, _total(words[1]), _total(words[2]), outcome)]


def _three_called(speech: Speech, words: Words) -> bank_ev.HandsCalled:
    """Return the announced totals of the right tableau, the left one and the banker."""
    hands: tuple[ev.Hand, ...] = ("right", "left", "banker")
    totals = [
        bank_ev.HandTotal(hand, _total(word)) for hand, word in zip(hands, words, strict=True)
    ]
    return bank_ev.HandsCalled(speech.coup, tuple(totals))


def _total(text: str) -> int:
    total = number(text, "a total")
    if total > HIGHEST_TOTAL:
        raise BadInput("a total is 0 to 9")
    return total


def pay(speech: Speech, words: Words) -> Events:
    """Pay a bet."""
    found, left = speech.bet(words)
    if len(left) != 1:
        misused("pay BET AMOUNT")
    return [ev.BetPaid(speech.coup, found.number, speech.amount(left[0]))]


def take(speech: Speech, words: Words) -> Events:
    """Take a bet, or all of it without an amount."""
    found, left = speech.bet(words)
    if len(left) > 1:
        misused("take BET [AMOUNT]")
    amount = speech.amount(left[0]) if left else found.amount
    return [ev.BetTaken(speech.coup, found.number, amount)]


def push(speech: Speech, words: Words) -> Events:
    """Push a bet: it stays unchanged."""
    found, left = speech.bet(words)
    if left:
        misused("push BET")
    return [ev.BetPushed(speech.coup, found.number)]


def mark(speech: Speech, words: Words) -> Events:
    """Mark commission for later collection."""
    found, left = speech.bet(words)
    if len(left) != 1:
        misused("mark BET AMOUNT")
    return [ev.CommissionMarked(speech.coup, found.number, speech.amount(left[0]))]


def collect(speech: Speech, words: Words) -> Events:
    """Collect commission: on a bet by its number, or all that a patron owes."""
    if has_count(words, 2) and words[0].isdigit():
        found, _ = speech.bet(words)
        amount = speech.amount(words[1])
        return [ev.CommissionCollected(found.patron, amount, speech.coup, found.number)]
    if not has_count(words, 1, 2):
        misused("collect BET AMOUNT, or collect PATRON [AMOUNT]")
    patron = name(words[0])
    owed = speech.shoe.owed_commission.get(patron, 0)
    return [ev.CommissionCollected(patron, speech.amount(words[1]) if words[1:] else owed)]


def clear(speech: Speech, words: Words) -> Events:
    """Move the cards of the coup to the discards."""
    covered = {"covered": True, "uncovered": False}.get(words[0]) if words else None
    if words and (covered is None or len(words) > 1):
        misused("clear [covered|uncovered]")
    return [ev.CardsCleared(speech.coup, covered)]


def to_the_other(speech: Speech, words: Words) -> Events:
    """Give Player's last card to Banker, by a ruling."""
    if words:
        misused("give over")
    return [ev.CardReassigned(speech.coup, "player", "banker", speech.house)]


def close(speech: Speech, words: Words) -> Events:
    """Close the coup."""
    if words:
        misused("close")
    return [ev.CoupClosed(speech.coup)]


def void(speech: Speech, words: Words) -> Events:
    """Void the coup; its bets are returned."""
    return [ev.CoupVoided(speech.coup, rest(words), speech.house)]


def irregularity(speech: Speech, words: Words) -> Events:
    """Record an irregularity and its ruling."""
    if not words:
        misused("irregularity KIND [RULING [DETAIL…]]")
    kind = one_of(words[0], "an irregularity", _IRREGULARITIES)
    ruling = one_of(words[1], "a ruling", _RULINGS) if words[1:] else "none"
    coup = speech.shoe.current.number if speech.shoe.current is not None else None
    return [ev.IrregularityNoted(kind, ruling, coup, speech.house, rest(words[2:]))]
