"""Rule on false draws: where the rule pack says so, they cost the banker the shoe."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sabot.domain.audit import needs
from sabot.domain.audit.checks.shoe_holder import holder_on_record
from sabot.domain.audit.holder_moves import holder_at
from sabot.domain.audit.justification import contradicted_by_record
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each
from sabot.domain.events import CardDrawn, IrregularityNoted, ShoePassed
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.common import false_draw_in, is_house
from sabot.domain.procedure.preconditions import holder_requirements
from sabot.domain.rules.sources import ARRETE_2007_ART_55_14, ARRETE_2007_ART_60
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import after, before

FALSE_DRAW = RuleGroup(family="procedure", concerns="form")


@each("false draw", "no false draw was noted, or no coup came after it", about="cards")
def _false_draws(shoe: Shoe) -> Sequence[tuple[Coup, Coup]]:
    """Return each coup with a false draw on record, and the next coup that was dealt.

    A false draw is on record as an irregularity of the kind `wrong-draw`, with any ruling. The rule
    does not check a noted false draw that the cards disprove, or a wrong card that nobody noted.
    """
    dealt = [coup for coup in shoe.coups.values() if coup.cards]
    dealt.sort(key=lambda coup: coup.cards[0].position)
    return [(coup, later) for coup, later in pairwise(dealt) if _false_draw_noted(shoe, coup)]


@FALSE_DRAW.rule(
    "H506",
    "shoe-kept-after-wrong-draw",
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_60),
    looks_at="shoe",
    needs=(
        needs.not_coups_alone,
        needs.shoe_pack_says(
            "that a false draw costs the shoe", lambda pack: pack.table.false_draw_passes
        ),
        holder_on_record,
    ),
    each=_false_draws,
    breach_events=(IrregularityNoted, CardDrawn),
    breaks="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 7
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        coup p2 player 10000 | P 4 2  B K 9
    """,
    keeps="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 7
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        bank-withdrawn {"by": "p1", "amount": 10000}
        shoe-passed {"by": "p1", "reason": "ruling"}
        bank p2 10000
        coup p1 player 10000 | P 4 2  B K 9
    """,
)
def shoe_kept_after_wrong_draw(shoe: Shoe, drawn: tuple[Coup, Coup]) -> Iterator[Breach]:
    """A banker who deals a false draw passes the shoe before the next coup.

    The shoe passes after the false draw was noted and before the first card of the next coup that
    is dealt. The banker may take the shoe again after that. A false draw noted after that card
    costs no shoe. If a recorded choice shows that the patron who plays a hand chose against the
    rules, the banker who deals is not at fault. A shoe that the house holds, or whose holder is not
    on record, need not pass.
    """
    coup, later = drawn
    noted, dealt = false_draw_in(shoe, coup), later.cards[0]
    holder = holder_at(shoe, coup.cards[0])
    if noted is None or holder_requirements.may_keep_after_draw(noted) or after(shoe, noted, dealt):
        return
    if holder is None or is_house(shoe, holder):
        return
    if holder != holder_at(shoe, dealt) or _passed_between(shoe, noted, dealt):
        return
    yield Breach(
        f"{holder} kept the shoe after a false draw in {shoe.coup_name(coup.number)}",
        "a banker who makes a false draw passes the shoe",
        "no passing before the next coup",
        (noted, dealt),
        coup.number,
        patron=holder,
        offending_event=dealt,
    )


def _false_draw_noted(shoe: Shoe, coup: Coup) -> bool:
    """Return whether a false draw was noted and the cards do not disprove it."""
    return any(
        event.payload.kind == "wrong-draw" and contradicted_by_record(shoe, coup, event) is None
        for event in coup.irregularities
    )


def _passed_between(shoe: Shoe, noted: RecordedEvent, dealt: RecordedEvent) -> bool:
    """Return whether the shoe was passed after a false draw and before the next coup."""
    return any(
        after(shoe, event, noted) and before(shoe, event, dealt)
        for event in events_of(ShoePassed, shoe.shoe_moves)
    )


RULES = (*FALSE_DRAW.rules,)
"""Every rule of this module."""
