"""A tableau's 5 against the banker at baccarat banque, all that came before being seen.

The tableau's gain by drawing comes down in steps as it draws more often and the banker answers:
each place of his turns at one chance of the tableau's.
`sabot.domain.odds.optimal_play.banque_solver` puts the parts of a game together.
"""

from collections.abc import Iterable
from fractions import Fraction

from msgspec import Struct

from sabot.domain.odds.optimal_play.banque_equilibrium import Five, seen_from, won_by
from sabot.domain.odds.optimal_play.banque_game import BanqueGame, Form, Place

Number = float | Fraction


class Line(Struct, frozen=True, gc=False):
    """A place of the banker's: what he gains by drawing there, and what a tableau's 5 does.

    ``bank`` is in whole units of the split; ``stand`` and ``draw`` are what the tableau of the part
    wins, ``right`` what right wins by each.
    """

    place: Place
    bank: Form
    stand: Form
    draw: Form
    right: tuple[Form, Form]


class Answer(Struct, frozen=True):
    """Where the chance of one tableau and the banker's places answer each other.

    ``before`` and ``after`` say in which places the banker draws just below and just above the
    chance; they are the same unless the tableau mixes.
    """

    chance: Number
    before: tuple[bool, ...]
    after: tuple[bool, ...]

    @property
    def pivots(self) -> tuple[int, ...]:
        """The places in which the banker mixes."""
        pairs = zip(self.before, self.after, strict=True)
        return tuple(n for n, (low, high) in enumerate(pairs) if low != high)


class Part:
    """A tableau's 5 against the banker, all that came before being seen."""

    def __init__(self, game: BanqueGame, five: Five, split: Fraction) -> None:
        self.five = five
        ours, whole = split.numerator, split.denominator
        self.lines = []
        for place, terms in seen_from(five, game):
            right = terms.right_draw.plus(terms.right_stand, -1)
            left = terms.left_draw.plus(terms.left_stand, -1)
            bank = Form().plus(right, -ours).plus(left, ours - whole)
            stand, draw = won_by(terms, five.tableau)
            self.lines.append(Line(place, bank, stand, draw, won_by(terms, "right")))

    def bank(self, line: Line, other: Number) -> tuple[Number, Number]:
        """Return the banker's gain by drawing as ``a + b x`` of the tableau's chance."""
        form = line.bank
        if self.five.tableau == "left":
            return form.one + form.right * other, form.left + form.both * other
        return form.one + form.left * other, form.right + form.both * other

    def gain(self, draws: Iterable[Number], other: Number) -> Number:
        """Return the tableau's gain by drawing on 5, by the banker's chances."""
        won: Number = 0
        for line, chance in zip(self.lines, draws, strict=True):
            stand = _slope(line.stand, self.five.tableau == "right", other)
            draw = _slope(line.draw, self.five.tableau == "right", other)
            won += stand + chance * (draw - stand)
        return won

    def answer(self, other: Number) -> Answer:
        """Return where the tableau and the banker answer each other."""
        right = self.five.tableau == "right"
        draws, turns, won = [], [], 0 * other
        for n, line in enumerate(self.lines):
            a, b = self.bank(line, other)
            drawing = bool(a > 0 or (a == 0 and b > 0))
            draws.append(drawing)
            stand, draw = (_slope(form, right, other) for form in (line.stand, line.draw))
            won += draw if drawing else stand
            if b and 0 < -a / b < 1:
                turns.append((-a / b, n, stand - draw if drawing else draw - stand))
        if won <= 0:
            return Answer(0 * other, tuple(draws), tuple(draws))
        turns.sort()
        place = 0
        while place < len(turns):
            at, low = turns[place][0], tuple(draws)
            while place < len(turns) and turns[place][0] == at:
                _, n, more = turns[place]
                draws[n] = not draws[n]
                won += more
                place += 1
            if won <= 0:
                return Answer(at, low, tuple(draws))
        return Answer(1 + 0 * other, tuple(draws), tuple(draws))

    def mixed(self, answer: Answer, other: Fraction) -> list[Fraction]:
        """Return the banker's chances that leave the tableau indifferent, where it mixes."""
        low, high = ([Fraction(draw) for draw in each] for each in (answer.before, answer.after))
        if low == high:
            return low
        first, last = Fraction(self.gain(low, other)), Fraction(self.gain(high, other))
        share = first / (first - last) if first != last else Fraction(0)
        return [a + share * (b - a) for a, b in zip(low, high, strict=True)]

    def rights(self, draws: Iterable[Number], chance: Number) -> Number:
        """Return what right gains here by drawing on 5; ``chance`` is left's."""
        won: Number = 0
        for line, drawing in zip(self.lines, draws, strict=True):
            stand, draw = (_slope(form, right=True, other=chance) for form in line.right)
            won += stand + drawing * (draw - stand)
        return won


def _slope(form: Form, right: bool, other: Number) -> Number:
    return form.right + form.both * other if right else form.left + form.both * other
