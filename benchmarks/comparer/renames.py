"""The table of renames under which two audits count as equal."""

import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.comparer.cases import HERE
from sabot.domain.audit import RULES
from sabot.domain.events.upcasting import FORMER_CODES

TABLE: Final = HERE / "renames.toml"
VALUES: Final = ("families", "severities", "reasons", "steps", "bases")
"""Tables of old value -> new value, for what is no rule code."""
ASPECTS: Final = (
    "missing", "new", "rule", "family", "severity", "shoe", "coup", "stream", "events", "patron",
    "dealer", "supervisor", "at_us", "clock", "money", "checked", "not-applicable", "explained",
    "failed",
)  # fmt: skip
"""In what two audits of a case may differ."""


_CODES: Final = {rule.number: rule.code for rule in RULES}


class Difference(NamedTuple):
    """One difference: the case, the rule, one of the `ASPECTS`, and a description."""

    case: str
    rule: str
    aspect: str
    text: str


class Accepted(NamedTuple):
    """An accepted difference: patterns of cases and rules, some aspects, and the reason."""

    case: str
    rule: str
    aspects: tuple[str, ...]
    reason: str

    def covers(self, found: Difference) -> bool:
        """Return whether this entry accepts a difference."""
        return (
            fnmatchcase(found.case, self.case)
            and fnmatchcase(found.rule, self.rule)
            and (not self.aspects or found.aspect in self.aspects)
        )


class Renames:
    """Old names and their new names.

    Rules that were merged or split share a group, and findings are compared by group. In a group
    that is not one old rule and one new rule, verdict counts are not compared.
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        """Read a table with the structure of `renames.toml`.

        Raises:
            ValueError: the table has an unknown key, or an accepted difference without a reason.
        """
        unknown = table.keys() - {"rules", "added_rules", "removed_rules", "accepted", *VALUES}
        if unknown:
            raise ValueError(f"renames: unknown keys {sorted(unknown)}")
        self._values = {name: dict(table.get(name, {})) for name in VALUES}
        self.added = frozenset(map(_code, table.get("added_rules", ())))
        self.removed = frozenset(map(_code, table.get("removed_rules", ())))
        self._old: dict[str, str] = {}
        self._new: dict[str, str] = {}
        self._group({old: _listed(new) for old, new in table.get("rules", {}).items()})
        self.accepted = tuple(map(_accepted, table.get("accepted", ())))

    @classmethod
    def read(cls, path: Path = TABLE) -> "Renames":
        """Read the table from a file, with the former codes of rules from the program.

        Raises:
            ValueError: as for `Renames`, or the file is not TOML.
        """
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        table["rules"] = FORMER_CODES | table.get("rules", {})
        return cls(table)

    def value(self, table: str, old: Any) -> Any:
        """Return the new value of an old one, from one of the tables `VALUES`."""
        return self._values[table].get(old, old)

    def of_old(self, code: str) -> str:
        """Return the group of an old rule."""
        return self._old.get(code) or self._new.get(code, code)

    def of_new(self, code: str) -> str:
        """Return the group of a new rule."""
        return self._new.get(code, code)

    def _group(self, rules: dict[str, tuple[str, ...]]) -> None:
        groups: list[tuple[set[str], set[str]]] = []
        for old, new in rules.items():
            olds, news = {old}, set(new)
            for group in [each for each in groups if each[1] & news]:
                groups.remove(group)
                olds |= group[0]
                news |= group[1]
            groups.append((olds, news))
        for olds, news in groups:
            name = "|".join(sorted(news))
            self._old |= dict.fromkeys(olds, name)
            self._new |= dict.fromkeys(news, name)


def _listed(new: str | list[str]) -> tuple[str, ...]:
    return (new,) if isinstance(new, str) else tuple(new)


def _code(name: str) -> str:
    """Return the code of a rule whose number is given; any other name as it is."""
    return _CODES.get(name, name)


def _accepted(entry: Mapping[str, Any]) -> Accepted:
    aspects = tuple(entry.get("aspects", ()))
    if not entry.get("reason") or not {"case", "rule"} <= entry.keys():
        raise ValueError(f"renames: an accepted difference needs case, rule and reason: {entry}")
    if unknown := set(aspects) - set(ASPECTS):
        raise ValueError(f"renames: unknown aspects {sorted(unknown)}; known are {ASPECTS}")
    return Accepted(entry["case"], _code(entry["rule"]), aspects, entry["reason"])


def differences(
    expected: Mapping[str, Any], told: Mapping[str, Any], renames: Renames
) -> Iterable[Difference]:
    """Yield the differences between an audit and the expected one of its case.

    Args:
        expected: the frozen results, in old names.
        told: the program's results, in new names.
        renames: the new name of each old name.
    """
    case = expected["case"]
    for rule, aspect, text in _of_findings(expected["findings"], told["findings"], renames):
        yield Difference(case, rule, aspect, text)
    for rule, aspect, text in _of_verdicts(expected["verdicts"], told["verdicts"], renames):
        yield Difference(case, rule, aspect, text)
    for text in _of_steps(expected["explained"], told["explained"], renames):
        yield Difference(case, "(explain)", "explained", text)


# -- Findings -------------------------------------------------------------------------------------


def _of_findings(
    olds: list[dict[str, Any]], news: list[dict[str, Any]], renames: Renames
) -> Iterable[tuple[str, str, str]]:
    due = [_renamed(old, renames) for old in olds if old["rule"] not in renames.removed]
    shown = [{**new, "rule": renames.of_new(new["rule"])} for new in news]
    for finding in list(due):
        if finding in shown:
            due.remove(finding)
            shown.remove(finding)
    for finding in due:
        other = _closest(finding, shown)
        if other is None:
            yield finding["rule"], "missing", _short(finding)
            continue
        shown.remove(other)
        for key in sorted(finding.keys() | other.keys()):
            if finding.get(key) != other.get(key):
                change = f"{key}: {finding.get(key)} -> {other.get(key)}"
                yield finding["rule"], key, f"{_short(finding)}: {change}"
    for finding in shown:
        yield finding["rule"], "new", _short(finding)


def _renamed(old: dict[str, Any], renames: Renames) -> dict[str, Any]:
    money = old["money"]
    return {
        **old,
        "rule": renames.of_old(old["rule"]),
        "family": renames.value("families", old["family"]),
        "severity": renames.value("severities", old["severity"]),
        "money": {**money, "basis": renames.value("bases", money["basis"])},
    }


def _closest(due: dict[str, Any], shown: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the finding of the same rule that has most in common with this one, or None."""
    alike = [each for each in shown if each["rule"] == due["rule"]]
    return max(alike, key=lambda each: _in_common(due, each), default=None)


def _in_common(one: dict[str, Any], other: dict[str, Any]) -> tuple[bool, bool, int]:
    places = [{key: each[key] for key in ("stream", "shoe", "coup")} for each in (one, other)]
    same = sum(one[key] == other.get(key) for key in one)
    return places[0] == places[1], one["events"][:1] == other["events"][:1], same


def _short(finding: dict[str, Any]) -> str:
    where = f"coup {finding['coup']}" if finding["coup"] is not None else finding["stream"]
    return f"{where}, events {finding['events']}"


# -- Verdicts -------------------------------------------------------------------------------------


def _of_verdicts(
    olds: dict[str, Any], news: dict[str, Any], renames: Renames
) -> Iterable[tuple[str, str, str]]:
    for stream in sorted(olds.keys() | news.keys()):
        due = _by_group(
            (renames.of_old(code), [checked, _kinds(kinds, renames)])
            for code, (checked, kinds) in olds.get(stream, {}).items()
            if code not in renames.removed
        )
        shown = _by_group(
            (renames.of_new(code), verdict)
            for code, verdict in news.get(stream, {}).items()
            if code not in renames.added
        )
        for rule in sorted(due.keys() | shown.keys()):
            if len(due.get(rule, ())) > 1 or len(shown.get(rule, ())) > 1:
                continue  # merged or split: the counts of several rules cannot be compared
            if due.get(rule) == shown.get(rule):
                continue
            if rule not in due or rule not in shown:
                yield rule, "rule", f"{stream}: the rule is {'gone' if rule in due else 'new'}"
                continue
            for aspect, old, new in zip(
                ("checked", "not-applicable"), due[rule][0], shown[rule][0], strict=True
            ):
                if old != new:
                    yield rule, aspect, f"{stream}: {old} -> {new}"


def _by_group(verdicts: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for group, verdict in verdicts:
        groups.setdefault(group, []).append(verdict)
    return groups


def _kinds(kinds: dict[str, int], renames: Renames) -> dict[str, int]:
    new: dict[str, int] = {}
    for kind, times in kinds.items():
        name = renames.value("reasons", kind)
        new[name] = new.get(name, 0) + times
    return new


# -- Explanations ---------------------------------------------------------------------------------


def _of_steps(olds: dict[str, Any], news: dict[str, Any], renames: Renames) -> Iterable[str]:
    """Compare the steps of the coups that both audits explain.

    Which coups are explained depends on the findings.
    """
    for shoe in sorted(olds.keys() | news.keys()):
        old_coups, new_coups = olds.get(shoe, {}), news.get(shoe, {})
        for coup in sorted(old_coups.keys() & new_coups.keys(), key=int):
            due = [
                [renames.value("steps", kind), differs, events]
                for kind, differs, events in old_coups[coup]
            ]
            shown = new_coups[coup]
            if due != shown:
                gone = [step for step in due if step not in shown]
                added = [step for step in shown if step not in due]
                yield f"{shoe}, coup {coup}: {gone} -> {added}"
