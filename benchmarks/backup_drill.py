"""Run a restore drill with a large log and print the time of each step.

    python -m benchmarks.backup_drill [--events N] [--postgres URL] [--keep FOLDER]

A signed log on SQLite is backed up and restored into SQLite and into PostgreSQL. The log on
PostgreSQL is backed up and restored again. Each step is a command in a process of its own, as an
operator runs it. The drill fails unless every log exports the same bytes as the first and is
verified as consistent.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path

from benchmarks.one_shoe import fill
from benchmarks.store import postgres
from sabot.infrastructure.log.event_log import EventLog


def step(what: str, *arguments: str, output: Path | None = None) -> float:
    """Run a verb, print the seconds that it took, and return them."""
    command = [sys.executable, "-c", "from sabot.cli.main import run; run()", *arguments]
    began = time.perf_counter()
    with ExitStack() as stack:
        to = subprocess.DEVNULL if output is None else stack.enter_context(output.open("wb"))
        done = subprocess.run(command, stdout=to, stderr=subprocess.PIPE, text=True, check=False)
    took = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"{what} ended with {done.returncode}: {done.stderr}")
    print(f"{what:<42} {took:8.1f} s", flush=True)
    return took


def exported(name: str, url: str, folder: Path) -> str:
    """Export a log and return the hash of the bytes."""
    file = folder / "export.jsonl"
    step(f"export {name}", "export", "--force", "-o", str(file), "--database", url)
    with file.open("rb") as lines:
        digest = sha256()
        while block := lines.read(1 << 20):
            digest.update(block)
    print(f"{'':<42} {file.stat().st_size / 1e6:8.0f} MB", flush=True)
    return digest.hexdigest()


def drill(folder: Path, events: int, server: str, other: str) -> None:
    """Run the drill in a folder and in two databases of a server."""
    log, again = str(folder / "log.sabot"), str(folder / "again.sabot")
    backup, second = folder / "log.backup", folder / "second.backup"
    with EventLog.open(log) as filled:
        fill(filled, events)
        print(f"{filled.head():,} events, {Path(log).stat().st_size / 1e6:,.0f} MB", flush=True)
    step("backup of SQLite", "store", "backup", str(backup), "--database", log)
    hashes = {exported("the log", log, folder)}
    for name, target in (("SQLite", again), ("PostgreSQL", server)):
        step(f"restore into {name}", "store", "restore", str(backup), "--database", target)
        step(f"store check of {name}", "store", "check", "--database", target)
        step(f"verify {name}", "verify", "--database", target)
        hashes.add(exported(f"from {name}", target, folder))
    step("backup of PostgreSQL", "store", "backup", str(second), "--database", server)
    step("restore into PostgreSQL", "store", "restore", str(second), "--database", other)
    hashes.add(exported("from PostgreSQL again", other, folder))
    if len(hashes) != 1:
        sys.exit("the exports are not the same bytes")
    print("every log exports the same bytes and is consistent")


def main() -> None:
    """Read the options and run the drill."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=3_000_000)
    parser.add_argument("--postgres", metavar="URL", help="a server's maintenance database")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="work and leave files here")
    asked = parser.parse_args()
    folder = asked.keep or Path(tempfile.mkdtemp(prefix="sabot-drill-"))
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["SABOT_KEYS"] = str(folder / "keys")
    try:
        with postgres(asked.postgres) as (server, other):
            drill(folder, asked.events, server, other)
    finally:
        if asked.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
