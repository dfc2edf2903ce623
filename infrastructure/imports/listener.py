"""Take record lines over TCP. Each line on a connection gets one answer, in order.

The lines that wait on all connections are committed together. Further lines of a connection are
read only after the earlier ones are answered. So a fast sender waits for the log, and needs no
memory here. A client that disconnects loses nothing that was answered, and sends the rest again.
"""

import asyncio
import hmac
import json
import signal
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.recording import Answer, LineGroups, Numbered, Recording

CHUNK_BYTES: Final = 1 << 16
MOST_LINES: Final = 5000
"""Lines that are committed together at most."""
PATIENCE_SECONDS: Final = 10.0
"""How long a client may take for the TLS handshake, for its token, and for the last answers."""
WRONG_TOKEN_SECONDS: Final = 1.0
"""How long a client with a wrong token waits for its answer."""
SHUTDOWN_SECONDS: Final = 1.0
"""How long a client may take to end TLS once its connection is closed here."""
_TLS_PATIENCE: Final = {
    "ssl_handshake_timeout": PATIENCE_SECONDS,
    "ssl_shutdown_timeout": SHUTDOWN_SECONDS,
}
REPEAT_SECONDS: Final = 60.0
"""How often an error that goes on, such as too many open files, is told again."""


class Access(Struct, frozen=True):
    """The conditions under which a client may connect.

    Attributes:
        token: the text that a client sends first; None requires none.
        tls: certificate and key; None does not encrypt.
        clients: the highest number of admitted connections at a time, and of those that have not
            sent the token yet.
        idle_seconds: the time without a line after which a connection is closed.
    """

    token: str | None = None
    tls: ssl.SSLContext | None = None
    clients: int = 100
    idle_seconds: float = 600.0


class _Group(Struct):
    """Lines of one client, and the future result with their answers."""

    lines: Sequence[Numbered]
    answers: asyncio.Future[list[Answer]]


class Listener:
    """Takes lines from clients and answers them.

    Args:
        recording: records the lines.
        access: the conditions under which a client may connect.
        show: a function that makes the text of an answer.
        tell: a function that takes messages about refused lines and clients.
    """

    def __init__(
        self,
        recording: Recording,
        access: Access,
        *,
        show: Callable[[Answer], str],
        tell: Callable[[str], None],
    ) -> None:
        self._recording = recording
        self._access = access
        self._show = show
        self._tell = tell
        self._clients: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        self._strangers: dict[asyncio.StreamWriter, None] = {}
        self._told: dict[str, float] = {}
        self._waiting: asyncio.Queue[_Group] = asyncio.Queue()
        self._ending = asyncio.Event()

    async def serve(
        self, host: str, port: int, *, began: Callable[[str], None], stop: threading.Event
    ) -> None:
        """Take lines until SIGTERM or SIGINT ends the process.

        Lines that were read by then are still recorded and answered.

        Args:
            host: the address to listen at.
            port: the port; 0 chooses a free one.
            began: a function called with the address once clients can connect.
            stop: is set when the process is told to end.

        Raises:
            BadInput: the address cannot be used.
            SabotError: the log failed; lines without an answer are not acknowledged.
        """
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._tell_error)
        server = await self._listen(host, port)
        # clients may take all files, so the modules for threads are loaded before the first
        await asyncio.to_thread(lambda: None)
        name, used = server.sockets[0].getsockname()[:2]
        began(f"[{name}]:{used}" if ":" in name else f"{name}:{used}")
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._end, stop)
        recorder = asyncio.create_task(self._record())
        try:
            await self._serve_until_end(recorder)
        finally:
            server.close()
            recorder.cancel()
            for writer in (*self._clients, *self._strangers):
                writer.transport.abort()

    async def _listen(self, host: str, port: int) -> asyncio.Server:
        options = {} if self._access.tls is None else _TLS_PATIENCE
        try:
            return await asyncio.start_server(
                self._client, host, port, limit=CHUNK_BYTES, ssl=self._access.tls, **options
            )
        except OSError as error:
            raise BadInput(
                f"cannot listen on {host}:{port}: {error.strerror}; choose another --listen"
            ) from error

    def _end(self, stop: threading.Event) -> None:
        stop.set()
        self._ending.set()

    def _tell_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Report an error of a connection in one line. Repeat the same error seldom."""
        text = f"{context['message']}: {context.get('exception', '')}"
        if loop.time() - self._told.get(text, -REPEAT_SECONDS) >= REPEAT_SECONDS:
            self._told[text] = loop.time()
            self._tell(text)

    async def _serve_until_end(self, recorder: "asyncio.Task[None]") -> None:
        """Wait for a signal to end, and until the lines that were read are answered."""
        ending = asyncio.create_task(self._ending.wait())
        await asyncio.wait((recorder, ending), return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        if not recorder.done() and self._clients:
            answered = asyncio.gather(*self._clients.values(), return_exceptions=True)
            both = (recorder, answered)
            await asyncio.wait(both, timeout=PATIENCE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if recorder.done():
            recorder.result()

    # -- One client ---------------------------------------------------------------------------

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a client until its connection is closed, or until the program ends."""
        # Python before 3.12 prints a traceback for the task of a client that was cancelled
        with suppress(asyncio.CancelledError):
            await self._serve_client(reader, writer)

    async def _serve_client(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        peer = writer.get_extra_info("peername")
        name = f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) else "client"
        try:
            if self._access.token is not None and not await self._admitted(reader, writer, name):
                return
            if len(self._clients) >= self._access.clients:
                await self._refuse(writer, name, "there are too many connections; try again later")
                return
            task = asyncio.current_task()
            assert task is not None
            self._clients[writer] = task
            await self._talk(reader, writer, name)
        except (OSError, TimeoutError):
            pass  # the client is gone or silent; what was answered is recorded
        finally:
            self._clients.pop(writer, None)
            writer.close()
            with suppress(OSError, TimeoutError):
                await asyncio.wait_for(writer.wait_closed(), PATIENCE_SECONDS)
            writer.transport.abort()

    async def _talk(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str
    ) -> None:
        groups = LineGroups()
        loop = asyncio.get_running_loop()
        until = loop.time() + self._access.idle_seconds
        while chunk := await self._chunk(reader, until):
            if lines := list(groups.split(chunk)):
                await self._answer(lines, writer, name)
                until = loop.time() + self._access.idle_seconds
        if not self._ending.is_set():
            await self._answer(groups.rest(), writer, name)

    async def _chunk(self, reader: asyncio.StreamReader, until: float) -> bytes:
        """Wait for bytes of a client. Empty at their end, or if the process is to end.

        Raises:
            TimeoutError: no bytes came in time.
        """
        if self._ending.is_set():
            return b""
        read = asyncio.create_task(reader.read(CHUNK_BYTES))
        ending = asyncio.create_task(self._ending.wait())
        left = until - asyncio.get_running_loop().time()
        try:
            done, _ = await asyncio.wait(
                (read, ending), timeout=max(left, 0), return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                raise TimeoutError
            return read.result() if read in done else b""
        finally:
            read.cancel()
            ending.cancel()

    async def _admitted(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str
    ) -> bool:
        """Read the client's first line. Return whether it has the token.

        If too many clients have sent no token yet, the one that has waited longest is disconnected.
        """
        while len(self._strangers) >= self._access.clients:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.transport.abort()
        self._strangers[writer] = None
        try:
            line = await asyncio.wait_for(reader.readline(), PATIENCE_SECONDS)
        except ValueError:  # it is longer than any token
            line = b""
        finally:
            self._strangers.pop(writer, None)
        if not hmac.compare_digest(_token_of(line), (self._access.token or "").encode()):
            await asyncio.sleep(WRONG_TOKEN_SECONDS)
            await self._refuse(
                writer, name, 'the token is wrong; the first line is {"token":"TOKEN"}'
            )
            return False
        writer.write(b'{"line":0,"token":"accepted"}\n')
        return True

    async def _refuse(self, writer: asyncio.StreamWriter, name: str, reason: str) -> None:
        self._tell(f"{name}: refused: {reason}")
        writer.write(self._show(Answer(0, None, reason)).encode())
        await asyncio.wait_for(writer.drain(), PATIENCE_SECONDS)

    async def _answer(
        self, lines: Sequence[Numbered], writer: asyncio.StreamWriter, name: str
    ) -> None:
        """Have lines recorded, and send their answers."""
        if not lines:
            return
        group = _Group(lines, asyncio.get_running_loop().create_future())
        self._waiting.put_nowait(group)
        answers = await group.answers
        for answer in answers:
            if answer.receipt is None:
                self._tell(f"{name}:{answer.line}: {answer.error}")
        writer.write("".join(map(self._show, answers)).encode())
        await asyncio.wait_for(writer.drain(), self._access.idle_seconds)

    # -- All clients --------------------------------------------------------------------------

    async def _record(self) -> None:
        """Record the waiting lines of all connections together, again and again."""
        while True:
            groups = [await self._waiting.get()]
            while not self._waiting.empty() and _size(groups) < MOST_LINES:
                groups.append(self._waiting.get_nowait())
            lines = [line for group in groups for line in group.lines]
            answers = iter(await asyncio.to_thread(self._recording.take, lines))
            for group in groups:
                made = [next(answers) for _ in group.lines]
                if not group.answers.cancelled():
                    group.answers.set_result(made)


def _size(groups: Sequence[_Group]) -> int:
    return sum(len(group.lines) for group in groups)


def _token_of(line: bytes) -> bytes:
    """Return the token in a client's first line, or an empty text."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return b""
    token = value.get("token") if isinstance(value, dict) else None
    return token.encode("utf-8", "surrogatepass") if isinstance(token, str) else b""
