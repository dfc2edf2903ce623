"""docs/sources.md is current, and what it lists can be looked up."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sabot.domain.rules import sources
from sabot.domain.rules.sources import Source, asia_pacific, france, published, united_states
from sabot.infrastructure.rule_packs import shipped_packs
from tests.docs_text.sources import named_sources

ROOT = Path(__file__).parent.parent.parent
TOLD = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
NAMED = {
    name: source
    for module in (france, united_states, asia_pacific, published)
    for name, source in named_sources(module).items()
}

# how the packs write of a public text, and how docs/sources.md does
PACKS_WRITE = (
    (r"arrêté of 14 May 2007", "arrêté of 14 May 2007"),
    (r"\b(?:55/2004|73/2005|83/2011|56/2018)", "{}"),
    (r"La\. (42:III-3106)", "LAC {}"),
    (r"COMAR 36\.05\.03\.14", "{}"),
    (r"58 Pa\. Code 627a", "58 Pa. Code § 627a."),
    (r"NJ (13:69E-1\.18)", "N.J.A.C. {}"),
    (r"NY (5322\.15)", "9 NYCRR {}"),
    (r"205 CMR 146\.49", "{}"),
    (r"NSW (12\.4)", "rule 12 ({}"),
    (r"Qld (r\. 11A)", "{}"),
    (r"Zender", "{}"),
)


def test_the_page_is_current():
    written = subprocess.run(
        [sys.executable, "-m", "tests.docs_text.write_sources"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert written.stdout.decode() == TOLD
    assert written.stderr == b""


def test_every_source_is_handed_on_and_listed_once():
    assert {*NAMED, "HOUSE_CONVENTION", "Source"} == set(sources.__all__)
    assert len(set(NAMED.values())) == len(NAMED)
    assert [name for name in NAMED if TOLD.count(f"| `{name}` |") != 1] == []


@pytest.mark.parametrize("source", NAMED.values(), ids=NAMED)
def test_a_source_names_its_article_and_says_so_in_a_sentence(source: Source):
    assert source.title
    assert source.article
    assert re.fullmatch(r"[A-Z].*\.", source.says)
    assert not {"|", "\n"} & {*source.title, *source.article, *source.says, *source.note}


@pytest.mark.parametrize("source", NAMED.values(), ids=NAMED)
def test_what_was_not_opened_says_what_was_read_instead(source: Source):
    if source.url is None:
        assert source.note
    else:
        assert re.fullmatch(r"https?://[^/\s()]+/[^\s]*", source.url)


@pytest.mark.parametrize(("theirs", "ours"), PACKS_WRITE)
def test_what_packs_cite_is_listed(theirs: str, ours: str):
    cited = [text for pack in shipped_packs() for text in pack.sources]
    found = [match for text in cited for match in re.finditer(theirs, text)]
    assert found
    assert [match[0] for match in found if ours.format(match[match.re.groups]) not in TOLD] == []
