"""Exact linear programme: simplex method with bounded variables, in fractions.

    minimise   cost . x + sum over rows i of max(0, base[i] + rows[i] . x),   0 <= x <= 1

One side of a zero-sum game solves this if the opponent answers with the better choice in each free
position. There are as many rows as the opponent has free positions (one, or five), so the basis is
small for any number of variables, and fractions are cheap.

The method is the revised simplex method with bounds (Chvátal 1983, Linear Programming, ch. 8). The
column of steepest reduced cost enters; after a degenerate step, the first eligible column does
(Bland's rule, which cannot cycle).
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from msgspec import Struct


class Optimum(Struct, frozen=True):
    """The minimum cost, with a point that attains it.

    A row's price, 0 to 1, is the probability with which the opponent makes that row's choice.
    """

    cost: Fraction
    x: tuple[Fraction, ...]
    prices: tuple[Fraction, ...]


def minimise(cost: Sequence[int], rows: Sequence[Sequence[int]], base: Sequence[int]) -> Optimum:
    """Return an exact minimum of ``cost . x + Σ max(0, base[i] + rows[i] . x)``, 0 <= x <= 1.

    Args:
        cost: the coefficient of each variable.
        rows: for each position in which the opponent may choose, the coefficients.
        base: the value of each row with every variable at 0.
    """
    simplex = _Simplex(cost, rows, base)
    while simplex.step():
        pass
    return simplex.optimum()


class _Simplex:
    """The state of the simplex method: the basis, its inverse and the values of the variables.

    Columns are the variables, then each row's excess over 0, then its shortfall:

        excess[i] - shortfall[i] - rows[i] . x = base[i]

    An excess costs 1 and a shortfall nothing; neither has an upper bound. A column outside the
    basis is at 0, or at 1 if it is in ``high``.
    """

    def __init__(
        self, cost: Sequence[int], rows: Sequence[Sequence[int]], base: Sequence[int]
    ) -> None:
        self.size, height = len(cost), len(rows)
        self.cost = [*cost, *[1] * height, *[0] * height]
        self.columns = [[-row[j] for row in rows] for j in range(self.size)]
        for sign in (1, -1):
            self.columns += [_unit(sign, j, height) for j in range(height)]
        # every variable starts at the bound that is cheaper if the rows are ignored
        self.high = {j for j, one in enumerate(cost) if one < 0}
        self.basis: list[int] = []
        self.inverse: list[list[Fraction]] = []
        self.values: list[Fraction] = []
        self.stuck = False
        for i, row in enumerate(rows):
            level = base[i] + sum(row[j] for j in self.high)
            above = level >= 0
            self.basis.append(self.size + i + (0 if above else height))
            self.inverse.append([Fraction(n) for n in _unit(1 if above else -1, i, height)])
            self.values.append(Fraction(abs(level)))

    def step(self) -> bool:
        """Move along one column if that lowers the cost, and return whether it did."""
        entering = self._entering()
        if entering is None:
            return False
        sign = -1 if entering in self.high else 1
        # change of each basic variable per unit of the entering one
        column = self.columns[entering]
        gains = [
            -sign * sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0))
            for row in self.inverse
        ]
        length, leaving = self._leaving(entering, gains)
        self.values = [
            value + gain * length for value, gain in zip(self.values, gains, strict=True)
        ]
        self.stuck = not length
        if leaving is None:
            self.high ^= {entering}
            return True
        self.values[leaving] = length if sign > 0 else 1 - length
        self._pivot(leaving, [-sign * gain for gain in gains])
        if gains[leaving] > 0:
            # it left at its upper bound
            self.high.add(self.basis[leaving])
        self.high.discard(entering)
        self.basis[leaving] = entering
        return True

    def optimum(self) -> Optimum:
        """Return the current point. It is optimal once no step lowers the cost."""
        x = [Fraction(j in self.high) for j in range(self.size)]
        cost = sum((self.cost[j] * n for j, n in enumerate(x)), Fraction(0))
        for column, value in zip(self.basis, self.values, strict=True):
            cost += self.cost[column] * value
            if column < self.size:
                x[column] = value
        return Optimum(cost, tuple(x), tuple(self._prices()))

    def _prices(self) -> list[Fraction]:
        return [
            sum(
                (self.cost[j] * row[i] for j, row in zip(self.basis, self.inverse, strict=True)),
                Fraction(0),
            )
            for i in range(len(self.basis))
        ]

    def _entering(self) -> int | None:
        """Return the column to enter the basis. None if no column lowers the cost."""
        prices = self._prices()
        # integers over a common denominator make pricing hundreds of columns fast
        scale = lcm(*(price.denominator for price in prices))
        whole = [int(price * scale) for price in prices]
        best, steepest = None, 0
        inside = set(self.basis)
        for j, column in enumerate(self.columns):
            if j in inside:
                continue
            reduced = self.cost[j] * scale - sum(map(int.__mul__, whole, column))
            gain = reduced if j in self.high else -reduced
            if gain > steepest:
                best, steepest = j, gain
                if self.stuck:
                    break
        return best

    def _leaving(self, entering: int, gains: list[Fraction]) -> tuple[Fraction, int | None]:
        """Return the step length and the row that limits it.

        The row is None if the column's own bound limits the step.
        """
        stops: list[tuple[Fraction, int, int | None]] = []
        if entering < self.size:
            stops.append((Fraction(1), -1, None))
        for i, (value, gain) in enumerate(zip(self.values, gains, strict=True)):
            if gain < 0:
                stops.append((-value / gain, self.basis[i], i))
            elif gain > 0 and self.basis[i] < self.size:
                stops.append(((1 - value) / gain, self.basis[i], i))
        length, _, leaving = min(stops, key=lambda stop: stop[:2])
        return length, leaving

    def _pivot(self, row: int, column: list[Fraction]) -> None:
        """Update the inverse of the basis after a column has replaced that of a row."""
        pivot = [n / column[row] for n in self.inverse[row]]
        for i, line in enumerate(self.inverse):
            if i != row and column[i]:
                self.inverse[i] = [n - column[i] * m for n, m in zip(line, pivot, strict=True)]
        self.inverse[row] = pivot


def _unit(sign: int, place: int, height: int) -> list[int]:
    return [sign * (i == place) for i in range(height)]
