"""One tableau's choice on a total of 5 against the banker, at baccarat banque.

All earlier cards and choices are given. The banker responds to the tableau's probability of
drawing. At each decision of the banker the best choice changes at one probability. So the tableau's
gain from drawing decreases in steps as the probability grows.
`sabot.domain.odds.optimal_play.banque_solver` combines these parts of a game.
"""

from collections.abc import Iterable
from fractions import Fraction

from msgspec import Struct

from sabot.domain.odds.optimal_play.banque_equilibrium import Five, seen_from, won_by
from sabot.domain.odds.optimal_play.banque_game import BanqueGame, Form, Place

Number = float | Fraction


class Line(Struct, frozen=True, gc=False):
    """A place of the banker, with the payoffs after a tableau's choice on 5.

    ``bank`` is the banker's gain from drawing, for total stakes of the denominator of the split, so
    that all terms are whole numbers. ``stand`` and ``draw`` are the tableau's wins if the banker
    stands or draws. ``right`` has the wins of the right tableau for the same two choices.
    """

    place: Place
    bank: Form
    stand: Form
    draw: Form
    right: tuple[Form, Form]


class Answer(Struct, frozen=True):
    """The best responses of one tableau and the banker to each other.

    ``chance`` is the tableau's probability of drawing. ``before`` marks the places in which the
    banker draws if this probability is just below ``chance``, and ``after`` those if it is just
    above. The two are equal unless the tableau mixes.
    """

    chance: Number
    before: tuple[bool, ...]
    after: tuple[bool, ...]

    @property
    def pivots(self) -> tuple[int, ...]:
        """The places in which the banker mixes, because both choices are equally good."""
        pairs = zip(self.before, self.after, strict=True)
        return tuple(n for n, (low, high) in enumerate(pairs) if low != high)


class Part:
    """One tableau's choice on 5 against the banker, with all earlier events given."""

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
        """Return the banker's gain from drawing in a place, as the numbers a and b of ``a + b x``.

        ``x`` is the tableau's probability of drawing on 5, and ``other`` that of the other tableau.
        """
        form = line.bank
        if self.five.tableau == "left":
            return form.one + form.right * other, form.left + form.both * other
        return form.one + form.left * other, form.right + form.both * other

    def gain(self, draws: Iterable[Number], other: Number) -> Number:
        """Return the tableau's gain from drawing, not standing, on 5.

        ``draws`` has the banker's probability of drawing in each place.
        """
        won: Number = 0
        for line, chance in zip(self.lines, draws, strict=True):
            stand = _slope(line.stand, self.five.tableau == "right", other)
            draw = _slope(line.draw, self.five.tableau == "right", other)
            won += stand + chance * (draw - stand)
        return won

    def answer(self, other: Number) -> Answer:
        """Return the best responses of this tableau and the banker to each other.

        ``other`` is the other tableau's probability of drawing.
        """
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
        """Return the probability of drawing in each banker's place.

        With these probabilities the tableau gains the same by drawing and by standing on 5. If the
        tableau does not mix, each of them is 0 or 1. ``other`` is the other tableau's probability
        of drawing.
        """
        low, high = ([Fraction(draw) for draw in each] for each in (answer.before, answer.after))
        if low == high:
            return low
        first, last = Fraction(self.gain(low, other)), Fraction(self.gain(high, other))
        share = first / (first - last) if first != last else Fraction(0)
        return [a + share * (b - a) for a, b in zip(low, high, strict=True)]

    def rights(self, draws: Iterable[Number], chance: Number) -> Number:
        """Return right's gain from drawing on 5 in this part.

        ``chance`` is left's probability of drawing.
        """
        won: Number = 0
        for line, drawing in zip(self.lines, draws, strict=True):
            stand, draw = (_slope(form, right=True, other=chance) for form in line.right)
            won += stand + drawing * (draw - stand)
        return won


def _slope(form: Form, right: bool, other: Number) -> Number:
    return form.right + form.both * other if right else form.left + form.both * other
