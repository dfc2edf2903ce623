"""The text of findings about late bets."""

from functools import partial

from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import faces_of
from sabot.domain.audit.late_change_reversals import stake_before
from sabot.domain.audit.settled_stakes import stake_after
from sabot.domain.events import BetChanged, BetWithdrawn
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.money_text import format_money
from sabot.domain.timeline.evidence import before, surely


def describe_stake(view: CoupView, bet: Bet, event: RecordedEvent) -> str:
    """Return text for what an event did to a stake: placed, raised, pinched or withdrawn."""
    stake = stake_before(bet, event)
    was = format_money(view.shoe, stake)
    match event.payload:
        case BetChanged(amount=amount) if amount != stake:
            verb = "raised" if amount > stake else "pinched"
            return f"{verb} from {was} to {format_money(view.shoe, amount)}"
        case BetChanged():
            return f"changed, still {was},"
        case BetWithdrawn():
            return f"of {was} withdrawn"
        case _:
            return f"of {format_money(view.shoe, stake_after(event))} placed"


def since_closing(view: CoupView, event: RecordedEvent) -> str:
    """Return text for how late an event was.

    The text lists the cards already shown, and the time since the call. Cards that may have come
    after the event are left out.
    """
    coup, parts = view.coup, []
    drawn = [card for card in coup.cards if surely(partial(before, view, card, event))]
    if drawn:
        faces = faces_of([card.payload for card in drawn])
        parts.append(f"after card {len(drawn)} ({faces})")
    call = coup.no_more_bets
    if call is not None and call.at_us is not None and event.at_us is not None:
        seconds = (event.at_us - call.at_us) / 1_000_000
        parts += [f'{seconds:.1f} s after "no more bets"'] if seconds >= 0 else []
    return ", ".join(parts) or "after the bets were closed"
