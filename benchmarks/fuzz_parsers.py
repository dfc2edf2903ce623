"""Throws bytes at whatever reads what others wrote: an error that is told, never a traceback.

    python -m benchmarks.fuzz_parsers [--target NAME] [--runs N] [--corpus DIRECTORY]

Atheris (``pip install '.[fuzz]'``) grows each input from seeds that are accepted, by what new
code it reaches; ``--runs`` inputs a target, 20,000 unless told. A corpus that is kept goes on
from where it stopped. A traceback that is no `SabotError` ends the run, and the input that
brought it is written to a file. A test throws seeds and bent seeds at the same targets without it.
"""

import argparse
import io
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

try:
    import atheris
except ImportError:
    atheris = None

from contextlib import nullcontext

# what is imported in here is watched for new paths through it
with atheris.instrument_imports(include=["sabot"]) if atheris else nullcontext():
    from sabot.domain.events.points_in_time import parse_moment
    from sabot.domain.rules.rule_pack import parse_pack
    from sabot.domain.simulation.patrons.patron_spec import parse_lineup
    from sabot.domain.values.cards import parse_card
    from sabot.domain.values.errors import SabotError
    from sabot.infrastructure.exports.event_lines import read_event_line
    from sabot.infrastructure.imports.coup_line import read_coup_line
    from sabot.infrastructure.imports.input_files import Peeked
    from sabot.infrastructure.imports.mapped_coups import mapped_coups
    from sabot.infrastructure.imports.mapping import (
        Mapping,
        load_mapping,
        parse_mapping,
        shipped_mappings,
    )
    from sabot.infrastructure.imports.mapping_draft import draft_mapping
    from sabot.infrastructure.imports.record_line import read_record_line
    from sabot.infrastructure.rule_packs import shipped

RUNS: Final = 20_000


class Target(NamedTuple):
    """Something that reads bytes; ``seeds`` are inputs that it accepts."""

    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]


def _mapped(mapping: Mapping) -> Callable[[bytes], object]:
    """Read a file by a mapping; what is wrong with its rows is complained of."""

    def read(data: bytes) -> object:
        complaints: list[SabotError] = []
        read = list(mapped_coups(io.BytesIO(data), "file", mapping, complaints.append))
        if not read and complaints:
            raise complaints[0]
        return read

    return read


def _drafted(data: bytes) -> object:
    """Draft a mapping for a file; the draft has to be a mapping."""
    drafted = draft_mapping(Peeked(io.BytesIO(data), "file"))
    try:
        return parse_mapping(drafted, "the draft")
    except SabotError as error:
        raise AssertionError(drafted) from error


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    """Read text; bytes that are no UTF-8 come as the halves of characters that Python makes."""
    return lambda data: read(data.decode("utf-8", "surrogateescape"))


RECORD_LINES: Final = (
    (
        b'{"stream":"shoe/H-1","device":"reader-7","seq":12,"at":"2026-01-01T20:00:00.5Z",'
        b'"fact":{"type":"card-drawn","coup":3,"hand":"player","card":"4d","place":17}}'
    ),
    b'{"stream":"table/T1","id":"a-1","fact":{"type":"chips-bought","patron":"p1","amount":5}}',
    (
        b'{"stream":"shoe/H-1","fact":{"type":"fact-corrected","version":3,"reason":"misread",'
        b'"instead":{"type":"bet-placed","coup":1,"bet":1,"patron":"p1","wager":"tie","amount":5}}}'
    ),
)
COUP_LINES: Final = (
    (
        b'{"shoe":"H-1","decks":8,"rules":"classic-8","table":"T1","coup":1,'
        b'"at":"2026-01-01T20:00:00Z","burned":["7c"],"player":["4d","Qs"],"banker":["10h","8"],'
        b'"called":{"player":4,"banker":8,"outcome":"B"},'
        b'"bets":[{"patron":"p0","wager":"banker","amount":2500,"net":2375}]}'
    ),
)
EVENT_LINES: Final = (
    (
        b'{"actor":"ann","at_us":1767297600000000,"device":"d","event_id":null,"index":2,'
        b'"name":"no-more-bets","origin":"6f1c","payload":{"coup":1,"type":"no-more-bets"},'
        b'"recorded_us":1767297600000001,"schema":"sabot-event-1","seq":2,"stream":"shoe/H-1",'
        b'"version":2}'
    ),
)
CSV_ROWS: Final = (
    "Shoe;Date;Coup;P1;P2;P3;B1;B2;B3;Winner;Player bet;Banker bet\n"
    "S-12;31/01/2026 21:04;1;4♦;Q♠;;10♥;8♣;;Bank;;1.250,50\n"
).encode()
JSON_ROWS: Final = (
    b'{"game_id":"G1","start":"2024-01-01T20:00:00Z","player":["4h","10h"],"banker":["6d","10c"],'
    b'"player_id":"x","recorded":{"player_total":4,"banker_total":6,"outcome":"Banker wins!",'
    b'"bet":"Banker","wager":907.0,"net":861.65}}\n'
)
SHOE_ROWS: Final = (
    b'{"id":"S1","coups":[{"p":[{"rank":"Q","suit":"Hearts"}],"b":["4d"],"bets":{"tie":5}}]}\n'
)
SHOE_MAPPING: Final = """
format = "jsonl"
encoding = "utf-8-sig"
[coup]
each = "coups"
shoe = "^id"
coup = { count = "lines" }
player = { from = "p", card = ["rank", "suit"], suits = { Hearts = "h" }, none = ["NA"] }
banker = { from = "b", ranks = { Dame = "Q" }, values = { X = "T" }, others = "keep" }
[[bets]]
each = "bets"
patron = { constant = "x" }
wager = "@key"
amount = "."
"""
PACKS: Final = tuple(text.encode() for text in shipped().values())

TARGETS: Final = {
    "record-line": Target(read_record_line, RECORD_LINES),
    "coup-line": Target(read_coup_line, COUP_LINES),
    "event-line": Target(read_event_line, EVENT_LINES),
    "csv": Target(_mapped(load_mapping("coups-csv")), (CSV_ROWS,)),
    "json-rows": Target(_mapped(load_mapping("gryai")), (JSON_ROWS,)),
    "shoe-rows": Target(_mapped(parse_mapping(SHOE_MAPPING, "map.toml")), (SHOE_ROWS,)),
    "draft": Target(_drafted, (CSV_ROWS, JSON_ROWS, SHOE_ROWS)),
    "mapping": Target(
        _text(lambda text: parse_mapping(text, "map.toml")),
        tuple(text.encode() for text in shipped_mappings().values()),
    ),
    "rule-pack": Target(_text(parse_pack), PACKS),
    "card": Target(_text(parse_card), (b"4d", b"10h", "A♠".encode(), b"0")),
    "moment": Target(_text(parse_moment), (b"#12", b"2026-01-01T20:00:00Z", b"21:15")),
    "lineup": Target(
        _text(lambda text: parse_lineup(text, 9)), (b"flat:3,trend:2", b"tie-lover:unit=5000")
    ),
}


def accepts(target: Target, data: bytes) -> bool:
    """Tell whether the bytes were read; what else is raised than a `SabotError` is a defect."""
    try:
        target.read(data)
    except SabotError:
        return False
    return True


def grow(name: str, runs: int, corpus: Path) -> None:
    """Grow inputs from the target's seeds; atheris ends the program when it is done."""
    target = TARGETS[name]
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    options = [f"-runs={runs}", "-max_len=4096", "-verbosity=0", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], lambda data: accepts(target, data))
    atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--target", choices=sorted(TARGETS))
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--corpus", type=Path)
    asked = parser.parse_args()
    if atheris is None:
        parser.error("atheris is not installed: pip install '.[fuzz]'")
    with tempfile.TemporaryDirectory() as temporary:
        corpus = asked.corpus or Path(temporary)
        if asked.target:
            grow(asked.target, asked.runs, corpus / asked.target)
        for name in TARGETS:  # a process each: atheris does not give its own back
            one = [sys.executable, "-m", "benchmarks.fuzz_parsers", "--target", name]
            options = ["--runs", str(asked.runs), "--corpus", str(corpus)]
            print(name, flush=True)
            subprocess.run([*one, *options], check=True)


if __name__ == "__main__":
    main()
