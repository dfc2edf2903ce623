"""Tables whose decks, limits, free hands, holders or rulings differ from the pack."""

from collections.abc import Iterator

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.common import staying_bets
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
from tests.faults.fault import Events, FaultKind

_FREE_BET = "B206"
_FREE_HANDS = "B207"
_FREE_LATE = "B208"
_FREE_UNASKED = "B209"


def _limits_out_of_proportion(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CoupOpened) or not table.pack.limits.ratios:
        return None
    if not table.shoe.limits:
        return None
    first, *others = table.shoe.limits
    wrong = replace(first, maximum=first.maximum - first.minimum // 2)
    return (ev.LimitsChanged((wrong, *others), True), payload)


def _limits_unseen(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CoupOpened) or not table.pack.limits.displayed:
        return None
    return (ev.LimitsChanged(table.shoe.limits, False), payload)


def _free_with_bet(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CoupOpened) or not table.shoe.seats:
        return None
    seats, number = table.shoe.seats, len(staying_bets(table.shoe, Coup(payload.coup))) + 1
    seat = min(seats)
    stake = table.limits.minimum
    bet = ev.BetPlaced(payload.coup, number, seats[seat], "player", stake, seat)
    return (replace(payload, free=True), bet) if number == 1 else None


def _one_free_hand_more(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    most = table.pack.free_hands
    if not isinstance(payload, ev.CoupOpened) or most is None or payload.free:
        return None
    free = sum(coup.free for coup in table.shoe.coups.values())
    if free < most or staying_bets(table.shoe, Coup(payload.coup)):
        return None
    return (replace(payload, free=True),)


def _too_soon(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A patron takes the shoe and gives it up before the first coup."""
    patrons = table.shoe.seats.values()
    if not isinstance(payload, ev.ShoeTaken) or payload.by not in patrons:
        return None
    return (
        (payload, ev.ShoePassed(payload.by, "chosen"))
        if table.pack.table.passes == "on-loss"
        else None
    )


def _as_lost(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A patron takes the shoe and gives it up as lost, without having dealt a coup."""
    if _too_soon(table, payload) is None or not isinstance(payload, ev.ShoeTaken):
        return None
    return (payload, ev.ShoePassed(payload.by, "lost"))


def _patron_takes(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup = table.shoe.current
    dealers = table.pack.table.shoe == "dealer" and table.pack.game == "punto-banco"
    if not isinstance(payload, ev.CoupClosed) or not dealers or coup is None or not coup.bets:
        return None
    return (payload, ev.ShoeTaken(next(iter(coup.bets.values())).patron))


def _another_ruling(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ResultCalled) or not table.pack.rulings:
        return None
    kind, allowed = next(iter(table.pack.rulings.items()))
    given: ev.Ruling = "other" if "other" not in allowed else "none"
    return (ev.IrregularityNoted(kind, given, payload.coup, table.floor), payload)


def _not_burned(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The floor rules that a card is burned, and nobody burns one."""
    if not isinstance(payload, ev.ResultCalled) or "other" in table.pack.rulings:
        return None
    return (ev.IrregularityNoted("other", "burn-card", payload.coup, table.floor), payload)


def _false_draw_unpunished(table: SimulatedTable, due: NextAction) -> Events | None:
    """The holder draws against the rules. The coup is void, and he deals the next one."""
    shoe, coup = table.shoe, table.shoe.current
    costs = table.pack.table.false_draw_passes and shoe.holder not in (None, *shoe.staff)
    if not costs or coup is None or not isinstance(due.payload, ev.ResultCalled):
        return None
    return _kept_after(table, coup)


def _kept_after(table: SimulatedTable, coup: Coup) -> Iterator[ev.ShoeEvent]:
    number = coup.number
    yield table.drawn("banker")
    yield ev.IrregularityNoted("wrong-draw", "void", number, table.floor)
    yield ev.CoupVoided(number, "a false draw", table.floor)
    yield ev.CoupOpened(number + 1)


def _decks(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeLoaded):
        return None
    return (replace(payload, decks=max(table.pack.cards.decks) + 1),)


def _no_pack(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeLoaded):
        return None
    torn = payload.pack[: len(payload.pack) // 2]
    return (replace(payload, pack=torn, pack_sha256=pack_sha256(torn)),)


KINDS = (
    FaultKind(
        name="limits-out-of-proportion",
        family="procedure",
        what="limits are set whose maximum is no allowed multiple of the minimum",
        codes=("L203",),
        of_coup=False,
        alters=_limits_out_of_proportion,
    ),
    FaultKind(
        name="limits-unseen",
        family="procedure",
        what="the limits change, and nobody displays them",
        codes=("L204",),
        of_coup=False,
        alters=_limits_unseen,
    ),
    FaultKind(
        name="free-hand-with-a-bet",
        family="procedure",
        what="a bet is taken in on a free hand",
        codes=(_FREE_BET, _FREE_HANDS, _FREE_LATE, _FREE_UNASKED),
        of_coup=False,
        alters=_free_with_bet,
    ),
    FaultKind(
        name="one-free-hand-more",
        family="procedure",
        what="a free hand is dealt beyond those that the pack allows",
        codes=(_FREE_HANDS, _FREE_LATE, _FREE_UNASKED),
        of_coup=False,
        alters=_one_free_hand_more,
    ),
    FaultKind(
        name="passed-before-a-coup",
        family="procedure",
        what="a patron takes the shoe and passes it before he has dealt a coup",
        codes=("H502",),
        of_coup=False,
        alters=_too_soon,
    ),
    FaultKind(
        name="passed-as-lost-before-a-coup",
        family="procedure",
        what="a patron takes the shoe and passes it as lost before he has dealt a coup",
        codes=("H502",),
        of_coup=False,
        alters=_as_lost,
    ),
    FaultKind(
        name="patron-takes-the-shoe",
        family="procedure",
        what="a patron takes the shoe where the dealer deals",
        codes=("H504",),
        of_coup=False,
        alters=_patron_takes,
    ),
    FaultKind(
        name="ruled-otherwise",
        family="procedure",
        what="an irregularity is ruled on in a way that the pack does not allow",
        codes=("I303",),
        alters=_another_ruling,
    ),
    FaultKind(
        name="ruling-not-done",
        family="procedure",
        what="a ruling to burn a card is not carried out",
        codes=("I304",),
        alters=_not_burned,
    ),
    FaultKind(
        name="false-draw-unpunished",
        family="procedure",
        what="a coup is void on a false draw, and who made it deals the next one",
        codes=("H506",),
        acts=_false_draw_unpunished,
    ),
    FaultKind(
        name="decks-not-allowed",
        family="procedure",
        what="the record says a number of decks that the pack does not allow",
        codes=("S301", "N303"),
        of_coup=False,
        alters=_decks,
    ),
    FaultKind(
        name="pack-unreadable",
        family="integrity",
        what="the text of the rule pack in the log cannot be read",
        codes=("R406",),
        of_coup=False,
        alters=_no_pack,
    ),
)
