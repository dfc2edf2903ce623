"""The commands of a dealt table: names, descriptions and the events that they create."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.cli.deal import bank_commands as bank
from sabot.cli.deal import coup_commands as coup
from sabot.cli.deal import shoe_commands as shoe
from sabot.cli.deal import tableaux_commands as banque
from sabot.cli.deal.parser import Speech, Words, misused, number
from sabot.domain import events as ev
from sabot.domain.events.bank import BankPosted, BankRaised, BankWithdrawn
from sabot.domain.values.cards import parse_card
from sabot.domain.values.errors import BadCard, BadInput

Make = Callable[[Speech, Words], list[ev.ShoeEvent]]


class Command(Struct, frozen=True):
    """A command: its usage, its description, and the function that creates its events."""

    usage: str
    what: str
    make: Make


WORDS: Final[dict[str, Command]] = {
    "session": Command(
        "session DAY SESSION SHOE", "announce the session of the day and its shoe", banque.session
    ),
    "bid": Command("bid PATRON AMOUNT", "a patron bids for the bank", banque.bid),
    "list": Command("list PATRON", "a patron is listed for the bank", banque.listed),
    "prove": Command("prove PATRON AMOUNT [WHERE]", "a patron proves funds", banque.proves),
    "inspect": Command("inspect [NAME [FOUND…]]", "the cards are inspected", shoe.inspect),
    "shuffle": Command("shuffle [NAME [machine [SERIAL]]]", "the cards are shuffled", shoe.shuffle),
    "cut": Command(
        "cut [NAME [DEPTH]] | cut offered NAME | cut refused NAME",
        "the cards are cut, or the cut is offered or refused",
        shoe.cut,
    ),
    "names": Command("names PATRON", "the banker names who cuts", banque.names),
    "stop": Command("stop N", "the cut card is placed N cards from the end", shoe.stop),
    "burn": Command(
        "burn [CARD] [REASON]", "a card is burned; name it if it is face up", shoe.burn
    ),
    "offer": Command(
        "offer PATRON [AMOUNT]", "the shoe is offered, with the bank to be matched", shoe.offer
    ),
    "takes": Command("takes [NAME]", "the offer is accepted", shoe.takes),
    "refuses": Command("refuses [NAME]", "the offer is refused", shoe.refuses),
    "passes": Command("passes [REASON]", "the holder gives up the shoe", shoe.passes),
    "post": Command("post AMOUNT [PATRON]", "a bank is posted", bank.post),
    "raise": Command("raise AMOUNT", "the banker adds to the bank", bank.add),
    "withdraw-bank": Command(
        "withdraw-bank [AMOUNT]", "the banker takes chips out of the bank", bank.take_out
    ),
    "open": Command("open [free]", "the next coup is opened; free: without bets", coup.open_coup),
    "bank": Command("bank AMOUNT", "the amount of the bank is announced", bank.called),
    "accept": Command("accept", "the banker accepts all stakes from now on", banque.accepts),
    "banco": Command("banco PATRON [right|left|both]", "a patron goes banco", bank.banco),
    "suivi": Command("suivi PATRON", "a patron goes banco again after losing one", bank.suivi),
    "bet": Command("bet PATRON WAGER AMOUNT [, …]", "one or more bets are placed", coup.bet),
    "change": Command("change BET AMOUNT", "a bet is changed to this amount", coup.change),
    "withdraw": Command("withdraw BET", "a bet is withdrawn", coup.withdraw),
    "back": Command("back BET AMOUNT", "a stake beyond the bank is returned", bank.back),
    "nomore": Command("no more bets", "the dealer announces no more bets", coup.no_more_bets),
    "give": Command("give PATRON [HAND]", "a patron is given the hand to play", bank.give),
    "card": Command("card [CARD]", "a card for the hand that is due one", coup.card),
    "player": Command("player [CARD]", "a card for the Player hand", coup.to_player),
    "banker": Command("banker [CARD]", "a card for the Banker hand", coup.to_banker),
    "right": Command("right [CARD]", "a card for the right tableau", banque.to_right),
    "left": Command("left [CARD]", "a card for the left tableau", banque.to_left),
    "draw": Command("draw [PATRON]", "the hand in turn asks for a card", bank.draws),
    "stand": Command("stand [PATRON]", "the hand in turn stands", bank.stands),
    "reject": Command("reject", "the hand rejects the ten or face card just drawn", bank.rejects),
    "turn": Command("turn HAND NTH", "a face-down card is turned over", coup.turn),
    "call": Command(
        "call 5 7 | call OUTCOME [8 6] | call 5 7 6",
        "totals or the result are announced",
        coup.call,
    ),
    "take": Command("take BET [AMOUNT]", "a losing bet is collected", coup.take),
    "pay": Command("pay BET AMOUNT", "a winning bet is paid", coup.pay),
    "push": Command("push BET", "a bet is pushed (neither collected nor paid)", coup.push),
    "mark": Command("mark BET AMOUNT", "commission is marked", coup.mark),
    "collect": Command(
        "collect BET AMOUNT | collect PATRON", "commission is collected", coup.collect
    ),
    "announce": Command("announce AMOUNT", "the levy is announced and set aside", bank.announced),
    "tickets": Command("tickets SERIAL…", "the tickets of the levy are detached", bank.tickets),
    "levy": Command("levy AMOUNT [TICKET]", "the house takes its levy", bank.levy),
    "torn": Command("torn", "the tickets of the levy are torn", bank.torn),
    "clear": Command("clear [covered|uncovered]", "the cards go to the discards", coup.clear),
    "giveover": Command("give over", "Player's last card is given to Banker", coup.to_the_other),
    "close": Command("close", "the coup is closed", coup.close),
    "void": Command("void [REASON…]", "the coup is void", coup.void),
    "irregularity": Command(
        "irregularity KIND [RULING [DETAIL…]]",
        "an irregularity and its ruling are recorded",
        coup.irregularity,
    ),
    "request": Command(
        "request PATRON KIND [granted|refused] [DETAIL…]", "a patron makes a request", shoe.request
    ),
    "seat": Command("seat N PATRON", "a patron sits down", shoe.seat),
    "move": Command("move N PATRON", "a patron moves to another seat", banque.moves),
    "leave": Command("leave PATRON", "a patron leaves", shoe.leave),
    "crew": Command(
        "crew POST NAME|-", "a crew member takes a post; -: the post is empty", shoe.crew
    ),
    "limits": Command(
        "limits MIN-MAX [WAGER MIN-MAX]… [displayed]", "the limits change", shoe.limits
    ),
    "cutcard": Command("cut card", "the cut card appears", shoe.cut_card),
    "lastcoup": Command("last coup", "the last coup is announced", shoe.last_coup),
    "end": Command(
        "end [LEFT] [REASON]",
        "the shoe ends, with LEFT cards remaining; without the cut card, give the reason",
        shoe.end,
    ),
}
"""Commands that record an event, in the order of a shoe."""

# commands of several words, and short forms
_SAID: Final = (
    ("no more bets", "nomore"),
    ("rien ne va plus", "nomore"),
    ("nmb", "nomore"),
    ("cut card", "cutcard"),
    ("last coup", "lastcoup"),
    ("give over", "giveover"),
    ("note", "irregularity"),
)


def events_of(speech: Speech, line: str) -> list[ev.ShoeEvent]:
    """Return the events of a command line.

    Raises:
        BadInput: the line is not understood; the message gives the usage.
        Refused: a card is requested from an empty random shoe.
    """
    word, said = _first(line)
    known = WORDS.get(word)
    if known is not None:
        return known.make(speech, said)
    if speech.ahead is None and not said and is_card(word):
        return coup.card(speech, [word])
    raise BadInput(f"{word!r} is not a command; `help` lists them")


_OF_A_BANK: Final = (BankPosted, BankRaised, BankWithdrawn)


def correction(speech: Speech, words: Words) -> list[ev.ShoeEvent]:
    """Return the correction ``VERSION to COMMAND… because REASON``, or ``… to nothing because …``.

    Raises:
        BadInput: the text is not understood, or there is no such event.
    """
    line = " ".join(words)
    head, to, tail = line.partition(" to ")
    what, because, reason = tail.rpartition(" because ")
    if not to or not because:
        misused(CORRECT_USAGE)
    version = number(head.strip().lstrip("#"), "an event's number")
    event = next((event for event in speech.shoe.history if event.version == version), None)
    if event is None:
        raise BadInput(f"there is no event {version}; `events` lists the last ones")
    if what.strip() == "nothing":
        return [ev.EventCorrected(version, reason, speech.house)]
    made = events_of(speech, what.strip())
    if len(made) != 1:
        raise BadInput("an event is corrected to one event, or to nothing")
    instead = _in_place_of(event.payload, made[0], said=len(what.split()))
    return [ev.EventCorrected(version, reason, speech.house, instead)]


CORRECT_USAGE: Final = (
    "correct N to COMMAND… because REASON, or correct N to nothing because REASON"
)


def _in_place_of(before: ev.Event, after: ev.ShoeEvent, said: int) -> ev.ShoeEvent:
    """Return an event that replaces a corrected one.

    It keeps the coup, the bet number and the place in the shoe. For events of a bank, it also keeps
    the banker, unless ``said``, the number of words, shows that one was named.
    """
    if type(before) is not type(after):
        return after
    banks = isinstance(before, _OF_A_BANK) and said < 3  # noqa: PLR2004 - post AMOUNT PATRON
    kept = {
        field: getattr(before, field)
        for field in ("coup", "bet", "place", *(("by",) if banks else ()))
        if field in after.__struct_fields__
    }
    return replace(after, **kept)


def _first(line: str) -> tuple[str, list[str]]:
    """Split off the first word, converted to the command's name."""
    low = line.lower()
    for said, word in _SAID:
        if low == said or low.startswith(said + " "):
            return word, line[len(said) :].split()
    words = line.split()
    first = words[0]
    return (first.lower() if first.lower() in WORDS else first), words[1:]


def is_card(text: str) -> bool:
    """Return whether the text is a card."""
    try:
        parse_card(text)
    except BadCard:
        return False
    return True
