"""A coup of three bets, and the money of its findings."""

from collections import Counter

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_shoe
from tests.support.coup_notation import Felt

BETS = {1: ("p1", "player", 1000), 2: ("p2", "banker", 2000), 3: ("p3", "player", 500)}


def opened(cards: str = "> P 4  B K  P 5  B 8", rules: str = "classic-8") -> Felt:
    felt = Felt(rules).ready().put(ev.CoupOpened(1))
    felt.put(*[ev.BetPlaced(1, n, *bet) for n, bet in BETS.items()], ev.NoMoreBets(1))
    return felt.cards(cards)


def noted(kind, ruling) -> ev.Event:
    return ev.IrregularityNoted(kind, ruling, 1, by="sue")


def settled(gains: dict[int, int | None]) -> list[ev.Event]:
    """Each bet taken or paid so much; 0 is pushed, None withdrawn; losers first."""
    moves: list[ev.Event] = [
        ev.BetTaken(1, n, -gain) for n, gain in gains.items() if gain is not None and gain < 0
    ]
    moves += [ev.BetPushed(1, n) for n, gain in gains.items() if gain == 0]
    moves += [ev.BetWithdrawn(1, n) for n, gain in gains.items() if gain is None]
    return moves + [ev.BetPaid(1, n, gain) for n, gain in gains.items() if gain and gain > 0]


def findings_of_coup(felt: Felt) -> list[Finding]:
    return [each for each in audit_shoe(felt.shoe).findings if each.coup == 1]


def codes_of_coup(felt: Felt) -> list[str]:
    return [each.code for each in findings_of_coup(felt)]


def summed(felt: Felt) -> dict[str, int]:
    gains: Counter[str] = Counter()
    for each in findings_of_coup(felt):
        gains.update(each.money.patrons)
    return {patron: gain for patron, gain in gains.items() if gain}
