"""Describe a rule's scope, conditions, events and sources.

The descriptions follow from the rule's declaration (`sabot.domain.audit.rule_group`).
"""

from collections.abc import Sequence
from typing import Final, get_args

from sabot.domain.audit.needs import not_voided, present, voided
from sabot.domain.audit.put_right import is_of_rulings
from sabot.domain.audit.rule import PARTS, LooksAt, Rule
from sabot.domain.events import Event, ShoeEvent
from sabot.domain.rules.labels import game_label
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.timeline.constraints import Constraint

_OF_A_SHOE: Final = frozenset(get_args(ShoeEvent))
_ANY_OF_A_SHOE: Final = "any event of a shoe"

_WHOLE: Final[dict[LooksAt, str]] = {
    "coup": "each coup",
    "shoe": "the shoe as a whole",
    "correction": "each correction",
    "batch": "each batch of cards",
    "table": "each table",
    "floor": "the floor as a whole",
    "record": "the corrections of each table, each batch of cards and each shoe",
}
_PARTS: Final = {part: part for part in PARTS} | {"order": "order of events"}
"""The parts of a record, in words."""
_ONE_BY_ONE: Final[dict[LooksAt, str]] = {
    "coup": "each coup",
    "shoe": "the shoe",
    "correction": "each correction",
    "batch": "each batch of cards",
    "table": "each table",
    "floor": "the floor",
    "record": "the corrections of each table, each batch of cards and each shoe",
}


def checked_of(rule: Rule) -> str:
    """Return the subject of a rule in words.

    Examples are ``each bet of each coup, voided or not`` and ``the shoe as a whole``.
    """
    voids = ", voided or not" if _takes_voided_coups(rule) else ""
    if rule.each is None:
        return f"{_WHOLE[rule.looks_at]}{voids}"
    name, whole = rule.each.name, f"{_ONE_BY_ONE[rule.looks_at]}{voids}"
    is_clause = " that " in name or " whose " in name
    return f"in {whole}: each {name}" if is_clause else f"each {name} of {whole}"


def _takes_voided_coups(rule: Rule) -> bool:
    """Return whether a rule is applied to a coup alike, voided or not."""
    on_voids = (not_voided.states, voided.states)
    return rule.looks_at == "coup" and not any(
        need.states.endswith(on_voids) for need in rule.needs
    )


def note_of(rule: Rule) -> str | None:
    """Return the condition under which a breach is only a note. None if it never is one.

    `sabot.domain.audit.put_right` decides it, for rules of coups. A breach of a rule on rulings is
    never a note.
    """
    if rule.looks_at != "coup" or is_of_rulings(rule):
        return None
    return "a note, the lowest severity, if the table noted it, ruled on it and put it right"


def applies_if(rule: Rule) -> list[str]:
    """Return the conditions for applying the rule, one sentence each.

    Where a condition is not met, the rule reports "not applicable" with the reason. That there is a
    subject is left out: `nothing_to_check` states it.
    """
    (*others, last) = map(game_label, rule.games or ("",))
    either = f"{', '.join(others)} or {last}" if others else last
    games = [f"The game is {either}."] if rule.games else []
    subject = present(rule.each).states if rule.each is not None else None
    asked = [_sentence(need.states) for need in rule.needs if need.states != subject]
    return [*games, *dict.fromkeys(asked)]


def nothing_to_check(rule: Rule) -> str | None:
    """Return the reason reported if a rule has no subject. None if it always has one."""
    none = rule.each.none if rule.each is not None else None
    return _sentence(none.text) if none is not None else None


def reported_when(rule: Rule) -> str | None:
    """Return the condition for reporting a breach. None if a breach is always reported."""
    return _sentence(rule.due.states) if rule.due is not None else None


def rests_on(rule: Rule) -> list[str]:
    """Return the parts of a record that a rule needs.

    A part that is needed in some games only names these.
    """
    return [f"{_PARTS[part]}{in_games(rule, part)}" for part in rule.rests_on]


def in_games(rule: Rule, part: str) -> str:
    """Return, in brackets, the only games in which a rule needs a part.

    The result is empty if it needs the part in all its games.
    """
    asked = [need.games for need in rule.needs if need.about == part]
    always = (part == "order" and rule.compares) or (rule.each and rule.each.about == part)
    games = list(dict.fromkeys(game for games in asked for game in games))
    if always or not all(asked) or {*games} == {*rule.games}:
        return ""
    return f" ({' and '.join(map(game_label, games))} only)"


def order_of(rule: Rule) -> list[str]:
    """Return the order that the rule's constraints ask for, one sentence each."""
    return [
        _sentence(_narrowed(constraint.games, rule.games) + _in_order(constraint))
        for constraint in rule.order
    ]


def _narrowed(games: Sequence[GameName], among: Sequence[GameName]) -> str:
    """Return the games of a constraint as the beginning of a sentence, if they are not all."""
    if not games or {*games} >= {*among}:
        return ""
    return f"at {' and '.join(map(game_label, games))}, "


def _in_order(constraint: Constraint) -> str:
    first, second, undone = constraint.first.name, constraint.second.name, constraint.undone_by
    match constraint.template:
        case "precedes":
            but = "" if undone is None else f". It is repeated after {undone.name}"
            return f"{first} comes before {second}{but}"
        case "never-after":
            return f"{first} does not come after {second}"
        case "once":
            unless = "" if undone is None else f", unless {undone.name} comes in between"
            return f"{first} comes once{unless}"
        case "answered":
            assert constraint.before is not None
            again = constraint.before == constraint.first
            until = "the same step of the next coup" if again else constraint.before.name
            return f"after {first}, {second} comes before {until}"
        case "within":
            return f"the time from {first} to {second} is at most {constraint.key} of the rule pack"


def exceptions_of(rule: Rule) -> list[str]:
    """Return the exceptions of a rule: the subjects left out, then the acts permitted.

    The sentences on subjects are in the docstring of the function that selects them, the others in
    the docstring of the rule.
    """
    said = (rule.each.exceptions if rule.each is not None else "", rule.exceptions)
    return [each for each in said if each]


def shown_by(rule: Rule) -> list[str]:
    """Return the names of the events that findings list, not of all that the rule reads.

    If these are all events, the result is ``any event``. If they include every event of a shoe, it
    is the names of the others and ``any event of a shoe``.
    """
    kinds = rule.breach_events
    if set(kinds) >= set(get_args(Event)):
        return ["any event"]
    every = [_ANY_OF_A_SHOE] if set(kinds) >= _OF_A_SHOE else []
    others = [kind for kind in kinds if not every or kind not in _OF_A_SHOE]
    return [_tag(kind) for kind in others] + every


def ordered_events(rule: Rule) -> list[str]:
    """Return the names of events that a rule reads for its order, and that no finding lists."""
    steps = [
        step
        for order in rule.order
        for step in (order.first, order.second, order.before, order.undone_by)
        if step is not None
    ]
    kinds = dict.fromkeys(kind for step in steps for kind in step.types)
    return [_tag(kind) for kind in kinds if kind not in rule.breach_events]


def _tag(kind: type) -> str:
    return str(kind.__struct_config__.tag)  # type: ignore[attr-defined]


def sources_of(rule: Rule) -> list[dict[str, str | None]]:
    """Return sources as records: ``title``, ``article``, ``url`` (None: not opened)."""
    return [
        {"title": source.title, "article": source.article, "url": source.url}
        for source in rule.sources
    ]


def _sentence(states: str) -> str:
    text = states[:1].upper() + states[1:]
    return text if text.endswith(".") else f"{text}."
