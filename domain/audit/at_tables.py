"""Rules of a table: it is open while it is dealt at, and one shoe is dealt there at a time."""

from collections.abc import Iterator

from domain.audit.floor import Floor, ShoeTrace, TableView, clock, doubt_of
from domain.audit.rule import Answer, Breach, Doubt, Rule
from domain.event import Event


def _tolerance(shoe: ShoeTrace) -> int:
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    return 1000 * clocks.tolerance_ms if clocks is not None else 0


def _closed(view: TableView) -> Answer:
    sessions = view.table.sessions
    closings = [each.closed for each in sessions if each.closed is not None]
    if not closings:
        return "no closing of the table was recorded"
    shoes = [shoe for shoe in view.shoes if shoe.dealt]
    if not shoes:
        return "no coup was dealt at the table"
    moves = [*closings, *(each.opened for each in sessions if each.opened is not None)]
    moves.sort(key=lambda event: event.version)
    doubts = {shoe.name: doubt_of([*moves, *shoe.dealt]) for shoe in shoes}
    reasons = [Doubt(reason) for reason in doubts.values() if reason]
    if len(reasons) == len(shoes):
        return reasons[0].reason
    judged = (shoe for shoe in shoes if not doubts[shoe.name])
    return (*reasons, *(each for shoe in judged for each in _when_closed(shoe, closings, moves)))


def _when_closed(shoe: ShoeTrace, closings: list[Event], moves: list[Event]) -> Iterator[Breach]:
    """Yield one breach, if a first or last coup began between a closing and the next opening."""
    tolerance = _tolerance(shoe)
    for event in shoe.dealt:
        at = clock(event)
        before = [each for each in moves if clock(each) + tolerance < at]
        near = any(abs(clock(each) - at) <= tolerance for each in moves)
        if before and before[-1] in closings and not near:
            yield Breach(
                f"shoe {shoe.name} was dealt at {shoe.table} when the table was closed",
                "a table is open while coups are dealt at it",
                "no opening since it was closed",
                (event, before[-1]),
                shoe=shoe.name,
                key=("shoe", shoe.name),
            )
            return


def _two_shoes(floor: Floor) -> Answer:
    tables = {
        table: dealt
        for table, shoes in floor.at_table.items()
        if (dealt := [shoe for shoe in shoes if shoe.dealt])
    }
    if all(len(shoes) < 2 for shoes in tables.values()):  # noqa: PLR2004 - one beside another
        return "no two shoes were dealt at one table"
    return tuple(breach for shoes in tables.values() for breach in _beside(shoes))


def _beside(shoes: list[ShoeTrace]) -> Iterator[Breach]:
    """Yield a breach for each shoe that was begun before one begun earlier was dealt out."""
    shoes = sorted(shoes, key=lambda shoe: (clock(shoe.dealt[0]), shoe.name))
    longest = shoes[0]
    for shoe in shoes[1:]:
        if clock(shoe.dealt[0]) + _tolerance(shoe) < clock(longest.dealt[-1]):
            yield Breach(
                f"shoe {shoe.name} was dealt at {shoe.table} while shoe {longest.name} was",
                "one shoe at a table at a time",
                f"shoe {longest.name} went on after the first coup of {shoe.name}",
                (shoe.dealt[0], longest.dealt[-1]),
                shoe=shoe.name,
                key=("shoe", shoe.name),
            )
        longest = max(longest, shoe, key=lambda each: clock(each.dealt[-1]))


RULES = (
    Rule(
        "shoe-was-dealt-at-a-closed-table",
        "integrity",
        "high",
        "What is dealt at a closed table is in no count of it, and nobody watches.",
        ("field-facts.md 6 (master game: opener and closer)", "COMAR 36.05.03.02, .25"),
        on_table=_closed,
    ),
    Rule(
        "two-shoes-were-dealt-at-one-table",
        "integrity",
        "high",
        "A second shoe beside the one in use is how cards in a known order come to a table.",
        ("field-facts.md 4 (cooler), 6 (shoe record)",),
        on_floor=_two_shoes,
        by_clock=True,
    ),
)
