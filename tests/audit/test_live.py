"""A followed shoe reports each breach once and in time, as a complete audit does."""

import random
import threading
import time
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_shoe, find_rule
from sabot.domain.audit.checks.voids import unfinished_coup_not_voided
from sabot.domain.audit.live import FindingChange, LiveAudit
from sabot.domain.audit.rule_group import code_of
from sabot.domain.audit.verdicts import InDoubt
from sabot.domain.events.commitment import order_sha256
from sabot.domain.events.envelope import NewEvent, RecordedEvent, is_of
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Session, deal_shoe
from sabot.domain.simulation.patrons.patron_spec import parse_lineup
from sabot.domain.state.shoe import Shoe, fold
from sabot.infrastructure.audits.audit_follow import AuditFollower
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.rule_packs import shipped
from tests.audit.test_device_order import dealt
from tests.audit.test_random_histories import HISTORIES, LOADED, Told, clocked
from tests.audit.test_random_histories import events_of as told_by_devices
from tests.cli.verbs.test_audit import shoe_in_doubt
from tests.support import any_events
from tests.support.coup_notation import START_US, Felt, events_of
from tests.support.faulty_log import (
    WRONG_CALL,
    WRONG_DRAW,
    WRONG_PAYOUT,
    clean_shoe,
    drafts,
    faulty_shoe,
)
from tests.support.for_each import for_each
from tests.support.rule_cases import Case, made_good_late, some_cases
from tests.support.table_streams import OUTSIDE
from tests.support.thorough import FULL, a_part, each_once, one_store, slow, tries
from tests.support.three_devices import as_told

pytestmark = one_store

UNFINISHED = code_of(unfinished_coup_not_voided)


def audit_shoe_of(events: list[RecordedEvent]) -> list[Finding]:
    """What an audit of the whole finds."""
    return audit_shoe(fold(events[0].stream, events)).findings


def live_prints(events: list[RecordedEvent]) -> set[str]:
    """Fingerprints of what an audit finds, but for what waits for an event without an hour."""
    return {found.fingerprint for found in audit_shoe_of(events) if find_rule(found.code).live}


def followed(events: list[RecordedEvent]) -> list[tuple[int, str]]:
    """Fingerprints of what is found, with the version of the event after which it was told."""
    told = told_of(events)
    return [(when, each.finding.fingerprint) for when, each in told if each.told == "found"]


def told_of(events: list[RecordedEvent]) -> list[tuple[int, FindingChange]]:
    """All that is told, with the version of the event after which it was."""
    live = LiveAudit(Shoe(events[0].stream))
    told: list[tuple[int, FindingChange]] = []
    for event in events:
        live.add(event)
        told += [(event.version, each) for each in live.changes()]
    return told


def standing(told: Iterable[FindingChange]) -> dict[str, Finding]:
    """What stands of all that was told, as a reader of it keeps it."""
    stand: dict[str, Finding] = {}
    for each in told:
        mark = each.finding.fingerprint
        assert (mark in stand) is (each.told != "found"), each
        if each.told == "withdrawn":
            assert stand.pop(mark) == each.finding
        else:
            assert stand.get(mark) != each.finding
            stand[mark] = each.finding
    return stand


def at_the_end(events: list[RecordedEvent]) -> dict[str, Finding]:
    """What an audit finds of a shoe, but for what waits for an event without an hour."""
    return {each.fingerprint: each for each in audit_shoe_of(events) if find_rule(each.code).live}


@slow
@for_each("case", a_part(some_cases(), of=2), ids=lambda case: case.code)
def test_all_that_an_audit_finds_is_told_once(case: Case) -> None:
    shoe = case.broken()
    told = [mark for _, mark in followed(shoe.history)]
    assert len(set(told)) == len(told)
    assert live_prints(shoe.history) <= set(told)


@slow
@for_each("case", a_part(some_cases(), of=3), ids=lambda case: case.code)
def test_a_near_miss_is_not_told_on_the_way(case: Case) -> None:
    """What is not yet done is no breach before it is due; what was ruled on was one until then."""
    history = case.kept().history
    told = [each for _, each in told_of(history)]
    assert standing(told) == {}
    if case.code not in made_good_late() or case.keeps != find_rule(case.code).keeps:
        ruled_on = any(isinstance(each.payload, ev.IrregularityNoted) for each in history)
        assert not told or ruled_on


@slow
@pytest.mark.parametrize("seed", a_part([2, 9], of=2))
def test_a_clean_shoe_of_three_devices_is_followed_in_silence(seed: int) -> None:
    """What one device has not told yet is on its way, and no breach."""
    assert (
        followed(
            as_told(dealt("midi", 6, seed).history[: 400 if FULL else 150], random.Random(seed))
        )
        == []
    )


@slow
def test_a_breach_among_three_devices_is_told_once_each_has_spoken_of_a_later_moment() -> None:
    history = list(dealt("midi", 6, 2).history[: 400 if FULL else 200])
    late = next(n for n, event in enumerate(history) if isinstance(event.payload, ev.BetPaid))
    paid = history[late].payload
    assert isinstance(paid, ev.BetPaid)
    history[late] = replace(history[late], payload=replace(paid, amount=paid.amount + 100))
    came = as_told(history, random.Random(2))
    found = {one.fingerprint: one for one in audit_shoe_of(came)}
    (told,) = {version for version, mark in followed(came) if mark in found}
    (coup,) = {one.coup for one in found.values()}
    next_but_one = [each.version for each in came if each.payload == ev.CoupOpened((coup or 0) + 2)]
    assert told <= next_but_one[0]


@pytest.mark.parametrize("rules", a_part(sorted(shipped()), of=4))
def test_a_clean_shoe_is_followed_in_silence(rules: str) -> None:
    """A whole simulated shoe: half of its events come one by one, half in batches."""
    pack = parse_pack(shipped()[rules])
    session = Session(
        pack=shipped()[rules], decks=pack.cards.decks[-1], table="T1",
        patrons=tuple(parse_lineup("flat:2,trend:2,martingale", min(5, pack.table.seats))),
        start_us=START_US, seed="clean",
    )  # fmt: skip
    events = list(deal_shoe(session, 1))
    live = LiveAudit(Shoe(events[0].stream))
    dice = random.Random(rules)
    for event in events:
        live.add(event)
        if (event.version < (400 if FULL else 90) and dice.random() < 0.5) or dice.random() < 0.01:
            assert live.changes() == []
    assert live.changes() == []
    assert live.is_over


def test_a_breach_is_told_with_its_event() -> None:
    events = faulty_shoe()
    by_mark = {mark: version for version, mark in followed(events)}
    when = {found.code: by_mark[found.fingerprint] for found in audit_shoe_of(events)}
    shown = {version: events[version - 1].payload for version in when.values()}
    drew = shown[when[WRONG_DRAW]]
    assert isinstance(drew, ev.CardDrawn)
    assert (drew.coup, drew.hand, drew.card) == (1, "player", "3")
    assert isinstance(shown[when[WRONG_CALL]], ev.ResultCalled)
    assert isinstance(shown[when[WRONG_PAYOUT]], ev.BetPaid)


def test_a_correction_has_every_coup_judged_again() -> None:
    events = faulty_shoe()
    card = next(e for e in events if isinstance(e.payload, ev.CardDrawn) and e.payload.coup == 2)
    mended = ev.EventCorrected(card.version, "misread", instead=ev.CardDrawn(2, "player", "K", 8))
    payloads = [*[event.payload for event in events], mended]
    last = followed(events_of(payloads, events[0].stream))[-1]
    found = audit_shoe_of(events_of(payloads, events[0].stream))
    assert last[0] == len(payloads)
    assert last[1] in {each.fingerprint for each in found if each.coup == 2}


def test_an_opened_order_has_every_coup_judged_again() -> None:
    """It shows the 4 that Player was due in coup 1, which nobody saw."""
    order = ("Ac", "8h", *("2c", "3d", "3c", "4d"), "4h", *["Kc"] * 20)
    felt = Felt().put(ev.ShoeShuffled("dealer"), ev.OrderCommitted(order_sha256("s", order), 27))
    felt.ready().coup("p1 player 1000 | P 2 3  B 3 4").put(ev.CardBurned(None, 7, "relief"))
    felt.put(*[ev.CoupOpened(n) for n in range(2, 8)], ev.ShoeEnded(left=20, reason="withdrawn"))
    felt.put(ev.OrderOpened("s", order))
    told = standing(each for _, each in told_of(felt.events))
    assert told == at_the_end(felt.events)


@pytest.mark.parametrize(
    "behind",
    [
        [ev.CardDrawn(2, "banker", "8", 10), ev.CardBurned("8", None, "ruling", 2)],
        [ev.CardBurned("5", None, "ruling", 2)],
        [ev.CardDrawn(2, "banker", "8", 10), ev.BetWithdrawn(2, 1)],
    ],
)
@pytest.mark.parametrize("cards", ["", "> P 4  B K  P 5"])
def test_a_coup_that_the_shoe_ended_in_is_told_once_whatever_is_done_behind_it(
    behind: list[ev.Event], cards: str
) -> None:
    felt = Felt().ready().coup("P 4 5  B K 8").put(ev.CoupOpened(2))
    felt.put(ev.BetPlaced(2, 1, "p1", "player", 500), ev.BetPlaced(2, 2, "p2", "player", 500))
    felt.put(ev.NoMoreBets(2)).cards(cards).put(ev.ShoeEnded(left=404, reason="withdrawn"), *behind)
    told = [each for _, each in told_of(felt.events) if each.finding.code == UNFINISHED]
    assert [each.told for each in told].count("found") == 1
    assert told[0].finding.fingerprint in standing(told)


@slow
def test_a_finding_on_a_correction_stays_as_it_is_while_later_coups_are_judged() -> None:
    """A call of coup 1 is corrected into one of coup 2: the cards of coup 2 come behind it.

    The finding that coup 2 was not opened first follows from that on the early call, coups later.
    """
    felt = Felt().ready().coup("p1 player 500 | P 4 5  B K 8")
    call = next(each for each in felt.events if isinstance(each.payload, ev.TotalsCalled))
    felt.put(ev.EventCorrected(call.version, "misread", "sue", ev.TotalsCalled(2, 9, 8)))
    for number in range(2, 8):
        felt.coup("p1 player 500 | P 4 5  B K 8", number)
    told = told_of(felt.events)
    assert standing(each for _, each in told) == at_the_end(felt.events)
    opened = {each.payload.coup: each.version for each in felt.events if is_of(each, ev.CoupOpened)}
    assert all(version < opened[3] for version, _ in told)


@given(st.lists(any_events.payloads(), max_size=30))
def test_any_history_followed_finds_what_is_there_at_the_end(payloads: list[ev.Event]) -> None:
    events = events_of(payloads)
    assert not events or standing(each for _, each in told_of(events)) == at_the_end(events)


def by_devices(events: list[RecordedEvent]) -> None:
    """What stands is found by an audit as well; all of it once the shoe has ended."""
    live = LiveAudit(Shoe(events[0].stream))
    told: list[FindingChange] = []
    for event in events:
        live.add(event)
        told += live.changes()
    assert standing(told).items() <= at_the_end(events).items()
    last = events[-1]
    ended = replace(
        last, index=last.index + 1, version=last.version + 1, seq=None, payload=ev.ShoeEnded(left=3)
    )
    live.add(ended)
    told += live.changes()
    assert standing(told) == at_the_end([*events, ended])


@slow
@tries(8, 60)
@given(LOADED, HISTORIES)
def test_what_stands_of_any_history_by_any_devices_is_what_is_found(
    loaded: ev.ShoeLoaded | None, told: list[Told]
) -> None:
    for first in (loaded, clocked(loaded)):
        events = told_by_devices(first, told)
        if events:
            by_devices(events)


def test_a_event_of_no_coup_that_comes_late_has_the_coups_behind_it_judged_again() -> None:
    """The limits were raised before coup 1, as the terminal tells once coup 4 has been dealt."""
    felt = Felt("midi", limits=(ev.Limit(100, 500),)).ready()
    felt.coup("p1 player 600 | P 4 5  B K 8")
    for _ in range(3):
        felt.coup("P 4 5  B K 8")
    told = [replace(each, device="reader") for each in felt.shoe.history]
    opened = next(n for n, each in enumerate(told) if isinstance(each.payload, ev.CoupOpened))
    behind = told[opened + 1].at_us
    assert behind is not None
    told = [
        each if n <= opened else replace(each, at_us=(each.at_us or 0) + 60_000_000)
        for n, each in enumerate(told)
    ]
    told = [replace(each, recorded_us=(each.at_us or 0)) for each in told]
    late = replace(
        told[-1], index=len(told) + 1, version=len(told) + 1, position=len(told) + 1,
        device="terminal", seq=1, at_us=behind + 30_000_000,
        payload=ev.LimitsChanged((ev.Limit(100, 1000),)),
    )  # fmt: skip
    code = OUTSIDE
    assert [each.code for each in audit_shoe_of(told)] == [code]
    assert audit_shoe_of([*told, late]) == []
    news = [(each.told, each.finding.code) for _, each in told_of([*told, late])]
    assert news == [("found", code), ("withdrawn", code)]


def disturbed(events: list[RecordedEvent], dice: random.Random) -> list[RecordedEvent]:
    """Events are lost, come late, and are corrected by nothing or by another of their kind."""
    kept = [event for event in events if dice.random() > 0.02]
    late = [event for event in kept if dice.random() < 0.04]
    came: list[RecordedEvent] = []
    due: list[tuple[int, RecordedEvent]] = []
    for place, event in enumerate(kept):
        came += [each for at, each in due if at <= place]
        due = [(at, each) for at, each in due if at > place]
        if event in late:
            due.append((place + dice.randrange(1, 60), event))
        else:
            came.append(event)
    came += [each for _, each in due]
    payloads: list[RecordedEvent] = []
    for event in came:
        payloads.append(event)
        if dice.random() < 0.04:
            wrong = dice.choice(payloads)
            likes = [each.payload for each in came if type(each.payload) is type(wrong.payload)]
            instead = dice.choice([None, *likes])
            where = payloads.index(wrong) + 1
            mended = ev.EventCorrected(where, "misread", "sue", instead)  # type: ignore[arg-type]
            payloads.append(replace(event, payload=mended, seq=None))
    return [replace(each, index=n, version=n, position=n) for n, each in enumerate(payloads, 1)]


@slow
@each_once
@pytest.mark.parametrize("seed", a_part(range(6), 5))
@pytest.mark.parametrize("devices", [1, 3])
def test_what_is_told_less_what_is_withdrawn_is_what_an_audit_finds(
    seed: int, devices: int
) -> None:
    dice = random.Random(f"{seed} {devices}")
    history = list(dealt("midi", 6, seed).history[: 240 if FULL else 80])
    came = disturbed(as_told(history, dice) if devices > 1 else history, dice)
    if devices > 1:
        by_devices(came)
        return
    told = told_of(came)
    assert {each.told for _, each in told} == {"found", "changed", "withdrawn"}
    assert standing(each for _, each in told) == at_the_end(came)


# -- Beside a writer, on both stores ------------------------------------------------------------


def coup_by_coup(events: list[RecordedEvent]) -> Iterator[list[NewEvent]]:
    """The events of a shoe as devices send them: a few at a time, never two coups at once."""
    batch: list[NewEvent] = []
    for event in events:
        batch.append(drafts([event])[0])
        if len(batch) == 3 or isinstance(event.payload, ev.CoupClosed):
            yield batch
            batch = []
    if batch:
        yield batch


def test_a_breach_is_flagged_before_the_next_coup(database_url: str) -> None:
    """The dealer opens no coup before the watch has spoken of the one before it."""
    shoes = [faulty_shoe("H-1"), clean_shoe("H-2")]
    due = {found.fingerprint: found.coup for found in audit_shoe_of(shoes[0])}
    told: dict[str, int | None] = {}
    stop, heard = threading.Event(), threading.Condition()

    def watch() -> None:
        with EventLog.open(database_url, read_only=True) as log:
            for news in AuditFollower(log, 0).follow(stop=stop):
                with heard:
                    for found in [each.finding for each in news if each.told == "found"]:
                        assert found.fingerprint not in told
                        told[found.fingerprint] = found.coup
                    heard.notify_all()

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        with EventLog.open(database_url) as log:
            for batch in coup_by_coup(shoes[0]):
                log.append(batch)
                closed = [d.payload.coup for d in batch if isinstance(d.payload, ev.CoupClosed)]
                for coup in closed:
                    wanted = {mark for mark, of in due.items() if of == coup}
                    with heard:
                        assert heard.wait_for(lambda w=wanted: w <= told.keys(), timeout=60), coup
            log.append(drafts(shoes[1]))
        time.sleep(0.2)
    finally:
        stop.set()
        watching.join(timeout=60)
    assert told == due


def test_a_shoe_that_was_let_go_is_taken_up_again(database_url: str) -> None:
    shoes = [faulty_shoe(f"H-{number}") for number in range(4)]
    with EventLog.open(database_url) as log:
        begun = [drafts(events) for events in shoes]
        # round the tables, ten events at a time; only one shoe is kept in memory
        while any(begun):
            for rest in begun:
                if rest:
                    log.append(rest[:10])
                    del rest[:10]
        stop = threading.Event()
        watch = AuditFollower(log, 0, shoes_in_memory=1)
        news = []
        for events in log.scan(batch=10):
            news += watch.take(events)
        stop.set()
    due = {each.fingerprint: each for log_of in shoes for each in audit_shoe_of(log_of)}
    stand = standing(news)
    assert stand.keys() == due.keys()
    assert [each.told for each in news].count("found") == len(due)


def test_only_the_shoes_named_are_watched(log: EventLog) -> None:
    for name in ("H-1", "H-2"):
        log.append(drafts(faulty_shoe(name)))
    watch = AuditFollower(log, 0, shoes=["H-2"])
    (events,) = log.scan()
    assert {each.finding.shoe for each in watch.take(events)} == {"H-2"}


def test_what_was_told_before_is_not_told_again(log: EventLog) -> None:
    log.append(drafts(faulty_shoe()))
    told = audit_shoe_of(log.read("shoe/H-1"))
    head = log.head()
    log.append([NewEvent("shoe/H-1", ev.CoupOpened(5))])
    watch = AuditFollower(log, head, told=told)
    (events,) = log.scan(after=head)
    assert watch.take(events) == []


def in_doubt(log: EventLog, after: int) -> list[tuple[str, InDoubt]]:
    """What is said not to be judged of a log that is followed, an event at a time."""
    said: list[tuple[str, InDoubt]] = []
    watch = AuditFollower(log, after, doubt=lambda *told: said.append(told))
    for events in log.scan(after=after, batch=1):
        watch.take(events)
    return said


def test_a_doubt_is_told_once_however_many_events_follow(log: EventLog) -> None:
    for event in shoe_in_doubt():
        log.append([NewEvent(event.stream, event.payload, event.at_us, "ann", event.device)])
    head = log.head()
    at = shoe_in_doubt()[-1].at_us
    assert at is not None
    log.append([NewEvent("shoe/H-4", ev.CoupClosed(2), at + 10**7, "ann", "d")])
    log.append([NewEvent("shoe/H-4", ev.ShoeEnded(left=410), at + 2 * 10**7, "ann", "d")])
    for second in range(3, 6):  # what is told behind the end has the shoe read anew each time
        late = ev.PatronLeft(f"p{second}")
        log.append([NewEvent("shoe/H-4", late, at + second * 10**7, "ann", "d")])
    ((stream, doubt),) = in_doubt(log, 0)
    assert (stream, doubt.coup, doubt.code) == ("shoe/H-4", 2, "past-posted-bet")
    # an audit of what stood up to there has told it already
    assert in_doubt(log, head) == []
