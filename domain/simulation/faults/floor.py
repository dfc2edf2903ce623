"""What goes wrong beyond one shoe: with batches of cards, at tables, and on the whole floor."""

from typing import Final

from domain.simulation.faults import keeping_cards, keeping_sessions, keeping_tables
from domain.simulation.faults.floor_base import FloorFault

FLOOR_FAULTS: Final[dict[str, FloorFault]] = {
    kind.name: kind
    for kind in (*keeping_cards.KINDS, *keeping_sessions.KINDS, *keeping_tables.KINDS)
}
"""Every kind of fault beyond one shoe, by name."""
