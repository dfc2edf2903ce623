"""Time stamps of an OpenSSL authority, also checked by `openssl ts`."""

import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.support.thorough import slow

pytest.importorskip("rfc3161_client", reason="pip install rfc3161-client brings it")
pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")

CONFIG = """
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[stamping]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = critical, timeStamping
[tsa]
default_tsa = local
[local]
serial = {folder}/serial
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
accuracy = secs:1
"""


def openssl(*words: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["openssl", *map(str, words)], capture_output=True, check=False)


class Authority:
    """A root, a stamping certificate of it, and `openssl ts -reply` behind an address."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.ca = folder, folder / "ca.pem"
        self.breaks = ""
        folder.mkdir()
        self._config = folder / "openssl.cnf"
        self._config.write_text(CONFIG.format(folder=folder))
        (folder / "serial").write_text("01\n")
        self._made("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Root", "-days",
                   "30", "-config", self._config, "-extensions", "ca", "-keyout",
                   folder / "ca.key", "-out", self.ca)  # fmt: skip
        self._made("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=TSA", "-config",
                   self._config, "-keyout", folder / "tsa.key", "-out",
                   folder / "tsa.csr")  # fmt: skip
        self._made("x509", "-req", "-in", folder / "tsa.csr", "-CA", self.ca, "-CAkey",
                   folder / "ca.key", "-CAcreateserial", "-days", "30", "-extfile", self._config,
                   "-extensions", "stamping", "-out", folder / "tsa.pem")  # fmt: skip

    def _made(self, *words: object) -> None:
        done = openssl(*words)
        assert done.returncode == 0, done.stderr.decode()

    def answer(self, query: bytes) -> bytes:
        (self.folder / "query.tsq").write_bytes(query)
        self._made("ts", "-reply", "-queryfile", self.folder / "query.tsq", "-config",
                   self._config, "-section", "local", "-signer", self.folder / "tsa.pem",
                   "-inkey", self.folder / "tsa.key", "-out",
                   self.folder / "reply.tsr")  # fmt: skip
        reply = (self.folder / "reply.tsr").read_bytes()
        return reply[:-9] + bytes((reply[-9] ^ 1,)) + reply[-8:] if self.breaks else reply


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority") / "tsa")


@pytest.fixture
def address(authority: Authority) -> Iterator[str]:
    authority.breaks = ""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/timestamp-query"
            answer = authority.answer(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def sabot(*words: object) -> int:
    return guard(build(), [*map(str, words)])


@pytest.fixture
def folder(sqlite_url: str, tmp_path: Path) -> Path:
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent("shoe/A", ev.CoupOpened(n)) for n in range(1, 20)])
    assert sabot("evidence", "publish", tmp_path / "out", "--database", sqlite_url) == 0
    return tmp_path / "out"


@slow
def test_a_checkpoint_is_stamped_and_the_stamp_checked(
    folder: Path, sqlite_url: str, authority: Authority, address: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert sabot("evidence", "timestamp", folder, "--url", address, "--tsa", authority.ca) == 0
    verify = ("verify", folder)
    assert sabot(*verify) == 0
    assert "1 time stamps were not checked; give --tsa" in capsys.readouterr().err
    assert sabot(*verify, "--tsa", authority.ca) == 0
    assert "19 events existed at 20" in capsys.readouterr().err
    # OpenSSL checks the same files
    token, data = folder / "timestamps/19.tsr", folder / "timestamps/19.checkpoint"
    checked = openssl("ts", "-verify", "-in", token, "-data", data, "-CAfile", authority.ca)
    assert checked.returncode == 0, checked.stderr
    # the log goes on; the stamped checkpoint still counts
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent("shoe/A", ev.CoupOpened(20))])
    assert sabot("evidence", "publish", folder, "--database", sqlite_url) == 0
    assert sabot(*verify, "--tsa", authority.ca) == 0
    capsys.readouterr()
    words = ("verify", "--database", sqlite_url, "--published", folder, "--tsa", authority.ca)
    assert sabot(*words, "--format", "json") == 0
    assert "19 events existed at 20" in capsys.readouterr().err


@slow
def test_a_broken_stamp_is_neither_kept_nor_believed(
    folder: Path, authority: Authority, address: str, tmp_path: Path
) -> None:
    words = ("evidence", "timestamp", folder, "--url", address, "--tsa")
    authority.breaks = "a bit of the signature"
    assert sabot(*words, authority.ca) == 3
    assert not (folder / "timestamps").exists()
    authority.breaks = ""
    stranger = Authority(tmp_path / "stranger")
    assert sabot(*words, stranger.ca) == 3
    assert not (folder / "timestamps").exists()
    assert sabot(*words, authority.ca) == 0
    assert sabot("verify", folder, "--tsa", stranger.ca) == 3
    token = folder / "timestamps/19.tsr"
    whole = token.read_bytes()
    for broken in (whole[:-9] + bytes((whole[-9] ^ 1,)) + whole[-8:], whole[:50], b""):
        token.write_bytes(broken)
        assert sabot("verify", folder, "--tsa", authority.ca) == 3
        data = folder / "timestamps/19.checkpoint"
        checked = openssl("ts", "-verify", "-in", token, "-data", data, "-CAfile", authority.ca)
        assert checked.returncode != 0
    token.write_bytes(whole)
    assert sabot("verify", folder, "--tsa", authority.ca) == 0
    note = folder / "timestamps/19.checkpoint"
    note.write_text(note.read_text().replace("\n19\n", "\n18\n"))
    assert sabot("verify", folder, "--tsa", authority.ca) == 3
