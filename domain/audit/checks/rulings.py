"""Rules of rulings: they are those that the pack lets the house give, and are carried out."""

from sabot.domain.audit.late_change_reversals import put_back
from sabot.domain.audit.restored_cards import left_wrong
from sabot.domain.audit.rule import Answer, Breach, CoupView, Rule
from sabot.domain.events import IrregularityNoted
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe


def _ruling(shoe: Shoe) -> Answer:
    if not shoe.irregularities:
        return "no irregularity was noted"
    if shoe.pack is None or not shoe.pack.rulings:
        return "the pack does not say how irregularities are ruled on"
    allowed = shoe.pack.rulings
    judged = [
        (event, event.payload) for event in shoe.irregularities if event.payload.kind in allowed
    ]
    if not judged:
        return "the pack does not say how such irregularities are ruled on"
    return tuple(
        Breach(
            f"{payload.kind} was ruled {payload.ruling}"
            + (f" by {payload.by}" if payload.by else ""),
            " or ".join(allowed[payload.kind]),
            payload.ruling,
            (event,),
            payload.coup,
        )
        for event, payload in judged
        if payload.ruling not in allowed[payload.kind]
    )


def _carried_out(view: CoupView) -> Answer:
    coup = view.coup
    before = _noted_before(view) if view.shoe.irregularities else []
    if not coup.irregularities and not before:
        return "no irregularity was noted"
    if view.open:
        return "the coup is still in play"
    breaches: list[tuple[RecordedEvent, str, str]] = []
    for event in coup.irregularities:
        payload = event.payload
        if payload.ruling == "return-bets" and (
            coup.fully_refunded or _late_bets_back(coup, event, payload)
        ):
            continue
        if payload.ruling in ("void", "return-bets") and coup.voided is None:
            shown = (
                "the coup was not voided" if payload.ruling == "void" else "not all bets went back"
            )
            breaches.append((event, payload.ruling, shown))
        if payload.ruling == "burn-card" and not _burned_in(view):
            breaches.append((event, payload.ruling, "no card was burned in the coup"))
        if payload.ruling == "restore-card" and (wrong := left_wrong(view)) is not None:
            breaches.append((event, payload.ruling, wrong))
    for event in before:
        payload = event.payload
        if payload.ruling == "burn-card" and not _burned_in(view, _last_card_before(view)):
            breaches.append((event, payload.ruling, "no card was burned before the coup was over"))
    return tuple(
        Breach(f"{shown}, though the ruling was {ruling}", ruling, shown, (event,))
        for event, ruling, shown in breaches
    )


def _noted_before(view: CoupView) -> list[RecordedEvent[IrregularityNoted]]:
    """Return what was noted of no coup between the last one that was dealt and this one."""
    coups = view.shoe.coups.values()
    if not view.coup.cards:
        return []
    begins = view.coup.events[0].position
    since = max(
        (
            each.cards[0].position
            for each in coups
            if each.cards and each.cards[0].position < begins
        ),
        default=0,
    )
    of_coups = {event.position for each in coups for event in each.irregularities}
    return [
        event
        for event in view.shoe.irregularities
        if since < event.position < begins and event.position not in of_coups
    ]


def _late_bets_back(coup: Coup, event: RecordedEvent, payload: IrregularityNoted) -> bool:
    """Tell whether the late bets went back that were ruled on: the others stay on the felt."""
    closed = coup.bets_closed
    if payload.kind != "late-bet" or closed is None:
        return False
    back = [
        bet.withdrawn or (bet.pushed and not bet.net)
        for bet in coup.bets.values()
        if bet.placed.position > closed
    ]
    in_time = [bet for bet in coup.bets.values() if bet.placed.position < closed]
    changed = (put_back(bet, closed, event.position) for bet in in_time)
    back += [whole for whole in changed if whole is not None]
    if not back:
        return any(bet.withdrawn for bet in coup.bets.values())
    return all(back)


def _last_card_before(view: CoupView) -> int:
    """Return the version of the last card drawn before the coup: what is burned behind it counts.

    A card that lay exposed may be burned before anybody notes it.
    """
    begins = view.coup.events[0].position
    cards = (card.position for coup in view.shoe.coups.values() for card in coup.cards)
    return max((version for version in cards if version < begins), default=0)


def _burned_in(view: CoupView, since: int | None = None) -> bool:
    """Tell whether a card of the coup was burned for what went wrong, or one before the next coup.

    ``since`` is the version of a card before it; None: from where the coup began.
    """
    coup, begun = view.coup, view.coup.events[0].position
    later = [
        other.events[0].position
        for other in view.shoe.coups.values()
        if other.events and other.events[0].position > begun
    ]
    until = min(later, default=None)
    since = begun if since is None else since
    for event in view.shoe.burned:
        payload = event.payload
        if payload.reason not in ("ruling", "fault"):
            continue
        if payload.coup == coup.number:
            return True
        if (
            payload.coup is None
            and event.position > since
            and (not until or event.position < until)
        ):
            return True
    return False


RULES = (
    Rule(
        "I303",
        "ruling-not-permitted",
        "procedure",
        "medium",
        "Houses rule differently on the same irregularity; each by its own rules.",
        ("field-facts.md 3 A9, A10, A11, A25",),
        on_shoe=_ruling,
    ),
    Rule(
        "I304",
        "ruling-not-carried-out",
        "procedure",
        "medium",
        "A ruling to void voids, one to burn burns, and one to restore a card restores it.",
        ("field-facts.md 3 A9, A25",),
        on_coup=_carried_out,
    ),
)
