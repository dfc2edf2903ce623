"""The JSON schemas of the program's outputs, from the types that it writes.

A list of records is an array; each line of ``--format jsonl`` is one of its items. Every key is
always there, with null where it does not apply.
"""

import json
from typing import Annotated, Any, Final, NamedTuple, NotRequired, TypedDict, get_type_hints

import msgspec
from msgspec import Meta

from sabot.domain.audit.explain.steps import Step
from sabot.domain.audit.finding_reviews import FindingState, ReviewEntry
from sabot.domain.audit.findings import Finding
from sabot.domain.events.review import AuditRun
from sabot.domain.protection.reporting.detection_report import AdvantagePlay, LeftOut
from sabot.domain.protection.reporting.finding import Finding as DetectionFinding
from sabot.domain.rules.pack_keys import PackKey
from sabot.domain.views.table_view import Felt
from sabot.infrastructure.access_log import Access
from sabot.infrastructure.database.schema_check import SchemaFault
from sabot.infrastructure.evidence.verification_result import Problem
from sabot.infrastructure.imports.batch import Added
from sabot.infrastructure.projections.rows import LedgerRow, ShoeRow

SHOE: Final = "B1-20260314-1"
FINDING: Final = "a9a61816dd17"
Count = int | None
Text = str | None


class Output(NamedTuple):
    """A JSON output: its name, the command line that writes it, its type and its meaning."""

    name: str
    command: tuple[str, ...]
    kind: Any
    title: str


def _keys_of(struct: type, keys: str = "", without: str = "") -> dict[str, Any]:
    """Return the types of a structure's fields by their names in JSON: all, or those named."""
    hints = get_type_hints(struct, include_extras=True)
    if issubclass(struct, msgspec.Struct):
        encoded = {each.name: each.encode_name for each in msgspec.structs.fields(struct)}
        hints = {encoded[name]: hint for name, hint in hints.items() if name in encoded}
    return {key: hints[key] for key in (keys.split() or hints) if key not in without.split()}


def _object(name: str, /, *parts: dict[str, Any], **keys: Any) -> Any:
    return TypedDict(name, {key: kind for part in (*parts, keys) for key, kind in part.items()})


def _texts(keys: str, kind: Any = Text) -> dict[str, Any]:
    return dict.fromkeys(keys.split(), kind)


STATE: Final = {
    **_keys_of(FindingState, "state outcome"),
    **_texts("state_by state_at"),
    "state_why": str,
    **_texts("found found_again by_correction", bool),
}
MONEY: Final = {"currency": Text, "minor_units": Count}
EVENT: Final = {"index": int, "at_us": Count, "at": Text, "stream": str, "name": Text, "what": str}

Breach = _object("Breach", _keys_of(Finding), STATE)
Rule = _object(
    "RuleResult", code=str, findings=int, looked=int, not_applicable=dict[str, int]
)  # fmt: skip
PackUsed = _object(
    "PackUsed", _texts("name version sha256 title", str), named=bool, shoes=int,
    recalled=list[str], sources=list[str],
)  # fmt: skip
Audit = _object(
    "Audit", _texts("shoes coups batches tables resolved", int), findings=list[Breach],
    rules=list[Rule], packs=list[PackUsed], bets_not_judged=list[dict[str, Any]],
    scope=NotRequired[dict[str, Any]],
)  # fmt: skip
Reviewed = _object(
    "ReviewedFinding",
    _texts("fingerprint stream code message last", str),
    _texts("severity at shoe dealer supervisor patron number group"),
    _texts("former_code former_fingerprint"),
    _texts("at_us coup", Count),
    STATE,
    money=_keys_of(Finding)["money"] | None, remarks=list[ReviewEntry],
)  # fmt: skip
Remark = _object("Remark", _keys_of(ReviewEntry), login=Text)
Recorded = _object(
    "RecordedAudit",
    _keys_of(AuditRun, without="batches tables counts packs named"),
    {key: kind | None for key, kind in _keys_of(AuditRun, "counts packs named").items()},
    _texts("at stale", str), _texts("index since findings", int),
)  # fmt: skip
TableState = _object(
    "TableState",
    _texts("table state missing", str),
    _texts("shoe phase pack pack_version shoe_pack"),
    _texts("shoes coups handle won last_index", int),
    _texts("coup drop_counted win opening closing fills credits bought estimated_win", Count),
    _texts("session opened_us closed_us", Count),
    MONEY,
    hold_percent=float | None,
)
ShoeRowShown = _object("Shoe", _keys_of(ShoeRow, without="stream"), won=int)
Patron = _object("Patron", _texts("shoes bets handle result owed bought last_index", int), MONEY,
                 patron=str)  # fmt: skip
Entry = _object(
    "LedgerEntry", _keys_of(LedgerRow), MONEY, _texts("table_name shoe"),
    _texts("chips_balance result_balance owed_balance", int),
)  # fmt: skip
Account = _object(
    "CommissionAccount", _texts("name state patron", str),
    _texts("at_once marked collected owed last_index", int), MONEY, table_name=Text,
)  # fmt: skip
Batch = _object(
    "Batch", _texts("batch where last", str), _texts("decks shoes defects received", int),
    _texts("corrections version", int), backs=list[str], tables=list[str], seal=Text,
)  # fmt: skip
Link = _object("CustodyEvent", EVENT, actor=Text)
LogEvent = _object(
    "LogEvent", EVENT, _texts("actor device event_id"), version=int, recorded=str,
    recorded_us=int, seq=Count, fact=dict[str, Any],
)  # fmt: skip
Shown = _object("Shown", table=dict[str, Any] | None, felt=Felt | None)
Wager = _object(
    "WagerOdds", wager=str, pays=str, house_edge=float | None, house_edge_exact=Text,
    rules=list[str],
)  # fmt: skip
Odds = _object("Odds", counts=dict[str, int], probabilities=dict[str, float], wagers=list[Wager])
Chemin = _object(
    "CheminDeFer",
    _texts("player_draws_on_5 banker_draws_on_6_no_card value", str),
    value_decimal=float, player_draws=dict[str, str], banker_draws=dict[str, dict[str, str]],
)  # fmt: skip
Banque = _object(
    "Banque",
    _texts("split right_draws_on_5 right_draws_on_5_left_natural", str),
    _texts("left_draws_on_5_right_natural value_right value_left value_bank", str),
    left_draws_on_5=dict[str, str], regret=dict[str, str],
    banker_draws=dict[str, dict[str, dict[str, str]]],
)  # fmt: skip
Source = _object("RuleSource", title=str, article=Text, url=Text)
RuleText = _object(
    "Rule", _texts("number code group family severity why checked", str),
    _texts("example near_miss former_code nothing_to_check reported_when note"),
    sources=list[Source],
    **_texts("games applies_if order exceptions rests_on cites follows_from", list[str]),
    reads=Annotated[list[str], Meta(description="Events of a finding, and of the required order.")],
)  # fmt: skip
Explained = _object("ExplainedCoup", shoe=str, coup=int, pack=Text, steps=list[Step],
                    findings=list[Finding])  # fmt: skip
Alarm = _object(
    "Alarm", _keys_of(DetectionFinding, without="rests key"),
)  # fmt: skip
Detection = _object(
    "Detection", alpha=float, subjects=int, findings=list[Alarm],
    advantage_play=list[AdvantagePlay], left_out=NotRequired[list[LeftOut]],
)  # fmt: skip
Verified = _object(
    "Verified", _texts("origin key verdict", str), _texts("events covered checkpoints", int),
    problems=list[Problem], remarks=list[str],
)  # fmt: skip
PackTitle = _object("RulePack", _texts("pack title decks wagers recalled version sha256", str))
PackKeyText = _object("RulePackKey", _keys_of(PackKey))
Identity = _object(
    "LogIdentity", _texts("origin database public_key signing_key published_in", str),
    _texts("events signed", int), projected=Count, signed_here=Count, published=Count,
)  # fmt: skip
Fault = _object("SchemaFault", _keys_of(SchemaFault))
Projected = _object("Projected", _texts("events position head", int))
Published = _object("Published", _texts("folder origin root key", str), events=int)
Habit = _object("Habit", _texts("habit what options seen_by", str))
Mapping = _object("Mapping", _texts("mapping format title", str))
Name = _object("PatronName", patron=str, name=str)
SchemaTitle = _object("SchemaTitle", schema=str, title=str)

OUTPUTS: Final = (
    Output("tables", ("tables",), list[TableState], "The tables"),
    Output("shoes", ("shoes",), list[ShoeRowShown], "The shoes"),
    Output("patrons", ("patrons",), list[Patron], "The patrons"),
    Output("ledger", ("ledger", "p-3301"), list[Entry], "A patron's bets, payments and balances"),
    Output("commission", ("commission",), list[Account], "The commission of each patron by shoe"),
    Output("cards", ("cards",), list[Batch], "The batches of cards"),
    Output("cards-chain", ("cards", "PU-3300"), list[Link], "The chain of custody of a batch"),
    Output("log", ("log", "--shoe", SHOE), list[LogEvent], "Events of the log"),
    Output("show", ("show", "B1", "--at", "2026-03-14T21:15"), Shown, "A table at a moment"),
    Output("odds", ("odds", "--decks", "8"), Odds, "Odds of the next coup"),
    Output("odds-chemin-de-fer", ("odds", "chemin-de-fer"), Chemin, "Optimal play"),
    Output("odds-banque", ("odds", "banque"), Banque, "Optimal play at two tableaux"),
    Output("audit", ("audit", "--all"), Audit, "An audit"),
    Output("findings", ("findings", "--all"), list[Reviewed], "Findings and their reviews"),
    Output(
        "findings-show",
        ("findings", "show", FINDING),
        list[Remark],
        "The reviews of one finding",
    ),
    Output("findings-runs", ("findings", "runs"), list[Recorded], "Recorded audits"),
    Output("explain", ("explain", SHOE, "5"), Explained, "A coup step by step"),
    Output("detect", ("detect", "--shoe", "P7-20260314-1"), Detection,
           "Patrons who bet as if they knew the next card"),
    Output("verify", ("verify",), Verified, "The verification of a log"),
    Output("rules", ("rules",), list[RuleText], "The rules of the audit"),
    Output("packs", ("packs",), list[PackTitle], "The rule packs"),
    Output("packs-keys", ("packs", "--keys"), list[PackKeyText], "The keys of a rule pack"),
    Output("import", ("import", "coups.jsonl", "--dry-run"), Added, "What an import adds"),
    Output("import-mappings", ("import", "--mappings"), list[Mapping], "The mappings"),
    Output("simulate-habits", ("simulate", "--habits"), list[Habit], "The simulated habits"),
    Output("schemas", ("schemas",), list[SchemaTitle], "The JSON schemas"),
    Output("project", ("project",), list[Projected], "The summary tables brought up to date"),
    Output("store-info", ("store", "info"), list[Identity], "The identity of a log"),
    Output("store-check", ("store", "check"), list[Fault], "Differences from a new log"),
    Output("store-accesses", ("store", "accesses"), list[Access], "The access log"),
    Output("evidence-publish", ("evidence", "publish", "published"), list[Published],
           "A published directory"),
    Output("names-list", ("names", "list"), list[Name], "The names of patrons"),
)  # fmt: skip
"""Every JSON output besides that of ``sabot report``; ``SARIF`` has a schema of its own."""

MEANINGS: Final = {
    "index": "Place in the log, from 1.",
    "last_index": "The last event counted, by its place in the log.",
    "first_index": "The first event, by its place in the log.",
    "version": "Place in the stream, from 1; the version of a rule pack or table.",
    "stream": "The stream of the log, such as shoe/H-1.",
    "coup": "The number of the coup as it was recorded.",
    "minor_units": "The decimals of the currency.",
    "fingerprint": "Identifies the finding; the same in every copy of the log.",
    "at": "ISO 8601, UTC.",
    "state_at": "ISO 8601, UTC, by the log's clock.",
    "handle": "The sum of the bets, in minor units.",
    "won": "The house's win on bets, in minor units.",
    "owed": "Commission owed, in minor units.",
    "house": "The house's surplus from the breach, in minor units; negative is a shortage.",
    "house_edge": "The house's expected share of a stake.",
    "house_edge_exact": "The same as a fraction.",
    "log10_e": "The base-10 logarithm of the evidence.",
    "not_applicable": "How often the rule was not applied, by reason.",
    "looked": "How often the rule was applied.",
    "fact": "The event as it was recorded; its type names its keys.",
    "signed": "Events that the newest checkpoint covers.",
    "found": "Whether the record still shows the breach.",
    "by_correction": "Whether a correction of the record resolved the finding, and no person.",
}
"""What a key means wherever it occurs."""
_EVENTS: Final = ("The number of events.", "The indexes of events in the log.")
_MICROSECONDS: Final = "Microseconds since 1970, UTC."


def schema_of(output: Output) -> dict[str, Any]:
    """Return the JSON schema of an output."""
    made = msgspec.json.schema(output.kind)
    for part in (made, *made.get("$defs", {}).values()):
        part.pop("title", None)
        part.pop("description", None)  # written for programmers
        for key, described in part.get("properties", {}).items():
            says = _MICROSECONDS if key.endswith("_us") else MEANINGS.get(key)
            if key == "events":
                says = _EVENTS["items" in described]
            if says is not None:
                described.setdefault("description", says)
    words = " ".join(output.command)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:sabot:{output.name}:1",
        "title": output.title,
        "description": (
            f"Written by `sabot {words} --format json`. New keys may be added; existing keys keep "
            "their meaning."
        ),
        **made,
    }
    return json.loads(json.dumps(schema))
