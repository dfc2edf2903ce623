"""Coup records become events, each once or not at all."""

import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.values.errors import BadInput, Conflict, ContentConflict
from sabot.infrastructure.imports.batch import Batch
from sabot.infrastructure.imports.coup_line import coup_from
from sabot.infrastructure.imports.coup_line_events import coups_in, difference, events_of
from sabot.infrastructure.imports.input_lines import Complaints
from sabot.infrastructure.rule_packs import pack_text
from tests.support.for_each import for_each


class Held:
    """A log of lists: what a batch asks of the real one, and no more."""

    def __init__(self):
        self.events = {}

    def versions(self, streams):
        return {stream: len(self.events[stream]) for stream in streams if stream in self.events}

    def read(self, stream):
        return self.events[stream]

    def take(self, drafts):
        for draft in drafts:
            events = self.events.setdefault(draft.stream, [])
            index = sum(map(len, self.events.values())) + 1
            events.append(
                RecordedEvent(
                    index,
                    draft.stream,
                    len(events) + 1,
                    draft.at_us,
                    0,
                    draft.actor,
                    draft.device,
                    draft.seq,
                    draft.payload,
                    position=len(events) + 1,
                )
            )


def coup(number=1, shoe="H", **keys):
    return coup_from({"shoe": shoe, "coup": number, "player": ["4"], "banker": ["5"]} | keys)


def run(log, *records, name="in.jsonl", limit=20, **options):
    """Drafts of records that stand on lines 1, 2, … of one file; they go into the log."""
    batch = Batch(log, Complaints(limit), **options)
    placed = ((name, line, record) for line, record in enumerate(records, 1))
    drafts = [draft for made in batch.drafts(placed) for draft in made]
    log.take(drafts)
    return batch, drafts


def test_a_whole_coup_line_as_a_table_shows_it():
    record = coup(
        table="T1",
        burned=["7c"],
        player=["4d", "Qs", "2h"],
        banker=["Th", "3c", "9s"],
        called={"player": 6, "outcome": "P"},
        at="1970-01-01T00:00:01Z",
        bets=[
            {"patron": "p0", "wager": "player", "amount": 100, "net": 100},
            {"patron": "p1", "wager": "banker", "amount": 200, "net": -200},
            {"patron": "p2", "wager": "tie", "amount": 0, "net": 0},
            {"patron": "p3", "wager": "tie", "amount": 5},
        ],
    )
    _, drafts = run(Held(), record, actor="clerk")
    pack = pack_text("classic-8")
    assert [draft.payload for draft in drafts] == [
        ev.ShoeLoaded(8, pack, pack_sha256(pack), table="T1", coverage="coups", pack_named=False),
        ev.CardBurned("7c", reason="opening"),
        ev.CoupOpened(1),
        ev.BetPlaced(1, 1, "p0", "player", 100),
        ev.BetPlaced(1, 2, "p1", "banker", 200),
        ev.BetPlaced(1, 3, "p2", "tie", 0),
        ev.BetPlaced(1, 4, "p3", "tie", 5),
        ev.NoMoreBets(1),
        ev.CardDrawn(1, "player", "4d"),
        ev.CardDrawn(1, "banker", "Th"),
        ev.CardDrawn(1, "player", "Qs"),
        ev.CardDrawn(1, "banker", "3c"),
        ev.CardDrawn(1, "player", "2h"),
        ev.CardDrawn(1, "banker", "9s"),
        ev.ResultCalled(1, player=6, outcome="P"),
        ev.BetPaid(1, 1, 100, after_commission=True),
        ev.BetTaken(1, 2, 200),
        ev.BetPushed(1, 3),
        ev.CoupClosed(1),
    ]
    assert {draft.stream for draft in drafts} == {"shoe/H"}
    assert {draft.actor for draft in drafts} == {"clerk"}
    # the coup's time is no time of the loading, which the record does not tell
    assert [draft.at_us for draft in drafts] == [None] + [1_000_000] * 18


@pytest.mark.parametrize(
    ("player", "banker", "order"),
    [
        (["1", "2"], ["6", "7"], "P1 B6 P2 B7"),
        (["1", "2"], ["6", "7", "8"], "P1 B6 P2 B7 B8"),
        (["1", "2", "3"], ["6", "7"], "P1 B6 P2 B7 P3"),
        (["1", "2", "3", "4"], ["6"], "P1 B6 P2 P3 P4"),
        ([], ["6"], "B6"),
        ([], [], ""),
    ],
)
def test_cards_leave_the_shoe_in_turn(player, banker, order):
    drawn = [
        f"{payload.hand[0].upper()}{payload.card.replace('A', '1')}"
        for payload in events_of(1, coup(player=player, banker=banker).content)
        if isinstance(payload, ev.CardDrawn)
    ]
    assert " ".join(drawn) == order


def test_faces_burned_later_are_no_opening_burn():
    assert events_of(9, coup(9, burned=["7c"]).content)[0] == ev.CardBurned("7c", reason="other")


@pytest.mark.parametrize(
    ("keys", "rules", "decks", "pack", "named"),
    [
        ({}, None, 8, "classic-8", False),
        ({"decks": 6}, None, 6, "classic-6", False),
        ({"decks": 5}, None, 5, "classic-8", False),
        ({"rules": "classic-6"}, None, 6, "classic-6", True),
        ({"rules": "classic-6", "decks": 8}, None, 8, "classic-6", True),
        ({}, "super-6", 8, "super-6", True),
        ({"rules": "classic-8"}, "super-6", 8, "classic-8", True),
    ],
)
def test_the_pack_and_the_decks_of_a_shoe(keys, rules, decks, pack, named):
    _, drafts = run(Held(), coup(**keys), rules=rules)
    loaded = drafts[0].payload
    assert (loaded.decks, loaded.pack, loaded.pack_named) == (decks, pack_text(pack), named)
    assert loaded.pack_sha256 == pack_sha256(loaded.pack)


def test_a_pack_in_a_file_is_named_by_the_importing_person_alone(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text(pack_text("uk").replace('"uk"', '"mine"'))
    _, drafts = run(Held(), coup(), rules=str(mine))
    assert drafts[0].payload.pack == mine.read_text()
    with pytest.raises(BadInput) as caught:
        run(Held(), coup(rules=str(mine)))
    assert "there is no rule pack" in str(caught.value)
    assert "given by --rules" in str(caught.value)
    # the same path as an option and in a line: the line is still refused
    with pytest.raises(BadInput, match=r"in\.jsonl:2: rules: there is no rule pack"):
        run(Held(), coup(shoe="A"), coup(shoe="B", rules=str(mine)), rules=str(mine))


def test_the_same_again_is_taken_once():
    log = Held()
    first, _ = run(log, coup(1), coup(2, bets=[{"patron": "p", "wager": "tie", "amount": 1}]))
    assert (first.added.shoes, first.added.coups, first.added.already) == (1, 2, 0)
    again = [
        coup(1, player=[" 4 "], table=None),
        coup(2, bets=[{"amount": 1, "wager": "tie", "patron": "p"}]),
    ]
    second, drafts = run(log, *again, again[0], again[1])
    assert drafts == []
    assert (second.added.shoes, second.added.coups, second.added.events) == (0, 0, 0)
    assert second.added.already == 4
    assert second.expected == {}


def test_the_same_coup_twice_in_one_batch():
    batch, drafts = run(Held(), coup(), coup())
    assert (batch.added.coups, batch.added.already) == (1, 1)
    assert len(drafts) == batch.added.events == 6


def test_a_shoe_may_come_in_several_imports():
    log = Held()
    run(log, coup(2))
    batch, drafts = run(log, coup(1, burned=["7c"]), coup(2))
    assert batch.expected == {"shoe/H": 6}
    assert [type(draft.payload) for draft in drafts][:2] == [ev.CardBurned, ev.CoupOpened]
    again, drafts = run(log, coup(1, burned=["7c"]))
    assert (drafts, again.added.already) == ([], 1)


def test_a_new_shoe_rests_on_there_being_none():
    batch, _ = run(Held(), coup(shoe="A"), coup(shoe="B"))
    assert batch.expected == {"shoe/A": 0, "shoe/B": 0}


@for_each(
    ("changed", "told"),
    [
        ({"banker": ["6"]}, "'card-drawn banker 6' here, 'card-drawn banker 5' there"),
        ({"banker": ["5", "6"]}, "'card-drawn banker 6' here, 'coup-closed' there"),
        ({"burned": ["7c"]}, "'card-burned 7c' here, 'coup-opened' there"),
        ({"called": {"outcome": "B"}}, "'result-called B' here, 'coup-closed' there"),
        ({"at": "2026-01-01T20:00:00Z"}, "the time is 2026-01-01T20:00:00.000000Z here, unknown"),
    ],
)
@for_each("logged", [True, False])
def test_the_same_coup_with_other_content(changed, told, logged):
    log = Held()
    if logged:
        run(log, coup())
    with pytest.raises(ContentConflict) as caught:
        run(log, *([] if logged else [coup()]), coup(**changed))
    place, where = ("1", "the log") if logged else ("2", "in.jsonl:1")
    assert str(caught.value).startswith(
        f"in.jsonl:{place}: coup 1 of shoe 'H' stands in {where} with other content: {told}"
    )


@for_each(
    ("first", "later", "told"),
    [
        ({}, {"decks": 6}, "decks 6 here and decks 8 in"),
        ({"table": "T1"}, {"table": "T2"}, "table T2 here and table T1 in"),
        ({}, {"table": "T1"}, "table T1 here and no table in"),
        ({}, {"rules": "super-6"}, "rules super-6 here and rules classic-8 in"),
    ],
)
@for_each("logged", [True, False])
def test_a_line_that_contradicts_its_shoe(first, later, told, logged):
    log = Held()
    if logged:
        run(log, coup(1, **first))
    with pytest.raises(ContentConflict) as caught:
        run(log, *([] if logged else [coup(1, **first)]), coup(2, **later))
    assert told in str(caught.value)


def test_a_line_may_repeat_or_leave_out_what_its_shoe_has():
    keys = {"decks": 6, "rules": "classic-6", "table": "T1"}
    batch, _ = run(Held(), coup(1, **keys), coup(2), coup(3, **keys), coup(4, rules="classic-6"))
    assert batch.added.coups == 4
    batch, _ = run(Held(), coup(1), coup(2, rules="classic-8", decks=8))
    assert batch.added.coups == 2


def test_a_device_recorded_the_coup_otherwise():
    log = Held()
    run(log, coup(1))
    log.take([])
    stored = log.events["shoe/H"]
    stored[3] = RecordedEvent(
        4,
        "shoe/H",
        4,
        None,
        0,
        "",
        "reader-7",
        1,
        ev.CardDrawn(1, "player", "4", place=1),
        position=4,
    )
    with pytest.raises(ContentConflict, match="with other content"):
        run(log, coup(1))


def test_errors_are_collected_and_nothing_is_yielded_after_the_first():
    placed = [("a", 1, coup(1)), ("a", 2, coup(1, shoe="B", rules="none"))]
    placed += [("b", 7, coup(1, player=["5"]))]
    yielded = []
    with pytest.raises(BadInput) as caught:
        yielded.extend(Batch(Held(), Complaints()).drafts(placed))
    assert yielded == []
    told = str(caught.value).splitlines()
    assert told[0].startswith("a:2: rules: there is no rule pack 'none'; shipped are banque, ")
    assert told[1].startswith("b:7: coup 1 of shoe 'H' stands in a:1 with other content")
    assert told[2].startswith("2 errors: nothing was imported")


def test_conflicts_alone_are_a_conflict():
    with pytest.raises(Conflict) as caught:
        run(Held(), coup(1), coup(1, player=["6"]), coup(1, player=["7"]))
    assert "1 error on 2 lines" in str(caught.value)


def test_after_enough_errors_it_ends():
    wrong = [coup(1, decks=6), coup(1, table="T"), coup(1, player=["6"]), coup(1, rules="none")]
    with pytest.raises(Conflict) as caught:
        run(Held(), coup(1), *wrong, limit=3)
    assert "3 errors (there may be more)" in str(caught.value)
    assert "in.jsonl:5" not in str(caught.value)


@pytest.mark.parametrize(
    ("wager", "hint"),
    [
        ("Tie", "did you mean 'tie'?"),
        ("bankr", "did you mean 'banker'?"),
        ("punto", "did you mean 'player'?"),
        ("dragon-7", "correct the record or its mapping, or give the rule pack"),
    ],
)
def test_a_wager_that_the_pack_does_not_offer(wager, hint):
    bets = [{"patron": "p", "wager": wager, "amount": 100}]
    with pytest.raises(BadInput) as caught:
        run(Held(), coup(1), coup(2, bets=bets))
    told = str(caught.value)
    assert told.startswith(f"in.jsonl:2: bets: wager {wager!r} is not in classic-8")
    assert hint in told
    log = Held()
    run(log, coup(1))
    with pytest.raises(BadInput, match="is not in classic-8"):
        run(log, coup(2, bets=bets))


def test_a_wager_of_the_pack_that_was_named():
    bets = [{"patron": "p", "wager": "dragon-7", "amount": 100}]
    batch, _ = run(Held(), coup(1, rules="ez-baccarat", bets=bets))
    assert batch.added.coups == 1


def test_many_shoes_are_remembered_past_what_is_kept_in_memory(monkeypatch):
    monkeypatch.setattr("sabot.infrastructure.imports.batch._CACHED", 2)
    shoes = [coup(1, shoe=f"S{n}") for n in range(7)]
    batch, drafts = run(Held(), *shoes, *shoes)
    assert (batch.added.shoes, batch.added.coups, batch.added.already) == (7, 7, 7)
    assert len(drafts) == 7 * 6


def test_what_a_stream_holds_of_each_coup():
    log = Held()
    run(log, coup(1, burned=["7c"]), coup(2, burned=["8c"]), coup(3))
    held = coups_in(log.events["shoe/H"])
    for number, burned in ((1, ["7c"]), (2, ["8c"]), (3, [])):
        mine = [
            (None, payload) for payload in events_of(number, coup(number, burned=burned).content)
        ]
        assert held[number] == mine
        assert difference(mine, held[number]) == ""
