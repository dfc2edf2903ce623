"""The rights of each role of PostgreSQL to record and to read."""

from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy.engine import make_url

from sabot.domain import events as ev
from sabot.domain.events.card_batch import CardsReceived
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.review import FindingCommented
from sabot.domain.values.errors import BadInput, Unavailable
from sabot.infrastructure.database import roles
from sabot.infrastructure.database.roles import ROLES, Secured, secure
from sabot.infrastructure.database.schema_check import schema_faults
from sabot.infrastructure.log.event_log import EventLog
from tests.conftest import OwnPostgres
from tests.infrastructure.database.test_append_only import user_of
from tests.support.former_schemas import at_revision
from tests.support.thorough import slow

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


def granted_to(owner: psycopg.Connection, login: str) -> list[tuple[object, ...]]:
    """Return the relations and functions on which a login has rights of its own."""
    return owner.execute(
        """
        SELECT relname::text FROM pg_class, aclexplode(relacl) AS a
        WHERE pg_get_userbyid(a.grantee) = %(login)s
        UNION SELECT proname FROM pg_proc, aclexplode(proacl) AS a
        WHERE pg_get_userbyid(a.grantee) = %(login)s
        """,
        {"login": login},
    ).fetchall()


@slow
def test_default_privileges_give_nobody_rights_on_a_secured_log(empty_postgres_url: str) -> None:
    with (
        psycopg.connect(empty_postgres_url, autocommit=True) as owner,
        user_of(empty_postgres_url, called="stranger") as url,
    ):
        name = make_url(url).username or ""
        for right in ("INSERT, UPDATE, DELETE ON TABLES", "EXECUTE ON FUNCTIONS"):
            owner.execute(
                f"ALTER DEFAULT PRIVILEGES GRANT {right} TO {name} WITH GRANT OPTION".encode()
            )
        with EventLog.open(empty_postgres_url) as log:
            faults = {fault.name for fault in schema_faults(log.database)}
            assert f"{name}: UPDATE on log_shape WITH GRANT OPTION" in faults
            assert secure(log.engine).taken == [name]
            assert granted_to(owner, name) == []
            assert schema_faults(log.database) == []
            # whoever is named has the rights of the role alone
            secure(log.engine, {roles.AUDITOR: [name]})
            assert granted_to(owner, name) == []
            owner.execute(f"GRANT UPDATE ON log_shape TO {name}".encode())
            (fault,) = schema_faults(log.database)
            assert fault.name == f"{name}: UPDATE on log_shape"
            assert secure(log.engine).taken == []
            assert schema_faults(log.database) == []


class Server:
    """A server whose logs belong to several owners without superuser rights."""

    def __init__(self, own: OwnPostgres) -> None:
        self.url = make_url(own.url)
        self.admin = psycopg.connect(own.url, autocommit=True)

    def log(self, name: str, *attributes: str) -> str:
        self.login(name, *attributes)
        self.admin.execute(f"CREATE DATABASE {name} OWNER {name}".encode())
        return self.as_(name, name)

    def login(self, name: str, *attributes: str) -> str:
        self.admin.execute(f"CREATE ROLE {name} LOGIN {' '.join(attributes)}".encode())
        return name

    def as_(self, login: str, log: str) -> str:
        return self.url.set(username=login, database=log).render_as_string(hide_password=False)

    def may_connect(self, login: str, log: str) -> bool:
        try:
            psycopg.connect(self.as_(login, log)).close()
        except psycopg.OperationalError:
            return False
        return True

    def may_append(self, login: str, log: str) -> bool:
        try:
            with EventLog.open(self.as_(login, log)) as opened:
                opened.append([NewEvent(f"shoe/{login}", ev.CoupOpened(opened.head() + 1))])
        except (Unavailable, BadInput):
            return False
        return True


@pytest.fixture
def server(own_postgres: OwnPostgres) -> Iterator[Server]:
    server = Server(own_postgres)
    yield server
    server.admin.close()


def secured_as(url: str, **logins: str) -> Secured:
    with EventLog.open(url) as log:
        done = secure(log.engine, {f"sabot_{role}": [name] for role, name in logins.items()})
        assert schema_faults(log.database) == []
    return done


@slow
def test_the_recorder_of_another_owner_has_no_rights(server: Server) -> None:
    """Roles belong to the server: whoever made them first grants them as he likes."""
    theirs, ours = server.log("theirs", "CREATEROLE"), server.log("ours")
    for login in ("foreign_recorder", "recorder", "auditor"):
        server.login(login)
    secured_as(theirs, recorder="foreign_recorder")
    assert server.may_append("foreign_recorder", "theirs")
    done = secured_as(ours)
    assert done.foreign == list(ROLES)
    done = secured_as(ours, recorder="recorder", auditor="auditor")
    assert (done.granted[roles.RECORDER], done.granted[roles.AUDITOR]) == (
        ["recorder"],
        ["auditor"],
    )
    with psycopg.connect(theirs, autocommit=True) as owner:
        owner.execute("GRANT sabot_recorder TO auditor")
    assert not server.may_connect("foreign_recorder", "ours")
    assert server.may_append("recorder", "ours")
    assert not server.may_append("auditor", "ours")
    # an upgrade names nobody
    assert secured_as(ours).granted == done.granted
    assert server.may_append("recorder", "ours")
    assert not server.may_append("auditor", "ours")
    assert not server.may_connect("recorder", "theirs")


@slow
def test_two_logs_of_one_owner_have_their_own_logins(server: Server) -> None:
    first = server.log("first", "CREATEROLE")
    server.admin.execute("CREATE DATABASE second OWNER first")
    second = server.as_("first", "second")
    for login in ("one", "two"):
        server.login(login)
    secured_as(first, recorder="one")
    assert secured_as(second, recorder="two").granted[roles.RECORDER] == ["two"]
    for login, log, other in (("one", "first", "second"), ("two", "second", "first")):
        assert server.may_append(login, log)
        assert not server.may_connect(login, other)
    # who lost the role does not get it back by the next upgrade
    with psycopg.connect(second, autocommit=True) as owner:
        owner.execute("REVOKE sabot_recorder FROM two")
        owner.execute("REVOKE CONNECT ON DATABASE second FROM two")
        owner.execute("DELETE FROM access_grant WHERE login = 'two'")
    assert secured_as(second).granted[roles.RECORDER] == []
    assert not server.may_append("two", "second")


@slow
def test_a_log_that_an_earlier_version_secured_keeps_its_logins(server: Server) -> None:
    url = server.log("pit", "CREATEROLE")
    server.login("recorder")
    secured_as(url, recorder="recorder")
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("DROP TABLE access_grant")
        owner.execute("REVOKE CONNECT ON DATABASE pit FROM recorder")
        owner.execute("GRANT CONNECT ON DATABASE pit TO sabot_recorder")
    assert server.may_append("recorder", "pit")
    assert secured_as(url).granted[roles.RECORDER] == ["recorder"]
    assert server.may_append("recorder", "pit")
    server.login("later")
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("GRANT sabot_recorder TO later")
    assert secured_as(url).granted[roles.RECORDER] == ["recorder"]
    assert not server.may_connect("later", "pit")
