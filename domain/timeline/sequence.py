"""Every constraint on the order of table procedure, declared once as data.

    BETS_CLOSED_FIRST = precedes(
        "bets-closed-before-cards", NO_MORE_BETS, FIRST_CARDS,
        "no more bets is called before the first card",
    )

A constraint uses one of five templates (`sabot.domain.timeline.constraints`). From these
declarations follow

- the checks of the rules of order (`RuleGroup.ordered`); a rule that requires more than its
  constraint names it as ``order`` and checks it itself;
- the place of an event in the course of a shoe (`sabot.domain.timeline.expected_order`);
- the steps of a correctly dealt coup (`sabot.domain.audit.coup_profile`);
- the faults that swap, omit, repeat or delay a step (`tests/faults/order_faults.py`).
"""

from typing import Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events import card_batch as batch_ev
from sabot.domain.rules.rule_pack import BANKED, TWO_HANDS, GameName
from sabot.domain.timeline.constraints import (
    Constraint,
    answered,
    either,
    never_after,
    once,
    precedes,
    step,
    within,
)

CHOSEN: Final[tuple[GameName, ...]] = ("chemin-de-fer", "baccarat-banque")

# -- Steps -----------------------------------------------------------------------------------------

SHUFFLE: Final = step("the shuffle", ev.ShoeShuffled)
CUT_OFFER: Final = step("the offer of the cut", ev.CutOffered)
CUT: Final = step("the cut", ev.ShoeCut)
CUT_CARD: Final = step("placing the cut card", ev.StopCardPlaced)
BURN: Final = step("the burn", ev.CardBurned)

COUP_OPENED: Final = step("the opening of the coup", ev.CoupOpened)
BETS: Final = step("a bet", ev.BetPlaced, ev.BetCarried)
BET_CHANGES: Final = step("the change of a bet", ev.BetChanged, ev.BetWithdrawn)
NO_MORE_BETS: Final = step("the call of no more bets", ev.NoMoreBets)
FIRST_CARDS: Final = step("the deal of the first two cards of a hand", ev.CardDrawn, part="first")
FIRST_TURNED: Final = step("turning the first two cards", ev.CardTurned, part="first")
TOTALS: Final = step("the call of the two-card totals", ev.TotalsCalled)
THIRD_CARDS: Final = step("a third card", ev.CardDrawn, part="third")
THIRD_TURNED: Final = step("turning a third card", ev.CardTurned, part="third")
CARDS: Final = either("a card", FIRST_CARDS, THIRD_CARDS)
BETS_CLOSED: Final = either("the call of no more bets or the first card", NO_MORE_BETS, FIRST_CARDS)
RESULT: Final = step("the call of the result", ev.ResultCalled, bank_ev.HandsCalled)
TAKING: Final = step("taking a losing bet", ev.BetTaken)
PUSHING: Final = step("pushing a bet", ev.BetPushed)
PAYING: Final = step("paying a winning bet", ev.BetPaid)
COMMISSION: Final = step("charging commission", ev.CommissionMarked, ev.CommissionCollected)
SETTLING: Final = either("settling a bet", TAKING, PUSHING, PAYING)
CARDS_CLEARED: Final = step("clearing the cards", ev.CardsCleared)
COUP_CLOSED: Final = step("the close of the coup", ev.CoupClosed)
COUP_OVER: Final = either(
    "the end of the coup", COUP_CLOSED, step("voiding the coup", ev.CoupVoided)
)

FIRST_OUT: Final = either("the first card out of the shoe", BURN, FIRST_CARDS)
CUT_CARD_SEEN: Final = step("the appearance of the cut card", ev.CutCardReached)
LAST_COUP_CALL: Final = step("the call of the last coup", ev.LastCoupCalled)
SHOE_ENDED: Final = step("the end of the shoe", ev.ShoeEnded)

BANK_CALL: Final = step("the announcement of the bank", bank_ev.BankCalled)
BANK_RAISE: Final = step("adding to the bank", bank_ev.BankRaised)
HAND_GIVEN: Final = step("giving the hand to its player", bank_ev.HandGiven)
CHOICE: Final = step("the choice of a hand", bank_ev.ChoiceMade)
LEVY_ANNOUNCED: Final = step("announcing the levy", bank_ev.LevyAnnounced)
TICKETS_DETACHED: Final = step("detaching the tickets", bank_ev.TicketsDetached)
LEVY_TAKEN: Final = step("putting the levy into the box", bank_ev.LevyTaken)
TICKETS_TORN: Final = step("tearing the tickets", bank_ev.TicketsTorn)

DELIVERY: Final = step("the delivery of the cards", batch_ev.CardsReceived)
INSPECTION: Final = step("the inspection of the cards", ev.CardsInspected)
SEAL: Final = step("sealing the cards", batch_ev.CardsSealed)
SEAL_OPENED: Final = step("opening the seal", batch_ev.SealOpened)
ISSUE: Final = step("the issue of the cards to a table", batch_ev.CardsIssued)
LOADING: Final = step("loading the shoe", ev.ShoeLoaded)
RETURN: Final = step("the return of the cards", batch_ev.CardsReturned)
BAD_CARDS: Final = step("finding bad cards", batch_ev.CardsFoundBad)
REPORT: Final = step("the report of a defect", batch_ev.DefectReported)
COUNT: Final = step("a count of the cards", batch_ev.CardsCounted)
PUT_BACK: Final = step("putting the cards back in order", batch_ev.CardsSorted)
DESTRUCTION: Final = step("destroying the cards", batch_ev.CardsDestroyed)
ADOPTION: Final = step("adopting the rules", ev.RulePackAdopted)
TABLE_OPENED: Final = step("opening the table", ev.TableOpened)

# -- Before the first coup -------------------------------------------------------------------------

SHUFFLED_FIRST: Final = precedes(
    "shuffle-before-cards", SHUFFLE, FIRST_OUT, "a shuffle before the first card"
)
CUT_FIRST: Final = precedes(
    "cut-before-cards",
    CUT,
    FIRST_OUT,
    "a cut between the shuffle and the first card",
    undone_by=SHUFFLE,
)
CUT_OFFERED: Final = precedes(
    "offer-before-cut",
    CUT_OFFER,
    CUT,
    "the cut is offered to the patrons before the first cut",
    key="cut.offered",
)
CUT_ONCE: Final = once(
    "one-cut", CUT, "one cut after the shuffle, before the first coup", undone_by=SHUFFLE
)
CUT_CARD_FIRST: Final = precedes(
    "cut-card-before-cards",
    CUT_CARD,
    FIRST_OUT,
    "a cut card between the shuffle and the first card",
    undone_by=SHUFFLE,
    key="end.stop_card_least",
    firm=True,
)
CUT_CARD_ONCE: Final = once(
    "one-cut-card",
    CUT_CARD,
    "one cut card, behind the cut, before the first coup",
    undone_by=either("a shuffle or a cut", SHUFFLE, CUT),
)
CUT_CARD_AFTER_CUT: Final = precedes(
    "cut-before-cut-card", CUT, CUT_CARD, "one cut card, behind the cut, before the first coup"
)
BURN_FIRST: Final = precedes(
    "burn-before-cards", BURN, FIRST_CARDS, "the burn comes before the first coup", firm=True
)

# -- A coup ----------------------------------------------------------------------------------------

OPENED_FIRST: Final = precedes(
    "opening-before-bets",
    COUP_OPENED,
    either("a bet or the change of a bet", BETS, BET_CHANGES),
    "every event refers to earlier events",
    firm=True,
)
OPENED_ONCE: Final = once("one-opening", COUP_OPENED, "a coup is opened once")
NO_LATE_BET: Final = never_after(
    "no-bet-after-call",
    BETS,
    BETS_CLOSED,
    "bets stand from the call of no more bets, or from the first card",
    firm=True,
)
NO_LATE_CHANGE: Final = never_after(
    "no-change-after-call",
    BET_CHANGES,
    BETS_CLOSED,
    "bets stand from the call of no more bets, or from the first card",
    firm=True,
)
BETS_CLOSED_ONCE: Final = once("one-call-of-no-more-bets", NO_MORE_BETS, "the bets are closed once")
BETS_CLOSED_FIRST: Final = precedes(
    "bets-closed-before-cards",
    NO_MORE_BETS,
    FIRST_CARDS,
    "no more bets is called before the first card",
    firm=True,
)
DRAWN_BEFORE_TURNED: Final = precedes(
    "card-before-turning", FIRST_CARDS, FIRST_TURNED, "a turned card was drawn before", firm=True
)
THIRD_DRAWN_BEFORE_TURNED: Final = precedes(
    "third-card-before-turning",
    THIRD_CARDS,
    THIRD_TURNED,
    "a turned card was drawn before",
    firm=True,
)
TURNED_BEFORE_TOTALS: Final = never_after(
    "no-turning-after-totals",
    FIRST_TURNED,
    TOTALS,
    "cards that are dealt face down are turned before they are called, and paid",
    games=TWO_HANDS,
    key="cards.faces",
    firm=True,
)
TURNED_BEFORE_RESULT: Final = never_after(
    "no-turning-after-result",
    either("turning a card", FIRST_TURNED, THIRD_TURNED),
    RESULT,
    "cards that are dealt face down are turned before they are called, and paid",
    games=TWO_HANDS,
    key="cards.faces",
    firm=True,
)
TOTALS_ON_CARDS: Final = never_after(
    "no-first-card-after-totals",
    FIRST_CARDS,
    TOTALS,
    "totals and results are called after the cards that they are about",
    games=TWO_HANDS,
    firm=True,
)
TOTALS_BEFORE_THIRD: Final = precedes(
    "totals-before-third-card",
    TOTALS,
    THIRD_CARDS,
    "the totals are called, then a third card is drawn",
    games=("punto-banco",),
    firm=True,
)
RESULT_ON_CARDS: Final = never_after(
    "no-card-after-result",
    CARDS,
    RESULT,
    "totals and results are called after the cards that they are about",
    games=TWO_HANDS,
    firm=True,
)
HANDS_CALLED_ON_CARDS: Final = never_after(
    "no-card-after-hands-called",
    CARDS,
    RESULT,
    "the hands are called after all their cards are dealt",
    games=("baccarat-banque", "macao", "victoria"),
)
RESULT_ONCE: Final = once("one-result", RESULT, "the result of a coup is called once")
RESULT_BEFORE_CLOSE: Final = precedes(
    "result-before-close",
    RESULT,
    COUP_CLOSED,
    "the dealer calls the result of each coup before it is closed",
    firm=True,
)
RESULT_FIRST: Final = precedes(
    "result-before-settlement",
    RESULT,
    SETTLING,
    "the result is called, then the bets are settled",
    firm=True,
)
COMMISSION_AFTER_RESULT: Final = precedes(
    "result-before-commission",
    RESULT,
    COMMISSION,
    "the result is called, then commission is charged",
    firm=True,
)
LOSERS_FIRST: Final = never_after(
    "losers-before-winners", TAKING, PAYING, "losers are taken first, then winners are paid"
)
COMMISSION_ON_WINNERS: Final = never_after(
    "losers-before-commission", TAKING, COMMISSION, "losers are taken first, then winners pay"
)
CARDS_STAY: Final = never_after(
    "no-settlement-after-clearing",
    SETTLING,
    CARDS_CLEARED,
    "the cards stay on the layout until the last bet is settled",
    key="settling.cards_stay",
)
SETTLED_BEFORE_CLOSE: Final = never_after(
    "no-settlement-after-close",
    SETTLING,
    COUP_CLOSED,
    "every bet is taken, paid or pushed before the coup is closed",
    firm=True,
)
NO_CARD_AFTER_END: Final = never_after(
    "no-card-after-close",
    CARDS,
    COUP_OVER,
    "no card is drawn for a coup that is closed or void",
)
CLOSED_ONCE: Final = once("one-close", COUP_CLOSED, "a coup is closed once")
COUP_BROUGHT_TO_END: Final = answered(
    "close-before-next-coup",
    COUP_OPENED,
    COUP_OVER,
    "a coup is closed, or voided, before the next one",
    before=COUP_OPENED,
)

# -- The end of the shoe ---------------------------------------------------------------------------

LAST_COUP_CALLED: Final = precedes(
    "last-coup-called-before-its-cards",
    LAST_COUP_CALL,
    FIRST_CARDS,
    "the dealer announces the last coup before its first card",
    key="end.last_coup",
)
CUT_CARD_BEFORE_END: Final = precedes(
    "cut-card-before-shoe-end",
    CUT_CARD_SEEN,
    SHOE_ENDED,
    "a shoe that ends by its cut card ends after the cut card appears",
    key="end.last_coup",
)
NO_COUP_AFTER_END: Final = never_after(
    "no-coup-after-shoe-end",
    COUP_OPENED,
    SHOE_ENDED,
    "a shoe ends after its last coup, and no other follows",
)

# -- Where a patron banks --------------------------------------------------------------------------

BANK_CALLED: Final = answered(
    "bank-called-in-coup",
    COUP_OPENED,
    BANK_CALL,
    "the croupier calls the amount of the bank",
    before=COUP_CLOSED,
    games=CHOSEN,
)
NO_LATE_RAISE: Final = never_after(
    "no-raise-after-call",
    BANK_RAISE,
    NO_MORE_BETS,
    "a bank is not changed after no more bets, unless the banker accepts all stakes after it",
    games=BANKED,
)
HAND_WAS_GIVEN: Final = answered(
    "hand-given-in-coup",
    COUP_OPENED,
    HAND_GIVEN,
    "each hand is given to its player",
    before=COUP_CLOSED,
    games=CHOSEN,
)
CHOSEN_FIRST: Final = precedes(
    "choice-before-third-card",
    CHOICE,
    THIRD_CARDS,
    "a third card is dealt once it was asked for",
    games=CHOSEN,
)
CHOICE_ANSWERED: Final = answered(
    "card-after-request",
    CHOICE,
    THIRD_CARDS,
    "a permitted request for a card is dealt",
    before=RESULT,
    games=CHOSEN,
)
LEVY_ANNOUNCED_FIRST: Final = precedes(
    "announcement-before-levy",
    LEVY_ANNOUNCED,
    LEVY_TAKEN,
    "a levy that is announced and set apart, then ticketed, then put into the box",
    games=CHOSEN,
    key="levy.steps",
)
LEVY_TICKETED_FIRST: Final = precedes(
    "tickets-before-levy",
    TICKETS_DETACHED,
    LEVY_TAKEN,
    "a levy that is announced and set apart, then ticketed, then put into the box",
    games=CHOSEN,
    key="levy.tickets",
)
TICKETS_TORN_IN_TIME: Final = answered(
    "tickets-torn-before-next-coup",
    TICKETS_DETACHED,
    TICKETS_TORN,
    "tickets are torn before the next coup",
    before=COUP_OPENED,
    games=CHOSEN,
    key="levy.tickets",
)
NATURAL_PAID_FIRST: Final = precedes(
    "natural-paid-before-play",
    PAYING,
    either("the first choice or third card of any hand", CHOICE, THIRD_CARDS),
    "a natural of one tableau alone is paid before the first choice or third card of any hand",
    games=("baccarat-banque",),
)

# -- Cards and tables ------------------------------------------------------------------------------

INSPECTED_FIRST: Final = precedes(
    "inspection-before-cards",
    INSPECTION,
    FIRST_OUT,
    "an inspection of the cards before the first is dealt",
    key="custody.inspected",
)
SEAL_OPENED_FIRST: Final = answered(
    "seal-opened-before-loading",
    SEAL,
    SEAL_OPENED,
    "a seal is whole until it is opened",
    before=LOADING,
)
ISSUED_FIRST: Final = precedes(
    "issue-before-loading",
    ISSUE,
    LOADING,
    "cards are issued to a table before they are dealt there",
    key="custody.issued",
)
TIME_ON_TABLE: Final = within(
    "return-within-hours", ISSUE, RETURN, "at most", key="custody.table_hours"
)
RECONCILED_IN_TIME: Final = within(
    "reconciliation-within-hours", DELIVERY, COUNT, "at most", key="custody.count_hours"
)
STOCK_COUNTED_IN_TIME: Final = within(
    "stock-count-within-days", DELIVERY, COUNT, "at most", key="custody.stock_days"
)
DEFECT_REPORTED: Final = within(
    "report-within-minutes", BAD_CARDS, REPORT, "a report at once", key="custody.report_minutes"
)
PUT_BACK_IN_ORDER: Final = answered(
    "put-back-before-destruction",
    SHOE_ENDED,
    PUT_BACK,
    "after the game the cards are put back in the maker's order",
    before=DESTRUCTION,
    key="custody.put_back",
)
ADOPTED_FIRST: Final = precedes(
    "adoption-before-loading", ADOPTION, LOADING, "a table deals by the rules that it adopted"
)
OPENED_BEFORE_PLAY: Final = precedes(
    "table-opened-before-cards",
    TABLE_OPENED,
    CARDS,
    "a table is open while coups are dealt at it",
)

CONSTRAINTS: Final[dict[str, Constraint]] = {
    each.name: each for each in tuple(globals().values()) if isinstance(each, Constraint)
}
"""Every constraint declared in this module, by name."""


def constraints_of(game: GameName) -> list[Constraint]:
    """Return the constraints that hold in a game."""
    return [each for each in CONSTRAINTS.values() if game in (each.games or (game,))]
