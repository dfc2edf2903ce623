"""Faults that involve several shoes: with batches of cards, at tables, and on the floor."""

from typing import Final

from tests.faults import custody_faults, floor_order_faults, session_faults, table_faults
from tests.faults.floor_fault import FloorFault

FLOOR_FAULTS: Final[dict[str, FloorFault]] = {
    kind.name: kind
    for kind in (
        *custody_faults.KINDS,
        *session_faults.KINDS,
        *table_faults.KINDS,
        *floor_order_faults.KINDS,
    )
}
"""Every kind of fault beyond one shoe, by name."""
