"""House edge of every pay table in the rule packs."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.odds.coup_odds import Composition, Odds, odds_of
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.wagers import PAIR_CONDITIONS, PayLine, Wager


class PayTable(Struct, frozen=True):
    """A wager as a rule pack pays it. ``commission`` is a share of the winnings."""

    wager: Wager
    commission: Fraction

    @property
    def pays(self) -> str:
        """The pay table as text: ``8:1``, or ``1:2 banker-wins-on-6, 1:1 banker-wins``.

        Commission is deducted (``19:20``). A tie that pushes is omitted.
        """
        lines = [line for line in self.wager.lines if (line.on, line.pays) != ("tie", "push")]
        if len(lines) == 1:
            return self._net(lines[0])
        return ", ".join(f"{self._net(line)} {line.on}" for line in lines)

    def house_edge(self, odds: Odds) -> Fraction | None:
        """Return the house's average win per unit staked, pushed stakes included.

        The value is exact; the effect of rounding payments to the table's chips is not included.
        None if the cards are not known well enough, as for pairs when only values are known.
        """
        looks_at_pairs = any(line.on in PAIR_CONDITIONS for line in self.wager.lines)
        results = odds.results if looks_at_pairs else odds.by_totals
        lost = 0
        paid: dict[PayLine, int] = defaultdict(int)
        for result, ways in results.items():
            line = self.wager.line_on(result)
            if line == "unknown":
                return None
            if line == "lost":
                lost += ways
            else:
                paid[line] += ways
        won = sum((line.ratio * ways for line, ways in paid.items()), Fraction(0))
        return (lost - won * (1 - self.commission)) / odds.total

    def _net(self, line: PayLine) -> str:
        if line.pays == "push" or not self.commission:
            return line.pays
        net = line.ratio * (1 - self.commission)
        return f"{net.numerator}:{net.denominator}"


def pay_tables(packs: Iterable[RulePack]) -> dict[PayTable, list[str]]:
    """List the distinct pay tables of the packs.

    Each comes with the names of the packs that offer it. Pay tables of a wager are adjacent; wagers
    are in order of first appearance. Games with choices are omitted, since their wagers have no
    single house edge.
    """
    tables: dict[str, dict[PayTable, list[str]]] = {}
    for pack in packs:
        for wager in pack.wagers if pack.game == "punto-banco" else ():
            charge = Fraction(*pack.commission.ratio) if wager.commission else Fraction(0)
            table = PayTable(replace(wager, commission=charge > 0), charge)
            offered = tables.setdefault(wager.name, {})
            offered.setdefault(table, []).append(pack.name)
    return {table: names for offered in tables.values() for table, names in offered.items()}


class WagerOdds(Struct, frozen=True):
    """A wager's pay table and its exact house edge.

    ``pays`` is the pay table as text (``19:20``). ``house_edge`` is the house's average win for
    each unit staked, as a fraction of the stake: 0.0106 is 1.06 %. It is None if the cards are not
    known well enough. ``rules`` are the names of the rule packs with this pay table.
    """

    wager: str
    pays: str
    house_edge: Fraction | None
    rules: tuple[str, ...]


class OddsTable(Struct, frozen=True):
    """Exact odds of the next coup, and of every wager on it.

    ``banker``, ``player`` and ``tie`` count the equally likely card sequences with that outcome;
    together they are ``total``.
    """

    banker: int
    player: int
    tie: int
    total: int
    wagers: tuple[WagerOdds, ...]


def odds_table(cards: Composition, packs: Iterable[RulePack]) -> OddsTable:
    """Compute the odds of the next coup and its wagers.

    The wagers are those of the rule packs.

    Raises:
        BadInput: the cards may not suffice for a coup, so that it has no odds.
    """
    counted = odds_of(cards)
    wagers = tuple(
        WagerOdds(table.wager.name, table.pays, table.house_edge(counted), tuple(names))
        for table, names in pay_tables(packs).items()
    )
    share = counted.outcomes
    return OddsTable(share["B"], share["P"], share["T"], counted.total, wagers)
