"""Cosignatures of a witness that asks for the proof over HTTP.

The witness here reads requests by itself, and checks the proof against a tree that it computes from
the log's leaves, not from tiles.
"""

import threading
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.evidence.publishing import read_published
from sabot.infrastructure.evidence.signed_note import COSIGNATURE, SigningKey, VerifierKey
from sabot.infrastructure.evidence.tiles import CHECKPOINT_FILE
from sabot.infrastructure.evidence.witnesses import request_cosignature
from sabot.infrastructure.log.event_log import EventLog
from tests.support.thorough import slow

AT = 1_767_297_600


class Witness:
    """Cosigns what continues the tree that it has seen last; ``lies`` changes its answers."""

    def __init__(self, name: str = "witness.example/w1") -> None:
        self.signer = SigningKey(name, sha256(name.encode()).digest())
        self.key = VerifierKey(name, COSIGNATURE, self.signer.verifier.public)
        self.size, self.root = 0, b""
        self.requests: list[str] = []
        self.lies = ""

    def answer(self, body: str) -> tuple[int, str, bytes]:
        self.requests.append(body)
        head, text = body.split("\n\n", 1)
        old, *hashes = head.split("\n")
        text = text.split("\n\n")[0] + "\n"
        _, size, root = text.splitlines()
        if int(old.removeprefix("old ")) != self.size or self.lies == "another size":
            seen = 9_999 if self.lies == "another size" else self.size
            return 409, "text/x.tlog.size", f"{seen}\n".encode()
        if self.size == int(size) and self.root != b64decode(root):
            return 409, "text/plain", b""
        if self.size and not continues(
            self.size, int(size), self.root, b64decode(root), [b64decode(h) for h in hashes]
        ):
            return 422, "text/plain", b""
        self.size, self.root = int(size), b64decode(root)
        time = AT.to_bytes(8, "big")
        signed = f"cosignature/v1\ntime {AT}\n{text if self.lies != 'another text' else 'x'}"
        signature = self.key.key_id + time + self.signer.sign_bytes(signed.encode())
        return 200, "text/plain", f"— {self.key.name} {b64encode(signature).decode()}\n".encode()


def continues(old: int, new: int, was: bytes, now: bytes, proof: list[bytes]) -> bool:
    """RFC 9162, section 2.1.4.2, word by word."""
    if old == new:
        return not proof
    if not proof:
        return False
    if old & (old - 1) == 0:
        proof = [was, *proof]
    fn, sn = old - 1, new - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = proof[0]
    for c in proof[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = sha256(b"\1" + c + fr).digest(), sha256(b"\1" + c + sr).digest()
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = sha256(b"\1" + sr + c).digest()
        fn, sn = fn >> 1, sn >> 1
    return (fr, sr, sn) == (was, now, 0)


@contextmanager
def serving(witness: Witness) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/add-checkpoint"
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            status, kind, answer = witness.answer(body)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def grow(url: str, events: int) -> None:
    with EventLog.open(url) as log:
        first = log.head() + 1
        log.append([NewEvent("shoe/A", ev.CoupOpened(n)) for n in range(first, first + events)])


def sabot(*words: object) -> int:
    return guard(build(), [*map(str, words)])


@pytest.fixture
def folder(sqlite_url: str, tmp_path: Path) -> Path:
    grow(sqlite_url, 300)
    assert sabot("evidence", "publish", tmp_path / "out", "--database", sqlite_url) == 0
    return tmp_path / "out"


@slow
def test_a_published_log_is_cosigned_as_it_grows(
    folder: Path, sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    witness = Witness()
    verify = ("verify", "--database", sqlite_url, "--published", folder)
    with serving(witness) as url:
        cosign = ("evidence", "cosign", folder, "--url", url, "--witness", witness.key)
        assert sabot(*cosign) == 0
        assert "cosigned the checkpoint" in capsys.readouterr().err
        assert sabot(*verify, "--witness", witness.key) == 0
        assert f"{witness.key.name} cosigned the checkpoint at 2026-01-01T20:00:00Z" in (
            capsys.readouterr().err
        )
        for more in (1, 57, 700):  # the witness says what it has, and gets the proof from there
            grow(sqlite_url, more)
            sabot("evidence", "publish", folder, "--database", sqlite_url)
            assert sabot(*verify, "--witness", witness.key) == 3  # not cosigned yet
            assert sabot(*cosign) == 0
            assert sabot(*verify, "--witness", witness.key) == 0
        assert witness.size == 1058
        assert [body.split("\n")[0] for body in witness.requests[-2:]] == ["old 0", "old 358"]
        # a second publish and a second request change nothing
        before = (folder / CHECKPOINT_FILE).read_bytes()
        sabot("evidence", "publish", folder, "--database", sqlite_url)
        assert sabot(*cosign) == 0
        assert (folder / CHECKPOINT_FILE).read_bytes() == before


def test_a_quorum_of_witnesses(folder: Path) -> None:
    one, two = Witness("one"), Witness("two")
    verify = ("verify", folder, "--witness", one.key, "--witness", two.key)
    with serving(one) as url:
        request_cosignature(folder, url, one.key)
    assert sabot(*verify) == 3
    assert sabot(*verify, "--quorum", 1) == 0
    assert sabot(*verify, "--quorum", 3) == 2
    assert sabot(*verify[:4], "--witness", one.key) == 0  # the same witness twice is one
    with serving(two) as url:
        request_cosignature(folder, url, two.key)
    assert sabot(*verify) == 0
    assert len(read_published(folder).note.splitlines()) == 7


@pytest.mark.parametrize("lie", ["another size", "another text"])
def test_a_witness_that_saw_another_log_or_signs_another_text(folder: Path, lie: str) -> None:
    witness = Witness()
    witness.lies = lie
    before = (folder / CHECKPOINT_FILE).read_bytes()
    with serving(witness) as url, pytest.raises(UntrustedLog):
        request_cosignature(folder, url, witness.key)
    assert (folder / CHECKPOINT_FILE).read_bytes() == before


def test_a_witness_shows_that_a_log_was_replaced(
    folder: Path, sqlite_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An insider with the key publishes another history: the witness does not cosign it."""
    witness = Witness()
    with serving(witness) as url:
        request_cosignature(folder, url, witness.key)
        witness.root = sha256(b"what was published before").digest()
        grow(sqlite_url, 10)
        sabot("evidence", "publish", tmp_path / "anew", "--database", sqlite_url)
        words = ("evidence", "cosign", tmp_path / "anew", "--url", url, "--witness", witness.key)
        assert sabot(*words) == 2
    assert "does not accept the proof that the log continues" in capsys.readouterr().err


def test_nobody_answers_or_the_key_is_no_witness_s(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = Witness().key
    assert sabot("evidence", "cosign", folder, "--url", "http://127.0.0.1:1", "--witness", key) == 2
    assert "does not answer" in capsys.readouterr().err
    assert sabot("evidence", "cosign", folder, "--url", "file:///etc", "--witness", key) == 2
    log_key = read_published(folder).key
    assert sabot("evidence", "cosign", folder, "--url", "http://x", "--witness", log_key) == 2
    assert "is not a witness's key" in capsys.readouterr().err
