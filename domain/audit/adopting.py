"""Rules of a table: it deals by the rules that were approved for it, and its facts have ground."""

from collections.abc import Iterator

from domain.audit.dealt import clock
from domain.audit.floor import ShoeTrace, TableView
from domain.audit.identity import told
from domain.audit.rule import Answer, Breach, Doubt, Rule
from domain.event import Event
from domain.facts import RulePackAdopted, ShoeLoaded, name_of

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
    view: TableView, judged: list[tuple[ShoeTrace, list[Event]]]
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
        if all(getattr(each.fact, "pack_sha256", "") != shoe.pack_sha256 for each in packs)
    )


def _names_rules(shoe: ShoeTrace) -> bool:
    loaded = shoe.loaded
    return loaded is not None and isinstance(loaded.fact, ShoeLoaded) and loaded.fact.pack_named


def _in_force(adoptions: list[Event], shoe: ShoeTrace) -> list[Event]:
    """Return the adoptions that may have held when a shoe was loaded, by clocks that may differ."""
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    tolerance = 1000 * clocks.tolerance_ms if clocks is not None else 0
    before = [each for each in adoptions if clock(each) <= shoe.begins + tolerance]
    sure = [each for each in before if clock(each) < shoe.begins - tolerance]
    return [*sure[-1:], *(each for each in before if each not in sure)]


def _named(event: Event) -> str:
    assert isinstance(event.fact, RulePackAdopted)
    return f"{event.fact.pack} {event.fact.version} ({event.fact.pack_sha256[:12]}), adopted"


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
        if getattr(event.fact, "approved_by", None) is None
    )


def _grounds(view: TableView) -> Answer:
    return tuple(
        Breach(
            "a fact of a table speaks of what was never recorded, or was recorded already",
            "every fact rests on those before it",
            name_of(event.fact),
            (event,),
            key=told(event, view.table.history),
        )
        for event in view.table.strays
    )


RULES = (
    Rule(
        "shoe-was-dealt-by-rules-not-adopted",
        "integrity",
        "high",
        "A table deals by the rules that it adopted, to the letter: a hash names their text.",
        ("field-facts.md 3 A27", "Singapore, Casino Control Act s. 100"),
        on_table=_not_adopted,
        by_clock=True,
    ),
    Rule(
        "rules-were-adopted-without-approval",
        "procedure",
        "high",
        "Only approved rules may be used; whoever approved them is named.",
        ("field-facts.md 3 A27", "Singapore, Casino Control Act s. 100"),
        on_table=_unapproved,
    ),
    Rule(
        "table-fact-has-no-ground",
        "integrity",
        "medium",
        "A table that is closed twice was opened once too seldom, or counted once too often.",
        ("design.md: a table is a stream",),
        on_table=_grounds,
    ),
)
