"""The games, one module each, with the same interface.

A game is a `Game` (`sabot.domain.procedure.game`): a class with one instance, selected by the
``game`` of a rule pack. It defines

* ``hands``: the hands that receive cards; a patron's own hand is ``patron`` with a seat;
* ``events``: the kinds of events that not every game has, but this one has; ``rulings`` likewise;
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
the requirements that replace the general ones. `foreign_to` states whether an event, its hand or
its ruling belongs to another game: dealing refuses it, and the audit reports it.

Loading, shuffling, cutting, burning, the cut card, the last coup and voids are common to all games
and are not defined by a game. The state does not depend on the game either
(`sabot.domain.state.shoe`): an event that breaks a rule changes it all the same.

**To add a game**: write a module here with a subclass of `Game`, and add its instance to `GAMES`,
its name to `sabot.domain.rules.rule_pack.GameName`, a rule pack to ``infrastructure/packs`` and its
requirements to `sabot.domain.procedure.preconditions`. Its audit rules go into `domain/audit/`,
with ``games`` naming the game. A section of the rule pack that only this game has is a Struct of
`sabot.domain.rules.pack_sections` or a similar module. It is optional in `RulePack`, so that other
packs keep their text.
"""

from collections.abc import Iterator
from typing import Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.labels import event_noun
from sabot.domain.procedure.chemin_de_fer import CheminDeFer
from sabot.domain.procedure.game import Game
from sabot.domain.procedure.macao import Macao, Victoria
from sabot.domain.procedure.punto_banco import PuntoBanco
from sabot.domain.procedure.two_tableaux.baccarat_banque import BaccaratBanque
from sabot.domain.rules.labels import game_label, hand_label, ruling_label
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.tableau_hands import TABLEAUX

GAMES: Final[dict[str, Game]] = {
    game.name: game for game in (PuntoBanco(), CheminDeFer(), BaccaratBanque(), Macao(), Victoria())
}
"""Every game, by name."""

_WITHOUT_A_PACK: Final = "punto-banco"


def game_of(pack: RulePack | None) -> Game:
    """Return the game of a rule pack; punto banco if the pack cannot be read."""
    return GAMES[pack.game if pack is not None else _WITHOUT_A_PACK]


_EVENTS: Final = frozenset().union(*(game.events for game in GAMES.values()))
_RULINGS: Final = frozenset().union(*(game.rulings for game in GAMES.values()))
"""What some games have and others have not."""


def foreign_to(pack: RulePack, payload: ev.Event) -> str | None:
    """Return the part of an event that the pack's game does not have, or None.

    The part is the event itself, its hand, its wager or its ruling. A game has the wagers of its
    pack. It has partly returned stakes if a bank may not cover them, or if the pack says how a bet
    beyond the maximum is settled. It has stakes that stay for the next coup, and levies, if the
    pack says so.
    """
    game = GAMES[pack.game]
    if type(payload) in _EVENTS and not _has(pack, type(payload)):
        return event_noun(payload)
    if isinstance(payload, ev.IrregularityNoted):
        is_foreign = payload.ruling in _RULINGS - game.rulings
        return f"the ruling: {ruling_label(payload.ruling)}" if is_foreign else None
    hand = next((hand for hand in _hands_in(payload) if hand not in game.hands), None)
    if hand is None:
        return None
    label = hand_label(hand)
    return label if label.startswith("the ") else f"the {label} hand"


def what_lacks(pack: RulePack, payload: ev.Event) -> str:
    """Return what does not have a foreign event: the pack's game, or only this pack of the game."""
    if type(payload) in GAMES[pack.game].events:
        return f"the rule pack {pack.name}"
    return game_label(pack.game)


def house_covers(pack: RulePack | None) -> bool:
    """Return whether the house covers every stake, so that no part of a stake is returned."""
    return bank_ev.ExcessReturned not in game_of(pack).events


def _has(pack: RulePack, kind: type) -> bool:
    """Return whether a pack's game has a kind of event."""
    if kind in bank_ev.LEVY and pack.levy is None:
        return False
    if kind in GAMES[pack.game].events:
        return True
    if kind is bank_ev.ExcessReturned:
        return pack.limits.accepted is not None
    return kind is ev.BetCarried and pack.tie.bets_stay


def _hands_in(payload: ev.Event) -> Iterator[str]:
    match payload:
        case ev.CardReassigned(hand=hand, to=to):
            yield from (hand, to)
        case bank_ev.HandsCalled(totals=totals):
            yield from (each.hand for each in totals)
        case bank_ev.BancoCalled(on=on) if on is not None:
            yield from TABLEAUX if on == "both" else (on,)
        case (
            ev.CardDrawn(hand=hand)
            | ev.CardTurned(hand=hand)
            | bank_ev.HandGiven(hand=hand)
            | bank_ev.ChoiceMade(hand=hand)
            | bank_ev.CardRejected(hand=hand)
        ):
            yield hand
        case _:
            pass


__all__ = ["GAMES", "Game", "foreign_to", "game_of", "house_covers", "what_lacks"]
