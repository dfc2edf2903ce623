"""The audit page: self-contained, safe for any text, and reproducible."""

import base64
import hashlib
import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from sabot.cli.console import printable
from sabot.domain import events as ev
from sabot.domain.audit import RULES
from sabot.domain.audit.report import AuditReport
from sabot.infrastructure.audits.audit_run import ONLY_SOME
from sabot.infrastructure.exports.audit_page import audit_page
from tests.infrastructure.exports.test_sarif import OF, evening, report_of
from tests.support import any_events
from tests.support.coup_notation import Felt, shoe_of
from tests.support.thorough import slow, tries

# what may stand in a page that asks nobody for anything
TAGS = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "section", "article",
    "footer", "h1", "h2", "h3", "p", "small", "ul", "li", "b", "br", "dl", "dt", "dd", "table",
    "thead", "tbody", "tr", "th", "td", "code", "span", "cite", "abbr",
}  # fmt: skip
VOID = {"meta", "br"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "title", "colspan"}


class Page(HTMLParser):
    """Reads a page. Fails on what may not be there, and on tags that do not close."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.texts: list[str] = []
        self.policy = self.style = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS, tag
        assert {name for name, _ in attrs} <= ATTRIBUTES, attrs
        if tag not in VOID:
            self.open.append(tag)
        given = dict(attrs)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.style += data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def page(report: AuditReport) -> Page:
    return Page(audit_page(report, OF, printable))


def test_its_policy_lets_nothing_in_but_its_own_style():
    read = page(evening())
    digest = base64.b64encode(hashlib.sha256(read.style.encode()).digest()).decode()
    assert read.policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert not re.search(r"url\(|@import|https?:", read.style)


def test_it_says_what_was_found_and_by_which_source():
    text = page(evening()).text
    for said in (
        "4 findings in 5 coups of 2 shoes",
        "Player drew 3 on 6",
        "Player 6 stands: Player stands on 6 and 7",
        "arrêté of 14 May 2007 on games in casinos (France), article 55-14",
        "dealer ann", "supervisor sue",
        "-16.10 EUR",
        "a missing, extra or marked card is reported within 15 minutes",
        OF.origin, OF.program, OF.rulebook_sha256, OF.source_sha256,
    ):  # fmt: skip
        assert said in text, said


def test_applied_rules_are_listed_and_the_others_stand_in_an_appendix():
    report = evening()
    report.leave_floor(ONLY_SOME)
    body, _, appendix = page(report).text.partition("Appendix: rules not applicable")
    applied = [rule for rule in RULES if report.rules[rule.code].checked]
    assert applied
    for rule in RULES:
        where, elsewhere = (body, appendix) if rule in applied else (appendix, body)
        named = f"{rule.number} {rule.code}"
        assert named in where
        assert named not in elsewhere
    for rule in applied:
        assert rule.requires in body
        assert "; ".join(rule.cites) in body
    assert "the shoe has not ended" in appendix
    assert "Other game" in appendix
    assert f"{len(RULES) - len(applied)} not applicable" in body


def test_what_the_house_has_too_much_is_added_up():
    # coup 3: commission of 25 not kept; coup 4: a tie of 500 paid 4500, not 4000
    # coup 2: a draw that won p1 1000 and p2 nothing, where 1000 were lost, and 190 won
    assert "Net effect: house short 21.35 EUR" in page(evening()).text


def test_an_empty_log_and_a_clean_one_say_so():
    assert "No shoe in the log nothing to audit" in page(AuditReport()).text
    clean = report_of(Felt().ready().coup("P 4 5  B K 8").shoe)
    assert "No findings in 1 coups of 1 shoes" in page(clean).text


def test_what_a_record_says_is_never_markup():
    evil = "<script>alert(1)</script>\"'&\u202e\x1b[2J{{ 7 * 7 }}"
    felt = Felt(stream=f"shoe/{evil}", crew=(ev.Crew("dealer", evil),)).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, evil, "tie", 500), ev.NoMoreBets(1))
    felt.cards("P 4 4  B K 9").put(ev.BetPushed(1, 1), ev.CoupClosed(1))
    read = page(report_of(felt.shoe))
    assert "<script>alert(1)</script>\"'&\\u202e\\x1b[2J{{ 7 * 7 }}" in read.text
    assert "\u202e" not in read.text


def test_the_same_audit_gives_the_same_page():
    assert audit_page(evening(), OF, printable) == audit_page(evening(), OF, printable)


@slow
@tries(12, 100)
@given(st.lists(any_events.payloads(), max_size=30))
def test_any_history_gives_a_page(payloads: list[ev.Event]):
    page(report_of(shoe_of(payloads)))
