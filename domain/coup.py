"""A coup and its bets, as their facts have them so far."""

from msgspec import Struct

from domain.cards import Card
from domain.event import Event
from domain.facts import Limit


class Bet(Struct):
    """A bet of a coup, as it stands now; amounts in minor units.

    ``amount`` is the stake on the felt, ``limits`` the table's limits when it
    was placed. ``commission`` is what was kept at once or marked.
    ``moves`` are the facts that settled it.
    """

    number: int
    patron: str
    wager: str
    amount: int
    placed: Event
    limits: tuple[Limit, ...] = ()
    carried: bool = False
    withdrawn: bool = False
    changes: list[Event] = []
    moves: list[Event] = []
    paid: int = 0
    taken: int = 0
    pushed: bool = False
    marked: int = 0
    collected: int = 0
    after_commission: bool = False

    @property
    def settled(self) -> bool:
        """Whether the house took, paid or pushed it."""
        return bool(self.moves)

    @property
    def commission(self) -> int:
        """Commission charged on it: what was marked, or else what was kept at once."""
        return self.marked or self.collected

    @property
    def net(self) -> int:
        """What the patron won (or lost, negative), after commission even if still owed."""
        return self.paid - self.taken - self.commission


class Coup(Struct):
    """One coup, from its opening to its close."""

    number: int
    events: list[Event] = []
    opened: Event | None = None
    free: bool = False
    bets: dict[int, Bet] = {}
    cards: list[Event] = []
    player: list[Card] = []
    banker: list[Card] = []
    turned: list[Event] = []
    no_more_bets: Event | None = None
    totals_called: Event | None = None
    result_called: Event | None = None
    irregularities: list[Event] = []
    strays: list[Event] = []
    voided: Event | None = None
    closed: Event | None = None

    @property
    def over(self) -> bool:
        """Whether it was closed or voided."""
        return self.closed is not None or self.voided is not None
