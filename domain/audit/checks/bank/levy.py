"""Rules of the house's levy: how much it is, and that each step of it is done in its time."""

from typing import TYPE_CHECKING, Final

from sabot.domain.audit.completeness import COUPS_ALONE, NO_BANK, NO_BETS, lacks_bets
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, CoupView, Rule
from sabot.domain.audit.wording import money
from sabot.domain.events.bank import LevyAnnounced
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import bank_won, banked, levied, levy_due, standing
from sabot.domain.rules.pack_sections import LevyRule
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAMES: Final[tuple[GameName, ...]] = ("chemin-de-fer", "baccarat-banque")
_CITES: Final = ("field-facts.md 3 A18", "arrêté of 14 May 2007, arts 59 and 60")
_NO_STEPS: Final = "the pack does not ask for each step of a levy"
_NO_LEVY: Final = "no levy was taken"


def _rule(shoe: Shoe) -> LevyRule | None:
    return shoe.pack.levy if shoe.pack is not None else None


def _wrong(view: CoupView) -> Answer:
    part = banked(view.coup)
    rule = _rule(view.shoe)
    if rule is None:
        return "the pack levies nothing"
    if part.banker is None:
        return NO_BANK
    if lacks_bets(view.coup):
        return NO_BETS
    if view.coup.voided is None and view.coup.closed is None:
        return "the coup has not been closed"
    won = won_on_the_cards(view) if view.coup.voided is None else 0
    taken, due = levied(view.coup), rule.on(won)
    if taken == due:
        return NO_BREACH
    follows = ""
    if view.coup.voided is None and taken == levy_due(view.shoe, view.coup):
        follows = "; it is the levy on what was settled, which is not what the cards say"
    return (
        Breach(
            f"a levy of {money(view.shoe, taken)} was taken",
            f"{money(view.shoe, due)}: {rule.rate} of the {money(view.shoe, max(0, won))} "
            f"that the bank won{follows}",
            money(view.shoe, taken),
            tuple(part.levies) or tuple(e for e in (view.coup.closed or view.coup.voided,) if e),
            money=((part.banker, due - taken),),
            patron=part.banker,
        ),
    )


def won_on_the_cards(view: CoupView) -> int:
    """Return what the bank won by the cards, in minor units; a wrong payment makes it no other.

    Where pack or record do not say what was due to a bet, it is what the bet was settled for.
    """
    if not view.dealt:
        return bank_won(view.coup)
    due = {bet.number: due for bet, due in game_of(view.shoe.pack).due_bets(view.shoe, view.coup)}
    sure = {bet.number for bet, owed in view.dues if owed is not None}
    won = 0
    for bet in standing(view.coup):
        owed = due.get(bet.number)
        if owed is None or (bet.moves and bet.number not in sure):
            won += bet.taken - bet.paid
        else:
            won += owed.taken - owed.paid
    return won


def _ticket(view: CoupView) -> Answer:
    rule = _rule(view.shoe)
    if rule is None or not rule.tickets:
        return "the pack asks for no tickets"
    part = banked(view.coup)
    if not part.levies:
        return _NO_LEVY
    worth = sum(e.payload.amount for e in part.tickets)
    if part.tickets:
        taken = levied(view.coup)
        shown = f"tickets for {money(view.shoe, worth)}"
        due = f"tickets for the {money(view.shoe, taken)} that were levied"
        events: tuple[RecordedEvent, ...] = (*part.tickets, *part.levies)
        return (
            NO_BREACH if worth == taken else (Breach(f"{shown} were detached", due, shown, events),)
        )
    return tuple(
        Breach(
            "a levy was taken without a ticket",
            "a ticket is drawn for each levy, and its serial kept",
            "no ticket",
            (event,),
        )
        for event in part.levies
        if event.payload.ticket is None
    )


def _out_of_order(view: CoupView) -> Answer:
    rule = _rule(view.shoe)
    if rule is None or not rule.steps:
        return _NO_STEPS
    part = banked(view.coup)
    if not part.levies:
        return _NO_LEVY
    boxed = part.levies[0]
    steps: dict[str, Sequence[RecordedEvent]] = {
        "announced": part.announced,
        "ticketed": part.tickets,
    }
    if not rule.tickets or not part.tickets:
        # that there are none is said by itself
        del steps["ticketed"]
    shown = (*(event for events in steps.values() for event in events), boxed)
    due = "announced and set apart, then its tickets detached, then put into the box"
    for name, events in steps.items():
        if not events or events[0].position > boxed.position:
            said = f"the levy went into the box before it was {name}"
            return (Breach(said, due, said, shown, done=boxed),)
    if part.tickets and part.tickets[0].position < part.announced[0].position:
        said = "tickets were detached before the levy was announced"
        return (Breach(said, due, said, shown, done=part.tickets[0]),)
    return _misannounced(view, part.announced, levied(view.coup))


def _misannounced(
    view: CoupView, announced: list[RecordedEvent[LevyAnnounced]], taken: int
) -> Answer:
    last = announced[-1]
    said = last.payload.amount
    if said == taken:
        return NO_BREACH
    what = f"a levy of {money(view.shoe, said)} was announced"
    due = f"the {money(view.shoe, taken)} that went into the box"
    return (Breach(what, due, money(view.shoe, said), (last, *banked(view.coup).levies)),)


def _version(event: RecordedEvent) -> int:
    return event.position


def _not_torn(shoe: Shoe) -> Answer:
    rule = _rule(shoe)
    if rule is None or not rule.steps or not rule.tickets:
        return _NO_STEPS
    if shoe.scope == "coups":
        return COUPS_ALONE
    laid = [coup for coup in shoe.coups.values() if banked(coup).tickets]
    if not laid:
        return "no tickets were detached"
    found = []
    for coup in laid:
        until = _next_begins(shoe, coup)
        torn = banked(coup).torn
        if until is None or (torn and torn[0].position < until.position):
            continue
        said = f"the tickets of coup {coup.number} lay there when the next began"
        due = "tickets are torn before the next coup"
        shown = "torn afterwards" if torn else "not torn"
        events: tuple[RecordedEvent, ...] = (*banked(coup).tickets, *torn, until)
        found.append(Breach(said, due, shown, events, coup.number, done=until))
    return tuple(found)


def _next_begins(shoe: Shoe, coup: Coup) -> RecordedEvent | None:
    """Return what began the coup after this one, or ended the shoe; None where neither was."""
    after = shoe.coups.get(coup.number + 1)
    begins: list[RecordedEvent] = []
    if after is not None:
        begins += [after.opened] if after.opened is not None else []
        begins += after.cards[:1]
    return min(begins, key=_version) if begins else shoe.ended


RULES: Final = (
    Rule(
        "Y501",
        "wrong-levy",
        "payout",
        "medium",
        "The house levies its share of what a bank wins in a coup by the cards, and nothing of "
        "what it loses.",
        _CITES,
        on_coup=_wrong,
        games=_GAMES,
    ),
    Rule(
        "Y502",
        "levy-without-ticket",
        "procedure",
        "low",
        "Tickets are detached for what is levied: their stubs say what the box must hold.",
        _CITES,
        on_coup=_ticket,
        games=_GAMES,
    ),
    Rule(
        "Y503",
        "levy-out-of-order",
        "procedure",
        "low",
        "A levy is announced, its tickets are detached, and then it goes into the box: all see it.",
        _CITES,
        on_coup=_out_of_order,
        games=_GAMES,
    ),
    Rule(
        "Y504",
        "untorn-tickets",
        "procedure",
        "low",
        "A ticket that is not torn could be laid down for another levy.",
        _CITES,
        on_shoe=_not_torn,
        games=_GAMES,
    ),
)
