"""Rules on void coups and coups that cannot go on.

Each void needs a valid reason. A fault of the shuffling machine has to be noted, and nobody may be
at a disadvantage through it. A rule checks voided coups too, unless it needs `needs.not_voided`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView, is_undealt, left_by, next_coup
from sabot.domain.audit.event_words import faces_of
from sabot.domain.audit.justification import (
    acts_for_house,
    excuse,
    names_rulers,
    next_begins,
)
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.audit.void_money import gains_of_void
from sabot.domain.events import (
    BetCarried,
    BetPlaced,
    CardDrawn,
    CoupVoided,
    Irregularity,
    IrregularityNoted,
    ShoeEnded,
    ShufflerFailed,
    TotalsCalled,
)
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.procedure.preconditions import ruling_requirements
from sabot.domain.rules.labels import irregularity_label
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    BOME_MELILLA_2014_19_PAGE_358,
    LAC_42_III_3106,
    NSW_MINI_BACCARAT_RULE_12,
    PA_CODE_58_629A_13,
)
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_context import crew_at
from sabot.domain.timeline.evidence import after, before, some, surely
from sabot.domain.values.names import plain_name

VOIDS = RuleGroup(family="procedure", concerns="game")

# -- For a reason ----------------------------------------------------------------------------------


@each("voiding", "the coup was not voided")
def _voids(view: CoupView) -> Sequence[RecordedEvent[CoupVoided | IrregularityNoted]]:
    """Return the voiding of a coup, or the ruling that returned all its bets.

    A ruling returned all bets if every bet was withdrawn or pushed, and nothing was paid, taken or
    charged.
    """
    coup = view.coup
    voided: RecordedEvent[CoupVoided | IrregularityNoted] | None = coup.voided
    if voided is None and coup.bets and not view.open and coup.fully_refunded:
        voided = coup.refund_ruling
    return [] if voided is None else [voided]


@need("play", "nothing was dealt and no bet was on the layout", "nothing-to-check")
def _coup_not_empty(view: CoupView) -> bool:
    """The coup had a card, a call, a bet that was not withdrawn, or a recorded irregularity."""
    return not is_undealt(view.coup) or bool(view.coup.irregularities)


@need("bets", "the returned bets would have neither won nor lost", "nothing-to-check")
def _something_won_or_lost(view: CoupView) -> bool:
    """The coup was voided, or it is not certain that no returned bet would have won or lost."""
    return view.coup.voided is not None or gains_of_void(view) != ()


@VOIDS.rule(
    "I305",
    "unjustified-void",
    sources=(
        ARRETE_2007_ART_55_14,
        BOME_MELILLA_2014_19_PAGE_358,
        NSW_MINI_BACCARAT_RULE_12,
    ),
    needs=(_coup_not_empty,),
    each=_voids,
    due=_something_won_or_lost,
    breach_events=(CoupVoided, IrregularityNoted),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5
        coup-voided {"coup": 1}
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
    """,
)
def unjustified_void(view: CoupView, voided: RecordedEvent) -> Iterator[Breach]:
    """A coup is voided, or all its bets returned, only for a recorded irregularity ruled so.

    The ruling is `void`, `return-bets`, `no-bet-hand` or `other`. An irregularity of the cards
    (`wrong-draw`, `card-exposed`, `card-face-up`, `card-off-the-table`, `misdeal`, `too-few-cards`
    or `shuffler-fault`) needs no ruling if the void names a person, or if the record up to then
    names no crew and nobody who ruled or voided. One irregularity of the coup that permits the void
    is enough, whatever else was noted. The irregularity is recorded before the next coup begins. In
    a record of coups only, it may be anywhere. At punto banco an irregularity permits nothing if
    the record contradicts it. The record can contradict a wrong draw, too few cards or a late bet.
    Where the record up to then names crew, or a person who ruled or voided, the irregularity or the
    void names a person. An irregularity and a void permit nothing if they name only patrons: people
    who sat, bet or banked before, and work at no post. Too few cards may be recorded by anybody.

    Once the result was called, the word of those who dealt, called or paid during the coup does not
    suffice if the table has a supervisor. An irregularity rests on their word alone if it was
    recorded after the call, and the ruling and the void name only them and patrons. A dealer who
    was relieved since, or is also the supervisor, is still one of them. Their word suffices for a
    wrong draw, too few cards, a late bet, a card recorded face up, or a fault of the shuffler
    recorded in the coup.

    No irregularity is needed if nothing was dealt or called and no bet lay on the layout. None is
    needed before the first card if the void names a person other than a patron. None is needed for
    a fault of the shuffler that put somebody at a disadvantage, if the rule pack ends such a coup
    (see I308). But one is needed if the result was called before the fault, or if a card or a call
    came between the fault and the void.
    """
    coup = view.coup
    by = voided.payload.by if is_of(voided, CoupVoided) else None
    if is_undealt(coup) or _called_off(view, by) or _ended_by_fault(view):
        return
    answered_for = by is not None or not names_rulers(view.shoe, voided)
    noted = excuse(
        view,
        lambda payload: ruling_requirements.may_be_voided([payload], answered_for=answered_for),
        next_begins(view.shoe, view.coup),
        by=by,
    )
    what = f"{view.shoe.coup_name(coup.number)} was voided"
    if coup.voided is None:
        what = f"the bets of {view.shoe.coup_name(coup.number)} were returned"
    done = what + _after_cards(view, voided)
    if not noted.excuses:
        yield Breach(
            f"{done}, and {noted.objection}",
            "a coup is voided only by a ruling on a noted irregularity",
            noted.objection if coup.irregularities else "no irregularity was noted",
            (voided, *(event for event in noted.unfit_irregularities if event is not voided)),
            money=gains_of_void(view),
        )
        return
    ruled = events_of(IrregularityNoted, noted.excuses)
    if all(_on_their_word(view, event, by) for event in ruled):
        who = next(filter(None, (by, *(event.payload.by for event in ruled))), "")
        kinds = ", ".join(dict.fromkeys(irregularity_label(e.payload.kind) for e in ruled))
        yield Breach(
            f"{done}, and only {who}, {_ROLE}, reported {kinds}",
            "a person other than the dealer, the payers and the patrons rules on the irregularity",
            f"ruled by {who}, {_ROLE}",
            (voided, *(event for event in ruled if event is not voided)),
            money=gains_of_void(view),
        )


def _after_cards(view: CoupView, voided: RecordedEvent) -> str:
    """Return the cards that were certainly drawn before a void. Empty if there were none."""
    drawn = [card for card in view.coup.cards if surely(partial(before, view, card, voided))]
    return f" after {faces_of([card.payload for card in drawn])}" if drawn else ""


_ROLE: Final = "who dealt, paid or bet"
_LEAVE_TRACES: Final[tuple[Irregularity, ...]] = ("wrong-draw", "too-few-cards", "late-bet")
"""Irregularities that the record itself shows or contradicts."""


def _on_their_word(view: CoupView, noted: RecordedEvent[IrregularityNoted], by: str | None) -> bool:
    """Return whether only the word of dealers, payers and patrons supports an irregularity.

    They alone are named in its ruling and in the void, and no other event shows it. The word of
    dealers and payers counts before the result, and where the supervisor's post is empty.
    """
    payload, called = noted.payload, view.coup.result_called
    ruled = {who for who in (payload.by, by) if who is not None}
    if not ruled or payload.kind in _LEAVE_TRACES or _is_shown(view, payload.kind):
        return False
    if called is None or "supervisor" not in crew_at(view.shoe, noted):
        return False
    theirs = _dealt_or_paid(view, noted)
    others = [who for who in ruled if plain_name(who) not in theirs]
    of_house = any(acts_for_house(view.shoe, who, noted) for who in others)
    return not of_house and before(view, called, noted)


def _dealt_or_paid(view: CoupView, until: RecordedEvent) -> set[str]:
    """Return the plain names of the crew without the supervisor.

    The time is from a coup's beginning to an event.
    """
    during = [event for event in view.coup.events if event.position < until.position]
    crews = [crew_at(view.shoe, event) for event in (*during, until)]
    posts = [(post, who) for crew in crews for post, who in crew.items()]
    return {plain_name(who) for post, who in posts if post != "supervisor"}


def _is_shown(view: CoupView, kind: Irregularity) -> bool:
    """Return whether a card or a shuffler fault of the coup proves an irregularity."""
    if kind == "card-face-up":
        return any(event.payload.face_up for event in view.coup.cards)
    return kind == "shuffler-fault" and any(events_of(ShufflerFailed, view.coup.events))


def _called_off(view: CoupView, by: str | None) -> bool:
    """Return whether a named person, other than a patron, voided a coup before its first card."""
    coup, voided = view.coup, view.coup.voided
    if coup.first_card or voided is None or by is None:
        return False
    return acts_for_house(view.shoe, by, voided)


# -- Not to be finished ---------------------------------------------------------------------------


def _waiting(coup: Coup) -> list[RecordedEvent]:
    """Return the placements of bets neither settled nor withdrawn."""
    return [bet.placed for bet in coup.bets.values() if not bet.moves and not bet.withdrawn]


@need("play", "the shoe has not ended", "not-due")
def _shoe_over(view: CoupView) -> bool:
    """The shoe has ended."""
    return view.shoe.ended is not None


@need("play", "no card was drawn, and no bet was left", "nothing-to-check")
def _under_way(view: CoupView) -> bool:
    """A card was drawn, or a bet was not withdrawn."""
    bets = view.coup.bets.values()
    return view.coup.first_card is not None or any(not bet.withdrawn for bet in bets)


@need("play", "another coup followed", "nothing-to-check")
def _last_coup(view: CoupView) -> bool:
    """No other coup began after the coup."""
    return next_coup(view.shoe, view.coup) is None


@VOIDS.rule(
    "I306",
    "unfinished-coup-not-voided",
    concerns="record",
    sources=(PA_CODE_58_629A_13, ARRETE_2007_ART_55_14),
    needs=(needs.record_not_coups_alone, _shoe_over, _under_way),
    due=_last_coup,
    breach_events=(CardDrawn, BetPlaced, BetCarried, ShoeEnded),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5
        shoe-ended {"left": 411, "reason": "too-few-cards"}
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        shoe-ended {"left": 411, "reason": "withdrawn"}
    """,
)
def unfinished_coup_not_voided(view: CoupView) -> Iterator[Breach]:
    """The last coup of a shoe that has ended is closed or voided.

    The last coup has to be closed or voided even if its bets were settled, or if its only card was
    burned. The close or the void may be recorded after the end of the shoe. Other rules check which
    bets go back. If another coup began afterwards, Q101 reports the unfinished coup instead.
    Another coup has begun once it was opened or got a card.
    """
    coup, ended = view.coup, view.shoe.ended
    assert ended is not None
    if not coup.over:
        waiting = _waiting(coup)
        had = left_by(coup, ended)
        yield Breach(
            f"the shoe ended in the middle of {view.shoe.coup_name(coup.number)}",
            "a coup that cannot be finished is voided and its bets are returned",
            "neither closed nor voided" + (", its bets on the layout" if waiting else ""),
            (*had, *(bet for bet in waiting if bet not in had), ended),
            offending_event=ended,
        )


# -- Faults of the shuffler ------------------------------------------------------------------------


@need("play", "no fault of a shuffler was recorded", "nothing-to-check")
def _shuffler_failed(shoe: Shoe) -> bool:
    """The shuffler had a fault."""
    return bool(shoe.shuffler_faults)


@each("fault of the shuffler that nobody noted", None)
def _unnoted_faults(shoe: Shoe) -> Sequence[tuple[RecordedEvent, int | None]]:
    """Return the shuffler faults without a noted irregularity, each with its coup.

    Each fault of a coup needs an irregularity of its own. If there are fewer, the last faults are
    reported.
    """
    coups = {event.position: coup.number for coup in shoe.coups.values() for event in coup.events}
    noted = Counter(
        event.payload.coup or coups.get(event.position)
        for event in shoe.irregularities
        if event.payload.kind == "shuffler-fault"
    )
    unnoted = []
    for event in shoe.shuffler_faults:
        coup = event.payload.coup or coups.get(event.position)
        if noted[coup]:
            noted[coup] -= 1
        else:
            unnoted.append((event, coup))
    return unnoted


@VOIDS.rule(
    "I307",
    "unreported-shuffler-fault",
    looks_at="shoe",
    concerns="record",
    sources=(NSW_MINI_BACCARAT_RULE_12, LAC_42_III_3106),
    needs=(
        _shuffler_failed,
        needs.shoe_pack_says(
            "how a shuffler's fault is ruled on", lambda pack: "shuffler-fault" in pack.rulings
        ),
    ),
    each=_unnoted_faults,
    breach_events=(ShufflerFailed,),
    breaks="""
        with rulings.shuffler-fault = ["return-bets"]
        coup-opened {"coup": 1}
        shuffler-failed {"serial": "SM-0417", "fault": "card jam", "coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        due
    """,
    keeps="""
        with rulings.shuffler-fault = ["return-bets", "play-on"]
        coup-opened {"coup": 1}
        shuffler-failed {"serial": "SM-0417", "fault": "card jam", "coup": 1}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1, "by": "sue"}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        due
    """,
)
def unreported_shuffler_fault(
    shoe: Shoe, fault: tuple[RecordedEvent, int | None]
) -> Iterator[Breach]:
    """A fault of the shuffler is noted as an irregularity of the kind `shuffler-fault`.

    The irregularity may be noted at any time, before or after the fault, by anybody and with any
    ruling or none. An irregularity belongs to the coup that it names, or in which it was recorded.
    For faults outside a coup, the rule compares their number with that of the irregularities
    outside a coup, over the whole shoe. A breach is reported as soon as the coup of the fault is
    closed or voided, the next coup opens after a fault in no coup, or the shoe has ended.
    """
    event, coup = fault
    if _ruling_is_due(shoe, event, coup):
        yield Breach(
            f"a fault of the shuffler{_which_fault(shoe, event, coup)} was not noted",
            "a fault of the shuffler is noted as an irregularity",
            "no irregularity was noted",
            (event,),
            coup,
        )


def _which_fault(shoe: Shoe, fault: RecordedEvent, coup: int | None) -> str:
    """Return the coup, the fault and the machine of a shuffler's failure, as far as recorded."""
    where = f" in {shoe.coup_name(coup)}" if coup is not None else ""
    payload = fault.payload
    if not isinstance(payload, ShufflerFailed):
        return where
    machine = f"machine {payload.serial}" if payload.serial else ""
    what = ", ".join(filter(None, (payload.fault, machine)))
    return f"{where} ({what})" if what else where


def _ruling_is_due(shoe: Shoe, fault: RecordedEvent, coup: int | None) -> bool:
    """Return True once a ruling is due, since the coup is over or another has begun."""
    if shoe.ended is not None:
        return True
    if coup is not None and coup in shoe.coups:
        return shoe.coups[coup].over
    opened = (each.opened for each in shoe.coups.values())
    return any(event is not None and event.position > fault.position for event in opened)


@each(
    "harmful fault of the shuffler",
    "no fault of the shuffler in the coup put anybody at a disadvantage",
)
def _harmful_faults(view: CoupView) -> Sequence[RecordedEvent]:
    """Return the faults of a shuffler in a coup that put somebody at a disadvantage.

    A fault is not checked if it was recorded without a disadvantage, before the coup began, or
    after its close.
    """
    if not view.shoe.shuffler_faults:
        return []
    faults, closed = events_of(ShufflerFailed, view.coup.events), view.coup.closed
    return [
        event
        for event in faults
        if event.payload.disadvantage and (closed is None or event.position < closed.position)
    ]


@need("rules", "the pack does not say that such a coup ends", "not-required")
def _fault_ends_coup(view: CoupView) -> bool:
    """The rule pack names a void, or the return of the bets, as a ruling on a shuffler's fault."""
    return _ends_coups(view.shoe.pack)


def _ends_coups(pack: RulePack | None) -> bool:
    rulings = pack.rulings.get("shuffler-fault", ()) if pack is not None else ()
    return not {"void", "return-bets"}.isdisjoint(rulings)


@VOIDS.rule(
    "I308",
    "play-after-shuffler-fault",
    sources=(NSW_MINI_BACCARAT_RULE_12,),
    needs=(needs.present(_harmful_faults), _fault_ends_coup, needs.coup_over),
    each=_harmful_faults,
    follows_from=("ruling-not-carried-out",),
    breach_events=(ShufflerFailed, IrregularityNoted),
    clean_when=by_the_book,
    breaks="""
        with rulings.shuffler-fault = ["return-bets", "play-on"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4
        shuffler-failed {"fault": "two cards at once", "coup": 1, "disadvantage": true}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1, "by": "sue"}
        deal > B K  P 5  B 8
        due
    """,
    keeps="""
        with rulings.shuffler-fault = ["return-bets", "play-on"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4
        shuffler-failed {"fault": "two cards at once", "coup": 1}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1, "by": "sue"}
        deal > B K  P 5  B 8
        due
    """,
)
def play_after_shuffler_fault(view: CoupView, fault: RecordedEvent) -> Iterator[Breach]:
    """If a fault of the shuffler puts anybody at a disadvantage, the coup ends and bets go back.

    A voided coup keeps the rule, whatever the void names as its reason. A coup also keeps it if a
    ruling in it is `void`, `return-bets` or `no-bet-hand`, every bet was pushed or withdrawn, and
    nothing was paid, taken or charged. If the coup has no bets, the result must not have been
    called either. The rule does not check how soon after the fault the coup ends.
    """
    coup = view.coup
    returned = coup.fully_refunded and (bool(coup.bets) or coup.result_called is None)
    if coup.voided is None and not returned:
        yield Breach(
            f"{view.shoe.coup_name(coup.number)} continued after a fault of the shuffler"
            f"{_which_fault(view.shoe, fault, None)} that put somebody at a disadvantage",
            "the coup ends and its bets are returned",
            "the coup was closed" if coup.closed is not None else "the coup was not voided",
            (fault, *view.coup.irregularities),
        )


def _ended_by_fault(view: CoupView) -> bool:
    """Return whether a shuffler fault ended a coup at once.

    The fault put somebody at a disadvantage, and the rule pack ends such a coup. The last such
    fault is then the reason for the void, noted or not. It is not a reason if the result was called
    before the fault.
    """
    coup, voided = view.coup, view.coup.voided
    if voided is None or not _ends_coups(view.shoe.pack):
        return False
    faults = _harmful_faults.of(view)
    fault = next((each for each in faults[::-1] if each.position < voided.position), None)
    results = [call for call in coup.calls if not is_of(call, TotalsCalled)]
    if fault is None or any(call.position < fault.position for call in results):
        return False
    cards_and_calls = (
        each for each in (*coup.cards, *coup.calls) if each.position < voided.position
    )
    return not some(partial(after, view, event, fault) for event in cards_and_calls)


RULES = (*VOIDS.rules,)
"""Every rule of this module."""
