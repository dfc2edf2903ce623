"""The description of findings in docs/audit.md matches the program."""

import re
from pathlib import Path

import msgspec
import typer

from sabot.cli.main import build
from sabot.domain.audit import Finding
from sabot.domain.audit.finding_reviews import OPEN
from sabot.domain.events import review as a

TOLD = (Path(__file__).parent.parent / "docs/audit.md").read_text()


def test_every_key_of_a_finding_is_told() -> None:
    table = TOLD[TOLD.index("## A finding") : TOLD.index("**The fingerprint**")]
    rows = "\n".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    listed = re.findall(r"`([a-z_]+)`", rows)
    keys = [field.encode_name for field in msgspec.structs.fields(Finding)]
    assert sorted(listed) == sorted([*keys, *OPEN.row()])


def test_every_event_about_findings_is_told() -> None:
    for kind in (
        a.FindingAcknowledged, a.FindingCommented, a.FindingDisputed, a.FindingResolved, a.AuditRun,
    ):  # fmt: skip
        assert f"`{kind.__struct_config__.tag}`" in TOLD
    assert a.FINDINGS_STREAM in TOLD
    assert a.RUNS_STREAM in TOLD


def test_every_option_of_the_audit_is_told() -> None:
    group = typer.main.get_command(build())
    options = {
        name
        for parameter in group.commands["audit"].params  # type: ignore[attr-defined]
        for name in parameter.opts
        if name.startswith("--")
    }
    general = {"--database", "--output", "--help", "--wide", "--zone", "--force"}
    assert [name for name in sorted(options - general) if name not in TOLD] == []
