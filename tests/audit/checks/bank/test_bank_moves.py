"""Banks that another moved, or of which more was taken out than lay there: what it came to."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.chip_flow import imbalances
from tests.audit.bank_move_cases import ACCEPTED, chemin, in_case_of_loss, open_bank, then
from tests.audit.test_live import told_of


def test_what_another_took_out_he_has_and_the_banker_lacks() -> None:
    shoe = then(chemin, bank_ev.BankWithdrawn("p2", 16_500), ev.ShoePassed("p1", "chosen"))()
    (found,) = audit_shoe(shoe).findings
    assert found.money.patrons == {"p2": 16_500, "p1": -16_500}
    assert found.money.house == 0


def test_how_much_more_was_taken_out_than_lay_there() -> None:
    """100000, and twice 500 less 10, lie there: 100980."""
    shoe = then(open_bank, bank_ev.BankWithdrawn("p11", 101_980), ev.ShoePassed("p11", "chosen"))()
    (found,) = imbalances(shoe)
    assert found.message == "10.00 more was taken out of p11's bank than lay there"


def test_in_case_of_loss_a_banker_may_accept_what_goes_beyond_his_bank() -> None:
    """21000 was won of 20000: he takes it on, and brings the 1000 that his bank lacks."""
    late = in_case_of_loss(21_000, ACCEPTED, bank_ev.BankRaised("p11", 1000, 1))()
    assert audit_shoe(late).findings == []
    (found,) = audit_shoe(in_case_of_loss(20_000, ACCEPTED)()).findings
    assert found.code == "open-bank-without-excess"


def test_what_was_accepted_late_may_be_brought_until_the_coup_is_over() -> None:
    """Whoever follows the shoe hears of it once the coup is closed, and not before."""
    brought = in_case_of_loss(21_000, ACCEPTED, bank_ev.BankRaised("p11", 1000, 1))().history
    assert told_of(brought) == []
    never = in_case_of_loss(21_000, ACCEPTED)().history
    ((when, news),) = [
        each for each in told_of(never) if each[1].finding.code == "stakes-beyond-bank"
    ]
    assert news.told == "found"
    assert isinstance(never[when - 1].payload, ev.CoupClosed)
