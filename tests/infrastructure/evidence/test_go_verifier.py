"""Published directories and proofs, verified with Go's own libraries.

The toolchain comes with ``pip install -e '.[verifier]'``. Without it these tests are skipped, and
the run says so.
"""

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from benchmarks.evidence import coup
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.evidence.bundles import verify_bundle
from sabot.infrastructure.evidence.event_line import event_line
from sabot.infrastructure.evidence.publishing import event_tree, publish
from sabot.infrastructure.evidence.stored_events import stored_events
from sabot.infrastructure.evidence.witnesses import request_cosignature
from sabot.infrastructure.exports.evidence_bundle import write_bundle
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.rule_packs import shoe_loaded
from tests.infrastructure.evidence.test_witnesses import Witness, serving

HERE = Path(__file__).parent / "go_verifier"
MODULE = "golang.org/x/mod"


def toolchain() -> Path | None:
    """Where the Go of the wheel is, which has a module with notes and tiles inside."""
    try:
        import go  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    return Path(str(go.__path__[0]))


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled program."""
    root = toolchain()
    if root is None:
        pytest.skip("no Go toolchain: pip install -e '.[verifier]' brings one")
    folder = tmp_path_factory.mktemp("go")
    shutil.copy(HERE / "main.go", folder)
    for name in ("note", "tlog"):
        source = root / "src/cmd/vendor" / MODULE / "sumdb" / name
        shutil.copytree(source, folder / "mod/sumdb" / name)
    (folder / "mod/go.mod").write_text(f"module {MODULE}\n\ngo 1.24\n")
    (folder / "go.mod").write_text(
        f"module verifier\n\ngo 1.24\n\nrequire {MODULE} v0.0.0\n\nreplace {MODULE} => ./mod\n"
    )
    subprocess.run(
        [root / "bin/go", "build", "-o", "verifier", "."],
        cwd=folder,
        check=True,
        env={
            "GOROOT": str(root),
            "GOCACHE": str(folder / "cache"),
            "GOPATH": str(folder / "path"),
            "GOFLAGS": "-mod=mod",
            "GOTOOLCHAIN": "local",
            "GOPROXY": "off",
            "CGO_ENABLED": "0",
            "HOME": str(folder),
            "PATH": "/usr/bin:/bin",
        },
    )
    return folder / "verifier"


def verified(verifier: Path, *arguments: object) -> tuple[int, str]:
    ran = subprocess.run(
        [verifier, *map(str, arguments)], check=False, capture_output=True, text=True
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_go_verifies_what_is_published_and_refuses_what_was_changed(
    verifier: Path, sqlite_url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "public"
    with EventLog.open(sqlite_url) as log:
        for coups in (range(1, 12), range(12, 30)):
            log.load([coup(number, "S") for number in coups])
            published = publish(log.database, folder, entries=True)
        proof, line = tmp_path / "proof", tmp_path / "line"
        proof.write_text(str(event_tree(log.database).proof(300)))
        rows = next(iter(stored_events(log.database, after=299, until=300)))
        line.write_bytes(event_line(rows[0], log.origin))
    assert verified(verifier, published.key, folder, proof, line) == (
        0,
        "725 lines are as they were signed\n",
    )
    other = tmp_path / "other"
    other.write_bytes(line.read_bytes().replace(b"S", b"T"))
    assert verified(verifier, published.key, folder, proof, other)[0] == 1
    for name in ("checkpoint", "tile/entries/001", "tile/0/000", "tile/0/002.p/213"):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[:40] + bytes([data[40] ^ 1]) + data[41:])
        assert verified(verifier, published.key, folder)[0] == 1, name
        (folder / name).write_bytes(data)
    assert verified(verifier, published.key, folder)[0] == 0


def test_go_verifies_a_cosignature_and_refuses_a_broken_one(
    verifier: Path, sqlite_url: str, tmp_path: Path
) -> None:
    folder, witness = tmp_path / "public", Witness()
    with EventLog.open(sqlite_url) as log:
        log.load([coup(number, "S") for number in range(1, 5)])
        key = publish(log.database, folder, entries=True).key
    words = ("-witness", witness.key, key, folder)
    assert verified(verifier, *words)[0] == 1  # nobody has cosigned it
    with serving(witness) as url:
        request_cosignature(folder, url, witness.key)
    code, said = verified(verifier, *words)
    assert (code, said) == (0, "100 lines are as they were signed\n")
    note = (folder / "checkpoint").read_text()
    other = "A" if note[-20] != "A" else "B"
    (folder / "checkpoint").write_text(note[:-20] + other + note[-19:])
    assert verified(verifier, *words)[0] == 1


def test_go_verifies_a_bundle_and_refuses_one_that_was_changed(
    verifier: Path, sqlite_url: str, tmp_path: Path
) -> None:
    bundle, changed = tmp_path / "S.zip", tmp_path / "changed.zip"
    with EventLog.open(sqlite_url) as log:
        log.load([coup(1, "other"), [NewEvent("shoe/S", shoe_loaded())], coup(1, "S")])
        key = publish(log.database, tmp_path / "public").key
        write_bundle(log, "S", bundle, str, replace=False)
    assert verified(verifier, key, bundle) == (0, "26 lines are as they were signed\n")
    with zipfile.ZipFile(bundle) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    lines = members["events.jsonl"].splitlines(keepends=True)
    for number, broken in enumerate((
        [*lines[:3], lines[3].replace(b'"actor":"dealer"', b'"actor":"daeler"'), *lines[4:]],
        [*lines[:3], *lines[4:]],
        [*lines[:3], lines[4], lines[3], *lines[5:]],
        lines[1:],
    )):  # fmt: skip
        with zipfile.ZipFile(changed, "w") as to:
            for name, data in {**members, "events.jsonl": b"".join(broken)}.items():
                to.writestr(name, data)
        assert verified(verifier, key, changed)[0] == 1, number
    last = f"proofs/{len(lines) + 25}.tlog-proof"
    cut = {**members, "events.jsonl": b"".join(lines[:-1])}
    cut.pop(last)
    surplus = {**members, "proofs/1.tlog-proof": members[last]}
    other = {**members, "checkpoint": members["checkpoint"].replace(b"\n51\n", b"\n50\n")}
    for name, broken_members in (("cut", cut), ("surplus", surplus), ("checkpoint", other)):
        with zipfile.ZipFile(changed, "w") as to:
            for member, data in broken_members.items():
                to.writestr(member, data)
        assert verified(verifier, key, changed)[0] == 1, name


def test_go_verifies_a_payload_that_is_not_canonical(
    verifier: Path, sqlite_url: str, tmp_path: Path
) -> None:
    """Another program stored it. The bundle has it as text, and the tree as it is stored."""
    bundle = tmp_path / "S.zip"
    with EventLog.open(sqlite_url) as log:
        log.load([[NewEvent("shoe/S", shoe_loaded())], coup(1, "S")])
        with log.database.writing() as connection:
            connection.exec_driver_sql(
                "INSERT INTO log_event SELECT 27, NULL, stream, 27, name, at_us, recorded_us,"
                """ actor, device, NULL, '{"type": "coup-opened", "coup": 2}', stored_us, login,"""
                " source FROM log_event WHERE id = 2"
            )
    with EventLog.open(sqlite_url) as log:
        log.checkpoints.write()
        key = publish(log.database, tmp_path / "public").key
        write_bundle(log, "S", bundle, str, replace=False)
    assert b'"payload":"{' in zipfile.ZipFile(bundle).read("events.jsonl")
    assert verify_bundle(bundle).problems == []
    assert verified(verifier, key, bundle) == (0, "27 lines are as they were signed\n")
