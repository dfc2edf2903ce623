"""Facts that speak of what is not on record: chips that moved for a bet that nobody placed.

Rules of integrity: whether the shoe's own events hold together.

The rule that a shoe is dealt by what was put down when it was loaded: it is not put in anew.
"""

from collections.abc import Iterator
from typing import Final

from sabot.domain.audit.checks.ceased_bet_settlements import (
    moved_by_placing_again,
    settled_when_gone,
)
from sabot.domain.audit.rule import (
    NO_BREACH,
    STARTS_BEFORE_RECORD,
    Answer,
    Breach,
    Doubt,
    MoneyEffect,
    Rule,
    may_lack_opening,
)
from sabot.domain.audit.table_order import doubt, doubt_in_row, ground_in_doubt
from sabot.domain.audit.wording import money
from sabot.domain.events import (
    BetCarried,
    BetPaid,
    BetPlaced,
    BetPushed,
    BetTaken,
    CardBurned,
    CardDrawn,
    CommissionCollected,
    CoupClosed,
    NoMoreBets,
    OrderCommitted,
    OrderOpened,
    ResultCalled,
    ShoeLoaded,
    TotalsCalled,
    name_of,
)
from sabot.domain.events.bank import BankRaised, BankUnlimited, BankWithdrawn
from sabot.domain.events.commitment import order_sha256
from sabot.domain.events.corrections import effective, names_earlier
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import VALUE, Card, rank_of, suit_of


def groundless(
    shoe: Shoe, coup: int | None, event: RecordedEvent, moved: MoneyEffect | None
) -> Breach:
    """Return the breach of an event without ground, with what `moved_of_no_bet` says of it."""
    said = "an event speaks of what was never recorded, or was recorded already"
    shown = name_of(event.payload)
    if moved is not None:
        amount = money(shoe, getattr(event.payload, "amount", 0))
        whose = "" if hasattr(event.payload, "patron") else ": whose chips they are nobody recorded"
        said, shown = f"{said}, and chips moved{whose}", f"{shown} of {amount}"
    return Breach(said, "every event rests on those before it", shown, (event,), coup, moved)


def moved_of_no_bet(shoe: Shoe, number: int, event: RecordedEvent) -> MoneyEffect | None:
    """Return the chips that left or came to the tray for a bet that is not there; None: none did.

    Where a patron banks they are those of his bank.
    """
    coup, payload = shoe.coups[number], event.payload
    if getattr(payload, "bet", None) in coup.bets:
        return None
    match payload:
        case BetPaid(amount=amount):
            patron, gain = None, amount
        case BetTaken(amount=amount):
            patron, gain = None, -amount
        case CommissionCollected(patron=patron, amount=amount):
            return ((patron, -amount),)
        case _:
            return None
    banker = coup.banked.banker if coup.banked is not None else None
    bank = () if banker is None else ((banker, -gain),)
    return ((patron, gain), *bank)


_NEEDS_OPENING: Final = (
    BetPlaced, BetCarried, NoMoreBets, CardDrawn, TotalsCalled, ResultCalled,
    BetTaken, BetPaid, BetPushed, CoupClosed,
)  # fmt: skip
_OF_A_BANK: Final = (BankRaised, BankWithdrawn, BankUnlimited)
_CITES = ("design.md: no undealt card is shown; an order is committed and opened",)


def _pack_reads(shoe: Shoe) -> Answer:
    if shoe.loaded is None:
        return "the record does not begin with the loading of the shoe"
    if shoe.pack is not None:
        return NO_BREACH
    return (Breach("the rule pack cannot be read", "a rule pack", shoe.pack_fault, (shoe.loaded,)),)


def _pack_hash(shoe: Shoe) -> Answer:
    if shoe.loaded is None:
        return "the record does not begin with the loading of the shoe"
    required = pack_sha256(shoe.loaded.payload.pack)
    if required == shoe.loaded.payload.pack_sha256:
        return NO_BREACH
    return (
        Breach(
            "the rule pack's text is not the one that its hash names",
            required,
            shoe.loaded.payload.pack_sha256,
            (shoe.loaded,),
        ),
    )


def _commitment(shoe: Shoe) -> Answer:
    if not shoe.committed:
        return "no order was committed"
    if shoe.ended is None:
        return "the shoe has not ended"
    opened = shoe.order_opened
    hashes = {_hash_of(event) for event in opened}
    return tuple(
        Breach(
            "a committed order was not opened",
            f"an order whose hash is {event.payload.sha256}",
            f"{len(opened)} orders opened, none of that hash",
            (event, *opened),
            done=shoe.ended,
        )
        for event in shoe.committed
        if event.payload.sha256 not in hashes
    )


def _hash_of(event: RecordedEvent[OrderOpened]) -> str:
    return order_sha256(event.payload.salt, event.payload.order)


def _dealt_as_committed(shoe: Shoe) -> Answer:
    if not shoe.order_opened:
        return "no order was opened"
    doubtful = doubt_in_row(shoe, shoe.left)
    if doubtful is not None:
        return doubtful
    breaches: list[Breach] = []
    for opened in shoe.order_opened:
        committed = next((c for c in shoe.committed if _commits(c, opened)), None)
        if committed is not None:
            breaches.extend(_against(shoe, committed, opened.payload.order))
    return tuple(breaches)


def _commits(committed: RecordedEvent[OrderCommitted], opened: RecordedEvent[OrderOpened]) -> bool:
    return committed.payload.sha256 == _hash_of(opened)


def _against(
    shoe: Shoe, committed: RecordedEvent[OrderCommitted], order: tuple[Card, ...]
) -> list[Breach]:
    """Hold the cards that left after a commitment against its order, up to the next one."""
    until = min(
        (event.position for event in shoe.committed if event.position > committed.position),
        default=None,
    )
    dealt = [
        event
        for event in shoe.left
        if event.position > committed.position and (until is None or event.position < until)
    ]
    faces = [event.payload.card for event in dealt]
    if all(face is None or face == due for face, due in zip(faces, order, strict=False)):
        return []
    for event, due in zip(dealt, order, strict=False):
        payload = event.payload
        shown = payload.card
        if shown is not None and not _may_be(shown, due):
            coup = payload.coup
            said = f"{shown} left the shoe where {due} was committed"
            return [Breach(said, due, shown, (committed, event), coup, done=event)]
    return []


def _may_be(shown: Card, due: Card) -> bool:
    """Tell whether a card as the record knows it can be the card of the order."""
    if VALUE[shown] != VALUE[due]:
        return False
    if rank_of(shown) is None:
        return True
    return shown == due or (suit_of(shown) is None and shown[0] == due[0])


def _grounds(shoe: Shoe) -> Answer:
    strays = [
        (None, event) for event in shoe.unmatched_events if not _of_an_earlier_bank(shoe, event)
    ]
    of_coups = [
        (coup.number, event) for coup in shoe.coups.values() for event in coup.unmatched_events
    ]
    unopened = [
        (coup.number, coup.events[0])
        for coup in shoe.coups.values()
        if coup.opened is None and coup.events
    ]
    alone = shoe.scope == "coups"
    none_opened = alone and all(coup.opened is None for coup in shoe.coups.values())
    no_bets = alone and not any(coup.bets for coup in shoe.coups.values())
    headless = {
        number
        for number, _ in unopened
        if none_opened or may_lack_opening(shoe, shoe.coups[number])
    }
    answer: list[Breach | Doubt] = [Doubt(STARTS_BEFORE_RECORD) for _ in headless]
    for number, event, opened in _too_early(shoe):
        doubtful = doubt(shoe, event, opened)
        if doubtful is None:
            unopened.append((number, event))
        else:
            answer.append(Doubt(doubtful))
    if headless:
        # its opening and its bets may stand before the record; what it holds twice, it holds
        unopened = [each for each in unopened if each[0] not in headless]
        of_coups = [
            (number, event)
            for number, event in of_coups
            if number not in headless or isinstance(event.payload, (BetPlaced, BetCarried))
        ]
    of_bets = [
        moved_by_placing_again(shoe, *each) or moved_of_no_bet(shoe, *each) for each in of_coups
    ]
    moved = [*[None for _ in strays], *of_bets, *[None for _ in unopened]]
    for (coup, event), gains in zip((*strays, *of_coups, *unopened), moved, strict=True):
        doubtful = ground_in_doubt(shoe, shoe.coups.get(coup or 0), event)
        if no_bets and getattr(event.payload, "bet", None) is not None:
            doubtful = "the record may lack bets"
        answer.append(
            Doubt(doubtful) if doubtful is not None else groundless(shoe, coup, event, gains)
        )
    for number, each in shoe.coups.items():
        if number not in headless:
            answer += settled_when_gone(shoe, each)
    return tuple(answer)


def _too_early(shoe: Shoe) -> Iterator[tuple[int, RecordedEvent, RecordedEvent]]:
    """Yield the first event of a coup that came before its opening, with the opening."""
    for coup in shoe.coups.values():
        opened = coup.opened
        if opened is None or coup.events[0] is opened:
            continue
        for event in coup.events:
            if event.position >= opened.position:
                break
            if isinstance(event.payload, _NEEDS_OPENING):
                yield coup.number, event, opened
                break


def _of_an_earlier_bank(shoe: Shoe, event: RecordedEvent) -> bool:
    """Tell whether an event may be of a bank that was put up before the record began."""
    begun = shoe.scope == "whole" and shoe.loaded is not None
    if begun or not isinstance(event.payload, _OF_A_BANK):
        return False
    return not shoe.banks or event.position < shoe.banks[0].posted.position


def _corrections(shoe: Shoe) -> Answer:
    if not shoe.corrections:
        return "nothing was corrected"
    known = {event.position for event in shoe.history}
    return tuple(
        Breach(
            "a correction names an event that is not there",
            "the version of an earlier event of this shoe",
            str(event.payload.version),
            (event,),
        )
        for event in shoe.corrections
        if event.payload.version not in known or not names_earlier(event.payload, event.position)
    )


INTEGRITY_RULES = (
    Rule(
        "R406",
        "unreadable-rule-pack",
        "integrity",
        "high",
        "A shoe is judged by the pack in its own log; without it payments cannot be judged.",
        ("field-facts.md 3 A27",),
        on_shoe=_pack_reads,
    ),
    Rule(
        "R407",
        "rule-pack-mismatch",
        "integrity",
        "high",
        "The hash in the log names the pack's text.",
        ("field-facts.md 3 A27",),
        on_shoe=_pack_hash,
    ),
    Rule(
        "R408",
        "committed-order-not-opened",
        "integrity",
        "high",
        "An order bound by its hash before the first card is shown when the shoe has ended.",
        _CITES,
        on_shoe=_commitment,
        live=False,
    ),
    Rule(
        "R409",
        "card-order-mismatch",
        "integrity",
        "high",
        "The cards leave the shoe in the order that was bound before the first.",
        _CITES,
        on_shoe=_dealt_as_committed,
    ),
    Rule(
        "R401",
        "unmatched-event",
        "integrity",
        "medium",
        "A payment has a bet, a bet a coup, a coup an opening; a second loading has no place.",
        ("design.md: a shoe is the unit",),
        on_shoe=_grounds,
    ),
    Rule(
        "R404",
        "correction-without-event",
        "integrity",
        "medium",
        "A correction names the earlier event that it mends.",
        ("design.md: a mistake is mended by a correcting event that names it",),
        on_shoe=_corrections,
    ),
)


def _changed(shoe: Shoe) -> Answer:
    if not shoe.corrections:
        return "nothing was corrected"
    loaded = first_of(ShoeLoaded, shoe.history)
    first = next(iter(events_of((CardDrawn, CardBurned), shoe.history)), None)
    if loaded is None or first is None:
        return "the record has no loading of the shoe, or no card"
    late = [
        event
        for event in shoe.corrections
        if event.payload.version == loaded.version and event.position > first.position
    ]
    if not late:
        return NO_BREACH
    before = _of(loaded, [each for each in shoe.history if each.position <= first.position])
    now = _of(loaded, shoe.history)
    if before == now:
        return NO_BREACH
    what = "its loading" if now is None or before is None else _what(before, now)
    return (
        Breach(
            f"{what} was put in anew when the shoe was being dealt",
            "a shoe is dealt by the rules and from the decks put down before its first card",
            f"{what} corrected after it",
            (late[-1], first, loaded),
            key=("loading",),
        ),
    )


def _of(loaded: RecordedEvent, history: list[RecordedEvent]) -> tuple[str, int] | None:
    """Return the pack and the decks of a loading, as a history has it; None where it has none."""
    for event in effective(history):
        if event.position == loaded.position and isinstance(event.payload, ShoeLoaded):
            return event.payload.pack, event.payload.decks
    return None


def _what(before: tuple[str, int], now: tuple[str, int]) -> str:
    pack, decks = before[0] != now[0], before[1] != now[1]
    return " and ".join(["its rule pack"] * pack + ["the number of its decks"] * decks)


PINNED_PACK_RULES = (
    Rule(
        "R405",
        "late-loading-change",
        "integrity",
        "high",
        "Rules that are put in behind the cards make any payment right, and any count.",
        ("field-facts.md 3 A1, A27", "Singapore, Casino Control Act s. 100"),
        on_shoe=_changed,
    ),
)


RULES = (
    *INTEGRITY_RULES,
    *PINNED_PACK_RULES,
)
"""Every rule of this family."""
