"""Find the breaches that the table noticed, ruled on and put right.

Such a breach is reported as a note. All of these must hold:

- An irregularity of a kind that fits the rule was noted for the coup, after the breach. The record
  does not contradict it, and somebody ruled on it in time (`sabot.domain.audit.justification`).
- The rule pack permits the ruling, and the ruling was carried out.
- The breach moved no money in the end.

The rules on calls and payments judge the last call and the sum of the payments. They find by
themselves what a later call or payment put right on such a ruling (`Breach.put_right`).
"""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from sabot.domain.audit.checks.bets import LATE
from sabot.domain.audit.checks.dealing import cards_out_of_order, coup_short_of_cards
from sabot.domain.audit.checks.moved_cards import card_withheld_from_banker
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.fingerprints import identity_of
from sabot.domain.audit.justification import puts_right
from sabot.domain.audit.rule import Breach, MoneyEffect, NoAmount, Rule
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import Irregularity, IrregularityNoted
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.ruling_effects import OF_CARDS

Found = list[tuple[Rule, Breach]]

_DEALT_WRONG: Final = (code_of(cards_out_of_order), code_of(coup_short_of_cards))
_WITHHELD: Final = code_of(card_withheld_from_banker)


def is_of_rulings(rule: Rule) -> bool:
    """Return whether a rule is about rulings.

    Its breach means that nothing was put right.
    """
    return rule.group == "irregularities" or rule.code == _WITHHELD


def _of_cards(rule: Rule) -> bool:
    return rule.group in ("third-card", "own-hands") or rule.code in _DEALT_WRONG


def _of_bets(rule: Rule) -> bool:
    return rule.code in LATE or rule.group in ("bets", "limits")


def _of_payments(rule: Rule) -> bool:
    return rule.family == "payout" or rule.group in ("payments", "settlement")


def _of_calls(rule: Rule) -> bool:
    return rule.family == "totals" or rule.group == "calls"


_FITS: Final[Mapping[Irregularity, Callable[[Rule], bool]]] = {
    **dict.fromkeys(OF_CARDS, _of_cards),
    "late-bet": _of_bets,
    "wrong-payment": _of_payments,
    "wrong-call": _of_calls,
    "abandoned-bet": _of_payments,
    "other": lambda _: True,
}
"""The rules whose breach an irregularity may be."""


def as_notes(view: CoupView, found: Found) -> Found:
    """Return the breaches of a coup, and mark those that the table put right.

    Args:
        view: the coup.
        found: all breaches of the coup, with their money.
    """
    if not view.coup.irregularities or view.open:
        return found
    if any(is_of_rulings(rule) for rule, _ in found):
        return found
    ruled = [event for event in view.coup.irregularities if puts_right(view, event)]
    moved = {rule.code for rule, breach in found if _moved(breach.money)}
    mended = [_is_put_right(view, rule, breach, ruled, moved) for rule, breach in found]
    codes = {rule.code for (rule, _), is_mended in zip(found, mended, strict=True) if is_mended}
    return [
        (
            rule,
            replace(
                breach, put_right=breach.put_right or is_mended or _is_carried_by(codes, breach)
            ),
        )
        for (rule, breach), is_mended in zip(found, mended, strict=True)
    ]


def _is_carried_by(codes: set[str], breach: Breach) -> bool:
    """Return whether the amount of a breach is in findings of these rules.

    The breach then counts as put right if those findings do.
    """
    bearers = breach.money.counted_in if isinstance(breach.money, NoAmount) else ()
    return bool(bearers) and codes.issuperset(bearers)


def _moved(money: MoneyEffect | None) -> bool:
    return isinstance(money, tuple) and any(gain for _, gain in money)


def _is_put_right(
    view: CoupView,
    rule: Rule,
    breach: Breach,
    ruled: list[RecordedEvent[IrregularityNoted]],
    moved: set[str],
) -> bool:
    bearers = breach.money.counted_in if isinstance(breach.money, NoAmount) else (rule.code,)
    if isinstance(breach.money, str) or not moved.isdisjoint(bearers):
        return False
    since = min((event.position for event in breach.events), default=0)
    rulings = {
        event.payload.ruling
        for event in ruled
        if event.position > since and _FITS[event.payload.kind](rule)
    }
    return bool(rulings - {"other"}) or ("other" in rulings and _went_back(view, breach))


def _went_back(view: CoupView, breach: Breach) -> bool:
    """Return whether a breach's bet, or the whole coup, was returned without gain or loss.

    The ruling alone does not show this: a ruling in free text may have any effect.
    """
    coup = view.coup
    if coup.voided is not None or coup.fully_refunded:
        return True
    about = identity_of(view.shoe, breach)
    bet = coup.bets.get(int(about[1])) if about[:1] == ("bet",) else None
    return bet is not None and (bet.withdrawn or bet.number in coup.refunded_bets)
