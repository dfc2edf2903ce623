"""Mappings, which describe how to read another program's file as coup lines.

They are TOML files written by the user. `docs/import.md` explains the format. Shipped mappings are
found by name.
"""

import codecs
import re
from functools import cache
from importlib.resources import files
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from sabot.domain.values.errors import BadInput, NotFound
from sabot.domain.values.money import Rounding
from sabot.domain.values.suggestions import did_you_mean
from sabot.domain.values.toml_text import parse_toml
from sabot.infrastructure.files.text_input import read_text
from sabot.infrastructure.imports.parsing import zone_named
from sabot.infrastructure.imports.strict_json import StrictReader

MAX_MAPPING_BYTES: Final = 64 * 1024

Text = Annotated[str, Meta(min_length=1, max_length=1000)]
Rank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "0"]
"""The rank of a card; ``0`` is any ten-valued card."""


class _Part(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"from_": "from"}
):
    """A section; an unknown key is an error."""


# a fixed tuple of annotated texts makes msgspec crash
Pair = Annotated[tuple[Text, ...], Meta(min_length=2, max_length=2)]
Columns = Annotated[tuple[Text | Pair, ...], Meta(min_length=1)]
"""The columns of a hand's cards; a pair is those of a card's rank and suit."""


class Source(_Part, frozen=True):
    """Where the value of a key comes from, and how to read it.

    Exactly one of ``from`` (a column, a path in a JSON object, or a list of them for cards),
    ``constant`` and ``count`` (the running number of a shoe's consecutive coups) is given.
    """

    from_: Text | Columns | None = None
    constant: Text | int | None = None
    count: Literal["lines"] | None = None
    optional: bool = False
    none: tuple[str, ...] = ()
    values: dict[str, str | int] = {}
    others: Literal["keep"] | None = None
    suits: dict[Text, Literal["c", "d", "h", "s"]] = {}
    ranks: dict[Text, Rank] = {}
    card: Pair | None = None
    separator: str | None = None
    scale: Annotated[int, Meta(ge=0, le=8)] | None = None
    round: Rounding | None = None
    decimal: Annotated[str, Meta(min_length=1, max_length=1)] = "."
    remove: str = ""
    format: Text | None = None
    zone: Text | None = None


Spec = Text | Columns | Source
"""A source, or its ``from`` alone."""


class CoupKeys(_Part, frozen=True):
    """The keys of a coup line.

    ``each`` is the path of a list whose elements are the coups of a line.
    """

    shoe: Spec
    coup: Spec
    player: Spec | None = None
    banker: Spec | None = None
    decks: Spec | None = None
    rules: Spec | None = None
    table: Spec | None = None
    at: Spec | None = None
    burned: Spec | None = None
    each: Text | None = None


class CalledKeys(_Part, frozen=True):
    """The keys of ``called``."""

    player: Spec | None = None
    banker: Spec | None = None
    outcome: Spec | None = None


class BetKeys(_Part, frozen=True):
    """The keys of one bet.

    ``each`` is the path of a list, or of an object, whose elements are bets. An entry without an
    amount is not a bet. With ``skip_zero``, neither is one with an amount of zero.
    """

    patron: Spec
    wager: Spec
    amount: Spec
    net: Spec | None = None
    each: Text | None = None
    skip_zero: bool = False


class CsvShape(_Part, frozen=True):
    """The format of a CSV file. ``columns`` names the columns if there is no header line."""

    delimiter: Annotated[str, Meta(min_length=1, max_length=1)] = ","
    quote: Annotated[str, Meta(min_length=1, max_length=1)] = '"'
    columns: tuple[Text, ...] = ()


class Mapping(_Part, frozen=True):
    """A mapping file. ``rows`` is whether a line holds a coup or a bet."""

    format: Literal["jsonl", "csv"]
    coup: CoupKeys
    called: CalledKeys = CalledKeys()
    bets: tuple[BetKeys, ...] = ()
    csv: CsvShape = CsvShape()
    encoding: Text = "utf-8"
    rows: Literal["coup", "bet"] = "coup"
    title: str = ""


Kind = Literal["text", "number", "money", "cards", "time"]
KINDS: Final[dict[str, Kind]] = {
    "shoe": "text",
    "coup": "number",
    "player": "cards",
    "banker": "cards",
    "decks": "number",
    "rules": "text",
    "table": "text",
    "at": "time",
    "burned": "cards",
    "called.player": "number",
    "called.banker": "number",
    "called.outcome": "text",
    "patron": "text",
    "wager": "text",
    "amount": "money",
    "net": "money",
}
"""The kind of value of each key of a coup line."""

_OPTIONS: Final[dict[Kind, set[str]]] = {
    "text": set(),
    "number": {"decimal", "remove"},
    "money": {"decimal", "remove", "scale", "round"},
    "cards": {"separator", "suits", "ranks", "card"},
    "time": {"format", "zone"},
}
_EVERYWHERE: Final = {"from_", "constant", "count", "optional", "none", "values", "others"}
_ENCODINGS: Final = re.compile(
    r"utf-8(-sig)?|utf-16(-[bl]e)?|ascii|iso8859-\d+|cp\d+|mac-\w+|koi8-[rtu]|"
    r"shift_jis|euc_(jp|kr)|big5|gbk|gb18030"
)
"""The canonical names of the encodings in which records are found."""
_ADVICE: Final = {"": "docs/import.md explains mappings"}
_READER: Final = StrictReader(Mapping, _ADVICE)


def source_of(spec: Spec) -> Source:
    """Return the source of a key in its long form."""
    return spec if isinstance(spec, Source) else Source(from_=spec)


@cache
def shipped_mappings() -> dict[str, str]:
    """Return the text of every shipped mapping by name, sorted by name."""
    folder = files("sabot.infrastructure") / "mappings"
    return {
        entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8")
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".toml")
    }


def load_mapping(name: str) -> Mapping:
    """Return a shipped mapping by name, or a mapping file by path.

    Raises:
        NotFound: there is no mapping of that name, or no file at that path.
        BadInput: the file is not a mapping; the error names the file and the key.
    """
    text = shipped_mappings().get(name)
    if text is not None:
        return parse_mapping(text, name)
    if not name.endswith(".toml"):
        shipped = shipped_mappings()
        hint = did_you_mean(name, shipped, f"shipped are {', '.join(shipped)}")
        raise NotFound(
            f"there is no mapping {name!r}; {hint} (a mapping of your own is the path of a "
            ".toml file)"
        )
    return parse_mapping(read_text(name, MAX_MAPPING_BYTES), name)


def parse_mapping(text: str, name: str) -> Mapping:
    """Parse a mapping's text.

    Raises:
        BadInput: the text is not TOML, or not a mapping; the error names the file and the key.
    """
    try:
        mapping = _READER.convert(parse_toml(text, "the mapping"))
        _check(mapping)
    except BadInput as error:
        raise error.at(name) from None
    return mapping


def _check(mapping: Mapping) -> None:
    """Check constraints beyond the types. The error begins with the key's path."""
    for path, key, spec in _specs(mapping):
        try:
            _check_source(source_of(spec), KINDS[key], key)
        except BadInput as error:
            raise BadInput(f"{path}: {error.message}") from None
    _check_hands(mapping)
    _check_encoding(mapping.encoding)
    if mapping.rows == "bet" and source_of(mapping.coup.coup).count is not None:
        raise BadInput('coup.coup: lines are bets (rows = "bet"), so they do not count coups')
    if mapping.rows == "bet" and mapping.coup.each is not None:
        raise BadInput('coup.each: lines are bets (rows = "bet"), so they have no list of coups')
    if mapping.format == "csv":
        for number, bet in enumerate(mapping.bets):
            if bet.each is not None:
                raise BadInput(f"bets[{number}].each: a CSV row has no lists; use jsonl")
        if mapping.csv.delimiter == mapping.csv.quote or mapping.csv.delimiter in "\r\n":
            raise BadInput("csv.delimiter: it must be another character than the quote")
    elif mapping.csv != CsvShape():
        raise BadInput('csv: the format is jsonl; set format = "csv", or leave the section out')


def _check_hands(mapping: Mapping) -> None:
    """Check that both hands are mapped, or the outcome instead."""
    coup = mapping.coup
    if (coup.player is None) is not (coup.banker is None):
        missing = "player" if coup.player is None else "banker"
        raise BadInput(f"coup: the key {missing!r} is missing; map both hands, or neither")
    if coup.player is None and mapping.called.outcome is None:
        raise BadInput("coup: map player and banker, or called.outcome of a record without cards")


def _check_encoding(name: str) -> None:
    try:
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        known = ""
    if not _ENCODINGS.fullmatch(known):
        raise BadInput(
            f"encoding: {name[:40]!r} is unknown; write for example utf-8, utf-16, cp1252, "
            "latin-1 or gb18030"
        )


def _specs(mapping: Mapping) -> "list[tuple[str, str, Spec]]":
    """Return every mapped key: its path in the file, its name in ``KINDS``, and its source."""
    parts: list[tuple[str, str, Struct]] = [
        ("coup.", "", mapping.coup),
        ("called.", "called.", mapping.called),
    ]
    parts += [(f"bets[{number}].", "", bet) for number, bet in enumerate(mapping.bets)]
    return [
        (f"{path}{key}", f"{prefix}{key}", getattr(part, key))
        for path, prefix, part in parts
        for key in part.__struct_fields__
        if f"{prefix}{key}" in KINDS and getattr(part, key) is not None
    ]


def _check_source(source: Source, kind: Kind, key: str) -> None:
    given = {name for name in ("from_", "constant", "count") if getattr(source, name) is not None}
    if len(given) != 1:
        raise BadInput("give one of from, constant and count")
    if source.count is not None and key != "coup":
        raise BadInput("count numbers the coups of a shoe; it goes with coup alone")
    if isinstance(source.from_, tuple) and kind != "cards":
        raise BadInput("a list of columns goes with cards alone; name one column")
    _check_options(source)
    defaults = Source()
    for name in source.__struct_fields__:
        if name in _EVERYWHERE or name in _OPTIONS[kind]:
            continue
        if getattr(source, name) != getattr(defaults, name):
            fit = ", ".join(sorted(_OPTIONS[kind])) or "none"
            raise BadInput(f"{name} has no effect here; options with an effect: {fit}")


def _check_options(source: Source) -> None:
    if source.others is not None and not source.values:
        raise BadInput('others = "keep" is about texts that values does not list; give values')
    if source.zone is not None:
        zone_named(source.zone)
    if source.format is None and source.zone is not None:
        raise BadInput("zone goes with format; without a format the time has its own offset")
    if source.decimal in "0123456789+-eE" or (source.remove and source.decimal in source.remove):
        raise BadInput("decimal must be a sign that numbers do not use otherwise")
