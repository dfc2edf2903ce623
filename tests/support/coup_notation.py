"""Shoes as tests write them.

A coup is a line of at most four parts between bars; a missing part is what the table owes:

    bets                        | cards          | call  | moves
    p1 banker 500, p2 tie 100   | P 4 5  B K 9   | T 9-9 | 1 push, 2 pay 800

* bets: patron, wager, amount; ``+`` before the patron for a bet that a tie left there. Nothing
  is a coup without bets. Where a patron banks, ``banco p2`` goes bank, ``suivi p2`` again; the
  stake of a banco, and what lies beyond the bank, follow by themselves. A third card was asked
  for, and a hand of two cards stood.
* cards: after ``P`` and ``B``, each hand's cards in its own order. They leave the shoe as the
  pit deals: player, banker, player, banker, then the thirds, the Player hand first. Say
  ``> P 4  P 5  B K`` for any other order.
* call: the outcome, then the two final totals; ``-`` where nothing was called.
* moves: number of the bet, then ``push``, or ``take``, ``pay``, ``mark``, ``collect`` and an
  amount; ``-`` for none.

``Felt`` turns such lines into events, events and a folded shoe:

    felt = Felt("classic-8").ready()
    felt.coup("p1 banker 500 | P 4 5  B K 9")
    assert felt.shoe.coups[1].banker == ["K", "9"]
"""

from collections.abc import Iterable
from typing import Literal

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.seating import may_cut
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.rule_pack import pack_sha256, parse_pack
from sabot.domain.state.shoe import Shoe, evolve, fold
from sabot.domain.values.cards import Card, parse_card
from sabot.infrastructure.rule_packs import pack_text

MINUTE_US = 60_000_000
START_US = 1_767_297_600_000_000
"""2026-01-01T20:00:00Z: an evening."""


def hands(text: str) -> tuple[list[Card], list[Card]]:
    """Read the two hands from a text like ``P 4 5  B K 9``."""
    found: dict[str, list[Card]] = {"P": [], "B": []}
    side = ""
    for word in text.split():
        if word in found:
            side = word
        else:
            found[side].append(parse_card(word))
    return found["P"], found["B"]


def in_order(text: str) -> list[tuple[ev.Hand, Card]]:
    """Read cards in the order in which they left the shoe."""
    text = text.strip()
    if text.startswith(">"):
        return list(_as_written(text[1:]))
    player, banker = hands(text)
    dealt: list[tuple[ev.Hand, Card]] = []
    for turn in range(max(len(player), len(banker))):
        dealt += [("player", card) for card in player[turn : turn + 1]]
        dealt += [("banker", card) for card in banker[turn : turn + 1]]
    return dealt


def _as_written(text: str) -> Iterable[tuple[ev.Hand, Card]]:
    side: ev.Hand = "player"
    for word in text.split():
        if word in ("P", "B"):
            side = "player" if word == "P" else "banker"
        else:
            yield side, parse_card(word)


def events_of(payloads: Iterable[ev.Event], stream: str = "shoe/test") -> list[RecordedEvent]:
    """Number the events as the only ones of a log, one second apart."""
    return [
        RecordedEvent(
            n,
            stream,
            n,
            START_US + n * 1_000_000,
            START_US + n * 1_000_000,
            "dealer",
            "d",
            n,
            x,
            position=n,
        )
        for n, x in enumerate(payloads, 1)
    ]


def shoe_of(payloads: Iterable[ev.Event], stream: str = "shoe/test") -> Shoe:
    """Build a shoe from events."""
    return fold(stream, events_of(payloads, stream))


def loaded(rules: str = "classic-8", decks: int | None = None, **more: object) -> ev.ShoeLoaded:
    """Return the loading of a shoe with a shipped pack, or with a pack's text."""
    text = rules if "\n" in rules else pack_text(rules)
    decks = decks or parse_pack(text).cards.decks[-1]
    return ev.ShoeLoaded(decks, text, pack_sha256(text), **more)  # type: ignore[arg-type]


class Felt:
    """A shoe to which a test adds events one by one. No event is refused."""

    def __init__(
        self,
        rules: str = "classic-8",
        decks: int | None = None,
        stream: str = "shoe/test",
        **more: object,
    ) -> None:
        """Load the shoe."""
        self.payloads: list[ev.Event] = []
        self.shoe = Shoe(stream)
        self.put(loaded(rules, decks, **more))

    @property
    def events(self) -> list[RecordedEvent]:
        """The payloads as stored events of a log."""
        return self.shoe.history

    def put(self, *payloads: ev.Event) -> "Felt":
        """Add events."""
        for payload in payloads:
            self.tell("d", 1000 * (len(self.payloads) + 1), payload)
        return self

    def tell(
        self,
        device: str,
        at_ms: int | None,
        payload: ev.Event,
        *,
        seq: int = 0,
        recorded_ms: int = 0,
    ) -> "Felt":
        """Add an event of a device.

        Args:
            device: the device's name.
            at_ms: the device's clock, in milliseconds of this evening, or None if it gives none.
            event: what happened.
            seq: the device's number; 0 for the next.
            recorded_ms: the log's clock; 0 for the device's, or for a second an event.
        """
        self.payloads.append(payload)
        n = len(self.payloads)
        told = (event.seq or 0 for event in reversed(self.events) if event.device == device)
        seq = seq or next(told, 0) + 1
        at_us = None if at_ms is None else START_US + at_ms * 1000
        recorded_us = START_US + 1000 * (recorded_ms or max(at_ms or 0, 1000 * n))
        event = RecordedEvent(
            n, self.shoe.stream, n, at_us, recorded_us, "dealer", device, seq, payload, position=n
        )
        self.shoe = evolve(self.shoe, event)
        return self

    def ready(self, first: str = "Ac", cutter: str = "p1") -> "Felt":
        """Do all that is due before the first coup. The first burned card is ``first``."""
        while (due := next_action(self.shoe)).expects not in ("coup", "holder"):
            match due.expects:
                case "shuffle":
                    self.put(ev.ShoeShuffled("dealer"))
                case "cut" if due.payload is None:
                    asked = may_cut(self.shoe)
                    self.put(ev.ShoeCut(asked or cutter, 100))
                case "burn-up":
                    self.put(ev.CardBurned(parse_card(first), len(self.shoe.left) + 1))
                case _:
                    assert due.payload is not None, due
                    self.put(due.payload)
        return self

    def bank(self, who: str, amount: int) -> "Felt":
        """Have the bank offered in turn until ``who`` puts it up."""
        while isinstance(offer := next_action(self.shoe).payload, ev.ShoeOffered):
            self.put(offer, ev.ShoeTaken(who) if offer.to == who else ev.ShoeRefused(offer.to))
        return self.put(bank_ev.BankPosted(who, amount))

    def due(self, *kinds: type) -> "Felt":
        """Do what is due, as long as it is of these kinds."""
        while isinstance(payload := next_action(self.shoe).payload, kinds):
            self.put(self._ticketed(payload))
        return self

    def _ticketed(self, payload: ev.Event) -> ev.Event:
        """Add a ticket for the levy if the pack requires one."""
        rule = self.shoe.pack.levy if self.shoe.pack is not None else None
        if isinstance(payload, bank_ev.TicketsDetached):
            return bank_ev.TicketsDetached(payload.coup, payload.amount, (f"T-{payload.coup}",))
        if (
            isinstance(payload, bank_ev.LevyTaken)
            and rule is not None
            and rule.tickets
            and not rule.steps
        ):
            return bank_ev.LevyTaken(payload.coup, payload.amount, f"T-{payload.coup}")
        return payload

    def coup(self, line: str, number: int | None = None, *, free: bool = False) -> "Felt":
        """Deal a coup written as a line. The module's docstring explains the notation."""
        parts = [part.strip() for part in line.split("|")]
        bets, cards = (parts[0], parts[1]) if len(parts) > 1 else ("", parts[0])
        number = number or max(self.shoe.coups, default=0) + 1
        self.put(ev.CoupOpened(number, free=free)).due(bank_ev.BankCalled)
        self.put(*_bets(number, bets)).due(ev.BetPlaced, bank_ev.ExcessReturned)
        self.put(ev.NoMoreBets(number)).due(bank_ev.HandGiven)
        self.cards(cards)
        self._call(number, parts[2] if len(parts) > 2 else None)
        self._move(number, parts[3] if len(parts) > 3 else None)
        return self.put(ev.CoupClosed(number))

    def cards(self, text: str) -> "Felt":
        """Draw cards for the current coup. The first four are turned and their totals called."""
        assert self.shoe.current is not None
        number = self.shoe.current.number
        for hand, card in in_order(text):
            self._choose(hand)
            self.put(ev.CardDrawn(number, hand, card, len(self.shoe.left) + 1))
            while isinstance(
                (due := next_action(self.shoe)).payload, (ev.TotalsCalled, ev.CardTurned)
            ):
                self.put(due.payload)
        return self

    def _choose(self, draws: ev.Hand | None) -> None:
        """Make choices: the hands before this one stand, and this one asks for a card."""
        while (due := next_action(self.shoe)).expects == "choice":
            assert self.shoe.current is not None
            assert due.hand is not None
            choice: Literal["draw", "stand"] = "draw" if due.hand == draws else "stand"
            self.put(bank_ev.ChoiceMade(self.shoe.current.number, due.hand, choice))

    def _call(self, number: int, said: str | None) -> None:
        self._choose(None)
        self.due(ev.CardTurned)
        coup = self.shoe.coup(number)
        if said is None:
            result = result_of(coup.player, coup.banker)
            self.put(ev.ResultCalled(number, result.player, result.banker, result.outcome))
        elif said != "-":
            outcome, _, totals = said.partition(" ")
            player, _, banker = totals.partition("-")
            self.put(
                ev.ResultCalled(
                    number,
                    int(player) if player else None,
                    int(banker) if banker else None,
                    outcome,  # type: ignore[arg-type]
                )
            )

    def _move(self, number: int, said: str | None) -> None:
        if said is None:
            while (due := next_action(self.shoe)).expects == "settle" and due.payload is not None:
                self.put(self._ticketed(due.payload))
        elif said != "-":
            patrons = {bet.number: bet.patron for bet in self.shoe.coup(number).bets.values()}
            self.put(*_moves(number, said, patrons))


def correction(felt: Felt, of: ev.Event, instead: ev.Event | None) -> ev.EventCorrected:
    """Return the correction of the first such event on record."""
    version = next(each.position for each in felt.shoe.history if each.payload == of)
    return ev.EventCorrected(version, "misread", instead=instead)


def _bets(coup: int, text: str) -> list[ev.Event]:
    bets: list[ev.Event] = []
    for bet in filter(None, map(str.strip, text.split(","))):
        number = 1 + sum(not isinstance(each, bank_ev.BancoCalled) for each in bets)
        if bet.startswith(("banco ", "suivi ")):
            claim, patron = bet.split()
            bets.append(bank_ev.BancoCalled(coup, patron, claim == "suivi"))
            continue
        patron, wager, amount = bet.split()
        kind = ev.BetCarried if patron.startswith("+") else ev.BetPlaced
        bets.append(kind(coup, number, patron.removeprefix("+"), wager, int(amount)))
    return bets


def _moves(coup: int, text: str, patrons: dict[int, str]) -> list[ev.Event]:
    moves: list[ev.Event] = []
    for move in text.split(","):
        number, verb, *amount = move.split()
        bet = int(number)
        match verb:
            case "push":
                moves.append(ev.BetPushed(coup, bet))
            case "take":
                moves.append(ev.BetTaken(coup, bet, int(amount[0])))
            case "pay":
                moves.append(ev.BetPaid(coup, bet, int(amount[0])))
            case "mark":
                moves.append(ev.CommissionMarked(coup, bet, int(amount[0])))
            case "collect":
                moves.append(ev.CommissionCollected(patrons[bet], int(amount[0]), coup, bet))
            case _:
                raise ValueError(f"{move!r} is no move")
    return moves
