"""Forks programs: ``python program_server.py SOCKET``, started by `tests.support.programs`."""

import atexit
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import threading
import types
import warnings

MODULES = (
    "sabot.cli.main",
    *(
        f"sabot.cli.verbs.{name}"
        for name in ("audit", "detect", "import_record", "lists", "log", "projections")
    ),
    "sabot.infrastructure.evidence.ed25519",
    "sabot.infrastructure.log.event_log",
    "sabot.infrastructure.projections.projector",
    "alembic.command",
    "importlib.readers",
    "psycopg",
    "pydantic.plugin._loader",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "typer._adapters",
)
_MOST = 1 << 20
_STREAMS = 4


def serve(control: socket.socket) -> dict:
    """Fork a program for each order, until nobody is left to give one; return in a fork alone."""
    running: dict[int, int] = {}
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        if woken in ready:
            os.read(woken, 1000)
            _tell_who_ended(running)
        if control not in ready:
            continue
        order, streams, _, _ = socket.recv_fds(control, _MOST, _STREAMS)
        if not order:
            os._exit(0)
        *own, ending = streams
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            control.close()
            for each in (woken, wake, ending, *running.values()):
                os.close(each)
            return {**json.loads(order), "streams": own}
        for each in own:
            os.close(each)
        running[pid] = ending
        control.send(str(pid).encode())


def _tell_who_ended(running: dict[int, int]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            break
        ending = running.pop(pid)
        os.write(ending, str(status).encode())
        os.close(ending)


def become(order: dict) -> None:
    """Make this process what the interpreter would have started."""
    for number, stream in enumerate(order["streams"]):
        os.dup2(stream, number)
        os.close(stream)
    if order["session"]:
        os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = ["-c", *order["arguments"]]
    sys.path[0] = ""
    if order["strict"]:
        warnings.simplefilter("error")
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(  # noqa: SIM115
        2, "w", buffering=1, errors="backslashreplace", closefd=False
    )
    sys.modules["__main__"] = types.ModuleType("__main__")


def run(code: str) -> int:
    """Run the text of a program, and wait for its threads. Return its exit code.

    What it raises ends this process as it would have ended its own.
    """
    try:
        exec(compile(code, "<string>", "exec"), sys.modules["__main__"].__dict__)
    except SystemExit as ended:
        threading._shutdown()
        if ended.code is None or isinstance(ended.code, int):
            return (ended.code or 0) & 0xFF
        sys.stderr.write(f"{ended.code}\n")
        return 1
    threading._shutdown()
    return 0


def end(code: int) -> None:
    """End this process as the interpreter does, without taking its modules apart.

    They are those of the server. To change them makes a copy of each page of its memory.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except OSError as error:
            code = 120
            if stream is sys.stdout:
                sys.stderr.write(f"Exception ignored in: {stream!r}\n{error!r}\n")
    os._exit(code)


def main() -> None:
    """Load what programs load, then serve."""
    control = socket.socket(fileno=int(sys.argv[1]))
    for name in MODULES:
        importlib.import_module(name)
    gc.freeze()
    order = serve(control)
    become(order)
    end(run(order["code"]))


if __name__ == "__main__":
    main()
