"""What docs/ says, held against the program."""

import re
from pathlib import Path

from sabot.domain.rules.macao_hands import CONDITIONS as HAND_CONDITIONS
from sabot.domain.rules.tableau_hands import CONDITIONS as TABLEAU_CONDITIONS
from sabot.domain.rules.wagers import CONDITIONS

DOCS = Path(__file__).parent.parent / "docs"


def test_every_condition_is_told() -> None:
    told = (DOCS / "rule-packs.md").read_text()
    listed = set(
        re.findall(r"`([a-z0-9-]+)`", told[told.index("Conditions:") : told.index("## Sources")])
    )
    for side in ("player", "banker"):
        listed |= {f"{side}-wins-by-{margin}" for margin in range(1, 10)}
    assert {*CONDITIONS, *HAND_CONDITIONS, *TABLEAU_CONDITIONS} == listed - {"-9"}
