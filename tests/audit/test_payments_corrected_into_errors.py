"""A late correction by which a right payment looks wrong is a finding about the correction.

Each coup is settled right, and corrected by sue afterwards. The amounts are what is due by the
corrected record, less what was due by the first. They are worked out by hand beside each.
"""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.corrections import breach_corrected_away
from sabot.domain.audit.checks.payments import wrong_payout
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import bank as bank_ev
from tests.support import bank_coups, own_hand_coups, tableaux_coups
from tests.support.coup_notation import Felt
from tests.support.one_fault import own_and_explained

CODE = code_of(breach_corrected_away)


def corrected(felt: Felt, was: ev.Event, instead: ev.Event | None, by: str = "sue") -> Felt:
    version = next(event.position for event in felt.events if event.payload == was)
    return felt.put(ev.EventCorrected(version, "misread", by, instead))


def changed(felt: Felt, kind: type, where: dict[str, object], **to: object) -> Felt:
    """Correct some fields of the first event of a kind that has these values."""
    was = next(
        each
        for each in felt.payloads
        if isinstance(each, kind) and all(getattr(each, k) == v for k, v in where.items())
    )
    return corrected(felt, was, replace(was, **to))


def by_itself(felt: Felt) -> list[tuple[str, dict[str, int], int | None]]:
    """Return the findings that no other explains: code, money of each patron, of the house."""
    found = [each for each in audit_shoe(felt.shoe).findings if each.explained_by is None]
    return [(each.code, each.money.patrons, each.money.house) for each in found]


def money_in_all(felt: Felt) -> dict[str, int]:
    """Return what each patron got too much, by all findings."""
    gains: dict[str, int] = {}
    for finding in audit_shoe(felt.shoe).findings:
        for patron, gain in finding.money.patrons.items():
            gains[patron] = gains.get(patron, 0) + gain
    return {patron: gain for patron, gain in gains.items() if gain}


def at_punto_banco(pack: str, coup: str) -> Felt:
    return Felt(pack).ready().coup(coup).coup("p1 player 500 | P 4 5  B K 8")


def at_chemin_de_fer(cards: str, pack: str = "chemin-de-fer") -> Felt:
    """p2 has 50.00 against p1's bank of 100.00."""
    felt = bank_coups.table(pack=pack).put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 5000, 2), ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    return felt.cards(cards).due(ev.Event)


def at_macao(pack: str, coup: str) -> Felt:
    """p3 banks."""
    return own_hand_coups.play(own_hand_coups.table(pack), coup)


def at_banque(hands: str, pack: str = "banque") -> Felt:
    """p7 has 5.00 on the right and p5 on the left; p11 banks."""
    line = f"p7 right 500, p5 left 500 | {hands}"
    return tableaux_coups.play(tableaux_coups.table(pack), line)


BOTH_SIDES = "p1 player 10000, p2 banker 5000 | P 4 5  B K 8"
BANKER_WINS = "p1 banker 10000 | P 4 3  B K 8"
DRAGON = "p1 dragon-7 1000, p2 banker 5000 | P 4 K 2  B K 2 5"
SETTLED: dict[str, Callable[[], Felt]] = {
    "both sides": lambda: at_punto_banco("classic-8", BOTH_SIDES),
    "both sides, in France": lambda: at_punto_banco("france", BOTH_SIDES),
    "Banker wins": lambda: at_punto_banco("classic-4", BANKER_WINS),
    "Dragon 7": lambda: at_punto_banco("ez-baccarat", DRAGON),
    "natural 8 at macao": lambda: at_macao("macao-old", "2 500, 1 10000 | 2: 6; 1: 8; B: 3"),
    "9 at victoria": lambda: at_macao("victoria", "2 500, 1 10000 | 2: 3 4; 1: 5 4; B: 3 3"),
    "bank loses": lambda: at_chemin_de_fer("P 4 5  B K 8"),
    "bank wins": lambda: at_chemin_de_fer("P 4 2  B K 9"),
    "bank wins, with a levy": lambda: at_chemin_de_fer("P 4 2  B K 9", "chemin-de-fer-france"),
    "right wins": lambda: at_banque("3 6; 2 4; 6 A"),
    "both lose, with a levy": lambda: at_banque("3 4; 2 4; 6 3", "deux-tableaux-france"),
}
"""Coups that are settled right."""
BET, CARD, CARRIED = ev.BetPlaced, ev.CardDrawn, ev.BetCarried
P1, P2, P7 = ({"patron": who} for who in ("p1", "p2", "p7"))


@pytest.mark.parametrize(
    ("settled", "kind", "where", "to", "patrons"),
    [
        # 100.00 on Player won 100.00; now 200.00 were on it, or 50.00
        ("both sides", BET, P1, {"amount": 20_000}, {"p1": 10_000}),
        ("both sides", BET, P1, {"amount": 5000}, {"p1": -5000}),
        # 50.00 on Banker were lost; now 100.00
        ("both sides", BET, P2, {"amount": 10_000}, {"p2": -5000}),
        # now the winning 100.00 were on Banker, and lost
        ("both sides, in France", BET, P1, {"wager": "banker"}, {"p1": -20_000}),
        # now Player has 6 and loses: p2 is due 50.00 less 5 %
        ("both sides", CARD, {"card": "5"}, {"card": "2"}, {"p1": -20_000, "p2": 9750}),
        # 200.00 on Banker win 190.00; 95.00 were paid
        ("Banker wins", BET, P1, {"amount": 20_000}, {"p1": 9500}),
        # Dragon 7 pays 40 to 1
        ("Dragon 7", BET, P1, {"amount": 2000}, {"p1": 40_000}),
        # Dragon 7 pushes a Banker bet; on Player it is lost
        ("Dragon 7", BET, P2, {"wager": "player"}, {"p2": -5000}),
        # a natural 8 wins twice the stake, and a 7 once
        ("natural 8 at macao", BET, P1, {"amount": 15_000}, {"p1": 10_000, "p3": -10_000}),
        (
            "natural 8 at macao",
            CARD,
            {"seat": 1},
            {"card": "7"},
            {"p1": -10_000, "p3": 10_000},
        ),
        # a natural 9 wins three times the stake
        ("9 at victoria", BET, P1, {"amount": 5000}, {"p1": -15_000, "p3": 15_000}),
        # p2 has 50.00 against the bank of p1
        ("bank loses", BET, P2, {"amount": 8000}, {"p2": 3000, "p1": -3000}),
        ("bank wins", BET, P2, {"amount": 2000}, {"p2": 3000, "p1": -3000}),
        # a tie now
        ("bank wins", CARD, {"card": "9"}, {"card": "6"}, {"p2": 5000, "p1": -5000}),
        # and the levy of 2.50 becomes 1.00
        ("bank wins, with a levy", BET, P2, {"amount": 2000}, {"p2": 3000, "p1": -2850}),
        # p7 has 5.00 on the right; now 15.00, or on the losing left
        ("right wins", BET, P7, {"amount": 1500}, {"p7": 1000, "p11": -1000}),
        ("right wins", BET, P7, {"wager": "left"}, {"p7": -1000, "p11": 1000}),
        # the levy of 2 % of what the bank wins is 0.30 now, and was 0.20
        ("both lose, with a levy", BET, P7, {"amount": 1000}, {"p7": -500, "p11": 490}),
    ],
)
def test_what_a_right_payment_rests_on_is_corrected(settled, kind, where, to, patrons):
    """The payment was right: no finding on it stands by itself, and all amounts come to nothing."""
    felt = SETTLED[settled]()
    assert audit_shoe(felt.shoe).findings == []
    changed(felt, kind, where, **to)
    assert by_itself(felt) == [(CODE, patrons, -sum(patrons.values()))]
    assert money_in_all(felt) == {}


@pytest.mark.parametrize(
    ("settled", "kind", "to"),
    [
        ("both sides", ev.BetPaid, {"amount": 9000}),
        ("Banker wins", ev.CommissionCollected, {"amount": 100}),
        ("bank wins, with a levy", bank_ev.LevyTaken, {"amount": 100}),
        # the bank of 100.00 is one of 30.00 now, and has paid 50.00
        ("bank loses", bank_ev.BankPosted, {"amount": 3000}),
    ],
)
def test_a_right_payment_is_corrected_itself(settled, kind, to):
    """Nothing else was due than was paid."""
    felt = SETTLED[settled]()
    assert audit_shoe(felt.shoe).findings == []
    assert by_itself(changed(felt, kind, {}, **to)) == [(CODE, {}, None)]


def test_the_finding_says_who_corrected_what_and_what_looks_wrong_by_it():
    felt = changed(SETTLED["both sides"](), BET, P1, amount=20_000)
    (found,) = [each for each in audit_shoe(felt.shoe).findings if each.explained_by is None]
    assert found.message == (
        "a correction of event 8 by sue (misread) changed payments after the result was known: "
        f"as corrected, P201 {code_of(wrong_payout)}, p1's 200.00 EUR on Player: "
        "underpaid by 100.00 EUR"
    )
    assert [felt.payloads[index - 1].by for index in found.events] == ["sue"]
    assert (found.severity, found.patron) == ("high", "p1")


def test_each_of_two_people_has_a_finding_for_the_payment_that_looks_wrong_by_their_correction():
    felt = changed(SETTLED["both sides"](), BET, P1, amount=20_000)
    lost = next(each for each in felt.payloads if isinstance(each, BET) and each.patron == "p2")
    corrected(felt, lost, replace(lost, amount=10_000), by="bill")
    assert by_itself(felt) == [(CODE, {"p1": 10_000}, -10_000), (CODE, {"p2": -5000}, 5000)]


@pytest.mark.parametrize("paid", [10_000, 20_000, 15_000])
def test_a_stake_is_raised_between_the_result_and_its_payment(paid):
    """100.00 on Player become 200.00 once Player has won.

    What was paid beside both amounts is a finding of its own.
    """
    felt = Felt().ready().put(ev.CoupOpened(1), BET(1, 1, "p1", "player", 10_000))
    felt.put(ev.NoMoreBets(1)).cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"))
    changed(felt, BET, P1, amount=20_000).put(ev.BetPaid(1, 1, paid), ev.CoupClosed(1))
    wrong = [(code_of(wrong_payout), {"p1": -5000}, 5000)] if paid == 15_000 else []
    assert sorted(by_itself(felt)) == sorted([(CODE, {"p1": 10_000}, -10_000), *wrong])


def test_a_bank_that_holds_less_by_a_correction_is_no_further_finding():
    """P2's 50.00 and p3's 20.00 are lost, and p2's are not taken.

    A correction says that p2 had no bet. The bank of 100.00 is called at 170.00 all the same.
    """
    lost = BET(1, 1, "p2", "player", 5000, 2)
    felt = bank_coups.table().put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(lost, BET(1, 2, "p3", "player", 2000, 3), ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    felt.cards("P 4 2  B K 9").due(ev.CardTurned, ev.ResultCalled)
    felt.put(ev.BetTaken(1, 2, 2000), ev.CoupClosed(1), ev.CoupOpened(2))
    felt.put(bank_ev.BankCalled(2, 17_000), BET(2, 1, "p3", "player", 2000, 3), ev.NoMoreBets(2))
    felt.due(bank_ev.HandGiven).cards("P 4 5  B K 9").due(ev.CardTurned, ev.ResultCalled)
    corrected(felt.put(ev.BetPushed(2, 1), ev.CoupClosed(2)), lost, None)
    own, explained = own_and_explained(felt)
    assert own == [CODE]
    assert {cause for _, cause in explained} == {CODE}


# -- Bets that stay on the layout ------------------------------------------------------------------


def held_at_punto_banco(cards: str) -> Felt:
    return Felt().ready().coup("p1 player 1000 | P 4 5  B K 9").coup(f"+p1 player 1000 | {cards}")


def held_at_chemin_de_fer(cards: str) -> Felt:
    felt = at_chemin_de_fer("P 4 5  B K 9")
    felt.put(ev.NoMoreBets(2)).due(bank_ev.HandGiven).cards(cards)
    return felt.due(ev.Event)


def held_at_banque(hands: str, pack: str = "banque") -> Felt:
    return tableaux_coups.play(at_banque("3 6; 9 K; 9 K", pack), f" | {hands}")


HELD: dict[str, Callable[[], Felt]] = {
    "punto banco, won": lambda: held_at_punto_banco("P 4 5  B K 8"),
    "chemin de fer, lost": lambda: held_at_chemin_de_fer("P 4 2  B K 9"),
    "chemin de fer, won": lambda: held_at_chemin_de_fer("P 4 5  B K 8"),
    "banque, lost": lambda: held_at_banque("3 4 =; 2 4 =; 6 3"),
    "banque, won": lambda: held_at_banque("3 6; 2 7; 6 A"),
    "deux tableaux, lost": lambda: held_at_banque("3 4 =; 2 4 =; 6 3", "deux-tableaux-france"),
}
"""Bets that a tie left on the layout, and that the next coup decided."""


@pytest.mark.parametrize(
    ("held", "whose", "to", "won"),
    [
        ("punto banco, won", "p1", "p2", 1000),
        ("chemin de fer, lost", "p2", "p3", -5000),
        ("chemin de fer, won", "p2", "p3", 5000),
        ("banque, lost", "p7", "p8", -500),
        ("banque, won", "p7", "p8", 500),
        ("deux tableaux, lost", "p7", "p8", -500),
    ],
)
def test_a_carried_bet_is_given_to_another_patron(held, whose, to, won):
    """What a tie left was the first patron's: that the other carried it follows from it."""
    felt = HELD[held]()
    assert audit_shoe(felt.shoe).findings == []
    changed(felt, CARRIED, {"patron": whose}, patron=to, seat=int(to[1:]))
    assert by_itself(felt) == [(CODE, {whose: -won, to: won}, 0)]
    assert money_in_all(felt) == {whose: -won, to: won}


@pytest.mark.parametrize("amount", [2000, 500])
def test_the_stake_of_a_carried_bet_is_corrected(amount):
    """10.00 were left on Player, and won 10.00: what lay there was paid, so nothing is owed."""
    felt = changed(HELD["punto banco, won"](), CARRIED, P1, amount=amount)
    assert by_itself(felt) == [(CODE, {}, None)]
    assert money_in_all(felt) == {}
