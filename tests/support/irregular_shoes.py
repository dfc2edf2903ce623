"""Legal but irregular situations, dealt in every order of a small shoe, with the mean of a factor.

    python -m tests.support.irregular_shoes [--full]

A situation deals cards and records events. A patron in it may bet by anything that was visible at
the table, even if the record does not show it. The third-card rule is
`tests.support.third_card_rule`, and `tests.support.every_order` deals every order. The program only
reads the events.
"""

import sys
from collections.abc import Callable

from sabot.domain import events as ev
from sabot.domain.values.scalars import Irregularity
from tests.support.every_order import HANDS, HIGH, VALUE_OF, Deal, means
from tests.support.third_card_rule import banco_draws, player_draws, points

Bets = Callable[[str], str]
"""The side bet on after a card was seen; empty for no bet."""

HABITS: dict[str, Bets] = {
    "with the card": lambda card: "player" if VALUE_OF[card] else "banker",
    "against the card": lambda card: "banker" if VALUE_OF[card] else "player",
    "only on a high card": lambda card: "player" if VALUE_OF[card] else "",
    "only on a low card": lambda card: "" if VALUE_OF[card] else "banker",
    "always Player": lambda _card: "player",
}
"""What a patron makes of a card that was seen."""


def bet(deal: Deal, coup: int, side: str, number: int = 1, patron: str = "p") -> None:
    """Record a bet, if there is one."""
    if side:
        deal.tell(ev.BetPlaced(coup, number, patron, side, 100))


def draw(deal: Deal, coup: int, cards: list[str], hand: str, card: str | None = None) -> None:
    """Draw the next card, or use one that left the shoe before, and record it."""
    card = deal.draw() if card is None else card
    cards.append(card)
    deal.tell(ev.CardDrawn(coup, hand, card))


def hands_of(cards: list[str]) -> tuple[int, int]:
    """Return both totals of the first four cards."""
    return points(cards[0:4:2]), points(cards[1:4:2])


def play(deal: Deal, coup: int, cards: list[str]) -> None:
    """Deal a coup from its cards to the end. Close it."""
    while len(cards) < 4:
        draw(deal, coup, cards, HANDS[len(cards)])
    player, banker = hands_of(cards)
    third = None
    if player_draws(player, banker):
        draw(deal, coup, cards, "player")
        third = points(cards[4:5])
    if banco_draws(player, banker, third):
        draw(deal, coup, cards, "banker")
    deal.tell(ev.CoupClosed(coup))


def begin(deal: Deal) -> None:
    """Load the shoe at the table, with the patron in a seat."""
    deal.open()
    deal.tell(ev.PatronSeated(1, "p"))


# -- The situations ------------------------------------------------------------------------------


def burn_unnamed(deal: Deal, bets: Bets) -> None:
    """The opening burn is shown, but recorded without its face."""
    begin(deal)
    burned = deal.draw()
    deal.tell(ev.CardBurned(None, 1, "opening"))
    deal.tell(ev.CoupOpened(1))
    bet(deal, 1, bets(burned))
    deal.tell(ev.NoMoreBets(1))
    play(deal, 1, [])


def relief_unnamed(deal: Deal, bets: Bets) -> None:
    """A new dealer burns a card face up, and it is recorded without its face."""
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.CoupVoided(1))
    deal.tell(ev.CrewChanged("dealer", "dana"))
    burned = deal.draw()
    deal.tell(ev.CardBurned(None, None, "relief"))
    deal.tell(ev.CoupOpened(2))
    bet(deal, 2, bets(burned))
    deal.tell(ev.NoMoreBets(2))
    play(deal, 2, [])


def late_bet(deal: Deal, bets: Bets) -> None:
    """A bet after the first card is accepted, and recorded before that card."""
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    card = deal.draw()
    bet(deal, 1, bets(card))
    deal.tell(ev.IrregularityNoted("late-bet", "stand", 1))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    draw(deal, 1, cards, "player", card)
    play(deal, 1, cards)


def late_bet_noted_after(deal: Deal, bets: Bets) -> None:
    """The same, with a note at the end of a coup that had such a bet."""
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    card = deal.draw()
    side = bets(card)
    bet(deal, 1, side)
    cards: list[str] = []
    draw(deal, 1, cards, "player", card)
    if side:
        deal.tell(ev.IrregularityNoted("late-bet", "stand", 1))
    play(deal, 1, cards)


def _noted_after_close(deal: Deal, bets: Bets, coup: int | None) -> None:
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    card = deal.draw()
    bet(deal, 1, bets(card))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    draw(deal, 1, cards, "player", card)
    play(deal, 1, cards)
    deal.tell(ev.IrregularityNoted("late-bet", "stand", coup))


def late_bet_noted_after_close(deal: Deal, bets: Bets) -> None:
    """The same, with the note after the coup was closed."""
    _noted_after_close(deal, bets, 1)


def late_bet_noted_after_close_unnamed(deal: Deal, bets: Bets) -> None:
    """The same, in a note that names no coup."""
    _noted_after_close(deal, bets, None)


def _late_switch(deal: Deal, bets: Bets, *, closed: bool) -> None:
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    bet(deal, 1, "banker")
    card = deal.draw()
    moved = bets(card) == "player"
    if moved:
        deal.tell(ev.BetWithdrawn(1, 1))
        bet(deal, 1, "player", 2)
    if moved and not closed:
        deal.tell(ev.IrregularityNoted("late-bet", "stand"))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    draw(deal, 1, cards, "player", card)
    play(deal, 1, cards)
    if moved and closed:
        deal.tell(ev.IrregularityNoted("late-bet", "stand"))


def late_switch(deal: Deal, bets: Bets) -> None:
    """After some first cards a Banker bet is moved to Player. Only those moves are noted."""
    _late_switch(deal, bets, closed=False)


def late_switch_noted_after_close(deal: Deal, bets: Bets) -> None:
    """The same, with the note after the coup was closed."""
    _late_switch(deal, bets, closed=True)


def misdeal(deal: Deal, bets: Bets) -> None:
    """The first card is dealt before the bets, and the coup stands."""
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    card = deal.draw()
    deal.tell(ev.IrregularityNoted("misdeal", "stand", 1))
    bet(deal, 1, bets(card))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    draw(deal, 1, cards, "player", card)
    play(deal, 1, cards)


def _excess(
    deal: Deal,
    bets: Bets,
    *,
    drawn: bool,
    named: bool,
    before: bool,
    kind: Irregularity = "wrong-draw",
) -> None:
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.NoMoreBets(1))
    note = ev.IrregularityNoted(kind, "stand", 1 if named else None)
    if before:
        deal.tell(note)
    cards: list[str] = []
    for hand in HANDS:
        draw(deal, 1, cards, hand)
    card = deal.draw()
    if drawn:
        deal.tell(ev.CardDrawn(1, "banker", card))
    if not before:
        deal.tell(note)
    deal.tell(ev.CoupClosed(1))
    deal.tell(ev.CoupOpened(2))
    bet(deal, 2, bets(card))
    deal.tell(ev.NoMoreBets(2))
    cards = []
    draw(deal, 2, cards, "player", card)
    for hand in HANDS[1:]:
        draw(deal, 2, cards, hand)
    deal.tell(ev.CoupClosed(2))


def excess_card(deal: Deal, bets: Bets) -> None:
    """A card too many becomes the first of the next coup; the wrong draw is noted."""
    _excess(deal, bets, drawn=False, named=True, before=False)


def excess_card_noted_first(deal: Deal, bets: Bets) -> None:
    """The same, with the note before the cards."""
    _excess(deal, bets, drawn=False, named=True, before=True)


def excess_card_unnamed_coup(deal: Deal, bets: Bets) -> None:
    """The same, in a note that names no coup."""
    _excess(deal, bets, drawn=False, named=False, before=False)


def excess_card_in_both(deal: Deal, bets: Bets) -> None:
    """The same, with the card recorded in both coups."""
    _excess(deal, bets, drawn=True, named=True, before=False)


def wrong_call_excess_card(deal: Deal, bets: Bets) -> None:
    """A card too many is drawn on a wrong call, which is noted as such."""
    _excess(deal, bets, drawn=False, named=True, before=False, kind="wrong-call")


def _in_both(deal: Deal, bets: Bets, *, between: bool) -> None:
    begin(deal)
    note = ev.IrregularityNoted("wrong-draw", "stand", 1)
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.NoMoreBets(1))
    seen: list[str] = []
    for hand in HANDS:
        draw(deal, 1, seen, hand)
    card = deal.draw()
    deal.tell(ev.CardDrawn(1, "banker", card))
    deal.tell(ev.CoupClosed(1))
    if between:
        deal.tell(note)
    deal.tell(ev.CoupOpened(2))
    deal.tell(ev.NoMoreBets(2))
    draw(deal, 2, seen, "player", card)
    for hand in HANDS[1:]:
        draw(deal, 2, seen, hand)
    if not between:
        deal.tell(note)
    deal.tell(ev.CoupClosed(2))
    high = sum(VALUE_OF[one] > 0 for one in seen)
    deal.tell(ev.CoupOpened(3))
    bet(deal, 3, bets("K" if 2 * high >= len(seen) else "9"))
    deal.tell(ev.NoMoreBets(3))
    draw(deal, 3, [], "player")
    deal.tell(ev.CoupVoided(3))


def excess_card_in_both_noted_between(deal: Deal, bets: Bets) -> None:
    """An excess card is recorded in two coups, and noted between them. A count bets on coup 3."""
    _in_both(deal, bets, between=True)


def excess_card_in_both_noted_in_next(deal: Deal, bets: Bets) -> None:
    """The same, with the note after the cards of the second coup."""
    _in_both(deal, bets, between=False)


def _unrecorded(deal: Deal, bets: Bets, told: int) -> None:
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.NoMoreBets(1))
    cards = [deal.draw() for _ in HANDS]
    for hand, card in list(zip(HANDS, cards, strict=True))[:told]:
        deal.tell(ev.CardDrawn(1, hand, card))
    deal.tell(ev.ResultCalled(1, "player"))
    deal.tell(ev.CoupClosed(1))
    high = sum(VALUE_OF[card] > 0 for card in cards[told:])
    deal.tell(ev.CoupOpened(2))
    bet(deal, 2, bets("K" if 2 * high > 4 - told else "9"))
    deal.tell(ev.NoMoreBets(2))
    for hand in HANDS:
        draw(deal, 2, [], hand)
    deal.tell(ev.CoupClosed(2))


def outcome_only_coup(deal: Deal, bets: Bets) -> None:
    """The first coup is recorded by its outcome alone. The patron counts its cards."""
    _unrecorded(deal, bets, 0)


def coup_short_of_cards(deal: Deal, bets: Bets) -> None:
    """The first coup lacks its last two cards on record. The patron counts them."""
    _unrecorded(deal, bets, 2)


def _twice(deal: Deal, bets: Bets, faces: int, *, kept: int) -> None:
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    for hand in HANDS[:faces]:
        draw(deal, 1, cards, hand)
    deal.tell(ev.CoupVoided(1))
    deal.tell(ev.CoupOpened(2))
    bet(deal, 2, bets(cards[faces - kept]))
    deal.tell(ev.NoMoreBets(2))
    again: list[str] = []
    for place, card in enumerate(cards[faces - kept :]):
        draw(deal, 2, again, HANDS[place], card)
    play(deal, 2, again)


def recorded_twice(deal: Deal, bets: Bets) -> None:
    """The first card of a voided coup is kept, and recorded as the first of the next."""
    _twice(deal, bets, 1, kept=1)


def two_recorded_twice(deal: Deal, bets: Bets) -> None:
    """Two cards of a voided coup are kept, and recorded in the next."""
    _twice(deal, bets, 2, kept=2)


def second_recorded_twice(deal: Deal, bets: Bets) -> None:
    """The second card of a voided coup is kept, and recorded as the first of the next."""
    _twice(deal, bets, 2, kept=1)


Situation = Callable[[Deal, Bets], None]
SITUATIONS: dict[str, Situation] = {
    situation.__name__.replace("_", " "): situation
    for situation in (
        burn_unnamed,
        relief_unnamed,
        late_bet,
        late_bet_noted_after,
        late_bet_noted_after_close,
        late_bet_noted_after_close_unnamed,
        late_switch,
        late_switch_noted_after_close,
        misdeal,
        excess_card,
        excess_card_noted_first,
        excess_card_unnamed_coup,
        excess_card_in_both,
        excess_card_in_both_noted_between,
        excess_card_in_both_noted_in_next,
        wrong_call_excess_card,
        outcome_only_coup,
        coup_short_of_cards,
        recorded_twice,
        two_recorded_twice,
        second_recorded_twice,
    )
}
SHOES = (HIGH, "KKKK999999", "KKKKKK9999")
SMALL = "KKKK9999"
FOR_A_THIRD_COUP = "KK99"
"""Added to the shoe of a situation of three coups."""
ACCOUNTS = ("", "side bold size", "outcome streak lead", "second third fourth")
"""All components of a bettor, or some alone."""


def mean_of(name: str, habit: str, accounts: str = "", shoe: str = HIGH) -> object:
    """Return the largest mean of the product of factors, over all subjects, as a fraction."""
    if "in both noted" in name:
        shoe += FOR_A_THIRD_COUP
    found = means(lambda deal: SITUATIONS[name](deal, HABITS[habit]), shoe, accounts=accounts)
    return max(found.values(), default=1)


def main(*, full: bool) -> None:
    """Print the largest mean of each situation, over habits, components and shoes."""
    for name in SITUATIONS:
        largest = max(
            (mean_of(name, habit, accounts, shoe), habit, accounts or "all", shoe)
            for habit in HABITS
            for accounts in (ACCOUNTS if full else ACCOUNTS[:2])
            for shoe in (SHOES if full else SHOES[:1])
        )
        mean, *where = largest
        sys.stdout.write(f"| {name} | {float(mean):.4f} | {', '.join(where)} |\n")  # type: ignore[arg-type]
        sys.stdout.flush()


if __name__ == "__main__":
    main(full="--full" in sys.argv)
