"""Dealing in the terminal, line by line."""

import io
import os
import pty
import random
import subprocess
import threading
import time
from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.deal.card_source import sealed
from sabot.cli.deal.commands import WORDS, events_of
from sabot.cli.deal.deal_table import DealTable
from sabot.cli.deal.parser import amount_of
from sabot.cli.deal.session import DealSession
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from sabot.domain.events.envelope import NewEvent
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.simulation import EVERYBODY, HABITS
from sabot.domain.state.shoe import fold
from sabot.domain.values.cards import FULL_DECK
from sabot.domain.values.errors import BadInput, VersionConflict
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt
from tests.support.programs import SABOT, Program
from tests.support.thorough import one_store, slow

pytestmark = one_store

READY = "shuffle dana machine S-7\ncut anna 120\n\n"
SEATED = ("--seat", "1=anna", "--seat", "2=bo")


@pytest.fixture
def database(tmp_path):
    return str(tmp_path / "deal.db")


@pytest.fixture
def deal(database, monkeypatch, capsys):
    """Say lines at a table. Return the exit code, standard output and standard error."""

    def run(said, *arguments):
        given = io.TextIOWrapper(io.BytesIO(said.encode() if isinstance(said, str) else said))
        monkeypatch.setattr("sys.stdin", given)
        code = guard(build(), ["deal", *arguments, "--database", database])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def shoe(database):
    """Return the shoe in the log as its events have it."""

    def read(name=None):
        with EventLog.open(database) as log:
            streams = [info.stream for info in log.streams("shoe/")]
            stream = streams[-1] if name is None else f"shoe/{name}"
            return fold(stream, log.read(stream))

    return read


def test_a_second_deal_at_a_table_continues_the_open_shoe(deal, database):
    code, _, err = deal(READY, "--table", "T7")
    assert code == 0
    to_deal = f"sabot deal --database {database}"
    name = err.split(f"continue it with: {to_deal} ")[1].strip()
    code, _, err = deal("burn\n", "--table", "T7")
    assert f"shoe {name} is still open at table T7; to begin another, name it" in err
    assert f"continuing shoe {name}" in err
    # another table has no open shoe, and options of a new shoe do not fit one that is open
    code, _, err = deal("quit\n", "--table", "T8", "--rules", "mini")
    assert (code, "still open" in err) == (0, False)
    code, _, err = deal("", "--table", "T7", "--rules", "mini")
    assert code == 2
    assert f"continue it with `{to_deal} {name}`" in err
    # without a terminal nobody can be asked whether to open a second shoe
    code, _, err = deal("quit\n", "B-2", "--table", "T7")
    assert code == 2
    assert (
        f"`{to_deal} {name}`, or end it with `echo anyway end withdrawn | {to_deal} {name}`" in err
    )
    code, _, err = deal("anyway end\n", name, "--table", "T7")
    assert (
        code,
        "the cut card has not appeared; give the reason why the shoe ends: end withdrawn" in err,
    ) == (
        2,
        True,
    )
    deal("anyway end withdrawn\n", name, "--table", "T7")
    code, _, err = deal("quit\n", "B-2", "--table", "T7")
    assert (code, "still open" in err) == (0, False)
    with EventLog.open(database) as log:
        assert len(log.streams("shoe/")) == 3
        ended = fold(f"shoe/{name}", log.read(f"shoe/{name}"))
    assert ended.ended.payload.reason == "withdrawn"
    assert "Z304" not in {finding.number for finding in audit_shoe(ended).findings}


def test_a_line_of_bets_is_recorded_whole_or_not_at_all(deal, shoe):
    limits = ("--limits", "25-5000", "--seed", "1", *SEATED)
    code, _, err = deal(READY + "go\nbet anna banker 500, bo tie 10\n", "S-1", *limits)
    assert (code, "refused: " in err) == (2, True)
    assert shoe("S-1").coups[1].bets == {}
    assert deal("bet anna banker 500, bo tie 25\n", "S-1")[0] == 0
    assert len(shoe("S-1").coups[1].bets) == 2


def test_a_person_is_asked_before_a_second_shoe(deal, database, monkeypatch):
    deal(READY, "A-1", "--table", "T7")
    monkeypatch.setattr("sabot.cli.deal.deal_verb.DealSession", Typing)
    for answer, code, shoes in (("n\n", 2, 1), ("y\nquit\n", 0, 2)):
        assert deal(answer, "A-2", "--table", "T7")[0] == code
        with EventLog.open(database) as log:
            assert len(log.streams("shoe/")) == shoes


@pytest.mark.parametrize(
    "hostile", ["x; touch $(id) `id` 'y'\nsabot: all is well", "--rules", "\x1b[2J"]
)
def test_a_name_in_the_log_runs_nothing_when_its_command_is_pasted(deal, database, hostile):
    pack = pack_text("classic-8")
    loaded = ev.ShoeLoaded(decks=8, pack=pack, pack_sha256=pack_sha256(pack), table="T8")
    with EventLog.open(database) as log:
        log.append([NewEvent(f"shoe/{hostile}", loaded)])
    code, _, err = deal("", "OTHER", "--table", "T8")
    assert (code, err.count("\n")) == (2, 1)
    command = err.partition("continue with `")[2].partition("`, or end it with `echo")[0]
    printed = subprocess.run(
        ["bash", "-c", f"sabot() {{ printf '%s\\0' \"$@\"; }}; {command}"],
        capture_output=True,
        check=True,
    ).stdout.decode()
    dash = ["--"] if hostile.startswith("-") else []
    assert printed.split("\0") == ["deal", "--database", database, *dash, hostile, ""]


class Typing(DealSession):
    """A session whose lines a person types."""

    def __init__(self):
        super().__init__()
        self.people = True


@slow
def test_a_whole_shoe_is_dealt_by_saying_go(deal, shoe):
    said = READY + "go\n" + "bet anna banker 50, bo tie 10\ngo\n" * 60
    code, out, err = deal(said, "S-1", "--rules", "classic-4", "--seed", "1", *SEATED)
    state = shoe("S-1")
    assert state.ended is not None
    assert len(state.coups) > 35
    assert len(state.coups[7].bets) == 2
    assert audit_shoe(state).findings == []
    assert "still in play" not in err
    last = out.splitlines()[-1]
    assert "order" in last
    assert code == 0  # what was said after the end of the shoe was not heard


def test_every_event_is_told_with_its_number(deal, shoe):
    _, out, _ = deal(READY + "go\n", "S-1", "--seed", "1")
    told = out.splitlines()
    assert len(told) == shoe("S-1").version
    assert told[0].split(maxsplit=1) == ["1", "8 decks loaded at T1 under classic-8 version 2"]
    assert told[2].split(maxsplit=1) == ["3", "cut by anna, 120 from the front"]


def test_the_same_seed_deals_the_same_cards_and_none_other_cards(deal, shoe):
    for name, dice in (("a", ("--seed", "9")), ("b", ("--seed", "9")), ("c", ())):
        deal(READY + "go\ngo\ngo\n", name, "--table", name, *dice)
    faces = {name: [event.payload.card for event in shoe(name).left] for name in ("a", "b", "c")}
    assert faces["a"] == faces["b"] != faces["c"]


def test_bets_are_called_changed_and_withdrawn(deal, shoe):
    said = (
        "go\ngo\ngo\ngo\nbet anna banker 500, bo player 25.50\nbet bo tie 1000\n"
        "change 2 60\nchange bo tie 1100\nwithdraw anna banker\nno more bets\n"
    )
    code, out, err = deal(READY + said, "S-1", "--seed", "1", *SEATED)
    assert (code, err.count("?")) == (0, 0)
    assert "bet 2 now stands at 60.00 EUR" in out
    coup = shoe().current
    assert [(b.patron, b.wager, b.amount, b.withdrawn) for b in coup.bets.values()] == [
        ("anna", "banker", 50_000, True),
        ("bo", "player", 6000, False),
        ("bo", "tie", 110_000, False),
    ]
    assert coup.bets[2].placed.payload.seat == 2
    assert coup.no_more_bets is not None


def test_what_the_pack_forbids_is_refused_with_reason_and_next_step(deal, shoe):
    said = READY + "go\nbet anna dragon-7 50\nbet anna tie 1\nplayer\nclose\nend withdrawn\n"
    code, _, err = deal(said, "S-1", "--seed", "1", "--limits", "10-5000")
    assert code == 2
    assert "line 5: refused: this table does not offer 'dragon-7'; it offers player, banker" in err
    assert "refused: the limits on Tie are 10.00 EUR to 5,000.00 EUR, not 1.00 EUR" in err
    assert "refused: no card is due; place your bets" in err
    assert "refused: the coup cannot be closed; place your bets" in err
    assert "refused: coup 1 is open; settle or void it first" in err
    assert err.count("to record it nevertheless, type: anyway …") == 5
    for number in ("B204", "L201", "B202", "I306"):
        rule = find_rule(number)
        assert f"    {number}: {rule.requires} Source: {rule.sources[0].cite}" in err
    assert shoe().current.bets == {}


def test_anyway_records_that_it_happened_all_the_same(deal, shoe):
    said = (
        *(READY, "go\nbet anna banker 50\nno more bets\n\n\n\n\n\n"),
        *("anyway bet bo player 70\n", "anyway change 1 900\n", "anyway pay 1 1\n"),
    )
    code, _, _ = deal("".join(said), "S-1", "--seed", "1", *SEATED)
    assert code == 0
    codes = {finding.code for finding in audit_shoe(shoe()).findings}
    assert {"past-posted-bet", "late-bet-change"} <= codes
    assert shoe().current.bets[1].paid == 100


@slow
def test_a_wrong_draw_takes_the_next_card_of_the_random_shoe(deal, shoe):
    four = ("--rules", "classic-4", "--seed", "1")
    deal(READY + "go\n" * 5 + "anyway player\n" + "go\n" * 90, "S-1", *four)
    state = shoe()
    drawn = [event.payload for event in state.left if isinstance(event.payload, ev.CardDrawn)]
    order = state.order_opened[0].payload.order
    assert all(order[payload.place - 1] == payload.card for payload in drawn)


def test_cards_are_typed_as_they_lie(deal, shoe, database):
    said = (
        "shuffle\ncut anna\n\nAs\n\ntakes anna\ngo\nbet anna player 50\nno more bets\n"
        "4d Th 10♣ 7h\n\n9S\ngo\n"
    )
    code, out, err = deal(said, "S-1", "--cards", "typed", "--seat", "1=anna")
    assert "9♠ to Player" in out, err
    state = shoe()
    coup = state.coups[1]
    assert (coup.player, coup.banker) == (["4d", "Tc", "9s"], ["Th", "7h"])
    assert coup.closed is not None
    assert state.committed == []
    assert [event.payload.card for event in state.burned] == ["As", None]
    hint = f"sabot deal --database {database} S-1"
    assert (code, err) == (0, f"the shoe is still in play; continue it with: {hint}\n")


def test_typed_cards_are_held_against_the_decks_and_the_hand_that_is_due(deal, shoe):
    said = "\n\n\n2c\n\ngo\nno more bets\n7c 7c 7c\n7c\nbanker Ks\nplayer Ks\n"
    _, _, err = deal(said, "S-1", "--cards", "typed", "--rules", "mini", "--decks", "3")
    assert "line 9: refused: all 3 copies of 7♣ have been seen; look at the card again" in err
    assert "line 11: refused: no card is due; call four player, seven banker" in err
    assert shoe().current.player == ["7c", "7c"]
    assert shoe().current.banker == ["7c", "Ks"]


def test_a_card_that_is_named_does_not_come_out_of_a_random_shoe(deal):
    _, _, err = deal(READY + "go\ngo\nno more bets\ncard 4d\n4d\n", "S-1", "--seed", "1")
    assert "the cards come out of the random shoe; do not name them" in err
    assert "'4d' is not a command" in err


def test_calls_payments_and_people_in_words(deal, shoe):
    said = (
        "shuffle\ncut\n\nAs\n\nseat 3 carl\nseat 4 dora\nlimits 10-500 tie 5-50 displayed\n"
        "crew dealer dana\nrequest carl keep-decks granted all night\nopen\n"
        "bet carl player 50, dora banker 100\nnmb\nP\n4d\nKh\n4c\n7s\ncall 8 7\n"
        "call player 8 7\ntake 2\npay carl player 50\nclose\nleave dora\n"
        "irregularity other none coffee on the felt\nopen free\nno more bets\n"
        "9d 9h Kd Ks\ncall 9 9\ncall t 9 9\nclose\nopen\nnote misdeal void two cards at once\n"
        "void two cards at once\ninspect dana all fine\nend 376 withdrawn\n"
    )
    code, _, err = deal(said, "S-1", "--cards", "typed", "--rules", "mini", "--decks", "8")
    state = shoe()
    assert err.count("line ") == 1, err  # "P" alone is no card
    assert code == 2
    assert state.coups[1].bets[2].taken == 10_000
    assert state.coups[1].bets[1].paid == 5000
    assert state.coups[2].free
    assert state.coups[3].voided is not None
    assert state.ended.payload == ev.ShoeEnded(left=376, reason="withdrawn")
    assert state.limits == (ev.Limit(1000, 50_000), ev.Limit(500, 5000, "tie"))
    assert state.requests[0].payload.detail == "all night"
    assert state.seats == {3: "carl"}


def test_the_shoe_goes_round_among_the_patrons(deal, shoe):
    said = (
        "shuffle\ncut\n\n4c\n\n\n\n\n\nrefuses\noffer anna\ntakes\npasses ruling\n"
        "offer bo\ntakes bo\npasses ruling\ntakes dealer\n"
    )
    code, _, err = deal(said, "S-1", "--cards", "typed", *SEATED)
    assert code == 0, err
    assert [event.payload for event in shoe("S-1").shoe_moves] == [
        ev.ShoeOffered("bo"),
        ev.ShoeRefused("bo"),
        ev.ShoeOffered("anna"),
        ev.ShoeTaken("anna"),
        ev.ShoePassed("anna", "ruling"),
        ev.ShoeOffered("bo"),
        ev.ShoeTaken("bo"),
        ev.ShoePassed("bo", "ruling"),
        ev.ShoeTaken("dealer"),
    ]


def test_a_shoe_is_held_by_nobody_where_the_dealer_deals(deal):
    _, _, err = deal(READY + "offer anna\n", "S-1", "--rules", "mini", "--seed", "1", *SEATED)
    assert "refused: the dealer deals at this table" in err


def test_an_earlier_event_is_corrected_and_stays_in_the_log(deal, shoe):
    deal(READY + "go\nbet anna banker 500\n", "S-1", "--seed", "1")
    bet = next(e.version for e in shoe().history if isinstance(e.payload, ev.BetPlaced))
    said = (
        f"correct {bet} to bet anna banker 50 because misheard\n"
        "correct #2 to nothing because it was another shoe\n"
        "correct 999 to nothing because x\ncorrect 3 to nothing\ncorrect 3 to dance because y\n"
    )
    code, _, err = deal(said, "S-1", "--cards", "typed")
    state = shoe()
    assert state.current.bets[1].amount == 5000
    assert state.history[bet - 1].payload.amount == 50_000
    assert state.shuffles == []
    assert [e.payload.reason for e in state.corrections] == ["misheard", "it was another shoe"]
    assert code == 2
    assert "line 3: ? there is no event 999" in err
    assert "usage: correct N to COMMAND… because REASON" in err
    assert "'dance' is not a command" in err


@slow
def test_an_interrupted_shoe_goes_on_in_a_new_order_of_the_cards_not_seen(deal, shoe):
    four = ("--rules", "classic-4", "--seed", "1")
    deal(READY + "go\nbet anna banker 50\nno more bets\n\n\n", "S-1", *four)
    half = shoe("S-1")
    assert len(half.current.cards) == 2
    code, _, err = deal("go\n" * 90, "S-1", "--seed", "2")
    assert code == 0
    assert "continuing shoe S-1" in err
    assert "the order committed before is lost" in err
    state = shoe("S-1")
    assert len(state.committed) == 2
    assert state.ended is not None
    assert state.irregularities[0].payload.ruling == "play-on"
    # nothing but the lost order is wrong with it
    assert [x.code for x in audit_shoe(state).findings] == ["committed-order-not-opened"]


def test_a_shoe_that_has_ended_is_not_dealt_again(deal):
    deal("end 416 withdrawn\n", "S-1", "--seed", "1")
    code, _, err = deal("go\n", "S-1")
    assert code == 2
    assert "shoe S-1 has ended; choose another name" in err


def test_shoes_without_a_name_are_numbered_by_table_and_day(deal, shoe, database):
    deal("end 416 withdrawn\n", "--table", "VIP")
    deal("quit\n", "--table", "VIP")
    with EventLog.open(database) as log:
        names = [info.stream for info in log.streams("shoe/")]
    assert [name.rpartition("-")[2] for name in names] == ["1", "2"]
    assert all(name.startswith("shoe/VIP-2") for name in names)
    assert shoe().table == "VIP"


def test_what_is_said_wrongly_is_told_how_to_say_it(deal):
    said = (
        "dance\nbet\nbet anna banker\nbet anna banker x\nbet anna banker 1.234\nchange 7 5\n"
        "stop\nstop many\nturn middle 1\ncall 12 3\nirregularity odd\nrequest anna fly\n"
        "crew waiter bob\nlimits 5\nseat x anna\nhelp dance\nanyway\nshuffle a b\ncollect\n"
    )
    code, out, err = deal(said, "S-1", "--seed", "1")
    assert code == 2
    assert len(out.splitlines()) == 1
    assert err.count("line ") == 19
    for told in (
        "'dance' is not a command; `help` lists them",
        "usage: bet PATRON WAGER AMOUNT",
        "'x' is not an amount; write it as 500 or 12.50",
        "which bet? say its number, or patron and wager; there is none",
        "the place of the cut card is a whole number, not 'many'",
        "a total is 0 to 9",
        "an irregularity is one of wrong-draw",
        "a request is one of turn-card",
        "a post is one of dealer",
    ):
        assert told in err


def test_whatever_bytes_come_in_the_table_answers(deal):
    said = b"\xff\xfe\x00\n" + b"x" * 70_000 + b"\nbet \x1b[2J a 1\n\ngo\n"
    code, out, err = deal(said, "S-1", "--seed", "1")
    assert code == 2
    assert "longer than 64 KiB" in err
    assert "\x1b" not in err + out
    assert "   2  shuffled" in out


def test_options_that_make_no_sense_are_told(deal):
    for arguments, told in (
        (("--cards", "marked"), "allowed: random, typed"),
        (("--cards", "typed", "--seed", "1"), "--seed cannot be combined with --cards typed"),
        (("--seat", "anna"), "is not N=PATRON"),
        (("--seat", "99=anna"), "the table has 14 seats"),
        (("--limits", "50"), "is not MIN-MAX"),
        (("--decks", "5"), "deals 8 decks, not 5"),
        (("--rules", "poker"), "there is no rule pack 'poker'"),
    ):
        code, out, err = deal("go\n", "S-1", *arguments)
        assert (code, out) == (2, ""), err
        assert told in err


def test_help_tells_every_word(deal):
    _, _, err = deal("help\n", "S-1", "--seed", "1")
    told = " ".join(err.split())
    for word in WORDS.values():
        assert f"{word.usage} {word.what}" in told
    assert all(len(line) <= 80 for line in err.splitlines() if "sabot deal" not in line)
    _, _, err = deal("help bet\n", "S-1")
    assert "bet PATRON WAGER AMOUNT" in err


def test_state_shows_the_felt(deal):
    _, out, _ = deal(READY + "go\nbet anna banker 50\nstate\n", "S-1", "--seed", "1", *SEATED)
    assert "PLAYER" in out
    assert "50.00" in out
    assert "place your bets" in out


# -- What others write meanwhile ----------------------------------------------------------


def table_at(log, rng=None, told=None):
    clock = iter(range(10**6, 10**9)).__next__
    return DealTable(
        log,
        "shoe/S-1",
        device="deal/1",
        clock=clock,
        rng=rng,
        tell=(told if told is not None else []).append,
        warn=(told if told is not None else []).append,
    )


def test_a_decision_that_rests_on_what_has_changed_is_not_recorded(log):
    felt = Felt().ready()
    felt.put(ev.CoupOpened(1))
    log.append([NewEvent("shoe/S-1", payload) for payload in felt.payloads])
    told = []
    table = table_at(log, told=told)
    log.append([NewEvent("shoe/S-1", ev.NoMoreBets(1))])
    with pytest.raises(VersionConflict, match="another program wrote to this shoe"):
        table.record(events_of(table.speech(), "bet anna banker 50"))
    assert table.shoe.version == log.version("shoe/S-1")
    assert [type(event.payload) for event in told] == [ev.NoMoreBets]
    # now that it was read again, the bet is refused for what it is
    assert table.due.expects == "card"
    assert table.shoe.current.bets == {}


@slow
def test_a_card_dealt_elsewhere_binds_the_rest_in_a_new_order(log):
    felt = Felt()
    log.append([NewEvent("shoe/S-1", payload) for payload in felt.payloads])
    told = []
    table = table_at(log, random.Random(1), told)
    for _ in range(3):
        table.do_due()
    assert len(table.shoe.committed) == 1
    log.append([NewEvent("shoe/S-1", ev.CardBurned("4c", 1))])
    with pytest.raises(VersionConflict):
        table.do_due()
    assert len(table.shoe.committed) == 2
    assert table.shoe.committed[1].payload.cards == 415
    assert any("committed in a new order" in str(one) for one in told)


def test_two_tables_at_one_shoe_lose_nothing_and_double_nothing(log):
    """Two terminals say bets at the same shoe as fast as they can."""
    felt = Felt().ready()
    felt.put(ev.CoupOpened(1))
    log.append([NewEvent("shoe/S-1", payload) for payload in felt.payloads])
    done = {"a": 0, "b": 0}

    def bettor(name):
        table = table_at(log)
        table._device = f"deal/{name}"
        while done[name] < 15:
            try:
                table.record(events_of(table.speech(), f"bet {name} tie 10"))
                done[name] += 1
            except VersionConflict:
                continue

    threads = [threading.Thread(target=bettor, args=(name,)) for name in done]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    coup = fold("shoe/S-1", log.read("shoe/S-1")).coups[1]
    assert len(coup.bets) == 30
    assert coup.unmatched_events == []


# -- The cards not seen ---------------------------------------------------------------------


def test_the_cards_not_seen_are_put_in_order_whatever_was_seen():
    felt = Felt("mini", 3).ready(first="3c")
    felt.coup("P 4d 5 B 0 Kc")
    order = sealed(3, felt.shoe.left, random.Random(1))
    assert order.left == 156 - len(felt.shoe.left)
    dealt = [order.draw() for _ in range(order.left)]
    assert dealt.count("3c") <= 2
    assert dealt.count("4d") <= 2
    assert dealt.count("Kc") <= 2
    assert sum(card[0] == "5" for card in dealt) <= 11
    assert all(dealt.count(card) <= 3 for card in FULL_DECK)
    # three face-down burns may be any of the cards not seen, and five faces are known
    assert 156 - len(dealt) == 8


def test_more_copies_than_decks_do_not_stop_the_table():
    felt = Felt("mini", 3).ready(first="Ac")
    for _ in range(3):
        felt.coup("P 9h 9h B 9h 9h")
    order = sealed(3, felt.shoe.left, random.Random(1))
    assert order.left == 156 - len(felt.shoe.left)


@pytest.mark.parametrize(
    "text", ["", "5.", ".5", "-5", "1e3", "5.555", "\u0665", "9" * 13, "5 5", "1,000"]
)
def test_an_amount_that_is_none_is_told(text):
    with pytest.raises(BadInput, match=r"is not an amount; write it as 500 or 12\.50"):
        amount_of(text, 2)


@pytest.mark.parametrize(
    ("text", "units", "minor"),
    [("500", 2, 50_000), ("12.5", 2, 1250), ("0.07", 2, 7), ("12", 0, 12), ("1.234", 3, 1234)],
)
def test_an_amount_is_written_as_people_do(text, units, minor):
    assert amount_of(text, units) == minor


# -- A real terminal ------------------------------------------------------------------------


def test_at_a_terminal_the_felt_is_drawn_after_a_result(database):
    master, slave = pty.openpty()
    environment = dict(os.environ, TERM="xterm", COLUMNS="100", LINES="40")
    command = [*SABOT, "deal", "S-1"]
    process = Program(
        [*command, "--seed", "1", "--database", database],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
        close_fds=True,
    )
    os.close(slave)
    shown = b""
    os.write(master, b"go\ngo\nquit\n")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            chunk = os.read(master, 65_536)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    assert process.wait(timeout=30) == 0
    os.close(master)
    text = shown.decode()
    assert "place your bets, then no more bets > " in text
    assert "PLAYER" in text
    assert "continue it with:\r\n  sabot deal --database " in text


# -- What the documentation says --------------------------------------------------------------


def test_every_word_and_every_habit_is_told_in_the_documentation():
    told = (
        (Path(__file__).parents[3] / "docs" / "dealing.md")
        .read_text(encoding="utf-8")
        .replace("\\|", "|")
    )
    for word in WORDS.values():
        assert f"| `{word.usage}` | {word.what} |" in told
    for kind in HABITS.values():
        row = next(line for line in told.splitlines() if line.startswith(f"| `{kind.name}` |"))
        assert kind.what in row
        assert all(f"`{option.name}`" in row for option in kind.options)
    assert all(f"- `{option.name}`" in told for option in EVERYBODY)
