"""Drawing of a table's tray: opening amount, movements and win."""

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from sabot.cli.settings import show_time
from sabot.cli.text.event_text import limit_said
from sabot.cli.text.words import money, printable
from sabot.domain.state.table_state import Session, Table


def tray(table: Table, minor_units: int = 2) -> RenderableType:
    """Draw a table's last session, its crew and its limits."""
    lines: list[Text] = []
    if table.sessions:
        lines += _session(table.sessions[-1], minor_units)
    house = [f"{post} {person}" for post, person in sorted(table.crew.items())]
    if table.pack is not None:
        house.insert(0, f"rule pack {table.pack.pack} version {table.pack.version}")
    limits = [limit_said(limit, lambda a: money(a, minor_units)) for limit in table.limits]
    house += [f"{each} {_currency(table)}".rstrip() for each in limits]
    if house:
        lines.append(_dotted(house, "dim"))
    state = "open" if table.is_open else "closed"
    return Panel(
        Group(*lines),
        title=Text(f"table {printable(table.name)} · {state}", style="bold"),
        title_align="left",
        box=box.ROUNDED,
        border_style="dim",
        padding=(0, 1),
    )


def _currency(table: Table) -> str:
    return (table.sessions[-1].currency or "") if table.sessions else ""


def _session(session: Session, units: int) -> list[Text]:
    def said(what: str, amount: int | None, unknown: str = "?") -> str:
        return f"{what} {unknown if amount is None else in_currency(amount)}"

    def in_currency(amount: int) -> str:
        return f"{money(amount, units)} {printable(session.currency or '')}".rstrip()

    times = [
        f"{verb} {show_time(event.recorded_us if event.at_us is None else event.at_us)}"
        for verb, event in (("opened", session.opened), ("closed", session.closed))
        if event is not None
    ]
    moves = [
        said("opening", session.opening),
        said("fills", session.fills),
        said("credits", session.credits),
        said("bought", session.bought),
        said("closing", session.closing, "?" if session.closed else "not yet counted"),
        said("drop", session.drop, "not yet counted"),
    ]
    lines = [_dotted([f"session {session.number}", *times], "dim"), _dotted(moves)]
    if session.win is not None:
        hold = "" if session.hold is None else f", hold {float(session.hold) * 100:.2f} %"
        style = "bold green" if session.win >= 0 else "bold red"
        lines.append(Text(f"win {in_currency(session.win)}{hold}", style))
    elif session.estimated_win is not None:
        guess = f"win about {in_currency(session.estimated_win)}"
        lines.append(Text(f"{guess}, the drop box uncounted", "yellow"))
    return lines


def _dotted(parts: list[str], style: str = "") -> Text:
    return Text(" · ", style="dim").join(Text(printable(part), style=style) for part in parts)
