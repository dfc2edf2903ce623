"""The fast path gives the same answers as checking each rule."""

import random
from functools import cache

import pytest
from msgspec.structs import replace

from benchmarks.audit_houses import houses
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, fast_path
from sabot.domain.audit.coup_profile import CoupProfiles, has_profiles
from sabot.domain.audit.coup_view import CoupView, cashier_of, view_coup
from sabot.domain.audit.fast_path import answered_in, clears, setting_of
from sabot.domain.audit.rulebook import SHOE_RULES
from sabot.domain.audit.verdicts import answer_of
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import fold
from tests.faults import FAULTS, Fault
from tests.support.thorough import a_part, every_third, slow

LINEUP = "flat:side=player,flat:unit=5000,tie-lover,martingale"
HOUSES = {house.name: house for house in houses("punto-banco")}


def deal(house, *faults, coups=None):
    plan = ShoePlan(stream="shoe/S-1", pack=house.pack, decks=house.decks, start_us=0, coups=coups)
    patrons = parse_lineup(LINEUP, min(9, parse_pack(house.pack).table.seats))
    return list(Dealer(plan, patrons, random.Random(3), faults).deal())


@cache
def clean(name):
    """The events of a clean shoe of a house."""
    return tuple(deal(HOUSES[name]))


def closely(shoe, monkeypatch):
    """Audit a shoe with every rule looking at every coup."""
    with monkeypatch.context() as patch:
        patch.setattr(fast_path, "has_profiles", lambda _shoe: False)
        return audit_shoe(shoe)


def told(audit):
    """All that is said of an audit."""
    return audit.findings, audit.verdicts


@every_third
@pytest.mark.parametrize("name", HOUSES)
def test_a_clean_shoe_is_answered_by_its_profiles(name, monkeypatch):
    shoe = fold("shoe/S-1", clean(name))
    assert told(audit_shoe(shoe)) == told(closely(shoe, monkeypatch))
    profiles = CoupProfiles(shoe, cashier_of(shoe))
    by_the_book = [profiles.profile_of(coup) for coup in shoe.coups.values()]
    assert None not in by_the_book
    assert len({each.profile for each in by_the_book}) < len(by_the_book) / 3


@pytest.mark.parametrize("name", a_part(FAULTS, of=13))
def test_a_shoe_that_went_wrong_is_answered_alike(name, monkeypatch):
    for coups in (20, None):
        faults = Fault(FAULTS[name]), Fault(FAULTS[name], 12)
        history = deal(HOUSES["strict"], *faults, coups=coups)
        if faults[0].happened:
            break
    shoe = fold("shoe/S-1", history)
    assert told(audit_shoe(shoe)) == told(closely(shoe, monkeypatch))


@pytest.mark.parametrize("seed", a_part(range(12), of=3))
def test_a_shoe_in_disorder_is_answered_alike(seed, monkeypatch):
    rng = random.Random(seed)
    history = list(clean("classic-8"))
    for _ in range(8):
        one, other = rng.randrange(len(history)), rng.randrange(len(history))
        match rng.randrange(4):
            case 0:
                del history[one]
            case 1:
                history.insert(other, history[one])
            case 2:
                history[one], history[other] = history[other], history[one]
            case _ if hasattr(history[one].payload, "amount"):
                payload = replace(history[one].payload, amount=rng.choice((0, 1, 2500)))
                history[one] = replace(history[one], payload=payload)
    numbered = [
        replace(each, version=place, position=place) for place, each in enumerate(history, 1)
    ]
    shoe = fold("shoe/S-1", numbered)
    assert told(audit_shoe(shoe)) == told(closely(shoe, monkeypatch))


def test_events_whose_order_nobody_knows_have_no_profiles():
    history = clean("classic-8")
    assert has_profiles(fold("shoe/S-1", history))
    assert not has_profiles(fold("shoe/S-1", history[::-1]))


def test_the_rules_by_profile_are_rules_of_coups():
    of_coups = {rule.code for rule in SHOE_RULES if rule.looks_at == "coup"}
    assert of_coups >= {rule.code for rule in SHOE_RULES if rule.clean_when is not None}


class Seen:
    """Stands for a shoe, and keeps what was asked of it."""

    def __init__(self, shoe):
        self.shoe, self.asked = shoe, set()

    def __getattr__(self, name):
        self.asked.add(name)
        return getattr(self.shoe, name)


@every_third
@pytest.mark.parametrize("name", HOUSES)
def test_the_rules_by_profile_see_nothing_of_the_shoe_but_its_setting(name):
    """What is answered in one shoe holds in another only if no rule saw more of the first."""
    shoe = fold("shoe/S-1", clean(name))
    cashier = cashier_of(shoe)
    seen = Seen(shoe)
    for coup in a_part(shoe.coups.values(), of=7):
        profile = CoupProfiles(shoe, cashier).profile_of(coup).profile
        view = view_coup(shoe, coup, cashier)
        view.shoe = seen
        for rule in SHOE_RULES:
            if rule.looks_at == "coup" and clears(rule, profile, setting_of(shoe)):
                answer_of(rule, view)
    in_the_setting = {"pack", "loaded", "ended", "cut_card", "foreign_events"}
    alike_wherever_there_are_profiles = {"coverage", "order"}
    # a fault of the shuffler is looked for among the coup's own events, where there is any at all;
    # changes of limits say something only where the order of the events is in doubt
    looked_up = {"shuffler_faults", "limits_changed"}
    # of irregularities the setting says whether any may be a coup's that does not name it
    looked_up |= {"irregularities"}
    # of the limits that its table tells of the profile says whether every bet keeps them
    looked_up |= {"at_table"}
    # of the crew and of those who left the setting says whether any of them may have bet
    looked_up |= {"crew_changes", "leavings", "seatings"}
    # of other coups the profile says whether a tie left bets in the one before, and whether the
    # coup comes after the last
    looked_up |= {"coups"}
    assert seen.asked <= in_the_setting | alike_wherever_there_are_profiles | looked_up


@pytest.mark.parametrize("name", HOUSES)
def test_a_view_by_the_book_is_the_view_of_its_coup(name):
    shoe = fold("shoe/S-1", clean(name))
    cashier = cashier_of(shoe)
    profiles = CoupProfiles(shoe, cashier)
    for coup in shoe.coups.values():
        view, closely = (
            profiles.profile_of(coup).view(shoe, cashier),
            view_coup(shoe, coup, cashier),
        )
        for field in CoupView.__struct_fields__:
            assert getattr(view, field) == getattr(closely, field), field


def noted(after):
    """Return a ruling of no coup, by which a card is to be burned; nobody burns one."""
    return replace(after, payload=ev.IrregularityNoted("wrong-draw", "burn-card"))


def test_a_ruling_between_two_coups_is_looked_at_closely(monkeypatch):
    """It names no coup, and the next one has to carry it out: no card was burned before it."""
    history = list(clean("classic-8"))
    closed = [n for n, event in enumerate(history) if isinstance(event.payload, ev.CoupClosed)]
    history.insert(closed[5] + 1, noted(history[closed[5]]))
    numbered = [
        replace(event, version=place, position=place) for place, event in enumerate(history, 1)
    ]
    shoe = fold("shoe/S-1", numbered)
    audit = audit_shoe(shoe)
    codes = [found.code for found in audit.findings]
    assert "ruling-not-carried-out" in codes
    assert told(audit) == told(closely(shoe, monkeypatch))


@slow
def test_what_was_answered_in_one_shoe_is_not_taken_for_a_shoe_of_another_setting(monkeypatch):
    """The same coups, whose shoe has not ended, has no cut card, or is of no pack by name."""
    answered_in.cache_clear()
    history = list(clean("classic-8"))
    loaded = replace(history[0], payload=replace(history[0].payload, pack_named=False))
    dealt = [event for event in history if not isinstance(event.payload, ev.CutCardReached)]
    uncut = [replace(event, version=place, position=place) for place, event in enumerate(dealt, 1)]
    for other in (history, history[:-1], uncut, [loaded, *history[1:]], history):
        shoe = fold("shoe/S-1", other)
        assert told(audit_shoe(shoe)) == told(closely(shoe, monkeypatch))
