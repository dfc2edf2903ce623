"""Checks at chemin de fer: bank, hands, choices and levy."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.common import false_draw, staying_bets
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.patron_bank import (
    banco_claimant,
    bank_events_of,
    bank_of,
    drawing_of,
    last_choice,
    must_pass,
    next_banker,
    player_of,
    position_in,
    total_staked,
)
from sabot.domain.procedure.preconditions import card_events, people_events, settlement_events
from sabot.domain.procedure.preconditions.bank_requirements import (
    has_dealt_enough,
    is_banker,
    is_his_bank,
    is_offered_to_heir,
    is_right_bank,
    is_ticketed,
)
from sabot.domain.procedure.preconditions.bank_stakes import STAKES
from sabot.domain.procedure.preconditions.card_events import coup_at
from sabot.domain.procedure.preconditions.choice_requirements import (
    decides_own_hand,
    is_given_to,
    may_request,
    may_stand,
    was_asked_for,
)
from sabot.domain.procedure.preconditions.due_rules import choosing
from sabot.domain.procedure.preconditions.violation import Violation
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.pack_sections import BankRule
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe


def _rule(shoe: Shoe) -> BankRule:
    assert shoe.pack is not None
    return shoe.pack.bank or BankRule()


# -- The bank ---------------------------------------------------------------------------------


def _post(shoe: Shoe, payload: bank_ev.BankPosted) -> Violation | None:
    if not is_his_bank(payload.by, (shoe.holder,)):
        said = f"{payload.by} does not hold the shoe; {next_action(shoe).text}"
        return Violation(said, "K505")
    if shoe.bank is not None:
        return Violation(
            f"{shoe.bank.holder}'s bank is on the table; raise it, or take it out first", "K517"
        )
    return check_bank_size(shoe, payload.amount, shoe.match)


def check_bank_size(shoe: Shoe, amount: int, match: int | None = None) -> Violation | None:
    """Refuse a bank that differs from the amount to match, or is outside the limits."""
    rule = _rule(shoe)
    if amount and is_right_bank(rule, match, amount):
        return None
    least, given = format_money(shoe, rule.minimum), format_money(shoe, amount)
    said = f"a bank is {least} at least, not {given}"
    if match is not None:
        said = f"the bank was taken over at {format_money(shoe, match)}; post that amount"
    elif rule.maximum is not None and amount > rule.maximum:
        said = f"a bank is {format_money(shoe, rule.maximum)} at most, not {given}"
    return Violation(said, "K514")


def check_banker(shoe: Shoe, by: str) -> Violation | None:
    """Refuse it if anyone but the banker adds chips to the bank or takes chips out."""
    if shoe.bank is not None and is_banker(shoe.bank, by):
        return None
    said = f"{by} has no bank on the table; {next_action(shoe).text}"
    return Violation(said, "K504" if shoe.bank is not None else "")


def _raise(shoe: Shoe, payload: bank_ev.BankRaised) -> Violation | None:
    bank = shoe.bank
    if bank is None or not is_banker(bank, payload.by):
        return check_banker(shoe, payload.by)
    if not payload.amount:
        return Violation("give the amount that is added to the bank")
    if bank.amount <= 0:
        return Violation(f"{payload.by} has taken the bank out and has to pass the shoe", "K516")
    coup = shoe.current
    if coup is None:
        if not _rule(shoe).raises:
            return Violation("the rule pack does not let a bank be raised between coups")
        return (
            None
            if payload.coup is None
            else Violation("no coup is open; leave its number out", "R401")
        )
    return _raise_in(shoe, coup, payload)


def _raise_in(shoe: Shoe, coup: Coup, payload: bank_ev.BankRaised) -> Violation | None:
    rule = shoe.pack.excess if shoe.pack is not None else None
    if payload.coup != coup.number:
        return Violation(f"coup {coup.number} is open; give its number")
    if coup.no_more_bets is not None:
        return Violation("bets are closed; the bank stands", "K506")
    if rule is None or rule.option != "raise-or-return":
        return Violation(
            "the rule pack does not let a bank be raised to cover the stakes; return the excess"
        )
    over = total_staked(coup) - (bank_of(coup) or 0)
    if banco_claimant(shoe, coup) is not None or over <= 0:
        return Violation("no stake exceeds the bank")
    if payload.amount != over:
        more = format_money(shoe, over)
        return Violation(
            f"the stakes exceed the bank by {more}; raise the bank by that, or return it"
        )
    return None


def _withdraw(shoe: Shoe, payload: bank_ev.BankWithdrawn) -> Violation | None:
    bank = shoe.bank
    if bank is None or not is_banker(bank, payload.by):
        return check_banker(shoe, payload.by)
    if shoe.current is not None:
        return Violation(f"coup {shoe.current.number} is open; settle it first", "K515")
    if not 0 < payload.amount <= bank.amount:
        said = f"{format_money(shoe, bank.amount)} is in the bank; take all or part of it"
        return Violation(said, "K517" if payload.amount else "")
    if next_action(shoe).payload == payload:
        return None
    return _withdraw_early(shoe, bank, payload.amount)


def _withdraw_early(shoe: Shoe, bank: Bank, amount: int) -> Violation | None:
    if staying_bets(shoe, _next(shoe)):
        return Violation("a tie holds the stakes; the bank stays until they are settled", "K515")
    rule = _rule(shoe)
    if not has_dealt_enough(rule, bank.coups):
        coups = f"{rule.deals} coup{'s' if rule.deals > 1 else ''}"
        return Violation(f"a banker deals {coups} before taking anything out", "K515")
    rest = bank.amount - amount
    if rest and (not rule.partial or rest < rule.minimum):
        said = f"the rule pack lets a banker take all {format_money(shoe, bank.amount)}, or nothing"
        return Violation(said, "K516")
    return None


def _accept(_shoe: Shoe, _event: bank_ev.BankUnlimited) -> Violation:
    said = "the banker raises the bank at this game, and cannot accept stakes beyond it"
    return Violation(said, "K512")


def _pass(shoe: Shoe, payload: ev.ShoePassed) -> Violation | None:
    if shoe.bank is not None and shoe.bank.amount > 0:
        left = format_money(shoe, shoe.bank.amount)
        return Violation(f"{left} is left in {shoe.bank.holder}'s bank; withdraw it first", "K517")
    return people_events.pass_on(shoe, payload) or _why_passed(shoe, payload)


def _why_passed(shoe: Shoe, payload: ev.ShoePassed) -> Violation | None:
    """Refuse a wrong reason for passing the bank.

    The reason decides whether the next banker must match the bank.
    """
    if payload.reason == "pack-ended":
        said = "this game does not keep a bank until all cards are dealt; give another reason"
        return Violation(said)
    if payload.reason == "lost" and not must_pass(shoe):
        return Violation(f"{payload.by}'s bank has not lost; type: passes chosen", "H507")
    return _why_chosen(shoe, payload) or people_events.none_dealt(shoe, payload)


def _why_chosen(shoe: Shoe, payload: ev.ShoePassed) -> Violation | None:
    """Refuse to pass the bank by choice where the banker has to pass it, or deals first."""
    if payload.reason != "chosen":
        return None
    if must_pass(shoe):
        return Violation(f"{payload.by}'s bank lost; type: passes")
    if false_draw(shoe) is not None:
        return Violation(f"{payload.by} made a false draw; type: passes ruling")
    if shoe.bank is not None or not _rule(shoe).deals:
        return None
    said = f"the new holder deals a coup before passing the shoe; {next_action(shoe).text}"
    return Violation(said, "H502")


def _offer(shoe: Shoe, payload: ev.ShoeOffered) -> Violation | None:
    reason = people_events.check_holder(shoe, payload)
    if reason is not None:
        return reason
    to = next_banker(shoe)
    if to is not None and is_offered_to_heir(to, payload):
        return None
    said = f"another patron is asked next; {next_action(shoe).text}"
    return Violation(said, "" if to is None else "K513")


def _take(shoe: Shoe, payload: ev.ShoeTaken) -> Violation | None:
    if not is_his_bank(payload.by, (shoe.offered,)):
        said = f"the bank was not offered to {payload.by}; {next_action(shoe).text}"
        return Violation(said, "K505")
    return people_events.check_holder(shoe, payload)


def _leave(shoe: Shoe, payload: ev.PatronLeft) -> Violation | None:
    if shoe.bank is not None and shoe.bank.holder == payload.patron:
        return Violation(f"{payload.patron} has the bank; withdraw it and pass the shoe first")
    if payload.patron in [bet.patron for bet in staying_bets(shoe, _next(shoe))]:
        return Violation(f"a tie holds {payload.patron}'s stake; it is settled first")
    return people_events.check_leaving(shoe, payload)


def _next(shoe: Shoe) -> Coup:
    """Return the coup in play, or the next coup if none is in play."""
    return shoe.current or Coup(max(shoe.coups, default=0) + 1)


def _end(shoe: Shoe, payload: ev.ShoeEnded) -> Violation | None:
    if shoe.bank is not None and shoe.bank.amount > 0:
        left = format_money(shoe, shoe.bank.amount)
        return Violation(f"{left} is left in {shoe.bank.holder}'s bank; withdraw it first", "K517")
    return settlement_events.check_end(shoe, payload)


# -- The hands --------------------------------------------------------------------------------


def _choose(shoe: Shoe, payload: bank_ev.ChoiceMade) -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    now = next_action(shoe)
    if now.expects != "choice":
        return Violation(f"nobody chooses now; {now.text}", choosing(shoe, payload, now))
    if payload.hand not in ("player", "banker") or payload.hand != now.hand:
        return Violation(f"another hand decides now; {now.text}", choosing(shoe, payload, now))
    rules, position = drawing_of(shoe), position_in(coup, payload.hand)
    allowed = rules.choices(position) if rules is not None else (payload.choice,)
    return check_choice(coup, payload, allowed)


def check_choice(
    coup: Coup, payload: bank_ev.ChoiceMade, allowed: Sequence[Choice]
) -> Violation | None:
    """Refuse a choice by the wrong person, or one that the cards do not allow."""
    player = player_of(coup, payload.hand)
    if not decides_own_hand(player, payload.by):
        said = f"{player} plays the hand of {hand_label(payload.hand)}, not {payload.by}"
        return Violation(said, "T109")
    said = f"{hand_label(payload.hand)} has no choice on these cards and {allowed[0]}s"
    if payload.choice == "draw":
        return None if may_request(allowed) else Violation(said, "T111")
    return None if may_stand(allowed) else Violation(said, "T107")


def give_hand(shoe: Shoe, payload: bank_ev.HandGiven) -> Violation | None:
    """Refuse to give a hand to the wrong patron or at the wrong time."""
    now = next_action(shoe)
    due = now.payload
    if not isinstance(due, bank_ev.HandGiven) or due.hand != payload.hand:
        return settlement_events.as_prompted(shoe, payload)
    if is_given_to(due.to, payload.to):
        return settlement_events.as_prompted(shoe, payload)
    return Violation(f"the hand is not {payload.to}'s; {now.text}", "T110")


def not_asked_for(coup: Coup, payload: ev.CardDrawn, said: str) -> Violation:
    """Refuse a card while the hand's decision is due.

    The refusal names the rule if the hand did not ask for a card.
    """
    last = last_choice(coup, payload.hand)
    asked = was_asked_for(last.choice if last is not None else None)
    return Violation(said, "" if asked else "T108")


def _levy(shoe: Shoe, payload: bank_ev.LevyTaken) -> Violation | None:
    now = next_action(shoe).payload
    unticketed = _unticketed(shoe, payload)
    if unticketed is not None:
        return unticketed
    if not isinstance(now, bank_ev.LevyTaken):
        return Violation(f"no levy is due now; {next_action(shoe).text}", "Y501")
    due = format_money(shoe, now.amount)
    if (now.coup, now.amount) == (payload.coup, payload.amount):
        return None
    return Violation(f"the levy due is {due}", "Y501")


def _unticketed(shoe: Shoe, payload: bank_ev.LevyTaken) -> Violation | None:
    """Refuse a levy without a ticket, or with tickets for another amount."""
    rule, coup = shoe.pack.levy if shoe.pack is not None else None, shoe.coups.get(payload.coup)
    tickets = bank_events_of(coup).tickets if coup is not None else []
    worth = sum(event.payload.amount for event in tickets) if tickets else None
    if rule is None or not rule.tickets or is_ticketed(worth, payload.amount, payload.ticket):
        return None
    levied = format_money(shoe, payload.amount)
    said = f"a ticket is needed for the levy; type: levy {levied} TICKET"
    if worth is not None:
        said = f"tickets for {format_money(shoe, worth)} were detached, but the levy is {levied}"
    elif rule.steps:
        said = f"tickets are detached first; {next_action(shoe).text}"
    return Violation(said, "Y502")


def _tickets(shoe: Shoe, payload: bank_ev.TicketsDetached) -> Violation | None:
    now = next_action(shoe)
    if not isinstance(now.payload, bank_ev.TicketsDetached):
        return Violation(f"no tickets are due now; {now.text}", "Y503")
    if (now.payload.coup, now.payload.amount) != (payload.coup, payload.amount):
        return Violation(f"the amount of the tickets is not that of the levy; {now.text}", "Y502")
    if payload.tickets:
        return None
    return Violation("the tickets lack their serials; type: tickets SERIAL…")


def _draw(shoe: Shoe, payload: ev.CardDrawn) -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if not isinstance(coup, str) and len(coup.player) > 1 and next_action(shoe).expects == "choice":
        return not_asked_for(coup, payload, f"{next_action(shoe).text} record the choice first")
    return card_events.check_draw(shoe, payload)


CHECKS: Final[Mapping[type, Callable[[Shoe, Any], Violation | None]]] = {
    bank_ev.BankPosted: _post,
    bank_ev.BankRaised: _raise,
    bank_ev.BankWithdrawn: _withdraw,
    **STAKES,
    bank_ev.BankUnlimited: _accept,
    bank_ev.BankCalled: settlement_events.as_prompted,
    bank_ev.ExcessReturned: settlement_events.as_prompted,
    bank_ev.HandGiven: give_hand,
    bank_ev.ChoiceMade: _choose,
    bank_ev.LevyAnnounced: settlement_events.as_prompted,
    bank_ev.TicketsDetached: _tickets,
    bank_ev.LevyTaken: _levy,
    bank_ev.TicketsTorn: settlement_events.as_prompted,
    ev.ShoePassed: _pass,
    ev.ShoeOffered: _offer,
    ev.ShoeTaken: _take,
    ev.ShoeEnded: _end,
    ev.PatronLeft: _leave,
    ev.CardDrawn: _draw,
}
"""Checks at chemin de fer that replace the general ones."""
