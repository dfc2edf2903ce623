"""Faults of tables: their rules, the bets left at them, and their dealing shoes."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.points_in_time import format_time
from tests.faults.floor_fault import (
    DEVICE,
    HOUR_US,
    Drafts,
    behind,
    changed,
    fault,
    first,
    of_stream,
    with_more,
)


def _abandoned(
    drafts: Sequence[NewEvent], kept: Callable[[int], Iterable[int]], claims: int = 0
) -> Drafts | None:
    """A winning bet is left on the table. ``kept`` gives the part of it that is kept."""
    for paid in drafts:
        left = (
            _left(drafts, paid.stream, paid.payload)
            if isinstance(paid.payload, ev.BetPaid)
            else None
        )
        if left is not None and isinstance(paid.payload, ev.BetPaid):
            closed, table, patron, lies = left
            coup, bet = paid.payload.coup, paid.payload.bet
            at = replace(closed, stream=f"table/{table}")
            shoe = paid.stream.removeprefix("shoe/")
            payloads: list[ev.Event] = [
                *(ev.AbandonedKept("A-1", amount, shoe, coup, bet) for amount in kept(lies)),
                *[ev.AbandonedClaimed("A-1", lies, patron)] * claims,
            ]
            told = [
                behind(at, payload, number=number) for number, payload in enumerate(payloads, 2)
            ]
            return with_more(drafts, behind(closed, ev.BetAbandoned(coup, bet)), *told)
    return None


def _left(
    drafts: Sequence[NewEvent], shoe: str, paid: ev.BetPaid
) -> tuple[NewEvent, str | None, str, int] | None:
    """Return the facts about a bet that was paid and never changed, or None.

    They are the close of its coup, its table, its patron, and its value on the table in minor
    units.
    """
    mine = of_stream(drafts, shoe)
    bet = [draft.payload for draft in mine if _about(draft.payload, paid.coup, paid.bet)]
    placed = next(
        (payload for payload in bet if isinstance(payload, (ev.BetPlaced, ev.BetCarried))), None
    )
    closed, loaded = first(mine, ev.CoupClosed, coup=paid.coup), first(mine, ev.ShoeLoaded)
    changes = any(isinstance(payload, ev.BetChanged) for payload in bet)
    if placed is None or closed is None or changes or loaded is None:
        return None
    taken = sum(payload.amount for payload in bet if isinstance(payload, ev.CommissionCollected))
    table = getattr(loaded.payload, "table", None)
    return closed, table, placed.patron, placed.amount + paid.amount - taken


def _about(payload: ev.Event, coup: int, bet: int) -> bool:
    return (getattr(payload, "coup", None), getattr(payload, "bet", None)) == (coup, bet)


def _other_rules(drafts: Sequence[NewEvent]) -> Drafts | None:
    adopted = first(drafts, ev.RulePackAdopted)
    return changed(drafts, adopted, version="0", pack_sha256="0" * 64)


def _unapproved(drafts: Sequence[NewEvent]) -> Drafts | None:
    return changed(drafts, first(drafts, ev.RulePackAdopted), approved_by=None)


def _closed_twice(drafts: Sequence[NewEvent]) -> Drafts | None:
    closed = first(drafts, ev.TableClosed)
    return None if closed is None else with_more(drafts, behind(closed, closed.payload))


def _closed_early(drafts: Sequence[NewEvent]) -> Drafts | None:
    """A table is closed after its last shoe is loaded, and the shoe is dealt anyway."""
    closed = first(drafts, ev.TableClosed)
    table = closed.stream.removeprefix("table/") if closed is not None else None
    loaded = [
        d for d in drafts if isinstance(d.payload, ev.ShoeLoaded) and d.payload.table == table
    ]
    if closed is None or not loaded:
        return None
    early = behind(loaded[-1], closed.payload)
    rest = [draft for draft in drafts if draft is not closed]
    return with_more(rest, replace(early, stream=closed.stream, device=f"{DEVICE}/{closed.stream}"))


def _second_shoe(drafts: Sequence[NewEvent]) -> Drafts | None:
    """A shoe is dealt at a table that has another shoe in use."""
    loaded = [draft for draft in drafts if isinstance(draft.payload, ev.ShoeLoaded)]
    one = loaded[0] if loaded else None
    table = getattr(one.payload, "table", None) if one is not None else None
    other = next((d for d in loaded if getattr(d.payload, "table", None) != table), None)
    return changed(drafts, other, table=table, batch=None)


def _tied(drafts: Sequence[NewEvent]) -> Drafts | None:
    """For forty days, each table uses only one dealing shoe."""
    loaded = [draft for draft in drafts if isinstance(draft.payload, ev.ShoeLoaded)]
    tables = {draft.payload.table: draft for draft in reversed(loaded)}  # type: ignore[union-attr]
    if len(tables) < 2:
        return None
    numbers = {table: str(place) for place, table in enumerate(sorted(map(str, tables)), 1)}
    plain: Drafts = []
    for draft in drafts:
        if isinstance(draft.payload, ev.ShoeLoaded):
            number = numbers[str(draft.payload.table)]
            plain.append(replace(draft, payload=replace(draft.payload, sabot=number)))
        else:
            plain.append(draft)
    for day in range(1, 40):
        for table, shoe in tables.items():
            assert isinstance(shoe.payload, ev.ShoeLoaded)
            payload = replace(shoe.payload, sabot=numbers[str(table)], batch=None)
            at_us = (shoe.at_us or 0) - day * 24 * HOUR_US
            name = f"{shoe.stream}-{day}"
            plain.append(NewEvent(name, payload, at_us, shoe.actor, f"{DEVICE}/{name}", 1))
    return sorted(plain, key=lambda draft: draft.at_us or 0)


def _one_number(drafts: Sequence[NewEvent]) -> Drafts | None:
    """Two tables deal at the same time from dealing shoes of the same number."""
    loaded = [draft for draft in drafts if isinstance(draft.payload, ev.ShoeLoaded)]
    first = loaded[0] if loaded else None
    table = getattr(first.payload, "table", None) if first is not None else None
    other = next((d for d in loaded if getattr(d.payload, "table", None) != table), None)
    numbered = changed(drafts, first, sabot="7")
    return numbered and changed(numbered, other, sabot="7")


def _burn_unapproved(drafts: Sequence[NewEvent]) -> Drafts | None:
    return changed(drafts, first(drafts, ev.RulePackAdopted), authority=None, approval=None)


def _burn_unnoticed(drafts: Sequence[NewEvent]) -> Drafts | None:
    adopted = first(drafts, ev.RulePackAdopted)
    day = format_time(adopted.at_us or 0)[:10] if adopted is not None else None
    return changed(drafts, adopted, noticed=day)


def _another_banks(drafts: Sequence[NewEvent]) -> Drafts | None:
    """The game continues from a patron who did not hold the shoe before."""
    for draft in drafts:
        payload = draft.payload
        if isinstance(payload, ev.ShoeLoaded) and payload.banked is not None:
            for seat in payload.seats:
                if seat.patron != payload.banked:
                    return changed(drafts, draft, banked=seat.patron)
    return None


def _second_closing_corrected(drafts: Sequence[NewEvent]) -> Drafts | None:
    """A table is closed twice, and minutes later the second closing is corrected away."""
    closed = next((d for d in reversed(drafts) if isinstance(d.payload, ev.TableClosed)), None)
    if closed is None:
        return None
    again = behind(closed, closed.payload, minutes=2)
    version = len(of_stream(with_more(drafts, again), closed.stream))
    corrected = behind(closed, ev.EventCorrected(version, "pressed twice"), minutes=5, number=2)
    return with_more(drafts, again, corrected)


KINDS: Final = (
    fault("second-closing-corrected-away", "integrity",
          "a table is closed twice, and the second closing is corrected away minutes later",
          _second_closing_corrected, "R418"),
    fault("table-of-another-game", "integrity",
          "a table is opened for another game than its shoes are dealt in",
          lambda drafts: changed(drafts, first(drafts, ev.TableOpened), game="victoria"),
          "F611"),
    fault("table-in-another-currency", "integrity",
          "a table is opened in another currency than its shoes are played in",
          lambda drafts: changed(drafts, first(drafts, ev.TableOpened), currency="XTS"),
          "F610"),
    fault("abandoned-and-gone", "procedure",
          "nobody keeps a bet that was left behind",
          lambda drafts: _abandoned(drafts, lambda _: ()), "F607"),
    fault("abandoned-winnings-gone", "payout",
          "only half of an abandoned bet is kept",
          lambda drafts: _abandoned(drafts, lambda lies: (lies // 2,)),
          "F608"),
    fault("abandoned-kept-twice", "payout",
          "an abandoned bet is kept a second time",
          lambda drafts: _abandoned(drafts, lambda lies: (lies, lies)),
          "F608"),
    fault("abandoned-paid-twice", "payout",
          "abandoned money is paid out twice",
          lambda drafts: _abandoned(drafts, lambda lies: (lies,), 2),
          "F609"),
    fault("other-rules-adopted", "integrity",
          "shoes are dealt by rules that were not adopted",
          _other_rules, "A601"),
    fault("rules-unapproved", "procedure",
          "a table adopts rules that nobody approved",
          _unapproved, "A602"),
    fault("burn-unapproved", "procedure",
          "a table burns as no authority has approved",
          _burn_unapproved, "A603"),
    fault("burn-unnoticed", "procedure",
          "a table burns otherwise, and the authority is told on the day",
          _burn_unnoticed, "A604"),
    fault("closed-twice", "integrity",
          "a table is closed that was closed already",
          _closed_twice, "R402"),
    fault("closed-early", "integrity",
          "a table is closed, and a shoe dealt at it",
          _closed_early, "F601"),
    fault("second-shoe", "integrity",
          "a second shoe is dealt at a table beside the one in use",
          _second_shoe, "F602", "H505",
          "F603"),
    fault("shoe-tied", "procedure",
          "each dealing shoe stands at one table for forty days",
          _tied, "F605"),
    fault("one-number-twice", "integrity",
          "two dealing shoes have the same number",
          _one_number, "F606"),
    fault("bank-skips-a-pack", "procedure",
          "the bank goes on in the next shoe from somebody who did not have it last",
          _another_banks, "H505", "O510"),
)  # fmt: skip
