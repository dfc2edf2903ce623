"""Rules on the seals of maker and house: nobody handles cards under a closed seal."""

from collections.abc import Iterator

from sabot.domain.audit import floor_needs
from sabot.domain.audit.fingerprints import identity_of_event
from sabot.domain.audit.floor_view import BatchView, ShoeSummary, time_of
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, need
from sabot.domain.events import CardsInspected, ShoeLoaded
from sabot.domain.events.card_batch import CardsPreshuffled, CardsReceived, CardsSealed, SealOpened
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_40,
    COMAR_36_05_02_16,
    LAC_42_III_4323,
    NJAC_13_69E_1_18A,
    NYCRR_9_5322_16,
)
from sabot.domain.state.batch_state import Seal
from sabot.domain.timeline.sequence import SEAL_OPENED_FIRST

SEALS = RuleGroup(family="integrity", concerns="game")


@need("batch", "no seal was recorded")
def seal_on_record(view: BatchView) -> bool:
    """The record holds a seal of the cards."""
    return bool(view.batch.seals or view.batch.makers)


@SEALS.rule(
    "M606",
    "broken-seal",
    order=(SEAL_OPENED_FIRST,),
    sources=(
        NJAC_13_69E_1_18A,
        NYCRR_9_5322_16,
        ARRETE_2007_ART_40,
        LAC_42_III_4323,
        COMAR_36_05_02_16,
    ),
    looks_at="batch",
    needs=(
        floor_needs.clocks_comparable,
        seal_on_record,
    ),
    breach_events=(
        CardsSealed,
        SealOpened,
        CardsReceived,
        CardsInspected,
        CardsPreshuffled,
        ShoeLoaded,
    ),
    breaks="""
        cards B-1 cards-sealed {"seal": "S-100", "by": "sam"}
        cards B-1 seal-opened {"seal": "S-101", "by": "ann"}
    """,
    keeps="""
        cards B-1 cards-sealed {"seal": "S-100", "by": "sam"}
        cards B-1 seal-opened {"seal": "S-100", "by": "ann"}
    """,
)
def broken_seal(view: BatchView) -> Iterator[Breach]:
    """A seal keeps its number and is whole until it is opened, and the cards are not used before.

    An opening is a breach if it names another number, or if the seal was not whole. An opening with
    an unknown number is taken as the opening of the last house seal that is still closed, or else
    of the maker's seal. If no seal is closed, R403 reports the opening. While a seal of the house
    is closed, the cards are not inspected, pre-shuffled or loaded into a shoe. All inspections and
    pre-shuffles under one seal are one breach. Sealed cards may be counted, sorted, moved or
    destroyed. New cards, delivered after all decks were destroyed, are not under a former seal.

    One of the maker's seals must be opened before a shoe is loaded, unless the shoe may hold cards
    of a delivery without seals. Only the first shoe loaded without such an opening is reported,
    until all decks are replaced. A shoe is reported only if the clocks show the order.
    """
    for seal in (*view.batch.makers, *view.batch.seals):
        yield from _when_opened(seal)
    for seal in view.batch.seals:
        yield from _while_closed(view, seal)
    yield from _never_opened(view)


def _whole(seal: Seal) -> str:
    return f"seal {seal.number} whole until it is opened"


def _when_opened(seal: Seal) -> Iterator[Breach]:
    opened, required = seal.opened, _whole(seal)
    if opened is not None:
        if opened.payload.seal != seal.number:
            said = f"the cards were under seal {opened.payload.seal}, not {seal.number}"
            shown = f"seal {opened.payload.seal}"
            yield Breach(said, required, shown, (opened, seal.closed), key=("number", seal.number))
        if not opened.payload.intact:
            said = f"seal {seal.number} was not whole when it was opened"
            yield Breach(said, required, "not intact", (opened,), key=("broken", seal.number))


def _while_closed(view: BatchView, seal: Seal) -> Iterator[Breach]:
    opened, required = seal.opened, _whole(seal)
    if seal.touched:
        more = f", {len(seal.touched)} times" if seal.touched[1:] else ""
        yield Breach(
            f"the cards were handled while seal {seal.number} was closed{more}",
            required,
            "handled, and not opened",
            (*seal.touched, seal.closed),
            key=("touched", *identity_of_event(seal.touched[0], view.batch.history)),
        )
    for shoe in view.shoes:
        if (
            view.since(shoe) < time_of(seal.closed)
            and view.surely_before(time_of(seal.closed), shoe.begins)
            and (opened is None or view.surely_before(shoe.begins, time_of(opened)))
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
    """Yield a breach for the first shoe whose maker's seals were never opened."""
    told_of = set()
    for shoe in view.shoes:
        since = view.since(shoe)
        came = view.deliveries(shoe)
        seals = [seal for seal in view.batch.makers if seal.closed in came]
        sealed = {seal.closed.position for seal in seals}
        # the shoe may hold cards of a delivery without seals
        if not came or any(event.position not in sealed for event in came):
            continue
        if since in told_of or _one_was_open(view, shoe, seals):
            continue
        told_of.add(since)
        yield Breach(
            f"shoe {shoe.name} was loaded, and no maker's seal of its cards was opened",
            "a maker's seal that is opened before the cards are used",
            f"{', '.join(seal.number for seal in seals)} never opened before",
            (*shoe.loading, *came),
            shoe=shoe.name,
            key=("maker", shoe.name),
        )


def _one_was_open(view: BatchView, shoe: ShoeSummary, seals: list[Seal]) -> bool:
    return any(
        seal.opened is not None and not view.surely_before(shoe.begins, time_of(seal.opened))
        for seal in seals
    )


RULES = (*SEALS.rules,)
"""Every rule of this module."""
