"""Programs that tests start: each a process of its own, with its pipes, its end and its signals.

To load the modules of the program takes longer than most of what a test has it do. So one process
(`program_server.py`) loads them once, and each program is a fork of it: it has only imported more
than it needs. What a test says of the start itself calls `subprocess`.
"""

import atexit
import inspect
import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

SABOT = (sys.executable, "-c", "from sabot.cli.main import run; run()")
"""The command line of the program; its arguments follow."""

_SERVER = Path(__file__).with_name("program_server.py")
_FLAGS = ("-W", "error")


class Program(subprocess.Popen):
    """A `subprocess.Popen` of ``python -c CODE …`` or ``python -W error -c CODE …``."""

    _ending: int | None = None
    """Where the server writes how it ended; None once that was read."""

    def _execute_child(self, *given: object) -> None:
        said = inspect.signature(super()._execute_child).bind(*given).arguments
        assert not said["preexec_fn"]
        assert not said["pass_fds"]
        _, *words = map(str, said["args"])
        flags = tuple(words[:2]) == _FLAGS
        dash_c, code, *arguments = words[2:] if flags else words
        assert dash_c == "-c"
        order = {
            "code": code,
            "arguments": arguments,
            "strict": flags,
            "cwd": os.fspath(said["cwd"] or Path.cwd()),
            "environment": dict(os.environ if said["env"] is None else said["env"]),
            "session": said["start_new_session"],
        }
        ends = [said[end] for end in ("p2cread", "c2pwrite", "errwrite")]
        self._ending, written = os.pipe()
        try:
            streams = [own if end == -1 else end for own, end in enumerate(ends)]
            self.pid = _server().start(order, [*streams, written])
        finally:
            os.close(written)
            self._close_pipe_fds(*[said[end] for end in _ENDS])
        self._child_created = True

    def _wait(self, timeout: float | None) -> int:
        if self._ending is not None and not _is_readable(self._ending, timeout):
            raise subprocess.TimeoutExpired(self.args, timeout)
        with self._waitpid_lock:
            if self._ending is not None:
                self.returncode = os.waitstatus_to_exitcode(int(os.read(self._ending, 20)))
                os.close(self._ending)
                self._ending = None
        return self.returncode

    def _internal_poll(self, *_given: object, **_named: object) -> int | None:
        try:
            return self._wait(0)
        except subprocess.TimeoutExpired:
            return None


def _is_readable(descriptor: int, timeout: float | None) -> bool:
    """Wait until a descriptor can be read. `select` would refuse those from 1,024 on."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(None if timeout is None else timeout * 1000))


_ENDS = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


def run_program(
    command: Sequence[object], *, said: str | None = None, timeout: float = 60, **options: object
) -> subprocess.CompletedProcess:
    """Run a program to its end, as `subprocess.run` does with ``capture_output`` and ``text``.

    ``said`` is its standard input.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    if said is not None:
        pipes["stdin"] = subprocess.PIPE
    with Program(command, **pipes) as program:
        try:
            out, err = program.communicate(said, timeout=timeout)
        except BaseException:
            program.kill()
            raise
    return subprocess.CompletedProcess(command, program.returncode, out, err)


class _Server:
    """The process of which programs are forks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            self._process = subprocess.Popen(
                [sys.executable, str(_SERVER), str(its.fileno())], pass_fds=[its.fileno()]
            )
        atexit.register(self.close)

    def start(self, order: dict[str, object], streams: list[int]) -> int:
        """Start a program; return its process id."""
        with self._lock:
            socket.send_fds(self._socket, [json.dumps(order).encode()], streams)
            return int(self._socket.recv(20))

    def close(self) -> None:
        """Stop: without the socket it ends."""
        self._socket.close()
        self._process.wait()


_servers: list[_Server] = []
_starting = threading.Lock()


def _server() -> _Server:
    with _starting:
        if not _servers:
            _servers.append(_Server())
        return _servers[0]
