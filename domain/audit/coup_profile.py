"""The profile of a coup that was dealt and settled without any error.

The profile is computed from the coup's events, cards and bets. A rule's function ``clean_when``
takes the profile and the `ShoeProfile`, and returns whether they suffice to show that the coup
keeps the rule. A coup with an error or an unusual event has no profile.
"""

from collections.abc import Collection
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.audit.coup_view import CoupView, is_settled_as_due
from sabot.domain.procedure.common import coup_differential, last_coup, limit_on, staying_bets
from sabot.domain.rules.coup_result import Result, result_of
from sabot.domain.rules.payouts import Cashier, Due
from sabot.domain.rules.third_card_table import banker_draws, player_draws
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_context import limits_in_force, limits_throughout, tells_limits
from sabot.domain.timeline import sequence as seq
from sabot.domain.timeline.constraints import stages
from sabot.domain.values.cards import FIRST_TWO, VALUE


class CoupProfile(Struct, frozen=True, gc=False):
    """The properties of a coup without errors.

    - ``kinds``: the types of its events.
    - ``due``: the kinds of settlement due to its bets.
    - ``free``: whether it was a free hand.
    - ``late``: whether it came after the last coup of the shoe.
    - ``within``: whether every bet was placed on record, has a limit and keeps it. Where limits are
    per patron, no patron may have two bets on a wager.
    - ``held``: whether the rule pack keeps tied bets on the layout, and either the previous coup
      left such bets or this coup has no bets.
    - ``balanced``: whether the Player and Banker bets differ by no more than the pack allows.
    - ``seated``: whether the bets name their seats, with no more patrons on a seat than the pack
    allows.
    - ``winners``: the order in which winners were paid: ``few`` (fewer than two), ``in-turn``
    (nearest to the dealer first) or ``closely`` (needs a closer check). It is empty where the pack
    sets no order.
    - ``shown``: whether cards dealt face down were turned before any call.

    ``balanced`` and ``seated`` are True where the pack sets no limit.
    """

    kinds: frozenset[type]
    due: frozenset[str]
    free: bool
    late: bool
    within: bool
    held: bool
    balanced: bool
    seated: bool
    winners: Literal["", "few", "in-turn", "closely"]
    shown: bool


class ShoeProfile(NamedTuple):
    """The properties of a shoe that complete a coup's profile.

    ``named`` is whether the record names the rule pack. ``ended`` is whether the shoe ended,
    ``cut_card`` whether the cut card appeared. ``ruled`` is whether an irregularity was noted that
    names no coup. ``foreign`` is whether the shoe has events of another game. ``stranger_bets`` is
    whether a bet may be by the crew or by a patron who had left.
    """

    pack_text: str
    named: bool
    ended: bool
    cut_card: bool
    ruled: bool
    foreign: bool
    stranger_bets: bool


def by_the_book(_coup: CoupProfile, _shoe: ShoeProfile) -> bool:
    """Return True: coups with a profile keep the rule."""
    return True


def has_profiles(shoe: Shoe) -> bool:
    """Return whether coups of a shoe can have profiles.

    The game must be punto banco, the record complete, and the order of its events known.
    """
    pack = shoe.pack
    if pack is None or pack.game != "punto-banco" or shoe.order is not None:
        return False
    positions = [event.position for event in shoe.history]
    return shoe.coverage == "whole" and positions == sorted(positions)


_STAGES: Final = stages(
    (
        *(seq.COUP_OPENED, seq.BETS, seq.NO_MORE_BETS, seq.CARDS, seq.FIRST_TURNED),
        *(seq.THIRD_TURNED, seq.TOTALS, seq.RESULT, seq.TAKING, seq.PUSHING, seq.PAYING),
        *(seq.COMMISSION, seq.COUP_CLOSED),
    ),
    seq.constraints_of("punto-banco"),
)
"""The stages of a coup, by type of event. A coup with a profile has only these types."""
_ONCE: Final = tuple(
    once.first.types
    for once in seq.CONSTRAINTS.values()
    if once.template == "once" and once.first.types[0] in _STAGES
)
"""The steps that occur exactly once in each coup, each as its types of events."""
_MOVE: Final[dict[str, type]] = {"take": ev.BetTaken, "push": ev.BetPushed, "pay": ev.BetPaid}
_FOUR: Final[tuple[ev.Hand, ...]] = ("player", "banker", "player", "banker")
_FIRST_FOUR: Final = frozenset((hand, nth) for hand in ("player", "banker") for nth in (1, 2))
_HANDS: Final = {
    (*_FOUR, *("player",) * player_drew, *("banker",) * banker_drew): (player_drew, banker_drew)
    for player_drew in (False, True)
    for banker_drew in (False, True)
}
"""The order of the hands that receive the cards, for each case of third cards.

The values are whether Player drew a third card, and whether Banker did.
"""


class CleanCoup(Struct, frozen=True, gc=False):
    """A coup without errors, with its profile and computed values."""

    profile: CoupProfile
    coup: Coup
    totals: tuple[int, int]
    result: Result
    dues: list[Due]

    def view(self, shoe: Shoe, cashier: Cashier | None) -> CoupView:
        """Return the view of `view_coup`, from values already computed."""
        player = self.coup.player
        return CoupView(
            shoe=shoe,
            coup=self.coup,
            cashier=cashier,
            dealt=True,
            starts_before_record=False,
            in_play=False,
            open=shoe.current is self.coup and shoe.ended is None,
            player_total=self.totals[0],
            banker_total=self.totals[1],
            player_third=VALUE[player[2]] if len(player) > FIRST_TWO else None,
            result=self.result,
            settlements_due=list(zip(self.coup.bets.values(), self.dues, strict=True)),
            settled_as_due=self.profile.due,
        )


class CoupProfiles:
    """Computes the profiles of a shoe's coups.

    The shoe must satisfy `has_profiles`.
    """

    def __init__(self, shoe: Shoe, cashier: Cashier | None) -> None:
        self._shoe, self._cashier = shoe, cashier
        self._last = last_coup(shoe)
        pack = shoe.pack
        self._holds = pack is not None and pack.tie.bets_stay and not pack.tie.withdrawable
        self._per_patron = pack is not None and pack.limits.per == "patron"
        self._differential = pack.limits.differential if pack is not None else None
        self._per_seat = pack.table.per_seat if pack is not None else None
        self._in_turn = pack is not None and pack.settling.winners is not None
        self._seats = pack.table.seats if pack is not None else 0
        self._down = pack is not None and pack.cards.faces == "down"
        self._limits: tuple[ev.Limit, ...] = ()
        self._at_table = limits_throughout(shoe)
        self._on_wager: dict[str, ev.Limit | None] = {}

    def profile_of(self, coup: Coup) -> CleanCoup | None:
        """Return the profile of a coup, or None if the coup may have an error."""
        if (
            coup.unmatched_events
            or coup.collected
            or coup.banked is not None
            or self._cashier is None
        ):
            return None
        kinds = _by_the_book(tuple([type(event.payload) for event in coup.events]))
        if kinds is None:
            return None
        totals = _totals_if_dealt_right(coup)
        if totals is None:
            return None
        result = result_of(coup.player, coup.banker)
        if not _calls_are_right(coup, totals, result):
            return None
        bets = coup.bets.values()
        dues = _settlements_due(bets, result, self._cashier)
        if dues is None:
            return None
        profile = CoupProfile(
            kinds,
            frozenset([due.kind for due in dues]),
            coup.free,
            self._last is not None and coup.number > self._last,
            self._keep_limits(bets),
            self._holds and (not bets or bool(staying_bets(self._shoe, coup))),
            self._differential is None or coup_differential(coup) <= self._differential,
            self._per_seat is None or _seats_are_right(bets, self._per_seat),
            self._winners_in_order(bets) if self._in_turn else "",
            not self._down or _turned_before_calls(coup),
        )
        return CleanCoup(profile, coup, totals, result, dues)

    def _keep_limits(self, bets: Collection[Bet]) -> bool:
        """Return whether all bets are within the recorded limits."""
        for bet in bets:
            limits = bet.limits or self._of_the_table(bet)
            if limits is None:
                return False
            if limits is not self._limits:
                # the same limits hold for many coups: each is looked up once
                self._limits, self._on_wager = limits, {}
            try:
                limit = self._on_wager[bet.wager]
            except KeyError:
                limit = limit_on(bet.wager, limits, self._shoe.pack)
                self._on_wager[bet.wager] = limit
            if limit is None or not limit.minimum <= bet.amount + bet.returned <= limit.maximum:
                return False
            if bet.carried and bet.staked is bet.placed:
                return False
        return not self._per_patron or len({(bet.patron, bet.wager) for bet in bets}) == len(bets)

    def _of_the_table(self, bet: Bet) -> tuple[ev.Limit, ...] | None:
        """Return the table's limits in force for a bet. None where they are not known.

        The result is empty if the table's record has no limits, or if the shoe's own record has
        given limits before the bet.
        """
        if not self._at_table and self._at_table is not None:
            return ()
        if tells_limits(self._shoe, bet.staked):
            return ()
        if self._at_table is not None:
            return self._at_table
        stood = limits_in_force(self._shoe, bet.staked)
        return stood[0] if len(stood) == 1 else None

    def _winners_in_order(self, bets: Collection[Bet]) -> Literal["few", "in-turn", "closely"]:
        """Return whether winners were paid nearest to the dealer first.

        The result is ``few`` if there are fewer than two winners. It is ``in-turn`` if the
        distances from the dealer increase over both sides together, since they then increase on
        each side. It is ``closely`` if a closer check is needed.
        """
        paid = [bet for bet in bets if type(bet.moves[0].payload) is ev.BetPaid]
        if len(paid) <= 1:
            return "few"
        paid.sort(key=lambda bet: bet.moves[0].position)
        seats = [bet.placed.payload.seat for bet in paid]
        most = self._seats
        away = [min(seat, most + 1 - seat) for seat in seats if seat is not None and seat <= most]
        return "in-turn" if len(away) == len(seats) and away == sorted(away) else "closely"


@lru_cache(maxsize=4096)
def _by_the_book(kinds: tuple[type, ...]) -> frozenset[type] | None:
    """Return the event types of a coup whose events came in the usual order, or None."""
    stages = [_STAGES.get(kind, -1) for kind in kinds]
    if stages != sorted(stages) or -1 in stages[:1]:
        return None
    if any(sum(map(kinds.count, step)) != 1 for step in _ONCE):
        return None
    if ev.TotalsCalled in kinds:
        before = kinds[: kinds.index(ev.TotalsCalled)]
        if before.count(ev.CardDrawn) < len(_FOUR):
            return None
    return frozenset(kinds)


def _totals_if_dealt_right(coup: Coup) -> tuple[int, int] | None:
    """Return the two-card totals of Player and Banker in a correctly dealt coup.

    Each hand must have the cards that the third-card table requires, dealt in order, and no card
    may have been face up in the shoe. None otherwise.
    """
    cards = [event.payload for event in coup.cards]
    thirds = _HANDS.get(tuple([card.hand for card in cards]))
    if thirds is None or True in [card.face_up for card in cards]:
        return None
    player, banker = coup.player, coup.banker
    player_total = (VALUE[player[0]] + VALUE[player[1]]) % 10
    banker_total = (VALUE[banker[0]] + VALUE[banker[1]]) % 10
    third = VALUE[player[2]] if thirds[0] else None
    if thirds != (
        player_draws(player_total, banker_total),
        banker_draws(player_total, banker_total, third),
    ):
        return None
    return player_total, banker_total


def _turned_before_calls(coup: Coup) -> bool:
    """Return whether four cards were turned before any call."""
    called = coup.calls[0].position
    turned = {
        (event.payload.hand, event.payload.nth) for event in coup.turned if event.position < called
    }
    return turned >= _FIRST_FOUR


def _calls_are_right(coup: Coup, totals: tuple[int, int], result: Result) -> bool:
    """Return whether every call is correct."""
    for event in coup.calls:
        call = event.payload
        if type(call) is ev.TotalsCalled:
            if (call.player, call.banker) != totals:
                return False
        elif type(call) is not ev.ResultCalled or (
            (call.player, call.banker, call.outcome)
            != (result.player, result.banker, result.outcome)
        ):
            return False
    return True


def _settlements_due(bets: Collection[Bet], result: Result, cashier: Cashier) -> list[Due] | None:
    """Return the amount due to each bet of a correctly settled coup.

    The result is None if a bet was settled in several steps or not as due.
    """
    dues = []
    due_to = cashier.due
    for bet in bets:
        due = due_to(bet.wager, result, bet.amount)
        moves = bet.moves
        if due is None or len(moves) != 1 or type(moves[0].payload) is not _MOVE[due.kind]:
            return None
        if not is_settled_as_due(bet, due):
            return None
        dues.append(due)
    return dues


def _seats_are_right(bets: Collection[Bet], most: int) -> bool:
    """Return whether every bet names a seat and no seat has too many patrons.

    The test is cautious: it assumes that all patrons in excess of the seats share one seat.
    """
    theirs = {(bet.placed.payload.seat, bet.patron) for bet in bets}
    seats = {seat for seat, _ in theirs}
    return None not in seats and 0 not in seats and len(theirs) - len(seats) < most
