"""Rules on approval: a table adopts approved rules and deals by them.

Where an authority has to approve how cards are burned, the rules check that it approved and that it
was notified in time.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple, get_args

from sabot.domain.audit import floor_needs
from sabot.domain.audit.fingerprints import identity_of_event
from sabot.domain.audit.floor_view import ShoeSummary, TableView, time_of
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import Event, RulePackAdopted, ShoeLoaded, TableClosed
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.labels import event_noun
from sabot.domain.rules.pack_sections import Approval
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    DESPACHO_55_2004_ART_2,
    DESPACHO_55_2004_ART_19,
    HOUSE_CONVENTION,
    LAC_42_III_3103,
    SINGAPORE_CASINO_CONTROL_ACT_100,
)
from sabot.domain.timeline.evidence import answered
from sabot.domain.timeline.sequence import ADOPTED_FIRST

APPROVAL = RuleGroup(family="procedure", concerns="record")

_Adoption = RecordedEvent[RulePackAdopted]


def _named(adoption: _Adoption) -> str:
    payload = adoption.payload
    return f"{payload.pack} version {payload.version} ({payload.pack_sha256[:12]}), adopted"


# -- Rules that a table deals by ------------------------------------------------------------------


@each("shoe", "no shoe of the table names its rules", "record-incomplete", "shoe")
def _shoes_with_rules(view: TableView) -> Sequence[ShoeSummary]:
    """Return each shoe of the table that names its rules.

    A shoe whose loading is not on record, or names no rule pack, is not checked.
    """
    return [shoe for shoe in view.shoes if shoe.loaded and shoe.loaded.payload.pack_named]


@APPROVAL.rule(
    "A601",
    "rules-not-adopted",
    order=(ADOPTED_FIRST,),
    sources=(SINGAPORE_CASINO_CONTROL_ACT_100,),
    family="integrity",
    looks_at="table",
    needs=(floor_needs.clocks_comparable, floor_needs.pack_adopted),
    each=_shoes_with_rules,
    breach_events=(ShoeLoaded, RulePackAdopted),
    breaks="""
        adopted T1 {"approved_by": "sue"}
        with custody.shoes = 9
        shoe H-1 {"table": "T1"}
    """,
    keeps="""
        adopted T1 {"approved_by": "sue"}
        shoe H-1 {"table": "T1"}
    """,
)
def rules_not_adopted(view: TableView, shoe: ShoeSummary) -> Iterator[Breach]:
    """A shoe is loaded with exactly the rule pack that its table adopted last.

    A rule pack is identified by the hash of its text, so a pack that cannot be read is judged too.
    If the clocks leave several adoptions possible, each of them is accepted. A shoe that may have
    been loaded before the first adoption on record is not judged.
    """
    adoptions = _in_force(view, shoe)
    if any(adoption.payload.pack_sha256 == shoe.pack_sha256 for adoption in adoptions):
        return
    before = not adoptions or time_of(adoptions[0]) >= shoe.begins - shoe.tolerance_us
    answered("a shoe was loaded before the first adoption on record" if before else None)
    last = adoptions[-1]
    name = "a rule pack that cannot be read"
    if shoe.pack is not None:
        name = f"{shoe.pack.name} version {shoe.pack.version}"
    yield Breach(
        f"shoe {shoe.name} was dealt by rules that {view.table.name} did not adopt",
        _named(last),
        f"{name} ({shoe.pack_sha256[:12]})",
        (*shoe.loading, last),
        shoe=shoe.name,
        key=("shoe", shoe.name),
    )


def _in_force(view: TableView, shoe: ShoeSummary) -> list[_Adoption]:
    """Return the adoptions that may have been in force when a shoe was loaded.

    There can be several, because clocks may differ by the tolerance.
    """
    at, tolerance = shoe.begins, shoe.tolerance_us
    before = [each for each in view.table.packs if time_of(each) <= at + tolerance]
    sure = [each for each in before if time_of(each) < at - tolerance]
    return [*sure[-1:], *(each for each in before if each not in sure)]


@each("adoption", "no adoption of a rule pack was recorded", "record-incomplete", "table")
def _adoptions(view: TableView) -> Sequence[_Adoption]:
    """Return each adoption of a rule pack at the table."""
    return view.table.packs


@APPROVAL.rule(
    "A602",
    "unapproved-rules",
    concerns="game",
    sources=(SINGAPORE_CASINO_CONTROL_ACT_100, LAC_42_III_3103),
    looks_at="table",
    each=_adoptions,
    breach_events=(RulePackAdopted,),
    breaks="adopted T1",
    keeps='adopted T1 {"approved_by": "sue"}',
)
def unapproved_rules(view: TableView, adoption: _Adoption) -> Iterator[Breach]:
    """Rules that a table adopts are approved by a named person.

    Any name of a person is accepted. A new adoption of the same rules needs a name again. A603
    checks the approval of an authority.
    """
    if adoption.payload.approved_by is None:
        yield Breach(
            f"{view.table.name} adopted rules that nobody approved",
            "rules approved by a named person",
            f"{_named(adoption)} by nobody",
            (adoption,),
            key=identity_of_event(adoption, view.table.history),
        )


@each("unmatched event", None, about="table")
def _unmatched(view: TableView) -> Sequence[RecordedEvent]:
    """Return each further closing of a session, and each event that is not an event of a table."""
    return view.table.unmatched_events


@APPROVAL.rule(
    "R402",
    "unmatched-table-event",
    sources=(HOUSE_CONVENTION,),
    family="integrity",
    looks_at="table",
    each=_unmatched,
    breach_events=get_args(Event),
    breaks="""
        table T1 table-opened {"inventory": 1000}
        table T1 table-closed {"inventory": 1000}
        table T1 table-closed {"inventory": 900}
    """,
    keeps="""
        table T1 table-opened {"inventory": 1000}
        table T1 table-closed {"inventory": 1000}
    """,
)
def unmatched_table_event(view: TableView, event: RecordedEvent) -> Iterator[Breach]:
    """A table is closed at most once after each opening, and its record has only a table's events.

    A first closing without an opening is accepted, since the record may begin after the opening. A
    second opening without a closing in between, and any correction, are accepted too. A closed
    table may have any other event of a table.
    """
    closed = isinstance(event.payload, TableClosed)
    yield Breach(
        f"{view.table.name} was closed again without being opened"
        if closed
        else f"{event_noun(event.payload)} is not an event of a table",
        "a table is closed once after each opening",
        "a second closing" if closed else event_noun(event.payload),
        (event,),
        key=identity_of_event(event, view.table.history),
    )


# -- How cards are burned -------------------------------------------------------------------------


class _BurnOption(NamedTuple):
    """A change in how a table burns cards, with the approval that the change requires."""

    adoption: _Adoption
    asked: Approval
    option: str


def _packs(view: TableView) -> dict[str, RulePack]:
    """Return the rule packs of a table's shoes, keyed by the hash of their text."""
    return {shoe.pack_sha256: shoe.pack for shoe in view.shoes if shoe.pack is not None}


@need("rules", "no shoe of the table has the adopted rule pack")
def adopted_pack_known(view: TableView) -> bool:
    """A rule pack that the table adopted can be read: a shoe of the table was loaded with it."""
    packs = _packs(view)
    return any(adoption.payload.pack_sha256 in packs for adoption in view.table.packs)


@need("rules", "the pack names no authority that approves how cards are burned", "not-required")
def authority_named(view: TableView) -> bool:
    """A rule pack that the table adopted names an authority that approves how cards are burned."""
    packs = _packs(view)
    adopted = (packs.get(adoption.payload.pack_sha256) for adoption in view.table.packs)
    return any(pack is not None and pack.approval is not None for pack in adopted)


def _options(view: TableView) -> list[_BurnOption]:
    found: list[_BurnOption] = []
    packs = _packs(view)
    before: str | None = None
    for adoption in view.table.packs:
        pack = packs.get(adoption.payload.pack_sha256)
        option = _option(pack) if pack is not None else None
        if pack is not None and pack.approval is not None and option and option != before:
            found.append(_BurnOption(adoption, pack.approval, option))
        before = option
    return found


def _option(pack: RulePack) -> str:
    """Return the opening burn of a rule pack in words."""
    options = {
        "first-card-value": "the first card and as many as its value",
        "deck-count": "as many cards as decks",
        "fixed": f"{pack.burn.cards} card{'' if pack.burn.cards == 1 else 's'}",
        "none": "no card",
    }
    return options[pack.burn.option]


_NO_OTHER = "the table did not change how it burns cards"
_APPROVED_BURNS = (floor_needs.pack_adopted, adopted_pack_known, authority_named)
"""The needs of the rules on changes of the burn that an authority approves."""


@each("change of the burn", _NO_OTHER, about="table")
def _burn_options(view: TableView) -> Sequence[_BurnOption]:
    """Return each adoption that changes how the table burns cards.

    The burn is the option of the rule pack and, for `fixed`, the number of cards. The first
    adoption is a change. An adoption after a rule pack that cannot be read is a change too. An
    adoption that keeps the burn of the previous adoption is not checked, even if the previous one
    needed no approval. An adoption whose rule pack names no authority, or cannot be read, is not
    checked either.
    """
    return _options(view)


@APPROVAL.rule(
    "A603",
    "unapproved-burn-option",
    sources=(DESPACHO_55_2004_ART_2, DESPACHO_55_2004_ART_19),
    concerns="form",
    looks_at="table",
    needs=_APPROVED_BURNS,
    each=_burn_options,
    breach_events=(RulePackAdopted,),
    breaks="""
        with approval.authority = "DICJ"
        table T1 table-opened {"inventory": 1000}
        adopted T1 {"approved_by": "sue", "noticed": "2025-12-01"}
        shoe H-1 {"table": "T1"}
    """,
    keeps="""
        with approval.authority = "DICJ"
        table T1 table-opened {"inventory": 1000}
        adopted T1 {"approved_by": "sue", "authority": "DICJ", "approval": "1/2025"}
        shoe H-1 {"table": "T1"}
    """,
)
def unapproved_burn_option(view: TableView, taken: _BurnOption) -> Iterator[Breach]:
    """A change of the opening burn is approved by the authority that the rule pack names.

    The adoption names the authority of the rule pack, in the same spelling, and the number of its
    approval.
    """
    payload, authority = taken.adoption.payload, taken.asked.authority
    if payload.authority == authority and payload.approval is not None:
        return
    shown = "approved by no authority"
    if payload.authority is not None:
        shown = f"by {payload.authority}, {payload.approval or 'without a number'}"
    yield Breach(
        f"{view.table.name} changed its burn to {taken.option} without approval of {authority}",
        f"an approval by {authority}, with its number",
        shown,
        (taken.adoption,),
        key=identity_of_event(taken.adoption, view.table.history),
    )


@need("rules", _NO_OTHER, "nothing-to-check")
def burn_changed(view: TableView) -> bool:
    """The table changed how it burns cards."""
    return bool(_options(view))


@each("change of the burn", "the pack requires no notice", "not-required", "rules")
def _noticed_options(view: TableView) -> Sequence[_BurnOption]:
    """Return each adoption that changes how the table burns cards, if the pack requires notice.

    The burn is the option of the rule pack and, for `fixed`, the number of cards. The first
    adoption is a change. An adoption after a rule pack that cannot be read is a change too. An
    adoption that keeps the burn of the previous adoption is not checked, even if the previous one
    needed no notice. An adoption whose rule pack names no authority, requires no notice, or cannot
    be read, is not checked either.
    """
    return [each for each in _options(view) if each.asked.notice_days]


@APPROVAL.rule(
    "A604",
    "unannounced-burn-option",
    sources=(DESPACHO_55_2004_ART_19,),
    concerns="form",
    looks_at="table",
    needs=(*_APPROVED_BURNS, burn_changed),
    each=_noticed_options,
    breach_events=(RulePackAdopted,),
    breaks="""
        with approval.notice_days = 3
        with approval.authority = "DICJ"
        adopted T1 {"approved_by": "sue", "authority": "DICJ", "approval": "1/2025", "noticed": "2025-12-29"}
        shoe H-1 {"table": "T1"}
    """,  # noqa: E501 - an event is a line
    keeps="""
        with approval.notice_days = 3
        with approval.authority = "DICJ"
        adopted T1 {"approved_by": "sue", "authority": "DICJ", "approval": "1/2025", "noticed": "2025-12-28"}
        shoe H-1 {"table": "T1"}
    """,  # noqa: E501 - an event is a line
)
def unannounced_burn_option(view: TableView, taken: _BurnOption) -> Iterator[Breach]:
    """The authority is notified at least the required working days before a table changes its burn.

    The rule pack states the number of days. The table changes the burn on the day of the adoption,
    by the time zone of the rule pack. The day of the notice, the day of the adoption, weekends and
    the pack's holidays are not counted. If the date is missing or cannot be read, there was no
    notice.
    """
    adoption, asked = taken.adoption, taken.asked
    used, noticed = _day(adoption, asked), _read(adoption.payload.noticed)
    days = asked.working_days_between(noticed, used) if noticed is not None else 0
    if days < asked.notice_days:
        yield Breach(
            f"{view.table.name} changed its burn to {taken.option} too soon after notice to "
            f"{asked.authority}",
            f"{asked.notice_days} working days between the notice and its use",
            f"{days} between {noticed} and {used}" if noticed is not None else "no notice",
            (adoption,),
            key=identity_of_event(adoption, view.table.history),
        )


def _day(adoption: _Adoption, asked: Approval) -> date:
    """Return the casino's day on which rules were adopted."""
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return (epoch + timedelta(microseconds=time_of(adoption), hours=asked.utc_offset)).date()


def _read(day: str | None) -> date | None:
    """Read an ISO 8601 date; return None if it is missing or invalid."""
    try:
        return date.fromisoformat(day) if day is not None else None
    except ValueError:
        return None


RULES = (*APPROVAL.rules,)
"""Every rule of this module."""
