"""Compute the amount due to a bet by the rule pack of the shoe."""

from functools import lru_cache
from typing import Final, Literal

from msgspec import Struct

from sabot.domain.rules.coup_result import Result
from sabot.domain.rules.labels import payout_label
from sabot.domain.rules.rule_pack import RulePack, parse_pack
from sabot.domain.rules.wagers import CONDITIONS, Condition, PayLine, Wager
from sabot.domain.values.money import share_of


class Due(Struct, frozen=True, gc=False):
    """What is due to a bet: a payment or the loss of the stake, in minor units.

    ``paid`` is before commission. ``line`` describes the pay line that applied.
    """

    kind: Literal["pay", "push", "take"]
    paid: int = 0
    taken: int = 0
    commission: int = 0
    line: str = "lost"

    @property
    def net(self) -> int:
        """The patron's net win after commission; negative for a loss."""
        return self.paid - self.commission - self.taken


_STAKES: Final = 1024
"""The number of stakes whose results are cached for each set of terms."""


class _Terms(Struct, frozen=True):
    """The odds and commission by which a pay line settles any stake.

    ``dues`` caches results by stake.
    """

    kind: Literal["pay", "push", "take"]
    line: str
    pays: tuple[int, int] = (0, 1)
    dues: dict[int, Due] = {}


class Cashier:
    """Settles bets by one pack and caches the terms of each wager and result.

    Equal stakes are frequent, so the amount due to a stake on the same terms is cached as well.
    """

    def __init__(self, pack: RulePack) -> None:
        """Prepare the pack's pay tables."""
        self.pack = pack
        self._wagers = {wager.name: wager for wager in pack.wagers}
        self._rate = pack.commission.ratio
        self._lines = {wager.name: _lines_of(wager) for wager in pack.wagers}
        self._terms: dict[Result, dict[str, _Terms | None]] = {}
        self._result: Result | None = None
        self._on_result: dict[str, _Terms | None] = {}

    def offers(self, wager: str) -> bool:
        """Return whether the pack offers the wager."""
        return wager in self._wagers

    def due(self, wager: str, result: Result, stake: int) -> Due | None:
        """Return what is due to a stake. None if it cannot be determined.

        It cannot be determined if the pack does not offer the wager, or the recorded cards lack
        ranks or suits.
        """
        if result is not self._result:
            # all bets of a coup have the same result, so look it up once
            self._result, self._on_result = result, self._terms.setdefault(result, {})
        try:
            terms = self._on_result[wager]
        except KeyError:
            terms = self._on_result[wager] = self._find(wager, result)
        if terms is None:
            return None
        due = terms.dues.get(stake)
        if due is None:
            if len(terms.dues) >= _STAKES:
                terms.dues.clear()
            due = terms.dues[stake] = self._due(wager, terms, stake)
        return due

    def _due(self, wager: str, terms: _Terms, stake: int) -> Due:
        if terms.kind == "take":
            return Due("take", taken=stake)
        if terms.kind == "push":
            return Due("push", line=terms.line)
        return self._pay(wager, terms, stake)

    def _pay(self, wager: str, terms: _Terms, stake: int) -> Due:
        money, commission = self.pack.money, self.pack.commission
        to, one = terms.pays
        paid = share_of(stake, to, one, money.rounding, money.unit)
        owed = 0
        if self._wagers[wager].commission and self._rate[0]:
            owed = share_of(paid, *self._rate, commission.rounding, commission.unit)
        return Due("pay", paid=paid, commission=owed, line=terms.line)

    def _find(self, wager: str, result: Result) -> _Terms | None:
        for condition, terms in self._lines.get(wager, ()):
            holds = condition(result)
            if holds is None:
                return None
            if holds:
                return terms
        return None


def _lines_of(wager: Wager) -> list[tuple[Condition, _Terms]]:
    """Return the conditions of a wager, each with its terms, ending with the loss.

    All results share the terms, since there are hundreds of results and few pay lines.
    """
    lines: list[tuple[Condition, _Terms]] = [
        (CONDITIONS.get(line.on, _unknown), _terms_of(wager, line)) for line in wager.lines
    ]
    return [*lines, (_always, _Terms("take", "lost"))]


def _unknown(_result: Result) -> None:
    """Return None: the condition is not a known one."""


def _always(_result: Result) -> bool:
    return True


def _terms_of(wager: Wager, line: PayLine) -> _Terms:
    said = payout_label(wager, line)
    if line.pays == "push":
        return _Terms("push", said)
    return _Terms("pay", said, (line.ratio.numerator, line.ratio.denominator))


@lru_cache(maxsize=256)
def cashier_for(pack_text: str) -> Cashier:
    """Return the cashier of a pack from its text.

    Raises:
        BadRulePack: the text is not a rule pack.
    """
    return Cashier(parse_pack(pack_text))
