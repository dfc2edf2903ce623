"""Commands of two tableaux: award of the bank, cutter, seats and tableaux."""

from sabot.cli.deal.parser import Speech, Words, has_count, misused, name, positive
from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.values.errors import BadInput

Events = list[ev.ShoeEvent]


def session(_speech: Speech, words: Words) -> Events:
    """Record the number of the session of the day and of the shoe in it."""
    if not has_count(words, 3):
        misused("session DAY SESSION SHOE, as session 2026-01-31 1 2")
    day, nth, shoe = words
    if not _is_day(day):
        raise BadInput(f"a day is YYYY-MM-DD, as 2026-01-31, not {day!r}")
    return [bank_ev.SessionCalled(day, positive(nth, "a session"), positive(shoe, "a shoe"))]


def _is_day(text: str) -> bool:
    parts = text.split("-")
    digits = all(part.isascii() and part.isdigit() for part in parts)
    return digits and [len(part) for part in parts] == [4, 2, 2]


def bid(speech: Speech, words: Words) -> Events:
    """Bid for the bank."""
    if not has_count(words, 2):
        misused("bid PATRON AMOUNT")
    return [bank_ev.BankBid(name(words[0]), speech.amount(words[1]))]


def listed(_speech: Speech, words: Words) -> Events:
    """Add a patron to the list for the bank."""
    if len(words) != 1:
        misused("list PATRON")
    return [bank_ev.BankListed(name(words[0]))]


def proves(speech: Speech, words: Words) -> Events:
    """Record a patron's proof of funds."""
    if not has_count(words, 2, 3):
        misused("prove PATRON AMOUNT [WHERE]")
    where = name(words[2]) if words[2:] else None
    return [bank_ev.FundsProven(name(words[0]), speech.amount(words[1]), where)]


def names(speech: Speech, words: Words) -> Events:
    """Name the patron who cuts."""
    if len(words) != 1:
        misused("names PATRON")
    banker = speech.shoe.holder
    if banker is None:
        raise BadInput(f"nobody holds the bank; {next_action(speech.shoe).text}")
    return [ev.CutterNamed(banker, name(words[0]))]


def moves(_speech: Speech, words: Words) -> Events:
    """Move a patron to another seat."""
    if not has_count(words, 2):
        misused("move N PATRON")
    return [ev.PatronMoved(name(words[1]), positive(words[0], "a seat"))]


def accepts(speech: Speech, words: Words) -> Events:
    """Accept all stakes."""
    if words:
        misused("accept")
    bank, coup = speech.shoe.bank, speech.shoe.current
    if bank is None:
        raise BadInput(f"nobody holds the bank; {next_action(speech.shoe).text}")
    return [bank_ev.BankUnlimited(bank.holder, coup.number if coup is not None else None)]


def to_right(speech: Speech, words: Words) -> Events:
    """Deal a card to the right tableau."""
    return [ev.CardDrawn(speech.coup, "right", speech.next_card(words), speech.place())]


def to_left(speech: Speech, words: Words) -> Events:
    """Deal a card to the left tableau."""
    return [ev.CardDrawn(speech.coup, "left", speech.next_card(words), speech.place())]
