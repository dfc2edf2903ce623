"""`sabot record --listen` answers each line of a connection once, in order."""

import contextlib
import json
import signal
import socket
import ssl
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.rule_packs import shoe_loaded
from tests.support.programs import SABOT, Program, run_program
from tests.support.thorough import one_store

pytestmark = one_store

TOKEN = "correct horse battery"


def line(payload, stream="shoe/H", **keys):
    return json.dumps({"stream": stream, "fact": payload} | keys).encode() + b"\n"


LOADED = line({"type": "shoe-loaded", "decks": 8, "pack": "classic-8"})


def opened(coup, **keys):
    return line({"type": "coup-opened", "coup": coup}, **keys)


class Client:
    """A connection that sends lines and reads answers."""

    def __init__(self, port, tls=None, host="127.0.0.1"):
        plain = socket.create_connection((host, port), timeout=20)
        self.socket = plain if tls is None else tls.wrap_socket(plain, server_hostname=host)
        self.answers = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.answers.close()
        self.socket.close()

    def send(self, *lines):
        self.socket.sendall(b"".join(lines))

    def said(self):
        return json.loads(self.answers.readline() or b"null")

    def ask(self, sent):
        self.send(sent)
        return self.said()


@contextlib.contextmanager
def listening(url, *options, host="127.0.0.1", start=SABOT):
    """The verb in a process of its own. Gives the process and its port."""
    command = [*start, "record"]
    command += ["--listen", f"{host}:0", "--database", url, *options]
    with Program(command, stderr=subprocess.PIPE, text=True) as program:
        try:
            said = program.stderr.readline()
            assert said.startswith(f"listening on {host}:"), said
            yield program, int(said.rpartition(":")[2])
        finally:
            program.kill()


def end(program):
    """Tell the process to end. Return its exit code and the rest of its talk."""
    program.send_signal(signal.SIGTERM)
    _, said = program.communicate(timeout=20)
    return program.returncode, said


def test_each_connection_has_its_own_lines_and_answers(database_url):
    with listening(database_url) as (program, port):
        with Client(port) as first, Client(port) as second:
            assert first.ask(LOADED) == {"line": 1, "index": 1, "version": 1, "known": False}
            second.send(opened(1), b"{\r\n", b"\n", opened(0), opened(2))
            answers = [second.said() for _ in range(4)]
            assert [answer["line"] for answer in answers] == [1, 2, 4, 5]
            assert [answer.get("index") for answer in answers] == [2, None, None, 3]
            assert answers[1]["error"].startswith("column 2: this is not JSON")
            assert first.ask(opened(3))["line"] == 2
            # the last line of a client needs no newline
            second.send(opened(4).rstrip())
            second.socket.shutdown(socket.SHUT_WR)
            assert second.said()["line"] == 6
            assert second.said() is None
        code, said = end(program)
    assert code == 0
    assert said.count("sabot: 127.0.0.1:") == 2
    with EventLog.open(database_url) as log:
        first, *coups = log.read("shoe/H")
        assert first.payload == shoe_loaded("classic-8", decks=8)
        assert [event.payload.coup for event in coups] == [1, 2, 3, 4]


def test_clients_come_and_go(database_url):
    """Each sends until a line is answered. Every second connection is dropped unread."""
    clients, each = 6, 40

    def work(port, device):
        answered = {}
        for attempt in range(1000):
            due = [n for n in range(each) if n not in answered][:7]
            if not due:
                return answered
            with Client(port) as client, contextlib.suppress(OSError):
                client.send(*(opened(n + 1, device=device, seq=n) for n in due))
                if attempt % 2:
                    continue
                for n in due:
                    answered[n] = client.said()["index"]
        raise AssertionError(answered)

    with listening(database_url) as (program, port):
        with Client(port) as client:
            client.ask(LOADED)
        with ThreadPoolExecutor(clients) as pool:
            found = list(pool.map(lambda n: work(port, f"cam {n}"), range(clients)))
        assert end(program) == (0, "")
    with EventLog.open(database_url) as log:
        events = {event.index: event for event in log.read("shoe/H")}
    assert len(events) == 1 + clients * each
    for number, answered in enumerate(found):
        for seq, index in answered.items():
            assert (events[index].device, events[index].seq) == (f"cam {number}", seq)


def test_what_was_read_is_answered_when_the_process_is_told_to_end(sqlite_url):
    """The client goes on sending: each answer that it gets is recorded, and the connection ends."""
    with listening(sqlite_url) as (program, port), Client(port) as client:
        client.ask(LOADED)
        answers = []
        with ThreadPoolExecutor(1) as pool:

            def send():
                with contextlib.suppress(OSError):
                    for number in range(1, 100_000):
                        client.send(opened(number))

            sending = pool.submit(send)
            while len(answers) < 200:
                answers.append(client.said())
            program.send_signal(signal.SIGTERM)
            with contextlib.suppress(OSError):
                while answer := client.said():
                    answers.append(answer)
            sending.result(30)
        assert program.wait(20) == 0
    with EventLog.open(sqlite_url) as log:
        coups = [event.payload.coup for event in log.read("shoe/H")[1:]]
    assert [answer["line"] for answer in answers] == list(range(2, len(answers) + 2))
    assert coups[: len(answers)] == list(range(1, len(answers) + 1))


_FEW_FILES = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
from sabot.cli.main import run; run()
"""


def test_too_many_connections_for_the_limit_of_open_files_wait(database_url):
    few = (sys.executable, "-c", _FEW_FILES)
    with listening(database_url, start=few) as (program, port):
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(Client(port)) for _ in range(60)]
            for client in clients:
                client.send(table := line({"type": "table-closed", "inventory": 5}, "table/T"))
            assert clients[0].said()["line"] == 1
            assert clients[0].ask(table)["line"] == 2
            for client in clients[:-1]:
                client.socket.shutdown(socket.SHUT_RDWR)
            assert clients[-1].said()["line"] == 1
        code, said = end(program)
    assert code == 0
    assert "Too many open files" in said
    assert "cannot listen" not in said


def test_an_address_in_use_is_refused(sqlite_url):
    with socket.create_server(("127.0.0.1", 0)) as other:
        where = f"127.0.0.1:{other.getsockname()[1]}"
        done = run_program([*SABOT, "record", "--listen", where, "--database", sqlite_url])
    assert done.returncode == 2
    assert f"cannot listen on {where}: " in done.stderr


def test_limits(sqlite_url):
    with listening(sqlite_url, "--clients", "2", "--idle", "1") as (program, port):
        with Client(port) as client, Client(port) as other:
            answers = [client.ask(LOADED), client.ask(b'{"a":"' + b"x" * 70_000 + b'"}\n')]
            assert answers[1]["error"].startswith("the line is longer than 65536 bytes")
            assert client.ask(opened(1))["line"] == 3
            assert other.ask(opened(2))["line"] == 1
            with Client(port) as third:
                assert third.said() == {
                    "line": 0,
                    "error": "there are too many connections; try again later",
                }
                assert third.said() is None
            assert client.said() is None  # a second without a line ends the connection
        with Client(port) as client:
            assert client.ask(opened(3))["version"] == 4
        assert end(program)[0] == 0


@pytest.fixture
def certificate(tmp_path):
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "recorder")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    pem, secret = tmp_path / "cert.pem", tmp_path / "key.pem"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    )
    return pem, secret


def test_clients_without_the_token_keep_nobody_out(sqlite_url, tmp_path):
    (tmp_path / "token").write_text(TOKEN)
    options = ("--token-file", str(tmp_path / "token"), "--clients", "2")
    with listening(sqlite_url, *options) as (program, port), contextlib.ExitStack() as silent:
        for _ in range(5):
            silent.enter_context(Client(port))
        with Client(port) as client:
            assert client.ask(json.dumps({"token": TOKEN}).encode() + b"\n") == {
                "line": 0,
                "token": "accepted",
            }
            assert client.ask(LOADED)["index"] == 1
        assert end(program)[0] == 0


def test_tls_and_a_token(sqlite_url, certificate, tmp_path):
    pem, secret = certificate
    token = tmp_path / "token"
    token.write_text(f"{TOKEN}\n")
    options = ["--tls-cert", pem, "--tls-key", secret, "--token-file", token]
    trusted = ssl.create_default_context(cafile=pem)
    with listening(sqlite_url, *map(str, options), host="0.0.0.0") as (program, port):
        with Client(port, trusted) as client:
            assert client.ask(json.dumps({"token": TOKEN}).encode() + b"\n") == {
                "line": 0,
                "token": "accepted",
            }
            assert client.ask(LOADED)["line"] == 1
        for first in (b'{"token":"correct horse batterY"}\n', b'{"token":7}\n', LOADED):
            with Client(port, trusted) as client:
                client.send(first, opened(1))
                assert client.said()["error"].startswith("the token is wrong; ")
                assert client.said() is None
        with pytest.raises(ssl.SSLCertVerificationError):
            Client(port, ssl.create_default_context())
        with Client(port) as client, contextlib.suppress(OSError):
            client.send(LOADED)
            assert client.answers.read() == b""
        code, said = end(program)
    assert code == 0
    assert TOKEN not in said
    with EventLog.open(sqlite_url) as log:
        assert log.head() == 1


def test_a_client_that_does_not_hang_up_ends_without_a_traceback(sqlite_url, certificate):
    pem, secret = certificate
    options = ["--tls-cert", str(pem), "--tls-key", str(secret), "--idle", "1"]
    trusted = ssl.create_default_context(cafile=pem)
    with listening(sqlite_url, *options) as (program, port), Client(port, trusted) as client:
        client.ask(LOADED)
        # the server closes the connection, and waits for the client's part of the closing
        assert client.said() is None
        code, said = end(program)
    assert (code, said) == (0, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--listen", "0.0.0.0:0"], "requires --tls-cert, --tls-key and a token"),
        (["--listen", ":0"], "requires --tls-cert, --tls-key and a token"),
        (["--listen", "7416"], "is not HOST:PORT"),
        (["--listen", "127.0.0.1:99999"], "is not HOST:PORT"),
        (["--listen", "no.such.host.invalid:1"], "there is no host"),
        (["--listen", "127.0.0.1:0", "--tls-key", "x"], "go together; give both"),
        (["--listen", "127.0.0.1:0", "--tls-key", "x", "--tls-cert", "y"], "No such file"),
        (["--listen", "127.0.0.1:0", "--token-file", "short"], "fewer than 16 characters"),
        (["--listen", "127.0.0.1:0", "--strict"], "--strict is for standard input"),
        (["--listen", "203.0.113.1:1", "--tls-cert", "c", "--tls-key", "k"], "No such file"),
    ],
)
def test_what_is_refused_before_it_begins(options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SABOT_RECORD_TOKEN", raising=False)
    Path("short").write_text("0123456789")
    assert guard(build(), ["record", *options, "--database", "new.sabot"]) == 2
    assert message in capsys.readouterr().err
    assert not Path("new.sabot").exists()


def test_a_log_that_cannot_be_trusted_ends_it(sqlite_url):
    with listening(sqlite_url) as (program, port), Client(port) as client:
        assert client.ask(LOADED)["line"] == 1
        Path(sqlite_url).rename(f"{sqlite_url}.old")
        assert client.ask(opened(1)) is None
        assert program.wait(20) == 3
        assert "somebody removed, renamed or replaced" in program.stderr.read()
