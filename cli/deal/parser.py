"""Parsing of the words of a command: numbers, money, names, bets and hands."""

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
    """The table to which a command refers.

    ``house`` is the person who acts for the table. ``ahead`` returns the next card of a random
    shoe; the card leaves the shoe only when it is recorded. It is None if cards are typed.
    """

    shoe: Shoe
    house: str
    ahead: Callable[[], Card] | None = None

    @property
    def coup(self) -> int:
        """The number of the coup in play, else of the last one, else 1."""
        if self.shoe.current is not None:
            return self.shoe.current.number
        return max(self.shoe.coups, default=1)

    @property
    def minor_units(self) -> int:
        """The number of decimals of the table's currency."""
        return self.shoe.pack.money.minor_units if self.shoe.pack is not None else 2

    def place(self) -> int:
        """Return the next card's place in the shoe."""
        return len(self.shoe.left) + 1

    def bet(self, words: Words) -> tuple[Bet, Words]:
        """Return a bet and the remaining words.

        The bet is named by its number, or by patron and wager.

        Raises:
            BadInput: the words name no bet of the coup.
        """
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
        raise BadInput(
            f"which bet? say its number, or patron and wager; {lying or 'there is none'}"
        )

    def amount(self, text: str) -> int:
        """Return an amount such as ``12.50`` in minor units.

        Raises:
            BadInput: the text is not an amount, or has too many decimals.
        """
        return amount_of(text, self.minor_units)

    def next_card(self, words: Words) -> Card:
        """Return the named card, or the next card of a random shoe.

        Raises:
            BadInput: a card has to be named and was not, or was named for a random shoe.
            Refused: the random shoe is empty.
        """
        if self.ahead is None:
            if not words:
                raise BadInput("name the card, for example 4d or Th")
            return parse_card(words[0])
        if words:
            raise BadInput("the cards come out of the random shoe; do not name them")
        return self.ahead()


def amount_of(text: str, minor_units: int) -> int:
    """Return an amount such as ``12.50`` in minor units.

    Raises:
        BadInput: the text is not an amount, or has too many decimals.
    """
    whole, point, part = text.partition(".")
    known = whole.isascii() and whole.isdigit() and len(whole) <= _MOST_DIGITS
    fine = not point or (part.isascii() and part.isdigit() and len(part) <= minor_units)
    if not known or not fine:
        raise BadInput(
            f"{text!r} is not an amount; write it as 500" + (" or 12.50" * (minor_units > 1))
        )
    return int(whole + part.ljust(minor_units, "0"))


def number(text: str, what: str) -> int:
    """Return a whole number.

    Raises:
        BadInput: the text is not a whole number.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise BadInput(f"{what} is a whole number, not {text!r}")
    return int(text)


def positive(text: str, what: str) -> int:
    """Return a whole number from 1.

    Raises:
        BadInput: the text is not a whole number from 1.
    """
    value = number(text, what)
    if value < 1:
        raise BadInput(f"{what} counts from 1")
    return value


def name(text: str) -> str:
    """Return a name after checking it.

    Raises:
        BadInput: the name is too long or contains unprintable characters.
    """
    if not text.isprintable() or len(text) > _LONGEST_NAME:
        raise BadInput("a name has 1 to 100 printable characters")
    return text


def one_of(text: str, what: str, allowed: tuple[T, ...]) -> T:
    """Return a word of a closed list.

    Raises:
        BadInput: the word is not in the list.
    """
    for name in allowed:
        if name == text:
            return name
    raise BadInput(f"{what} is one of {', '.join(allowed)}; not {text!r}")


def hand_of(text: str) -> ev.Hand:
    """Return the hand named by a word: player, banker, right or left.

    ``p`` and ``punto`` also mean player, ``b`` and ``banco`` banker.

    Raises:
        BadInput: the word names no hand.
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
    """Return whether the number of words is right: exactly ``least``, or ``least`` to ``most``."""
    return least <= len(words) <= (least if most is None else most)


def rest(words: Words) -> str:
    """Return the remaining words as text, cut to the length that an event can hold."""
    return " ".join(words)[:2000]


def misused(usage: str) -> NoReturn:
    """Report the usage of a command.

    Raises:
        BadInput: always.
    """
    raise BadInput(f"usage: {usage}")
