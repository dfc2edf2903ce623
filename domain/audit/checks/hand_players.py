"""Rules on who plays a hand at chemin de fer and baccarat banque.

The patron who plays a hand decides whether it draws. Player decides before the banker.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bank.banco import stake_beside_banco
from sabot.domain.audit.checks.bank.bank_moves import wrong_banker
from sabot.domain.audit.checks.bank.funds import banker_stake_against_own_bank
from sabot.domain.audit.checks.bank.tableaux_bets import carried_stake_not_held, held_stake_taken_up
from sabot.domain.audit.checks.bank.tableaux_hands import BANQUE, is_banque
from sabot.domain.audit.checks.carried_bets import carried_bet_without_tie, held_bet_taken_up
from sabot.domain.audit.checks.choices import (
    CHEMIN_DE_FER,
    no_natural,
    unrequested_third_card,
)
from sabot.domain.audit.checks.dealing import cards_out_of_order
from sabot.domain.audit.completeness import (
    NO_BANK,
    claims_incomplete,
    is_stranger,
    seats_unknown,
)
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.holder_moves import put_up_for
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.audit.settled_stakes import with_covered_stakes, with_stakes_when_given
from sabot.domain.events import (
    BetCarried,
    BetPaid,
    BetPlaced,
    BetPushed,
    BetTaken,
    CardDrawn,
    Hand,
)
from sabot.domain.events.bank import BancoCalled, BankPosted, ChoiceMade, HandGiven
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.patron_bank import (
    bank_events_of,
    claims_of,
    open_bets,
    player_of,
    plays_player,
)
from sabot.domain.procedure.preconditions import choice_requirements
from sabot.domain.procedure.two_tableaux.banco_claims import holder_due, rightful_holder
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.sources import (
    DJ_MCADAM_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
)
from sabot.domain.rules.tableau_hands import TABLEAUX, Tableau
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import answered, before
from sabot.domain.values.cards import FIRST_TWO, format_cards, total

HAND_PLAYERS = RuleGroup(
    family="procedure", concerns="game", games=("chemin-de-fer", "baccarat-banque")
)


@each("choice", "the record does not say who chose", "record-incomplete")
def _named_choices(view: CoupView) -> Sequence[tuple[RecordedEvent[ChoiceMade], str]]:
    """Return each choice for which the record names the person, with that person.

    A choice for which the record names nobody is not checked. If no choice of the coup names a
    person, the record is incomplete.
    """
    return [
        (event, event.payload.by)
        for event in bank_events_of(view.coup).choices
        if event.payload.by is not None
    ]


@HAND_PLAYERS.rule(
    "T109",
    "decision-by-wrong-player",
    sources=(
        DJ_MCADAM_BACCARAT_CHEMIN_DE_FER,
        WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
        WIKIPEDIA_BACCARAT_BANQUE,
    ),
    needs=(needs.choices_recorded, needs.choice_made),
    each=_named_choices,
    breach_events=(ChoiceMade, HandGiven, BankPosted),
    follows_from=("wrong-player-for-hand", code_of(wrong_banker)),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 3 2  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p3"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        due
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 3 2  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        due
    """,
)
def decision_by_wrong_player(
    view: CoupView, made: tuple[RecordedEvent[ChoiceMade], str]
) -> Iterator[Breach]:
    """Each hand is decided by its player: the banker, or the patron to whom it was given.

    Every choice of the coup is checked. If a hand was given several times, its player is the last
    patron to whom it was given before the choice. If a hand was given only after the choice, the
    first patron to whom it was given is its player, since the giving may be recorded late. T110
    checks whether that patron was entitled to the hand. If the record does not name the player of a
    hand, anybody may decide it.
    """
    event, by = made
    choice = event.payload
    player = _player_then(view, choice.hand, event)
    if not choice_requirements.decides_own_hand(player, by):
        banker = put_up_for(view.shoe, view.coup) if choice.hand == "banker" else ()
        yield Breach(
            f"{by} chose to {choice.choice} for {hand_label(choice.hand)}"
            f"{_on_cards(view, choice.hand, event)}, which {player} plays",
            f"{player} plays the hand",
            f"{by} chose to {choice.choice}",
            (event, *_given_before(view, choice.hand, event)[-1:], *banker),
            patron=by,
        )


def _on_cards(view: CoupView, hand: Hand, choice: RecordedEvent[ChoiceMade]) -> str:
    """Return the cards and the total of a hand before a choice."""
    cards = [
        card.payload.card
        for card in view.coup.cards
        if card.payload.hand == hand and card.position < choice.position
    ]
    return f" on {total(cards)} ({format_cards(cards)})" if cards else ""


def _player_then(view: CoupView, hand: Hand, choice: RecordedEvent[ChoiceMade]) -> str | None:
    """Return the player of a hand at the time of a choice. None if not recorded."""
    given = _given_before(view, hand, choice)
    return given[-1].payload.to if given else player_of(view.coup, hand)


def _given_before(
    view: CoupView, hand: Hand, choice: RecordedEvent[ChoiceMade]
) -> list[RecordedEvent[HandGiven]]:
    """Return the events that gave a hand to a patron: the first, and others before a choice."""
    given = [event for event in bank_events_of(view.coup).given if event.payload.hand == hand]
    if hand == "banker":
        return []
    return [*given[:1], *(event for event in given[1:] if before(view, event, choice))]


@each("hand", "the hand was given to nobody")
def _hands_given(view: CoupView) -> Sequence[RecordedEvent[HandGiven]]:
    """Return the events that last gave each hand against the banker's to a patron.

    If a hand was given more than once, only the last patron is checked.
    """
    hands: tuple[Hand, ...] = TABLEAUX if is_banque(view) else ("player",)
    given = {event.payload.hand: event for event in bank_events_of(view.coup).given}
    return [given[hand] for hand in hands if hand in given]


@need("play", "the hand was given to nobody", "nothing-to-check")
def hand_given(view: CoupView) -> bool:
    """A hand was given to a patron."""
    return bool(_hands_given.of(view))


@need("play", "nobody staked against the bank", "nothing-to-check")
def staked_against(view: CoupView) -> bool:
    """A patron staked against the bank."""
    return bool(open_bets(view.coup))


@HAND_PLAYERS.rule(
    "T110",
    "wrong-player-for-hand",
    sources=(
        DJ_MCADAM_BACCARAT_CHEMIN_DE_FER,
        WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
        WIKIPEDIA_BACCARAT_BANQUE,
    ),
    needs=(
        *needs.only_at(CHEMIN_DE_FER, hand_given, staked_against),
        *needs.only_at(BANQUE, needs.bank_recorded, needs.seats_known),
    ),
    each=_hands_given,
    breach_events=(HandGiven, BetPlaced, BetCarried, BetPaid, BetPushed, BetTaken, BancoCalled),
    follows_from=tuple(
        map(
            code_of,
            (
                banker_stake_against_own_bank,
                stake_beside_banco,
                held_bet_taken_up,
                held_stake_taken_up,
                carried_bet_without_tie,
                carried_stake_not_held,
            ),
        )
    ),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 4000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
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
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 4000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p3"}
        deal P 4 2  B K 9
        due
    """,
)
def wrong_player_for_hand(view: CoupView, event: RecordedEvent[HandGiven]) -> Iterator[Breach]:
    """The hand is played by the patron who went bank, or else by the one with the highest stake.

    The rule uses the claims and stakes at the time when the hand was given, or at the close of bets
    if that came later. A part of a stake that was returned as excess is never included.

    At chemin de fer banco suivi comes before other claims, then the order of play decides. If the
    patron with the claim has no stake, the highest stake decides. Among equal claims or stakes the
    patron first in the order of play plays the hand. If the record does not give the order of play,
    none of these patrons is reported. The rule also accepts the patron who would play the hand if
    exactly the excess over the bank had been returned.

    At baccarat banque the highest stake does not matter. If nobody went bank on the tableau, the
    first patron seated there plays its hand until it loses. Then the hand goes to the next patron
    of the tableau, and after the last to the first. A coup played by a patron who went bank does
    not change this turn. A hand that was given wrongly may be given back. If nobody is seated on
    the tableau, the first patron who staked there plays the hand. If nobody staked there, anybody
    may play it. A stake as large as the bank may be a claim that the record lacks. After such a
    stake, the hand is reported only if it went to somebody without a seat, stake or claim.
    """
    hand, to = event.payload.hand, event.payload.to
    coup = with_stakes_when_given(view.shoe, view.coup, event)
    if is_banque(view):
        yield from _tableau_given(view.shoe, coup, "right" if hand == "right" else "left", event)
        return
    due = plays_player(view.shoe, coup)
    if choice_requirements.is_given_to(due, to) or due is None:
        return
    if to == plays_player(view.shoe, with_covered_stakes(coup)):
        return  # the return of another amount than the excess is the breach
    if not bank_events_of(coup).order and to in _as_good(coup, due):
        answered(seats_unknown(view.shoe) or NO_BANK)
    yield Breach(
        f"the hand was given to {to}, though {due} plays it",
        f"{due} plays the hand: the patron who goes bank, or else the highest stake, first in "
        "order of play",
        to,
        (event, *(bet.placed for bet in coup.bets.values()), *bank_events_of(coup).claims),
        patron=to,
    )


def _tableau_given(
    shoe: Shoe, coup: Coup, tableau: Tableau, event: RecordedEvent[HandGiven]
) -> Iterator[Breach]:
    """Yield a breach if a tableau's hand went to a patron not entitled to it.

    If the record may lack a claim to go bank, only a patron without a seat or a stake is certainly
    wrong.
    """
    to = event.payload.to
    due, unknown = holder_due(shoe, coup, tableau), claims_incomplete(shoe, coup)
    wrong = not choice_requirements.is_given_to(due, to)
    wrong = wrong and to != rightful_holder(shoe, coup, tableau)
    answered(None if wrong and is_stranger(shoe, coup, to, event) else unknown)
    if wrong:
        required = (
            "the patron who goes bank, or holds the hand until it loses, or is next on that tableau"
        )
        yield Breach(
            f"the hand of {hand_label(tableau)} was given to {to}"
            + ("" if unknown else f", though it is {due}'s"),
            required if unknown else f"{due}: {required}",
            to,
            (event, *_stakes_left_by(shoe, coup, due), *bank_events_of(coup).claims),
            patron=to,
            key=("wing", tableau),
        )


def _stakes_left_by(shoe: Shoe, coup: Coup, patron: str | None) -> list[RecordedEvent]:
    """Return the last settlements of the coup before, for a patron who has no stake in this one."""
    before = shoe.coups.get(coup.number - 1)
    if before is None or any(bet.patron == patron for bet in coup.bets.values()):
        return []
    bets = (bet for bet in before.bets.values() if bet.patron == patron)
    return [move for bet in bets for move in bet.moves[-1:]]


def _as_good(coup: Coup, due: str) -> set[str]:
    """Return the patrons whose stake or claim gives an equal right to the Player hand.

    Their seats are not considered.
    """
    claimed = {claim.patron for claim in claims_of(coup)}
    if due in claimed:
        return claimed
    lying = open_bets(coup)
    most = max(bet.amount for bet in lying)
    return {bet.patron for bet in lying if bet.amount == most}


@need("play", "one hand alone has decided", "nothing-to-check")
def _both_chose(view: CoupView) -> bool:
    """A choice was made for each hand."""
    return len({choice.payload.hand for choice in bank_events_of(view.coup).choices}) > 1


@HAND_PLAYERS.rule(
    "T112",
    "banker-chose-first",
    sources=(WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,),
    games=("chemin-de-fer",),
    needs=(needs.not_voided, _both_chose, no_natural),
    breach_events=(ChoiceMade, CardDrawn),
    follows_from=(code_of(cards_out_of_order), code_of(unrequested_third_card)),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 3 2  B K 4
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
        due
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 3 2  B K 4
        choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        due
    """,
)
def banker_chose_first(view: CoupView) -> Iterator[Breach]:
    """Player decides about a third card before the banker does.

    The first choice of each hand is compared. If the record lacks the choice of a hand, T108 judges
    its third card, and D101 the order of the cards.
    """
    first: dict[Hand, RecordedEvent[ChoiceMade]] = {}
    for choice in bank_events_of(view.coup).choices:
        first.setdefault(choice.payload.hand, choice)
    banker, player = first["banker"], first["player"]
    if before(view, banker, player):
        yield Breach(
            f"the banker chose to {banker.payload.choice} before Player had decided",
            "Player decides first, then the banker",
            f"Player chose to {player.payload.choice} afterwards",
            (banker, player, *view.coup.cards[2 * FIRST_TWO :]),
            patron=player_of(view.coup, "banker"),
        )


RULES = (*HAND_PLAYERS.rules,)
"""Every rule of this module."""
