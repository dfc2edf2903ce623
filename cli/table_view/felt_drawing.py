"""Drawing of the layout as surveillance would see it, for a terminal of any width.

The pure function `felt` turns a shoe into a rich renderable; ``show``, ``replay`` and ``deal`` use
it. No information depends on colour: suits are signs, outcomes are letters and words. Names are
made safe for a terminal.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from rich import box
from rich.align import Align
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.text import Text

from sabot.cli.output import printable
from sabot.cli.settings import show_time
from sabot.cli.table_view.bet_list import list_bets
from sabot.cli.table_view.hand_drawing import SIDE_STYLE, Hands, tableau_score
from sabot.cli.text.event_text import OUTCOMES, describe, limit_said
from sabot.cli.text.words import money
from sabot.domain.events import CardDrawn, Event, EventCorrected
from sabot.domain.events.labels import post_label
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import format_card
from sabot.domain.views.table_view import Felt, FeltBank, FeltCard, FeltCoup, FeltOther, felt_of

_PHASES: Final = {
    "empty": "no shoe",
    "preparing": "before the first coup",
    "between": "between coups",
    "betting": "bets are open",
    "dealing": "no more bets",
    "settling": "settling",
    "ended": "the shoe has ended",
}
_NO_COUP: Final = FeltCoup(0)


class View(Struct, frozen=True):
    """Options for drawing.

    ``coup`` shows that coup instead of the one in play. ``bets`` is the number of bets listed
    (None: all). ``due`` shows the next action due, ``last`` the last event, and ``history`` the
    outcomes of the last coups.
    """

    coup: int | None = None
    bets: int | None = None
    due: bool = True
    last: bool = True
    history: bool = True


AS_IT_IS: Final = View()


def felt(shoe: Shoe, view: View = AS_IT_IS) -> RenderableType:
    """Draw the layout of a shoe after its last event."""
    state = felt_of(shoe, view.coup)
    last = shoe.history[-1] if shoe.history else None
    said = _said(state, last.payload) if last is not None and view.last else None
    return draw(state, view, said)


def draw(state: Felt, view: View = AS_IT_IS, said: str | None = None) -> RenderableType:
    """Draw a layout. ``said`` is the text of the last event."""
    coup = state.coup or _NO_COUP
    parts: list[RenderableType] = [_house(state), Text(), Hands(coup), _banner(coup)]
    if coup.bets:
        parts.append(list_bets(state, coup.bets, view.bets))
    parts += [Text(), _ShoeBar(state), _shoe_words(state)]
    if view.history and state.results:
        parts.append(_last_coups(state))
    if view.due and state.due:
        parts.append(Text.assemble(("▸ ", "bold cyan"), (_safe(state.due), "bold")))
    return Panel(
        Group(*parts),
        title=_title(state),
        title_align="left",
        subtitle=_subtitle(state, said),
        subtitle_align="left",
        box=box.ROUNDED,
        border_style="green",
        padding=(0, 1),
    )


def _said(state: Felt, payload: Event) -> str:
    """Return the last event as text, without naming a card that lies face down."""
    coup = state.coup
    if coup is not None and any(card.card is None for card in _lying(coup)):
        match payload:
            case CardDrawn(coup=coup.number, hand=hand):
                return f"a card to {hand}"
            case EventCorrected(version=version):
                return f"correction of event {version} of the shoe"
            case _:
                pass
    return describe(payload, state.minor_units, state.currency or "")


def _lying(coup: FeltCoup) -> list[FeltCard]:
    hands = (coup.player, coup.banker, *(other.hand for other in coup.others))
    return [card for hand in hands for card in hand.cards]


_safe = printable


def _dotted(parts: Iterable[str | Text], style: str = "") -> Text:
    """Join the parts with a middle dot. Lines break at the dots."""
    return Text(" · ", style="dim").join(
        [part if isinstance(part, Text) else Text(_safe(part), style=style) for part in parts]
    )


def _title(state: Felt) -> Text:
    parts = [f"table {state.table}"] if state.table else []
    parts.append(f"shoe {state.shoe}")
    coup = state.coup
    if coup is not None:
        over = f", {coup.state}" if coup.state != "open" else ""
        free = ", free hand" if coup.free else ""
        parts.append(f"coup {coup.number}{free}{over}")
    parts.append(_PHASES[state.phase])
    title = _dotted(parts, "bold")
    title.overflow = "ellipsis"
    return title


def _subtitle(state: Felt, said: str | None) -> Text | None:
    if state.index is None:
        return None
    clock = state.at_us if state.at_us is not None else state.recorded_us
    text = Text(f"#{state.index}", style="bold", overflow="ellipsis")
    text.append(f" {show_time(clock or 0)}", style="dim")
    return text.append(f" {_safe(said)}") if said else text


def bank_said(bank: FeltBank, minor_units: int) -> str:
    """Return the banker and the bank's amount as text."""
    limit = ", unlimited" if bank.unlimited else ""
    return f"bank of {_safe(bank.holder)}: {money(bank.amount, minor_units)}{limit}"


def pack_said(state: Felt) -> str:
    """Return the name and the version of the rule pack as text."""
    if state.pack is None:
        return "no rules known"
    return " version ".join(state.pack.rsplit(" ", 1))


def _house(state: Felt) -> RenderableType:
    """Draw the rules, the limits and the people."""
    rules = [pack_said(state), f"{state.decks} decks"]
    limits = [limit_said(limit, lambda a: money(a, state.minor_units)) for limit in state.limits]
    if limits:
        rules.append(f"{', '.join(limits)} {state.currency}")
    lines = [_dotted(rules)]
    if state.crew:
        lines.append(_dotted([f"{post_label(crew.post)} {crew.person}" for crew in state.crew]))
    seats = [f"{seat.seat} {seat.patron}" for seat in state.seats]
    if state.holder:
        seats.append(f"shoe held by {state.holder}")
    elif state.offered:
        seats.append(f"shoe offered to {state.offered}")
    if seats:
        lines.append(_dotted(seats))
    if state.bank is not None:
        lines.append(Text(bank_said(state.bank, state.minor_units)))
    if state.owed:
        owed = [f"{name} {money(sum_, state.minor_units)}" for name, sum_ in state.owed.items()]
        lines.append(Text("commission owed: ").append_text(_dotted(owed)))
    for line in lines:
        line.stylize("dim")
    return Group(*lines)


def _banner(coup: FeltCoup) -> RenderableType:
    """Draw the announcement in the colours of the side.

    If the cards give another result, that is shown too.
    """
    if coup.state == "voided":
        return _bar("COUP VOID", "V")
    if coup.called is None:
        if coup.outcome is None:
            return Group(*(_tableau_bar(coup, other) for other in coup.others if other.outcome))
        return _bar(f"{OUTCOMES[coup.outcome].upper()} {_score(coup)} by the cards", coup.outcome)
    bar = _bar(f"{OUTCOMES[coup.called].upper()} {_score(coup)}", coup.called)
    if coup.outcome is None or coup.outcome == coup.called:
        return bar
    note = Text(f"the cards say: {OUTCOMES[coup.outcome]}", style="bold yellow")
    return Group(bar, Align.center(note))


def _tableau_bar(coup: FeltCoup, other: FeltOther) -> RenderableType:
    """Draw the outcome of a tableau in the colour of the winner."""
    side = {"wins": "P", "loses": "B", "ties": "T"}[other.outcome or "ties"]
    came = f"THE {(other.tableau or '').upper()} {(other.outcome or '').upper()}"
    return _bar(f"{came} {tableau_score(coup.banker, other.hand)}", side)


def _bar(words: str, side: str) -> RenderableType:
    return Align.center(
        Text(f"  {' '.join(words.split())}  ", style=f"bold reverse {SIDE_STYLE[side]}")
    )


def _score(coup: FeltCoup) -> str:
    if coup.player.total is None or coup.banker.total is None:
        return ""
    high, low = coup.player.total, coup.banker.total
    if coup.called == "B" or (coup.called is None and coup.outcome == "B"):
        high, low = low, high
    return f"{high} to {low}"


class _ShoeBar:
    """The shoe as a bar: cards dealt, cards left and the cut card."""

    def __init__(self, state: Felt) -> None:
        self.state = state

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the bar over the available width."""
        state, width = self.state, options.max_width
        if not state.loaded or width < 1:
            return
        out = min(width, width * state.left // state.loaded)
        bar = Text("━" * out, style="green", no_wrap=True, overflow="crop")
        bar.append("─" * (width - out), style="dim")
        if state.cut_card_behind is not None and state.cut_card_behind <= state.loaded:
            place = width * (state.loaded - state.cut_card_behind) // state.loaded
            place = min(place, width - 1)
            rest = bar[place + 1 :]
            bar = bar[:place].append("┃", style="bold yellow").append_text(rest)
        yield bar


def _shoe_words(state: Felt) -> Text:
    parts = [f"{state.left} of {state.loaded} cards out" if state.loaded else "no shoe loaded"]
    faces, unseen = state.burned.faces, state.burned.face_down
    if faces or unseen:
        seen = [" ".join(format_card(card) for card in faces)] if faces else []
        down = [f"{unseen} face down"] if unseen else []
        parts.append("burned " + " + ".join([*seen, *down]))
    if state.cut_card_out:
        at = f" after {state.cut_card_at}" if state.cut_card_at is not None else ""
        parts.append(f"cut card out{at}")
    elif state.cut_card_behind is not None:
        parts.append(f"cut card {state.cut_card_behind} from the end")
    if state.last_coup_called:
        parts.append("last coup called")
    return _dotted(parts)


def _last_coups(state: Felt) -> Text:
    """Draw the outcomes of the last coups; at two tableaux one line for each tableau."""
    tableaux = sorted({each.tableau for each in state.results if each.tableau}, reverse=True)
    heads = [("", "last coups (newest right) ")] if not tableaux else []
    heads += [(tableau, f"last coups on the {tableau} (newest right) ") for tableau in tableaux]
    lines = []
    for tableau, head in heads:
        beads = [
            Text(each.outcome, style=f"bold {SIDE_STYLE[each.outcome]}")
            for each in state.results
            if not tableau or each.tableau in (tableau, None)
        ]
        lines.append(Text(head, style="dim").append_text(Text(" ").join(beads)))
    return Text("\n").join(lines)
