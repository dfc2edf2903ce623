"""The closed list of events.

An event is named in the past tense and never changes. Its tag, the stored name, is permanent. If
the shape of an event changes, the event gets a new tag; the old shape and its upcaster move to
`sabot.domain.events.upcasting`. Events contain no rules: the dealing procedure refuses wrong
actions, and the audit reports wrong events.
"""

from sabot.domain.events.bank import BankEvent
from sabot.domain.events.base import EventBase
from sabot.domain.events.card_batch import OnlyCardBatchEvent
from sabot.domain.events.coup import BetAbandoned as BetAbandoned
from sabot.domain.events.coup import BetCarried as BetCarried
from sabot.domain.events.coup import BetChanged as BetChanged
from sabot.domain.events.coup import BetPaid as BetPaid
from sabot.domain.events.coup import BetPlaced as BetPlaced
from sabot.domain.events.coup import BetPushed as BetPushed
from sabot.domain.events.coup import BetTaken as BetTaken
from sabot.domain.events.coup import BetWithdrawn as BetWithdrawn
from sabot.domain.events.coup import CardDrawn as CardDrawn
from sabot.domain.events.coup import CardReassigned as CardReassigned
from sabot.domain.events.coup import CardsCleared as CardsCleared
from sabot.domain.events.coup import CardTurned as CardTurned
from sabot.domain.events.coup import CommissionCollected as CommissionCollected
from sabot.domain.events.coup import CommissionMarked as CommissionMarked
from sabot.domain.events.coup import CoupClosed as CoupClosed
from sabot.domain.events.coup import CoupOpened as CoupOpened
from sabot.domain.events.coup import CoupVoided as CoupVoided
from sabot.domain.events.coup import IrregularityNoted as IrregularityNoted
from sabot.domain.events.coup import NoMoreBets as NoMoreBets
from sabot.domain.events.coup import ResultCalled as ResultCalled
from sabot.domain.events.coup import ShufflerFailed as ShufflerFailed
from sabot.domain.events.coup import TotalsCalled as TotalsCalled
from sabot.domain.events.people import Crew as Crew
from sabot.domain.events.people import CrewChanged as CrewChanged
from sabot.domain.events.people import Limit as Limit
from sabot.domain.events.people import LimitsChanged as LimitsChanged
from sabot.domain.events.people import PatronLeft as PatronLeft
from sabot.domain.events.people import PatronMoved as PatronMoved
from sabot.domain.events.people import PatronSeated as PatronSeated
from sabot.domain.events.people import Post as Post
from sabot.domain.events.people import RequestMade as RequestMade
from sabot.domain.events.people import Seat as Seat
from sabot.domain.events.people import ShoeOffered as ShoeOffered
from sabot.domain.events.people import ShoePassed as ShoePassed
from sabot.domain.events.people import ShoeRefused as ShoeRefused
from sabot.domain.events.people import ShoeTaken as ShoeTaken
from sabot.domain.events.review import ReviewEvent
from sabot.domain.events.shoe import CardBurned as CardBurned
from sabot.domain.events.shoe import CardsInspected as CardsInspected
from sabot.domain.events.shoe import CutCardReached as CutCardReached
from sabot.domain.events.shoe import CutOffered as CutOffered
from sabot.domain.events.shoe import CutRefused as CutRefused
from sabot.domain.events.shoe import CutterNamed as CutterNamed
from sabot.domain.events.shoe import EndOfShoe as EndOfShoe
from sabot.domain.events.shoe import LastCoupCalled as LastCoupCalled
from sabot.domain.events.shoe import OrderCommitted as OrderCommitted
from sabot.domain.events.shoe import OrderOpened as OrderOpened
from sabot.domain.events.shoe import ShoeCut as ShoeCut
from sabot.domain.events.shoe import ShoeEnded as ShoeEnded
from sabot.domain.events.shoe import ShoeLoaded as ShoeLoaded
from sabot.domain.events.shoe import ShoeShuffled as ShoeShuffled
from sabot.domain.events.shoe import StopCardPlaced as StopCardPlaced
from sabot.domain.events.table import AbandonedClaimed as AbandonedClaimed
from sabot.domain.events.table import AbandonedKept as AbandonedKept
from sabot.domain.events.table import ChipsBought as ChipsBought
from sabot.domain.events.table import CreditSent as CreditSent
from sabot.domain.events.table import DropCounted as DropCounted
from sabot.domain.events.table import RulePackAdopted as RulePackAdopted
from sabot.domain.events.table import TableClosed as TableClosed
from sabot.domain.events.table import TableFilled as TableFilled
from sabot.domain.events.table import TableOpened as TableOpened
from sabot.domain.values.scalars import MAX_INT as MAX_INT
from sabot.domain.values.scalars import Amount as Amount
from sabot.domain.values.scalars import Count as Count
from sabot.domain.values.scalars import Digest as Digest
from sabot.domain.values.scalars import Hand as Hand
from sabot.domain.values.scalars import Irregularity as Irregularity
from sabot.domain.values.scalars import Name as Name
from sabot.domain.values.scalars import Number as Number
from sabot.domain.values.scalars import Outcome as Outcome
from sabot.domain.values.scalars import Ruling as Ruling
from sabot.domain.values.scalars import Total as Total
from sabot.domain.values.scalars import Words as Words


class EventCorrected(EventBase, frozen=True, tag="fact-corrected"):
    """An earlier event of this stream was recorded wrongly.

    The earlier event stays in the log. ``version`` is its position in the stream. ``instead`` is
    the event that really happened, or None if nothing happened.
    """

    version: Number
    reason: Words
    by: Name | None = None
    instead: "ShoeEvent | TableEvent | CardBatchEvent | None" = None


ShoeEvent = (
    ShoeLoaded
    | CardsInspected
    | ShoeShuffled
    | OrderCommitted
    | CutOffered
    | CutRefused
    | CutterNamed
    | ShoeCut
    | StopCardPlaced
    | CardBurned
    | ShoeOffered
    | ShoeTaken
    | ShoeRefused
    | ShoePassed
    | PatronSeated
    | PatronMoved
    | PatronLeft
    | CrewChanged
    | LimitsChanged
    | RequestMade
    | CoupOpened
    | BetPlaced
    | BetChanged
    | BetWithdrawn
    | BetCarried
    | NoMoreBets
    | CardDrawn
    | CardTurned
    | CardReassigned
    | TotalsCalled
    | ResultCalled
    | BetTaken
    | BetPaid
    | BetPushed
    | CommissionMarked
    | CommissionCollected
    | CardsCleared
    | CoupClosed
    | CoupVoided
    | BetAbandoned
    | ShufflerFailed
    | IrregularityNoted
    | CutCardReached
    | LastCoupCalled
    | OrderOpened
    | ShoeEnded
    | BankEvent
    | EventCorrected
)

TableEvent = (
    TableOpened
    | RulePackAdopted
    | CrewChanged
    | LimitsChanged
    | ChipsBought
    | TableFilled
    | CreditSent
    | DropCounted
    | AbandonedKept
    | AbandonedClaimed
    | TableClosed
    | EventCorrected
)

CardBatchEvent = OnlyCardBatchEvent | CardsInspected | EventCorrected

Event = ShoeEvent | TableEvent | CardBatchEvent | ReviewEvent


def name_of(payload: Event) -> str:
    """Return the permanent tag of an event."""
    return str(payload.__struct_config__.tag)
