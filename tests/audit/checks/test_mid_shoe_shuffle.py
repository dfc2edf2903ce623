"""A shuffle in the middle of a shoe is reported once, if the record proves it."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.state.shoe import Shoe
from tests.audit.test_live import told_of
from tests.support.audited import codes
from tests.support.coup_notation import Felt, events_of, shoe_of
from tests.support.device_records import CARDS, EVENTS, device_shoe
from tests.support.ruled_coups import CREW, noted
from tests.support.tableaux_coups import play, table

SHUFFLED = ev.ShoeShuffled("dealer")
MID = "mid-shoe-shuffle"


def test_what_is_shuffled_and_cut_twice_at_one_place_is_told_once():
    felt = Felt().ready().coup("P 4 5  B K 8")
    felt.put(SHUFFLED, ev.ShoeCut("p1", 90), ev.ShoeShuffled("sue"), ev.ShoeCut("p2", 90))
    assert codes(felt.coup("P 4 5  B K 8").shoe) == [MID]
    again = felt.put(SHUFFLED).coup("P 4 5  B K 8").shoe
    found = audit_shoe(again).findings
    assert [(each.code, each.coup) for each in found] == [(MID, 2), (MID, 3)]
    assert len({each.fingerprint for each in found}) == 2
    assert found[0].message == "dealer shuffled the shoe after 6 cards had left it"


def test_behind_the_banker_who_shuffled_last_it_is_told_once():
    payloads = list(table().payloads)
    last = next(n for n, payload in enumerate(payloads) if isinstance(payload, ev.ShoeShuffled))
    payloads.insert(last + 1, ev.ShoeShuffled("p11"))
    felt = Felt.__new__(Felt)
    felt.payloads, felt.shoe = [], Shoe("shoe/test")
    felt.put(*payloads)
    coup = "p8 right 500 | 3 4; 2 4; 9 K"
    assert codes(play(play(felt, coup).put(SHUFFLED), coup).shoe) == [MID]


def test_a_continuous_shuffler_is_no_shoe():
    again = ev.ShoeShuffled("m1", "continuous", "SM-1")
    felt = Felt("france-continuous").put(again).ready().coup("P 4 5  B K 8").put(again)
    assert MID not in codes(felt.coup("P 4 5  B K 8").shoe)


def test_a_record_that_begins_late_tells_of_it_by_its_own_cards():
    felt = Felt().ready().coup("P 4 5  B K 8")
    begun = len(felt.payloads)
    payloads = felt.coup("P 4 5  B K 8").put(SHUFFLED).coup("P 4 5  B K 8").payloads
    assert MID in codes(shoe_of(payloads[begun:]))
    cut_off = next(n for n, payload in enumerate(payloads) if n > begun and payload == SHUFFLED)
    assert MID not in codes(shoe_of(payloads[cut_off:]))


def test_who_follows_the_shoe_hears_of_it_once_nobody_can_rule_on_it_any_more():
    payloads = Felt().ready().coup("P 4 5  B K 8").put(SHUFFLED).coup("P 4 5  B K 8").payloads
    ((when, news),) = told_of(events_of(payloads))
    assert (news.told, news.finding.code) == ("found", MID)
    assert payloads[when - 1] == ev.CoupClosed(2)
    ruled = ev.IrregularityNoted("card-off-the-table", "other", None, "sue")
    payloads.insert(len(payloads) - 1, ruled)
    assert told_of(events_of(payloads)) == []


def test_two_devices_whose_order_nobody_knows_prove_nothing(monkeypatch):
    """By its clock the terminal shuffled before the third card, or as the fourth came out."""
    monkeypatch.setitem(EVENTS, "shuffle", lambda: SHUFFLED)
    begun = "terminal -20000 open\nterminal 0 call\nterminal {at} shuffle"
    cards = CARDS.replace("chips 6000 pay 500\n", "")
    assert MID in codes(device_shoe(begun.format(at=2500) + cards))
    assert MID not in codes(device_shoe(begun.format(at=3900) + cards))


# -- A shuffle in mid-shoe -------------------------------------------------------------------------


def test_a_ruling_that_the_cards_stay_shuffles_nothing():
    for ruling, found in (("play-on", ["mid-shoe-shuffle"]), ("other", [])):
        felt = Felt(crew=CREW).ready().coup("P 4 5  B K 8")
        felt.put(noted("card-exposed", ruling, None), ev.ShoeShuffled("ann"))
        assert codes(felt.coup("P 4 5  B K 8").shoe) == found
