"""A table dealt in the terminal, with each event saved before the next."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from sabot.cli.deal.card_source import sealed
from sabot.cli.deal.parser import Speech
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.domain.procedure.dealing_order import NextAction, next_action
from sabot.domain.procedure.preconditions import require
from sabot.domain.procedure.seating import may_cut
from sabot.domain.state.shoe import Shoe, evolve, fold
from sabot.domain.values.cards import Card
from sabot.domain.values.errors import BadInput, VersionConflict

if TYPE_CHECKING:
    import random

    from sabot.domain.events.commitment import SealedOrder
    from sabot.infrastructure.log.event_log import EventLog


_LOST = (
    "the order committed before is lost with the process that dealt; "
    "the unseen cards are in a new order"
)


class DealTable:
    """A shoe dealt at a terminal.

    ``rng`` shuffles the cards of a random shoe; it is None if cards are typed. ``tell`` is called
    with each event saved in the log, ``warn`` with warnings for the user.
    """

    def __init__(  # noqa: PLR0913 - what a table is made of, by name
        self,
        log: "EventLog",
        stream: str,
        *,
        device: str,
        clock: Callable[[], int],
        rng: "random.Random | None",
        tell: Callable[[RecordedEvent], None],
        warn: Callable[[str], None],
    ) -> None:
        """Read the shoe from the log, if it exists."""
        self._log = log
        self._device = device
        self._clock = clock
        self._rng = rng
        self._tell, self._warn = tell, warn
        self._seq = 0
        self._order: SealedOrder | None = None
        self.shoe: Shoe = fold(stream, log.read(stream))

    @property
    def house(self) -> str:
        """The person who acts for the table: the caller, the dealer, or else the house."""
        crew = self.shoe.crew
        return crew.get("caller") or crew.get("dealer") or "house"

    @property
    def random(self) -> bool:
        """Whether the cards come from a random shoe."""
        return self._rng is not None

    @property
    def due(self) -> NextAction:
        """The next action that is due."""
        return next_action(self.shoe)

    def speech(self) -> Speech:
        """Return the table context for parsing the next command."""
        return Speech(self.shoe, self.house, self._next if self.random else None)

    def record(self, payloads: Sequence[ev.ShoeEvent], *, anyway: bool = False) -> None:
        """Record events in order, or none of them.

        Raises:
            Refused: the rule pack forbids one of them; nothing is saved.
            VersionConflict: another program wrote to the shoe meanwhile; the shoe was read again.
        """
        if not anyway:
            self._check(payloads)
        for payload in payloads:
            self._append(payload)
            self._follow_up(payload)

    def _check(self, payloads: Sequence[ev.ShoeEvent]) -> None:
        """Check each event against the shoe as it is after the events before it.

        Raises:
            Refused: the rule pack forbids one of them.
        """
        shoe = self.shoe
        if len(payloads) > 1:
            shoe = fold(shoe.stream, shoe.history)  # a copy, as the events are not stored yet
        for place, payload in enumerate(payloads, 1):
            require(shoe, payload)
            if place < len(payloads):
                shoe = evolve(shoe, self._as_next(shoe, payload))

    def _as_next(self, shoe: Shoe, payload: ev.ShoeEvent) -> RecordedEvent:
        """Return an event as the log would store it next; its index and times do not matter."""
        version = shoe.version + 1
        return RecordedEvent(
            version, shoe.stream, version, None, 0, self.house, self._device, None, payload
        )

    def resume(self) -> None:
        """Continue an interrupted shoe. Its random order is lost, so a new one is committed."""
        if not self.random or self.shoe.ended is not None:
            return
        if self.shoe.committed:
            self._warn(_LOST)
            coup = self.shoe.current.number if self.shoe.current is not None else None
            self._append(ev.IrregularityNoted("other", "play-on", coup, self.house, _LOST))
        if self.shoe.committed or self.shoe.left or self.shoe.cuts:
            self._bind()

    def do_due(self) -> None:
        """Carry out the next action, if it is fully determined.

        Raises:
            BadInput: the user has to enter more.
        """
        due = self.due
        match due.expects:
            case "nothing":
                raise BadInput("the shoe has ended; quit, and deal another")
            case "card" | "burn-up" if not self.random:
                raise BadInput(f"{due.text}; type it, as 4d or Th")
            case "card":
                assert due.hand is not None
                place = len(self.shoe.left) + 1
                coup = self.speech().coup
                self.record([ev.CardDrawn(coup, due.hand, self._next(), place, seat=due.seat)])
            case "burn-up":
                self.record([ev.CardBurned(self._next(), 1)])
            case "shuffle":
                method: Literal["hand", "continuous"] = "continuous" if self._endless else "hand"
                self.record([ev.ShoeShuffled(self.house, method)])
            case "cut":
                self.record([due.payload or self._cut(due)])
            case "end" if not self.random and type(due.payload) is ev.ShoeEnded:
                raise BadInput("the shoe is over; count the cards left and type: end N")
            case _ if due.payload is not None:
                self.record([due.payload])
            case _:
                raise BadInput(f"{due.text}; record what happened")

    def _cut(self, due: NextAction) -> ev.ShoeEvent:
        """Return the cut by the house, or by the patron who may cut.

        Raises:
            BadInput: the banker has to name the patron who cuts.
        """
        rule = self.shoe.pack.tableaux if self.shoe.pack is not None else None
        if rule is not None and rule.names_cutter:
            raise BadInput(f"{due.text}; type: names PATRON")
        return ev.ShoeCut(may_cut(self.shoe) or self.house)

    def _next(self) -> Card:
        """Return the next card of the random shoe. Recording removes it."""
        if self._order is None:
            self._bind()
        assert self._order is not None
        ahead = self._order.ahead(1)
        return ahead[0] if ahead else self._order.draw()

    def _bind(self) -> None:
        """Shuffle the unseen cards into a new order and commit to it by its hash.

        A continuous shuffler has no order to commit to: it holds all cards except those of the coup
        in play.
        """
        assert self._rng is not None
        if self._endless:
            coup = self.shoe.current
            self._order = sealed(self.shoe.decks, coup.cards if coup else (), self._rng)
            return
        order = sealed(self.shoe.decks, self.shoe.left, self._rng)
        self._order = None
        self._append(order.committed())
        self._order = order

    @property
    def _endless(self) -> bool:
        return self.shoe.pack is not None and self.shoe.pack.endless

    def _follow_up(self, payload: ev.ShoeEvent) -> None:
        """Commit a random order after the cut, and reveal it at the end."""
        if not self.random:
            return
        if self._endless:
            self._order = None if type(payload) is ev.CoupOpened else self._order
        elif type(payload) is ev.ShoeCut and not self.shoe.left:
            self._bind()
        elif type(payload) is ev.ShoeEnded and self._order is not None:
            self._append(self._order.opened())

    def _append(self, payload: ev.ShoeEvent) -> None:
        draft = NewEvent(
            stream=self.shoe.stream,
            payload=payload,
            at_us=self._clock(),
            actor=self.house,
            device=self._device,
            seq=self._seq + 1,
        )
        try:
            self._log.append([draft], expected={self.shoe.stream: self.shoe.version})
        except VersionConflict as conflict:
            self._catch_up()
            raise VersionConflict(
                "another program wrote to this shoe; it was read again: check it and decide"
            ) from conflict
        self._seq += 1
        before = self.shoe.version
        # another writer may have added events after it: they are read at the next conflict
        (event,) = self._log.read(self.shoe.stream, after=before, until=before + 1)
        if self._order is not None and isinstance(payload, (ev.CardDrawn, ev.CardBurned)):
            self._order.draw()
        self.shoe = evolve(self.shoe, event)
        self._tell(event)

    def _catch_up(self) -> None:
        """Read the events of other writers.

        If a card left the shoe, a new order is committed.
        """
        dealt = False
        for event in self._log.read(self.shoe.stream, after=self.shoe.version):
            self.shoe = evolve(self.shoe, event)
            self._tell(event)
            dealt = dealt or isinstance(
                event.payload, (ev.CardDrawn, ev.CardBurned, ev.EventCorrected)
            )
        if dealt and self._order is not None and self.shoe.ended is None:
            self._warn(
                "another program drew a card: the remaining cards are committed in a new order"
            )
            self._bind()
