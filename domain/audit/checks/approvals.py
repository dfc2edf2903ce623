"""Rules of a table: it deals by the rules that were approved for it, and its events have ground.

Rules of approval: the authority that has to be asked how cards are burned, and told in time.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from sabot.domain.audit.findings import told
from sabot.domain.audit.floor_view import ShoeSummary, TableView, clock
from sabot.domain.audit.rule import Answer, Breach, Doubt, Rule
from sabot.domain.events import RulePackAdopted, name_of
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.pack_sections import Approval
from sabot.domain.rules.rule_pack import RulePack

_NONE = "no adoption of a rule pack was recorded"


def _not_adopted(view: TableView) -> Answer:
    if not view.table.packs:
        return _NONE
    shoes = [shoe for shoe in view.shoes if _names_rules(shoe)]
    if not shoes:
        return "no shoe of the table names its rules"
    held = [(shoe, _in_force(view.table.packs, shoe)) for shoe in shoes]
    judged = [(shoe, packs) for shoe, packs in held if packs]
    if not judged:
        return "every shoe was loaded before the first adoption on record"
    early = [Doubt("a shoe was loaded before the first adoption on record")]
    return (
        *(early * (len(held) - len(judged))),
        *_by_other_rules(view, judged),
    )


def _by_other_rules(
    view: TableView, judged: list[tuple[ShoeSummary, list[RecordedEvent[RulePackAdopted]]]]
) -> Iterator[Breach]:
    """Yield the shoes whose rules were none of those in force."""
    yield from (
        Breach(
            f"shoe {shoe.name} was dealt by rules that {view.table.name} had not adopted",
            _named(packs[-1]),
            f"{shoe.pack.name} {shoe.pack.version} ({shoe.pack_sha256[:12]})"
            if shoe.pack is not None
            else f"a pack that cannot be read ({shoe.pack_sha256[:12]})",
            (*((shoe.loaded,) if shoe.loaded is not None else ()), packs[-1]),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for shoe, packs in judged
        if all(each.payload.pack_sha256 != shoe.pack_sha256 for each in packs)
    )


def _names_rules(shoe: ShoeSummary) -> bool:
    loaded = shoe.loaded
    return loaded is not None and loaded.payload.pack_named


def _in_force(
    adoptions: list[RecordedEvent[RulePackAdopted]], shoe: ShoeSummary
) -> list[RecordedEvent[RulePackAdopted]]:
    """Return the adoptions that may have held when a shoe was loaded, by clocks that may differ."""
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    tolerance = 1000 * clocks.tolerance_ms if clocks is not None else 0
    before = [each for each in adoptions if clock(each) <= shoe.begins + tolerance]
    sure = [each for each in before if clock(each) < shoe.begins - tolerance]
    return [*sure[-1:], *(each for each in before if each not in sure)]


def _named(event: RecordedEvent[RulePackAdopted]) -> str:
    return (
        f"{event.payload.pack} {event.payload.version} ({event.payload.pack_sha256[:12]}), adopted"
    )


def _unapproved(view: TableView) -> Answer:
    if not view.table.packs:
        return _NONE
    return tuple(
        Breach(
            f"{view.table.name} adopted rules that nobody had approved",
            "rules that somebody approved, who is named",
            f"{_named(event)} by nobody",
            (event,),
            key=told(event, view.table.history),
        )
        for event in view.table.packs
        if event.payload.approved_by is None
    )


def _grounds(view: TableView) -> Answer:
    return tuple(
        Breach(
            "an event of a table speaks of what was never recorded, or was recorded already",
            "every event rests on those before it",
            name_of(event.payload),
            (event,),
            key=told(event, view.table.history),
        )
        for event in view.table.unmatched_events
    )


ADOPTION_RULES = (
    Rule(
        "A601",
        "rules-not-adopted",
        "integrity",
        "high",
        "A table deals by the rules that it adopted, to the letter: a hash names their text.",
        ("field-facts.md 3 A27", "Singapore, Casino Control Act s. 100"),
        on_table=_not_adopted,
        by_clock=True,
    ),
    Rule(
        "A602",
        "unapproved-rules",
        "procedure",
        "high",
        "Only approved rules may be used; whoever approved them is named.",
        ("field-facts.md 3 A27", "Singapore, Casino Control Act s. 100"),
        on_table=_unapproved,
    ),
    Rule(
        "R402",
        "unmatched-table-event",
        "integrity",
        "medium",
        "A table that is closed twice was opened once too seldom, or counted once too often.",
        ("design.md: a table is a stream",),
        on_table=_grounds,
    ),
)


_CITES = ("field-facts.md 3 A5", "DICJ Despacho 73/2005, 83/2011")


def _options(view: TableView) -> list[tuple[RecordedEvent, RulePackAdopted, Approval, str]] | str:
    """Return the adoptions by which the table took up another option of the burn."""
    if not view.table.packs:
        return "no adoption of a rule pack was recorded"
    known = {shoe.pack_sha256: shoe.pack for shoe in view.shoes if shoe.pack is not None}
    found: list[tuple[RecordedEvent, RulePackAdopted, Approval, str]] = []
    before, told = None, False
    for event in view.table.packs:
        payload = event.payload
        pack = known.get(payload.pack_sha256)
        if pack is None:
            before = None
            continue
        told = told or pack.approval is not None
        option = _option(pack)
        if pack.approval is not None and option != before:
            found.append((event, payload, pack.approval, option))
        before = option
    if not known:
        return "no shoe of the table tells what it adopted"
    if not told:
        return "the pack names no authority that approves the burn"
    return found or "the table took up no other option of the burn"


def _option(pack: RulePack) -> str:
    cards = f" of {pack.burn.cards}" if pack.burn.option == "fixed" else ""
    return f"{pack.burn.option}{cards}"


def _burn_not_approved(view: TableView) -> Answer:
    found = _options(view)
    if isinstance(found, str):
        return found
    return tuple(
        Breach(
            f"{view.table.name} took up the burn {option}, and {asked.authority} had not approved",
            f"an approval by {asked.authority}, with its number",
            _approved(payload),
            (event,),
            key=told(event, view.table.history),
        )
        for event, payload, asked, option in found
        if payload.authority != asked.authority or payload.approval is None
    )


def _approved(payload: RulePackAdopted) -> str:
    if payload.authority is None:
        return "approved by no authority"
    return f"by {payload.authority}, {payload.approval or 'without a number'}"


def _too_soon(view: TableView) -> Answer:
    found = _options(view)
    if isinstance(found, str):
        return found
    judged = [each for each in found if each[2].notice_days]
    if not judged:
        return "the pack asks for no notice"
    return tuple(breach for each in judged for breach in _notice(view, *each))


def _notice(
    view: TableView, event: RecordedEvent, payload: RulePackAdopted, asked: Approval, option: str
) -> Iterator[Breach]:
    used = _day(event, asked)
    noticed = _read(payload.noticed)
    days = asked.working_days_between(noticed, used) if noticed is not None else 0
    if days >= asked.notice_days:
        return
    shown = f"{days} between {noticed} and {used}" if noticed is not None else "no notice"
    yield Breach(
        f"{view.table.name} took up the burn {option} too soon after {asked.authority} was told",
        f"{asked.notice_days} working days between the notice and its use",
        shown,
        (event,),
        key=told(event, view.table.history),
    )


def _day(event: RecordedEvent, asked: Approval) -> date:
    """Return the day at the casino on which an event happened."""
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return (epoch + timedelta(microseconds=clock(event), hours=asked.utc_offset)).date()


def _read(day: str | None) -> date | None:
    """Read a day of the calendar; None where it is none."""
    try:
        return date.fromisoformat(day) if day is not None else None
    except ValueError:
        return None


APPROVAL_RULES = (
    Rule(
        "A603",
        "unapproved-burn-option",
        "procedure",
        "medium",
        "How many cards are burned moves every card behind them; the house does not choose alone.",
        _CITES,
        on_table=_burn_not_approved,
    ),
    Rule(
        "A604",
        "unannounced-burn-option",
        "procedure",
        "low",
        "Whoever is told in time can be there when the cards are burned another way.",
        ("field-facts.md 3 A5", "DICJ Despacho 73/2005: three working days' notice"),
        on_table=_too_soon,
    ),
)


RULES = (
    *ADOPTION_RULES,
    *APPROVAL_RULES,
)
"""Every rule of this family."""
