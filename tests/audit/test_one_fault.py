"""One fault of a shoe is one finding.

The amounts are worked out by hand beside each.
"""

from collections.abc import Iterable
from pathlib import Path
from textwrap import dedent
from typing import get_args

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.audit.live import LiveAudit
from sabot.domain.audit.rule import ANY_RULE
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.shoe import BurnReason
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt, shoe_of
from tests.support.floor_notation import Pit
from tests.support.rule_examples import deal

DATA = Path(__file__).parents[1] / "data" / "one-fault"
Found = list[tuple[str, int | None, str | None, int | None]]


def recorded(name: str) -> list[ev.Event]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [msgspec.convert(msgspec.json.decode(each)["fact"], ev.Event) for each in lines]


def found_in(events: Iterable[ev.Event]) -> Found:
    found = audit_shoe(shoe_of(events)).findings
    return [(each.code, each.coup, each.patron, each.money.house) for each in found]


# -- A dealt card that is burned -------------------------------------------------------------------

TAKEN_OFF: Found = [("dealt-card-burned-without-ruling", 3, "ann", -19_500)]
"""Player's 9 ended the coup: ann's 100.00 on Banker were lost, and she was paid 95.00."""
RULED = ev.IrregularityNoted("card-exposed", "burn-card", 3, by="sue")


def with_burned(*before: ev.Event, **told: object) -> list[ev.Event]:
    """Player's 9 is taken off the layout and burned, and Player draws an ace instead."""
    events = recorded("dealt-card-burned")
    (at,) = [nth for nth, each in enumerate(events) if getattr(each, "reason", None) == "other"]
    burned = msgspec.structs.replace(events[at], **told)
    return [*events[:at], *before, burned, *events[at + 1 :]]


@pytest.mark.parametrize("coup", [3, None])
@pytest.mark.parametrize("reason", get_args(BurnReason))
def test_a_dealt_card_that_is_burned_is_one_finding(reason, coup):
    assert found_in(with_burned(reason=reason, coup=coup)) == TAKEN_OFF


@pytest.mark.parametrize("reason", get_args(BurnReason))
def test_a_dealt_card_that_is_burned_on_a_ruling_is_no_finding(reason):
    """Nor are the cards out of order that come instead."""
    assert found_in(with_burned(RULED, reason=reason)) == []


def test_a_card_that_comes_too_early_is_out_of_order_beside_a_burned_one():
    """Once Player's 9 is burned, Player is due a card. Banker draws it."""
    events = with_burned(RULED, reason="ruling")
    at = next(nth for nth, each in enumerate(events) if getattr(each, "place", None) == 17)
    drawn = msgspec.structs.replace(events[at], hand="banker")
    found = found_in([*events[:at], drawn, *events[at + 1 :]])
    assert "cards-out-of-order" in {code for code, *_ in found}


# -- Events of another game, a void without a witness, another currency ----------------------------


@pytest.mark.parametrize(
    ("record", "found"),
    [
        # ann's 100.00 on Banker lost; 90.00 of them went back
        ("excess-returned-at-punto-banco", ("coup-event-of-another-game", 3, "ann", -9000)),
        # Player won 9 to 2 before the card came, and was paid so
        ("card-to-the-left-tableau", ("coup-event-of-another-game", 3, None, 0)),
        # ann's 100.00 on Banker lost, and the dealer alone voided the coup
        ("voided-on-the-dealers-word", ("unjustified-void", 3, "ann", -10_000)),
    ],
)
def test_what_the_game_or_the_dealer_alone_cannot_do_is_one_finding(record, found):
    assert found_in(recorded(record)) == [found]


def test_a_shoe_in_another_currency_than_its_table_is_one_finding():
    pit = Pit()
    lines = (DATA / "table-in-another-currency.jsonl").read_text(encoding="utf-8").splitlines()
    for line in map(msgspec.json.decode, lines):
        pit.put(line["stream"], msgspec.convert(line["fact"], ev.Event))
    found = [*audit_floor(pit.floor()).findings]
    found += [each for shoe in pit.shoes() for each in audit_shoe(shoe).findings]
    assert [(each.code, each.message) for each in found] == [
        ("currency-of-another-table", "shoe y14 was played in USD at a table of EUR")
    ]


# -- A bet that stays after a tie ------------------------------------------------------------------

PUSH_PAID: Found = [("push-paid-or-taken", 3, "ann", -10_000)]
"""Ann's 100.00 on Player tied, and were paid 100.00."""


def after_the_tie(*settled: ev.Event) -> list[ev.Event]:
    """Ann's bet ties in coup 3, is settled so, and is carried into coup 4, which it wins."""
    events = recorded("bet-stays-after-a-paid-tie")
    at = events.index(ev.BetPaid(3, 1, 10_000))
    return [*events[:at], *settled, *events[at + 1 :]]


@pytest.mark.parametrize(
    ("settled", "found"),
    [
        ((ev.BetPaid(3, 1, 10_000),), PUSH_PAID),
        ((ev.BetPaid(3, 1, 10_000), ev.BetPushed(3, 1)), PUSH_PAID),
        ((ev.BetTaken(3, 1, 10_000),), [("push-paid-or-taken", 3, "ann", 10_000)]),
        ((), [("unsettled-bet", 3, "ann", 0)]),
        ((ev.BetPushed(3, 1),), []),
    ],
)
def test_a_bet_that_stays_after_a_tie_is_no_second_finding(settled, found):
    assert found_in(after_the_tie(*settled)) == found


@pytest.mark.parametrize("withdrawable", ["true", "false"])
@pytest.mark.parametrize(
    ("tied", "carried"),
    [
        ("p1 player 300, p1 player 200", "+p1 player 500"),
        ("p1 player 500", "+p1 player 300, +p1 player 200"),
        ("p1 player 300, p2 player 100, p1 player 200", "+p1 player 500, +p2 player 100"),
    ],
)
def test_tied_bets_may_go_on_as_one_of_the_same_total(tied, carried, withdrawable):
    pack = pack_text("classic-8").replace("withdrawable = true", f"withdrawable = {withdrawable}")
    felt = Felt(pack).ready()
    felt.coup(f"{tied} | P 4 5  B K 9").coup(f"{carried} | P 4 5  B K 8")
    assert audit_shoe(felt.shoe).findings == []


# -- A coup number that is used twice --------------------------------------------------------------

USED_TWICE: Found = [("coup-number-out-of-sequence", 2, None, None)]


def renumbered(numbers: dict[int, int]) -> list[ev.Event]:
    """Of six coups on record, some have another number than their own."""
    felt = Felt("classic-8").ready()
    for bets in (
        "p1 player 500",
        "p1 banker 500",
        "p1 player 100",
        "p1 banker 300",
        "",
        "p2 tie 10",
    ):
        felt.coup(f"{bets} | P 4 5  B K 8")
    events = []
    for payload in felt.payloads:
        told = numbers.get(getattr(payload, "coup", None) or 0)
        events.append(msgspec.structs.replace(payload, coup=told) if told else payload)
    return events


def test_a_coup_number_that_is_used_twice_is_one_finding():
    (found,) = audit_shoe(shoe_of(recorded("coup-number-used-twice"))).findings
    assert (found.code, found.coup) == ("coup-number-out-of-sequence", 2)
    assert "its number was used twice" in found.message


@pytest.mark.parametrize(
    ("numbers", "coup"),
    [
        ({3: 2, 4: 3, 5: 4, 6: 5}, 2),  # counted on from there
        ({3: 2}, 2),  # a slip of one coup
        ({5: 2}, 2),
        ({4: 1, 5: 2, 6: 3}, 1),  # begun anew
    ],
)
def test_coups_of_one_number_are_told_apart(numbers, coup):
    assert [one[:2] for one in found_in(renumbered(numbers))] == [(USED_TWICE[0][0], coup)]


def test_a_wrong_payment_in_the_second_coup_of_a_number_is_found():
    """The 100.00 on Player won, and were paid 120.00."""
    events = recorded("coup-number-used-twice")
    at = len(events) - 1 - events[::-1].index(ev.BetPaid(2, 1, 10_000))
    events[at] = ev.BetPaid(2, 1, 12_000)
    assert sorted(found_in(events)) == [USED_TWICE[0], ("wrong-payout", 2, "ann", -2000)]


def test_an_opening_that_is_recorded_twice_begins_no_coup():
    events = recorded("bet-stays-after-a-paid-tie")
    at = events.index(ev.CoupClosed(2)) + 1
    found = found_in([*events[:at], ev.CoupOpened(2), *events[at:]])
    assert [code for code, coup, *_ in found if coup == 2] == ["unmatched-event"]


def test_both_coups_of_a_number_are_explained():
    told = explain(shoe_of(recorded("coup-number-used-twice")), 2)
    assert [step.what for step in told.steps].count("result") == 2


# -- A shoe that is followed -----------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(path.stem for path in DATA.iterdir()))
def test_a_follower_is_told_the_same(name):
    shoe = shoe_of(recorded(name))
    live = LiveAudit(Shoe(shoe.stream))
    for event in shoe.history:
        live.add(event)
        live.changes()
    assert sorted(each.fingerprint for each in live.standing.findings) == sorted(
        each.fingerprint for each in audit_shoe(shoe).findings
    )


# -- More copies of a card than decks --------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "copies"),
    [(["7c"] * 11, "copies 9 to 11 of 7♣"), (["7"] * 35, "copies 33 to 35 of rank 7")],
)
def test_copies_of_a_card_that_are_too_many_are_one_finding(cards, copies):
    """They are in three coups, whose other cards are few of their kind."""
    felt = Felt("classic-8").ready()
    felt.put(*(ev.CardBurned(card, None, "ruling") for card in cards[:-3]))
    for suit, card in zip("cdh", cards[-3:], strict=True):
        felt.coup(f"P {card} 2{suit}  B K{suit} 8{suit}")
    (found,) = (one for one in audit_shoe(felt.shoe).findings if one.family == "composition")
    assert (found.code, found.coup, len(found.events)) == ("excess-copies-of-card", 1, 3)
    assert found.message == f"{copies} from 8 decks, in coups 1, 2, 3"


# -- The wrong way round the table -----------------------------------------------------------------


def passed_round(*holders: str) -> Felt:
    """Four patrons, each of whom loses the first coup that he deals."""
    felt = Felt("classic-8").ready()
    felt.put(*(ev.PatronSeated(seat, f"p{seat}") for seat in (1, 2, 3, 4)), ev.ShoeTaken("p1"))
    held = "p1"
    for holder in holders:
        felt.coup("P 4 5  B K 8").put(ev.ShoePassed(held), ev.ShoeOffered(holder))
        felt.put(ev.ShoeTaken(holder))
        held = holder
    return felt.coup("P 4 5  B K 9")


def test_a_shoe_that_goes_the_wrong_way_round_is_one_finding():
    (found,) = audit_shoe(passed_round("p2", "p3", "p4", "p1").shoe).findings
    assert (found.code, found.patron, len(found.events)) == ("shoe-offered-out-of-turn", "p2", 4)
    assert "the wrong direction, 4 times" in found.message


def test_a_shoe_that_passes_one_patron_by_is_told_as_before():
    (found,) = audit_shoe(passed_round("p4", "p2", "p1").shoe).findings
    assert (found.code, found.patron, len(found.events)) == ("shoe-offered-out-of-turn", "p2", 1)


# -- Findings that follow from another ----------------------------------------------------------


def own_and_explained(felt: Felt | Shoe) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the codes of findings that stand by themselves, and of the others with their cause."""
    shoe = felt if isinstance(felt, Shoe) else felt.shoe
    found = {each.fingerprint: each for each in audit_shoe(shoe).findings}
    own = [each.code for each in found.values() if each.explained_by is None]
    pairs = [(e.code, found[e.explained_by].code) for e in found.values() if e.explained_by]
    return own, sorted(pairs)


def test_an_offer_that_passes_by_a_newcomer_follows_from_the_seat_that_was_taken():
    """p4 sits down beside p2, where one patron may sit. p3's shoe goes to p2 and p1, not to p4."""
    record = """
        with table.per_seat = 1
        patron-seated {"seat": 1, "patron": "p1"}
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 3, "patron": "p3"}
        patron-seated {"seat": 2, "patron": "p4"}
        shoe-taken {"by": "p3"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p3"}
        shoe-offered {"to": "p2"}
        shoe-refused {"by": "p2"}
        shoe-offered {"to": "p1"}
    """
    found = audit_shoe(deal(dedent(record).strip())).findings
    (seat,) = [each for each in found if each.explained_by is None]
    assert (seat.code, seat.patron) == ("excess-patrons-at-seat", "p4")
    assert seat.message == "2 patrons sat at seat 2: p2 and p4"
    followed = [(each.code, each.explained_by) for each in found if each != seat]
    assert followed == [("shoe-offered-out-of-turn", seat.fingerprint)]


def test_a_wrong_draw_that_nobody_ruled_on_is_explained_by_the_draw():
    felt = Felt(pack_text("classic-8") + '\n[rulings]\nwrong-draw = ["void"]\n').ready()
    felt.coup("P 2 4 K  B 3 4 2")
    own, explained = own_and_explained(felt)
    assert own == ["player-drew-against-table", "banker-drew-against-table"]
    assert explained == [("unreported-wrong-draw", "player-drew-against-table")]


@pytest.mark.parametrize(
    ("left", "explained"),
    [(409, [("card-count-mismatch", "skipped-card")]), (408, [])],
)
def test_a_palmed_card_explains_as_many_missing_cards_as_it_skipped(left, explained):
    """Seven cards left the shoe, and place 4 was skipped: 408 or 409 of 416 remain."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
    for hand, card, place in ("player", "4", 3), ("banker", "K", 5), ("player", "5", 6):
        felt.put(ev.CardDrawn(1, hand, card, place))
    felt.put(ev.CardDrawn(1, "banker", "8", 7), ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))
    felt.put(ev.ShoeEnded(left=left, reason="withdrawn"))
    own, pairs = own_and_explained(felt)
    assert ("skipped-card" in own, pairs) == (True, explained)


def test_a_count_that_lacks_the_first_burned_card_is_explained_by_the_burn():
    """The 3 of clubs left the shoe face up, and the dealer does not record it."""
    draws = [
        f'card-drawn {{"coup": 1, "hand": "{hand}", "card": "{card}", "place": {place}}}\n'
        for place, (hand, card) in enumerate(
            [("player", "4"), ("banker", "K"), ("player", "5"), ("banker", "8")], 5
        )
    ]
    felt = deal(
        'bare\nshoe-shuffled {"by": "ann"}\nshoe-cut {"by": "p1", "depth": 90}\n'
        'stop-card-placed {"behind": 7}\ncard-burned {"place": 2}\ncard-burned {"place": 3}\n'
        'card-burned {"place": 4}\ncoup-opened {"coup": 1}\nno-more-bets {"coup": 1}\n'
        + "".join(draws)
        + 'due\nshoe-ended {"left": 408, "reason": "withdrawn"}\n'
    )
    assert own_and_explained(felt) == (
        ["wrong-opening-burn"],
        [("card-count-mismatch", "wrong-opening-burn")],
    )


def test_the_bets_of_a_voided_coup_are_one_finding():
    """Paid 1.00 and 2.00 though the coup was voided."""
    felt = Felt().ready().put(ev.CoupOpened(1))
    for bet, patron in enumerate(("ann", "bob"), 1):
        felt.put(ev.BetPlaced(1, bet, patron, "player", 100 * bet, bet))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5")
    felt.put(ev.IrregularityNoted("misdeal", "void", 1, by="sue"))
    felt.put(ev.BetPaid(1, 1, 100), ev.BetPaid(1, 2, 200), ev.CoupVoided(1, by="sue"))
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.patron) == ("voided-bet-settled", None)
    assert found.money.patrons == {"ann": 100, "bob": 200}


def test_every_rule_follows_from_rules_that_there_are():
    codes = {rule.code for rule in RULES}
    assert all({*codes, ANY_RULE}.issuperset(rule.follows_from) for rule in RULES)


# -- A patron's bank -------------------------------------------------------------------------------


@pytest.mark.parametrize(("bank", "paid"), [(10_000, 10_001), (10_000, 9_999), (20_000, 10_001)])
def test_a_cent_too_much_or_too_little_at_chemin_de_fer_is_one_finding(bank, paid):
    """What the bank held is taken out as if 100.00 had been paid."""
    felt = Felt("chemin-de-fer")
    felt.put(*(ev.PatronSeated(seat, f"p{seat}") for seat in (1, 2, 3))).ready().bank("p1", bank)
    felt.coup(f"p2 player 10000 | P 4 5  B K 8 | P 9-8 | 1 pay {paid}")
    felt.put(*[bank_ev.BankWithdrawn("p1", bank - 10_000)] * (bank > 10_000))
    felt.put(ev.ShoePassed("p1", "lost"))
    found = found_in(felt.payloads)
    assert found == [("wrong-payout", 1, "p2", 0)]


def test_a_bank_that_is_left_behind_beside_a_wrong_payment_is_found():
    """A cent too much was paid, and 50.00 stay in the bank."""
    felt = Felt("chemin-de-fer")
    felt.put(*(ev.PatronSeated(seat, f"p{seat}") for seat in (1, 2, 3))).ready().bank("p1", 20_000)
    felt.coup("p2 player 10000 | P 4 5  B K 8 | P 9-8 | 1 pay 10001")
    felt.put(bank_ev.BankWithdrawn("p1", 5_000), ev.ShoePassed("p1", "lost"))
    codes = {code for code, *_ in found_in(felt.payloads)}
    assert codes >= {"wrong-payout", "chip-balance-mismatch"}


@pytest.mark.parametrize(
    ("withdrawn", "also"),
    [
        (5_000, set()),  # 200.00 less 150.00: as if p2 had been paid
        (4_000, {"chip-balance-mismatch"}),
        (15_000, set()),  # as if p2 had not been paid
        (14_000, {"chip-balance-mismatch"}),
    ],
)
def test_a_payment_that_is_not_recorded_explains_what_the_bank_holds(withdrawn, also):
    """Of 200.00 in the bank, 100.00 are due to p2 and not recorded, and p3 is paid 50.00."""
    felt = Felt("chemin-de-fer")
    felt.put(*(ev.PatronSeated(seat, f"p{seat}") for seat in (1, 2, 3))).ready().bank("p1", 20_000)
    felt.coup("p2 player 10000, p3 player 5000 | P 4 5  B K 8 | P 9-8 | 2 pay 5000")
    felt.put(bank_ev.BankWithdrawn("p1", withdrawn), ev.ShoePassed("p1", "lost"))
    codes = [code for code, *_ in found_in(felt.payloads)]
    assert sorted(codes) == sorted({"unsettled-bet", *also})


# -- Cards that change places ----------------------------------------------------------------------


def test_two_cards_that_change_places_are_one_finding():
    """In coup 2 a card is drawn before the one that lay in front of it."""
    felt = Felt("classic-8").ready()
    felt.coup("p1 player 500 | P 4 5  B K 8").coup("p1 player 500 | P 4 5  B K 8")
    first = min(each.place for each in felt.payloads if isinstance(each, ev.CardDrawn))
    places = {first + 5: first + 6, first + 6: first + 5}
    events = [
        msgspec.structs.replace(each, place=places.get(each.place, each.place))
        if isinstance(each, ev.CardDrawn)
        else each
        for each in felt.payloads
    ]
    (found,) = audit_shoe(shoe_of(events)).findings
    said = f"cards {first + 6}, {first + 5} of the shoe after card {first + 4}"
    assert (found.code, found.coup, found.message) == ("skipped-card", 2, said)


def test_a_burn_of_the_opening_in_the_middle_of_a_shoe_names_its_coup():
    felt = Felt("classic-8").ready()
    felt.coup("p1 player 500 | P 4 5  B K 8")
    felt.put(ev.CardBurned(None, felt.shoe.left[-1].payload.place + 1, reason="opening"))
    felt.coup("p1 player 500 | P 4 5  B K 8")
    (found,) = audit_shoe(felt.shoe).findings
    assert found.message == "a card of the opening burn was burned, but after coup 1"


# -- A wrong call that was settled -----------------------------------------------------------------


def test_settlements_by_a_wrong_call_are_explained_by_the_call():
    """Banker won 9 to 8, and Player was called. P3's win is overpaid as well.

    P1's 5.00 were paid, not taken; p2's 2.00 on Banker were taken, not paid 1.90; p3 got 3.00 for
    2.00 on Banker, of which 0.10 are commission.
    """
    felt = Felt("classic-8").ready()
    felt.coup(
        "p1 player 500, p2 banker 200, p3 banker 200 | P 4 4  B K 9 | P 8-9"
        " | 1 pay 500, 2 take 200, 3 pay 300"
    )
    found = audit_shoe(felt.shoe).findings
    (call,) = [each for each in found if each.code == "miscalled-result"]
    assert call.explained_by is None
    by_call = {each.patron: each.explained_by == call.fingerprint for each in found}
    money = {each.patron: each.money.house for each in found if each.money.house is not None}
    assert by_call | {call.patron: None} == {None: None, "p1": True, "p2": True, "p3": False}
    assert (money["p1"], money["p2"]) == (-1000, 390)


# -- Commission that is never collected ------------------------------------------------------------


def test_commission_owed_at_the_end_is_explained_by_the_departure_of_who_owes_it():
    """P1 won 5.00 on Banker, owes 0.25 of commission, and leaves."""
    shoe = deal(
        "load midi\ncoup p1 banker 500 | P 4 4  B K 9\n"
        'patron-left {"patron": "p1"}\nshoe-ended {"left": 410, "reason": "withdrawn"}'
    )
    left, ended = audit_shoe(shoe).findings
    assert (left.code, left.explained_by) == ("commission-unpaid-at-departure", None)
    assert (ended.explained_by, ended.money.house) == (left.fingerprint, -25)


# -- A departure that nobody took back -------------------------------------------------------------


def test_bets_after_one_departure_are_one_finding():
    """P1 is noted as gone, bets in three coups and loses 5.00 in each."""
    shoe = deal(
        'patron-seated {"seat": 1, "patron": "p1"}\npatron-left {"patron": "p1"}\n'
        + "coup p1 player 500 | P 4 2  B K 8\n" * 3
    )
    (found,) = audit_shoe(shoe).findings
    assert (found.code, found.coup, found.patron) == ("bet-after-leaving", 1, "p1")
    assert found.message.endswith("and 2 more like it, in coups 1 to 3")
    assert (found.money.house, found.money.patrons) == (1500, {"p1": -1500})
    assert len(found.events) == 4


def test_bets_after_a_return_and_a_second_departure_are_another_finding():
    gone = 'patron-left {"patron": "p1"}\ncoup p1 player 500 | P 4 5  B K 8\n'
    shoe = deal(('patron-seated {"seat": 1, "patron": "p1"}\n' + gone) * 2)
    assert [(each.code, each.coup) for each in audit_shoe(shoe).findings] == [
        ("bet-after-leaving", 1),
        ("bet-after-leaving", 2),
    ]


def test_a_follower_is_told_of_later_bets_as_a_change_of_the_finding():
    shoe = deal(
        'patron-seated {"seat": 1, "patron": "p1"}\npatron-left {"patron": "p1"}\n'
        + "coup p1 player 500 | P 4 5  B K 8\n" * 4
    )
    live = LiveAudit(Shoe(shoe.stream))
    told = []
    for event in shoe.history:
        live.add(event)
        told += [(each.told, each.finding.code) for each in live.changes()]
    assert told[0] == ("found", "bet-after-leaving")
    assert {code for _, code in told} == {"bet-after-leaving"}
    assert [each for each, _ in told].count("found") == 1
    assert live.standing.findings == audit_shoe(shoe).findings


# -- One rule that is broken several times at once -------------------------------------------------


def test_bets_settled_before_the_result_are_one_finding():
    """Both bets are settled, then the result is called."""
    felt = Felt().ready().put(ev.CoupOpened(1))
    for bet, wager in enumerate(("player", "banker"), 1):
        felt.put(ev.BetPlaced(1, bet, f"p{bet}", wager, 500, bet))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5  B 8")
    felt.put(ev.BetTaken(1, 2, 500), ev.BetPaid(1, 1, 500), ev.ResultCalled(1, 9, 8, "P"))
    (found,) = audit_shoe(felt.put(ev.CoupClosed(1)).shoe).findings
    assert (found.code, found.patron, len(found.events)) == ("settlement-before-result", None, 3)
    assert found.message == "a bet was settled before the result was called, and 1 more like it"


# -- What earlier faults leave behind --------------------------------------------------------------


def test_a_card_that_is_recorded_twice_explains_all_that_shows_it():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
    for hand, card, place in ("player", "4", 3), ("player", "4", 3), ("banker", "K", 4):
        felt.put(ev.CardDrawn(1, hand, card, place))
    felt.put(ev.CardDrawn(1, "banker", "8", 5), ev.ResultCalled(1, 8, 8, "T"), ev.CoupClosed(1))
    felt.put(ev.ShoeEnded(left=411, reason="withdrawn"))
    own, explained = own_and_explained(felt)
    assert own == ["skipped-card"]
    assert ("cards-out-of-order", "skipped-card") in explained
    assert ("card-count-mismatch", "skipped-card") in explained


def test_bets_on_an_overfull_seat_are_explained_by_the_seating():
    shoe = deal(
        "with table.per_seat = 1\n"
        'patron-seated {"seat": 2, "patron": "p1"}\npatron-seated {"seat": 2, "patron": "p2"}\n'
        "coup p1 player 500, p2 player 500 | P 4 5  B K 8"
    )
    sat, bet = audit_shoe(shoe).findings
    assert (sat.code, bet.code) == ("excess-patrons-at-seat", "excess-bettors-on-seat")
    assert (sat.explained_by, bet.explained_by) == (None, sat.fingerprint)


def test_two_faults_of_one_bet_stay_two_findings():
    """P1's 5.00 on Player came late, and 9.00 were paid for them."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 4  B K")
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 500, 1)).cards("> P 5  B 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 900), ev.CoupClosed(1))
    own, explained = own_and_explained(felt)
    assert (sorted(own), explained) == (["past-posted-bet", "wrong-payout"], [])


def test_cards_that_return_from_a_table_where_they_were_not_issued():
    """They were issued to T2, dealt at T1, and came back from there."""
    pit = Pit.of(
        """
        cards B-1 cards-issued {"table": "T2", "by": "sam"}
        shoe H-1 {"table": "T1", "batch": "B-1"}
        cards B-1 cards-returned {"by": "sam", "table": "T1"}
        """
    )
    found = {each.code: each for each in audit_floor(pit.floor()).findings}
    dealt, returned = found["cards-not-issued-to-table"], found["unmatched-batch-event"]
    assert (dealt.explained_by, returned.explained_by) == (None, dealt.fingerprint)


def test_a_chain_of_findings_names_the_first():
    """P1 leaves owing commission, bets on, and still owes it at the end."""
    shoe = deal(
        'load midi\npatron-seated {"seat": 1, "patron": "p1"}\ncoup p1 banker 500 | P 4 4  B K 9\n'
        'patron-left {"patron": "p1"}\ncoup p1 player 500 | P 4 5  B K 8\n'
        'shoe-ended {"left": 406, "reason": "withdrawn"}'
    )
    found = {each.code: each for each in audit_shoe(shoe).findings}
    first = found.pop("bet-after-leaving").fingerprint
    assert found.keys() == {"commission-unpaid-at-departure", "commission-unpaid-at-shoe-end"}
    assert {each.explained_by for each in found.values()} == {first}
