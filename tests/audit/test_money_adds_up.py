"""The money of findings adds up. No amount is counted twice.

What a coup should have come to is worked out here from the tableau and the odds themselves.
"""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.values.cards import Card, parse_card
from tests.support.coup_notation import Felt
from tests.support.money_of_findings import late

VALUES = st.integers(0, 9)
STAKES = st.integers(1, 50).map(lambda units: 100 * units)


class Slip(Struct):
    """A bet as the table had it: what was staked in time and late, and what was paid for it.

    Of marked commission so much more (negative: less) is collected at the end.
    """

    wager: str
    in_time: list[int]
    late: list[int]
    paid: int | None = None
    commission: bool = True
    over: int = 0


def face(value: int) -> Card:
    """A card of a value."""
    return parse_card("K" if value == 0 else "A" if value == 1 else str(value))


def by_the_tableau(four: list[int], coming: list[int]) -> tuple[int, int]:
    """The totals of a coup of these four cards, the rest as they come (ARRETE_2007_ART_55_14)."""
    player_total, banker_total = (four[0] + four[2]) % 10, (four[1] + four[3]) % 10
    if max(player_total, banker_total) >= 8:
        return player_total, banker_total
    rest = iter(coming)
    stands, third = player_total >= 6, None
    if not stands:
        third = next(rest)
        player_total = (player_total + third) % 10
    draws = {
        3: lambda x: x != 8, 4: lambda x: 2 <= x <= 7, 5: lambda x: 4 <= x <= 7,
        6: lambda x: x in (6, 7),
    }  # fmt: skip
    if (
        banker_total <= 5
        if third is None
        else banker_total <= 2 or (banker_total in draws and draws[banker_total](third))
    ):
        banker_total = (banker_total + next(rest)) % 10
    return player_total, banker_total


def won(wager: str, stake: int, totals: tuple[int, int]) -> int:
    """What a stake wins: even money, a twentieth less on Banker, eight for a tie."""
    player_total, banker_total = totals
    if wager == "tie":
        return 8 * stake if player_total == banker_total else -stake
    if player_total == banker_total:
        return 0
    if (wager == "player") is not (player_total > banker_total):
        return -stake
    return stake if wager == "player" else stake - stake // 20


@st.composite
def slips(draw: st.DrawFn) -> Slip:
    wager = draw(st.sampled_from(["player", "banker", "tie", "dragon"]))
    in_time = draw(st.lists(STAKES, max_size=2))
    late = draw(st.lists(STAKES, min_size=not in_time, max_size=2))
    if draw(st.booleans()) and late and len(in_time) + len(late) > 1:
        late[-1] = 0
    paid = draw(st.none() | st.integers(-20, 60).map(lambda units: 100 * units))
    over = draw(st.sampled_from([0, 0, -5, 25]))
    return Slip(wager, in_time, late, paid, draw(st.booleans()), over)


def dealt(felt: Felt, slips: list[Slip], cards: list[int], thirds: str, called: str) -> Counter:
    """Deal coup 1. Return what each patron had of it in the end."""
    had: Counter = Counter()
    felt.put(ev.CoupOpened(1))
    for number, slip in enumerate(slips, 1):
        put = Counter[int]()
        stakes = [(stake, "in time") for stake in slip.in_time]
        for stake, _ in stakes:
            felt.put(staked(number, slip, stake, first=not put[number]))
            put[number] += 1
    felt.put(ev.NoMoreBets(1))
    hands = "PBPB" + thirds
    felt.cards("> " + " ".join(f"{hand} {face(v)}" for hand, v in zip(hands, cards, strict=True)))
    for number, slip in enumerate(slips, 1):
        for place, stake in enumerate(slip.late):
            felt.put(staked(number, slip, stake, first=not slip.in_time and not place))
    felt.put(ev.ResultCalled(1, outcome=called))
    totals = tuple(
        sum(v for hand, v in zip(hands, cards, strict=True) if hand == side) % 10 for side in "PB"
    )
    for number, slip in enumerate(slips, 1):
        stake = [*slip.in_time, *slip.late][-1]
        if stake:
            had[f"p{number}"] += settled(felt, number, slip, stake, totals)
    return had


def staked(number: int, slip: Slip, stake: int, *, first: bool) -> ev.Event:
    if first:
        return ev.BetPlaced(1, number, f"p{number}", slip.wager, stake)
    return ev.BetChanged(1, number, stake) if stake else ev.BetWithdrawn(1, number)


def settled(felt: Felt, number: int, slip: Slip, stake: int, totals: tuple[int, int]) -> int:
    """Settle a bet as the slip has it, or right by the cards; return what the patron won."""
    if slip.paid is not None:
        if slip.paid:
            kind = ev.BetPaid if slip.paid > 0 else ev.BetTaken
            felt.put(kind(1, number, abs(slip.paid)))
        return slip.paid
    wager = "player" if slip.wager == "dragon" else slip.wager
    won_by_it = won(wager, stake, totals)
    if won_by_it < 0:
        felt.put(ev.BetTaken(1, number, -won_by_it))
    elif not won_by_it:
        felt.put(ev.BetPushed(1, number))
    elif wager == "banker":
        felt.put(ev.BetPaid(1, number, stake))
        if slip.commission and felt.shoe.pack.commission.due == "marked":
            felt.put(ev.CommissionMarked(1, number, stake // 20))
        elif slip.commission:
            felt.put(ev.CommissionCollected(f"p{number}", stake // 20, 1, number))
            return won_by_it
        return stake
    else:
        felt.put(ev.BetPaid(1, number, won_by_it))
    return won_by_it


def collected(felt: Felt, slips: list[Slip]) -> Counter[str]:
    """Collect what was marked, more or less. Return what each patron lost by it."""
    lost: Counter[str] = Counter()
    if felt.shoe.pack.commission.due != "marked":
        return lost
    for patron, owed in sorted(felt.shoe.owed_commission.items()):
        amount = max(0, owed + slips[int(patron[1:]) - 1].over)
        if amount:
            felt.put(ev.CommissionCollected(patron, amount))
            lost[patron] -= amount
    return lost


def summed(found: list[Finding]) -> dict[str, int]:
    """What all findings say that each patron has too much."""
    gains: Counter = Counter()
    for each in found:
        gains.update(each.money.patrons)
        if each.money.house is not None:
            assert each.money.house == -sum(each.money.patrons.values())
    return {patron: gain for patron, gain in gains.items() if gain}


@pytest.mark.parametrize("rules", ["classic-8", "midi"])
@given(
    slips=st.lists(slips(), min_size=1, max_size=3),
    values=st.lists(VALUES, min_size=10, max_size=10),
    thirds=st.sampled_from(["", "P", "B", "PB", "PBB"]),
    called=st.sampled_from("PBT"),
    closed=st.booleans(),
)
def test_what_is_told_of_a_coup_adds_up_to_what_it_moved(
    *, rules, slips, values, thirds, called, closed
) -> None:
    four, cards = values[:4], values[: 4 + len(thirds)]
    felt = Felt(rules).ready()
    had = dealt(felt, slips, cards, thirds, called)
    if closed:
        felt.put(ev.CoupClosed(1))
    # the next coup is a natural 9 of Player: its four cards are those that would have come
    first, second, third = values[7:]
    after = [first, second, (9 - first) % 10, third]
    felt.put(ev.CoupOpened(2), ev.NoMoreBets(2))
    felt.cards("> " + " ".join(f"{h} {face(v)}" for h, v in zip("PBPB", after, strict=True)))
    due = by_the_tableau(four, [*cards[4:], *after])
    felt.put(ev.ResultCalled(2, outcome="P"), ev.CoupClosed(2))
    truth = Counter(had)
    truth.update(collected(felt, slips))
    felt.put(ev.ShoeEnded(left=0, reason="withdrawn"))
    for number, slip in enumerate(slips, 1):
        if slip.in_time and slip.wager != "dragon":
            truth[f"p{number}"] -= won(slip.wager, slip.in_time[-1], due)
    found = audit_shoe(felt.shoe).findings
    assert summed(found) == {patron: gain for patron, gain in truth.items() if gain}
    told = {each.code for each in found if each.money.house is not None}
    for each in found:
        bearers = (each.money.unknown or "").removeprefix("counted in ")
        if bearers != (each.money.unknown or ""):
            assert set(bearers.split(", ")) <= told


# -- Each amount worked out by hand ---------------------------------------------------------------


def test_a_late_raise_in_two_steps_tells_each_step():
    felt = late(
        ev.BetChanged(1, 1, 900), ev.BetChanged(1, 1, 700), first=500,
        moves=(ev.BetPaid(1, 1, 700),),
    )  # fmt: skip
    found = [one.money.patrons for one in audit_shoe(felt.shoe).findings]
    assert found == [{"p1": 400}, {"p1": -200}]
