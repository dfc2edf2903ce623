"""Legal but irregular situations, dealt in every order of a small shoe, with the mean of a factor.

    python -m tests.support.irregular_shoes [--full]

A situation deals cards and records events. A patron in it may bet by anything that was visible at
the table, even if the record does not show it. The third-card rule is
`tests.support.third_card_rule`, and `tests.support.every_order` deals every order. The program only
reads the events.
"""

from collections.abc import Callable

from tests.support.every_order import HIGH, Deal, means
from tests.support.irregular_shoes import (
    burned_cards,
    excess_cards,
    late_bets,
    missing_cards,
    other_devices,
)
from tests.support.irregular_shoes.dealing import HABITS, Bets

Situation = Callable[[Deal, Bets], None]
SITUATIONS: dict[str, Situation] = {
    situation.__name__.replace("_", " "): situation
    for situation in (
        burned_cards.burn_unnamed,
        burned_cards.relief_unnamed,
        burned_cards.second_burn_unnamed,
        burned_cards.opening_burn_back_in_play,
        burned_cards.relief_burn_back_in_play,
        burned_cards.faulty_burn_back_in_play,
        burned_cards.ruled_burn_back_in_play,
        burned_cards.burn_back_in_play_counted,
        late_bets.late_bet,
        late_bets.late_bet_noted_after,
        late_bets.late_bet_noted_after_close,
        late_bets.late_bet_noted_after_close_unnamed,
        late_bets.late_switch,
        late_bets.late_switch_noted_after_close,
        late_bets.misdeal,
        excess_cards.excess_card,
        excess_cards.excess_card_noted_first,
        excess_cards.excess_card_unnamed_coup,
        excess_cards.excess_card_in_both,
        excess_cards.wrong_call_excess_card,
        excess_cards.excess_card_in_both_noted_between,
        excess_cards.excess_card_in_both_noted_in_next,
        missing_cards.outcome_only_coup,
        missing_cards.coup_short_of_cards,
        missing_cards.recorded_twice,
        missing_cards.two_recorded_twice,
        missing_cards.second_recorded_twice,
        other_devices.burn_recorded_after,
        other_devices.burn_recorded_in_next,
        other_devices.exposure_noted_in_next,
        other_devices.exposure_named_in_next,
        other_devices.late_bet_named_in_next,
    )
}
SHOES = (HIGH, "KKKK999999", "KKKKKK9999")
SMALL = "KKKK9999"
FOR_A_THIRD_COUP = "KK99"
"""Added to the shoe of a situation of three coups."""
ACCOUNTS = ("", "side bold size", "outcome streak lead", "second third fourth")
"""All components of a bettor, or some alone."""


def mean_of(name: str, habit: str, accounts: str = "", shoe: str = HIGH) -> object:
    """Return the largest mean of the product of factors, over all subjects, as a fraction."""
    if "in both noted" in name or "counted" in name:
        shoe += FOR_A_THIRD_COUP
    found = means(lambda deal: SITUATIONS[name](deal, HABITS[habit]), shoe, accounts=accounts)
    return max(found.values(), default=1)
