"""Shoes with an injected fault, and the counts of each kind of fault."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct, field

from benchmarks.audit_kinds import BESIDE
from benchmarks.audit_records import RECORDS, Record
from sabot.domain.audit import audit_shoe
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.shoe import fold
from tests.faults import Fault, FaultKind

OF_A_MIDDLE = ("broken off", "begun late", "coups, begun late")
LACKING = tuple(record for record in RECORDS if record.name not in OF_A_MIDDLE)


class Trial(NamedTuple):
    """A shoe with a fault in it."""

    game: GameName
    kind: FaultKind
    fault: Fault
    stream: str
    history: list[RecordedEvent]


class Row(Struct):
    """The counts of one kind of fault.

    ``games`` counts the faults by game. ``unseen`` counts them by the incomplete record in which no
    finding is left.
    """

    kind: FaultKind
    games: Counter[GameName] = field(default_factory=Counter)
    injected: int = 0
    found: int = 0
    invented: Counter[str] = field(default_factory=Counter)
    missed: list[str] = []
    looked: int = 0
    unseen: Counter[str] = field(default_factory=Counter)

    def take(self, trial: Trial) -> None:
        """Audit a shoe with a fault and count the result."""
        findings = audit_shoe(fold(trial.stream, trial.history)).findings
        self.injected += 1
        self.games[trial.game] += 1
        here = [found.coup for found in findings if found.code in self.kind.codes]
        found = any(found.code == self.kind.codes[0] for found in findings)
        if found and (trial.fault.coup is None or trial.fault.coup in here):
            self.found += 1
        else:
            self.missed.append(f"{trial.stream}, coup {trial.fault.coup}")
        known = {*self.kind.codes, *(BESIDE if trial.game != "punto-banco" else ())}
        self.invented.update({found.code for found in findings} - known)

    def take_lacking(self, trial: Trial, records: Iterable[Record] = LACKING) -> None:
        """Audit the shoe as incomplete records and count the results."""
        self.looked += 1
        for record in records:
            findings = audit_shoe(fold(trial.stream, record.of(trial.history))).findings
            if not any(found.code in self.kind.codes for found in findings):
                self.unseen[record.name] += 1

    def needs(self) -> list[str]:
        """Return what a record must hold for such a fault to be found."""
        return [
            record.name
            for record in LACKING
            if self.looked and self.unseen[record.name] == self.looked
        ]
