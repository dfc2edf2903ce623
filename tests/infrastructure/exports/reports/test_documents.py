"""Reports as HTML, PDF and JSON: safe for any text, and reproducible."""

import json
from collections import Counter
from datetime import UTC
from functools import lru_cache
from html.parser import HTMLParser
from importlib.resources import files
from zoneinfo import ZoneInfo

import jsonschema
import pypdfium2
import pytest
from msgspec.structs import replace

from sabot.cli.console import printable
from sabot.cli.text.report_text import report_lines
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.values.errors import BadInput
from sabot.domain.values.periods import Period
from sabot.infrastructure.audits.audit_run import Provenance
from sabot.infrastructure.exports.reports.document import Document, Pack
from sabot.infrastructure.exports.reports.report_json import report_document
from sabot.infrastructure.exports.reports.report_page import report_page
from sabot.infrastructure.exports.reports.report_pdf import report_pdf
from sabot.infrastructure.reports.coup_journal import coup_journal
from sabot.infrastructure.reports.kinds import KINDS
from sabot.infrastructure.reports.model import Column, Figures, Report, Table, Unknown, unknown_in
from sabot.infrastructure.reports.shift_audit import shift_audit
from sabot.infrastructure.reports.statistical_win import statistical_win
from sabot.infrastructure.rule_packs import shipped
from tests.support.report_records import dealt, records, records_of, replaced, table_named
from tests.support.thorough import slow

EVIL = "</style><script>alert(1)</script>\x1b[2J\u202e=cmd|'/c calc'!A1\"\\000;"
SCHEMA = json.loads((files("sabot.infrastructure") / "schemas" / "report.schema.json").read_bytes())
OF = Provenance("sabot/1", 99, "sabot 0", "r" * 64, "s" * 64)


def document(report, **more):
    more = {"period": Period(), "zone": UTC, "zone_name": "UTC"} | more
    return Document(report, provenance=OF, **more)


def _evil(payload):
    """Every first payment is 7.00 too much, and everybody's name is hostile."""
    match payload:
        case ev.BetPaid(bet=1):
            return replace(payload, amount=payload.amount + 700)
        case ev.BetPlaced() | ev.CommissionCollected():
            return replace(payload, patron=f"{EVIL} {payload.patron}")
        case ev.ShoeLoaded():
            crew = tuple(replace(each, person=EVIL) for each in payload.crew)
            return replace(payload, table=EVIL, crew=crew)
        case _:
            return None


@lru_cache(maxsize=1)
def hostile():
    """The shift audit of a shoe whose record is hostile."""
    made = records_of(replaced(dealt(("classic-8", 8), coups=8), _evil))
    findings = tuple(audit_shoe(made.shoes[0]).findings)
    assert findings
    report = shift_audit(replace(made, findings=findings))
    return document(report, casino=EVIL, by=EVIL, covers=EVIL, appendices=True,
                    packs=(Pack("classic-8", "2", "a" * 64),))  # fmt: skip


@lru_cache(maxsize=2)
def hostile_pdf(paper):
    return report_pdf(hostile(), printable, paper=paper)


class Read(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.ids = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        given = dict(attrs)
        assert not {"style", "src", "onload", "onclick"} & given.keys()
        self.links += [given["href"]] if "href" in given else []
        self.ids += [given["id"]] if "id" in given else []


def test_html_has_no_markup_of_a_record_and_every_link_of_its_contents_leads_somewhere():
    text = report_page(hostile(), printable)
    assert "<script" not in text
    assert text.count("</style>") == 1
    assert not {"\x1b", "\u202e"} & set(text)
    assert "&lt;script&gt;alert(1)" in text
    read = Read(text)
    inside = [link[1:] for link in read.links if link.startswith("#")]
    assert inside
    assert set(inside) <= set(read.ids)
    assert all(link.startswith(("#", "http")) for link in read.links)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_printed_html_names_the_report_on_each_page(paper):
    rules = report_page(hostile(), printable, paper).partition("</style>")[0]
    page = rules[rules.rindex("@page{size:") :]
    assert {"a4": "size:A4", "letter": "size:letter"}[paper] in page
    assert "counter(page)" in page
    # all but letters, digits and blanks is escaped in a string of CSS
    strings = page.split('"')[1::2]
    assert all(set(text) <= set(_SAFE) for text in strings)


_SAFE = " \\" + "".join(map(chr, (*range(48, 58), *range(65, 91), *range(97, 123))))


def pages_of(data):
    """The pages of a PDF: their sizes, and the boxes of text with the text itself."""
    pdf = pypdfium2.PdfDocument(data)
    found = []
    for page in pdf:
        text = page.get_textpage()
        boxes = [text.get_rect(n) for n in range(text.count_rects())]
        found.append((page.get_size(), [(box, text.get_text_bounded(*box)) for box in boxes]))
    return found


def texts_of(data):
    """The texts of each page of a PDF."""
    return [[text for _box, text in boxes] for _size, boxes in pages_of(data)]


def assert_nothing_overlaps(data):
    """No two boxes of text share more than a point, and all lie on the page."""
    for (width, height), boxes in pages_of(data):
        for n, ((left, bottom, right, top), text) in enumerate(boxes):
            assert 0 <= left <= right <= width, text
            assert 0 <= bottom <= top <= height, text
            for (left2, bottom2, right2, top2), other in boxes[n + 1 :]:
                wide = min(right, right2) - max(left, left2)
                high = min(top, top2) - max(bottom, bottom2)
                assert wide <= 1 or high <= 1, (text, other)


@slow
@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
def test_nothing_overlaps_in_a_pdf_of_a_hostile_record(paper, size):
    data = hostile_pdf(paper)
    assert_nothing_overlaps(data)
    pages = pages_of(data)
    for number, (found, boxes) in enumerate(pages, 1):
        assert sorted(map(round, found)) == sorted(size)
        text = " ".join(each for _box, each in boxes)
        assert f"page {number} of {len(pages)}" in text
        assert "not signed" in text
        assert "\u202e" not in text
    assert b"/JavaScript" not in data


@slow
def test_wide_tables_fit_the_page():
    packs = (("banque-list", 6), ("macao-old", 2), ("classic-8", 8))
    made = records_of(*[dealt(pack, coups=4) for pack in packs])
    for kind in KINDS:
        if kind.make is not None:
            assert_nothing_overlaps(report_pdf(document(kind.make(made)), printable))


@slow
def test_no_heading_no_note_and_no_line_to_sign_stands_alone():
    """Two tables, the second at the end of the first page, or begun on the next one."""
    columns = (Column("a", "number", "count"), Column("b", "text"))
    second = Table("two", "Second", columns, ((1, "one row"),), notes=("its note",))
    for rows in (45, 47, 49, 51, 100):
        first = Table("one", "First", columns, tuple((n, "many rows") for n in range(rows)))
        for sections, last in (((first, second), "one row"), ((second, first), "many rows")):
            pages = texts_of(report_pdf(document(Report("x", "x", sections)), printable))
            (found,) = (page for page in pages if "Second" in page)
            assert {"one row", "its note"} <= set(found), rows
            assert {last, "Signatures"} <= set(pages[-1]), rows


@slow
def test_a_text_longer_than_a_page_is_continued_on_the_next():
    columns = (Column("a", "a"), Column("b", "b"))
    table = Table("long", "Long", columns, (("note", "word " * 2500), ("end", "end")))
    figures = Figures("figures", "Figures", (("shoes", "shoe " * 1500), ("last", "last figure")))
    pages = texts_of(report_pdf(document(Report("x", "x", (table, figures))), printable))
    words = Counter(word for page in pages for text in page for word in text.split())
    assert (words["word"], words["shoe"]) == (2500, 1500)


@slow
def test_the_same_report_gives_the_same_bytes():
    assert report_pdf(hostile(), printable) == hostile_pdf("a4")
    assert report_page(hostile(), printable) == report_page(hostile(), printable)


@slow
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_foot_names_the_rule_packs_that_fit_and_counts_the_others(paper):
    packs = tuple(Pack(name, "2", "a" * 64) for name in shipped())
    data = report_pdf(replace(hostile(), by="", packs=packs), printable, paper=paper)
    for page in texts_of(data):
        (foot,) = [text for text in page if text.startswith("rule packs: ")]
        named = sum(f"{name} version 2" in foot for name in shipped())
        assert named > 1
        assert foot.endswith(f" and {len(packs) - named} more (page 1)")
    first = " ".join(texts_of(data)[0])
    assert all(f"{name} version 2, SHA-256" in first for name in shipped())


def test_a_font_that_cannot_be_read_is_named():
    with pytest.raises(BadInput, match=r"no/such\.ttf"):
        report_pdf(hostile(), printable, font="no/such.ttf")


@pytest.mark.timeout(20)
def test_a_font_is_a_regular_file(tmp_path):
    (tmp_path / "font.ttf").symlink_to("/dev/zero")
    with pytest.raises(BadInput, match="it is a device; give a regular file"):
        report_pdf(hostile(), printable, font=str(tmp_path / "font.ttf"))


def test_characters_that_the_font_lacks_are_written_as_escapes():
    report = Report("x", "张三 Ж 6♥", ())
    text = " ".join(each for _, boxes in pages_of(report_pdf(document(report), printable))
                    for _, each in boxes)  # fmt: skip
    assert "\\u5f20\\u4e09" in text
    assert "张" not in text


@slow
def test_json_is_of_the_published_schema_and_has_every_figure():
    packs = (("classic-8", 8), ("chemin-de-fer-france", 6))
    made = records_of(*[dealt(pack, coups=4) for pack in packs])
    reports = [kind.make(made) for kind in KINDS if kind.make is not None]
    for one in (hostile(), *map(document, [*reports, statistical_win(made)])):
        told = json.loads(json.dumps(report_document(one)))
        jsonschema.validate(told, SCHEMA)
        tables = [each for each in told["sections"] if each["type"] == "table"]
        shown = one.report.tables()[: len(tables)]
        assert [len(each["rows"]) for each in tables] == [len(each.rows) for each in shown]


def test_no_two_sections_of_a_report_have_the_same_key():
    """Links within HTML and PDF, and ``--section`` lead to one section each."""
    opened = [
        ev.TableOpened(10**6, currency="EUR"), ev.TableClosed(10**6), ev.DropCounted(10**5)
    ]  # fmt: skip
    shoe = dealt(("classic-8", 8))
    table = [
        replace(event, stream="table/T1", payload=payload)
        for event, payload in zip(shoe, opened, strict=False)
    ]
    made = records_of(shoe, tables=[table])
    for report in (*(kind.make(made) for kind in KINDS if kind.make), statistical_win(made)):
        keys = Counter(each.key for each in (*report.sections, *report.appendices))
        assert set(keys.values()) == {1}, report.kind


def test_text_has_80_columns_and_no_control_characters():
    lines = list(report_lines(hostile()))
    assert not {"\x1b", "\u202e"} & set("".join(lines))
    words = [line for line in lines if all(len(word) < 60 for word in line.split())]
    assert max(map(len, words)) <= 80


def test_times_are_local_and_tell_the_hour_that_comes_twice():
    """The clocks of Paris went back on 25 October 2026 at 03:00; they went forward on 29 March."""
    paris = document(Report("x", "x", ()), zone=ZoneInfo("Europe/Paris"), zone_name="Europe/Paris")
    before, after = 1_792_888_200_000_000, 1_792_891_800_000_000  # 00:30 and 01:30 UTC
    assert paris.time(before) == "2026-10-25 02:30:00 +02:00"
    assert paris.time(after) == "2026-10-25 02:30:00 +01:00"
    spring = 1_774_746_000_000_000  # 2026-03-29T01:00:00Z
    assert paris.time(spring - 1_000_000) == "2026-03-29 01:59:59"
    assert paris.time(spring) == "2026-03-29 03:00:00"


def test_two_currencies_at_one_table_are_never_summed():
    """A shoe in EUR and one in USD, both at T1."""
    made = records_of(dealt(("classic-8", 8)), dealt(("midi", 8), seed="other"))
    assert {shoe.table for shoe in made.shoes} == {"T1"}
    table = table_named(coup_journal(made), "coups")
    sums = [row[10] for row in table.totals]
    for total in sums:
        assert total.minor == sum(
            row["staked"].minor
            for row in records(table)
            if row["staked"].currency == total.currency
        )
    assert sorted(total.currency for total in sums) == ["EUR", "USD"]
    assert len(table_named(statistical_win(made), "bets").rows) == 2


def test_what_is_not_known_is_said_with_its_reason():
    """A table whose drop box was never counted."""
    shoe = dealt(("classic-8", 8))
    opening = replace(shoe[0], stream="table/T1", payload=ev.TableOpened(10**6, currency="EUR"))
    report = statistical_win(records_of(shoe, tables=[[opening]]))
    (row,) = records(table_named(report, "hold"))
    assert isinstance(row["drop"], Unknown)
    assert isinstance(row["hold"], Unknown)
    told = unknown_in(report.sections)
    assert any(line.startswith("drop: the drop box of table T1 was not counted") for line in told)
