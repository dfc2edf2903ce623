"""Set aside the events of a shoe that its game does not have.

A choice or a call of another game changes nothing at the table. The audit reports it once
(`sabot.domain.audit.checks.another_game`), and judges the shoe by its other events. Cards that were
drawn and chips that moved remain: they did leave the shoe, the bank or the layout.
"""

from typing import Final

from sabot.domain.audit.coup_numbers import events_of, folded_again
from sabot.domain.events import BetCarried, CardDrawn
from sabot.domain.events.bank import BankPosted, ExcessReturned, HandsCalled, LevyTaken
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.games import GAMES, foreign_to
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

_PLAIN: Final = "punto-banco"


def set_foreign_aside(shoe: Shoe) -> Shoe:
    """Return the shoe with events of another game moved to ``foreign_events``.

    The same shoe is returned if it has no such events. Cost: linear in the number of coups at punto
    banco, and in the number of events at other games.
    """
    pack = shoe.pack
    if pack is None or (pack.game == _PLAIN and not _looks_foreign(shoe)):
        return shoe
    events = list(events_of(shoe))
    foreign = [event for event in events if foreign_to(pack, event.payload) is not None]
    if not foreign:
        return shoe
    aside = {event.position for event in foreign if not _moved_something(pack, event)}
    again = folded_again(shoe, (event for event in events if event.position not in aside))
    again.foreign_events = foreign
    return again


def _looks_foreign(shoe: Shoe) -> bool:
    """Return whether a shoe of punto banco may have events of another game."""
    if shoe.banks or shoe.unmatched_events or shoe.irregularities or shoe.cutters:
        return True
    if shoe.bids or shoe.listed or shoe.funds or shoe.sessions:
        return True
    return any(map(_coup_looks_foreign, shoe.coups.values()))


def _coup_looks_foreign(coup: Coup) -> bool:
    if coup.banked is not None or coup.others or coup.unmatched_events or coup.reassigned:
        return True
    return HandsCalled in [type(event.payload) for event in coup.calls]


def _moved_something(pack: RulePack, event: RecordedEvent) -> bool:
    if isinstance(event.payload, LevyTaken):
        return BankPosted in GAMES[pack.game].events
    return isinstance(event.payload, CardDrawn | ExcessReturned | BetCarried)
