"""The rights of each role of PostgreSQL to record and to read."""

import psycopg
import pytest

from sabot.domain import events as ev
from sabot.domain.events.card_batch import CardsReceived
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.review import FindingCommented
from sabot.domain.values.errors import Unavailable
from sabot.infrastructure.database import roles
from sabot.infrastructure.database.roles import ROLES, secure
from sabot.infrastructure.log.event_log import EventLog
from tests.infrastructure.database.test_append_only import user_of
from tests.support.former_schemas import at_revision

COUP = NewEvent("shoe/A", ev.CoupOpened(2))
VOID = NewEvent("shoe/A", ev.CoupVoided(1, "misdeal", "ann"))
EVENTS = {
    "coup": [COUP],
    "cards": [NewEvent("cards/B", CardsReceived("maker", 8, "bob"))],
    "note": [NewEvent("shoe/A", ev.IrregularityNoted("misdeal", coup=1))],
    "fault": [NewEvent("shoe/A", ev.ShufflerFailed("s-1", "jam"))],
    "ruling": [NewEvent("shoe/A", ev.IrregularityNoted("misdeal", "play-on", 1, "ann"))],
    "disadvantage": [NewEvent("shoe/A", ev.ShufflerFailed("s-1", "jam", 1, disadvantage=True))],
    "void": [VOID],
    "card moved": [NewEvent("shoe/A", ev.CardReassigned(1, "player", "banker"))],
    "correction": [NewEvent("shoe/A", ev.EventCorrected(1, "misread", "ann"))],
    "pack": [NewEvent("table/T1", ev.RulePackAdopted("classic-8", "1", "0" * 64))],
    "a ruling among others": [COUP, VOID, COUP],
    "review": [NewEvent("audit/findings", FindingCommented("0" * 64, "x", "A", "eve", 1, "seen"))],
}
AT_TABLES = {"coup", "cards", "note", "fault"}
RULINGS = {"note", "fault", "ruling", "disadvantage", "void", "card moved", "correction", "pack"}
PERMITTED = {
    roles.RECORDER: EVENTS.keys() - {"review"},
    roles.DEALER: AT_TABLES,
    roles.SUPERVISOR: RULINGS,
    roles.SURVEILLANCE: {"review"},
    roles.PROJECTOR: set(),
    roles.AUDITOR: set(),
    roles.ADMINISTRATOR: set(),
}


@pytest.fixture
def secured(postgres_url: str) -> str:
    with EventLog.open(postgres_url) as log:
        log.append([NewEvent("shoe/A", ev.CoupOpened(1))])
        secure(log.engine)
    return postgres_url


def test_a_role_records_the_kinds_of_its_work_alone(secured: str) -> None:
    assert set(PERMITTED) == set(ROLES)
    for role, permitted in PERMITTED.items():
        with user_of(secured, role) as url, EventLog.open(url) as log:
            for kind, events in EVENTS.items():
                before = log.head()
                if kind in permitted:
                    log.append(events)
                    assert log.head() == before + len(events), (role, kind)
                else:
                    with pytest.raises(Unavailable, match="sabot store secure --"):
                        log.append(events)
                    assert log.head() == before, (role, kind)
            log.check()


def test_a_dealer_and_a_supervisor_together_record_as_a_recorder(secured: str) -> None:
    with user_of(secured, roles.DEALER, roles.SUPERVISOR) as url, EventLog.open(url) as log:
        log.append(EVENTS["a ruling among others"])


STATEMENTS = {
    "SELECT count(*) FROM log_event": set(ROLES),
    "SELECT count(*) FROM rm_shoe": {
        roles.SURVEILLANCE, roles.PROJECTOR, roles.AUDITOR, roles.ADMINISTRATOR,
    },
    "UPDATE rm_tracking SET last_id = 0": {roles.PROJECTOR},
    "SELECT count(*) FROM access_log": {roles.AUDITOR, roles.ADMINISTRATOR},
    "INSERT INTO access_log (verb, what) VALUES ('export', 'x')": set(ROLES),
    "CREATE TEMPORARY TABLE t (x int)": {roles.RECORDER},
}  # fmt: skip


def test_a_role_reads_and_writes_what_it_needs(secured: str) -> None:
    for role in ROLES:
        with user_of(secured, role) as url, psycopg.connect(url, autocommit=True) as session:
            for statement, permitted in STATEMENTS.items():
                if role in permitted:
                    session.execute(statement.encode())
                else:
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        session.execute(statement.encode())


def test_who_recorded_before_the_upgrade_still_records_rulings(empty_postgres_url: str) -> None:
    at_revision(empty_postgres_url, "0009", "public")
    with (
        user_of(empty_postgres_url) as url,
        psycopg.connect(empty_postgres_url, autocommit=True) as owner,
    ):
        (name,) = owner.execute("SELECT max(usename) FROM pg_user").fetchone() or ()
        for right in (
            "SELECT ON log_event, log_head, log_revision, evidence_key, evidence_checkpoint",
            "EXECUTE ON FUNCTION log_append(jsonb), log_turn(jsonb)",
        ):
            owner.execute(f"GRANT {right} TO {name}".encode())
        EventLog.open(empty_postgres_url).close()
        with EventLog.open(url) as log:
            log.append(EVENTS["a ruling among others"])
