"""What a breach cost whom: payments as they were made against payments as they were due.

For a wrong draw or call the payments due are those of the coup that should have been: each hand
with its first two cards, and then the cards as they left the shoe, dealt by the tableau. They
are known as long as the record knows the card that would have come.
"""

from collections import Counter
from collections.abc import Collection, Iterator

from domain.audit.rule import CoupView, Gains
from domain.banking import disobeyed
from domain.cards import VALUE, Card
from domain.coup import Bet
from domain.facts import CardBurned, CardDrawn
from domain.money import share
from domain.result import Result, result_of
from domain.settlement import Due
from domain.tableau import banco_draws, punto_draws


def too_much(bet: Bet, due: Due) -> int:
    """Return what a patron has too much of a bet (negative: too little), in minor units."""
    if bet.after_commission:
        return bet.paid - bet.taken - due.net
    return bet.net - due.net


def charged_in_all(view: CoupView, patron: str) -> bool:
    """Tell whether the commission charged to a patron for a coup is, in all, what his bets owe.

    It may be collected once for several bets: on each one's winnings, or on all of them together.
    While the coup is open the rest may still be charged.
    """
    charged = view.coup.collected.get(patron, 0)
    dues: list[Due] = []
    for bet in view.coup.bets.values():
        if bet.patron != patron or bet.withdrawn:
            continue
        due = view.due(bet, bet.amount)
        if due is None or bet.after_commission:
            return False
        charged += bet.commission
        if due.commission and (bet.commission or bet.paid - bet.taken != due.net):
            dues.append(due)
    owed = sum(due.commission for due in dues)
    if charged == owed or (view.open and charged < owed) or view.cashier is None:
        return charged <= owed
    rule = view.cashier.pack.commission
    won = sum(due.paid for due in dues)
    return charged == share(won, *rule.ratio, rule.rounding, rule.unit)


def gains_of_bet(view: CoupView, bet: Bet, due: Due) -> int:
    """Return what a patron has too much of a bet; commission may lie on another of his bets."""
    gross_right = bet.paid - bet.taken == due.paid
    if gross_right and bet.commission != due.commission and charged_in_all(view, bet.patron):
        return 0
    return too_much(bet, due)


def gains_of_cards(view: CoupView, stakes: dict[int, int], left: Collection[int]) -> Gains:
    """Return what each patron has too much by the cards that were dealt against the tableau.

    What was paid for the cards as they were dealt is judged by itself.

    Args:
        view: the coup.
        stakes: what should have lain on a bet, where that is not what lay there.
        left: the versions of the facts that placed bets which are told to have never been settled.

    Returns:
        patrons with amounts in minor units, or the reason why it cannot be said.
    """
    bets = [bet for bet in view.coup.bets.values() if not bet.withdrawn or bet.number in stakes]
    reason = _unknown(
        view, [bet for bet in bets if not bet.withdrawn and bet.placed.version not in left]
    )
    if reason or view.cashier is None:
        return reason or "the rule pack cannot be read"
    if view.shoe.pack is not None and view.shoe.pack.tableaux is not None:
        return "others choose by what they see: nobody knows what would have come"
    result = kept(view) if bets else view.result
    if isinstance(result, str):
        return result
    return _between(view, result, [(bet, stakes.get(bet.number, bet.amount)) for bet in bets])


def _between(view: CoupView, result: Result, bets: list[tuple[Bet, int]]) -> Gains:
    """Return what stakes won by the cards that were dealt beyond what they win by a result."""
    gains: dict[str, int] = {}
    for bet, stake in bets:
        if not stake or view.cashier is None or result == view.result:
            continue
        dealt = view.cashier.due(bet.wager, view.result, stake)
        due = view.cashier.due(bet.wager, result, stake)
        if dealt is None or due is None:
            return f"the record's cards, or the pack, do not settle {bet.wager}"
        gains[bet.patron] = gains.get(bet.patron, 0) + dealt.net - due.net
    return tuple(sorted((patron, gain) for patron, gain in gains.items() if gain))


def _unknown(view: CoupView, bets: list[Bet]) -> str | None:
    """Return why nothing can be said of the payments, before one looks at the cards."""
    if view.coup.voided is not None:
        return "the coup was voided"
    if not bets and view.shoe.scope == "coups":
        return "the record may lack bets"
    if not all(bet.moves for bet in bets):
        return "not every bet of the coup has been settled"
    return None


def kept(view: CoupView) -> Result | str:
    """Return what the coup would have come to by the tableau, or why nobody can know."""
    if not view.dealt:
        return "a hand has fewer than two cards"
    if view.shoe.pack is not None and view.shoe.pack.drawing is not None:
        if disobeyed(view.shoe, view.coup):
            return "the other hand chooses by what it sees: nobody knows what would have come"
        return view.result
    player, banker = view.coup.player[:2], view.coup.banker[:2]
    coming = _coming(view)
    third: Card | None = None
    if punto_draws(view.punto, view.banco):
        third = next(coming, None)
        if third is None:
            return "the card that would have come is not known"
        player.append(third)
    value = VALUE[third] if third is not None else None
    if banco_draws(view.punto, view.banco, value):
        card = next(coming, None)
        if card is None:
            return "the card that would have come is not known"
        banker.append(card)
    return result_of(player, banker)


def _coming(view: CoupView) -> Iterator[Card]:
    """Yield the cards behind the first two of each hand, as they left the shoe; end at a gap."""
    hands: Counter[str] = Counter()
    for event in view.coup.cards:
        fact = event.fact
        if isinstance(fact, CardDrawn):
            hands[fact.hand] += 1
            if hands[fact.hand] > 2:  # noqa: PLR2004 - two cards each come first
                yield fact.card
    if view.shoe.scope == "coups":
        return
    last = max(event.version for event in view.coup.cards)
    for event in view.shoe.left:
        if event.version > last and isinstance(event.fact, CardDrawn | CardBurned):
            if event.fact.card is None:
                return
            yield event.fact.card
