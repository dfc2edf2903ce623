"""Rules on the preparation of baccarat banque.

They cover the session, the banker's shuffle and the cut.
"""

from collections.abc import Iterator
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bank.bank_moves import wrong_banker
from sabot.domain.audit.checks.bank.tableaux_bank import pack_has, shown_by
from sabot.domain.audit.completeness import COUPS_MISSING, coups_missing
from sabot.domain.audit.holder_moves import put_up_by_another
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, need
from sabot.domain.events import CoupOpened, CutterNamed, ShoeCut, ShoeShuffled
from sabot.domain.events.bank import BankPosted, SessionCalled
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.preconditions import tableaux_requirements
from sabot.domain.procedure.two_tableaux.tableaux import rule_of
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_61,
    BOUSSAC_BACCARA_A_DEUX_TABLEAUX,
    WIKIPEDIA_BACCARAT_BANQUE,
)
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import before, in_sequence

TABLEAUX_PREPARATION: Final = RuleGroup(
    family="procedure", concerns="form", games=("baccarat-banque",)
)

# -- Sessions --------------------------------------------------------------------------------------


@need("shoe", COUPS_MISSING)
def session_calls_recorded(shoe: Shoe) -> bool:
    """The record holds a call of the session, or all coups of the shoe."""
    return bool(shoe.sessions) or not coups_missing(shoe)


@need("play", "no coup was dealt", "nothing-to-check")
def session_called_or_coup_opened(shoe: Shoe) -> bool:
    """A session was called, or a coup opened."""
    return bool(shoe.sessions) or _first_opening(shoe) is not None


def _first_opening(shoe: Shoe) -> RecordedEvent[CoupOpened] | None:
    """Return the opening of the first coup that was opened."""
    return next((coup.opened for coup in shoe.coups.values() if coup.opened), None)


@TABLEAUX_PREPARATION.rule(
    "W505",
    "excess-sessions",
    concerns="form",
    sources=(ARRETE_2007_ART_61,),
    looks_at="shoe",
    needs=(
        pack_has(
            "the rule pack limits the sessions of a day, or the shoes of a session",
            "the pack does not limit sessions",
            lambda rule: rule.shoes if rule.sessions is None else rule.sessions,
        ),
        needs.not_coups_alone,
        session_calls_recorded,
        session_called_or_coup_opened,
    ),
    breach_events=(SessionCalled, CoupOpened),
    breaks="""
        load deux-tableaux-france-open
        bare
        tableaux-seats
        session-called {"day": "2026-01-01", "session": 3, "shoe": 1}
        tableaux-bank p11 100000
    """,
    keeps="""
        load deux-tableaux-france-open
        bare
        tableaux-seats
        session-called {"day": "2026-01-01", "session": 2, "shoe": 1}
        tableaux-bank p11 100000
    """,
)
def excess_sessions(shoe: Shoe) -> Iterator[Breach]:
    """A day has no more sessions, and a session no more shoes, than the rule pack allows.

    The rule compares the numbers that the call of the session names: which session of the day it
    is, and which shoe of the session. The calls of other shoes are not compared. If a coup was
    opened, a missing call is a breach too; the call may come at any time. A second call of the shoe
    has to be the same as the first.
    """
    opening = _first_opening(shoe)
    if not shoe.sessions and opening is not None:
        due = "a call of the session of the day, and of its shoe"
        yield shown_by("nobody called the session", due, (opening,))
    for call in shoe.sessions:
        yield from _misnumbered(shoe, call)


def _misnumbered(shoe: Shoe, call: RecordedEvent[SessionCalled]) -> Iterator[Breach]:
    """Yield a breach if a session or shoe has too high a number, or was called twice."""
    rule, called = rule_of(shoe), call.payload
    fault = tableaux_requirements.session_fault(rule, called, shoe.sessions[0].payload)
    if tableaux_requirements.is_permitted_session(fault):
        return
    if fault == "session":
        most = f"{rule.sessions} sessions a day at most"
        said = f"session {called.session} of {called.day} was called; {most}"
        yield shown_by(said, most, (call,))
    elif fault == "shoe":
        most = f"{rule.shoes} shoes a session at most"
        said = f"shoe {called.shoe} of a session was called; {most}"
        yield shown_by(said, most, (call,))
    else:
        said = f"the shoe was called again: shoe {called.shoe} of session {called.session}"
        yield shown_by(said, "a shoe is of one session", (call, shoe.sessions[0]))


# -- Shuffle and cut -------------------------------------------------------------------------------


def _shuffles(shoe: Shoe) -> list[RecordedEvent[ShoeShuffled]]:
    """Return the shuffles before the first card left the shoe."""
    first = shoe.left[0].position if shoe.left else None
    return [shuffle for shuffle in shoe.shuffles if first is None or shuffle.position < first]


def _last_shuffle_by_first_banker(shoe: Shoe) -> RecordedEvent[ShoeShuffled] | None:
    """Return the first banker's last shuffle before the first card, or None."""
    banker = shoe.banks[0].holder if shoe.banks else None
    his = [shuffle for shuffle in _shuffles(shoe) if shuffle.payload.by == banker]
    return his[-1] if banker is not None and his else None


@need("play", "the banker did not shuffle", "nothing-to-check")
def banker_shuffled(shoe: Shoe) -> bool:
    """The banker shuffled."""
    return _last_shuffle_by_first_banker(shoe) is not None


@need("play", "the cards were not cut: the banker may shuffle once more", "not-due")
def cut_or_dealt(shoe: Shoe) -> bool:
    """The cards are cut, or a card has left the shoe, so that nobody shuffles any more."""
    return bool(shoe.cuts or shoe.left)


@TABLEAUX_PREPARATION.rule(
    "W506",
    "shuffle-after-banker",
    concerns="game",
    sources=(WIKIPEDIA_BACCARAT_BANQUE,),
    looks_at="shoe",
    needs=(
        pack_has(
            "the rule pack lets the banker shuffle last",
            "the pack does not let the banker shuffle last",
            lambda rule: rule.last_shuffle,
        ),
        banker_shuffled,
    ),
    due=cut_or_dealt,
    breach_events=(ShoeShuffled,),
    breaks="""
        load banque
        bare
        tableaux-seats
        bank-bid {"by": "p11", "amount": 20000}
        shoe-offered {"to": "p11", "amount": 20000}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        bank-posted {"by": "p11", "amount": 20000}
        shoe-shuffled {"by": "p11"}
        shoe-shuffled {"by": "dealer"}
        tableaux-bank p11 20000
    """,
    keeps="""
        load banque
        bare
        tableaux-seats
        bank-bid {"by": "p11", "amount": 20000}
        shoe-offered {"to": "p11", "amount": 20000}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        bank-posted {"by": "p11", "amount": 20000}
        shoe-shuffled {"by": "dealer"}
        shoe-shuffled {"by": "p11"}
        tableaux-bank p11 20000
    """,
)
def shuffle_after_banker(shoe: Shoe) -> Iterator[Breach]:
    """Nobody shuffles the cards after the banker has shuffled them.

    The banker is the patron who put up the first bank of the shoe. The banker's last shuffle before
    the first card counts. The rule reports the next shuffle if it comes before that card. S315
    reports a shuffle after that card. Later bankers do not shuffle.
    """
    last, shuffles = _last_shuffle_by_first_banker(shoe), _shuffles(shoe)
    assert last is not None
    later = next(iter(shuffles[shuffles.index(last) + 1 :]), None)
    if later is not None:
        in_sequence(shoe, (last, later, *shoe.left[:1]))
        said = f"{later.payload.by} shuffled after the banker, {last.payload.by}"
        yield shown_by(said, "nobody shuffles after the banker has", (later, last))


@need("play", "nobody cut the cards", "nothing-to-check")
def cards_cut(shoe: Shoe) -> bool:
    """The cards were cut."""
    return bool(shoe.cuts)


@TABLEAUX_PREPARATION.rule(
    "W507",
    "wrong-cutter",
    concerns="form",
    sources=(BOUSSAC_BACCARA_A_DEUX_TABLEAUX, WIKIPEDIA_BACCARAT_BANQUE),
    looks_at="shoe",
    needs=(
        pack_has(
            "the rule pack lets the banker name the cutter",
            "the pack does not let the banker name the cutter",
            lambda rule: rule.names_cutter,
        ),
        needs.not_coups_alone,
        cards_cut,
    ),
    follows_from=(code_of(wrong_banker),),
    breach_events=(CutterNamed, ShoeCut, BankPosted),
    breaks="""
        load banque
        bare
        tableaux-seats
        bank-bid {"by": "p11", "amount": 20000}
        shoe-offered {"to": "p11", "amount": 20000}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        bank-posted {"by": "p11", "amount": 20000}
        shoe-shuffled {"by": "dealer"}
        cutter-named {"by": "p11", "cutter": "p1"}
        shoe-cut {"by": "p2", "depth": 60}
        tableaux-bank p11 20000
    """,
    keeps="""
        load banque
        bare
        tableaux-seats
        bank-bid {"by": "p11", "amount": 20000}
        shoe-offered {"to": "p11", "amount": 20000}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        bank-posted {"by": "p11", "amount": 20000}
        shoe-shuffled {"by": "dealer"}
        cutter-named {"by": "p11", "cutter": "p1"}
        shoe-cut {"by": "p1", "depth": 60}
        tableaux-bank p11 20000
    """,
)
def wrong_cutter(shoe: Shoe) -> Iterator[Breach]:
    """The banker alone names the patron who cuts the cards, and that patron cuts them.

    If the cards were cut several times, only the last cut is checked. It is compared with the last
    patron named before it. A cut is a breach if nobody was named before it. The banker is the
    patron who put up the first bank of the shoe. If no bank was put up, the person who named the
    cutter is taken as the banker. The rule compares names only. It does not check whether the
    cutter is a patron.
    """
    cut = shoe.cuts[-1]
    named = [naming for naming in shoe.cutters if before(shoe, naming, cut)]
    naming = named[-1].payload if named else None
    who, by = (naming.cutter, naming.by) if naming is not None else (None, None)
    banker = shoe.banks[0].holder if shoe.banks else by
    if tableaux_requirements.is_bankers_cutter(naming, banker, cut.payload.by):
        return
    if by is not None and by != banker:
        due = f"the banker, {banker}, names the cutter"
        own = tableaux_requirements.is_bankers_cutter(naming, by, cut.payload.by)
        others = put_up_by_another(shoe, named[-1], by) if own else ()
        yield shown_by(f"{by} named {who} to cut", due, (named[-1], cut, *others))
    else:
        due = f"{who}, whom the banker named" if who else "the patron whom the banker names"
        yield shown_by(f"{cut.payload.by} cut the cards, not {due}", due, (cut, *named))


RULES = (*TABLEAUX_PREPARATION.rules,)
"""Every rule of this module."""
