"""The rule of seals, of makers and of the house: nobody handles cards while one is closed."""

from collections.abc import Iterator

from domain.audit.dealt import clock
from domain.audit.floor import BatchView
from domain.audit.identity import told
from domain.audit.rule import Answer, Breach, Rule
from domain.custody import Seal
from domain.facts.custody import SealOpened


def _seals(view: BatchView) -> Answer:
    batch = view.batch
    if not batch.seals and not batch.makers:
        return "no seal was recorded"
    return (
        *(breach for seal in (*batch.makers, *batch.seals) for breach in _when_opened(seal)),
        *(breach for seal in batch.seals for breach in _while_closed(view, seal)),
        *_never_opened(view),
    )


def _whole(seal: Seal) -> str:
    return f"seal {seal.number} whole until it is opened"


def _when_opened(seal: Seal) -> Iterator[Breach]:
    opened, required = seal.opened, _whole(seal)
    if opened is not None and isinstance(opened.fact, SealOpened):
        if opened.fact.seal != seal.number:
            said = f"the cards were under seal {opened.fact.seal}, not {seal.number}"
            shown = f"seal {opened.fact.seal}"
            yield Breach(said, required, shown, (opened, seal.closed), key=("number", seal.number))
        if not opened.fact.intact:
            said = f"seal {seal.number} was not whole when it was opened"
            yield Breach(said, required, "not intact", (opened,), key=("broken", seal.number))


def _while_closed(view: BatchView, seal: Seal) -> Iterator[Breach]:
    opened, required = seal.opened, _whole(seal)
    for event in seal.touched:
        said = f"the cards were handled while seal {seal.number} was closed"
        key = ("touched", *told(event, view.batch.history))
        yield Breach(said, required, "handled, and not opened", (event, seal.closed), key=key)
    until = None if opened is None else clock(opened) - view.tolerance_us
    for shoe in view.shoes:
        if clock(seal.closed) + view.tolerance_us < shoe.begins and (
            until is None or shoe.begins < until
        ):
            yield Breach(
                f"shoe {shoe.name} was loaded while seal {seal.number} was closed",
                required,
                "loaded, and not opened",
                (*shoe.loading, seal.closed),
                shoe=shoe.name,
                key=("shoe", shoe.name, seal.number),
            )


def _never_opened(view: BatchView) -> Iterator[Breach]:
    """Yield the first shoe of cards that still lay under every seal they were delivered with."""
    told = set()
    for shoe in view.shoes:
        begins, until = view.since(shoe), shoe.begins + view.tolerance_us
        came = [each for each in view.batch.received if begins <= clock(each) <= until]
        seals = [seal for seal in view.batch.makers if seal.closed in came]
        sealed = {seal.closed.version for seal in seals}
        opened = any(seal.opened is not None and clock(seal.opened) <= until for seal in seals)
        # cards of a delivery without seals may be in the shoe
        if not came or opened or begins in told or any(e.version not in sealed for e in came):
            continue
        told.add(begins)
        yield Breach(
            f"shoe {shoe.name} was loaded, and no seal of its cards' maker had been opened",
            "a maker's seal that is opened before the cards are used",
            f"{', '.join(seal.number for seal in seals)} never opened before",
            (*shoe.loading, *came),
            shoe=shoe.name,
            key=("maker", shoe.name),
        )


RULES = (
    Rule(
        "seal-was-broken-in-between",
        "integrity",
        "high",
        "A seal with a number shows that nobody had the cards in hand since it was closed.",
        ("field-facts.md 3 A21, A22, 4 (cooler: seal mismatch)", "NJ 13:69E-1.18A", "NY 5322.16"),
        on_batch=_seals,
        by_clock=True,
    ),
)
