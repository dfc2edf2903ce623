"""The findings of game protection as one self-contained HTML page."""

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files

import markupsafe
from msgspec import Struct

from sabot.domain.events.points_in_time import format_time
from sabot.domain.protection.money.win_rate import WinRate
from sabot.domain.protection.reporting.case_file import Case, Money, by_first_card, by_outcome
from sabot.domain.protection.reporting.coverage import TESTS
from sabot.domain.protection.reporting.detection_report import AdvantagePlay, Report
from sabot.domain.protection.reporting.finding import BASIS, Finding
from sabot.domain.protection.shoe_tests.side_bets import SideBets
from sabot.domain.rules.labels import percent_label, wager_label
from sabot.domain.values.money import format_amount
from sabot.infrastructure.audits.audit_run import Provenance
from sabot.infrastructure.exports.charts import evidence_chart
from sabot.infrastructure.exports.html_page import Show, environment, hash_source


class CaseFile(Struct, frozen=True):
    """The contents of the page.

    ``asked`` is the request in words. ``wins`` are keyed by patron, currency and its decimals.
    """

    report: Report
    findings: Sequence[Finding]
    cases: Sequence[Case]
    side_bets: Sequence[SideBets]
    wins: Mapping[tuple[str, str, int], WinRate]
    provenance: Provenance
    asked: str
    patron: str | None = None


def _seconds(us: int) -> str:
    return format_time(us // 1_000_000 * 1_000_000)


def case_page(file: CaseFile, show: Show, show_time: Callable[[int], str] = _seconds) -> str:
    """Return the page, with times as ``show_time`` writes them.

    The same case file gives the same text.
    """
    folder = files("sabot.infrastructure") / "exports" / "templates"
    style = "".join(
        (folder / name).read_text(encoding="utf-8") for name in ("audit.css", "detect.css")
    )
    return environment(show).from_string(
        (folder / "detect.html.j2").read_text(encoding="utf-8")
    ).render(
        report=file.report,
        findings=file.findings,
        provenance=file.provenance,
        asked=file.asked,
        patron=file.patron,
        level=f"{file.report.alpha:g}",
        cases=[_case_values(case, show, show_time) for case in file.cases],
        tests=list(_tests(file.report)),
        left_out=[one for one in file.report.left_out if file.patron in (None, one.patron)],
        models=[_model(bets) for bets in file.side_bets],
        advantage=[
            _advantage(play)
            for play in file.report.advantage_play
            if file.patron in (None, play.patron)
        ],
        wins=[_win(*who, rate) for who, rate in sorted(file.wins.items(), key=_by_z)],
        style=markupsafe.Markup(style),  # noqa: S704 - our own file
        style_hash=hash_source(style),
    )  # fmt: skip


def named(case: Case) -> str:
    """Return the name of a case's subject."""
    if case.key[0] == "group":
        return f"The group {case.key[1]}: {', '.join(case.patrons)}"
    return f"Patron {case.key[1]}"


def summary(case: Case, show_time: Callable[[int], str] = _seconds) -> str:
    """Summarise a case in two sentences, its time as ``show_time`` writes it."""
    if not case.steps:
        return "The record has no bet that could be tested."
    last = case.steps[-1]
    evidence = f"Evidence 10^{last.log10_e:.1f} over {len(case.steps)} coups. "
    if case.alarm is None:
        return f"{evidence}It never reached 1/alpha."
    at = "" if case.alarm.at_us is None else f" ({show_time(case.alarm.at_us)})"
    place = case.steps.index(case.alarm) + 1
    return (
        f"{evidence}It first reached 1/alpha at coup {case.alarm.coup} of shoe "
        f"{case.alarm.shoe}{at}, after {place} coups that could be tested."
    )


def money_row(money: Money) -> dict[str, str]:
    """Format the amounts staked, won and expected for display."""

    def amount(minor: int) -> str:
        return f"{format_amount(minor, money.minor_units)} {money.currency}"

    known = money.worth is not None and money.worth_least is not None
    edge = interval = worth = reach = ""
    if known and money.on_sides:
        assert money.worth is not None
        assert money.worth_least is not None
        assert money.worth_most is not None
        edge = percent_label(money.worth / money.on_sides)
        least, most = money.worth_least / money.on_sides, money.worth_most / money.on_sides
        interval = f"{percent_label(least)} to {percent_label(most)}"
        worth = amount(money.worth)
        reach = f"{amount(money.worth_least)} to {amount(money.worth_most)}"
    return {
        "patron": money.patron,
        "bets": f"{money.bets:,}",
        "staked": amount(money.staked),
        "won": amount(money.won),
        "all_bets": f"{money.all_bets:,}",
        "all_staked": amount(money.all_staked),
        "result": amount(money.result),
        "on_a_side": f"{money.bets + sum(money.left_out.values()):,}",
        "left_out": "; ".join(f"{many:,} left out: {why}" for why, many in money.left_out.items()),
        "expected": amount(money.expected),
        "z": f"{money.z:+.2f}",
        "edge": edge,
        "interval": interval,
        "on_sides": amount(money.on_sides),
        "worth": worth,
        "range": reach,
    }


def _case_values(case: Case, show: Show, show_time: Callable[[int], str]) -> dict[str, object]:
    cards = by_first_card(case.steps)
    both = list(zip(*cards.values(), strict=True))
    return {
        "case": case,
        "name": named(case),
        "summary": summary(case, show_time),
        "chart": evidence_chart(case, show),
        "cards": cards,
        "shares": [
            percent_label(player / (player + banker), ".0%") if player + banker else ""
            for player, banker in both
        ],
        "outcomes": by_outcome(case.steps),
        "money": [money_row(money) for money in case.money],
        "noted": [
            {
                "at": show_time(one.at_us).replace("T", " "),
                "shoe": one.shoe,
                "coup": one.coup,
                "who": one.who,
                "what": one.what,
                "event": one.event,
                "before_alarm": one.before_alarm,
            }
            for one in case.noted
        ],
    }


def _tests(report: Report) -> list[dict[str, str]]:
    rows = []
    for test, unit in TESTS.items():
        made = report.coverage.get(test)
        if made is None:
            continue
        why = sorted(made.lacked.items(), key=lambda pair: (-pair[1], pair[0]))
        rows.append(
            {
                "test": test,
                "rests": BASIS[test],
                "made": f"{made.times:,} times, by the {unit}" if made.times else "not made",
                "why": "; ".join(f"{reason} ({many:,})" for reason, many in why),
            }
        )
    return rows


def _by_z(entry: tuple[tuple[str, str, int], WinRate]) -> tuple[float, tuple[str, str, int]]:
    return -entry[1].z, entry[0]


def _win(patron: str, currency: str, minor_units: int, rate: WinRate) -> dict[str, str]:
    def amount(minor: float) -> str:
        return f"{format_amount(round(minor), minor_units)} {currency}"

    return {
        "patron": patron,
        "bets": f"{rate.bets:,}",
        "staked": amount(rate.staked),
        "won": amount(rate.won),
        "expected": amount(rate.expected),
        "deviation": amount(rate.variance**0.5),
        "z": f"{rate.z:+.2f}",
    }


def _advantage(play: AdvantagePlay) -> dict[str, str]:
    return {
        "patron": play.patron,
        "wager": wager_label(play.wager),
        "bets": f"{play.bets:,}",
        "on": percent_label(play.expectation, "+.2%"),
        "off": percent_label(play.without, "+.2%"),
        "coups": ", ".join(
            f"{bet.shoe} coup {bet.coup} ({percent_label(bet.expectation, '+.1%')})"
            for bet in play.coups
        ),
    }


def _model(bets: SideBets) -> dict[str, str]:
    return {
        "patron": bets.patron,
        "wager": wager_label(bets.wager),
        "on": f"{bets.on.coups:,}",
        "off": f"{bets.off.coups:,}",
        "worth_on": percent_label(bets.on.mean, "+.2%"),
        "worth_off": percent_label(bets.off.mean, "+.2%") if bets.off.coups else "",
        "z": f"{bets.z:+.1f}" if bets.z else "",
    }
