"""The closed list of facts: what a table can show, right or wrong.

A fact is past tense and immutable. Its tag is permanent and becomes the event's name; a fact
that changes shape gets a new tag, the old shape moves to `domain.legacy` with its upcaster.
Nothing here says what is allowed: `decide` refuses, `audit` reports.
"""

from domain.facts.audit import AuditFact
from domain.facts.bank import BankFact
from domain.facts.base import FactBase
from domain.facts.coup import BetAbandoned as BetAbandoned
from domain.facts.coup import BetCarried as BetCarried
from domain.facts.coup import BetChanged as BetChanged
from domain.facts.coup import BetPaid as BetPaid
from domain.facts.coup import BetPlaced as BetPlaced
from domain.facts.coup import BetPushed as BetPushed
from domain.facts.coup import BetTaken as BetTaken
from domain.facts.coup import BetWithdrawn as BetWithdrawn
from domain.facts.coup import CardDrawn as CardDrawn
from domain.facts.coup import CardReassigned as CardReassigned
from domain.facts.coup import CardsCleared as CardsCleared
from domain.facts.coup import CardTurned as CardTurned
from domain.facts.coup import CommissionCollected as CommissionCollected
from domain.facts.coup import CommissionMarked as CommissionMarked
from domain.facts.coup import CoupClosed as CoupClosed
from domain.facts.coup import CoupOpened as CoupOpened
from domain.facts.coup import CoupVoided as CoupVoided
from domain.facts.coup import IrregularityNoted as IrregularityNoted
from domain.facts.coup import NoMoreBets as NoMoreBets
from domain.facts.coup import ResultCalled as ResultCalled
from domain.facts.coup import ShufflerFailed as ShufflerFailed
from domain.facts.coup import TotalsCalled as TotalsCalled
from domain.facts.custody import OnlyCustodyFact
from domain.facts.people import Crew as Crew
from domain.facts.people import CrewChanged as CrewChanged
from domain.facts.people import Limit as Limit
from domain.facts.people import LimitsChanged as LimitsChanged
from domain.facts.people import PatronLeft as PatronLeft
from domain.facts.people import PatronMoved as PatronMoved
from domain.facts.people import PatronSeated as PatronSeated
from domain.facts.people import Post as Post
from domain.facts.people import RequestMade as RequestMade
from domain.facts.people import Seat as Seat
from domain.facts.people import ShoeOffered as ShoeOffered
from domain.facts.people import ShoePassed as ShoePassed
from domain.facts.people import ShoeRefused as ShoeRefused
from domain.facts.people import ShoeTaken as ShoeTaken
from domain.facts.scalars import MAX_INT as MAX_INT
from domain.facts.scalars import Amount as Amount
from domain.facts.scalars import Count as Count
from domain.facts.scalars import Digest as Digest
from domain.facts.scalars import Hand as Hand
from domain.facts.scalars import Irregularity as Irregularity
from domain.facts.scalars import Name as Name
from domain.facts.scalars import Number as Number
from domain.facts.scalars import Outcome as Outcome
from domain.facts.scalars import Ruling as Ruling
from domain.facts.scalars import Total as Total
from domain.facts.scalars import Words as Words
from domain.facts.shoe import CardBurned as CardBurned
from domain.facts.shoe import CardsInspected as CardsInspected
from domain.facts.shoe import CutCardReached as CutCardReached
from domain.facts.shoe import CutOffered as CutOffered
from domain.facts.shoe import CutRefused as CutRefused
from domain.facts.shoe import CutterNamed as CutterNamed
from domain.facts.shoe import EndOfShoe as EndOfShoe
from domain.facts.shoe import LastCoupCalled as LastCoupCalled
from domain.facts.shoe import OrderCommitted as OrderCommitted
from domain.facts.shoe import OrderOpened as OrderOpened
from domain.facts.shoe import ShoeCut as ShoeCut
from domain.facts.shoe import ShoeEnded as ShoeEnded
from domain.facts.shoe import ShoeLoaded as ShoeLoaded
from domain.facts.shoe import ShoeShuffled as ShoeShuffled
from domain.facts.shoe import StopCardPlaced as StopCardPlaced
from domain.facts.table import AbandonedClaimed as AbandonedClaimed
from domain.facts.table import AbandonedKept as AbandonedKept
from domain.facts.table import ChipsBought as ChipsBought
from domain.facts.table import CreditSent as CreditSent
from domain.facts.table import DropCounted as DropCounted
from domain.facts.table import RulePackAdopted as RulePackAdopted
from domain.facts.table import TableClosed as TableClosed
from domain.facts.table import TableFilled as TableFilled
from domain.facts.table import TableOpened as TableOpened


class FactCorrected(FactBase, frozen=True, tag="fact-corrected"):
    """An earlier fact of this stream was recorded wrongly; the earlier one stays in the log.

    ``version`` names it. ``instead`` is what really happened, or None where nothing did.
    """

    version: Number
    reason: Words
    by: Name | None = None
    instead: "ShoeFact | TableFact | CardsFact | None" = None


ShoeFact = (
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
    | BankFact
    | FactCorrected
)

TableFact = (
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
    | FactCorrected
)

CardsFact = OnlyCustodyFact | CardsInspected | FactCorrected

Fact = ShoeFact | TableFact | CardsFact | AuditFact


def name_of(fact: Fact) -> str:
    """Return the event name of a fact: its permanent tag."""
    return str(fact.__struct_config__.tag)
