"""Rules on rulings. The rule pack has to allow each one, and it has to be carried out.

A rule checks voided coups too, unless it needs `needs.not_voided`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bets import LATE
from sabot.domain.audit.checks.voids import unjustified_void
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.late_change_reversals import put_back
from sabot.domain.audit.restored_cards import left_wrong
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.events import BetPlaced, Irregularity, IrregularityNoted, Ruling
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.preconditions import ruling_requirements
from sabot.domain.rules.labels import irregularity_label, ruling_label
from sabot.domain.rules.rule_pack import TWO_HANDS
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    LAC_42_III_3103,
    NSW_MINI_BACCARAT_RULE_12,
)
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

RULINGS = RuleGroup(family="procedure", concerns="game")

Noted = RecordedEvent[IrregularityNoted]
"""A recorded irregularity with its ruling."""

# -- Allowed ---------------------------------------------------------------------------------------


@need("play", "no irregularity was noted", "nothing-to-check")
def _something_noted(shoe: Shoe) -> bool:
    """An irregularity was noted."""
    return bool(shoe.irregularities)


@each(
    "irregularity that the pack rules on",
    "the pack does not say how such irregularities are ruled on",
    "not-required",
)
def _named_by_pack(shoe: Shoe) -> Sequence[Noted]:
    """Return the irregularities of a kind for which the rule pack names rulings.

    An irregularity of a kind for which the rule pack lists no rulings is not checked. An
    irregularity without a ruling is not checked if a later one of the same kind and coup has a
    ruling.
    """
    named = shoe.pack.rulings if shoe.pack is not None else {}
    ruled = {
        (event.payload.kind, event.payload.coup): event.position
        for event in shoe.irregularities
        if event.payload.ruling != "none"
    }
    return [
        event
        for event in shoe.irregularities
        if event.payload.kind in named and not _is_ruled_on_later(event, ruled)
    ]


def _is_ruled_on_later(noted: Noted, ruled: Mapping[tuple[Irregularity, int | None], int]) -> bool:
    """Return whether an irregularity has no ruling, and a later one of its kind and coup has."""
    payload = noted.payload
    last = ruled.get((payload.kind, payload.coup), 0)
    return payload.ruling == "none" and noted.position < last


@RULINGS.rule(
    "I303",
    "ruling-not-permitted",
    sources=(LAC_42_III_3103,),
    looks_at="shoe",
    needs=(
        _something_noted,
        needs.shoe_pack_says("how irregularities are ruled on", lambda pack: pack.rulings),
    ),
    each=_named_by_pack,
    breach_events=(IrregularityNoted,),
    follows_from=(code_of(unjustified_void),),
    breaks="""
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        irregularity-noted {"kind": "wrong-draw", "ruling": "play-on", "coup": 1, "by": "sue"}
        due
    """,
    keeps="""
        with rulings.wrong-draw = ["void", "play-on"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        irregularity-noted {"kind": "wrong-draw", "ruling": "play-on", "coup": 1, "by": "sue"}
        due
    """,
)
def ruling_not_permitted(shoe: Shoe, noted: Noted) -> Iterator[Breach]:
    """The ruling on an irregularity is one that the rule pack lists for its kind.

    The ruling `other`, or no ruling (`none`), is a breach unless the rule pack lists it. Each
    ruling is judged by itself: a later one does not put it right. I304 checks whether the ruling
    was carried out. Irregularities in a voided coup, or outside any coup, are checked too.
    """
    payload = noted.payload
    assert shoe.pack is not None
    if not ruling_requirements.is_permitted_ruling(shoe.pack, payload):
        by = f" by {payload.by}" if payload.by else ""
        ruled = ruling_label(payload.ruling)
        due = " or ".join(map(ruling_label, shoe.pack.rulings[payload.kind]))
        yield Breach(
            f"the ruling{by} on {irregularity_label(payload.kind)} was: {ruled}; permitted: {due}",
            due,
            ruled,
            (noted,),
            payload.coup,
        )


# -- Carried out -----------------------------------------------------------------------------------


@each("ruling", "no irregularity was noted")
def _rulings(view: CoupView) -> Sequence[tuple[Noted, bool]]:
    """Return the irregularities of a coup (True), and of the interval before it (False).

    An irregularity before a coup is checked only if a card of the coup is on record.
    """
    if not view.shoe.irregularities:
        return []
    before = [(noted, False) for noted in _noted_before(view)]
    return [*((noted, True) for noted in view.coup.irregularities), *before]


def _noted_before(view: CoupView) -> list[Noted]:
    """Return the irregularities noted since the previous coup."""
    if not view.coup.cards:
        return []
    coups = view.shoe.coups.values()
    begins = view.coup.events[0].position
    firsts = (coup.cards[0].position for coup in coups if coup.cards)
    since = max((first for first in firsts if first < begins), default=0)
    of_coups = {event.position for coup in coups for event in coup.irregularities}
    return [
        event
        for event in view.shoe.irregularities
        if since < event.position < begins and event.position not in of_coups
    ]


@RULINGS.rule(
    "I304",
    "ruling-not-carried-out",
    sources=(ARRETE_2007_ART_55_14, NSW_MINI_BACCARAT_RULE_12),
    needs=(needs.present(_rulings), needs.coup_over),
    each=_rulings,
    follows_from=(*LATE, code_of(unjustified_void)),
    breach_events=(IrregularityNoted, BetPlaced),
    clean_when=lambda _, shoe: not shoe.ruled,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
    """,
)
def ruling_not_carried_out(view: CoupView, ruling: tuple[Noted, bool]) -> Iterator[Breach]:
    """A ruling to void a coup, return its bets, or burn or restore a card is carried out.

    It does not matter who ruled, or whether the ruling was right. Each ruling is judged by itself,
    even if a later one replaced it. After `void` the coup is recorded as void; a return of the bets
    is not enough. After `return-bets` the coup is recorded as void, or every bet was pushed or
    withdrawn, and nothing was paid, taken or charged. If that ruling is on a late bet, it is enough
    that the late bets and late changes went back. If the record has none of these, it is enough
    that a bet was withdrawn. After `burn-card` a card is burned off its hand, or is burned with the
    reason `ruling`, `fault` or `other`. The burn names the coup, or it names no coup and lies
    between the coup's first event and the next coup. One burned card is enough for several rulings.
    After `restore-card` the coup was voided, its bets were returned, a card was moved, or every
    card was dealt where it was due. With more than two hands, `restore-card` is not checked.

    Of rulings between two coups, only `burn-card` is checked. The burn then names the next coup, or
    it names no coup and lies between the last card dealt before the ruling and the coup after the
    next. I309 checks `no-bet-hand`; with more than two hands it is checked here, like
    `return-bets`. D106 checks `card-to-banker`.
    """
    noted, in_coup = ruling
    ruled = noted.payload.ruling
    shown = _left_undone(view, noted) if in_coup else _not_burned_before(view, ruled)
    if shown is not None:
        yield Breach(
            f"{shown}, though the ruling was: {ruling_label(ruled)}",
            ruling_label(ruled),
            shown,
            (noted, *_late_bets(view, noted)),
        )


def _left_undone(view: CoupView, noted: Noted) -> str | None:
    """Return text for the part of a ruling that was not carried out, or None."""
    coup, undone, ruled = view.coup, None, noted.payload.ruling
    if ruled == "no-bet-hand" and game_of(view.shoe.pack).name not in TWO_HANDS:
        ruled = "return-bets"
    match ruled:
        case "void" if coup.voided is None:
            undone = "the coup was not voided"
        case "return-bets" if coup.voided is None and not (
            coup.fully_refunded or _late_bets_back(coup, noted)
        ):
            undone = "not all bets were returned"
        case "burn-card" if not _burned(view, coup.events[0].position):
            undone = "no card was burned in the coup"
        case "restore-card":
            undone = left_wrong(view)
        case _:
            pass
    return undone


def _not_burned_before(view: CoupView, ruled: Ruling) -> str | None:
    """Return text if a card was not burned as a ruling between two coups required.

    It has to be burned before the next coup is over. An exposed card may be burned before the
    irregularity is noted.
    """
    if ruled != "burn-card":
        return None
    begins = view.coup.events[0].position
    cards = (card.position for coup in view.shoe.coups.values() for card in coup.cards)
    last = max((position for position in cards if position < begins), default=0)
    return None if _burned(view, last) else "no card was burned before the coup was over"


def _late_bets(view: CoupView, noted: Noted) -> Sequence[RecordedEvent[BetPlaced]]:
    """Return the late bets that a ruling concerns."""
    closed = view.coup.bets_closed
    if noted.payload.kind != "late-bet" or closed is None:
        return []
    placed = (bet.placed for bet in view.coup.bets.values())
    return [event for event in events_of(BetPlaced, placed) if event.position > closed]


def _late_bets_back(coup: Coup, noted: Noted) -> bool:
    """Return whether all late bets that a ruling covers went back."""
    closed = coup.bets_closed
    if noted.payload.kind != "late-bet" or closed is None:
        return False
    bets = coup.bets.values()
    back = [
        bet.withdrawn or (bet.pushed and not bet.net)
        for bet in bets
        if bet.placed.position > closed
    ]
    in_time = [bet for bet in bets if bet.placed.position < closed]
    changed = (put_back(bet, closed, noted.position) for bet in in_time)
    back += [whole for whole in changed if whole is not None]
    return all(back) if back else any(bet.withdrawn for bet in bets)


_OF_A_RULING: Final = ("ruling", "fault", "other")
"""The reasons of burned cards that may be those of a ruling."""


def _burned(view: CoupView, since: int) -> bool:
    """Return whether a card was burned for an irregularity, in its coup or before the next.

    ``since`` is a position: burned cards that name no coup count only after it.
    """
    coup, begun = view.coup, view.coup.events[0].position
    begins = (each.events[0].position for each in view.shoe.coups.values() if each.events)
    until = min((position for position in begins if position > begun), default=None)
    off_hands = view.shoe.burned_off_hands
    for event in view.shoe.burned:
        payload = event.payload
        if payload.reason not in _OF_A_RULING and event.position not in off_hands:
            continue
        between = event.position > since and (until is None or event.position < until)
        if payload.coup == coup.number or (payload.coup is None and between):
            return True
    return False


RULES = (*RULINGS.rules,)
"""Every rule of this module."""
