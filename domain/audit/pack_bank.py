"""Rules of a bank that lasts for the pack: how large it is, how long it is kept, whose is next."""

from collections.abc import Iterator
from typing import Final

from domain.audit.lacking import COUPS_ALONE, NO_SEATS, seats_lack
from domain.audit.rule import Answer, Breach, Rule
from domain.audit.wording import money
from domain.corrections import effective
from domain.event import Event
from domain.facts import ShoeOffered, ShoePassed
from domain.facts.bank import BankPosted
from domain.games.macao import is_exhausted, least_bank, least_stake
from domain.procedure import next_holder
from domain.rulepack import GameName
from domain.shoe import Shoe, apply

_GAMES: Final[tuple[GameName, ...]] = ("macao", "victoria")
_CITES = ("field-facts.md 1.2", "seeds S0, S1 (Macao)")


def _moments(shoe: Shoe, kind: type) -> Iterator[tuple[Shoe, Event]]:
    """Yield the facts of a kind, each with the shoe as it was just before it."""
    before = Shoe(shoe.stream)
    for event in effective(shoe.history) if shoe.order is None else shoe.order.events:
        if type(event.fact) is kind:
            yield before, event
        apply(before, event)


def _unjudged(shoe: Shoe) -> str | None:
    if shoe.scope == "coups":
        return COUPS_ALONE
    return "the rule pack cannot be read" if shoe.pack is None else None


def _too_soon(shoe: Shoe) -> Answer:
    reason = _unjudged(shoe)
    if reason:
        return reason
    found: list[Breach] = []
    looked = False
    for before, event in _moments(shoe, ShoePassed):
        fact = event.fact
        if not isinstance(fact, ShoePassed) or fact.reason in ("ruling", "left"):
            continue
        looked = True
        bank = before.bank
        # what he took up just before still tells whether the bank was broken
        held = bank.amount + bank.taken_out if bank is not None else 0
        if seats_lack(before):
            return NO_SEATS
        if is_exhausted(before) or held < least_stake(before):
            continue
        left = before.size - len(before.left)
        found.append(
            Breach(
                f"{fact.by} gave up a bank of {money(shoe, held)} with {left} cards left",
                "the banker keeps the bank until the pack is dealt out, or the bank is broken",
                f"{left} cards left",
                (event,),
                patron=fact.by,
            )
        )
    return tuple(found) if looked else "nobody gave the bank up of his own will"


def _not_left(shoe: Shoe) -> Answer:
    reason = _unjudged(shoe)
    if reason:
        return reason
    offers = list(_offers(shoe))
    if not offers:
        return "the bank was offered to nobody"
    if seats_lack(shoe):
        return NO_SEATS
    return tuple(
        Breach(
            f"the bank was offered to {fact.to}",
            f"{due}: the bank goes to the left",
            fact.to,
            (event,),
            patron=fact.to,
        )
        for due, event, fact in offers
        if due is not None and fact.to != due
    )


def _offers(shoe: Shoe) -> Iterator[tuple[str | None, Event, ShoeOffered]]:
    for before, event in _moments(shoe, ShoeOffered):
        if isinstance(event.fact, ShoeOffered):
            yield next_holder(before), event, event.fact


def _too_small(shoe: Shoe) -> Answer:
    reason = _unjudged(shoe)
    if reason:
        return reason
    posted = list(_moments(shoe, BankPosted))
    if not posted:
        return "no bank was put up"
    found = []
    for before, event in posted:
        fact = event.fact
        if isinstance(fact, BankPosted) and fact.amount < least_bank(before):
            said = f"{fact.by} put up a bank of {money(shoe, fact.amount)}"
            due = f"{money(shoe, least_bank(before))} at least"
            found.append(Breach(said, due, money(shoe, fact.amount), (event,), patron=fact.by))
    return tuple(found)


RULES = (
    Rule(
        "bank-was-given-up-before-the-pack-ended",
        "procedure",
        "medium",
        "A banker who could stop when he is ahead would play for others' money alone.",
        _CITES,
        on_shoe=_too_soon,
        games=_GAMES,
    ),
    Rule(
        "bank-did-not-go-to-the-left",
        "procedure",
        "low",
        "Once the pack is dealt out, the player to the banker's left has the bank.",
        _CITES,
        on_shoe=_not_left,
        games=_GAMES,
    ),
    Rule(
        "bank-was-put-up-too-small",
        "procedure",
        "low",
        "A bank is large enough to be played against.",
        _CITES,
        on_shoe=_too_small,
        games=_GAMES,
    ),
)
