"""A coup during which the dealer and the supervisor are relieved."""

from sabot.domain import events as ev
from sabot.domain.audit import Finding
from sabot.infrastructure.rule_packs import pack_text
from tests.support.audited import finish
from tests.support.coup_notation import Felt, in_order

CREW = (ev.Crew("dealer", "ann"), ev.Crew("supervisor", "sue"))

RELIEF = (ev.CrewChanged("dealer", "zoe"), ev.CrewChanged("supervisor", "sid"))


def opened(rules: str = "mini", *payloads: ev.Event) -> Felt:
    """A coup that is opened, with these events in it. Ann deals, under sue."""
    return Felt(rules, crew=CREW).ready().put(ev.CoupOpened(1), *payloads)


def drawn(felt: Felt, cards: str) -> Felt:
    """Draw cards as they are written, and call nothing."""
    for hand, card in in_order(cards):
        felt.put(ev.CardDrawn(1, hand, card, len(felt.shoe.left) + 1))
    return felt


def who(found: Finding) -> tuple[str | None, str | None]:
    """Who stood at the posts, by a finding."""
    return found.dealer, found.supervisor


CAPPED = pack_text("nsw").replace("differential = 1_000_000", "differential = 1_000")


def bet(number: int, wager: str, amount: int, seat: int | None = None) -> ev.BetPlaced:
    """A bet of its own patron."""
    return ev.BetPlaced(1, number, f"p{number}", wager, amount, seat)


def dealt(*payloads: ev.Event, late: tuple[ev.Event, ...] = (), rules: str = CAPPED) -> Felt:
    """A coup whose bets are laid so, then perhaps late. Player wins nine to eight."""
    felt = opened(rules, *payloads, ev.NoMoreBets(1), *late).cards("P 4 5  B K 8")
    return finish(felt)
