"""The options of ``sabot record``."""

from pathlib import Path
from typing import Annotated, Final

import typer

TOKEN: Final = "SABOT_RECORD_TOKEN"  # noqa: S105 - the name of a variable

OwnPacksOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rules",
        metavar="FILE.toml",
        help="Rule pack of your own that lines may name (repeatable).",
    ),
]
NewOption = Annotated[
    bool,
    typer.Option(
        "--new",
        help="Allow a new log to begin in the middle of a device's numbering. Without it, a "
        "new log refuses a first event with a device number above 1.",
    ),
]
StrictOption = Annotated[bool, typer.Option("--strict", help="Stop at the first refused line.")]
ListenOption = Annotated[
    str | None,
    typer.Option(
        "--listen",
        metavar="HOST:PORT",
        help="Take lines over TCP instead; requires TLS and a token unless HOST is loopback.",
    ),
]
CertificateOption = Annotated[
    Path | None,
    typer.Option("--tls-cert", metavar="FILE", help="With --listen: certificate chain (PEM)."),
]
KeyOption = Annotated[
    Path | None,
    typer.Option("--tls-key", metavar="FILE", help="With --listen: its private key (PEM)."),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help=f"With --listen: file with the token. Default: the variable {TOKEN}.",
        show_default=False,
    ),
]
ClientsOption = Annotated[
    int, typer.Option("--clients", min=1, max=10_000, help="With --listen: most connections.")
]
IdleOption = Annotated[
    int,
    typer.Option(
        "--idle",
        min=1,
        metavar="SECONDS",
        help="With --listen: close a connection after so long without a line.",
    ),
]
