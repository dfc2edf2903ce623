"""What rules rest on, as the text of docs/sources.md."""

from itertools import groupby
from types import ModuleType
from typing import Final
from urllib.parse import urlsplit

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

What the rules of the audit and the rule packs rest on, so that it can be looked up. Generated from
the constants of `domain/rules/sources/`: `python -m tests.docs_text.write_sources >
docs/sources.md`.

*What it says* is a summary in our own words, of what rules rest on alone; the text itself decides.
The address is one whose text was opened, in a stored copy of the page, as far as what is said of
it here; where more is said than was read there, what it rests on follows the address. *Not
opened*: no address was. Most are copies of the official text, and texts are amended: see what is
in force before you rely on one.
"""

_PARTS: Final[tuple[tuple[str, ModuleType], ...]] = (
    ("France", france),
    ("United States", united_states),
    ("Macau, Singapore, Australia", asia_pacific),
    ("Books, papers and pages", published),
)

_HOUSE: Final = f"""\
## House convention

{HOUSE_CONVENTION.says} Such a rule goes by {HOUSE_CONVENTION.article}.
"""

_HEAD: Final = "| article | name | what it says | address |\n| --- | --- | --- | --- |"


def named_sources(module: ModuleType) -> dict[str, Source]:
    """The sources of a module by the names of their constants, in its order."""
    return {name: value for name, value in vars(module).items() if isinstance(value, Source)}


def sources_markdown() -> str:
    """Return docs/sources.md whole."""
    parts = [_part(title, module) for title, module in _PARTS]
    return "\n".join((_INTRODUCTION, *parts, _HOUSE))


def _part(title: str, module: ModuleType) -> str:
    text = f"## {title}\n"
    named = named_sources(module).items()
    for work, sources in groupby(named, key=lambda each: each[1].title):
        rows = "\n".join(_row(name, source) for name, source in sources)
        text += f"\n### {work}\n\n{_HEAD}\n{rows}\n"
    return text


def _row(name: str, source: Source) -> str:
    return f"| {source.article} | `{name}` | {source.says} | {_address(source)} |"


def _address(source: Source) -> str:
    if source.url is None:
        where = "not opened"
    else:
        where = f"[{urlsplit(source.url).hostname}]({source.url})"
    return f"{where}; {source.note}" if source.note else where
