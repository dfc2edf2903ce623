"""The coup journal: every coup of a period, with its cards, result, dealer and stakes."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from sabot.domain.procedure.own_hands import hands_in_turn
from sabot.domain.procedure.two_tableaux.tableaux import cards_on, side_won
from sabot.domain.rules.macao_hands import score_of
from sabot.domain.rules.tableau_hands import TABLEAUX
from sabot.domain.state.coup_state import Coup
from sabot.domain.values.cards import Card, format_card, total
from sabot.domain.views.coup_view import called_outcome, dealt_outcome
from sabot.infrastructure.reports.model import Column, Figures, Report, Row, Table
from sabot.infrastructure.reports.records import (
    OF_COUP,
    Played,
    Records,
    coups_played,
    money_in,
    staked,
    totals_of,
)

KIND: Final = "coup-journal"
TITLE: Final = "Coup journal"

_COLUMNS: Final = (
    *OF_COUP,
    Column("player", "Player", weight=2),
    Column("banker", "Banker", weight=2),
    Column("other_hands", "other hands", weight=3),
    Column("result", "result"),
    Column("turned_backs", "turned backs", weight=1),
    Column("dealer", "dealer"),
    Column("staked", "staked", "money"),
    Column("remark", "remarks", weight=2),
)


def coup_journal(records: Records) -> Report:
    """Return the coup journal of a period."""
    rows: list[Row] = []
    results: Counter[str] = Counter()
    orientation = False
    for played in coups_played(records):
        coup = played.coup
        orientation = orientation or any(card.payload.back for card in coup.cards)
        results[_state(coup)] += 1
        rows.append(_row(played))
    journal = Table(
        "coups",
        "Coups",
        _COLUMNS,
        tuple(rows),
        totals=totals_of(_COLUMNS, rows),
        empty="No coup was dealt in this period.",
        notes=(
            (
                "The result is the one that the dealer announced, or else that of the cards: P "
                "Player, B Banker, T tie. A coup belongs to the period of its first card."
            ),
        ),
    )
    figures = Figures("results", "Results", tuple((name, results[name]) for name in _RESULTS))
    unknown = () if orientation or not rows else ("The record has no orientation of card backs.",)
    return Report(KIND, TITLE, (figures, journal), unknown=unknown)


_RESULTS: Final = ("Player", "Banker", "tie", "two tableaux", "own hands", "void", "unknown")
_NAMES: Final = {"P": "Player", "B": "Banker", "T": "tie"}


def _state(coup: Coup) -> str:
    if coup.voided is not None:
        return "void"
    came = called_outcome(coup) or dealt_outcome(coup)
    if came is not None:
        return _NAMES[came]
    if any(side_won(coup, tableau) for tableau in TABLEAUX):
        return "two tableaux"
    return "own hands" if any(hand == "patron" for hand, _ in coup.others) else "unknown"


def _row(played: Played) -> Row:
    coup = played.coup
    backs = [
        f"{card.payload.hand} {format_card(card.payload.card)}"
        for card in coup.cards
        if card.payload.back == "turned"
    ]
    return (
        *played.head(),
        hand_text(coup.player),
        hand_text(coup.banker) if not _is_own(played) else None,
        "; ".join(_other_hands(played)) or None,
        _result(coup),
        ", ".join(backs) or None,
        played.dealer,
        money_in(played.currency, staked(coup)),
        "; ".join(_remarks(coup)) or None,
    )


def _is_own(played: Played) -> bool:
    pack = played.shoe.pack
    return pack is not None and pack.macao is not None


def hand_text(cards: list[Card]) -> str | None:
    """Return a hand with its total, such as ``8♥ Q♣ = 8``, or None without cards."""
    return f"{' '.join(map(format_card, cards))} = {total(cards)}" if cards else None


def _other_hands(played: Played) -> Iterator[str]:
    coup, pack = played.coup, played.shoe.pack
    for tableau in TABLEAUX:
        text = hand_text(cards_on(coup, tableau))
        if text is not None:
            yield f"{tableau} {text}"
    if pack is not None and pack.macao is not None:
        for hand in hands_in_turn(played.shoe, coup):
            if hand.cards:
                points = score_of(pack.macao, hand.cards)
                said = "bust" if points.bust else str(points.total)
                yield f"{hand.who}: {' '.join(map(format_card, hand.cards))} = {said}"


def _result(coup: Coup) -> str | None:
    if coup.voided is not None:
        return "void"
    came = called_outcome(coup) or dealt_outcome(coup)
    if came is not None:
        return came
    sides = [f"{tableau} {won}" for tableau in TABLEAUX if (won := side_won(coup, tableau))]
    return ", ".join(sides) or None


def _remarks(coup: Coup) -> Iterator[str]:
    if coup.voided is not None:
        reason = coup.voided.payload.reason or "no reason on record"
        by = coup.voided.payload.by
        yield f"void: {reason}" + (f", by {by}" if by else "")
    if coup.free:
        yield "free hand"
    called, dealt = called_outcome(coup), dealt_outcome(coup)
    if called is not None and dealt is not None and called != dealt:
        yield f"by the cards {dealt}"
    if coup.voided is None and coup.closed is None:
        yield "not closed"
