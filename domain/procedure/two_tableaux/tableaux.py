"""Hands, stakes and choices at two tableaux against one banker.

Shared by the next action, the audit and the simulator. Sources: WIKIPEDIA_BACCARAT_BANQUE,
REGOLE_DEL_GIOCO_BACCARA (à cheval), and ARRETE_2007_ART_58 to ARRETE_2007_ART_62. The packs of the
game list in ``recalled`` what these sources do not state. See `banco_claims` for bancos and holders
of hands, `held_stakes` for stakes that stay on the layout.
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
    """Return the pack's section on two tableaux, or its defaults."""
    rule = shoe.pack.tableaux if shoe.pack is not None else None
    return rule if rule is not None else TableauxRule()


# -- The tableaux --------------------------------------------------------------------------------


def cards_on(coup: Coup, tableau: Tableau) -> list[Card]:
    """Return the cards of a tableau's hand. It is empty if there are none."""
    return coup.others.get((tableau, None), [])


def seated_on(coup: Coup, tableau: Tableau) -> tuple[str, ...]:
    """Return the patrons of a tableau, as seated when the record first named the coup.

    The nearest to the banker comes first.
    """
    part = bank_events_of(coup)
    return part.right if tableau == "right" else part.left


def tableau_of(coup: Coup, patron: str) -> Tableau | None:
    """Return a patron's tableau. None if the patron is not seated."""
    return next((tableau for tableau in TABLEAUX if patron in seated_on(coup, tableau)), None)


def outcome_at(coup: Coup, tableau: Tableau) -> Outcome | None:
    """Return the outcome of a tableau's hand. None before both hands have two cards."""
    return outcome_of(cards_on(coup, tableau), coup.banker)


def side_won(coup: Coup, tableau: Tableau) -> Literal["P", "B", "T"] | None:
    """Return the winner on a tableau: P for its hand, B for the banker, T for a tie."""
    came = outcome_at(coup, tableau)
    return None if came is None else _SIDES[came]


def parts_of(bet: Bet) -> dict[Tableau, int]:
    """Return the part of a stake on each tableau. Empty for an unknown wager."""
    tableaux = PARTS.get(bet.wager, ())
    return {tableau: bet.amount // len(tableaux) for tableau in tableaux}


def hands_are_dealt(coup: Coup) -> bool:
    """Return whether all three hands have two cards."""
    return len(coup.banker) > 1 and all(len(cards_on(coup, tableau)) > 1 for tableau in TABLEAUX)


def alone_natural(coup: Coup) -> Tableau | None:
    """Return the only tableau with a natural, or None.

    Its bets are paid at once.
    """
    if not hands_are_dealt(coup) or is_natural_hand(coup.banker):
        return None
    tableaux = [tableau for tableau in TABLEAUX if is_natural_hand(cards_on(coup, tableau))]
    return tableaux[0] if len(tableaux) == 1 else None


def natural_paid_before_void(coup: Coup) -> Tableau | None:
    """Return the tableau whose natural was paid before its coup was voided, or None.

    Its hand was over by then, so its wins remain valid and later cards do not change them. None if
    the coup is not void or nothing had been paid.
    """
    tableau = alone_natural(coup) if coup.voided is not None else None
    if tableau is None or coup.voided is None:
        return None
    paid = (bet.moves[0] for bet in coup.bets.values() if bet.wager == tableau and bet.paid)
    return tableau if any(move.position < coup.voided.position for move in paid) else None


def in_play(coup: Coup) -> tuple[Tableau, ...]:
    """Return the tableaux still in play after two cards each.

    A natural of the banker, or of both tableaux, ends the coup. A natural of one tableau ends only
    that tableau.
    """
    if not hands_are_dealt(coup) or is_natural_hand(coup.banker):
        return ()
    return tuple(tableau for tableau in TABLEAUX if not is_natural_hand(cards_on(coup, tableau)))


def earlier_coups(shoe: Shoe, coup: Coup, *, voided: bool = False) -> Iterator[Coup]:
    """Yield the earlier valid coups, last first; with ``voided``, void coups too."""
    for number in sorted(shoe.coups, reverse=True):
        before = shoe.coups[number]
        if number < coup.number and (voided or before.voided is None):
            yield before


# -- Stakes and the bank ----------------------------------------------------------------------


def cover_due(coup: Coup) -> int:
    """Return what the banker must add to cover all stakes, in minor units.

    The result is 0 if the bank is limited.
    """
    bank = bank_of(coup)
    if bank is None or not bank_events_of(coup).unlimited:
        return 0
    return max(0, total_staked(coup) - bank)


def over_the_seated(shoe: Shoe, coup: Coup) -> Iterator[Excess]:
    """Yield the parts of standing patrons' stakes that the bank does not cover.

    Seated patrons' stakes count first. The latest stake is returned first, in whole stake units.
    Held stakes are older than all others. Source: standing patrons may play only if the seated ones
    do not cover the bank (WIKIPEDIA_BACCARAT_BANQUE).
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
    """Return bets in the order of paying winners: right and left in turn.

    Bets of patrons who are not seated come last, in the order placed.
    """
    order = bank_events_of(coup).order
    turn = {patron: place for place, patron in enumerate(order)}
    return sorted(bets, key=lambda bet: (turn.get(bet.patron, len(order)), bet.number))


# -- Choices ----------------------------------------------------------------------------------


def tableau_position(coup: Coup, tableau: Tableau) -> Position:
    """Return the position of a tableau's hand on its first two cards.

    The hand must not be a natural.
    """
    return position_of("player", cards_on(coup, tableau)[:2], sees="total")


def banker_choices(shoe: Shoe, coup: Coup) -> tuple[Choice, ...]:
    """Return the banker's choices: mandatory if the rules for both tableaux agree.

    A tableau with a natural is already paid and does not count.
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
