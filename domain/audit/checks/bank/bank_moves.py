"""Rules on changes of a bank.

Only its banker changes it, and only before "no more bets". The last rule finds steps left out of a
coup against a bank.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bank.banco import stake_beside_banco, unjustified_banco
from sabot.domain.audit.checks.bank.tableaux_hands import BANQUE, HANDS, cards_of
from sabot.domain.audit.completeness import seats_unknown, starts_before_record
from sabot.domain.audit.coup_view import next_coup
from sabot.domain.audit.holder_moves import changes_of_banker, wrong_moves
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.events import (
    CardDrawn,
    CoupClosed,
    Hand,
    NoMoreBets,
    ShoePassed,
    ShoeRefused,
    ShoeTaken,
)
from sabot.domain.events.bank import (
    BancoCalled,
    BankPosted,
    BankRaised,
    BankUnlimited,
    BankWithdrawn,
)
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of, is_of
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.macao import rules_of
from sabot.domain.procedure.own_hands import hands_in_turn
from sabot.domain.procedure.patron_bank import SIDES, bank_events_of, given_to, plays_player
from sabot.domain.procedure.preconditions import bank_requirements
from sabot.domain.procedure.two_tableaux.banco_claims import holder_due
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_58,
    ARRETE_2007_ART_62,
    BRITANNICA_BACCARAT_CHEMIN_DE_FER,
    CASINOS_777_CHEMIN_DE_FER,
    ETHIER_LEE_2023_CHEMIN_DE_FER_1,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_BACCARAT_MACAO,
)
from sabot.domain.rules.tableau_hands import TABLEAUX
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import in_sequence
from sabot.domain.timeline.sequence import BANK_CALLED, HAND_WAS_GIVEN, NO_LATE_RAISE
from sabot.domain.values.cards import FIRST_TWO, Card

BANK_MOVES = RuleGroup(
    family="procedure",
    concerns="game",
    games=("chemin-de-fer", "macao", "victoria", "baccarat-banque"),
)

# -- What goes in and comes out ------------------------------------------------------------------


class Move(NamedTuple):
    """An event that added chips to a posted bank or took chips out."""

    bank: Bank
    event: RecordedEvent[BankRaised | BankWithdrawn]


def _moves(shoe: Shoe) -> list[Move]:
    return [
        Move(bank, event)
        for bank in shoe.banks
        for event in events_of((BankRaised, BankWithdrawn), bank.moves)
    ]


@each("move", "no chips were added to a bank or taken out of one")
def _all_moves(shoe: Shoe) -> Sequence[Move]:
    """Return each addition to a bank, and each withdrawal."""
    return _moves(shoe)


@BANK_MOVES.rule(
    "K504",
    "bank-moved-by-wrong-person",
    concerns="money",
    sources=(ETHIER_LEE_2023_CHEMIN_DE_FER_1, WIKIPEDIA_BACCARAT_BANQUE),
    family="payout",
    looks_at="shoe",
    needs=(needs.not_coups_alone, needs.every_coup_recorded, needs.bank_put_up),
    each=_all_moves,
    follows_from=("wrong-banker",),
    breach_events=(BankPosted, BankRaised, BankWithdrawn),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        bank-withdrawn {"by": "p2", "amount": 16000}
        shoe-passed {"by": "p1", "reason": "chosen"}
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 16000}
        shoe-passed {"by": "p1", "reason": "chosen"}
    """,
)
def bank_moved_by_wrong_person(shoe: Shoe, move: Move) -> Iterator[Breach]:
    """Only the banker adds chips to the bank or takes chips out of it.

    The banker is the patron who put up the bank. K505 checks whether that patron was entitled to
    it. An addition or withdrawal belongs to the last bank that was put up, until the shoe is
    passed. R401 reports an addition or withdrawal that belongs to no bank.
    """
    bank, event = move
    payload = event.payload
    if bank_requirements.is_banker(bank, payload.by):
        return
    in_sequence(shoe, changes_of_banker(shoe))
    out = isinstance(payload, BankWithdrawn)
    did = "took {} out of {}'s bank" if out else "added {} to {}'s bank"
    gain = payload.amount if out else -payload.amount
    yield Breach(
        f"{payload.by} {did.format(format_money(shoe, payload.amount), bank.holder)}",
        f"{bank.holder}, the banker: nobody else adds chips to the bank or takes chips out",
        payload.by,
        (event, bank.posted),
        payload.coup if isinstance(payload, BankRaised) else None,
        money=((payload.by, gain), (bank.holder, -gain)),
        patron=payload.by,
    )


@need("play", "no bank was added to", "nothing-to-check")
def bank_raised(shoe: Shoe) -> bool:
    """A banker added chips to the bank."""
    return any(is_of(move.event, BankRaised) for move in _moves(shoe))


@each("raise while a coup was played", None)
def _raises_in_play(shoe: Shoe) -> Sequence[tuple[Move, Coup, RecordedEvent]]:
    """Return each addition to a bank after the bets were closed, with its coup and the call.

    An addition in a coup without a call of "no more bets" is not checked. If the banker accepted
    all stakes after that call, a later addition is not checked either.
    """
    found = []
    for bank, event in _moves(shoe):
        coup = _played_during(shoe, event) if is_of(event, BankRaised) else None
        call = coup.no_more_bets if coup is not None else None
        if coup and call is not None and not _accepted_between(bank, call, event):
            found.append((Move(bank, event), coup, call))
    return found


# -- From one banker to the next -----------------------------------------------------------------


@need("shoe", "the record does not say to whom the bank was offered, or who took it")
def offers_and_takers_recorded(shoe: Shoe) -> bool:
    """The record of the shoe has at least one offer of the bank and one taking of it."""
    return bool(shoe.offers) and first_of(ShoeTaken, shoe.shoe_moves) is not None


@need("order")
def banker_in_sequence(shoe: Shoe) -> bool:
    """The order of events that determine the banker is known."""
    in_sequence(shoe, changes_of_banker(shoe))
    return True


@BANK_MOVES.rule(
    "K505",
    "wrong-banker",
    sources=(
        BRITANNICA_BACCARAT_CHEMIN_DE_FER,
        WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
        WIKIPEDIA_BACCARAT_BANQUE,
        WIKIPEDIA_BACCARAT_MACAO,
    ),
    looks_at="shoe",
    needs=(
        needs.not_coups_alone,
        needs.every_coup_recorded,
        offers_and_takers_recorded,
        banker_in_sequence,
    ),
    breach_events=(ShoeTaken, BankPosted, ShoePassed, ShoeRefused),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p2"}
        bank-posted {"by": "p2", "amount": 10000}
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p1"}
        bank-posted {"by": "p1", "amount": 10000}
    """,
)
def wrong_banker(shoe: Shoe) -> Iterator[Breach]:
    """The patron to whom the bank is offered takes it or refuses it, puts it up and gives it up.

    The last offer stands, even after a taking, until its patron refuses it or the shoe is passed. A
    refusal by another patron meanwhile has no effect. Without an offer nobody may take the bank, or
    refuse it. The bank may be put up by the patron who took it, or by the one to whom it was
    offered. The patron who took it or put it up last gives it up, once. A wrong taker is treated as
    the banker from then on, so that only the wrong step is reported. If a coup was dealt since the
    bank was given up, the record lacks a taking, and giving it up is not judged. K513 checks to
    whom the bank is offered.
    """
    yield from wrong_moves(shoe, changes_of_banker(shoe), "the bank", by_offer=True)


# -- In a coup -----------------------------------------------------------------------------------


@BANK_MOVES.ordered(
    "K506",
    "late-bank-raise",
    NO_LATE_RAISE,
    sources=(ARRETE_2007_ART_58, WIKIPEDIA_BACCARAT_CHEMIN_DE_FER),
    looks_at="shoe",
    needs=(needs.not_coups_alone, needs.bank_put_up, bank_raised),
    each=_raises_in_play,
    breach_events=(BankRaised, NoMoreBets),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 12000}
        no-more-bets {"coup": 1}
        bank-raised {"by": "p1", "amount": 2000, "coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 12000}
        bank-raised {"by": "p1", "amount": 2000, "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
)
def late_bank_raise(shoe: Shoe, raised: tuple[Move, Coup, RecordedEvent]) -> Compared:
    """Nobody adds to the bank between "no more bets" and the end of the coup.

    The coup ends with its close or its voiding, or else when the next one begins. The first card
    alone does not close the bank. Whether the addition names a coup does not matter.
    """
    (bank, event), coup, call = raised
    by, amount = event.payload.by, event.payload.amount
    said = f"{by} added {format_money(shoe, amount)} to {bank.holder}'s bank"
    return Compared(
        [event],
        [call],
        f"{said} after no more bets had been called",
        observed="it was added while the coup was played",
        coup=coup.number,
        patron=by,
    )


def _played_during(shoe: Shoe, event: RecordedEvent) -> Coup | None:
    """Return the coup that was in play at an event, after its bets were closed, or None.

    This uses the order of recording. The caller checks whether the order of the call is certain.
    """
    for coup in shoe.coups.values():
        call, end = coup.no_more_bets, coup.closed or coup.voided or next_coup(shoe, coup)
        if call is None or call.position > event.position:
            continue
        if end is None or event.position < end.position:
            return coup
    return None


def _accepted_between(bank: Bank, call: RecordedEvent, raised: RecordedEvent) -> bool:
    """Return whether the banker accepted all stakes after ``call`` and before ``raised``."""
    accepted = events_of(BankUnlimited, bank.moves)
    return any(call.position < event.position < raised.position for event in accepted)


# -- Steps left out ------------------------------------------------------------------------------

Place = tuple[Hand, int | None, int]
"""The place of a card: its hand, the seat of the hand, and its number in the hand from 1."""


class Step(NamedTuple):
    """A step that belongs to every coup, such as the announcement of the bank.

    ``taken`` returns whether a coup has the step. ``lacks`` returns the required and the missing
    part as text, or None if nothing is missing.
    """

    name: str
    taken: Callable[[Coup], bool]
    lacks: Callable[[Shoe, Coup], tuple[str, str] | None]


def _not_called(shoe: Shoe, coup: Coup) -> tuple[str, str] | None:
    part = bank_events_of(coup)
    if game_of(shoe.pack).name not in ("chemin-de-fer", BANQUE) or part.bank is None or part.called:
        return None
    return (
        f"the bank of {shoe.coup_name(coup.number)} was not called",
        "the croupier calls the amount of the bank",
    )


def _not_given(shoe: Shoe, coup: Coup) -> tuple[str, str] | None:
    hands = [hand for hand, who in _players(shoe, coup) if who and given_to(coup, hand) is None]
    if not hands:
        return None
    named = " and ".join(map(hand_label, hands))
    said = f"the hand of {named} in {shoe.coup_name(coup.number)} was not given to a patron"
    return said, "each hand is given to its player before it is dealt"


def _players(shoe: Shoe, coup: Coup) -> Iterator[tuple[Hand, str | None]]:
    """Yield each hand that was given to a patron, with the patron or None if not on record."""
    game = game_of(shoe.pack).name
    if game == "chemin-de-fer":
        yield "player", plays_player(shoe, coup)
    elif game == BANQUE and bank_events_of(coup).bank is not None and not seats_unknown(shoe, coup):
        yield from ((tableau, holder_due(shoe, coup, tableau)) for tableau in TABLEAUX)


def _not_turned(shoe: Shoe, coup: Coup) -> tuple[str, str] | None:
    if shoe.pack is None or shoe.pack.cards.faces != "down":
        return None
    turned = {(e.payload.hand, e.payload.seat, e.payload.nth) for e in coup.turned}
    lying = [
        (hand, seat, nth)
        for hand, seat, nth in _dealt_down(shoe, coup)
        if turned.isdisjoint({(hand, seat, nth), (hand, None, nth)})
    ]
    if not lying:
        return None
    cards = "a card" if len(lying) == 1 else f"{len(lying)} cards"
    said = f"{cards} of {shoe.coup_name(coup.number)} stayed face down to the end"
    return said, "hands that were dealt face down are turned before they are settled"


def _dealt_down(shoe: Shoe, coup: Coup) -> Iterator[Place]:
    """Yield the places of the cards dealt face down."""
    rules = rules_of(shoe.pack)
    if rules is not None:
        hands = [(hand.hand, hand.seat, hand.cards) for hand in hands_in_turn(shoe, coup)]
        dealt = rules.dealt
    else:
        of_two: tuple[Hand, ...] = HANDS if game_of(shoe.pack).name == BANQUE else SIDES
        hands = [(hand, None, tuple(_cards(coup, hand))) for hand in of_two]
        dealt = FIRST_TWO
    for hand, seat, cards in hands:
        yield from ((hand, seat, nth) for nth in range(1, min(dealt, len(cards)) + 1))


def _cards(coup: Coup, hand: Hand) -> list[Card]:
    return coup.player if hand == "player" else cards_of(coup, hand)


_STEPS: Final = (
    Step("call", lambda coup: bank_events_of(coup).called is not None, _not_called),
    Step("hand", lambda coup: bool(bank_events_of(coup).given), _not_given),
    Step("turn", lambda coup: bool(coup.turned), _not_turned),
)


@need("play", "the record has no announced bank, no hand given and no card turned")
def a_step_recorded(shoe: Shoe) -> bool:
    """The shoe's record has an announced bank, a hand given to its player, or a turned card."""
    return any(step.taken(coup) for step in _STEPS for coup in shoe.coups.values())


@each("coup", None)
def _coups_played(shoe: Shoe) -> Sequence[Coup]:
    """Return the coups that were dealt and closed, and that the record holds from the beginning.

    A void coup, and a coup without a close, a card or its beginning on record, are not checked.
    """
    return [
        coup
        for coup in shoe.coups.values()
        if coup.closed is not None and coup.cards and coup.voided is None
        if not starts_before_record(shoe, coup)
    ]


@BANK_MOVES.rule(
    "K507",
    "omitted-coup-step",
    order=(BANK_CALLED, HAND_WAS_GIVEN),
    concerns="form",
    sources=(CASINOS_777_CHEMIN_DE_FER, ARRETE_2007_ART_62, WIKIPEDIA_BACCARAT_CHEMIN_DE_FER),
    looks_at="shoe",
    needs=(
        needs.not_coups_alone,
        a_step_recorded,
    ),
    each=_coups_played,
    follows_from=(
        *("coup-short-of-cards", "premature-call", "card-after-hands-called", "unmatched-event"),
        *map(code_of, (stake_beside_banco, unjustified_banco)),
    ),
    breach_events=(CoupClosed, CardDrawn, BancoCalled),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 16000}
        bet-placed {"coup": 2, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 2}
        deal P 4 2  B K 9
        due
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 16000}
        bet-placed {"coup": 2, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
)
def omitted_coup_step(shoe: Shoe, coup: Coup) -> Iterator[Breach]:
    """In each coup the bank is announced, each hand given to its player, and all cards are turned.

    A step that the record shows in no coup of the shoe is not required. A step may come at any
    time, even after the close of the coup: its order is not judged. The bank is announced and hands
    are given at chemin de fer and baccarat banque only. No announcement is required if the amount
    of the bank is unknown. A hand need not be given if its player is unknown. Cards are turned only
    if the rule pack has them dealt face down. Only the cards dealt at first have to be turned; a
    third card lies face up.
    """
    assert coup.closed is not None
    for step in _STEPS:
        lacking = step.lacks(shoe, coup)
        if lacking is not None and any(map(step.taken, shoe.coups.values())):
            said, due = lacking
            claims = bank_events_of(coup).claims if step.name == "hand" else []
            yield Breach(
                said,
                due,
                "this step is not on record, though it is for other coups",
                (coup.closed, *coup.cards, *claims),
                coup.number,
                key=("step", step.name),
            )


RULES = (*BANK_MOVES.rules,)
"""Every rule of this module."""
