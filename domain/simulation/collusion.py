"""A dealer who looks after a friend: bets paid too well, and losing bets left where they lie.

Source: field-facts.md 4 (overpay, wrong collect, dealer collusion).
"""

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from domain import facts as f
from domain.dealing import Prompt

if TYPE_CHECKING:
    from domain.simulation.croupier import Croupier


class Favour(Struct, frozen=True):
    """How a dealer favours a patron.

    ``share`` is the share of his bets of which he has more than is due: a winning one is paid
    twice, a losing one is left. ``dealer`` is who does it; without a name, whoever deals.
    """

    share: float
    dealer: str = ""


class Favours:
    """The favours of one shoe; it changes what is settled as a fault does, but again and again."""

    def __init__(self, favours: dict[str, Favour], rng: random.Random) -> None:
        """Take whom the dealer favours, by patron."""
        self._favours = favours
        self._rng = rng

    def acts(self, croupier: "Croupier", due: Prompt) -> None:
        """Do what is due: only amounts are wrong."""

    def alters(self, croupier: "Croupier", fact: f.ShoeFact) -> Iterable[f.ShoeFact] | None:
        """Pay twice, or leave a losing bet."""
        if not isinstance(fact, f.BetPaid | f.BetTaken):
            return None
        coup = croupier.shoe.current
        assert coup is not None
        favour = self._favours.get(coup.bets[fact.bet].patron)
        if favour is None or favour.dealer not in {"", croupier.floor}:
            return None
        if self._rng.random() >= favour.share:
            return None
        if isinstance(fact, f.BetPaid):
            return (replace(fact, amount=2 * fact.amount),)
        return (f.BetPushed(fact.coup, fact.bet),)
