"""Commands about a patron's bank and about patrons' decisions (banco, card or no card)."""

from typing import Final, Literal

from sabot.cli.deal.parser import Speech, Words, hand_of, has_count, misused, name, one_of
from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.values.errors import BadInput

Events = list[ev.ShoeEvent]
_TABLEAUX: Final[tuple[Literal["right", "left", "both"], ...]] = ("right", "left", "both")


def _banker(speech: Speech) -> str:
    bank = speech.shoe.bank
    holder = bank.holder if bank is not None else speech.shoe.holder
    if holder is None:
        raise BadInput(f"nobody holds the bank; {next_action(speech.shoe).text}")
    return holder


def post(speech: Speech, words: Words) -> Events:
    """Put up a bank."""
    if not has_count(words, 1, 2):
        misused("post AMOUNT [PATRON]")
    by = name(words[1]) if words[1:] else speech.shoe.holder
    if by is None:
        raise BadInput(f"nobody holds the shoe; {next_action(speech.shoe).text}")
    return [bank_ev.BankPosted(by, speech.amount(words[0]))]


def add(speech: Speech, words: Words) -> Events:
    """Raise the bank, between coups or to cover the stakes."""
    if len(words) != 1:
        misused("raise AMOUNT")
    coup = speech.shoe.current
    number = coup.number if coup is not None else None
    return [bank_ev.BankRaised(_banker(speech), speech.amount(words[0]), number)]


def take_out(speech: Speech, words: Words) -> Events:
    """Take chips out of the bank: all of it if no amount is given."""
    if len(words) > 1:
        misused("withdraw-bank [AMOUNT]")
    bank = speech.shoe.bank
    lies = max(0, bank.amount) if bank is not None else 0
    amount = speech.amount(words[0]) if words else lies
    return [bank_ev.BankWithdrawn(_banker(speech), amount)]


def called(speech: Speech, words: Words) -> Events:
    """Announce the amount of the bank."""
    if len(words) != 1:
        misused("bank AMOUNT")
    return [bank_ev.BankCalled(speech.coup, speech.amount(words[0]))]


def banco(speech: Speech, words: Words) -> Events:
    """Go bank, at two tableaux on one or both."""
    if not has_count(words, 1, 2):
        misused("banco PATRON [right|left|both]")
    on = one_of(words[1], "a tableau", _TABLEAUX) if words[1:] else None
    return [bank_ev.BancoCalled(speech.coup, name(words[0]), on=on)]


def suivi(speech: Speech, words: Words) -> Events:
    """Go bank again after losing the last banco."""
    if len(words) != 1:
        misused("suivi PATRON")
    return [bank_ev.BancoCalled(speech.coup, name(words[0]), suivi=True)]


def back(speech: Speech, words: Words) -> Events:
    """Return the part of a stake that exceeds the bank to its patron."""
    found, left = speech.bet(words)
    if len(left) != 1:
        misused("back BET AMOUNT")
    return [bank_ev.ExcessReturned(speech.coup, found.number, speech.amount(left[0]))]


def give(speech: Speech, words: Words) -> Events:
    """Give the hand to a patron, who plays it."""
    if not has_count(words, 1, 2):
        misused("give PATRON [HAND]")
    hand = hand_of(words[1]) if words[1:] else _hand_due(speech)
    return [bank_ev.HandGiven(speech.coup, hand, name(words[0]))]


def _hand_due(speech: Speech) -> ev.Hand:
    """Return the hand to be given next, or the Player hand if none is due."""
    due = next_action(speech.shoe).payload
    return due.hand if isinstance(due, bank_ev.HandGiven) else "player"


def draws(speech: Speech, words: Words) -> Events:
    """Ask for a card."""
    return _decided(speech, words, "draw")


def stands(speech: Speech, words: Words) -> Events:
    """Decline a card."""
    return _decided(speech, words, "stand")


def rejects(speech: Speech, words: Words) -> Events:
    """Reject the card just drawn by the hand in turn."""
    if words:
        misused("reject")
    due = next_action(speech.shoe)
    if due.expects != "choice" or due.hand is None:
        raise BadInput(f"nobody chooses now; {due.text}")
    return [bank_ev.CardRejected(speech.coup, due.hand, due.seat)]


def _decided(speech: Speech, words: Words, choice: Literal["draw", "stand"]) -> Events:
    if len(words) > 1:
        misused(f"{choice} [PATRON]")
    due = next_action(speech.shoe)
    if due.expects != "choice" or due.hand is None:
        raise BadInput(f"nobody chooses now; {due.text}")
    by = name(words[0]) if words else None
    return [bank_ev.ChoiceMade(speech.coup, due.hand, choice, by, due.seat)]


def announced(speech: Speech, words: Words) -> Events:
    """Announce the levy and set it aside."""
    if len(words) != 1:
        misused("announce AMOUNT")
    return [bank_ev.LevyAnnounced(speech.coup, speech.amount(words[0]))]


def tickets(speech: Speech, words: Words) -> Events:
    """Detach the tickets of the levy."""
    if not words:
        misused("tickets SERIAL…")
    due = next_action(speech.shoe).payload
    amount = due.amount if isinstance(due, bank_ev.TicketsDetached) else _announced(speech)
    return [bank_ev.TicketsDetached(speech.coup, amount, tuple(map(name, words)))]


def _announced(speech: Speech) -> int:
    """Return the levy last announced in the coup, or 0."""
    coup = speech.shoe.coups.get(speech.coup)
    said = coup.banked.announced if coup is not None and coup.banked is not None else []
    return said[-1].payload.amount if said else 0


def torn(speech: Speech, words: Words) -> Events:
    """Tear the tickets of the levy."""
    if words:
        misused("torn")
    return [bank_ev.TicketsTorn(speech.coup)]


def levy(speech: Speech, words: Words) -> Events:
    """Take the house's levy out of the bank."""
    if not has_count(words, 1, 2):
        misused("levy AMOUNT [TICKET]")
    ticket = name(words[1]) if words[1:] else None
    return [bank_ev.LevyTaken(speech.coup, speech.amount(words[0]), ticket)]
