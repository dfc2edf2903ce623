"""Rules of macao and victoria as text, according to the shoe's pack.

In these games patrons have hands of their own.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from sabot.cli.text.event_text import minor_units_of
from sabot.cli.text.words import money
from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.macao import least_bank, rules_of
from sabot.domain.state.shoe import Shoe


def _drawn(shoe: Shoe, payload: ev.CardDrawn) -> Iterator[str]:
    rules, coup = rules_of(shoe.pack), shoe.coups.get(payload.coup)
    if rules is None:
        return
    has = (
        len(coup.hand(payload.hand, payload.seat))
        if coup is not None and _lies(shoe, payload)
        else 0
    )
    if has < rules.dealt:
        each = "one card" if rules.dealt == 1 else f"{rules.dealt} cards"
        yield f"{each} to each hand, clockwise from the banker's left, the banker last"
    else:
        yield "another card comes once the hand has asked for it, or rejected one, face up"


def _lies(shoe: Shoe, payload: ev.CardDrawn) -> bool:
    """Return whether a hand already has cards.

    The function does not look the hand up in the coup, because that would create an empty one.
    """
    coup = shoe.coups[payload.coup]
    return payload.hand == "banker" or (payload.hand, payload.seat) in coup.others


def _chosen(shoe: Shoe, _event: bank_ev.ChoiceMade) -> Iterator[str]:
    rules = rules_of(shoe.pack)
    if rules is None:
        return
    yield "each decides for his own hand in his turn, the banker last; nothing is mandatory"
    over = "is bust" if rules.over_nine == "bust" else "counts without its ten"
    most = "" if rules.most_cards is None else f", and it has {rules.most_cards} cards at most"
    yield f"a hand over nine {over}{most}"


def _rejected(shoe: Shoe, _event: bank_ev.CardRejected) -> Iterator[str]:
    rules = rules_of(shoe.pack)
    if rules is not None:
        yield (
            "a ten or face that was just drawn may be rejected for another card"
            if rules.reject
            else "no card may be rejected"
        )


def _called(shoe: Shoe, _event: bank_ev.HandsCalled) -> Iterator[str]:
    rules = rules_of(shoe.pack)
    if rules is None:
        return
    yield "every hand is compared with the banker's: the higher total wins"
    if rules.fewer_cards_win:
        yield "of equal totals the one with fewer cards wins"


def _posted(shoe: Shoe, _event: bank_ev.BankPosted) -> Iterator[str]:
    if shoe.pack is not None:
        yield f"a bank is {money(least_bank(shoe), minor_units_of(shoe.pack_text))} at least"


def _kept(_shoe: Shoe, _event: object) -> Iterator[str]:
    yield "the banker keeps the bank until the pack is dealt out, or it is broken"
    yield "then it goes to the left"


HAND_RULES: Final[dict[type, Callable[[Shoe, Any], Iterator[str]]]] = {
    ev.CardDrawn: _drawn,
    bank_ev.ChoiceMade: _chosen,
    bank_ev.CardRejected: _rejected,
    bank_ev.HandsCalled: _called,
    bank_ev.BankPosted: _posted,
    bank_ev.BankWithdrawn: _kept,
    ev.ShoePassed: _kept,
    ev.ShoeOffered: _kept,
}
"""The rule text for each kind of event where each patron plays a hand."""
