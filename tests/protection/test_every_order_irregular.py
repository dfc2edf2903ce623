"""Recorded irregularities raise no mean above 1, over every order."""

from itertools import product
from typing import get_args

import pytest

from sabot.domain import events as ev
from sabot.domain.protection.detection.follower import Follower, Stale
from sabot.domain.protection.observation.knowledge_at import instead_of
from sabot.domain.values.scalars import Irregularity
from tests.support.coup_notation import events_of, loaded
from tests.support.irregular_shoes import (
    ACCOUNTS,
    HABITS,
    SHOES,
    SITUATIONS,
    SMALL,
    mean_of,
)
from tests.support.thorough import a_part


@pytest.mark.parametrize(
    ("situation", "habit", "accounts", "shoe"),
    a_part(product(SITUATIONS, HABITS, ACCOUNTS, SHOES), of=103),
)
def test_no_mean_is_above_1_where_cards_were_seen_off_the_record(situation, habit, accounts, shoe):
    assert 0 < mean_of(situation, habit, accounts, shoe) <= 1


@pytest.mark.parametrize("situation", a_part(SITUATIONS, of=11))
def test_each_situation_is_one_in_which_a_patron_knows_more_than_the_record(situation, monkeypatch):
    """Without the note or the doubt about a card the mean is above 1: the test is no empty one."""
    observation = "sabot.domain.protection.observation"
    walk = f"{observation}.shoe_walk.Walk"
    monkeypatch.setattr(f"{observation}.burned_cards.BurnedCards.add", lambda *_: False)
    monkeypatch.setattr(f"{observation}.burned_cards.BurnedCards.not_due", lambda *_: 0)
    monkeypatch.setattr(f"{walk}._may_return", lambda *_: None)
    monkeypatch.setattr(f"{walk}.burned_after", lambda *_: None)
    monkeypatch.setattr(f"{walk}._irregular", lambda *_: None)
    monkeypatch.setitem(_handlers(), ev.IrregularityNoted, lambda *_: None)
    monkeypatch.setattr(f"{walk}._end_faces", lambda *_, **__: None)
    monkeypatch.setattr(f"{walk}._settle_missing", lambda *_: None)
    monkeypatch.setattr(f"{walk}.note_after", lambda *_: None)
    highest = max(mean_of(situation, habit, "side", SMALL) for habit in HABITS)
    assert highest > 1


def _handlers():
    from sabot.domain.protection.observation.shoe_walk import Walk  # noqa: PLC0415 - its table alone

    return Walk._ON


def coup(number, note=None):
    """A coup of four cards at which the first card is known: natural 9 or 8 against less."""
    high = number % 2 == 1
    yield ev.CoupOpened(number)
    yield ev.BetPlaced(number, 1, "p", "player" if high else "banker", 100)
    yield ev.NoMoreBets(number)
    if note is not None:
        yield note
    for hand, card in zip(
        ("player", "banker", "player", "banker"), "9K9K" if high else "KK28", strict=True
    ):
        yield ev.CardDrawn(number, hand, card)
    yield ev.CoupClosed(number)


def factors(note_at, note):
    """The patron's factor of each coup, one of them with a note."""
    found = {}

    def listen(key, _tally, factor, evidence, _shoe):
        if key == ("patron", "p"):
            found[evidence.coup.number] = factor

    payloads = [loaded()]
    for number in range(1, 15):
        payloads += coup(number, note if number == note_at else None)
    Follower(listen=listen).take(events_of(payloads))
    return found


@pytest.mark.parametrize("kind", get_args(Irregularity))
@pytest.mark.parametrize("named", [True, False])
def test_a_coup_with_an_irregularity_is_no_evidence_against_anybody(kind, named):
    at = 11
    plain = factors(at, None)
    noted = factors(at, ev.IrregularityNoted(kind, "stand", at if named else None))
    assert plain[at] > 1
    assert plain[at + 1] > 1
    assert noted[at] <= 1
    of_bets = kind in ("late-bet", "wrong-payment", "abandoned-bet")
    assert (noted[at + 1] <= 1) is not of_bets
    assert noted[at + 2] > 1


def evidence_of(follower):
    return follower.look().patrons["p"].tally.log_e


def test_a_note_that_comes_after_a_look_at_its_coup_still_concerns_it():
    coups = [payload for number in range(1, 12) for payload in coup(number)]
    events = events_of([loaded(), *coups, ev.IrregularityNoted("late-bet", "stand")])
    live, whole = Follower(), Follower()
    live.take(events[:-1])
    looked = evidence_of(live)
    live.take(events[-1:])
    whole.take(events)
    assert evidence_of(live) == evidence_of(whole) < looked


@pytest.mark.parametrize(
    "late",
    [
        ev.IrregularityNoted("late-bet", "stand", 11),
        ev.IrregularityNoted("card-exposed", "stand", 11),
        ev.CardBurned("5", reason="fault", coup=11),
    ],
)
def test_what_is_noted_in_the_next_coup_concerns_the_coup_that_it_names(late):
    coups = [payload for number in range(1, 12) for payload in coup(number)]
    events = events_of([loaded(), *coups, ev.CoupOpened(12), late])
    plain, live = Follower(), Follower()
    plain.take(events[:-1])
    with pytest.raises(Stale):
        live.take(events)
    known = {events[0].stream: instead_of(events)}
    whole = Follower(instead=known, known=len(events))
    whole.take(events)
    assert evidence_of(whole) < evidence_of(plain)
