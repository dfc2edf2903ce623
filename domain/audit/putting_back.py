"""Rules of the end of a game: the cards are put back in order, and looked over, before they go."""

from domain.audit.dealt import clock
from domain.audit.floor import BatchView, ShoeTrace
from domain.audit.rule import Answer, Breach, Rule
from domain.event import Event


def _put_back(view: BatchView) -> Answer:
    if view.custody is None:
        return view.reason
    if not view.custody.put_back:
        return "the pack does not ask that cards be put back in order"
    ended = [shoe for shoe in view.shoes if shoe.ended is not None]
    if not ended:
        return "no shoe of the batch has ended"
    games = [(event, shoe) for event, shoe in _games(view, ended) if shoe is not None]
    if not games:
        return "the cards have not gone on since their last shoe ended"
    return tuple(
        Breach(
            f"the cards of shoe {shoe.name} went on, and were not put back in order",
            "after the game the cards are put back in the maker's order and looked over for marks",
            "not put back between the end of the shoe and the next thing done with the cards",
            (event, *((shoe.ended,) if shoe.ended is not None else ())),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for event, shoe in games
        if not any(
            shoe.ends - view.tolerance_us <= clock(sorting) <= clock(event) + view.tolerance_us
            for sorting in view.batch.sortings
        )
    )


def _games(view: BatchView, ended: list[ShoeTrace]) -> list[tuple[Event, ShoeTrace | None]]:
    """Return what ended each game, an issue, a seal or the destruction, and its last shoe."""
    batch = view.batch
    marks = [stay.issued for stay in batch.stays]
    marks += [seal.closed for seal in batch.seals]
    marks += [event for event in batch.destroyed[:1] if event not in marks]
    marks.sort(key=clock)
    games: list[tuple[Event, ShoeTrace | None]] = []
    begins = 0
    for mark in marks:
        of_game = [shoe for shoe in ended if begins <= shoe.ends <= clock(mark)]
        games.append((mark, max(of_game, key=lambda shoe: shoe.ends, default=None)))
        begins = clock(mark)
    return games


RULES = (
    Rule(
        "cards-were-not-put-back-in-order",
        "procedure",
        "medium",
        "In the maker's order every card that is missing, extra or marked shows at a glance.",
        ("field-facts.md 3 A23", "arrêté of 14 May 2007, art. 40"),
        on_batch=_put_back,
        by_clock=True,
    ),
)
