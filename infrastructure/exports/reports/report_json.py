"""A report as a JSON document (`report.schema.json`)."""

from fractions import Fraction

import msgspec

from sabot.domain.events.points_in_time import format_time
from sabot.infrastructure.exports.reports.document import Document, amount_text
from sabot.infrastructure.reports.model import (
    Chart,
    Curve,
    Figures,
    Linked,
    Moment,
    Money,
    Named,
    Pictures,
    Section,
    Table,
    Unknown,
    Value,
)

VERSION = 1


def report_document(document: Document) -> dict[str, object]:
    """Return a report in plain types. The same report gives the same document."""
    report, of = document.report, document.provenance
    return {
        "version": VERSION,
        "kind": report.kind,
        "title": report.title,
        "casino": document.casino,
        "by": document.by,
        "period": _period(document),
        "covers": document.covers,
        "log": {
            "origin": of.origin,
            "last_index": of.last_index,
            "signed": of.signed,
            "root": of.root or None,
            "verified": False,
        },
        "program": of.program,
        "source_sha256": of.source_sha256,
        "rulebook_sha256": of.rulebook_sha256,
        "rule_packs": [
            {"name": pack.name, "version": pack.version, "sha256": pack.sha256}
            for pack in document.packs
        ],
        "sections": [_section(section) for section in report.sections],
        "appendices": [
            _section(section) for section in (report.appendices if document.appendices else ())
        ],
        "notes": list(report.notes),
        "unknown": list(report.unknown),
        "sources": [msgspec.to_builtins(each) for each in report.sources],
    }


def _period(document: Document) -> dict[str, object]:
    first, last = document.read or (None, None)
    return {
        "from": _time(document.period.from_us),
        "to": _time(document.period.to_us),
        "until_event": document.until_event,
        "name": document.span or None,
        "zone": document.zone_name,
        "first_event": _time(first),
        "last_event": _time(last),
    }


def _time(us: int | None) -> str | None:
    return None if us is None else format_time(us)


def _section(section: Section) -> dict[str, object]:
    named: dict[str, object] = {"key": section.key, "title": section.title}
    match section:
        case Table():
            return {**named, **_table(section)}
        case Chart():
            bars = [
                {"label": bar.label, "value": bar.value, "low": bar.low, "high": bar.high}
                for bar in section.bars
            ]
            return {**named, "type": "chart", "bars": bars, "note": section.note}
        case Curve():
            return {
                **named,
                "type": "curve",
                "values": list(section.values),
                "level": section.level,
                "alarm": section.alarm,
                "note": section.note,
            }
        case Pictures():
            pictures = [
                {"title": each.title, "coup": each.coup.number, "caption": each.caption}
                for each in section.pictures
            ]
            return {**named, "type": "pictures", "pictures": pictures}
        case Figures():
            return {
                **named,
                "type": "figures",
                "figures": [
                    {"name": name, "value": plain(value)} for name, value in section.figures
                ],
            }


def _table(table: Table) -> dict[str, object]:
    keys = [column.key for column in table.columns]
    return {
        "type": "table",
        "columns": [
            {"key": column.key, "title": column.title, "kind": column.kind}
            for column in table.columns
        ],
        "rows": [dict(zip(keys, map(plain, row), strict=True)) for row in table.rows],
        "totals": [dict(zip(keys, map(plain, row), strict=True)) for row in table.totals],
        "notes": list(table.notes),
    }


def plain(value: Value) -> object:
    """Return a cell in plain types.

    Money is an object with the exact amount: ``minor`` is an integer, or a fraction as a string. A
    rate is an object with the exact ``fraction`` and its ``value``. A time is ISO 8601 in UTC.
    """
    match value:
        case Money(minor=minor, currency=currency, minor_units=minor_units):
            exact = minor if isinstance(minor, int) else _fraction(minor)
            return {
                "amount": amount_text(value).replace(",", ""),
                "minor": exact,
                "currency": currency or None,
                "minor_units": minor_units,
            }
        case Moment(us=us):
            return format_time(us)
        case Unknown(why=why):
            return {"unknown": why}
        case Linked(text=text, url=url):
            return {"text": text, "url": url}
        case Fraction():
            return {"fraction": _fraction(value), "value": float(value)}
        case Named(name=stored) | stored:
            return stored


def _fraction(value: Fraction) -> str | int:
    return f"{value.numerator}/{value.denominator}" if value.denominator != 1 else int(value)
