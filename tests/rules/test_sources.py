"""docs/sources.md is current, and its sources can be looked up."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from sabot.domain.audit import RULES
from sabot.domain.rules import sources
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import Source, asia_pacific, france, published, united_states
from sabot.infrastructure import reports
from sabot.infrastructure.rule_packs import shipped_packs
from tests.docs_text.sources import named_sources
from tests.support.for_each import for_each

ROOT = Path(__file__).parent.parent.parent
TOLD = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
NAMED = {
    name: source
    for module in (france, united_states, asia_pacific, published)
    for name, source in named_sources(module).items()
}


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


@for_each("source", NAMED.values(), ids=NAMED)
def test_a_source_names_its_article_and_says_so_in_a_sentence(source: Source):
    assert source.title
    assert source.article
    assert re.fullmatch(r"[A-Z].*\.", source.says)
    assert not {"|", "\n"} & {*source.title, *source.article, *source.says, *source.note}


@for_each("source", NAMED.values(), ids=NAMED)
def test_what_was_not_opened_says_what_was_read_instead(source: Source):
    if source.url is None:
        assert source.note
    else:
        assert re.fullmatch(r"https?://[^/\s()]+/[^\s]*", source.url)


@for_each("pack", shipped_packs(), ids=lambda pack: pack.name)
def test_a_shipped_pack_cites_declared_sources_alone(pack: RulePack):
    declared = {source.cite for source in NAMED.values()} | {"house convention"}
    assert pack.sources
    assert [cited for cited in pack.sources if cited not in declared] == []
    assert len(set(pack.sources)) == len(pack.sources)


@for_each("pack", shipped_packs(), ids=lambda pack: pack.name)
def test_what_a_shipped_pack_assumes_says_on_what_grounds(pack: RulePack):
    """An assumption is the house's convention, or rests on a text that was not opened."""
    grounds = re.compile(r"(house convention|text not opened): [^ ].*[^.;]")
    assert [said for said in pack.recalled if not grounds.fullmatch(said)] == []
    not_opened = [said for said in pack.recalled if said.startswith("text not opened")]
    unopened = [source.article for source in NAMED.values() if source.url is None]
    assert [said for said in not_opened if not any(each in said for each in unopened)] == []


def test_every_declared_source_is_cited_by_a_rule_a_shipped_pack_or_a_report():
    cited = {cite for rule in RULES for cite in rule.cites}
    cited |= {cite for pack in shipped_packs() for cite in pack.sources}
    for file in Path(reports.__file__).parent.glob("*.py"):
        module = import_module(f"{reports.__name__}.{file.stem}")
        cited |= {each.cite for each in vars(module).values() if isinstance(each, Source)}
    assert [name for name, source in NAMED.items() if source.cite not in cited] == []
