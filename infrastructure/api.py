"""The functions of ``import sabot`` that work on a log."""

import threading
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from os import PathLike, fspath

from sabot.domain.audit.report import AuditReport
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.detection.follower import Scope
from sabot.domain.protection.detection.subjects import LEAST_LEVEL, Plan
from sabot.domain.protection.reporting.detection_report import Report
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.values.errors import BadInput, NotFound
from sabot.infrastructure.audits.audit_run import SHOE_PREFIX, audit_log, load_shoe
from sabot.infrastructure.audits.finding_states import add_states
from sabot.infrastructure.detection.detect_run import Asked, check_names, look
from sabot.infrastructure.log.event_log import EventLog


def open_log(path_or_url: str | PathLike[str], *, read_only: bool = False) -> EventLog:
    """Open a log, and create it if there is none. Use it in a ``with`` statement.

    Args:
        path_or_url: the path of an SQLite file, or a ``postgresql://`` URL.
        read_only: refuse to write, and to create a log.

    Raises:
        BadInput: the log cannot be opened, was written by a newer program, or does not exist
            although ``read_only`` is set.
    """
    return EventLog.open(fspath(path_or_url), read_only=read_only)


def follow(
    log: EventLog, after: int = 0, *, stop: threading.Event | None = None
) -> Iterator[RecordedEvent]:
    """Yield a log's events in order, then wait for more.

    No event is missed and none comes twice, whichever process writes it.

    Args:
        log: the log.
        after: the index of the last event that is already known; 0 begins with the first event,
            ``log.head()`` with the next one to be recorded.
        stop: ends the iteration once it is set; without it the iteration does not end.

    Raises:
        UntrustedLog: an event is missing, or was not written by Sabot.
    """
    return chain.from_iterable(log.follow(after, stop=stop))


def fold_shoe(log_or_events: EventLog | Iterable[RecordedEvent], name: str) -> Shoe:
    """Return the state of a shoe after all its events.

    The state is not checked: a wrong card or payment is kept as it was recorded.

    Args:
        log_or_events: a log, or events in the order of a log. Events of other streams are
            skipped. With a log the state includes the table of the shoe.
        name: the shoe, without the prefix ``shoe/``.

    Raises:
        NotFound: there is no event of this shoe.
        UntrustedLog: an event is missing, or was not written by Sabot.
    """
    stream = SHOE_PREFIX + name
    if isinstance(log_or_events, EventLog):
        shoe = load_shoe(log_or_events, stream)
    else:
        shoe = fold(stream, [event for event in log_or_events if event.stream == stream])
    if not shoe.history:
        raise NotFound(f"there is no event of a shoe {name!r}; `log.streams('shoe/')` lists shoes")
    return shoe


def audit(
    log: EventLog, shoe: str | Iterable[str] | None = None, *, workers: int = 1
) -> AuditReport:
    """Apply the audit's rules to a log.

    Args:
        log: the log.
        shoe: the name of a shoe, or several names. By default all shoes are audited, and the
            tables, the batches of cards and the relations between shoes with them.
        workers: the number of processes; the report does not depend on it.

    Returns:
        the report. Its ``findings`` each have a rule ``code``, a ``severity``, the ``shoe`` and
        ``coup``, the indexes of the ``events`` that show it, and the ``money`` moved by it, in
        minor units of its currency. ``state_of(finding)`` is the state that people gave it, and
            ``breaches`` are the findings that nobody has resolved. Its ``rules`` have the number of
            times that each rule was applied, and the reasons why it was not.

    Raises:
        NotFound: the log has no such shoe.
        UntrustedLog: an event is missing, or was not written by Sabot.
    """
    names = [] if shoe is None else [shoe] if isinstance(shoe, str) else list(shoe)
    head = log.head()
    report = audit_log(log, names, until=head, workers=workers)
    add_states(log, report, until=head)
    return report


def detect(
    log: EventLog,
    *,
    alpha: float = 0.001,
    shoes: Iterable[str] = (),
    tables: Iterable[str] = (),
    groups: Mapping[str, Iterable[str]] | None = None,
) -> Report:
    """Test whether patrons bet as if they knew hidden cards.

    Args:
        log: the log.
        alpha: the level: the expected share of false findings among all findings.
        shoes: only these shoes; by default all.
        tables: only shoes dealt at these tables; by default all.
        groups: patrons who are also tested as one bettor, by the name of the group. The level
            holds if groups, shoes and tables were chosen before the evidence was seen.

    Returns:
        the report. Its ``findings`` each have a ``test``, a ``subject``, the evidence
        ``log10_e`` (the base-10 logarithm of an e-value) and an ``explanation``. Its
        ``coverage`` names the tests that the record did not allow.

    Raises:
        BadInput: ``alpha`` is not above 0 and at most 1.
        NotFound: the log has no such shoe, table or patron.
        UntrustedLog: an event is missing, or was not written by Sabot.
    """
    if not LEAST_LEVEL <= alpha < 1:
        raise BadInput(f"alpha {alpha:g} is out of range; give a number between 0 and 1, as 0.001")
    plan = Plan(alpha, {name: tuple(members) for name, members in (groups or {}).items()})
    asked = Asked(plan, Scope(frozenset(shoes), frozenset(tables)), log.head())
    check_names(log, asked)
    return look(log, asked).report
