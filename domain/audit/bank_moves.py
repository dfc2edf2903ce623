"""Rules of whose hands move a bank: his alone who banks, and it is his to whom it was offered."""

from collections.abc import Iterator
from typing import Final

from domain.audit.banking import BANKED
from domain.audit.lacking import COUPS_ALONE, COUPS_LACK, NO_BANK, coups_lack
from domain.audit.rule import Answer, Breach, Doubt, Rule
from domain.audit.timing import doubt, doubt_in_row
from domain.audit.wording import money
from domain.bank import Bank
from domain.coup import Coup
from domain.event import Event
from domain.facts import ShoeOffered, ShoePassed, ShoeRefused, ShoeTaken
from domain.facts.bank import BankPosted, BankRaised, BankUnlimited, BankWithdrawn
from domain.shoe import Shoe

_CITES: Final = (
    "field-facts.md 1.2, 3 A17",
    "seeds S0, S1 (Chemin de fer, Baccarat banque, Macao)",
    "arrêté of 14 May 2007, arts 58 to 62",
)


def _unjudged(shoe: Shoe) -> str | None:
    if shoe.scope == "coups":
        return COUPS_ALONE
    return COUPS_LACK if coups_lack(shoe) else None


def _raises_and_takings(shoe: Shoe) -> list[tuple[Bank, Event, BankRaised | BankWithdrawn]]:
    """Return what went into the banks after they were put up, and what was taken out of them."""
    return [
        (bank, event, event.fact)
        for bank in shoe.banks
        for event in bank.moves
        if isinstance(event.fact, BankRaised | BankWithdrawn)
    ]


def _by_another(shoe: Shoe) -> Answer:
    moved = _raises_and_takings(shoe)
    reason = _unjudged(shoe)
    if reason or not moved:
        return reason or ("no bank was added to, or taken out" if shoe.banks else NO_BANK)
    wrong = [each for each in moved if each[2].by != each[0].holder]
    if not wrong:
        return ()
    doubtful = doubt_in_row(shoe, _holding(shoe))
    if doubtful is not None:
        return doubtful
    return tuple(_moved(shoe, *each) for each in wrong)


def _moved(shoe: Shoe, bank: Bank, event: Event, fact: BankRaised | BankWithdrawn) -> Breach:
    out = isinstance(fact, BankWithdrawn)
    did = "took {} out of {}'s bank" if out else "added {} to {}'s bank"
    gain = fact.amount if out else -fact.amount
    return Breach(
        f"{fact.by} {did.format(money(shoe, fact.amount), bank.holder)}",
        f"{bank.holder}, who banks: nobody else adds to his bank, or takes anything out of it",
        fact.by,
        (event, bank.posted),
        getattr(fact, "coup", None),
        money=((fact.by, gain), (bank.holder, -gain)),
        patron=fact.by,
    )


# -- From one banker to the next ---------------------------------------------------------------


def _holding(shoe: Shoe) -> list[Event]:
    """Return the facts that tell who has the bank, in their order."""
    posted = [bank.posted for bank in shoe.banks]
    return sorted((*shoe.shoe_moves, *posted), key=lambda event: event.version)


def _had_by_another(shoe: Shoe) -> Answer:
    reason = _unjudged(shoe)
    if reason:
        return reason
    if not shoe.offers or not any(isinstance(e.fact, ShoeTaken) for e in shoe.shoe_moves):
        return "the record does not say to whom the bank was offered, or who took it"
    rows = _holding(shoe)
    return doubt_in_row(shoe, rows) or tuple(_changes(rows))


def _changes(rows: list[Event]) -> Iterator[Breach]:
    """Yield a breach for each bank that another took, put up or gave up than might."""
    offered: str | None = None
    holder: str | None = None
    for event in rows:
        fact = event.fact
        if isinstance(fact, ShoeOffered):
            offered = fact.to
        elif isinstance(fact, ShoeRefused):
            offered = None
        elif isinstance(fact, ShoeTaken):
            if fact.by != offered:
                yield _change(event, fact.by, "took the bank", offered, "to whom it was offered")
            holder = fact.by
        elif isinstance(fact, BankPosted):
            if fact.by not in (holder, offered):
                yield _change(event, fact.by, "put up a bank", holder or offered, "whose it was")
            holder = fact.by
        elif isinstance(fact, ShoePassed):
            if holder is not None and fact.by != holder:
                yield _change(event, fact.by, "gave up the bank", holder, "who banks")
            offered = holder = None


def _change(event: Event, by: str, did: str, whose: str | None, why: str) -> Breach:
    due = f"{whose}, {why}" if whose is not None else "nobody, before it is offered"
    return Breach(f"{by} {did}", due, by, (event,), patron=by)


# -- In a coup ---------------------------------------------------------------------------------


def _late(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    raises = [each for each in _raises_and_takings(shoe) if isinstance(each[2], BankRaised)]
    if not raises:
        return "no bank was added to" if shoe.banks else NO_BANK
    found: list[Breach | Doubt] = []
    for bank, event, fact in raises:
        coup = _closed_for(shoe, event)
        if coup is None or coup.no_more_bets is None or _accepts(bank, coup, event):
            continue
        doubtful = doubt(shoe, coup.no_more_bets, event)
        if doubtful is not None:
            found.append(Doubt(doubtful))
            continue
        said = f"{fact.by} added {money(shoe, fact.amount)} to {bank.holder}'s bank"
        found.append(
            Breach(
                f"{said} after no more bets had been called",
                "a bank stands once no more bets is called, unless the banker then accepts all",
                "it was added while the coup was played",
                (event, coup.no_more_bets),
                coup.number,
                patron=fact.by,
            )
        )
    return tuple(found)


def _accepts(bank: Bank, coup: Coup, raised: Event) -> bool:
    """Tell whether he adds what his bank lacks, having accepted the stakes of the coup so late."""
    called = coup.no_more_bets
    accepted = (event for event in bank.moves if isinstance(event.fact, BankUnlimited))
    first = next(accepted, None)
    if called is None or first is None:
        return False
    return called.version < first.version < raised.version


def _closed_for(shoe: Shoe, event: Event) -> Coup | None:
    """Return the coup that was played when something happened: no more bets, and not over yet."""
    for coup in shoe.coups.values():
        called, end = coup.no_more_bets, coup.closed or coup.voided
        if called is None or called.version > event.version:
            continue
        if end is not None and event.version < end.version:
            return coup
        if end is None and shoe.current is coup:
            return coup
    return None


RULES: Final = (
    Rule(
        "bank-was-moved-by-another",
        "payout",
        "high",
        "What lies in a bank is its banker's: he alone adds to it, and takes it out.",
        _CITES,
        on_shoe=_by_another,
        games=BANKED,
    ),
    Rule(
        "bank-was-had-by-another",
        "procedure",
        "medium",
        "Who is offered the bank takes it, who takes it puts it up, and he alone gives it up.",
        _CITES,
        on_shoe=_had_by_another,
        games=BANKED,
    ),
    Rule(
        "bank-was-raised-after-no-more-bets",
        "procedure",
        "high",
        "Who adds to his bank when the cards are dealt has more at stake than was staked against.",
        _CITES,
        on_shoe=_late,
        games=BANKED,
    ),
)
