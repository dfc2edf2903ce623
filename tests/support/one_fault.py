"""Reads the records of one fault each."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt, shoe_of

DATA = Path(__file__).parents[1] / "data" / "one-fault"

Found = list[tuple[str, int | None, str | None, int | None]]


def recorded(name: str) -> list[ev.Event]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [msgspec.convert(msgspec.json.decode(each)["fact"], ev.Event) for each in lines]


def found_in(events: Iterable[ev.Event]) -> Found:
    found = audit_shoe(shoe_of(events)).findings
    return [(each.code, each.coup, each.patron, each.money.house) for each in found]


def own_and_explained(felt: Felt | Shoe) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the codes of findings that stand by themselves, and of the others with their cause."""
    shoe = felt if isinstance(felt, Shoe) else felt.shoe
    found = {each.fingerprint: each for each in audit_shoe(shoe).findings}
    own = [each.code for each in found.values() if each.explained_by is None]
    pairs = [(e.code, found[e.explained_by].code) for e in found.values() if e.explained_by]
    return own, sorted(pairs)


def two_bets(cards: str, *then: ev.Event) -> Felt:
    """A coup with 500 of p1 on Player and 500 of p2 on Banker."""
    bets = (ev.BetPlaced(1, 1, "p1", "player", 500), ev.BetPlaced(1, 2, "p2", "banker", 500))
    felt = Felt().ready().put(ev.CoupOpened(1), *bets, ev.NoMoreBets(1)).cards(cards)
    return felt.put(*then)
