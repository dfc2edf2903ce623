"""The games, each in its own module with the same interface.

A game is a `Game` (`sabot.domain.procedure.game`): a class with one instance, selected by the
``game`` of a rule pack. It defines

* ``hands``: the hands that receive cards; a patron's own hand is ``patron`` with a seat;
* ``in_coup``: the next action while a coup is open, as a `NextAction`;
* ``before_cards``: the action due before the shuffle or the cut, or None;
* ``before_coup``: the action due between coups before the next may be opened (post a bank, offer a
  shoe), or None;
* ``before_end``: the action due after the last coup, before the shoe is removed, or None;
* ``draws``: whether a hand is due a card now, because the cut card is found by drawing;
* ``due_bets``: what each open bet is due, in order of settlement;
* ``is_dealt`` and ``due``: whether the hands are complete enough to judge, and what a bet on a
  given stake is due, for the audit.

A module of `sabot.domain.procedure.preconditions` lists, by the game's name and by kind of event,
the requirements that replace the general ones. An event of `sabot.domain.events.bank` that is not
listed does not belong to the game.

Loading, shuffling, cutting, burning, the cut card, the last coup and voids are common to all games
and are not defined by a game. Folding events into the state does not depend on the game either
(`sabot.domain.state.shoe`): an event that breaks a rule is folded all the same.

**To add a game**: write a module here with a subclass of `Game`, and add its instance to `GAMES`,
its name to `sabot.domain.rules.rule_pack.GameName`, a rule pack to ``infrastructure/packs`` and its
requirements to `sabot.domain.procedure.preconditions`. Its audit rules go into `domain/audit/`,
with ``games`` naming the game. A section of the rule pack for this game alone is a Struct of
`sabot.domain.rules.pack_sections` or a similar module. It is optional in `RulePack`, so that other
packs keep their text.
"""

from typing import Final

from sabot.domain.procedure.chemin_de_fer import CheminDeFer
from sabot.domain.procedure.game import Game
from sabot.domain.procedure.macao import Macao, Victoria
from sabot.domain.procedure.punto_banco import PuntoBanco
from sabot.domain.procedure.two_tableaux.baccarat_banque import BaccaratBanque
from sabot.domain.rules.rule_pack import RulePack

GAMES: Final[dict[str, Game]] = {
    game.name: game for game in (PuntoBanco(), CheminDeFer(), BaccaratBanque(), Macao(), Victoria())
}
"""Every game, by name."""

_WITHOUT_A_PACK: Final = "punto-banco"


def game_of(pack: RulePack | None) -> Game:
    """Return the game of a rule pack; punto banco if the pack cannot be read."""
    return GAMES[pack.game if pack is not None else _WITHOUT_A_PACK]


__all__ = ["GAMES", "Game", "game_of"]
