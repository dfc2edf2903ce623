"""Rules of a bank from one banker to the next: whom it was offered, what was put up and taken out.

Here too stands the rule that money is conserved: a shoe's events over, and not only a coup's.
"""

from collections.abc import Iterator

from sabot.domain.audit.ceased_bets import Ceased, ceased_in_order
from sabot.domain.audit.checks.bank.funds import BANKED
from sabot.domain.audit.checks.bank.tableaux_hands import BANQUE
from sabot.domain.audit.completeness import (
    BETS_LACK,
    COUPS_ALONE,
    COUPS_LACK,
    NO_BANK,
    NO_SEATS,
    bank_lacks_bets,
    coups_lack,
    lacks_bets,
    seats_lack,
)
from sabot.domain.audit.rule import Answer, Breach, Rule
from sabot.domain.audit.settled_stakes import as_settled
from sabot.domain.events import BetPaid, BetTaken, ShoePassed
from sabot.domain.events.bank import BankWithdrawn
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of
from sabot.domain.procedure.chip_flow import imbalances
from sabot.domain.procedure.common import false_draw_in, last_coup
from sabot.domain.procedure.patron_bank import heir_of
from sabot.domain.procedure.two_tableaux.held_stakes import after, frozen
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.money import spelled

_GAMES: tuple[GameName, ...] = ("chemin-de-fer", BANQUE)
_CITES = ("field-facts.md 1.2, 3 A17", "seeds S0, S1 (Chemin de fer)", "arrêté of 14 May 2007")


def _money(shoe: Shoe, amount: int | None) -> str:
    if amount is None:
        return "any amount"
    return spelled(amount, shoe.pack.money.minor_units if shoe.pack is not None else 2)


def _out_of_turn(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if not shoe.offers:
        return "the bank was offered to nobody"
    if not shoe.banks:
        return NO_BANK
    if seats_lack(shoe) or coups_lack(shoe):
        return NO_SEATS if seats_lack(shoe) else COUPS_LACK
    breaches = []
    for event, now in shoe.offers:
        due, payload = heir_of(shoe, now), event.payload
        if due is None or _is_award(shoe, event):
            continue
        if (payload.to, payload.amount) != (due.patron, due.amount):
            said = f"the bank was offered to {payload.to} at {_money(shoe, payload.amount)}"
            asked = f"{due.patron}, at {_money(shoe, due.amount)}"
            breaches.append(Breach(said, asked, said, (event,), patron=payload.to))
    return tuple(breaches)


def _is_award(shoe: Shoe, event: RecordedEvent) -> bool:
    """Tell whether a first bank was offered that is bid for, listed, or drawn by lot."""
    if shoe.pack is None or shoe.pack.tableaux is None:
        return False
    return not shoe.banks or event.position < shoe.banks[0].posted.position


def _size(shoe: Shoe) -> Answer:
    rule = shoe.pack.bank if shoe.pack is not None else None
    if rule is None or not shoe.banks:
        return "the pack does not say how large a bank is" if rule is None else NO_BANK
    if not shoe.offers and len(shoe.banks) > 1:
        return "the record does not say to whom the banks were offered, at what amount"
    breaches = []
    for bank in shoe.banks:
        put = bank.posted.payload.amount
        if bank.matches is not None:
            required, right = f"{_money(shoe, bank.matches)}, to match it", put == bank.matches
        else:
            most = f" and {_money(shoe, rule.maximum)} at most" if rule.maximum else ""
            required = f"{_money(shoe, rule.minimum)} at least{most}"
            right = rule.minimum <= put and (rule.maximum is None or put <= rule.maximum)
        if not right:
            said = f"{bank.holder} put up a bank of {_money(shoe, put)}"
            breaches.append(
                Breach(said, required, _money(shoe, put), (bank.posted,), patron=bank.holder)
            )
    return tuple(breaches)


def _too_soon(shoe: Shoe) -> Answer:
    rule = shoe.pack.bank if shoe.pack is not None else None
    if rule is None or not shoe.banks:
        return "the pack does not say when a bank may be taken out" if rule is None else NO_BANK
    taken = [(bank, event) for bank in shoe.banks for event in events_of(BankWithdrawn, bank.moves)]
    if not taken:
        return "nothing was taken out of a bank"
    return tuple(
        Breach(
            f"{bank.holder} took chips out of his bank before he had dealt a coup",
            f"{_coups(rule.deals)} at least",
            _coups(_dealt(shoe, bank, event)),
            (bank.posted, event),
            patron=bank.holder,
            done=event,
        )
        for bank, event in taken
        if _dealt(shoe, bank, event) < rule.deals
        and _passed(shoe, event) != "left"
        and not _ruled(shoe, event)
        and not _forfeited(shoe, event)
        and not _at_the_end(shoe, event)
    ) + tuple(_while_frozen(shoe, taken))


def _forfeited(shoe: Shoe, event: RecordedEvent) -> bool:
    """Tell whether a false draw in the coup before had cost the banker the shoe by then."""
    if shoe.pack is None or not shoe.pack.table.false_draw_passes:
        return False
    coup = _coup_before(shoe, event)
    noted = false_draw_in(shoe, coup) if coup is not None else None
    return noted is not None and noted.position < event.position


def _ruled(shoe: Shoe, event: RecordedEvent) -> bool:
    """Tell whether a ruling took the bank away, and not one on another's false draw alone."""
    coup = _coup_before(shoe, event)
    if _passed(shoe, event) != "ruling" or shoe.pack is None or coup is None:
        return _passed(shoe, event) == "ruling"
    payloads = (each.payload for each in coup.irregularities)
    kinds = {payload.kind for payload in payloads}
    others = shoe.pack.table.false_draw_passes and kinds == {"wrong-draw"}
    return not others or _forfeited(shoe, event)


def _coup_before(shoe: Shoe, event: RecordedEvent) -> Coup | None:
    """Return the last coup of which a card was drawn before something happened."""
    dealt = [
        coup
        for coup in shoe.coups.values()
        if coup.cards and coup.cards[0].position < event.position
    ]
    return dealt[-1] if dealt else None


def _at_the_end(shoe: Shoe, event: RecordedEvent) -> bool:
    """Tell whether a bank was taken out since the shoe was over: nothing more is dealt for it."""
    last = last_coup(shoe)
    over = shoe.ended is not None or (last is not None and max(shoe.coups, default=0) >= last)
    later = any(coup.events[-1].position > event.position for coup in shoe.coups.values())
    return over and not later and _passed(shoe, event) is None


def _coups(number: int) -> str:
    return "1 coup" if number == 1 else f"{number} coups"


def _while_frozen(
    shoe: Shoe, taken: list[tuple[Bank, RecordedEvent[BankWithdrawn]]]
) -> Iterator[Breach]:
    """Yield the banks that were taken out, and another's put up, while stakes lay frozen."""
    for nth, bank in enumerate(shoe.banks[:-1], 1):
        for event in (event for of, event in taken if of is bank and event is bank.moves[-1]):
            before = [
                coup
                for coup in shoe.coups.values()
                if any(e is not None and e.position < event.position for e in _ends(coup))
            ]
            all_left = frozen(shoe, after(before[-1], nth)) if before else []
            left = [each for each in all_left if not each.free]
            if left and _passed(shoe, event) in (None, "chosen"):
                yield Breach(
                    f"{bank.holder} took his bank out while stakes were frozen",
                    "the bank stays until what a split left on the felt is settled",
                    f"{_money(shoe, sum(each.amount for each in left))} was frozen",
                    (event, *(each.bet.placed for each in left)),
                    patron=bank.holder,
                    key=("frozen", nth),
                )


def _ends(coup: Coup) -> tuple[RecordedEvent | None, ...]:
    return coup.closed, coup.voided


def _passed(shoe: Shoe, taken: RecordedEvent) -> str | None:
    """Return why the shoe was passed next after a bank was taken out; None where it was not."""
    later = (each for each in shoe.shoe_moves if each.position > taken.position)
    passed = first_of(ShoePassed, later)
    return passed.payload.reason if passed is not None else None


def _dealt(shoe: Shoe, bank: Bank, until: RecordedEvent) -> int:
    """Count the coups that were dealt on a bank before a moment, and stood."""
    return sum(
        1
        for coup in shoe.coups.values()
        # a coup that was void for want of stakes was dealt for as far as he could
        if (coup.cards if coup.voided is None else not coup.bets)
        and bank.posted.position < coup.events[0].position < until.position
    )


def _in_part(shoe: Shoe) -> Answer:
    rule = shoe.pack.bank if shoe.pack is not None else None
    if rule is None or rule.partial:
        return "the pack lets part of a bank be taken out"
    if not shoe.banks:
        return NO_BANK
    breaches = []
    for bank in shoe.banks:
        taken = events_of(BankWithdrawn, bank.moves)
        for event in taken:
            later = [move for move in bank.moves if move.position > event.position]
            if later:
                said = f"{bank.holder} took part of his bank out and went on"
                due = "a banker takes all of it, and gives the bank up"
                breaches.append(Breach(said, due, said, (event, later[0]), patron=bank.holder))
    return tuple(breaches)


def _conserved(shoe: Shoe) -> Answer:
    if not shoe.banks:
        return NO_BANK
    found = tuple(
        Breach(
            each.message,
            each.required,
            each.shown,
            (each.event,),
            each.coup,
            "whose money it was the record does not say" if each.bank is not None else None,
            each.patron,
        )
        for each in imbalances(shoe)
        if each.bank is None or not bank_lacks_bets(shoe, each.bank)
        if not (isinstance(each.event.payload, BankWithdrawn) and coups_lack(shoe))
        and not _is_told(shoe, each.event)
    )
    coups = [coup for coup in shoe.coups.values() if coup.cards]
    return BETS_LACK if not found and coups and all(map(lacks_bets, coups)) else found


def _is_told(shoe: Shoe, event: RecordedEvent) -> bool:
    """Tell whether the settlement of a stake that no longer lay there is told by itself.

    Nor is more taken than lay there where the stake was lowered after it was taken.
    """
    payload = event.payload
    if not isinstance(payload, BetTaken | BetPaid):
        return False
    coup = shoe.coups.get(payload.coup)
    if coup is None or payload.bet not in coup.bets:
        return False
    if isinstance(ceased_in_order(shoe, coup, coup.bets[payload.bet]), Ceased):
        return True
    bet = as_settled(shoe, coup).bets[payload.bet]
    return (
        isinstance(payload, BetTaken)
        and bet is not coup.bets[payload.bet]
        and bet.taken <= bet.amount
    )


RULES = (
    Rule(
        "K513",
        "bank-offered-out-of-turn",
        "procedure",
        "medium",
        "A bank goes to the first in order who matches it, and else to the next in order.",
        _CITES,
        on_shoe=_out_of_turn,
        games=_GAMES,
    ),
    Rule(
        "K514",
        "wrong-bank-amount",
        "procedure",
        "medium",
        "A bank has a least, and who takes one over puts up as much as he found.",
        _CITES,
        on_shoe=_size,
        games=_GAMES,
    ),
    Rule(
        "K515",
        "premature-bank-withdrawal",
        "procedure",
        "low",
        "Who takes the bank plays for it before he may take it back.",
        _CITES,
        on_shoe=_too_soon,
        games=_GAMES,
    ),
    Rule(
        "K516",
        "partial-bank-withdrawal",
        "procedure",
        "low",
        "What a bank wins stays in it while its banker goes on.",
        _CITES,
        on_shoe=_in_part,
        games=_GAMES,
    ),
    Rule(
        "K517",
        "chip-balance-mismatch",
        "payout",
        "high",
        "What one purse loses another gains: no bank pays what it has not, none is forgotten.",
        ("field-facts.md 1.2, 3 A18", "design.md: money is exact"),
        on_shoe=_conserved,
        games=BANKED,
    ),
)
