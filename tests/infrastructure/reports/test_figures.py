"""The figures of each kind of report, counted again from the events, in every game."""

from collections import Counter
from fractions import Fraction
from math import log

import msgspec
import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.events import card_batch as cards
from sabot.domain.odds.coup_odds import full_decks, odds_of
from sabot.domain.odds.house_edge import PayTable
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.values.cards import format_card
from sabot.domain.values.periods import Period
from sabot.infrastructure.reports.card_inventory import card_inventory
from sabot.infrastructure.reports.commission import commission
from sabot.infrastructure.reports.coup_journal import coup_journal
from sabot.infrastructure.reports.dealer import dealer_report
from sabot.infrastructure.reports.expectation import Exposure
from sabot.infrastructure.reports.model import Moment, Unknown
from sabot.infrastructure.reports.patron_rating import g_statistic, patron_rating
from sabot.infrastructure.reports.payment_variance import payment_variance
from sabot.infrastructure.reports.player_banked import player_banked
from sabot.infrastructure.reports.records import Records, Scope, first_and_last
from sabot.infrastructure.reports.shift_audit import shift_audit
from sabot.infrastructure.reports.shoe_record import shoe_record
from sabot.infrastructure.reports.statistical_win import statistical_win
from tests.support.faulty_log import WRONG_PAYOUT
from tests.support.report_records import (
    PACKS,
    Counted,
    dealt,
    records,
    records_of,
    replaced,
    table_named,
    total_of,
)

every_game = pytest.mark.parametrize("pack", PACKS, ids=[name for name, _ in PACKS])


@every_game
def test_the_coup_journal_has_each_coup_with_its_time_stakes_and_cards(pack):
    events = dealt(pack)
    counted = Counted(events)
    rows = records(table_named(coup_journal(records_of(events)), "coups"))
    assert {row["coup"]: row["at"] for row in rows} == {
        coup: Moment(us) for coup, us in counted.began.items()
    }
    assert sum(row["staked"].minor for row in rows) == counted.handle
    drawn = Counter(event.payload.coup for event in events if type(event.payload) is ev.CardDrawn)
    for row in rows:
        hands = " ".join(row[key] or "" for key in ("player", "banker", "other_hands"))
        shown = [word for word in hands.split() if word[-1] in "♣♦♥♠"]
        rejected = sum(
            type(event.payload) is bank_ev.CardRejected and event.payload.coup == row["coup"]
            for event in events
        )
        assert len(shown) == drawn[row["coup"]] - rejected


@every_game
def test_the_win_of_a_table_is_what_its_events_moved_to_the_house(pack):
    events = dealt(pack)
    counted = Counted(events)
    report = statistical_win(records_of(events))
    (row,) = records(table_named(report, "bets"))
    assert (row["coups"], row["handle"].minor) == (len(counted.began), counted.handle)
    assert row["won"].minor == counted.house()
    if events[0].payload.decks == 8:
        assert row["valued"].minor == counted.house()
    else:
        assert isinstance(row["expected"], Unknown)


def test_a_bet_s_theoretical_win_and_deviation_are_those_of_all_sequences_of_cards():
    """1.00 on Banker, 2.00 on the tie in one coup, by every result of a full shoe."""
    events = replaced(dealt(("classic-8", 8), coups=1), _banker_and_tie)
    records = records_of(events)
    exposure = Exposure()
    (shoe,) = records.shoes
    exposure.add(shoe, shoe.coups[1])
    odds = odds_of(full_decks(8))
    stakes = Counter()
    for bet in shoe.coups[1].bets.values():
        stakes[bet.wager] += bet.amount
    assert set(stakes) == {"banker", "tie"}
    wins = {
        "banker": {"B": Fraction(-19, 20), "P": 1, "T": 0},
        "tie": {"B": 1, "P": 1, "T": -8},
    }
    mean = square = Fraction(0)
    for outcome, ways in odds.outcomes.items():
        won = sum(stake * wins[wager][outcome] for wager, stake in stakes.items())
        mean += Fraction(won * ways, odds.total)
        square += Fraction(won * won * ways, odds.total)
    assert exposure.expected == mean
    assert exposure.variance == square - mean**2
    assert exposure.z == pytest.approx(
        float(exposure.won - mean) / float(square - mean**2) ** 0.5, rel=1e-12
    )


def _draw_for_tie(payload):
    """A bet on the tie, under a name that no rule pack knows."""
    if isinstance(payload, ev.BetPlaced) and payload.wager == "tie":
        return replace(payload, wager="draw")
    return None


def test_a_bet_on_a_wager_that_is_not_in_the_pack_has_no_expectation_for_this_reason():
    made = records_of(replaced(dealt(("classic-8", 8)), _draw_for_tie))
    report = statistical_win(made)
    (note,) = table_named(report, "wagers").notes
    assert note == (
        "Bets without a known expectation are left out: wager 'draw' is not in classic-8; "
        "did you mean 'tie'?"
    )
    exposure = Exposure()
    (shoe,) = made.shoes
    for coup in shoe.coups.values():
        exposure.add(shoe, coup, wager="draw")
    assert exposure.unvalued > 0 == exposure.handle


def _banker_and_tie(payload):
    if isinstance(payload, ev.BetPlaced):
        wager = "tie" if payload.bet == 1 else "banker"
        return ev.BetPlaced(payload.coup, payload.bet, payload.patron, wager, payload.amount)
    return None


def test_each_wager_s_theoretical_win_is_its_handle_at_the_house_edge():
    events = dealt(("super-6", 8))
    made = records_of(events)
    report = statistical_win(made)
    (shoe,) = made.shoes
    odds = odds_of(full_decks(8))
    rows = records(table_named(report, "wagers"))
    assert {row["wager"].name for row in rows} == set(Counted(events).wagers.values())
    for row in rows:
        edge = PayTable(shoe.pack.wager(row["wager"].name), Fraction(0)).house_edge(odds)
        assert row["edge"] == edge
        assert row["expected"].minor == row["handle"].minor * edge


@pytest.mark.parametrize("pack", [("classic-8", 8), ("midi", 8)], ids=["at-once", "marked"])
def test_commission_due_is_a_twentieth_of_the_winnings_on_banker(pack):
    events = dealt(pack)
    counted = Counted(events)
    table = table_named(commission(records_of(events)), "commission")
    winnings = [
        paid for key, paid in counted.paid.items() if counted.wagers[key] == "banker" and paid
    ]
    (shoe,) = records_of(events).shoes
    currency = shoe.pack.money.currency
    assert sum(row["bets"] for row in records(table)) == len(winnings)
    assert total_of(table, "winnings") == {currency: sum(winnings)}
    charged = sum(counted.kept.values()) + sum(counted.marked.values())
    assert total_of(table, "due") == {currency: charged}
    assert total_of(table, "rounding") == {currency: charged - Fraction(sum(winnings), 20)}
    assert total_of(table, "short") == {currency: 0}


def test_a_payment_after_commission_does_not_tell_when_the_commission_was_kept():
    """Every winning bet on Banker is paid 19 to 20, and no commission is on record."""
    events = dealt(("classic-8", 8))
    counted = Counted(events)
    won = {key: paid for key, paid in counted.paid.items() if counted.wagers[key] == "banker"}
    due = {"EUR": sum(counted.kept.values())}
    for after_commission in (True, False):
        made = [event for event in events if type(event.payload) is not ev.CommissionCollected]

        def change(payload, flag=after_commission):
            if type(payload) is not ev.BetPaid or (payload.coup, payload.bet) not in won:
                return None
            net = payload.amount - counted.kept[payload.coup, payload.bet]
            return ev.BetPaid(payload.coup, payload.bet, net, after_commission=flag)

        table = table_named(commission(records_of(replaced(made, change))), "commission")
        assert total_of(table, "due") == due
        assert total_of(table, "short") == {"EUR": 0}
        if not after_commission:
            assert total_of(table, "kept") == due
            continue
        patrons = {counted.patrons[key] for key in won}
        for row in records(table):
            for key in ("kept", "marked", "collected", "owed"):
                assert isinstance(row[key], Unknown) == (row["patron"] in patrons)
        assert all(isinstance(row[7], Unknown) for row in table.totals)


@every_game
def test_levies_are_those_taken_from_banks(pack):
    events = dealt(pack)
    levies = [e.payload.amount for e in events if type(e.payload) is bank_ev.LevyTaken]
    table = table_named(commission(records_of(events)), "levies")
    assert bool(levies) == (pack[0] in {"chemin-de-fer-france", "deux-tableaux-france"})
    assert total_of(table, "taken") == ({"EUR": sum(levies)} if levies else {})
    assert total_of(table, "short") == ({"EUR": 0} if levies else {})


@every_game
def test_the_net_effect_of_a_shift_is_what_was_paid_too_much(pack):
    """The first payment of each coup is 7.00 too much: the house, or the bank, lacks it."""
    wrong = set()

    def change(payload):
        if type(payload) is ev.BetPaid and payload.coup not in wrong:
            wrong.add(payload.coup)
            return ev.BetPaid(payload.coup, payload.bet, payload.amount + 700)
        return None

    made = records_of(replaced(dealt(pack, coups=4), change))
    found = tuple(each for each in audit_shoe(made.shoes[0]).findings if each.code == WRONG_PAYOUT)
    table = table_named(shift_audit(replace(made, findings=found)), "findings")
    banked = pack[1] != 8
    (currency,) = {row["house"].currency for row in records(table)}
    assert total_of(table, "house") == {currency: 0 if banked else -700 * len(wrong)}
    assert {total[7].minor for total in table.totals} == set(total_of(table, "house").values())


@every_game
def test_a_shoe_without_mistakes_has_no_payment_variance(pack):
    report = payment_variance(records_of(dealt(pack)))
    assert records(table_named(report, "bets")) == []
    (row,) = records(table_named(report, "dealers"))
    assert row["wrong"] == 0


@pytest.mark.parametrize("coup", [True, False], ids=["for-the-coup", "later"])
def test_commission_that_names_no_bet_is_that_of_the_bets_that_owe_it(coup):
    """Each commission is collected for its coup, or for no coup, and for no bet."""

    def change(payload):
        if type(payload) is ev.CommissionCollected:
            return ev.CommissionCollected(
                payload.patron, payload.amount, payload.coup if coup else None
            )
        return None

    events = dealt(("classic-8", 8))
    made = records_of(replaced(events, change))
    assert records(table_named(payment_variance(made), "bets")) == []
    table = table_named(commission(made), "commission")
    charged = sum(Counted(events).kept.values())
    assert total_of(table, "due") == {"EUR": charged}
    assert total_of(table, "short") == {"EUR": 0}
    assert total_of(table, "kept" if coup else "collected") == {"EUR": charged}


@every_game
def test_payment_variance_is_the_amount_by_which_payments_were_changed(pack):
    """The first payment of each coup is 7.00 too much."""
    events = dealt(pack)
    wrong = {}

    def change(payload):
        if type(payload) is ev.BetPaid and payload.coup not in wrong:
            wrong[payload.coup] = payload.bet
            return ev.BetPaid(payload.coup, payload.bet, payload.amount + 700)
        return None

    changed = replaced(events, change)
    report = payment_variance(records_of(changed))
    rows = records(table_named(report, "bets"))
    assert {row["coup"] for row in rows} == set(wrong)
    patrons = Counted(changed).patrons
    assert [(row["patron"], row["difference"].minor, row["what"]) for row in rows] == [
        (patrons[coup, bet], 700, "overpaid") for coup, bet in wrong.items()
    ]
    (dealers,) = records(table_named(report, "dealers"))
    assert (dealers["wrong"], dealers["over"].minor) == (len(wrong), 700 * len(wrong))


@every_game
def test_patrons_are_rated_by_their_own_bets(pack):
    events = dealt(pack)
    counted = Counted(events)
    report = patron_rating(records_of(events))
    rows = {row["patron"]: row for row in records(table_named(report, "patrons"))}
    for patron, row in rows.items():
        keys = [key for key, who in counted.patrons.items() if who == patron]
        assert row["handle"].minor == sum(counted.stakes[key] for key in keys)
        if row["won"] is not None:
            assert row["won"].minor == sum(
                counted.taken[key] - counted.paid[key] + (counted.marked[key] or counted.kept[key])
                for key in keys
            )
    assert set(rows) == {who for key, who in counted.patrons.items() if counted.stakes[key]}


def test_a_bet_that_was_never_settled_counts_in_the_handle_and_has_no_result():
    events = dealt(("super-6", 8))
    lost = next(event.payload for event in events if type(event.payload) is ev.BetTaken)
    made = [event for event in events if event.payload != lost]
    patron = Counted(events).patrons[lost.coup, lost.bet]
    before, after = (
        {row["patron"]: row for row in records(table_named(patron_rating(each), "patrons"))}[patron]
        for each in (records_of(events), records_of(made))
    )
    assert after["handle"] == before["handle"]
    assert after["won"].minor == before["won"].minor - lost.amount


def test_g_is_twice_the_log_likelihood_ratio():
    counts = Counter({("player", True): 18, ("player", False): 6,
                      ("banker", True): 4, ("banker", False): 12})  # fmt: skip
    expected = {("player", True): 24 * 22 / 40, ("player", False): 24 * 18 / 40,
                ("banker", True): 16 * 22 / 40, ("banker", False): 16 * 18 / 40}  # fmt: skip
    g = 2 * sum(many * log(many / expected[cell]) for cell, many in counts.items())
    assert g_statistic(counts) == pytest.approx(g, rel=1e-12)
    assert g_statistic(Counter({("player", True): 5, ("player", False): 5})) is None


@every_game
def test_dealers_have_the_coups_and_the_win_of_their_time(pack):
    events = dealt(pack)
    half = len(Counted(events).began) // 2
    at = next(n for n, e in enumerate(events) if e.payload == ev.CoupOpened(half + 1))
    post = events[0].payload.crew[0].post
    relief = ev.CrewChanged(post, "zoe")
    before = events[at - 1]
    made = events[: at - 1] + [_as(before, before.payload), _as(before, relief, 1)] + [
        _as(event, event.payload, 1) for event in events[at:]
    ]  # fmt: skip
    rows = {
        row["dealer"]: row
        for row in records(table_named(dealer_report(records_of(made)), "dealers"))
    }
    assert {name: row["coups"] for name, row in rows.items()} == {
        "crew-1": half, "zoe": len(Counted(events).began) - half
    }  # fmt: skip
    counted = Counted(events)
    if rows["zoe"]["won"] is not None:
        assert rows["crew-1"]["won"].minor == counted.house(set(range(1, half + 1)))
        assert rows["zoe"]["won"].minor == counted.house(set(counted.began) - set(range(half + 1)))


def _as(event, payload, more=0):
    return msgspec.structs.replace(
        event,
        payload=payload,
        index=event.index + more,
        version=event.version + more,
        position=event.position + more,
    )


_OF_BANKS = {
    bank_ev.BankRaised: "added",
    bank_ev.BankWithdrawn: "taken_out",
    bank_ev.LevyTaken: "levy",
    bank_ev.ExcessReturned: "excess",
    ev.BetTaken: "won",
    ev.BetPaid: "paid",
}


@every_game
def test_banks_have_what_their_events_moved(pack):
    events = dealt(pack)
    banks, bankers = [], []
    for payload in (event.payload for event in events):
        if isinstance(payload, bank_ev.BankPosted):
            banks.append(Counter(posted=payload.amount))
            bankers.append(payload.by)
        elif isinstance(payload, bank_ev.BancoCalled):
            banks[-1]["bancos"] += 1
        elif banks and type(payload) in _OF_BANKS:
            banks[-1][_OF_BANKS[type(payload)]] += payload.amount
    rows = records(table_named(player_banked(records_of(events)), "banks"))
    assert [row["banker"] for row in rows] == bankers
    assert bool(banks) == (events[0].payload.decks != 8)
    for row, bank in zip(rows, banks, strict=True):
        shown = {key: row[key].minor for key in ("added", "won", "paid", "levy", "taken_out")}
        assert shown == {key: bank[key] for key in shown}
        assert (row["bancos"], row["excess"].minor) == (bank["bancos"], bank["excess"])
        after = bank["posted"] + bank["added"] + bank["won"]
        assert row["after"].minor == after - bank["paid"] - bank["levy"] - bank["taken_out"]


@every_game
def test_each_claim_of_banco_has_its_coup_and_patron(pack):
    events = dealt(pack)
    called = [
        (e.payload.coup, e.payload.patron, e.payload.on)
        for e in events
        if type(e.payload) is bank_ev.BancoCalled
    ]
    rows = records(table_named(player_banked(records_of(events)), "claims"))
    assert [(row["coup"], row["patron"], row["on"]) for row in rows] == called


def _batch(*payloads):
    """Events of a batch of cards, an hour apart."""
    (first, *_) = dealt(("classic-8", 8), coups=1)
    return [
        msgspec.structs.replace(
            first, stream="cards/B-1", payload=payload, index=n, version=n, position=n,
            at_us=n * 3_600_000_000,
        )
        for n, payload in enumerate(payloads, 1)
    ]  # fmt: skip


def test_the_card_inventory_adds_up_what_came_went_and_was_missing():
    """Ten decks come; eight are played, two cards are missing of them, and six are destroyed."""
    events = _batch(
        cards.CardsReceived("maker", 10, "ann"),
        cards.CardsIssued("T1", "ann"),
        cards.CardsReturned("ann", "T1"),
        cards.CardsSorted("bob", missing=2, marked=1),
        cards.DefectReported("police", "bob"),
        cards.CardsCounted(9, "bob"),
        cards.CardsDestroyed("bob", "eve", decks=6),
    )
    made = Records(Scope(), batches=(fold_batch("cards/B-1", events),))
    report = card_inventory(made)
    stock = dict(report.sections[0].figures)
    assert stock == {
        "batches on record": 1, "decks received": 10, "decks destroyed": 6, "decks left": 4,
        "cards missing": 2, "cards extra": 0, "cards marked": 1,
    }  # fmt: skip
    (row,) = records(table_named(report, "batches"))
    shown = ("received_at", "received", "issued_to", "returned", "sorted", "missing", "destroyed")
    hour = Moment(3_600_000_000)
    assert [row[key] for key in shown] == [hour, 10, "T1", 1, 1, 2, 6]
    assert (row["reported"], row["destroyed_by"], row["decks"]) == ("police", "bob, eve", 4)
    (count,) = records(table_named(report, "counts"))
    assert (count["counted"], count["due"], count["difference"]) == (9, 10, -1)
    # the batch as it was before the cards were destroyed, without a count in the period
    before = Records(Scope(Period(0, 1)), batches=(fold_batch("cards/B-1", events[:5]),))
    (row,) = records(table_named(card_inventory(before), "batches"))
    assert (row["decks"], row["destroyed"]) == (10, 0)
    assert table_named(card_inventory(before), "counts").rows == ()


@every_game
def test_the_shoe_record_counts_cards_and_results(pack):
    events = dealt(pack)
    kinds = Counter(type(event.payload) for event in events)
    (row,) = records(table_named(shoe_record(records_of(events)), "shoes"))
    assert row["coups"] == kinds[ev.CoupOpened]
    assert row["cards_out"] == kinds[ev.CardDrawn] + kinds[ev.CardBurned]
    faces = [e.payload.card for e in events if type(e.payload) is ev.CardBurned and e.payload.card]
    assert row["burns"] is None or all(format_card(card) in row["burns"] for card in faces)
    if events[0].payload.decks == 8:
        called = Counter(e.payload.outcome for e in events if type(e.payload) is ev.ResultCalled)
        assert (row["player"], row["banker"], row["tie"]) == (called["P"], called["B"], called["T"])


def test_only_the_coups_that_began_in_the_period_count():
    events = dealt(("super-6", 8))
    counted = Counted(events)
    since, to = counted.began[4], counted.began[9]
    made = records_of(events, period=Period(since, to))
    rows = records(table_named(coup_journal(made), "coups"))
    assert [row["coup"] for row in rows] == [4, 5, 6, 7, 8]
    (row,) = records(table_named(statistical_win(made), "bets"))
    assert row["won"].minor == counted.house({4, 5, 6, 7, 8})


def test_a_session_s_win_is_what_its_chips_and_its_drop_box_gained():
    """T1 opens with 10,000.00, gets 2,000.00, sends 500.00, closes with 9,000.00, drop 3,000.00.

    Its second session is still open.
    """
    shoe = dealt(("classic-8", 8))
    payloads = [
        ev.TableOpened(1_000_000, currency="EUR"), ev.TableFilled(200_000), ev.CreditSent(50_000),
        ev.TableClosed(900_000), ev.DropCounted(300_000), ev.TableOpened(900_000, currency="EUR"),
    ]  # fmt: skip
    table = [
        replace(event, stream="table/T1", payload=payload)
        for event, payload in zip(shoe, payloads, strict=False)
    ]
    first, second = records(
        table_named(statistical_win(records_of(shoe, tables=[table])), "sessions")
    )
    amounts = ("opening", "fills", "credits", "drop", "closing", "win")
    assert [first[key].minor for key in amounts] == [
        1_000_000, 200_000, 50_000, 300_000, 900_000, 50_000
    ]  # fmt: skip
    assert first["hold"] == Fraction(1, 6)
    assert (first["opened"].us, first["closed"].us) == (table[0].at_us, table[3].at_us)
    assert second["closed"] is None
    assert "session 2 of table T1 lacks: closing, drop" in second["win"].why


def test_an_empty_period_says_so():
    made = records_of(dealt(("super-6", 8)), period=Period(0, 1))
    for make in (coup_journal, shoe_record, commission, payment_variance, patron_rating,
                 dealer_report, player_banked, statistical_win):  # fmt: skip
        for table in make(made).tables():
            assert table.rows == ()
            assert table.empty.startswith(("No", "Every"))


def test_the_destruction_of_cards_does_not_extend_the_time_of_play():
    events = dealt(("midi", 8), coups=2)
    of = records_of(events)
    late = max(event.at_us for event in events) + 3_600_000_000
    history = [replace(events[0], at_us=late)]
    batch = replace(fold_batch("cards/B-1", []), history=history)
    times = [event.at_us for event in events]
    assert first_and_last(replace(of, batches=(batch,))) == (min(times), max(times))
    assert first_and_last(Records(Scope(Period()), batches=(batch,))) == (late, late)
