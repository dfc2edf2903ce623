"""What rules rest on, as the text of docs/sources.md."""

from itertools import groupby
from types import ModuleType
from typing import Final
from urllib.parse import urlsplit

from sabot.domain.audit import RULES
from sabot.domain.rules.sources import (
    HOUSE_CONVENTION,
    Source,
    asia_pacific,
    france,
    published,
    united_states,
)

_INTRODUCTION: Final = """\
# Where the rules come from

This page lists the texts behind the rules of the audit and the rule packs. It is generated from
`domain/rules/sources/` by `python -m tests.docs_text.write_sources > docs/sources.md`.

| column | content |
| --- | --- |
| name | the constant in the code |
| says | our own summary of the part that rules use; the text itself decides |
| address | the page, of which a stored copy was read. If the summary says more than that copy, a \
note names the basis of the rest. *Not opened* means that no text was read |
| rules | the numbers of the rules that cite it ([rules.md](rules.md)); none if only packs do |

Most addresses are copies of the official text, and texts are amended. Check what is in force before
you rely on one.
"""

_PARTS: Final[tuple[tuple[str, ModuleType], ...]] = (
    ("France", france),
    ("United States", united_states),
    ("Macau, Singapore, Australia", asia_pacific),
    ("Books, papers and pages", published),
)

_HOUSE: Final = f"""\
## House convention

{HOUSE_CONVENTION.says} Such a rule follows {HOUSE_CONVENTION.article}. These rules cite it:
RULES.
"""

_HEAD: Final = "| article | name | says | address | rules |\n| --- | --- | --- | --- | --- |"


def named_sources(module: ModuleType) -> dict[str, Source]:
    """The sources of a module by the names of their constants, in its order."""
    return {name: value for name, value in vars(module).items() if isinstance(value, Source)}


def sources_markdown() -> str:
    """Return docs/sources.md whole."""
    parts = [_part(title, module) for title, module in _PARTS]
    house = _HOUSE.replace("RULES", rules_citing(HOUSE_CONVENTION))
    return "\n".join((_INTRODUCTION, *parts, house))


def _part(title: str, module: ModuleType) -> str:
    text = f"## {title}\n"
    named = named_sources(module).items()
    for work, sources in groupby(named, key=lambda each: each[1].title):
        rows = "\n".join(_row(name, source) for name, source in sources)
        text += f"\n### {work}\n\n{_HEAD}\n{rows}\n"
    return text


def _row(name: str, source: Source) -> str:
    cells = (source.article, f"`{name}`", source.says, _address(source), rules_citing(source))
    return f"| {' | '.join(cells)} |"


def rules_citing(source: Source) -> str:
    """The numbers of the rules that cite a source."""
    return ", ".join(sorted(rule.number for rule in RULES if source in rule.sources))


def _address(source: Source) -> str:
    if source.url is None:
        where = "not opened"
    else:
        where = f"[{urlsplit(source.url).hostname}]({source.url})"
    return f"{where}; {source.note}" if source.note else where
