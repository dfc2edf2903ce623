"""Rules of approval: the authority that has to be asked how cards are burned, and told in time."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from domain.audit.dealt import clock
from domain.audit.floor import TableView
from domain.audit.identity import told
from domain.audit.rule import Answer, Breach, Rule
from domain.event import Event
from domain.facts import RulePackAdopted
from domain.houserules import Approval
from domain.rulepack import RulePack

_CITES = ("field-facts.md 3 A5", "DICJ Despacho 73/2005, 83/2011")


def _options(view: TableView) -> list[tuple[Event, RulePackAdopted, Approval, str]] | str:
    """Return the adoptions by which the table took up another option of the burn."""
    if not view.table.packs:
        return "no adoption of a rule pack was recorded"
    known = {shoe.pack_sha256: shoe.pack for shoe in view.shoes if shoe.pack is not None}
    found, before, told = [], None, False
    for event in view.table.packs:
        fact = event.fact
        pack = known.get(fact.pack_sha256) if isinstance(fact, RulePackAdopted) else None
        if pack is None or not isinstance(fact, RulePackAdopted):
            before = None
            continue
        told = told or pack.approval is not None
        option = _option(pack)
        if pack.approval is not None and option != before:
            found.append((event, fact, pack.approval, option))
        before = option
    if not known:
        return "no shoe of the table tells what it adopted"
    if not told:
        return "the pack names no authority that approves the burn"
    return found or "the table took up no other option of the burn"


def _option(pack: RulePack) -> str:
    cards = f" of {pack.burn.cards}" if pack.burn.option == "fixed" else ""
    return f"{pack.burn.option}{cards}"


def _unapproved(view: TableView) -> Answer:
    found = _options(view)
    if isinstance(found, str):
        return found
    return tuple(
        Breach(
            f"{view.table.name} took up the burn {option}, and {asked.authority} had not approved",
            f"an approval by {asked.authority}, with its number",
            _approved(fact),
            (event,),
            key=told(event, view.table.history),
        )
        for event, fact, asked, option in found
        if fact.authority != asked.authority or fact.approval is None
    )


def _approved(fact: RulePackAdopted) -> str:
    if fact.authority is None:
        return "approved by no authority"
    return f"by {fact.authority}, {fact.approval or 'without a number'}"


def _too_soon(view: TableView) -> Answer:
    found = _options(view)
    if isinstance(found, str):
        return found
    judged = [each for each in found if each[2].notice_days]
    if not judged:
        return "the pack asks for no notice"
    return tuple(breach for each in judged for breach in _notice(view, *each))


def _notice(
    view: TableView, event: Event, fact: RulePackAdopted, asked: Approval, option: str
) -> Iterator[Breach]:
    used = _day(event, asked)
    noticed = _read(fact.noticed)
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


def _day(event: Event, asked: Approval) -> date:
    """Return the day at the casino on which a fact happened."""
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return (epoch + timedelta(microseconds=clock(event), hours=asked.utc_offset)).date()


def _read(day: str | None) -> date | None:
    """Read a day of the calendar; None where it is none."""
    try:
        return date.fromisoformat(day) if day is not None else None
    except ValueError:
        return None


RULES = (
    Rule(
        "burn-option-was-not-approved",
        "procedure",
        "medium",
        "How many cards are burned moves every card behind them; the house does not choose alone.",
        _CITES,
        on_table=_unapproved,
    ),
    Rule(
        "burn-option-was-taken-up-without-notice",
        "procedure",
        "low",
        "Whoever is told in time can be there when the cards are burned another way.",
        ("field-facts.md 3 A5", "DICJ Despacho 73/2005: three working days' notice"),
        on_table=_too_soon,
    ),
)
