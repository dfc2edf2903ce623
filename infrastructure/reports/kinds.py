"""The kinds of reports, by name."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from sabot.infrastructure.reports import (
    card_inventory,
    commission,
    coup_journal,
    dealer,
    detection_case,
    incident,
    patron_rating,
    payment_variance,
    player_banked,
    shift_audit,
    shoe_record,
    statistical_win,
)
from sabot.infrastructure.reports.model import Report
from sabot.infrastructure.reports.records import Records


class ReportKind(Struct, frozen=True):
    """A kind of report: its name, its title and what it shows.

    ``make`` is the function that makes it from the records of the period. It is None for a kind
    that needs other data. ``findings`` is whether it needs the findings of the audit.
    """

    name: str
    title: str
    shows: str
    make: Callable[[Records], Report] | None = None
    findings: bool = False


KINDS: Final = (
    ReportKind(
        shift_audit.KIND,
        shift_audit.TITLE,
        "findings with their states, pictures of the coups, results of the tables",
        shift_audit.shift_audit,
        findings=True,
    ),
    ReportKind(
        shoe_record.KIND,
        shoe_record.TITLE,
        "each shoe: cards, cut, burns, results and count",
        shoe_record.shoe_record,
        findings=True,
    ),
    ReportKind(
        coup_journal.KIND,
        coup_journal.TITLE,
        "each coup: cards, result, dealer and stakes",
        coup_journal.coup_journal,
    ),
    ReportKind(
        statistical_win.KIND,
        statistical_win.TITLE,
        "each table: drop, win and hold; win on bets against expectation",
    ),
    ReportKind(
        commission.KIND,
        commission.TITLE,
        "commission and levies: due, collected, rounding, short",
        commission.commission,
    ),
    ReportKind(
        payment_variance.KIND,
        payment_variance.TITLE,
        "bets that were not settled as due",
        payment_variance.payment_variance,
    ),
    ReportKind(
        patron_rating.KIND,
        patron_rating.TITLE,
        "each patron: buy-in, handle, theoretical and actual win",
        patron_rating.patron_rating,
    ),
    ReportKind(
        dealer.KIND,
        dealer.TITLE,
        "each dealer: pace, findings, payments, win, patrons",
        dealer.dealer_report,
        findings=True,
    ),
    ReportKind(
        card_inventory.KIND,
        card_inventory.TITLE,
        "batches of cards, from delivery to destruction",
        card_inventory.card_inventory,
    ),
    ReportKind(
        player_banked.KIND,
        player_banked.TITLE,
        "banks of patrons: amounts, bancos, excess, levy",
        player_banked.player_banked,
    ),
    ReportKind(
        detection_case.KIND,
        detection_case.TITLE,
        "patrons who bet as if they knew hidden cards; --patron NAME for one",
    ),
    ReportKind(
        incident.KIND,
        incident.TITLE,
        "all that the log has about one finding; --finding FINGERPRINT",
    ),
)
"""Every kind, in the order of the help."""
