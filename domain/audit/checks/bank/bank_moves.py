"""Rules of whose hands move a bank: his alone who banks, and it is his to whom it was offered.

The rule of a step that was left out of a coup against a patron's bank.

The croupier calls what lies in the bank, each hand is given to whoever plays it, and what was
dealt face down is turned before it is settled. A record that never tells of a step is not held
to it.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from sabot.domain.audit.checks.bank.funds import BANKED
from sabot.domain.audit.checks.bank.tableaux_hands import BANQUE, HANDS, cards_of
from sabot.domain.audit.completeness import COUPS_ALONE, COUPS_LACK, NO_BANK, coups_lack, seats_lack
from sabot.domain.audit.rule import Answer, Breach, Doubt, Rule, starts_before_record
from sabot.domain.audit.table_order import doubt, doubt_in_row
from sabot.domain.audit.wording import money
from sabot.domain.events import Hand, ShoeOffered, ShoePassed, ShoeRefused, ShoeTaken
from sabot.domain.events.bank import BankPosted, BankRaised, BankUnlimited, BankWithdrawn
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of
from sabot.domain.procedure.macao import rules_of
from sabot.domain.procedure.own_hands import held
from sabot.domain.procedure.patron_bank import SIDES, banked, given_to, plays_player
from sabot.domain.procedure.two_tableaux.banco_claims import holder_due
from sabot.domain.rules.tableau_hands import WINGS
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import Card

_CITES: Final = (
    "field-facts.md 1.2, 3 A17",
    "seeds S0, S1 (Chemin de fer, Baccarat banque, Macao)",
    "arrêté of 14 May 2007, arts 58 to 62",
)


def _unjudged(shoe: Shoe) -> str | None:
    if shoe.scope == "coups":
        return COUPS_ALONE
    return COUPS_LACK if coups_lack(shoe) else None


def _raises_and_takings(shoe: Shoe) -> list[tuple[Bank, RecordedEvent, BankRaised | BankWithdrawn]]:
    """Return what went into the banks after they were put up, and what was taken out of them."""
    return [
        (bank, event, event.payload)
        for bank in shoe.banks
        for event in events_of((BankRaised, BankWithdrawn), bank.moves)
    ]


def _by_another(shoe: Shoe) -> Answer:
    moved = _raises_and_takings(shoe)
    reason = _unjudged(shoe)
    if reason or not moved:
        return reason or ("no bank was added to, or taken out" if shoe.banks else NO_BANK)
    wrong = [each for each in moved if each[2].by != each[0].holder]
    if not wrong:
        return ()
    doubtful = doubt_in_row(shoe, _holding(shoe))
    if doubtful is not None:
        return doubtful
    return tuple(_moved(shoe, *each) for each in wrong)


def _moved(
    shoe: Shoe, bank: Bank, event: RecordedEvent, payload: BankRaised | BankWithdrawn
) -> Breach:
    out = isinstance(payload, BankWithdrawn)
    did = "took {} out of {}'s bank" if out else "added {} to {}'s bank"
    gain = payload.amount if out else -payload.amount
    return Breach(
        f"{payload.by} {did.format(money(shoe, payload.amount), bank.holder)}",
        f"{bank.holder}, who banks: nobody else adds to his bank, or takes anything out of it",
        payload.by,
        (event, bank.posted),
        getattr(payload, "coup", None),
        money=((payload.by, gain), (bank.holder, -gain)),
        patron=payload.by,
    )


# -- From one banker to the next ---------------------------------------------------------------


def _holding(shoe: Shoe) -> list[RecordedEvent]:
    """Return the events that tell who has the bank, in their order."""
    posted = [bank.posted for bank in shoe.banks]
    return sorted((*shoe.shoe_moves, *posted), key=lambda event: event.position)


def _had_by_another(shoe: Shoe) -> Answer:
    reason = _unjudged(shoe)
    if reason:
        return reason
    if not shoe.offers or first_of(ShoeTaken, shoe.shoe_moves) is None:
        return "the record does not say to whom the bank was offered, or who took it"
    rows = _holding(shoe)
    return doubt_in_row(shoe, rows) or tuple(_changes(rows))


def _changes(rows: list[RecordedEvent]) -> Iterator[Breach]:
    """Yield a breach for each bank that another took, put up or gave up than might."""
    offered: str | None = None
    holder: str | None = None
    for event in rows:
        payload = event.payload
        match payload:
            case ShoeOffered():
                offered = payload.to
            case ShoeRefused():
                offered = None
            case ShoeTaken():
                if payload.by != offered:
                    yield _change(
                        event, payload.by, "took the bank", offered, "to whom it was offered"
                    )
                holder = payload.by
            case BankPosted():
                if payload.by not in (holder, offered):
                    yield _change(
                        event, payload.by, "put up a bank", holder or offered, "whose it was"
                    )
                holder = payload.by
            case ShoePassed():
                if holder is not None and payload.by != holder:
                    yield _change(event, payload.by, "gave up the bank", holder, "who banks")
                offered = holder = None
            case _:
                pass


def _change(event: RecordedEvent, by: str, did: str, whose: str | None, why: str) -> Breach:
    due = f"{whose}, {why}" if whose is not None else "nobody, before it is offered"
    return Breach(f"{by} {did}", due, by, (event,), patron=by)


# -- In a coup ---------------------------------------------------------------------------------


def _late(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    raises = [each for each in _raises_and_takings(shoe) if isinstance(each[2], BankRaised)]
    if not raises:
        return "no bank was added to" if shoe.banks else NO_BANK
    found: list[Breach | Doubt] = []
    for bank, event, payload in raises:
        coup = _closed_for(shoe, event)
        if coup is None or coup.no_more_bets is None or _accepts(bank, coup, event):
            continue
        doubtful = doubt(shoe, coup.no_more_bets, event)
        if doubtful is not None:
            found.append(Doubt(doubtful))
            continue
        said = f"{payload.by} added {money(shoe, payload.amount)} to {bank.holder}'s bank"
        found.append(
            Breach(
                f"{said} after no more bets had been called",
                "a bank stands once no more bets is called, unless the banker then accepts all",
                "it was added while the coup was played",
                (event, coup.no_more_bets),
                coup.number,
                patron=payload.by,
            )
        )
    return tuple(found)


def _accepts(bank: Bank, coup: Coup, raised: RecordedEvent) -> bool:
    """Tell whether he adds what his bank lacks, having accepted the stakes of the coup so late."""
    called = coup.no_more_bets
    first = first_of(BankUnlimited, bank.moves)
    if called is None or first is None:
        return False
    return called.position < first.position < raised.position


def _closed_for(shoe: Shoe, event: RecordedEvent) -> Coup | None:
    """Return the coup that was played when something happened: no more bets, and not over yet."""
    for coup in shoe.coups.values():
        called, end = coup.no_more_bets, coup.closed or coup.voided
        if called is None or called.position > event.position:
            continue
        if end is not None and event.position < end.position:
            return coup
        if end is None and shoe.current is coup:
            return coup
    return None


BANK_MOVE_RULES: Final = (
    Rule(
        "K504",
        "bank-moved-by-wrong-person",
        "payout",
        "high",
        "What lies in a bank is its banker's: he alone adds to it, and takes it out.",
        _CITES,
        on_shoe=_by_another,
        games=BANKED,
    ),
    Rule(
        "K505",
        "wrong-banker",
        "procedure",
        "medium",
        "Who is offered the bank takes it, who takes it puts it up, and he alone gives it up.",
        _CITES,
        on_shoe=_had_by_another,
        games=BANKED,
    ),
    Rule(
        "K506",
        "late-bank-raise",
        "procedure",
        "high",
        "Who adds to his bank when the cards are dealt has more at stake than was staked against.",
        _CITES,
        on_shoe=_late,
        games=BANKED,
    ),
)


Place = tuple[Hand, int | None, int]
"""A card's place: its hand, the seat of the hand, and which card of it, from 1."""

_TWO: Final = 2
"""Cards of a hand of two tableaux, or of chemin de fer, that are dealt at first."""


class Step(NamedTuple):
    """A step of every coup: whether a coup has it, and what one lacks of it; else nothing."""

    name: str
    told: Callable[[Coup], bool]
    lacks: Callable[[Shoe, Coup], tuple[str, str] | None]


def _game(shoe: Shoe) -> str:
    return shoe.pack.game if shoe.pack is not None else ""


def _uncalled(shoe: Shoe, coup: Coup) -> tuple[str, str] | None:
    part = banked(coup)
    if _game(shoe) not in ("chemin-de-fer", BANQUE) or part.bank is None or part.called:
        return None
    return f"the bank of coup {coup.number} was not called", "the croupier calls what lies in it"


def _not_given(shoe: Shoe, coup: Coup) -> tuple[str, str] | None:
    hands = [hand for hand, who in _players(shoe, coup) if who and given_to(coup, hand) is None]
    if not hands:
        return None
    said = f"the {' and the '.join(hands)} hand of coup {coup.number} was given to nobody"
    return said, "each hand is given to whoever plays it, before it is dealt"


def _players(shoe: Shoe, coup: Coup) -> Iterator[tuple[Hand, str | None]]:
    """Yield the hands that somebody is given, and who; no one, where the record does not say."""
    if _game(shoe) == "chemin-de-fer":
        yield "player", plays_player(shoe, coup)
    elif _game(shoe) == BANQUE and banked(coup).bank is not None and not seats_lack(shoe, coup):
        yield from ((wing, holder_due(shoe, coup, wing)) for wing in WINGS)


def _face_down(shoe: Shoe, coup: Coup) -> tuple[str, str] | None:
    if shoe.pack is None or shoe.pack.cards.faces != "down":
        return None
    turned = {(turn.hand, turn.seat, turn.nth) for turn in (event.payload for event in coup.turned)}
    lying = [place for place in _dealt_down(shoe, coup) if place not in turned]
    if not lying:
        return None
    cards = "a card" if len(lying) == 1 else f"{len(lying)} cards"
    said = f"{cards} of coup {coup.number} lay face down to its end"
    return said, "hands that were dealt face down are turned before they are settled"


def _dealt_down(shoe: Shoe, coup: Coup) -> Iterator[Place]:
    """Yield the places of the cards that were dealt face down at first."""
    rules = rules_of(shoe.pack)
    if rules is not None:
        hands = [(each.hand, each.seat, each.cards) for each in held(shoe, coup)]
        dealt = rules.dealt
    else:
        of_two: tuple[Hand, ...] = HANDS if _game(shoe) == BANQUE else SIDES
        hands = [(hand, None, tuple(_cards(coup, hand))) for hand in of_two]
        dealt = _TWO
    for hand, seat, cards in hands:
        yield from ((hand, seat, nth) for nth in range(1, min(dealt, len(cards)) + 1))


def _cards(coup: Coup, hand: Hand) -> list[Card]:
    return coup.player if hand == "player" else cards_of(coup, hand)


_STEPS: Final = (
    Step("call", lambda coup: banked(coup).called is not None, _uncalled),
    Step("hand", lambda coup: bool(banked(coup).given), _not_given),
    Step("turn", lambda coup: bool(coup.turned), _face_down),
)


def _left_out(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    steps = [step for step in _STEPS if any(map(step.told, shoe.coups.values()))]
    if not steps:
        return "the record tells of no bank called, no hand given and no card turned"
    return tuple(
        Breach(
            said,
            due,
            "nothing told of it, and it was told of other coups",
            (coup.closed, *coup.cards),
            coup.number,
            key=("step", step.name),
        )
        for coup in shoe.coups.values()
        if coup.closed is not None and coup.cards and coup.voided is None
        if not starts_before_record(shoe, coup)
        for step in steps
        for said, due in filter(None, [step.lacks(shoe, coup)])
    )


MISSING_STEP_RULES: Final = (
    Rule(
        "K507",
        "omitted-coup-step",
        "procedure",
        "medium",
        "Who stakes hears what the bank holds, knows who plays for him, and sees every card.",
        ("field-facts.md 1.2", "seeds S0, S1 (Chemin de fer, Baccarat banque, Macao)"),
        on_shoe=_left_out,
        games=BANKED,
    ),
)


RULES = (
    *BANK_MOVE_RULES,
    *MISSING_STEP_RULES,
)
"""Every rule of this family."""
