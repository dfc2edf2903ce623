"""Findings about the store's own clock and logins, on both stores."""

import sqlalchemy as sa

from sabot.domain import events as ev
from sabot.domain.audit.report import AuditReport
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.audits.audit_run import audit_log
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.store_times import store_record
from tests.support.faulty_log import clean_shoe, recorded

SECOND_US = 1_000_000


def found(report: AuditReport) -> list[tuple[str, str]]:
    return [(each.code, each.message) for each in report.findings if each.number[0] == "R"]


def stored_at(log: EventLog, offsets_s: dict[int, float], logins: dict[int, str]) -> None:
    """Give events another time of the store and another login, as its owner can."""
    with log.database.writing() as connection:
        if log.database.is_sqlite:
            connection.exec_driver_sql("DROP TRIGGER log_event_keeps")
        else:
            connection.exec_driver_sql("ALTER TABLE log_event DISABLE TRIGGER ALL")
        for index in range(1, log.head() + 1):
            us = int((index * 100 + offsets_s.get(index, 0)) * SECOND_US)
            row = {"us": us, "login": logins.get(index, "table-1"), "id": index}
            connection.execute(
                sa.text("UPDATE log_event SET stored_us = :us, login = :login WHERE id = :id"), row
            )


def numbered(log: EventLog, *devices: str) -> None:
    log.append(
        [
            NewEvent("shoe/H-9", ev.CoupOpened(n), device=device, seq=devices[:n].count(device))
            for n, device in enumerate(devices, 1)
        ]
    )


def test_a_step_back_of_the_store_s_clock_is_one_finding(log: EventLog, database_url: str) -> None:
    recorded(database_url, clean_shoe())
    # 5 and 6 are behind 4; 8 goes back by half a second more than the step of 100 s: within limits
    stored_at(log, {5: -190.5, 6: -290, 8: -100.5}, {})
    assert found(audit_log(log)) == [
        (
            "store-clock-back",
            "by the store's clock event 5 was stored 90.5 s before an earlier event",
        )
    ]
    assert store_record(log, until=4).clock_returns == ()


def test_a_device_of_two_logins_is_a_finding(log: EventLog, database_url: str) -> None:
    recorded(database_url, clean_shoe())
    first = log.head() + 1
    numbered(log, "cam", "eye", "cam", "cam")
    stored_at(log, {}, {first + 1: "eye-1", first + 3: "mallory"})
    (event,) = store_record(log).shared_devices
    assert (event.device, event.first.index, event.other.index) == ("cam", first, first + 3)
    assert found(audit_log(log)) == [
        (
            "device-of-two-logins",
            (
                f"device cam sent events as login table-1, and from event {first + 3} on also as "
                "login mallory"
            ),
        )
    ]
    # imported events keep their devices, whoever imports them
    with log.database.writing() as connection:
        connection.execute(sa.text("UPDATE log_event SET source = 'x#1' WHERE login = 'mallory'"))
    assert store_record(log).shared_devices == ()
