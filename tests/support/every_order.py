"""Deals every order of small shoes as events and passes them through the complete engine.

The factors are fractions with SABOT_TEST_FULL=1. Otherwise they are floats, which takes a fifth of
the time, and a mean is rounded to the nearest fraction with a denominator of at most 10**6.

A script deals by calling `Deal.draw` for the next card of a shoe. It may react to the cards shown:
bet, change bets, void, burn, correct. It runs once for every order.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from fractions import Fraction

import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.detection import concurrent_play, detection, follower, subjects
from sabot.domain.protection.detection.follower import Follower, Stale
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.protection.e_process.mixture import ACCOUNTS
from sabot.domain.protection.e_process.next_card_chances import Kernel, coup_totals
from sabot.domain.protection.observation import unseen_cards
from sabot.domain.protection.observation.knowledge_at import instead_of
from tests.support.coup_notation import START_US, loaded
from tests.support.thorough import FULL

REAL: type = Fraction if FULL else float
"""In which numbers factors are computed."""
LARGEST_DENOMINATOR = 10**6
HANDS = ("player", "banker", "player", "banker")
HIGH = "KKKKK99999"
CARDS = "side bold size second third fourth"
"""The accounts that look at one card each."""
VALUE_OF = {"K": 0, "9": 9, "8": 8, "7": 7, "6": 6, "3": 3, "2": 2, "A": 1}


class Deal:
    """One order of the cards, as far as the script has drawn them, and the events so far.

    Events are one second apart. ``later`` says by how many seconds the next ones are late.
    """

    def __init__(self, chosen: list[int], shoe: str) -> None:
        self.chosen, self.options = list(chosen), []
        self.chance = Fraction(1)
        self.later = 0
        self.events: list[RecordedEvent] = []
        self._cards = shoe
        self._left: dict[str, list[str]] = {}
        self._versions: dict[str, int] = {}

    def open(self, name: str = "S", pack: str = "classic-8", **more: object) -> None:
        """Load a shoe at the table."""
        self._left[name] = list(self._cards)
        self.tell(loaded(pack, **more), name)

    def tell(
        self, payload: ev.Event, name: str = "S", *, device: str = "d", second: int | None = None
    ) -> int:
        """Record an event, by a device and a second of its clock, and return its version."""
        version = self._versions[name] = self._versions.get(name, 0) + 1
        n = len(self.events) + 1
        now = START_US + (n + self.later) * 1_000_000
        at = now if second is None else START_US + second * 1_000_000
        self.events.append(
            RecordedEvent(
                n,
                f"shoe/{name}",
                version,
                at,
                max(now, at),
                "d",
                device,
                n,
                payload,
                position=version,
            )
        )
        return version

    def draw(self, name: str = "S") -> str:
        """Return the next card of a shoe. Each remaining card has the same chance."""
        left = self._left[name]
        kinds = sorted(set(left))
        at = len(self.options)
        if at == len(self.chosen):
            self.chosen.append(0)
        self.options.append(len(kinds))
        card = kinds[self.chosen[at]]
        self.chance *= Fraction(left.count(card), len(left))
        left.remove(card)
        return card

    def has_more(self, name: str = "S") -> bool:
        """Return whether the cards suffice for another coup."""
        return len(self._left[name]) >= 6


Script = Callable[[Deal], None]


def every_order(script: Script, shoe: str) -> Iterator[Deal]:
    """Run a script once for every order of the cards that it draws."""
    waiting: list[list[int]] = [[]]
    while waiting:
        begun = waiting.pop()
        deal = Deal(begun, shoe)
        script(deal)
        for at in range(len(begun), len(deal.chosen)):
            waiting += [[*deal.chosen[:at], other] for other in range(1, deal.options[at])]
        yield deal


@contextmanager
def small_decks(shoe: str) -> Iterator[None]:
    """Compute in ``REAL`` with shoes of these cards. Count each composition once."""
    plain, known = Kernel.ways, {}

    def ways(kernel, unseen):
        key = (id(kernel), tuple(unseen))
        if key not in known:
            known[key] = plain(kernel, unseen)
        return list(known[key])

    counts = [sum(VALUE_OF[card[0]] == value for card in shoe) for value in range(10)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "ways", ways)
        patch.setattr(unseen_cards, "full_shoe_counts", lambda _decks: counts.copy())
        for module in (detection, concurrent_play, subjects):
            patch.setattr(module, "float", REAL, raising=False)
        if FULL:  # MessagePack has no fractions
            for module in (concurrent_play, follower):
                patch.setattr(module, "copy_of", deepcopy)
        yield


def means(
    script: Script,
    shoe: str,
    plan: Plan | None = None,
    accounts: str = "",
    *,
    afterwards: bool = False,
) -> dict[tuple[str, ...], Fraction]:
    """Return the mean, over every order, of the product of each subject's factors.

    Args:
        script: the function that deals.
        shoe: the cards of the shoe, one letter each.
        plan: groups, if any.
        accounts: only these accounts of each bettor have a share, in equal parts.
        afterwards: read the log once at the end, with its corrections, instead of as it grows.
    """
    plan = plan or Plan()
    totals: dict[tuple[str, ...], Fraction | float] = {}
    whole = Fraction(0)
    with small_decks(shoe):
        for deal in every_order(script, shoe):
            products = _products(deal, plan, accounts, afterwards=afterwards)
            for key in products.keys() - totals.keys():
                totals[key] = REAL(whole)
            for key in totals:
                totals[key] += REAL(deal.chance) * products.get(key, 1)
            whole += deal.chance
    assert whole == 1
    return {key: nearest(total) for key, total in totals.items()}


def nearest(mean: Fraction | float) -> Fraction:
    """Return a mean as a fraction. For a float it is the nearest simple fraction."""
    return (
        mean
        if isinstance(mean, Fraction)
        else Fraction(mean).limit_denominator(LARGEST_DENOMINATOR)
    )


def _products(
    deal: Deal, plan: Plan, accounts: str, *, afterwards: bool
) -> dict[tuple[str, ...], Fraction | float]:
    found: dict[tuple[str, ...], Fraction | float] = {}

    def listen(key, _tally, factor, _evidence, _shoe):
        found[key] = found.get(key, REAL(1)) * factor

    following = Follower(plan, listen=listen)
    if afterwards:
        streams = {event.stream for event in deal.events}
        instead = {
            stream: instead_of([event for event in deal.events if event.stream == stream])
            for stream in streams
        }
        following = Follower(plan, instead=instead, known=len(deal.events), listen=listen)
    for group in following.kept.state.groups.values():
        group.shares = [REAL(1) / 2] * 2
    with pytest.MonkeyPatch.context() as patch:
        if accounts:
            names = accounts.split()
            shares = [
                (name, test, 100 * Fraction(names.count(name), len(names)))
                for name, test, _ in ACCOUNTS
            ]
            patch.setattr("sabot.domain.protection.e_process.mixture.ACCOUNTS", tuple(shares))
        try:
            following.take(deal.events)
        except Stale:
            # a later event concerns a coup that was tested: the program reads the log again
            assert not afterwards
            return _products(deal, plan, accounts, afterwards=True)
        following.look()  # at the last coup
    for key, factor in found.items():
        assert isinstance(factor, (REAL, int)), key
    return found


# -- Coups as they are dealt ---------------------------------------------------------------------


def thirds(deal, coup, values, name="S"):
    """Draw by the third-card table until the coup is over."""
    while coup_totals(values) is None:
        hand = third_of(values)
        card = deal.draw(name)
        values.append(VALUE_OF[card])
        deal.tell(ev.CardDrawn(coup, hand, card), name)


def drawn_by_player(values):
    return (values[0] + values[2]) % 10 <= 5


def third_of(values):
    return "player" if len(values) == 4 and drawn_by_player(values) else "banker"


def face_down(deal, coup, bet, after=None, *, pack="classic-8"):
    """Deal four cards face down, place bets, close them, and turn each card.

    ``after`` is called after each turned card with all cards shown so far. It returns "void" or
    None.
    """
    deal.tell(ev.CoupOpened(coup))
    cards = [deal.draw() for _ in HANDS]
    for hand, card in zip(HANDS, cards, strict=True):
        deal.tell(ev.CardDrawn(coup, hand, card))
    if bet:
        deal.tell(ev.BetPlaced(coup, 1, "p", bet, 100))
    deal.tell(ev.NoMoreBets(coup))
    for nth, (hand, card) in enumerate(zip(HANDS, cards, strict=True)):
        deal.tell(ev.CardTurned(coup, hand, 1 + nth // 2))
        if after is not None and after([VALUE_OF[c] for c in cards[: nth + 1]], card) == "void":
            deal.tell(ev.CoupVoided(coup))
            return None
    values = [VALUE_OF[card] for card in cards]
    thirds(deal, coup, values)
    deal.tell(ev.CoupClosed(coup))
    return values


def face_up(deal, coup, bets, *, name="S", between=None, void=None):
    """Deal a coup with open cards. Return its values and the versions of its bets.

    ``between`` is called after each card, and ``void`` may end the coup. The values are None for a
    voided coup.
    """
    deal.tell(ev.CoupOpened(coup), name)
    told = {bet: deal.tell(ev.BetPlaced(coup, bet, *of), name) for bet, of in enumerate(bets, 1)}
    deal.tell(ev.NoMoreBets(coup), name)
    values = []
    while coup_totals(values) is None:
        hand = HANDS[len(values)] if len(values) < 4 else third_of(values)
        card = deal.draw(name)
        values.append(VALUE_OF[card])
        deal.tell(ev.CardDrawn(coup, hand, card), name)
        if between is not None:
            between(values, told)
        if void is not None and void(values):
            deal.tell(ev.CoupVoided(coup), name)
            return None, told
    deal.tell(ev.CoupClosed(coup), name)
    return values, told
