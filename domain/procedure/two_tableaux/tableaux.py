"""What the procedures of two tableaux against one banker come to.

Read by the dealer's side, the auditor and the simulator alike. Sources: WIKIPEDIA_BANQUE,
REGOLE_DEL_GIOCO (à cheval), and FR_58 to FR_62. Where these are silent, the packs of the game name
it in ``recalled``. Who goes bank and who holds a hand, see `banco_claims`; what stays on the felt,
see `held_stakes`.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from sabot.domain.procedure.patron_bank import (
    Excess,
    bank_events_of,
    bank_of,
    claims_of,
    drawing_of,
    open_bets,
    total_staked,
)
from sabot.domain.rules.drawing_options import Choice, Position, position_of
from sabot.domain.rules.pack_sections import TableauxRule
from sabot.domain.rules.tableau_hands import (
    PARTS,
    TABLEAUX,
    Outcome,
    Tableau,
    is_natural_hand,
    outcome_of,
)
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import FIRST_TWO, Card

_SIDES: Final[dict[Outcome, Literal["P", "B", "T"]]] = {"wins": "P", "loses": "B", "ties": "T"}
_BOTH: Final[tuple[Choice, ...]] = ("draw", "stand")


def rule_of(shoe: Shoe) -> TableauxRule:
    """Return the pack's section on two tableaux; its defaults where the pack has none."""
    rule = shoe.pack.tableaux if shoe.pack is not None else None
    return rule if rule is not None else TableauxRule()


# -- The tableaux --------------------------------------------------------------------------------


def cards_on(coup: Coup, tableau: Tableau) -> list[Card]:
    """Return the cards of a tableau's hand; none where it has none."""
    return coup.others.get((tableau, None), [])


def seated_on(coup: Coup, tableau: Tableau) -> tuple[str, ...]:
    """Return who sat on a tableau when the coup was first named, nearest to the banker first."""
    part = bank_events_of(coup)
    return part.right if tableau == "right" else part.left


def tableau_of(coup: Coup, patron: str) -> Tableau | None:
    """Return the tableau on which a patron sits; None where he does not sit."""
    return next((tableau for tableau in TABLEAUX if patron in seated_on(coup, tableau)), None)


def outcome_at(coup: Coup, tableau: Tableau) -> Outcome | None:
    """Return what became of a tableau's hand; None before it and the banker's have two cards."""
    return outcome_of(cards_on(coup, tableau), coup.banker)


def side_won(coup: Coup, tableau: Tableau) -> Literal["P", "B", "T"] | None:
    """Return who won on a tableau, as roads have it: P its hand, B the banker, T neither."""
    came = outcome_at(coup, tableau)
    return None if came is None else _SIDES[came]


def parts_of(bet: Bet) -> dict[Tableau, int]:
    """Return what of a stake lies on each tableau; nothing where no wager says."""
    tableaux = PARTS.get(bet.wager, ())
    return {tableau: bet.amount // len(tableaux) for tableau in tableaux}


def hands_are_dealt(coup: Coup) -> bool:
    """Tell whether all three hands have two cards."""
    return len(coup.banker) > 1 and all(len(cards_on(coup, tableau)) > 1 for tableau in TABLEAUX)


def alone_natural(coup: Coup) -> Tableau | None:
    """Return the one hand that is a natural, where it is a tableau's: it is paid at once."""
    if not hands_are_dealt(coup) or is_natural_hand(coup.banker):
        return None
    tableaux = [tableau for tableau in TABLEAUX if is_natural_hand(cards_on(coup, tableau))]
    return tableaux[0] if len(tableaux) == 1 else None


def natural_paid_before_void(coup: Coup) -> Tableau | None:
    """Return the tableau whose natural had been paid when the coup was voided: what it won stands.

    Its hand was over by then, and no card drawn later changes what it came to. None where the
    coup stands, or nothing had been paid.
    """
    tableau = alone_natural(coup) if coup.voided is not None else None
    if tableau is None or coup.voided is None:
        return None
    paid = (bet.moves[0] for bet in coup.bets.values() if bet.wager == tableau and bet.paid)
    return tableau if any(move.position < coup.voided.position for move in paid) else None


def in_play(coup: Coup) -> tuple[Tableau, ...]:
    """Return the tableaux that are played on once each hand has two cards.

    A natural of the banker's, or of both tableaux, ends the coup; one of a single tableau ends it
    for that tableau.
    """
    if not hands_are_dealt(coup) or is_natural_hand(coup.banker):
        return ()
    return tuple(tableau for tableau in TABLEAUX if not is_natural_hand(cards_on(coup, tableau)))


def earlier_coups(shoe: Shoe, coup: Coup, *, voided: bool = False) -> Iterator[Coup]:
    """Yield the coups before one that count, the last first; ``voided``: those that do not, too."""
    for number in sorted(shoe.coups, reverse=True):
        before = shoe.coups[number]
        if number < coup.number and (voided or before.voided is None):
            yield before


# -- Stakes and the bank ----------------------------------------------------------------------


def cover_due(coup: Coup) -> int:
    """Return what the banker still has to add where he holds all stakes, in minor units."""
    bank = bank_of(coup)
    if bank is None or not bank_events_of(coup).unlimited:
        return 0
    return max(0, total_staked(coup) - bank)


def over_the_seated(shoe: Shoe, coup: Coup) -> Iterator[Excess]:
    """Yield what those who stand have staked beyond what the seated leave of the bank.

    Who placed his stake last has it back first, in whole units; what is frozen lay there before.
    Source: they may play only where the seated do not cover the bank (WIKIPEDIA_BANQUE).
    """
    bank = bank_of(coup)
    if bank is None or bank_events_of(coup).unlimited or claims_of(coup):
        return
    over = total_staked(coup) - bank
    for bet in sorted(open_bets(coup), key=lambda bet: bet.number, reverse=True):
        if over <= 0:
            return
        sits = bet.patron == bank_events_of(coup).banker or tableau_of(coup, bet.patron) is not None
        if bet.carried or sits:
            continue
        unit = rule_of(shoe).stake_unit * len(PARTS.get(bet.wager, ("one",)))
        amount = min(-(-over // unit) * unit, bet.amount)
        over -= amount
        yield Excess(bet, amount)


def in_rotation(coup: Coup, bets: Iterable[Bet]) -> list[Bet]:
    """Return bets in the order in which winners are paid: right and left in turn.

    Those of who does not sit come last, as they were placed.
    """
    order = bank_events_of(coup).order
    turn = {patron: place for place, patron in enumerate(order)}
    return sorted(bets, key=lambda bet: (turn.get(bet.patron, len(order)), bet.number))


# -- Choices ----------------------------------------------------------------------------------


def tableau_position(coup: Coup, tableau: Tableau) -> Position:
    """Return where a tableau's hand is on its first two cards, which are no natural."""
    return position_of("player", cards_on(coup, tableau)[:2], sees="total")


def banker_choices(shoe: Shoe, coup: Coup) -> tuple[Choice, ...]:
    """Return what the banker may do: bound where the pack's rows of both tableaux say the same.

    A tableau with a natural is paid already, and has no say.
    """
    rules = drawing_of(shoe)
    if rules is None:
        return _BOTH
    own, allowed = coup.banker[:2], set()
    for tableau in in_play(coup):
        cards = cards_on(coup, tableau)
        third = cards[2] if len(cards) > FIRST_TWO else None
        allowed.add(rules.choices(position_of("banker", own, third, "total")))
    return allowed.pop() if len(allowed) == 1 else _BOTH
