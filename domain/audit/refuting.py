"""What the record itself refutes of an irregularity: there was nothing of the kind.

Who notes a wrong draw where every card was due, a late bet where none came late, or too few cards
with cards enough in the shoe, has made up a reason. What went wrong and left no trace on record,
an exposed card, a misdeal, a machine that jams, nobody can refute.
"""

from typing import Final

from domain.audit.lacking import game_of_record
from domain.audit.rule import is_headless
from domain.audit.timing import doubt_among, doubt_in_row
from domain.cards import Card
from domain.coup import Coup
from domain.event import Event
from domain.facts import (
    CardBurned,
    CardDrawn,
    CardReassigned,
    CoupClosed,
    CoupVoided,
    IrregularityNoted,
    ResultCalled,
    ShoeEnded,
)
from domain.procedure import hand_due
from domain.shoe import Shoe

_PLAIN: Final = "punto-banco"
"""The game in which each card is due or not, and every stake is a bet."""
_WHOLE_COUP: Final = 6
"""The most cards that its coup takes."""
_MATTER: Final = (CardDrawn, CardBurned, CardReassigned, ResultCalled, CoupClosed, CoupVoided)


def refuted(shoe: Shoe, coup: Coup, noted: Event) -> str | None:
    """Say what the record holds against an irregularity of a coup; None where it holds nothing."""
    fact = noted.fact
    if not isinstance(fact, IrregularityNoted) or not _is_whole(shoe, coup):
        return None
    if fact.kind == "wrong-draw" and drawn_rightly(shoe, coup):
        return "every card was drawn as it was due"
    if fact.kind == "too-few-cards" and _had_enough(shoe, coup, noted):
        return "there were cards enough in the shoe"
    if fact.kind == "late-bet" and _none_was_late(coup, noted):
        return "no bet was placed, changed or withdrawn behind the close of bets"
    return None


def refuting_in_doubt(shoe: Shoe, coup: Coup, noted: Event) -> str | None:
    """Say why nobody knows whether the record refutes an irregularity: the order is not known."""
    fact = noted.fact
    if shoe.order is None or not isinstance(fact, IrregularityNoted):
        return None
    if fact.kind == "wrong-draw":
        return doubt_in_row(shoe, _matter(coup))
    if fact.kind == "too-few-cards":
        return doubt_among(shoe, (noted,), coup.cards)
    call = coup.no_more_bets
    if fact.kind != "late-bet" or call is None:
        return None
    return doubt_among(shoe, (call, noted), _staking(coup, noted))


def _is_whole(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether the record has all of the coup, in a game where it can refute anything."""
    return shoe.scope == "whole" and not is_headless(shoe, coup) and game_of_record(shoe) == _PLAIN


# -- Wrong draws ----------------------------------------------------------------------------------


def _matter(coup: Coup) -> list[Event]:
    """Return the facts of a coup that say which cards lay there when one was drawn."""
    return [event for event in coup.events if isinstance(event.fact, _MATTER)]


def drawn_rightly(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether each card was due to its hand when it was drawn, and none was left out.

    A card that was burned lies there until then. One that a ruling gave to the other hand, or a
    void coup, ends what can be said; a card that was burned and never drawn may be the wrong one.
    """
    if _burned_undrawn(shoe, coup):
        return False
    off = {burned.version: drawn.version for drawn, burned in coup.taken_off}
    hands: dict[str, dict[int, Card]] = {"player": {}, "banker": {}}
    for event in _matter(coup):
        match event.fact:
            case CardReassigned() | CoupVoided():
                break
            case CardDrawn(hand=hand, card=card):
                if hand != _due(hands):
                    return False
                hands[hand][event.version] = card
            case CardBurned():
                for lying in hands.values():
                    lying.pop(off.get(event.version, 0), None)
            case _ if _due(hands) is not None:
                return False
    return True


def _due(hands: dict[str, dict[int, Card]]) -> str | None:
    return hand_due(list(hands["player"].values()), list(hands["banker"].values()))


def _burned_undrawn(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether a card was burned while the coup was dealt, or named for it, and never drawn."""
    first, last = coup.events[0].version, (coup.closed or coup.voided or coup.events[-1]).version
    off = {burned.version for _, burned in coup.taken_off}
    return any(
        event.version not in off
        and (first < event.version < last or getattr(event.fact, "coup", None) == coup.number)
        for event in shoe.burned
    )


# -- Too few cards --------------------------------------------------------------------------------


def _had_enough(shoe: Shoe, coup: Coup, noted: Event) -> bool:
    """Tell whether the coup lacked no card: it had all, or as many as it could take were there."""
    if len(coup.cards) >= _WHOLE_COUP - 2 and hand_due(coup.player, coup.banker) is None:
        return True
    if shoe.pack is None or shoe.pack.endless or shoe.loaded is None or not shoe.size:
        return False
    behind = sum(1 for event in shoe.left if event.version > noted.version)
    left = shoe.size - len(shoe.left) + behind
    ended = shoe.ended.fact if shoe.ended is not None else None
    if isinstance(ended, ShoeEnded) and ended.left is not None:
        left = ended.left + behind
    return left >= _WHOLE_COUP


# -- Late bets ------------------------------------------------------------------------------------


def _staking(coup: Coup, noted: Event) -> list[Event]:
    """Return how the stakes came to lie there, until the late bet was noted or the coup void."""
    until = min(each.version for each in (noted, coup.voided) if each is not None)
    bets = coup.bets.values()
    facts = (event for bet in bets for event in (bet.placed, *bet.changes))
    return [event for event in facts if event.version < until]


def _none_was_late(coup: Coup, noted: Event) -> bool:
    """Tell whether every stake of the coup was made while the bets were open."""
    closed, staked = coup.bets_closed, _staking(coup, noted)
    return closed is not None and bool(staked) and all(e.version < closed for e in staked)
