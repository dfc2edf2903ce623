"""What is said at the table, as text: numbers, money, names, and who and what they mean."""

from collections.abc import Callable, Sequence
from typing import Final, Literal, NoReturn, TypeVar

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import Card, parse_card
from sabot.domain.values.errors import BadInput

T = TypeVar("T", bound=str)
Words = Sequence[str]

_MOST_DIGITS: Final = 12
_LONGEST_NAME: Final = 100


class Speech(Struct, frozen=True):
    """The table that words speak of.

    ``house`` speaks for it. ``ahead`` gives the next card of a random shoe, which leaves it
    only once it is recorded; None where cards are typed.
    """

    shoe: Shoe
    house: str
    ahead: Callable[[], Card] | None = None

    @property
    def coup(self) -> int:
        """The coup in play, or the last one, or the first to come."""
        if self.shoe.current is not None:
            return self.shoe.current.number
        return max(self.shoe.coups, default=1)

    @property
    def minor_units(self) -> int:
        """How many decimals the table's money has."""
        return self.shoe.pack.money.minor_units if self.shoe.pack is not None else 2

    def place(self) -> int:
        """Return the place in the shoe of the next card."""
        return len(self.shoe.left) + 1

    def bet(self, words: Words) -> tuple[Bet, Words]:
        """Find a bet of the coup by its number, or by patron and wager; return the other words."""
        coup = self.shoe.coups.get(self.coup)
        bets = coup.bets if coup is not None else {}
        if words and words[0].isdigit():
            bet = bets.get(int(words[0][:9]))
            if bet is not None:
                return bet, words[1:]
        elif len(words) > 1:
            for bet in reversed(bets.values()):
                if (bet.patron, bet.wager) == (words[0], words[1]) and not bet.withdrawn:
                    return bet, words[2:]
        lying = ", ".join(
            f"{bet.number} {bet.patron} {bet.wager}" for bet in bets.values() if not bet.withdrawn
        )
        raise BadInput(f"which bet? say its number, or patron and wager; {lying or 'none lies'}")

    def amount(self, text: str) -> int:
        """Read an amount of the table's money, as people write it: ``500``, ``12.50``.

        Raises:
            BadInput: it is no amount, or finer than the money.
        """
        return amount_of(text, self.minor_units)

    def next_card(self, words: Words) -> Card:
        """Return the card that was named, or the next one of a random shoe.

        Raises:
            BadInput: it must be named and was not, or the other way round.
            Refused: the random shoe is empty.
        """
        if self.ahead is None:
            if not words:
                raise BadInput("say which card it is, as 4d or Th")
            return parse_card(words[0])
        if words:
            raise BadInput("the cards come out of the random shoe; do not name them")
        return self.ahead()


def amount_of(text: str, minor_units: int) -> int:
    """Read an amount as people write it: ``500`` or ``12.50``, and return minor units.

    Raises:
        BadInput: it is no amount, or finer than the money.
    """
    whole, point, part = text.partition(".")
    known = whole.isascii() and whole.isdigit() and len(whole) <= _MOST_DIGITS
    fine = not point or (part.isascii() and part.isdigit() and len(part) <= minor_units)
    if not known or not fine:
        raise BadInput(
            f"{text!r} is no amount; write it as 500" + (" or 12.50" * (minor_units > 1))
        )
    return int(whole + part.ljust(minor_units, "0"))


def number(text: str, what: str) -> int:
    """Read a whole number.

    Raises:
        BadInput: it is none.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise BadInput(f"{what} is a whole number, not {text!r}")
    return int(text)


def positive(text: str, what: str) -> int:
    """Read a number from 1.

    Raises:
        BadInput: it is none.
    """
    value = number(text, what)
    if value < 1:
        raise BadInput(f"{what} counts from 1")
    return value


def name(text: str) -> str:
    """Return a name, if it can be one.

    Raises:
        BadInput: it is too long, or holds what cannot be printed.
    """
    if not text.isprintable() or len(text) > _LONGEST_NAME:
        raise BadInput("a name has 1 to 100 printable characters")
    return text


def one_of(text: str, what: str, allowed: tuple[T, ...]) -> T:
    """Return a word of a closed list.

    Raises:
        BadInput: it is not in the list.
    """
    for name in allowed:
        if name == text:
            return name
    raise BadInput(f"{what} is one of {', '.join(allowed)}; not {text!r}")


def hand_of(text: str) -> ev.Hand:
    """Read ``player`` or ``banker``, or their first letters; or a tableau, ``right`` or ``left``.

    Raises:
        BadInput: it is neither.
    """
    known: dict[str, Literal["player", "banker", "right", "left"]] = {
        "p": "player",
        "player": "player",
        "punto": "player",
        "b": "banker",
        "banker": "banker",
        "banco": "banker",
        "right": "right",
        "left": "left",
    }
    hand = known.get(text.lower())
    if hand is None:
        raise BadInput(f"a hand is player or banker, or right or left, not {text!r}")
    return hand


def has_count(words: Words, least: int, most: int | None = None) -> bool:
    """Tell whether there are so many words: exactly ``least``, or ``least`` to ``most``."""
    return least <= len(words) <= (least if most is None else most)


def rest(words: Words) -> str:
    """Join what is left of a line; it is cut to what an event can hold."""
    return " ".join(words)[:2000]


def misused(usage: str) -> NoReturn:
    """Tell how a word is used.

    Raises:
        BadInput: always.
    """
    raise BadInput(f"say it as: {usage}")
