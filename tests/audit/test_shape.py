"""What rules answer to a coup by its shape is what they answer when they look at it closely."""

import random

import pytest
from msgspec.structs import replace

from benchmarks.audit_houses import houses
from domain.audit import audit_shoe, engine
from domain.audit.rule import cashier_of, view_coup
from domain.audit.rulebook import SHOE_RULES
from domain.audit.shape import ASKED_BY_PACK, BY_SHAPE, by_shape, shape_of
from domain.rulepack import parse_pack
from domain.shoe import fold
from domain.simulation import Croupier, ShoePlan, parse_lineup
from domain.simulation.faults import FAULTS, Fault

LINEUP = "flat:side=player,flat:unit=5000,tie-lover,martingale"
HOUSES = {house.name: house for house in houses("punto-banco")}


def deal(house, *faults):
    plan = ShoePlan(stream="shoe/S-1", pack=house.pack, decks=house.decks, start_us=0)
    patrons = parse_lineup(LINEUP, min(9, parse_pack(house.pack).table.seats))
    return list(Croupier(plan, patrons, random.Random(3), faults).deal())


def closely(shoe, monkeypatch):
    """Audit a shoe with every rule looking at every coup."""
    with monkeypatch.context() as patch:
        patch.setattr(engine, "by_shape", lambda _shoe: frozenset())
        return audit_shoe(shoe)


def told(audit):
    """All that is said of an audit, the reasons in the order in which they came up."""
    skipped = [(verdict.code, list(verdict.skipped.items())) for verdict in audit.verdicts]
    return audit.findings, audit.verdicts, skipped


@pytest.mark.parametrize("name", HOUSES)
def test_a_clean_shoe_is_answered_by_its_shapes(name, monkeypatch):
    shoe = fold("shoe/S-1", deal(HOUSES[name]))
    assert told(audit_shoe(shoe)) == told(closely(shoe, monkeypatch))
    cashier = cashier_of(shoe)
    shapes = [shape_of(view_coup(shoe, coup, cashier)) for coup in shoe.coups.values()]
    assert None not in shapes
    assert len(set(shapes)) < len(shapes) / 3


@pytest.mark.parametrize("name", FAULTS)
def test_a_shoe_that_went_wrong_is_answered_alike(name, monkeypatch):
    house = HOUSES["strict"]
    history = deal(house, Fault(FAULTS[name]), Fault(FAULTS[name], 12))
    shoe = fold("shoe/S-1", history)
    assert told(audit_shoe(shoe)) == told(closely(shoe, monkeypatch))


@pytest.mark.parametrize("seed", range(12))
def test_a_shoe_in_disorder_is_answered_alike(seed, monkeypatch):
    rng = random.Random(seed)
    history = deal(HOUSES["classic-8"])
    for _ in range(8):
        one, other = rng.randrange(len(history)), rng.randrange(len(history))
        match rng.randrange(4):
            case 0:
                del history[one]
            case 1:
                history.insert(other, history[one])
            case 2:
                history[one], history[other] = history[other], history[one]
            case _ if hasattr(history[one].fact, "amount"):
                fact = replace(history[one].fact, amount=rng.choice((0, 1, 2500)))
                history[one] = replace(history[one], fact=fact)
    numbered = [replace(each, version=place) for place, each in enumerate(history, 1)]
    shoe = fold("shoe/S-1", numbered)
    assert told(audit_shoe(shoe)) == told(closely(shoe, monkeypatch))


def test_facts_whose_order_nobody_knows_have_no_shapes():
    history = deal(HOUSES["classic-8"])
    assert by_shape(fold("shoe/S-1", history)) >= BY_SHAPE
    assert not by_shape(fold("shoe/S-1", history[::-1]))


def test_the_rules_by_shape_are_rules_of_coups():
    of_coups = {rule.code for rule in SHOE_RULES if rule.on_coup is not None}
    assert of_coups >= BY_SHAPE | ASKED_BY_PACK.keys()
