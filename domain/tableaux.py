"""What the procedures of two wings against one banker come to.

Read by the dealer's side, the auditor and the simulator alike. Source: field-facts.md 1.1 #13,
1.2 and 3 A18; seeds S0, S1 (baccarat banque) and S3 (à cheval); arrêté of 14 May 2007, arts 58
to 62. Where these are silent, the packs of the game name it in ``recalled``.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from msgspec import Struct

from domain.banking import bank_of, banked, claims, drawing_of, given_to, staked, standing
from domain.bankrules import TableauxRule
from domain.cards import Card
from domain.coup import BankedCoup, Bet, Coup
from domain.facts import BetCarried, BetPlaced
from domain.facts.bank import BancoCalled
from domain.shoe import Shoe
from domain.strategy.drawing import Choice, Position, position_of
from domain.wings import A_CHEVAL, PARTS, WINGS, Outcome, Wing, natural, outcome_of

_SIDES: Final[dict[Outcome, Literal["P", "B", "T"]]] = {"wins": "P", "loses": "B", "ties": "T"}
_BOTH: Final[tuple[Choice, ...]] = ("draw", "stand")


def rule_of(shoe: Shoe) -> TableauxRule:
    """Return the pack's section on two wings; its defaults where the pack has none."""
    rule = shoe.pack.tableaux if shoe.pack is not None else None
    return rule if rule is not None else TableauxRule()


# -- The wings --------------------------------------------------------------------------------


def cards_on(coup: Coup, wing: Wing) -> list[Card]:
    """Return the cards of a wing's hand; none where it has none."""
    return coup.others.get((wing, None), [])


def seated_on(coup: Coup, wing: Wing) -> tuple[str, ...]:
    """Return who sat on a wing when the coup was first named, nearest to the banker first."""
    part = banked(coup)
    return part.right if wing == "right" else part.left


def wing_of(coup: Coup, patron: str) -> Wing | None:
    """Return the wing on which a patron sits; None where he does not sit."""
    return next((wing for wing in WINGS if patron in seated_on(coup, wing)), None)


def outcome(coup: Coup, wing: Wing) -> Outcome | None:
    """Return what became of a wing's hand; None before it and the banker's have two cards."""
    return outcome_of(cards_on(coup, wing), coup.banker)


def side_won(coup: Coup, wing: Wing) -> Literal["P", "B", "T"] | None:
    """Return who won on a wing, as roads have it: P its hand, B the banker, T neither."""
    came = outcome(coup, wing)
    return None if came is None else _SIDES[came]


def parts_of(bet: Bet) -> dict[Wing, int]:
    """Return what of a stake lies on each wing; nothing where no wager says."""
    wings = PARTS.get(bet.wager, ())
    return {wing: bet.amount // len(wings) for wing in wings}


def dealt(coup: Coup) -> bool:
    """Tell whether all three hands have two cards."""
    return len(coup.banker) > 1 and all(len(cards_on(coup, wing)) > 1 for wing in WINGS)


def alone_natural(coup: Coup) -> Wing | None:
    """Return the one hand that is a natural, where it is a wing's: it is paid at once."""
    if not dealt(coup) or natural(coup.banker):
        return None
    wings = [wing for wing in WINGS if natural(cards_on(coup, wing))]
    return wings[0] if len(wings) == 1 else None


def in_play(coup: Coup) -> tuple[Wing, ...]:
    """Return the wings that are played on once each hand has two cards.

    A natural of the banker's, or of both wings, ends the coup; one of a single wing ends it for
    that wing.
    """
    if not dealt(coup) or natural(coup.banker):
        return ()
    return tuple(wing for wing in WINGS if not natural(cards_on(coup, wing)))


# -- Who holds a wing's hand ------------------------------------------------------------------


def holder_due(shoe: Shoe, coup: Coup, wing: Wing) -> str | None:
    """Return who plays a wing's hand; None where nobody sits there or staked on it.

    Who goes bank on it plays it. Else it stays with its holder until it loses, and then goes to
    whoever now sits next beyond him on that wing; where nobody sits there, whoever staked on it
    first has it.
    """
    takers = [taker for taker in takers_of(shoe, coup) if wing in PARTS[taker.wager]]
    if takers:
        return takers[0].patron
    seated = seated_on(coup, wing)
    if not seated:
        staked_on = (bet.patron for bet in standing(coup) if wing in PARTS.get(bet.wager, ()))
        return next(staked_on, None)
    before = _last_in_rotation(shoe, coup, wing)
    if before is None:
        return seated[0]
    held = given_to(before, wing)
    if held in seated and outcome(before, wing) != "loses":
        return held
    last = banked(before).places.get(held or "", 0)
    return next((who for who in seated if banked(coup).places[who] > last), seated[0])


def _last_in_rotation(shoe: Shoe, coup: Coup, wing: Wing) -> Coup | None:
    """Return the last coup in which a wing's hand was held in rotation, and not by a banco."""
    for before in _before(shoe, coup):
        held = given_to(before, wing)
        if held is None or held not in seated_on(before, wing):
            continue
        if not any(wing in PARTS[taker.wager] for taker in takers_of(shoe, before)):
            return before
    return None


def _before(shoe: Shoe, coup: Coup) -> Iterator[Coup]:
    """Yield the coups before one that count, the last first."""
    for number in sorted(shoe.coups, reverse=True):
        before = shoe.coups[number]
        if number < coup.number and before.voided is None:
            yield before


# -- Going bank -------------------------------------------------------------------------------


class Taker(Struct, frozen=True):
    """Who goes bank: on which wager, and for how much, in minor units."""

    patron: str
    wager: str
    amount: int


def takers_of(shoe: Shoe, coup: Coup) -> list[Taker]:
    """Return who goes bank: one alone, or two from opposite sides, a half each.

    The first claim is that of the first on the banker's right, then of the first on his left,
    and so on in turn. The second half is that of the first claim from the other side.
    """
    bank = bank_of(coup)
    if bank is None:
        return []
    ranked = sorted(claims(coup), key=lambda claim: _rank(coup, claim))
    if not ranked:
        return []
    first = ranked[0]
    side = side_of(coup, first)
    other = next((claim for claim in ranked if _opposite(side, side_of(coup, claim))), None)
    if other is None:
        return [_taker(shoe, coup, first, bank)]
    return [_taker(shoe, coup, claim, bank // 2) for claim in (first, other)]


def side_of(coup: Coup, claim: BancoCalled) -> Wing | None:
    """Return the side from which a claim comes: where the patron sits, or else what he named."""
    sits = wing_of(coup, claim.patron)
    if sits is not None:
        return sits
    return claim.on if claim.on != "both" else None


def _opposite(one: Wing | None, other: Wing | None) -> bool:
    return one is not None and other is not None and one != other


def _rank(coup: Coup, claim: BancoCalled) -> int:
    order = banked(coup).order
    return order.index(claim.patron) if claim.patron in order else len(order)


def _taker(shoe: Shoe, coup: Coup, claim: BancoCalled, share: int) -> Taker:
    """Return his stake: what of his share is whole stake units, and at both wings halves of it."""
    wager = A_CHEVAL if claim.on == "both" else claim.on or wing_of(coup, claim.patron) or "right"
    unit = rule_of(shoe).stake_unit * len(PARTS[wager])
    return Taker(claim.patron, wager, share // unit * unit)


def lost_bancos(shoe: Shoe, coup: Coup, patron: str) -> int:
    """Return how often a patron went bank in a row, and lost each time, just before a coup.

    A stake that a tie, or a split à cheval, left where it was is still the same banco. Against
    another banker he begins anew.
    """
    lost = came_to = 0
    for before in _before(shoe, coup):
        if banked(before).nth != banked(coup).nth:
            break
        takers = [taker for taker in takers_of(shoe, before) if taker.patron == patron]
        left = [bet for bet in standing(before) if bet.patron == patron and bet.carried]
        claimed = [stake_of(before, taker) for taker in takers]
        if not takers and not left:
            break
        came_to += sum(bet.paid - bet.taken for bet in claimed or left if bet is not None)
        if not takers:
            continue
        if came_to > 0:
            break
        lost += came_to < 0
        came_to = 0
    return lost


# -- What is frozen ---------------------------------------------------------------------------


class Frozen(Struct, frozen=True):
    """What of a bet of the coup before stays on the felt, on which wager.

    ``free``: its patron may take it back before the next coup.
    """

    bet: Bet
    wager: str
    amount: int
    free: bool


def frozen(shoe: Shoe, coup: Coup) -> list[Frozen]:
    """Return what the coup before left on the felt for this one, in the order of its bets.

    A stake that tied stays, where the pack lets ties stay. À cheval, a half that tied stays on
    its wing while the other half is settled; where both tied, or one won and one lost, the whole
    stays à cheval. What was à cheval cannot be taken back (seed S3; field-facts.md 1.1 #13).
    Another bank than the one that it was staked against sets it free.
    """
    before = shoe.coups.get(coup.number - 1)
    if shoe.pack is None or before is None or before.voided is not None or not dealt(before):
        return []
    if banked(before).nth != (coup.banked.nth if coup.banked is not None else len(shoe.banks)):
        return []
    came = {wing: outcome(before, wing) for wing in WINGS}
    found = []
    for bet in standing(before):
        wings = PARTS.get(bet.wager, ())
        tied = [wing for wing in wings if came[wing] == "ties"]
        if len(wings) == 1 and tied and shoe.pack.tie.bets_stay:
            found.append(Frozen(bet, bet.wager, bet.amount, shoe.pack.tie.withdrawable))
        elif len(wings) > 1 and len(tied) == 1:
            found.append(Frozen(bet, tied[0], bet.amount // 2, free=False))
        elif len(wings) > 1 and (tied or came["right"] != came["left"]):
            found.append(Frozen(bet, bet.wager, bet.amount, free=False))
    return found


def after(coup: Coup, nth: int) -> Coup:
    """Return the coup after one, on a bank of the shoe (from 1), before any fact tells of it."""
    return Coup(coup.number + 1, banked=BankedCoup(nth=nth))


def to_carry(shoe: Shoe, coup: Coup) -> list[Frozen]:
    """Return what is frozen and not carried by this coup's facts yet, in order."""
    carried = [(bet.patron, bet.wager, _first(bet)) for bet in coup.bets.values() if bet.carried]
    waiting = []
    for each in frozen(shoe, coup):
        same = (each.bet.patron, each.wager, each.amount)
        if same in carried:
            carried.remove(same)
        else:
            waiting.append(each)
    return waiting


def _first(bet: Bet) -> int:
    """Return the amount with which a bet was placed or carried."""
    fact = bet.placed.fact
    return fact.amount if isinstance(fact, BetPlaced | BetCarried) else bet.amount


# -- Stakes and the bank ----------------------------------------------------------------------


def cover_due(coup: Coup) -> int:
    """Return what the banker still has to add where he holds all stakes, in minor units."""
    bank = bank_of(coup)
    if bank is None or not banked(coup).unlimited:
        return 0
    return max(0, staked(coup) - bank)


def stake_of(coup: Coup, taker: Taker) -> Bet | None:
    """Return the stake of who goes bank; None while it does not lie there."""
    for bet in standing(coup):
        if (bet.patron, bet.wager, bet.amount) == (taker.patron, taker.wager, taker.amount):
            return bet
    return None


def beside_takers(shoe: Shoe, coup: Coup) -> list[Bet]:
    """Return the stakes that go back, since others go bank; the last in order first."""
    takers = takers_of(shoe, coup)
    if not takers:
        return []
    theirs = [stake_of(coup, taker) for taker in takers]
    lying = in_rotation(coup, standing(coup))
    return [bet for bet in reversed(lying) if all(bet is not stake for stake in theirs)]


def in_rotation(coup: Coup, bets: Iterable[Bet]) -> list[Bet]:
    """Return bets in the order in which winners are paid: right and left in turn.

    Those of who does not sit come last, as they were placed.
    """
    order = banked(coup).order
    turn = {patron: place for place, patron in enumerate(order)}
    return sorted(bets, key=lambda bet: (turn.get(bet.patron, len(order)), bet.number))


# -- Choices ----------------------------------------------------------------------------------


def wing_position(coup: Coup, wing: Wing) -> Position:
    """Return where a wing's hand is on its first two cards, which are no natural."""
    return position_of("player", cards_on(coup, wing)[:2], sees="total")


def banker_choices(shoe: Shoe, coup: Coup) -> tuple[Choice, ...]:
    """Return what the banker may do: bound where the pack's rows of both wings say the same.

    A wing with a natural is paid already, and has no say.
    """
    rules = drawing_of(shoe)
    if rules is None:
        return _BOTH
    own, allowed = coup.banker[:2], set()
    for wing in in_play(coup):
        cards = cards_on(coup, wing)
        third = cards[2] if len(cards) > 2 else None  # noqa: PLR2004 - a third card
        allowed.add(rules.choices(position_of("banker", own, third, "total")))
    return allowed.pop() if len(allowed) == 1 else _BOTH
