"""Feed random bytes to all parsers of foreign input: errors must be reported, never a traceback.

    python -m benchmarks.fuzz_parsers [--target NAME] [--runs N] [--corpus DIRECTORY]

Atheris (``pip install '.[fuzz]'``) starts from valid seeds and keeps inputs that reach new code.
``--runs`` is the number of inputs for each target, 20,000 by default. The fuzzer also inserts words
of the seeds and values that often break parsers of JSON, numbers and text. With ``--corpus`` a run
continues from the inputs of the last one.

An exception other than `SabotError` ends the run of its target, and the input is written to a file.
The summary shows how many inputs each target read and which targets failed. A test feeds the seeds
and damaged seeds to the same targets without Atheris.
"""

import argparse
import io
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from base64 import b64encode
from collections.abc import Callable
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

try:
    import atheris
except ImportError:
    atheris = None

# what is imported in here is watched for new paths through it
with atheris.instrument_imports(include=["sabot"]) if atheris else nullcontext():
    from sabot.domain.events.points_in_time import parse_moment
    from sabot.domain.rules.rule_pack import parse_pack
    from sabot.domain.simulation.patrons.patron_spec import parse_lineup
    from sabot.domain.values.cards import parse_card
    from sabot.domain.values.errors import SabotError
    from sabot.infrastructure.evidence.bundles import (
        EVENTS_FILE,
        LIST_FILE,
        list_text,
        proof_file,
        verify_bundle,
    )
    from sabot.infrastructure.evidence.checkpoint import (
        Checkpoint,
        open_checkpoint,
        sign_checkpoint,
    )
    from sabot.infrastructure.evidence.checkpoint_table import note_sha256
    from sabot.infrastructure.evidence.event_proof import EventProof
    from sabot.infrastructure.evidence.merkle_tree import TreeHead, leaf_hash
    from sabot.infrastructure.evidence.signed_heads import SignedHead, newest_head
    from sabot.infrastructure.evidence.signed_note import SigningKey, VerifierKey
    from sabot.infrastructure.evidence.tiles import read_entries, write_entries
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
    """A parser to test. ``seeds`` are inputs that it accepts."""

    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]


def _mapped(mapping: Mapping) -> Callable[[bytes], object]:
    """Read a file by a mapping and report errors in its rows."""

    def read(data: bytes) -> object:
        complaints: list[SabotError] = []
        read = list(mapped_coups(io.BytesIO(data), "file", mapping, complaints.append))
        if not read and complaints:
            raise complaints[0]
        return read

    return read


def _drafted(data: bytes) -> object:
    """Draft a mapping for a file and check that the draft is a valid mapping."""
    drafted = draft_mapping(Peeked(io.BytesIO(data), "file"))
    try:
        return parse_mapping(drafted, "the draft")
    except SabotError as error:
        raise AssertionError(drafted) from error


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    """Decode text. Bytes that are not UTF-8 become surrogate escapes."""
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

# -- Evidence: a log of two events, signed ------------------------------------------------------

KEY: Final = SigningKey("sabot/6f1c", bytes(32))
LINES: Final = tuple(
    EVENT_LINES[0].replace(b'"6f1c"', b'"sabot/6f1c"').replace(
        b'"index":2,', b'"index":%d,' % n
    ).replace(b'"version":2', b'"version":%d' % n)
    for n in (1, 2)
)  # fmt: skip
_TREE = TreeHead()
_TREE.append(map(leaf_hash, LINES))
NOTE: Final = sign_checkpoint(KEY.verifier.name, _TREE, KEY)
PROOFS: Final = tuple(str(EventProof(n, (leaf_hash(LINES[1 - n]),), NOTE)).encode() for n in (0, 1))


def _bundle() -> bytes:
    members = {
        "checkpoint": NOTE, "verifier-key": f"{KEY.verifier}\n",
        EVENTS_FILE: b"".join(line + b"\n" for line in LINES),
    }  # fmt: skip
    listed = {
        name: data.encode() if isinstance(data, str) else data for name, data in members.items()
    }
    members[LIST_FILE] = KEY.sign(list_text(KEY.verifier.name, listed))
    members |= {proof_file(n): proof for n, proof in enumerate(PROOFS, 1)}
    with zipfile.ZipFile(to := io.BytesIO(), "w") as bundle:
        for name, data in members.items():
            packed = zipfile.ZIP_DEFLATED if name == EVENTS_FILE else zipfile.ZIP_STORED
            bundle.writestr(zipfile.ZipInfo(name), data, packed)
    return to.getvalue()


def _verify_bundle(data: bytes) -> object:
    with tempfile.NamedTemporaryFile(suffix=".zip") as file:
        file.write(data)
        file.flush()
        return verify_bundle(Path(file.name))


def _kept_head() -> bytes:
    """The JSON of the last checkpoint that a machine signed."""
    subtrees = b64encode(_TREE.subtrees).decode()
    return msgspec.json.encode(SignedHead(1, 2, subtrees, note_sha256(NOTE), "h.sabot"))


def _read_head(data: bytes) -> object:
    """Read JSON as a slot of the file beside the key, with a digest that fits."""
    return newest_head(sha256(data).hexdigest().encode() + b" " + data, Path("h.head"))


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
    "verifier-key": Target(_text(VerifierKey.parse), (str(KEY.verifier).encode(),)),
    "checkpoint": Target(_text(Checkpoint.parse), (NOTE.partition("\n\n")[0].encode() + b"\n",)),
    "signed-note": Target(lambda data: open_checkpoint(data, KEY.verifier), (NOTE.encode(),)),
    "proof": Target(
        _text(lambda text: EventProof.parse(text).check(LINES[0], KEY.verifier)), PROOFS[:1]
    ),
    "published-lines": Target(read_entries, (write_entries(list(LINES)),)),
    "bundle": Target(_verify_bundle, (_bundle(),)),
    "signed-head": Target(_read_head, (_kept_head(),)),
    "lineup": Target(
        _text(lambda text: parse_lineup(text, 9)), (b"flat:3,trend:2", b"tie-lover:unit=5000")
    ),
}


def accepts(target: Target, data: bytes) -> bool:
    """Return whether the bytes were accepted. Any exception but `SabotError` is a defect."""
    try:
        target.read(data)
    except SabotError:
        return False
    return True


TROUBLE: Final = (
    *("NaN", "Infinity", "1e400", "-0", "9007199254740992", "9" * 400, "1_0", "\u0661\u0662"),
    *("\\u0000", "\\ud800", "\0", "\ufeff", "\u202e", "null", "true", "''", '""', "[[[[[[[["),
    *("=", "+", "@", "\t", "\r\n", ";", ",,", '"a":1,"a":2'),
)
"""What JSON, numbers, CSV and text are known to trip over."""


def words_of(target: Target) -> list[bytes]:
    """Return the words that are inserted into inputs: words of the seeds and troublesome values."""
    words = {word for seed in target.seeds for word in re.findall(rb"[A-Za-z0-9_.-]{2,30}", seed)}
    return sorted(words) + [text.encode() for text in TROUBLE]


def grow(name: str, runs: int, corpus: Path) -> None:
    """Grow inputs from the target's seeds. Atheris ends the process when it is done."""
    target = TARGETS[name]
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    words = corpus.parent / f"{name}.words"
    spelt = ("".join(f"\\x{byte:02x}" for byte in word) for word in words_of(target))
    words.write_text("".join(f'"{word}"\n' for word in spelt))
    options = [f"-runs={runs}", "-max_len=4096", "-verbosity=0", "-print_final_stats=1"]
    options += [f"-dict={words}", f"-artifact_prefix={corpus.parent}/{name}-"]
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
        print("target", "inputs", "seconds", "failed", sep="\t", flush=True)
        failures = [name for name in TARGETS if not _grown(name, asked.runs, corpus)]
    if failures:
        sys.exit(f"these failed: {', '.join(failures)}")


def _grown(name: str, runs: int, corpus: Path) -> bool:
    """Grow a target's inputs in a separate process, because Atheris never returns."""
    one = [sys.executable, "-m", "benchmarks.fuzz_parsers", "--target", name]
    options = ["--runs", str(runs), "--corpus", str(corpus)]
    began = time.monotonic()
    done = subprocess.run([*one, *options], check=False, capture_output=True)
    inputs = re.search(rb"number_of_executed_units: (\d+)", done.stdout + done.stderr)
    failed = done.returncode != 0
    counted = int(inputs[1]) if inputs else 0
    print(name, counted, f"{time.monotonic() - began:.0f}", int(failed), sep="\t", flush=True)
    if failed:
        sys.stdout.buffer.write(done.stdout[-3000:] + done.stderr[-3000:])
    return not failed


if __name__ == "__main__":
    main()
