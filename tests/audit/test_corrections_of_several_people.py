"""Late corrections of several people, or of several coups: one finding, and the right person."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from tests.support.coup_notation import Felt, shoe_of

LINE = "p1 player 1000 | P 4 5  B K 8"


def shoe(*coups: str, rules: str = "classic-8") -> list[ev.Event]:
    felt = Felt(rules).ready()
    for coup in coups:
        felt.coup(coup)
    return list(felt.payloads)


def place(payloads: list[ev.Event], kind: type[ev.Event], coup: int, nth: int = 0) -> int:
    """The version of an event of a coup."""
    found = [
        n
        for n, each in enumerate(payloads, 1)
        if isinstance(each, kind) and getattr(each, "coup", None) == coup
    ]
    return found[nth]


def correct(version: int, instead: ev.Event | None, by: str) -> ev.EventCorrected:
    return ev.EventCorrected(version, "misread", by, instead)


def hidden(payloads: list[ev.Event]) -> list[tuple[int | None, str, dict[str, int]]]:
    """Return coup, persons and money of the findings on corrections, notes left out."""
    return [
        (each.coup, each.message.split(" by ")[1].split(" (")[0], dict(each.money.patrons))
        for each in audit_shoe(shoe_of(payloads)).findings
        if each.number == "R413" and each.severity != "note"
    ]


def test_a_wrong_payment_that_two_people_record_is_of_both():
    payloads = shoe(LINE, LINE, LINE)
    paid = place(payloads, ev.BetPaid, 2)
    wrong = replace(payloads[paid - 1], amount=50_000)
    alone = [*payloads, correct(paid, wrong, "sue"), correct(paid, wrong, "sue")]
    assert [(coup, by) for coup, by, _ in hidden(alone)] == [(2, "sue")]
    both = [*payloads, correct(paid, wrong, "sue"), correct(paid, wrong, "bill")]
    assert [(coup, by) for coup, by, _ in hidden(both)] == [(2, "bill and sue")]


def test_who_takes_a_false_correction_back_is_not_named_if_that_is_undone():
    payloads = shoe(LINE, LINE, LINE)
    paid, end = place(payloads, ev.BetPaid, 2), len(payloads)
    right = payloads[paid - 1]
    payloads[paid - 1] = replace(right, amount=1007)
    payloads += [correct(paid, right, "sue"), correct(end + 1, None, "bill")]
    assert hidden(payloads) == []
    payloads.append(correct(end + 2, None, "carl"))
    assert hidden(payloads) == [(2, "carl and sue", {"p1": 7})]


def test_an_event_that_is_moved_to_another_coup_is_one_finding_beside_another_correction():
    payloads = shoe(LINE, "p2 player 1000 | P 4 5  B K 8", LINE)
    paid, closed = place(payloads, ev.BetPaid, 2), place(payloads, ev.NoMoreBets, 2)
    right = payloads[paid - 1]
    payloads[paid - 1] = replace(right, coup=3)
    moved = correct(paid, right, "sue")
    again = correct(closed, payloads[closed - 1], "sue")
    assert hidden([*payloads, moved]) == hidden([*payloads, again, moved])
    assert hidden([*payloads, moved]) == [(2, "sue", {"p2": -1000})]


def test_commission_that_is_moved_to_another_coup_is_told_with_its_money():
    payloads = shoe("p3 banker 800 | P 2 4  B K 8", LINE, rules="classic-4")
    collected, closed = (
        place(payloads, kind, 1) for kind in (ev.CommissionCollected, ev.NoMoreBets)
    )
    moved = correct(collected, replace(payloads[collected - 1], coup=2), "carl")
    again = correct(closed, payloads[closed - 1], "carl")
    assert hidden([*payloads, moved]) == [(1, "carl", {"p3": -40})]
    assert hidden([*payloads, again, moved]) == [(1, "carl", {"p3": -40})]


def test_of_two_corrections_that_hide_a_breach_together_both_are_named():
    payloads = shoe(LINE, "p1 player 1000 | P 8 8  B K 8 | P 9-8 | 1 pay 1000")
    first, third = place(payloads, ev.CardDrawn, 2), place(payloads, ev.CardDrawn, 2, 2)
    payloads += [
        correct(first, replace(payloads[first - 1], card="4"), "carl"),
        correct(third, replace(payloads[third - 1], card="5"), "sue"),
    ]
    assert [(coup, by) for coup, by, _ in hidden(payloads)] == [(2, "carl and sue")]


def test_a_renumbered_coup_names_nobody_whose_correction_in_another_coup_changed_nothing():
    payloads = shoe("p1 banker 500 | P 4 5  B K 8", LINE, "p2 player 700 | P 4 5  B K 8")
    opened, paid = place(payloads, ev.CoupOpened, 1), place(payloads, ev.BetPaid, 3)
    payloads += [
        correct(opened, ev.CoupOpened(4), "sue"),
        correct(paid, payloads[paid - 1], "carl"),
    ]
    assert hidden(payloads) == []


def test_a_bet_is_not_corrected_in_a_shoe_with_a_coup_number_that_is_used_twice():
    """The second coup is recorded as another first one. Its bet of 50.00 lost."""
    payloads = [
        replace(each, coup=max(1, each.coup - 1)) if getattr(each, "coup", None) else each
        for each in shoe(LINE, "p1 banker 5000 | P 4 5  B K 8", LINE)
    ]
    placed, taken = place(payloads, ev.BetPlaced, 1, 1), place(payloads, ev.BetTaken, 1)
    payloads += [
        correct(placed, replace(payloads[placed - 1], wager="player"), "sue"),
        correct(taken, ev.BetPaid(1, 1, 5000), "sue"),
    ]
    assert hidden(payloads) == [(1, "sue", {"p1": 10_000})]
