"""Rules of inspection and pre-shuffle: who saw the cards before they went to a table."""

from collections.abc import Iterator

from sabot.domain.audit.findings import told
from sabot.domain.audit.floor_view import BatchView, Floor, ShoeSummary, clock
from sabot.domain.audit.rule import Answer, Breach, Doubt, Rule
from sabot.domain.events import CardsInspected
from sabot.domain.events.card_batch import CardsPreshuffled
from sabot.domain.events.envelope import RecordedEvent

_NO_PRESHUFFLE = "no pre-shuffle was recorded"
_UNSAID = "the record does not say how long the recording of a pre-shuffle is kept"


def _uninspected(view: BatchView) -> Answer:
    if view.custody is None:
        return view.reason
    if not view.custody.inspected:
        return "the pack does not ask for an inspection"
    shoes = [(shoe, shoe.first) for shoe in view.shoes]
    if not shoes:
        return "no shoe was loaded with the batch"
    inspections = [clock(event) for event in view.batch.inspected]
    inspections += [clock(shoe.inspected) for shoe in view.shoes if shoe.inspected is not None]

    def inspected(shoe: ShoeSummary, card: RecordedEvent) -> bool:
        since, until = view.since(shoe) - view.tolerance_us, clock(card) + view.tolerance_us
        return any(since <= each <= until for each in inspections)

    return tuple(
        Breach(
            f"shoe {shoe.name} was dealt with cards that nobody had inspected",
            "an inspection of the cards before the first is dealt",
            "none of these cards before the first" if inspections else "none at all",
            (card,),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for shoe, card in shoes
        if card is not None and not inspected(shoe, card)
    )


def _no_receipt(view: BatchView) -> Answer:
    if view.custody is None:
        return view.reason
    if not view.custody.receipt:
        return "the pack does not ask for a receipt"
    printed: list[RecordedEvent[CardsPreshuffled | CardsInspected]] = [*view.batch.preshuffled]
    printed += [event for event in view.batch.inspected if _of_machine(event.payload)]
    if not printed:
        return "no machine inspected or shuffled the cards"
    return tuple(
        Breach(
            f"a machine's receipt lacks its {' and '.join(lacking)}",
            "model, serial and receipt of the machine",
            f"no {', no '.join(lacking)}",
            (event,),
            key=told(event, view.batch.history),
        )
        for event in printed
        if (lacking := _lacking(event))
    )


def _of_machine(payload: CardsInspected) -> bool:
    return any((payload.model, payload.serial, payload.receipt))


def _lacking(event: RecordedEvent[CardsPreshuffled | CardsInspected]) -> list[str]:
    return [key for key in ("model", "serial", "receipt") if getattr(event.payload, key) is None]


def _busy_supervisor(view: BatchView) -> Answer:
    reason = _unwatched(view)
    if reason:
        return reason
    named = [
        (event, event.payload.supervisor)
        for event in view.batch.preshuffled
        if event.payload.supervisor is not None
    ]
    if not named:
        return "no pre-shuffle names its supervisor"
    return tuple(
        Breach(
            f"{supervisor} watched a pre-shuffle with table {table} open",
            "a supervisor who has no open table meanwhile",
            f"supervisor of {table}",
            (event, since),
            key=(*told(event, view.batch.history), table),
        )
        for event, supervisor in named
        for table, since in _tables_of(view.floor, supervisor, clock(event), view.tolerance_us)
    )


def _unwatched(view: BatchView) -> str:
    """Say why nobody need have watched a pre-shuffle; empty where one was to be watched."""
    if view.custody is None:
        return view.reason
    if not view.custody.free_supervisor:
        return "the pack does not say that the supervisor is free of tables"
    return "" if view.batch.preshuffled else _NO_PRESHUFFLE


def _no_supervisor(view: BatchView) -> Answer:
    return _unwatched(view) or tuple(
        Breach(
            "no supervisor is named who watched a pre-shuffle",
            "a supervisor who verifies it, and is named",
            "nobody",
            (event,),
            key=told(event, view.batch.history),
        )
        for event in view.batch.preshuffled
        if event.payload.supervisor is None
    )


def _tables_of(
    floor: Floor, person: str, at: int, tolerance: int
) -> Iterator[tuple[str, RecordedEvent]]:
    """Yield the tables that somebody supervised at a moment, with the event that began it."""
    seen = set()
    for table, post in floor.supervised.get(person, []):
        left = post.until is not None and clock(post.until) <= at + tolerance
        if table not in seen and clock(post.since) + tolerance < at and not left:
            seen.add(table)
            yield table, post.since


def _recording(view: BatchView) -> Answer:
    if view.custody is None:
        return view.reason
    days = view.custody.recording_days
    if days is None:
        return "the pack does not ask for a recording"
    shuffles = [(event, event.payload) for event in view.batch.preshuffled]
    if not shuffles:
        return _NO_PRESHUFFLE
    answer = tuple(
        Doubt(_UNSAID) if payload.recording is not None and payload.kept_days is None else breach
        for event, payload in shuffles
        if (breach := _unkept(view, event, payload, days)) is not None
    )
    unjudged = [each for each in answer if isinstance(each, Doubt)]
    return _UNSAID if len(unjudged) == len(shuffles) else answer


def _unkept(
    view: BatchView, event: RecordedEvent, payload: CardsPreshuffled, days: int
) -> Breach | None:
    """Return what is wrong with the recording of a pre-shuffle, as far as the record says."""
    if payload.recording is not None and (payload.kept_days or 0) >= days:
        return None
    return Breach(
        "a pre-shuffle was not recorded, or its recording is not kept",
        f"a recording that is kept for {days} days",
        "no recording" if payload.recording is None else f"kept for {payload.kept_days} days",
        (event,),
        key=told(event, view.batch.history),
    )


RULES = (
    Rule(
        "M609",
        "uninspected-cards",
        "procedure",
        "high",
        "Faces and backs are looked over before anybody bets on what they are.",
        ("field-facts.md 3 A21", "NJ 13:69E-1.18A", "NY 5322.16"),
        on_batch=_uninspected,
        by_clock=True,
    ),
    Rule(
        "M610",
        "missing-preshuffle-receipt",
        "procedure",
        "medium",
        "The receipt tells which machine had the cards, and whose hands fed it.",
        ("field-facts.md 3 A21", "NJ 13:69E-1.18A"),
        on_batch=_no_receipt,
    ),
    Rule(
        "M611",
        "preshuffle-supervisor-not-free",
        "procedure",
        "medium",
        "Who has a table to watch does not watch a machine.",
        ("field-facts.md 3 A21", "NJ 13:69E-1.18A", "NY 5322.16"),
        on_batch=_busy_supervisor,
        by_clock=True,
    ),
    Rule(
        "M612",
        "unverified-preshuffle",
        "procedure",
        "medium",
        "What a dealer does alone with the cards, away from a table, nobody answers for.",
        ("field-facts.md 3 A21", "NJ 13:69E-1.18A(b)", "NY 5322.16(b): verified by a supervisor"),
        on_batch=_no_supervisor,
    ),
    Rule(
        "M613",
        "missing-preshuffle-recording",
        "procedure",
        "low",
        "What the camera saw of the cards is looked at again once something is missed.",
        ("field-facts.md 3 A21: at least 7 days", "NJ 13:69E-1.18A"),
        on_batch=_recording,
    ),
)
