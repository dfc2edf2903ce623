"""Rules of the bank of two wings: whose it is at first, who succeeds, who shuffles and cuts.

The rule of a broken bank of two wings: made up to the agreed minimum, or given up.
"""

from collections.abc import Iterator
from typing import Final

from sabot.domain.audit.checks.bank.tableaux_bets import accepted_now
from sabot.domain.audit.checks.bank.tableaux_hands import BANQUE, CITES
from sabot.domain.audit.completeness import (
    COUPS_ALONE,
    COUPS_LACK,
    NO_BANK,
    NO_SEATS,
    bank_unknown,
    coups_lack,
    seats_lack,
)
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, CoupView, Rule
from sabot.domain.audit.wording import money
from sabot.domain.events import PatronMoved, ShoeOffered
from sabot.domain.events.bank import BankPosted, BankRaised
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.patron_bank import banked
from sabot.domain.procedure.two_tableaux.bank_award import best_bid, least_stake
from sabot.domain.procedure.two_tableaux.tableaux import rule_of
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.shoe import Shoe, middle_of

_GAMES: Final[tuple[GameName, ...]] = (BANQUE,)
_OPEN: Final = ("field-facts.md 3 A20", "arrêté of 14 May 2007, art. 61")


def _awarded(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    offers = [event for event, _ in shoe.offers]
    offer = next((e for e in offers if not shoe.banks or _before(e, shoe.banks[0].posted)), None)
    if offer is None:
        return "the first bank was offered to nobody"
    if rule_of(shoe).award == "auction":
        return _to_the_highest(shoe, offer, offer.payload)
    names = [event.payload.by for event in shoe.listed]
    if not names:
        return "nobody put his name down for the bank"
    first = rule_of(shoe).award == "list"
    if offer.payload.to in (names[:1] if first else names):
        return NO_BREACH
    due = f"{names[0]}, who put his name down first" if first else f"one of {', '.join(names)}"
    return (_breach(f"the bank was offered to {offer.payload.to}", due, (offer, *shoe.listed)),)


def _to_the_highest(shoe: Shoe, offer: RecordedEvent, payload: ShoeOffered) -> Answer:
    best = best_bid(shoe)
    if best is None:
        return "nobody bid for the bank"
    if (payload.to, payload.amount) == (best.by, best.amount):
        return NO_BREACH
    due = f"{best.by}, who bid {money(shoe, best.amount)}"
    return (_breach(f"the bank went to {payload.to}", due, (offer, *shoe.bids)),)


def _before(one: RecordedEvent, other: RecordedEvent) -> bool:
    return one.position < other.position


def _breach(said: str, due: str, events: tuple[RecordedEvent, ...]) -> Breach:
    return Breach(said, due, said, events)


def _below_bid(shoe: Shoe) -> Answer:
    best = best_bid(shoe)
    if best is None or not shoe.banks:
        return "nobody bid for the bank" if best is None else "no bank was put up"
    first = shoe.banks[0]
    put = first.posted.payload.amount
    if first.holder != best.by or put >= best.amount:
        return NO_BREACH
    said = f"{first.holder} put up {money(shoe, put)}"
    due = f"{money(shoe, best.amount)} at least: so much he undertook to risk"
    return (_breach(said, due, (first.posted, *shoe.bids)),)


def _not_moved(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if not rule_of(shoe).swap:
        return "the pack does not give the retiring banker a seat"
    if not shoe.banks:
        return NO_BANK
    if seats_lack(shoe) or coups_lack(shoe):
        return NO_SEATS
    moves = events_of(PatronMoved, shoe.history)
    middle, found = middle_of(shoe), []
    held: str | None = None
    for bank in shoe.banks:
        own = [
            e
            for e in moves
            if (e.payload.patron, e.payload.seat) == (bank.holder, middle)
            and _before(e, bank.posted)
        ]
        if not own and bank.holder != held:
            said = f"{bank.holder} banked, and did not take the banker's place"
            due = "who retires takes the seat that his successor leaves"
            found.append(Breach(said, due, said, (bank.posted,), patron=bank.holder))
        held = bank.holder
    return tuple(found)


def _unproven(shoe: Shoe) -> Answer:
    if not rule_of(shoe).proven:
        return "the pack asks for no proof of funds"
    if not shoe.banks or coups_lack(shoe):
        return COUPS_LACK if shoe.banks else NO_BANK
    found = []
    for bank in shoe.banks:
        put = 0
        for event in (bank.posted, *bank.moves):
            payload = event.payload
            if not isinstance(payload, BankPosted | BankRaised):
                continue
            put += payload.amount
            proven = sum(
                each.payload.amount
                for each in shoe.funds
                if each.payload.by == bank.holder and _before(each, event)
            )
            if put > proven:
                said = f"{bank.holder} put up {money(shoe, put)}"
                due = f"{money(shoe, proven)} at most: what he proved that he could pay"
                found.append(Breach(said, due, money(shoe, put), (event,), patron=bank.holder))
                break
    return tuple(found)


def _sessions(shoe: Shoe) -> Answer:
    rule = rule_of(shoe)
    if rule.sessions is None and rule.shoes is None:
        return "the pack numbers no sessions"
    if shoe.scope == "coups":
        return COUPS_ALONE
    if not shoe.sessions and coups_lack(shoe):
        return COUPS_LACK
    if not shoe.sessions:
        first = next((coup.opened for coup in shoe.coups.values() if coup.opened), None)
        if first is None:
            return "no coup was dealt"
        due = "which session of the day this is, and which of its shoes"
        return (_breach("nobody called the session", due, (first,)),)
    return tuple(_misnumbered(shoe))


def _misnumbered(shoe: Shoe) -> Iterator[Breach]:
    """Yield the calls of more than the pack has, or of a shoe that was called as another."""
    rule = rule_of(shoe)
    for event in shoe.sessions:
        payload = event.payload
        if rule.sessions is not None and payload.session > rule.sessions:
            said = f"session {payload.session} of {payload.day} was called"
            yield _breach(said, f"{rule.sessions} sessions a day at most", (event,))
        elif rule.shoes is not None and payload.shoe > rule.shoes:
            said = f"shoe {payload.shoe} of a session was called"
            yield _breach(said, f"{rule.shoes} shoes a session at most", (event,))
        elif payload != shoe.sessions[0].payload:
            said = f"the shoe was called again: shoe {payload.shoe} of session {payload.session}"
            yield _breach(said, "a shoe is of one session", (event, shoe.sessions[0]))


def _shuffled_after(shoe: Shoe) -> Answer:
    if not rule_of(shoe).last_shuffle:
        return "the pack does not let the banker shuffle last"
    banker = shoe.banks[0].holder if shoe.banks else None
    shuffles = [e for e in shoe.shuffles if not shoe.left or _before(e, shoe.left[0])]
    his = [e for e in shuffles if e.payload.by == banker]
    if banker is None or not his:
        return "the banker did not shuffle"
    # where all is shuffled anew, he may again be the last
    after = [event for event in shuffles if _before(his[-1], event)]
    if not after:
        return NO_BREACH
    if not shoe.cuts and not shoe.left:
        return "the cards were not cut: he may shuffle once more"
    by = after[0].payload.by
    due = "nobody shuffles after the banker has"
    return (_breach(f"{by} shuffled after {banker}, who banks", due, (after[0], his[-1])),)


def _another_cut(shoe: Shoe) -> Answer:
    if not rule_of(shoe).names_cutter:
        return "the pack does not let the banker name who cuts"
    if not shoe.cuts:
        return "nobody cut the cards"
    cut = shoe.cuts[-1]
    named = [e for e in shoe.cutters if _before(e, cut)]
    who = named[-1].payload.cutter if named else None
    by = named[-1].payload.by if named else None
    banker = shoe.banks[0].holder if shoe.banks else by
    if by is not None and by != banker:
        due = f"{banker}, who banks, names who cuts"
        return (_breach(f"{by} named {who} to cut", due, (named[-1], cut)),)
    if cut.payload.by == who:
        return NO_BREACH
    due = f"{who}, whom the banker named" if who else "whom the banker names"
    return (_breach(f"{cut.payload.by} cut the cards", due, (cut, *named)),)


TABLEAUX_BANK_RULES: Final = (
    Rule(
        "W501",
        "wrong-first-bank-award",
        "procedure",
        "medium",
        "The bank is his who undertakes to risk most; or whose name stands first, or is drawn.",
        CITES,
        on_shoe=_awarded,
        games=_GAMES,
    ),
    Rule(
        "W502",
        "bank-below-bid",
        "procedure",
        "medium",
        "Who is given the bank for his bid risks what he bid.",
        CITES,
        on_shoe=_below_bid,
        games=_GAMES,
    ),
    Rule(
        "W503",
        "banker-out-of-place",
        "procedure",
        "low",
        "The banker sits between the wings, and who retires has his successor's seat.",
        CITES,
        on_shoe=_not_moved,
        games=_GAMES,
    ),
    Rule(
        "W504",
        "bank-beyond-proven-funds",
        "procedure",
        "high",
        "An open bank holds all stakes: its banker has proved that he can pay them.",
        _OPEN,
        on_shoe=_unproven,
        games=_GAMES,
    ),
    Rule(
        "W505",
        "excess-sessions",
        "procedure",
        "medium",
        "Open banks are played in so many sessions a day, each of so many shoes.",
        _OPEN,
        on_shoe=_sessions,
        games=_GAMES,
    ),
    Rule(
        "W506",
        "shuffle-after-banker",
        "procedure",
        "medium",
        "The banker may shuffle last: nobody touches the order after him.",
        CITES,
        on_shoe=_shuffled_after,
        games=_GAMES,
    ),
    Rule(
        "W507",
        "wrong-cutter",
        "procedure",
        "medium",
        "The banker chooses by whom the cards are cut.",
        CITES,
        on_shoe=_another_cut,
        games=_GAMES,
    ),
)


def _played_on(view: CoupView) -> Answer:
    part, rule = banked(view.coup), view.shoe.pack.bank if view.shoe.pack is not None else None
    unknown = bank_unknown(view.shoe, view.coup)
    unlimited = part.unlimited and not accepted_now(view)
    if unknown or unlimited or rule is None or part.bank is None:
        return unknown or "the bank has no limit"
    if not view.coup.cards:
        return "no card was drawn"
    raises = _made_up(view)
    added = sum(event.payload.amount for event in events_of(BankRaised, raises))
    least = least_stake(view.shoe)
    if part.bank - added >= least or (added and part.bank >= rule.minimum):
        return NO_BREACH
    shown = money(view.shoe, part.bank)
    return (
        Breach(
            f"a bank of {shown} was played for, and it had been broken",
            f"{money(view.shoe, rule.minimum)} at least, once it is made up; or it is given up",
            shown,
            (*raises, *view.coup.cards[:1]),
            patron=part.banker,
            done=view.coup.cards[0],
        ),
    )


def _made_up(view: CoupView) -> list[RecordedEvent]:
    """Return what the banker added between the coup before and this one."""
    bank = view.shoe.banks[banked(view.coup).nth - 1]
    began = view.coup.events[0].position
    raises: list[RecordedEvent] = []
    for event in reversed([move for move in bank.moves if move.position < began]):
        if not isinstance(event.payload, BankRaised) or event.payload.coup is not None:
            break
        raises.insert(0, event)
    return raises


BROKEN_BANK_RULES: Final = (
    Rule(
        "W508",
        "play-on-broken-bank",
        "procedure",
        "medium",
        "A bank that cannot meet the least stake is made up to the agreed minimum, or given up: "
        "who stakes wins something.",
        ("field-facts.md 1.2", "seeds S0, S1 (Baccarat banque)"),
        on_coup=_played_on,
        games=(BANQUE,),
    ),
)


RULES = (
    *TABLEAUX_BANK_RULES,
    *BROKEN_BANK_RULES,
)
"""Every rule of this family."""
