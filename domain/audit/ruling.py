"""Rules of irregularities: what went wrong is noted, ruled on as the pack says, and carried out."""

from collections.abc import Iterator

from domain.audit import choosing, drawing
from domain.audit.lacking import COUPS_ALONE
from domain.audit.rule import (
    CLEAN,
    Answer,
    Breach,
    CoupView,
    Rule,
    is_undealt,
    next_coup,
)
from domain.audit.undoing import put_back
from domain.coup import Coup
from domain.event import Event
from domain.facts import CardBurned, CardDrawn, CoupVoided, IrregularityNoted
from domain.games import game_of
from domain.shoe import Shoe


def _noted(events: list[Event]) -> Iterator[tuple[Event, IrregularityNoted]]:
    for event in events:
        if isinstance(event.fact, IrregularityNoted):
            yield event, event.fact


def _wrong_draw(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if view.shoe.pack is None or "wrong-draw" not in view.shoe.pack.rulings:
        return "the pack does not say how a wrong draw is ruled on"
    if view.open:
        return "the coup is still in play"
    game = game_of(view.shoe.pack).name
    for rule in (*drawing.RULES, *choosing.RULES[:2]):
        if not rule.is_of(game):
            continue
        assert rule.on_coup is not None
        answer = rule.on_coup(view)
        if isinstance(answer, tuple) and answer and isinstance(answer[0], Breach):
            shown = answer[0].events
            break
    else:
        return "nobody drew or stood against the tableau"
    if any(fact.kind in ("wrong-draw", "misdeal") for _, fact in _noted(view.coup.irregularities)):
        return CLEAN
    return (
        Breach(
            "a wrong draw or stand was passed over",
            "a wrong draw is noted, and somebody rules on it",
            "no irregularity was noted",
            shown,
            done=view.coup.result_called or view.coup.closed,
        ),
    )


def _ruling(shoe: Shoe) -> Answer:
    if not shoe.irregularities:
        return "no irregularity was noted"
    if shoe.pack is None or not shoe.pack.rulings:
        return "the pack does not say how irregularities are ruled on"
    allowed = shoe.pack.rulings
    judged = [(event, fact) for event, fact in _noted(shoe.irregularities) if fact.kind in allowed]
    if not judged:
        return "the pack does not say how such irregularities are ruled on"
    return tuple(
        Breach(
            f"{fact.kind} was ruled {fact.ruling}" + (f" by {fact.by}" if fact.by else ""),
            " or ".join(allowed[fact.kind]),
            fact.ruling,
            (event,),
            fact.coup,
        )
        for event, fact in judged
        if fact.ruling not in allowed[fact.kind]
    )


def _carried_out(view: CoupView) -> Answer:
    coup = view.coup
    before = _noted_before(view) if view.shoe.irregularities else []
    if not coup.irregularities and not before:
        return "no irregularity was noted"
    if coup.closed is None and coup.voided is None:
        return "the coup is still in play"
    breaches: list[tuple[Event, str, str]] = []
    for event, fact in _noted(coup.irregularities):
        if fact.ruling == "return-bets" and (coup.given_back or _late_bets_back(coup, event, fact)):
            continue
        if fact.ruling in ("void", "return-bets") and coup.voided is None:
            breaches.append((event, fact.ruling, "the coup was not voided"))
        if fact.ruling == "burn-card" and not _burned_in(view):
            breaches.append((event, fact.ruling, "no card was burned in the coup"))
    for event, fact in _noted(before):
        if fact.ruling == "burn-card" and not _burned_in(view, _last_card_before(view)):
            breaches.append((event, fact.ruling, "no card was burned before the coup was over"))
    return tuple(
        Breach(f"{shown}, though the ruling was {ruling}", ruling, shown, (event,))
        for event, ruling, shown in breaches
    )


def _noted_before(view: CoupView) -> list[Event]:
    """Return what was noted of no coup between the last one that was dealt and this one."""
    coups = view.shoe.coups.values()
    if not view.coup.cards:
        return []
    begins = view.coup.events[0].version
    since = max(
        (each.cards[0].version for each in coups if each.cards and each.cards[0].version < begins),
        default=0,
    )
    of_coups = {event.version for each in coups for event in each.irregularities}
    return [
        event
        for event in view.shoe.irregularities
        if since < event.version < begins and event.version not in of_coups
    ]


def _late_bets_back(coup: Coup, event: Event, fact: IrregularityNoted) -> bool:
    """Tell whether the late bets went back that were ruled on: the others stay on the felt."""
    closed = coup.bets_closed
    if fact.kind != "late-bet" or closed is None:
        return False
    back = [
        bet.withdrawn or (bet.pushed and not bet.net)
        for bet in coup.bets.values()
        if bet.placed.version > closed
    ]
    in_time = [bet for bet in coup.bets.values() if bet.placed.version < closed]
    changed = (put_back(bet, closed, event.version) for bet in in_time)
    back += [whole for whole in changed if whole is not None]
    if not back:
        return any(bet.withdrawn for bet in coup.bets.values())
    return all(back)


def _last_card_before(view: CoupView) -> int:
    """Return the version of the last card drawn before the coup: what is burned behind it counts.

    A card that lay exposed may be burned before anybody notes it.
    """
    begins = view.coup.events[0].version
    cards = (card.version for coup in view.shoe.coups.values() for card in coup.cards)
    return max((version for version in cards if version < begins), default=0)


def _burned_in(view: CoupView, since: int | None = None) -> bool:
    """Tell whether a card of the coup was burned for what went wrong, or one before the next coup.

    ``since`` is the version of a card before it; None: from where the coup began.
    """
    coup, begun = view.coup, view.coup.events[0].version
    later = [
        other.events[0].version
        for other in view.shoe.coups.values()
        if other.events and other.events[0].version > begun
    ]
    until = min(later, default=None)
    since = begun if since is None else since
    for event in view.shoe.burned:
        fact = event.fact
        if not isinstance(fact, CardBurned) or fact.reason not in ("ruling", "fault"):
            continue
        if fact.coup == coup.number:
            return True
        if fact.coup is None and event.version > since and (not until or event.version < until):
            return True
    return False


def _burned_unruled(view: CoupView) -> Answer:
    coup = view.coup
    if not coup.taken_off:
        return "no card was taken off its hand"
    if coup.irregularities:
        return CLEAN
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if view.open:
        return "the coup is still in play"
    return tuple(
        Breach(
            "a card was taken off its hand and burned, and no irregularity was noted",
            "cards on the felt stay there until somebody rules otherwise",
            "none was noted",
            (drawn, burned),
            done=burned,
            key=("taken-off", nth),
        )
        for nth, (drawn, burned) in enumerate(coup.taken_off, 1)
    )


def _void_without_reason(view: CoupView) -> Answer:
    coup = view.coup
    if coup.voided is None:
        return "the coup was not voided"
    if coup.irregularities:
        return CLEAN
    if is_undealt(coup):
        return "nothing was dealt, and no bet lay"
    fact = coup.voided.fact
    if not coup.cards and not coup.taken_off and isinstance(fact, CoupVoided) and fact.by:
        return CLEAN
    return (
        Breach(
            "the coup was voided, and no irregularity was noted",
            "a coup is voided on an irregularity that is noted",
            "none was noted",
            (coup.voided,),
        ),
    )


def _face_up(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    shown = [
        event
        for event in view.coup.cards
        if isinstance(event.fact, CardDrawn) and event.fact.face_up
    ]
    if not shown:
        return "no card lay face up in the shoe"
    if view.open:
        return "the coup is still in play"
    if any(fact.kind == "card-face-up" for _, fact in _noted(view.coup.irregularities)):
        return CLEAN
    return (
        Breach(
            "a card that lay face up in the shoe was passed over",
            "a card face up in the shoe is noted and ruled on",
            "no irregularity was noted",
            tuple(shown),
        ),
    )


def _ran_out(view: CoupView) -> Answer:
    shoe, coup = view.shoe, view.coup
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.ended is None:
        return "the shoe has not ended"
    waiting = [bet.placed for bet in coup.bets.values() if not bet.moves and not bet.withdrawn]
    if not coup.cards and not waiting:
        return "no card was drawn, and no bet lay"
    if coup.over:
        return CLEAN
    if next_coup(shoe, coup) is not None:
        return "the shoe went on to another coup"
    return (
        Breach(
            f"the shoe ended in the middle of coup {coup.number}",
            "a coup that cannot be finished is voided and its bets go back",
            "neither closed nor voided" + (", its bets on the felt" if waiting else ""),
            (*coup.cards[-1:], *waiting, shoe.ended),
            done=shoe.ended,
        ),
    )


RULES = (
    Rule(
        "wrong-draw-was-passed-over",
        "procedure",
        "high",
        "A wrong draw or stand is seen, noted and ruled on before the coup is settled.",
        ("field-facts.md 3 A9",),
        on_coup=_wrong_draw,
    ),
    Rule(
        "ruling-is-not-one-of-the-packs",
        "procedure",
        "medium",
        "Houses rule differently on the same irregularity; each by its own rules.",
        ("field-facts.md 3 A9, A10, A11, A25",),
        on_shoe=_ruling,
    ),
    Rule(
        "ruling-was-not-carried-out",
        "procedure",
        "medium",
        "A ruling to void voids, and a ruling to burn burns.",
        ("field-facts.md 3 A9, A25",),
        on_coup=_carried_out,
    ),
    Rule(
        "dealt-card-was-burned-without-a-ruling",
        "procedure",
        "high",
        "A card that is taken off its hand changes the coup: that is ruled on, and never quiet.",
        ("field-facts.md 3 A7, A9", "arrêté of 14 May 2007, art. 55-14"),
        on_coup=_burned_unruled,
    ),
    Rule(
        "coup-was-voided-without-a-reason",
        "procedure",
        "high",
        "A coup that is voided once its result is in sight takes a win away, or a loss.",
        ("field-facts.md 3 A9",),
        on_coup=_void_without_reason,
    ),
    Rule(
        "face-up-card-was-passed-over",
        "procedure",
        "medium",
        "A card that lies face up in the shoe is known before it is dealt.",
        ("field-facts.md 3 A10", "DICJ Despacho 55/2004, art. 4"),
        on_coup=_face_up,
    ),
    Rule(
        "shoe-ended-in-the-middle-of-a-coup",
        "procedure",
        "medium",
        "A coup that cannot be finished is void: nobody's stake stays on the felt.",
        ("field-facts.md 3 A11",),
        on_coup=_ran_out,
    ),
)
