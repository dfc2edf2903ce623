"""The win rate of patrons in records with outcomes but no cards."""

import pytest

from sabot.domain import events as ev
from sabot.domain.protection.detection.detection import detect
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import loaded, shoe_of


def outcomes(pack: str, wager: str, called: str):
    """A patron stakes 100.00 on a wager in each coup, of which the outcome alone is told."""
    events: list[ev.Event] = [loaded(pack_text(pack))]
    for coup, outcome in enumerate(called, 1):
        bet = ev.BetPlaced(coup, 1, "p1", wager, 10_000)
        events += [ev.CoupOpened(coup), bet, ev.ResultCalled(coup, outcome=outcome)]
        events.append(ev.CoupClosed(coup))
    return shoe_of(events)


@pytest.mark.parametrize(
    ("wager", "called", "won", "edge"),
    [
        # with 8 decks Player has -1.235 % and Banker -1.058 % of the stake
        ("player", "PPBT", 10_000, -0.012351),
        ("banker", "BBPT", 2 * 9_500 - 10_000, -0.010579),
    ],
)
def test_a_patron_wins_by_the_outcomes_and_is_compared_with_an_honest_one(wager, called, won, edge):
    state = detect([outcomes("classic-8", wager, called)])
    ((patron, _, _), rate), *others = state.wins.items()
    assert (patron, rate.bets, rate.staked, round(rate.won), others) == ("p1", 4, 40_000, won, [])
    assert rate.expected == pytest.approx(edge * 40_000, abs=0.1)
    assert state.coverage["win-rate"].times == 4
    assert not state.patrons


def test_a_wager_that_pays_by_totals_is_not_judged_by_outcomes():
    """At Super 6 Banker is paid half on a 6."""
    state = detect([outcomes("super-6", "banker", "BP")])
    made = state.coverage["win-rate"]
    assert (made.times, sum(made.lacked.values())) == (0, 2)
    assert not any(rate.bets for rate in state.wins.values())
