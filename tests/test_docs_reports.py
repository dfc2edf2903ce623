"""docs/reports.md names every kind of report."""

import re
from pathlib import Path

from sabot.infrastructure.reports.kinds import KINDS

PAGE = (Path(__file__).parent.parent / "docs" / "reports.md").read_text(encoding="utf-8")


def test_every_kind_has_its_line_in_the_order_of_the_help():
    table = PAGE.split("## The kinds")[1].split("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == [kind.name for kind in KINDS]


def test_every_command_names_a_kind():
    commands = re.findall(r"^sabot report ([a-z-]+)", PAGE, re.MULTILINE)
    assert commands
    assert set(commands) <= {kind.name for kind in KINDS}
