"""Views of the shoe, the people and the hands at a moment."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from sabot.cli.console import printable
from sabot.cli.replay.scene import FAINT, GOLD, PLAYER, SIDE, TIE, Scene, fit, ink, safe, wrap
from sabot.cli.table_view.felt_drawing import bank_said
from sabot.cli.table_view.hand_drawing import Paper, draw_hand, face, hand_name, tableau_score
from sabot.cli.text.event_text import OUTCOMES, limit_said
from sabot.cli.text.words import money
from sabot.domain.events import CardDrawn, CardTurned, Hand
from sabot.domain.events.labels import post_label
from sabot.domain.values.cards import FIRST_TWO, format_card
from sabot.domain.views.table_view import Felt, FeltCoup, FeltHand, FeltOther


def shoe(scene: Scene, width: int, height: int) -> list[Text]:
    """Draw the progress of the shoe, the people at the table, and the commission owed."""
    felt = scene.felt
    if not felt.loaded and not felt.left:
        return fit([ink("no shoe loaded", FAINT)], width, height)
    lines = [_bar(felt, width), _cards(felt)]
    for part in (_burned(felt), _cut_card(felt), *_people(felt), *_notes(scene)):
        lines += wrap(part, width, indent=2)
    return fit(lines, width, height)


def _bar(felt: Felt, width: int) -> Text:
    """Draw the shoe as a bar: cards dealt, cards left and the cut card."""
    loaded = max(1, felt.loaded)
    out = min(width, width * felt.left // loaded)
    bar = ink("━" * out, f"bold {TIE}")
    bar.append("─" * (width - out), style=FAINT)
    if felt.cut_card_behind is not None and felt.cut_card_behind <= loaded and width:
        place = min(width - 1, width * (loaded - felt.cut_card_behind) // loaded)
        bar = bar[:place].append("┃", style=f"bold {GOLD}").append_text(bar[place + 1 :])
    return bar


def _cards(felt: Felt) -> Text:
    text = ink(f"{felt.left}", "bold").append(f" of {felt.loaded} cards out", style="not bold")
    left = felt.loaded - felt.left
    return text.append(f", {left} in the shoe" if left >= 0 else f", {-left} too many")


def _burned(felt: Felt) -> Text:
    faces, down = felt.burned.faces, felt.burned.face_down
    if not faces and not down:
        return ink("none burned", FAINT)
    said = [*(format_card(card) for card in faces)] + ([f"{down} face down"] if down else [])
    return ink("burned ", FAINT).append(" + ".join(said))


def _cut_card(felt: Felt) -> Text:
    text = ink("cut card ", FAINT)
    if felt.cut_card_out:
        at = f" after {felt.cut_card_at}" if felt.cut_card_at is not None else ""
        text.append(f"out{at}", style=f"bold {GOLD}")
    elif felt.cut_card_behind is not None:
        text.append(f"{felt.cut_card_behind} from the end")
        to_go = felt.loaded - felt.cut_card_behind - felt.left
        text.append(f", {max(0, to_go)} to go", style=FAINT)
    else:
        text.append("not placed", style=FAINT)
    return text.append(", last coup called" if felt.last_coup_called else "", style=f"bold {GOLD}")


def _people(felt: Felt) -> Iterator[Text]:
    if felt.holder or felt.offered:
        who = felt.holder or felt.offered
        yield ink("held by " if felt.holder else "offered to ", FAINT).append(safe(who or ""))
    if felt.bank is not None:
        yield ink(bank_said(felt.bank, felt.minor_units))
    if felt.crew:
        yield _listed("crew ", [f"{post_label(each.post)} {each.person}" for each in felt.crew])
    if felt.seats:
        yield _listed("seats ", [f"{seat.seat} {seat.patron}" for seat in felt.seats])
    if felt.owed:
        owed = [f"{name} {money(amount, felt.minor_units)}" for name, amount in felt.owed.items()]
        yield _listed("commission owed ", owed)
    if felt.limits:
        said = [limit_said(limit, lambda a: money(a, felt.minor_units)) for limit in felt.limits]
        yield _listed("limits ", said)


def _notes(scene: Scene) -> Iterator[Text]:
    counts = (
        (len(scene.shoe.requests), "requests by patrons"),
        (len(scene.shoe.irregularities), "irregularities noted"),
        (len(scene.shoe.corrections), "events corrected"),
    )
    said = [f"{count} {what}" for count, what in counts if count]
    if said:
        yield _listed("", said)


def _listed(label: str, parts: Sequence[str]) -> Text:
    return ink(label, FAINT).append(safe(", ".join(parts)))


_PAPER: Final = Paper(
    edge="#9aa39e on #f5f1e6",
    black="bold #1a1f1c on #f5f1e6",
    red="bold #c62f2f on #f5f1e6",
    back="#4a78b5 on #f5f1e6",
    mark="bold #a86a00 on #f5f1e6",
)
_DRAWN_ROWS: Final = 6
"""The number of rows for cards with their totals above and the announcement below."""


_DRAWN_COLUMNS: Final = 30
"""The columns that two hands of two cards take."""


def hands(scene: Scene, width: int, height: int) -> list[Text]:
    """Draw both hands with totals and calls; as text only in a small panel."""
    coup = scene.felt.coup
    if coup is None:
        return fit([ink("no coup yet", FAINT)], width, height)
    if coup.others or height < _DRAWN_ROWS or width < _DRAWN_COLUMNS:
        return fit(_in_text(scene, coup), width, height)
    half = (width - 2) // 2
    sides = [_drawn(scene, side, half) for side in ("player", "banker")]
    lines = [left + Text("  ") + right for left, right in zip(*sides, strict=True)]
    if height > _DRAWN_ROWS:
        lines.insert(0, Text())
    if height > _DRAWN_ROWS + 1:
        lines.append(Text())
    lines.append(_centred(announced(coup), width))
    return fit(lines, width, height)


def announced(coup: FeltCoup) -> Text:
    """Draw the dealer's announcement, and the result by the cards if it differs."""
    if coup.state == "voided":
        return ink(" COUP VOID ", f"bold reverse {GOLD}")
    if coup.called is None and coup.outcome is None:
        return ink("a free hand" if coup.free else "", FAINT)
    outcome = coup.called or coup.outcome
    assert outcome is not None
    said = ink(f" {OUTCOMES[outcome].upper()} {_score(coup)} ", f"bold reverse {SIDE[outcome]}")
    if coup.called is None:
        said.append(" by the cards, not called", style=f"{FAINT}")
    elif coup.outcome is not None and coup.outcome != coup.called:
        said.append(f"  the cards say: {OUTCOMES[coup.outcome]}", style=f"bold {GOLD}")
    return said


def _score(coup: FeltCoup) -> str:
    player, banker = coup.player.total, coup.banker.total
    if player is None or banker is None:
        return ""
    first, second = (player, banker) if (coup.called or coup.outcome) != "B" else (banker, player)
    return f"{first} to {second}"


def _head(scene: Scene, side: Hand, hand: FeltHand) -> Text:
    """Draw a hand's name and total, marked if this moment's event concerns it."""
    payload = scene.event.payload if scene.event is not None else None
    touched = isinstance(payload, CardDrawn | CardTurned) and payload.hand == side
    head = ink("▸ " if touched else "", f"bold {GOLD}")
    head.append(side.upper(), style=f"bold {SIDE[side]}")
    if hand.total is not None:
        head.append(" ").append(f" {hand.total} ", style="bold reverse")
    if hand.natural:
        head.append(" natural", style=f"bold {GOLD}")
    # the call of the first two cards does not apply to a hand of three
    final = len(hand.cards) == FIRST_TWO or (scene.coup is not None and scene.coup.result_called)
    if final and hand.called is not None and hand.called != hand.total:
        head.append(f" called {hand.called}", style=f"bold {GOLD}")
    return head


def _drawn(scene: Scene, side: Hand, width: int) -> list[Text]:
    assert scene.felt.coup is not None
    hand = scene.felt.coup.player if side == "player" else scene.felt.coup.banker
    lines = [_head(scene, side, hand), *draw_hand(hand.cards, width, _PAPER)]
    return [_centred(line, width, pad=True) for line in lines]


def _in_text(scene: Scene, coup: FeltCoup) -> list[Text]:
    sides: tuple[tuple[Hand, FeltHand], ...] = (("player", coup.player), ("banker", coup.banker))
    if coup.others:
        return _own_hands(scene, coup)
    lines = [_with_cards(_head(scene, side, hand), hand) for side, hand in sides]
    return [*lines, announced(coup)]


def _with_cards(line: Text, hand: FeltHand) -> Text:
    for card in hand.cards:
        if card.card is None:
            line.append("  ▒▒", style=PLAYER)
            continue
        rank, sign, style = face(card)
        line.append("  ").append(f"{rank}{sign.strip()}", style=style)
    return line


def _own_hands(scene: Scene, coup: FeltCoup) -> list[Text]:
    """Draw every hand in turn, one a line, with the event's hand marked.

    The banker's hand is last.
    """
    payload = scene.event.payload if scene.event is not None else None
    named = (getattr(payload, "hand", None), getattr(payload, "seat", None))
    lines = []
    for name, hand, key in (
        *((hand_name(o), o.hand, (o.tableau or "patron", o.seat)) for o in coup.others),
        ("BANKER", coup.banker, ("banker", None)),
    ):
        line = ink("▸ " if named == key else "", f"bold {GOLD}")
        line.append(printable(name), style=f"bold {SIDE['B' if key[0] == 'banker' else 'P']}")
        if hand.total is not None:
            line.append(" ").append(
                f" {'bust' if hand.bust else hand.total} ", style="bold reverse"
            )
        if hand.natural:
            line.append(" natural", style=f"bold {GOLD}")
        lines.append(_with_cards(line, hand))
    return [*lines, *(_tableau_came(coup, other) for other in coup.others if other.outcome)]


def _tableau_came(coup: FeltCoup, other: FeltOther) -> Text:
    """Draw the outcome of a tableau."""
    side = {"wins": "P", "loses": "B", "ties": "T"}[other.outcome or "ties"]
    score = tableau_score(coup.banker, other.hand)
    return ink(
        f" THE {other.tableau} {other.outcome} {score} ".upper(), f"bold reverse {SIDE[side]}"
    )


def _centred(text: Text, width: int, *, pad: bool = False) -> Text:
    if text.cell_len > width:
        text.truncate(width, overflow="ellipsis")
    left = max(0, (width - text.cell_len) // 2)
    right = max(0, width - text.cell_len - left) if pad else 0
    return Text(" " * left) + text + Text(" " * right)
