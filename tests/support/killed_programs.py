"""Programs that are killed in the middle of their work with SIGKILL.

A victim is a command that works until it is killed. It prints a line for each thing that it was
told is safe. Several victims are started ahead and wait for a line on standard input, so that none
is killed while it is still starting::

    for victim in victims(KILLS, [sys.executable, "-c", PROGRAM, url]):
        said = victim.let_work_then_kill(random.randint(0, 3), random.uniform(0, 0.1))
        ...compare the log with the lines...
"""

import os
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Timer

from tests.support.programs import Program
from tests.support.thorough import FULL

ROOT = Path(__file__).parents[2]


KILLS = 60 if FULL else 5
"""How often a program of one kind is killed on one store."""

_AHEAD = 4


class Victim:
    """A program that waits for its work."""

    def __init__(self, command: Sequence[str], **environment: str) -> None:
        self._process = Program(
            list(command),
            cwd=ROOT,
            env=os.environ | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def let_work_then_kill(self, lines: int, seconds: float, work: str = "") -> list[str]:
        """Start its work, and kill it after so many lines and a delay.

        The number of lines makes it reach the middle of its work on a slow machine too. The delay
        chooses the moment after that.

        Returns:
            all complete lines that it printed. A line that was cut off does not count.
        """
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            process.stdin.write(f"{work}\n".encode())
            process.stdin.flush()
            said = b"".join(process.stdout.readline() for _ in range(lines))
            Timer(seconds, process.kill).start()
            said += process.stdout.read()  # to its end, which is the kill
        finally:
            process.kill()
            errors = process.stderr.read().decode()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                pipe.close()
        assert not errors, errors
        assert process.returncode == -9, "it ended before it was killed: give it more to do"
        return said.decode().split("\n")[:-1]


def victims(
    number: int, command: Sequence[str] | Callable[[int], Sequence[str]], **environment: str
) -> Iterator[Victim]:
    """Start programs ahead of time. Yield them one by one."""
    ready: deque[Victim] = deque()
    for n in range(number):
        while len(ready) < _AHEAD and n + len(ready) < number:
            ready.append(
                Victim(command(n + len(ready)) if callable(command) else command, **environment)
            )
        yield ready.popleft()
