"""The games that are dealt here, each a module of its own that says the same things.

A game is a `Game` (`sabot.domain.procedure.game`): a class with one instance, found by the ``game``
of a rule pack. It says

* ``hands``: which hands the cards go to; a patron's own hand is ``patron`` with his seat;
* ``in_coup``: what is due while a coup is open, as a `NextAction`;
* ``before_cards``: what is due before the cards are shuffled, or cut, or None;
* ``before_coup``: what is due between coups before the next may be opened (a bank to be posted,
  a shoe to be offered), or None;
* ``before_end``: what is due once no coup may follow, before the shoe is taken out, or None;
* ``draws``: whether a hand goes to the shoe for a card now, which is how a cut card is found;
* ``due_bets``: what is due to each bet that stands, in the order in which it is settled;
* ``is_dealt`` and ``due``: whether the hands are there to be judged, and what is due to a bet on
  some stake, for the auditor.

What it refuses, by kind of event, in place of what every game refuses, stands in a module of
`sabot.domain.procedure.preconditions`, which knows it by the game's name: an event of
`sabot.domain.events.bank` that is not in it is not of this game.

What all games share is not theirs to say: loading, shuffling, cutting, burning, the cut card,
the last coup, voiding. That an event is folded into the state never rests on the game either
(`sabot.domain.state.shoe`): an event that no rule allows is folded all the same.

**To add a game**: a module here with a subclass of `Game`, its instance in `GAMES`, its name in
`sabot.domain.rules.rule_pack.GameName`, a rule pack in ``infrastructure/packs``, its refusals in
`sabot.domain.procedure.preconditions`. Its rules of audit go into `domain/audit/` with ``games``
naming it. A section of the rule pack that only it reads is a Struct of
`sabot.domain.rules.pack_sections`, or of a module like it, optional in `RulePack`, so that other
packs keep their text.
"""

from typing import Final

from sabot.domain.procedure.chemin_de_fer import CheminDeFer
from sabot.domain.procedure.game import Game
from sabot.domain.procedure.macao import Macao, Victoria
from sabot.domain.procedure.punto_banco import PuntoBanco
from sabot.domain.procedure.two_tableaux.baccarat_banque import BaccaratBanque
from sabot.domain.rules.rule_pack import GameName, RulePack

GAMES: Final[dict[str, Game]] = {
    game.name: game for game in (PuntoBanco(), CheminDeFer(), BaccaratBanque(), Macao(), Victoria())
}
"""Every game by its name."""

TWO_HANDS: Final[tuple[GameName, ...]] = ("punto-banco", "chemin-de-fer")
"""The games of one Player hand and one Banker hand, dealt two cards each."""

_WITHOUT_A_PACK: Final = "punto-banco"


def game_of(pack: RulePack | None) -> Game:
    """Return the game of a rule pack; where a shoe's pack cannot be read, punto banco."""
    return GAMES[pack.game if pack is not None else _WITHOUT_A_PACK]


__all__ = ["GAMES", "TWO_HANDS", "Game", "game_of"]
