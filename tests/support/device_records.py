"""Coups as several devices tell them, line by line."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import parse_card
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt

CLOCKS = "\n[clocks]\ntolerance_ms = 250\njump_ms = 2000\n"

CLASSIC = pack_text("classic-8")

CALL = 40_000
"""When no more bets is called, in milliseconds of the evening."""

EVENTS = {
    "open": lambda: ev.CoupOpened(1),
    "bet": lambda wager, amount: ev.BetPlaced(1, 1, "p1", wager, int(amount)),
    "change": lambda amount: ev.BetChanged(1, 1, int(amount)),
    "call": lambda: ev.NoMoreBets(1),
    "P": lambda card: ev.CardDrawn(1, "player", parse_card(card)),
    "B": lambda card: ev.CardDrawn(1, "banker", parse_card(card)),
    "result": lambda outcome: ev.ResultCalled(1, outcome=outcome),
    "pay": lambda amount: ev.BetPaid(1, 1, int(amount)),
    "take": lambda amount: ev.BetTaken(1, 1, int(amount)),
    "limits": lambda most: ev.LimitsChanged((ev.Limit(100, int(most)),)),
    "close": lambda: ev.CoupClosed(1),
}
"""Events of coup 1 by their words: ``bet player 500``, ``P 4``."""


def device_shoe(text: str, pack: str = CLASSIC + CLOCKS) -> Shoe:
    """A prepared shoe, and one coup as its devices tell it."""
    felt = Felt(pack).ready()
    for line in filter(None, map(str.strip, text.splitlines())):
        device, clock, words = line.split(" ", 2)
        at = None if clock == "-" else CALL + int(clock)
        kind, *rest = words.split()
        felt.tell(device, at, EVENTS[kind](*rest), recorded_ms=CALL + 60_000)
    return felt.shoe


CARDS = """
    reader 1000 P 4
    reader 2000 B K
    reader 3000 P 5
    reader 4000 B 8
    terminal 5000 result P
    chips 6000 pay 500
    terminal 7000 close
"""


def verdict_on(shoe: Shoe, code: str) -> tuple[int, dict[str, int]]:
    """How many findings a rule has on a shoe, and what it could not judge."""
    audit = audit_shoe(shoe)
    (verdict,) = [verdict for verdict in audit.verdicts if verdict.code == code]
    return sum(found.code == code for found in audit.findings), verdict.reasons


def device_coup(bets_and_call: str, pack: str = CLASSIC + CLOCKS) -> Shoe:
    return device_shoe("terminal -20000 open" + bets_and_call + CARDS, pack)
