"""The shoe and its people at a moment."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from cli.felt import bank_said
from cli.money import money
from cli.replay.scene import FAINT, GOLD, TIE, Scene, fit, ink, safe, wrap
from cli.telling import limit_said
from domain.cards import pretty
from domain.felt import Felt


def shoe(scene: Scene, width: int, height: int) -> list[Text]:
    """Show how far the shoe has gone, who is at the table, and what is owed."""
    felt = scene.felt
    if not felt.loaded and not felt.left:
        return fit([ink("no shoe loaded", FAINT)], width, height)
    lines = [_bar(felt, width), _cards(felt)]
    for part in (_burned(felt), _cut_card(felt), *_people(felt), *_notes(scene)):
        lines += wrap(part, width, indent=2)
    return fit(lines, width, height)


def _bar(felt: Felt, width: int) -> Text:
    """The shoe lying along the table: what left it, what is in it, where its cut card is."""
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
    said = [*(pretty(card) for card in faces)] + ([f"{down} face down"] if down else [])
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
        yield _listed("crew ", [f"{each.post} {each.person}" for each in felt.crew])
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
        (len(scene.shoe.corrections), "facts corrected"),
    )
    said = [f"{count} {what}" for count, what in counts if count]
    if said:
        yield _listed("", said)


def _listed(label: str, parts: Sequence[str]) -> Text:
    return ink(label, FAINT).append(safe(", ".join(parts)))
