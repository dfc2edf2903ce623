"""``sabot record --listen``: take record lines over TCP."""

import asyncio
import os
import ssl
import threading
from ipaddress import ip_address
from pathlib import Path
from socket import getaddrinfo
from typing import TYPE_CHECKING, Final

import msgspec

from sabot.cli.console import say
from sabot.cli.verbs.record_options import TOKEN
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.files.text_input import check_regular, read_text
from sabot.infrastructure.imports.listener import Access, Listener

if TYPE_CHECKING:
    from collections.abc import Callable

    from sabot.infrastructure.imports.recording import Answer, Recording

SHORTEST_TOKEN: Final = 16


class Listening(msgspec.Struct, frozen=True):
    """The address to listen at, and the conditions under which clients may connect."""

    host: str
    port: int
    access: Access


def listening(
    address: str,
    files: tuple[Path | None, Path | None],
    token_file: str | None,
    limits: tuple[int, int],
) -> Listening:
    """Return the address and the conditions from the options of the command line.

    Args:
        address: HOST:PORT.
        files: certificate and key.
        token_file: the file with the token, or None.
        limits: the number of connections, and the seconds without a line.

    Raises:
        BadInput: the address is not valid, a file cannot be read, or TLS or a token is missing.
    """
    host, port = _address(address)
    tls, token = _tls(*files), _token(token_file)
    if not _is_loopback(host) and (tls is None or token is None):
        raise BadInput(
            f"--listen {address} can be reached from other machines, so it requires --tls-cert, "
            f"--tls-key and a token (--token-file, or {TOKEN}); 127.0.0.1 does not"
        )
    return Listening(host, port, Access(token, tls, *limits))


def serve(
    recording: "Recording",
    how: Listening,
    stop: threading.Event,
    show: "Callable[[Answer], str]",
) -> None:
    """Take lines until a signal ends the process.

    Raises:
        BadInput: the address cannot be used.
    """

    async def run() -> None:
        listener = Listener(
            recording, how.access, show=show, tell=lambda text: say(f"sabot: {text}")
        )
        await listener.serve(
            how.host, how.port, began=lambda where: say(f"listening on {where}"), stop=stop
        )

    asyncio.run(run())


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise BadInput(
            f"--listen {text[:100]!r} is not HOST:PORT; write for example 127.0.0.1:7416"
        )
    return host.removeprefix("[").removesuffix("]"), int(port)


def _is_loopback(host: str) -> bool:
    """Return whether a host is reachable only from this machine."""
    try:
        found = getaddrinfo(host, None) if host else []
    except (OSError, UnicodeError) as error:
        raise BadInput(
            f"--listen: there is no host {host[:100]!r} here; give an address"
        ) from error
    return bool(found) and all(ip_address(str(each[4][0])).is_loopback for each in found)


def _tls(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise BadInput("--tls-cert and --tls-key go together; give both")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        for place in (certificate, key):
            check_regular(str(place))
        context.load_cert_chain(certificate, key, password=lambda: "")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
        raise BadInput(
            f"--tls-cert {certificate} and --tls-key {key} cannot be used: {reason}; give a "
            "certificate and its key, without a password, as PEM"
        ) from error
    return context


def _token(file: str | None) -> str | None:
    text = os.environ.get(TOKEN) if file is None else read_text(file, 10_000)
    if text is None or (file is None and not text):
        return None
    token = text.strip()
    if len(token) < SHORTEST_TOKEN:
        raise BadInput(
            f"the token in {file or TOKEN} has fewer than {SHORTEST_TOKEN} characters; make one "
            "with: openssl rand -hex 32"
        )
    return token
