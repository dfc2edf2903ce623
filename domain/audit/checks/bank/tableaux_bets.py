"""Rules of stakes on two wings: who may lay them where, who goes bank, what is frozen."""

from collections import Counter
from itertools import pairwise
from typing import Final

from sabot.domain.audit.announced_bank import by_its_call
from sabot.domain.audit.checks.bank.tableaux_hands import BANQUE, CITES
from sabot.domain.audit.completeness import COUPS_ALONE, NO_SEATS, seats_lack, stakes_unjudged
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, CoupView, Rule
from sabot.domain.audit.wording import money
from sabot.domain.events import BetCarried, BetChanged, BetPaid
from sabot.domain.events.bank import BankUnlimited
from sabot.domain.events.envelope import events_of, first_of
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import banked, claims, standing
from sabot.domain.procedure.two_tableaux.banco_claims import (
    BancoClaimant,
    banco_claimants,
    lost_bancos,
)
from sabot.domain.procedure.two_tableaux.held_stakes import frozen, to_carry
from sabot.domain.procedure.two_tableaux.tableaux import cover_due, rule_of, wing_of
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.tableau_hands import PARTS, WINGS
from sabot.domain.state.coup_state import Bet, Coup

_GAMES: Final[tuple[GameName, ...]] = (BANQUE,)
_CHEVAL: Final = ("field-facts.md 1.1 #13", "seed S3 (à cheval)")


def beyond(view: CoupView) -> Answer:
    """Answer for the rule that a bank covers what is staked: one without a limit has to."""
    reason = stakes_unjudged(view.shoe, view.coup)
    if reason:
        return reason
    if not banked(view.coup).unlimited:
        return "what lies beyond the bank is paid in rotation, as far as it reaches"
    short = cover_due(view.coup)
    if not short:
        return NO_BREACH
    if view.open and _accepted_late(view.coup):
        return "the banker may still bring what he accepted, until the coup is over"
    banker = banked(view.coup).banker
    said = f"{banker} left {money(view.shoe, short)} of the stakes uncovered"
    due = "a bank without a limit holds all stakes that are offered"
    events = tuple(bet.placed for bet in standing(view.coup))
    return (Breach(said, due, said, events, patron=banker),)


def banco(view: CoupView) -> Answer:
    """Answer for the rule of who goes bank: he, or two from opposite sides, and nobody else."""
    reason = stakes_unjudged(view.shoe, view.coup)
    if reason or not claims(view.coup):
        return reason or "nobody went bank"
    if seats_lack(view.shoe, view.coup):
        return NO_SEATS
    lying = standing(view.coup)
    stakes = Counter((bet.patron, bet.wager, bet.amount) for bet in lying)
    takers = _takers(view, view.coup)
    for due in (takers, _takers(view, by_its_call(view.coup))):
        if stakes == Counter((taker.patron, taker.wager, taker.amount) for taker in due):
            return NO_BREACH
    required = " and ".join(
        f"{taker.patron} for {money(view.shoe, taker.amount)} on {taker.wager}" for taker in takers
    )
    shown = ", ".join(
        f"{bet.patron} {money(view.shoe, bet.amount)} on {bet.wager}" for bet in lying
    )
    said = "the bank was played for otherwise than by who goes bank"
    events = (*banked(view.coup).claims, *(bet.placed for bet in lying))
    order = "right and left in turn, a half each from opposite sides"
    return (Breach(said, f"{required}: {order}", shown or "no stake", events),)


def _takers(view: CoupView, coup: Coup) -> list[BancoClaimant]:
    return [taker for taker in banco_claimants(view.shoe, coup) if taker.amount]


def groundless(view: CoupView) -> Answer:
    """Answer for the rule of claims that nobody may make."""
    part = banked(view.coup)
    if not part.claims:
        return "nobody went bank"
    found = []
    held = frozen(view.shoe, view.coup)
    for event in part.claims:
        payload = event.payload
        mine = wing_of(view.coup, payload.patron)
        if payload.patron == part.banker:
            due = "the banker does not play against himself"
        elif part.unlimited and not accepted_now(view):
            due = "nobody can go bank for all of a bank that has no limit"
        elif held:
            due = "stakes are frozen: nobody goes bank before they are settled"
        elif rule_of(view.shoe).own_wing and mine and payload.on not in (None, mine, "both"):
            due = f"who sits on the {mine} goes bank there, or on both"
        else:
            continue
        found.append(Breach(f"{payload.patron} went bank", due, payload.patron, (event,)))
    return tuple(found)


def accepted_now(view: CoupView) -> bool:
    """Tell whether the bank lost its limit in this coup, and not before it."""
    return first_of(BankUnlimited, view.coup.events) is not None


def _accepted_late(coup: Coup) -> bool:
    """Tell whether a banker accepted all stakes of a coup once its bets were closed."""
    closed = [event for event in (coup.no_more_bets, *coup.cards[:1]) if event is not None]
    since = min((event.position for event in closed), default=None)
    return since is not None and any(
        isinstance(event.payload, BankUnlimited) and event.position > since for event in coup.events
    )


def _fourth(view: CoupView) -> Answer:
    rule = view.shoe.pack.banco if view.shoe.pack is not None else None
    if rule is None or rule.successive is None:
        return "the pack does not say how often in a row a patron may go bank"
    if not claims(view.coup):
        return "nobody went bank"
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    return tuple(
        Breach(
            f"{event.payload.patron} went bank again",
            f"no further after {rule.successive} that he lost in a row",
            f"{lost_bancos(view.shoe, view.coup, event.payload.patron)} lost in a row",
            (event,),
            patron=event.payload.patron,
        )
        for event in banked(view.coup).claims
        if lost_bancos(view.shoe, view.coup, event.payload.patron) >= rule.successive
    )


def _thawed(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    held = frozen(view.shoe, view.coup)
    if not held:
        return "the coup before left nothing on the felt"
    if view.coup.no_more_bets is None and not view.coup.cards:
        return "the bets are still open"
    if view.coup.voided is not None:
        return "the coup was voided"
    found = [
        Breach(
            f"{each.bet.patron}'s {money(view.shoe, each.amount)} on {each.wager} was gone",
            "a stake that tied or was split stays for the next coup",
            "it was not carried",
            (*each.bet.moves[-1:], *([view.coup.opened] if view.coup.opened else [])),
            patron=each.bet.patron,
        )
        for each in to_carry(view.shoe, view.coup)
        if not each.free
    ]
    locked = {(each.bet.patron, each.wager) for each in held if not each.free}
    for bet in view.coup.bets.values():
        if bet.carried and bet.changes and (bet.patron, bet.wager) in locked:
            less = bet.withdrawn or bet.amount < _first(bet)
            if less:
                said = f"{bet.patron} took a frozen stake back"
                due = "it stands until it is won or lost"
                found.append(Breach(said, due, said, (bet.changes[0], bet.placed)))
    return tuple(found)


def _first(bet: Bet) -> int:
    payload = bet.placed.payload
    return payload.amount if isinstance(payload, BetCarried | BetChanged) else 0


def _never_frozen(view: CoupView) -> Answer:
    carried = [bet for bet in view.coup.bets.values() if bet.carried]
    if not carried:
        return "no stake was carried"
    if view.shoe.scope == "coups" or view.shoe.coups.get(view.coup.number - 1) is None:
        return "the record does not hold the coup before"
    left = Counter((e.bet.patron, e.wager, e.amount) for e in frozen(view.shoe, view.coup))
    found = []
    for bet in carried:
        one = (bet.patron, bet.wager, _first(bet))
        if not left[one]:
            said = f"{bet.patron}'s {money(view.shoe, one[2])} on {bet.wager} was carried over"
            due = "what a tie, or a split of both wings, left on the felt"
            found.append(Breach(said, due, said, (bet.placed,), patron=bet.patron))
        left[one] -= 1
    return tuple(found)


def _odd(view: CoupView) -> Answer:
    if not view.coup.bets:
        return "the coup has no bets"
    unit, found = rule_of(view.shoe).stake_unit, []
    for bet in standing(view.coup):
        whole = unit * len(PARTS.get(bet.wager, ("one",)))
        if bet.amount % whole:
            said = f"{bet.patron} staked {money(view.shoe, bet.amount)} on {bet.wager}"
            due = f"a multiple of {money(view.shoe, whole)}"
            found.append(Breach(said, due, money(view.shoe, bet.amount), (bet.placed,)))
    return tuple(found)


def _other_wing(view: CoupView) -> Answer:
    if not rule_of(view.shoe).own_wing:
        return "whoever sits may stake on either wing"
    if not view.coup.bets:
        return "the coup has no bets"
    if seats_lack(view.shoe, view.coup):
        return NO_SEATS
    claimants = {taker.patron for taker in banco_claimants(view.shoe, view.coup)}
    return tuple(
        Breach(
            f"{bet.patron} staked on the {bet.wager}",
            f"he sits on the {wing_of(view.coup, bet.patron)}: he stakes there, or on both",
            bet.wager,
            (bet.placed,),
        )
        for bet in standing(view.coup)
        if not bet.carried
        and bet.wager in WINGS
        and bet.patron not in claimants
        and wing_of(view.coup, bet.patron) not in (None, bet.wager)
    )


def _out_of_rotation(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if not view.dealt or view.coup.voided is not None:
        return "the coup did not come to payments"
    if banked(view.coup).banker is None or seats_lack(view.shoe, view.coup):
        return NO_SEATS
    owed = game_of(view.shoe.pack).due_bets(view.shoe, view.coup)
    turn = {bet.number: n for n, (bet, _) in enumerate(owed)}
    paid = [
        (move, bet)
        for bet in view.coup.bets.values()
        for move in events_of(BetPaid, bet.moves[:1])
        if bet.number in turn
    ]
    if len(paid) < 2:  # noqa: PLR2004 - one, and another after him
        return "no two stakes were paid"
    paid.sort(key=lambda each: each[0].position)
    for (earlier, first), (later, second) in pairwise(paid):
        if turn[second.number] < turn[first.number]:
            said = f"{first.patron} was paid before {second.patron}"
            due = "right and left in turn from beside the banker, as far as the bank reaches"
            return (Breach(said, due, said, (earlier, later), patron=first.patron),)
    return NO_BREACH


RULES: Final = (
    Rule(
        "W509",
        "fourth-banco",
        "procedure",
        "low",
        "Who goes bank and loses may go bank again, and a third time, but no further.",
        CITES,
        on_coup=_fourth,
        games=_GAMES,
    ),
    Rule(
        "W510",
        "held-stake-taken-up",
        "procedure",
        "medium",
        "What lay on both wings and was neither won nor lost is played again.",
        _CHEVAL,
        on_coup=_thawed,
        games=_GAMES,
    ),
    Rule(
        "W511",
        "carried-stake-not-held",
        "procedure",
        "medium",
        "A stake stays on the felt because it tied or was split, and for no other reason.",
        _CHEVAL,
        on_coup=_never_frozen,
        games=_GAMES,
    ),
    Rule(
        "W512",
        "stake-not-whole-units",
        "procedure",
        "low",
        "A stake on both wings is two equal halves, and each is whole units.",
        ("field-facts.md 3 A20", "arrêté of 14 May 2007, art. 61", *_CHEVAL),
        on_coup=_odd,
        games=_GAMES,
    ),
    Rule(
        "W513",
        "stake-on-wrong-tableau",
        "procedure",
        "low",
        "The five on a side win or lose by the cards that are dealt to it.",
        CITES,
        on_coup=_other_wing,
        games=_GAMES,
    ),
    Rule(
        "W514",
        "payment-out-of-rotation",
        "procedure",
        "medium",
        "Where the bank does not reach, who is paid first has what another goes without.",
        CITES,
        on_coup=_out_of_rotation,
        games=_GAMES,
    ),
)
