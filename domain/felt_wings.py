"""The two wings as the felt shows them: who plays each, its cards, and what became of it."""

from domain.banking import given_to
from domain.coup import Coup
from domain.felt_coup import FeltOther, faces_shown, hand_shown
from domain.shoe import Shoe
from domain.tableaux import outcome
from domain.wings import WINGS


def wing_hands(shoe: Shoe, coup: Coup) -> tuple[FeltOther, ...]:
    """Return the hands of both wings, the right one first.

    What became of a wing is told once the hands are called, or the coup is over.
    """
    shown = faces_shown(shoe, coup)
    done = coup.result_called is not None or coup.closed is not None
    return tuple(
        FeltOther(
            given_to(coup, wing) or "",
            None,
            hand_shown(coup, wing, shown),
            wing,
            outcome(coup, wing) if done else None,
        )
        for wing in WINGS
    )
