"""Shoes that break the rules of a coup's beginning and end, and shoes that nearly do."""

from collections.abc import Callable

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt, in_order

Case = tuple[str, int | None, Callable[[], Shoe], Callable[[], Shoe]]

HELD = pack_text("classic-8").replace("withdrawable = true", "withdrawable = false")
"""A pack whose ties hold the bets (whether they may go is a parameter)."""
TIE = "p1 player 500 | P 4 5  B K 9"
"""A bet that a tie of nine pushes."""


def finish(felt: Felt) -> Shoe:
    """Do all that is due until the coup is closed."""
    while felt.shoe.current is not None:
        due = next_action(felt.shoe)
        assert due.payload is not None, due
        felt.put(due.payload)
    return felt.shoe


def settled(*payloads: ev.Event) -> Shoe:
    """A bet that loses, and what is done once the result is called."""
    felt = Felt().ready().coup("p1 player 500 | P 4 4  B K 9 | B 8-9 | -", 1)
    opened = [payload for payload in felt.payloads if not isinstance(payload, ev.CoupClosed)]
    again = Felt()
    return again.put(*opened[1:], *payloads).shoe


def after_a_tie(*payloads: ev.Event, rules: str = "classic-8") -> Shoe:
    """A tie leaves 500 on Player; the next coup is opened, then this, then it is dealt."""
    felt = Felt(rules).ready().coup(TIE).put(ev.CoupOpened(2), *payloads)
    felt.put(*[] if felt.shoe.coups[2].no_more_bets else [ev.NoMoreBets(2)])
    return finish(felt.cards("P 4 5  B K 8"))


def carried(amount: int = 500, patron: str = "p1") -> ev.BetCarried:
    """That bet stays for the second coup."""
    return ev.BetCarried(2, 1, patron, "player", amount)


def taken_off(*noted: ev.Event) -> Shoe:
    """Player's third card, a nine (card 7), falls off the table and is burned; it gets an ace."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 2  B K  P 3  B 7  P 9")
    return finish(felt.put(*noted, ev.CardBurned("9", 7, "ruling", 1)).cards("> P A"))


def passed_round(*asked: str) -> Shoe:
    """At a French table of four p2 loses a coup; each who is asked refuses but the last."""
    seats = tuple(ev.Seat(seat, f"p{seat}") for seat in (1, 2, 3, 4))
    felt = Felt("france", seats=seats).ready().put(ev.ShoeTaken("p2")).coup("P 4 5  B K 8")
    felt.put(ev.ShoePassed("p2"))
    for patron in asked[:-1]:
        felt.put(ev.ShoeOffered(patron), ev.ShoeRefused(patron))
    return felt.put(ev.ShoeOffered(asked[-1]), ev.ShoeTaken(asked[-1])).shoe


UNASKED = "unjustified-burn"
EXPOSED = ev.IrregularityNoted("card-exposed", "burn-card", 1, "sue")


def burned_before_a_third(reason: str, *before: ev.Event, coup: int | None = None) -> Shoe:
    """Two and three: before Player's third card this happens, and the next one is burned."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 2  B K  P 3  B 7")
    burned = ev.CardBurned(None, 7, reason, coup)  # type: ignore[arg-type]
    return finish(felt.put(*before, burned).cards("> P 9"))


def burned_between(reason: str, *before: ev.Event, crew: tuple[ev.Crew, ...] = ()) -> Shoe:
    """Between two coups this happens, and a card is burned."""
    felt = Felt(crew=crew).ready().coup("P 4 5  B K 8").put(*before)
    return felt.put(quietly(len(felt.shoe.left) + 1, reason)).coup("P 4 5  B K 8").shoe


def burned_so(*payloads: ev.Event, rules: str = "classic-8") -> Shoe:
    """Two and three: before Player's third card this happens; then the coup is finished."""
    felt = Felt(rules).ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 2  B K  P 3  B 7")
    return finish(felt.put(*payloads).cards("> P 9"))


def quietly(place: int, reason: str = "ruling") -> ev.CardBurned:
    """A card burned face down at this place of the shoe."""
    return ev.CardBurned(None, place, reason)  # type: ignore[arg-type]


def seen(card: str, place: int) -> ev.CardBurned:
    """A card that lay exposed is burned."""
    return ev.CardBurned(card, place, "ruling")  # type: ignore[arg-type]


def noted(kind: str, ruling: str) -> ev.IrregularityNoted:
    """Something went wrong in coup 1, and the supervisor ruled so."""
    return ev.IrregularityNoted(kind, ruling, 1, "sue")  # type: ignore[arg-type]


JAM = ev.ShufflerFailed(fault="jam")


def twice(reason: str) -> tuple[ev.CardBurned, ev.CardBurned]:
    """Two cards burned face down."""
    return quietly(7, reason), quietly(8, reason)


NO_BURNS = pack_text("classic-8") + '\n[rulings]\nmisdeal = ["void"]\n'
"""A pack in which a misdeal voids, and burns no card."""
MAY_BURN = pack_text("classic-8") + '\n[rulings]\nmisdeal = ["void", "burn-card"]\n'


def voided_and_burned(rules: str) -> Shoe:
    """A misdeal is ruled void, a card is burned, and the next coup is dealt."""
    felt = Felt(rules).ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 2  B K")
    felt.put(noted("misdeal", "void"), ev.CoupVoided(1, "misdeal", "sue"), quietly(5))
    return felt.coup("P 4 5  B K 8", 2).shoe


def relieved(*payloads: ev.Event) -> Shoe:
    """Louisiana: the dealer changes between two coups, and a card is burned on the way."""
    felt = Felt("louisiana", crew=(ev.Crew("dealer", "ann"),)).ready().coup("P 4 5  B K 8")
    return felt.put(*payloads).coup("P 4 5  B K 8").shoe


def unclosed(*ends: ev.Event, late: bool = False) -> Shoe:
    """A coup is dealt and called; perhaps it ends; the next is dealt; perhaps it ends ``late``."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"), *ends)
    return felt.coup("P 4 5  B K 8", 2).put(*[ev.CoupClosed(1)] if late else []).shoe


def ended(*before: ev.Event, after: tuple[ev.Event, ...] = ()) -> Shoe:
    """A coup, what comes before the end, the end with 410 cards left, and what comes behind it."""
    felt = Felt().ready().coup("P 4 5  B K 8").put(*before)
    return felt.put(ev.ShoeEnded(left=410, reason="withdrawn"), *after).shoe


def over(*payloads: ev.Event) -> Shoe:
    """Banker has five against a six that stood; then this."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 2 4  B K 5")
    return felt.put(*payloads).shoe


def called(*calls: ev.Event) -> Shoe:
    """Player wins with nine to eight; what is called then."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    return felt.put(*calls, ev.CoupClosed(1)).shoe


def shuffled(*payloads: ev.Event, before: str = "", behind: str = "P 4 5  B K 8") -> Shoe:
    """A coup, and one in which this happens among its cards, or before it where none came yet."""
    felt = Felt().ready().coup("P 4 5  B K 8")
    if not before:
        return felt.put(*payloads).coup(behind).shoe
    felt.put(ev.CoupOpened(2), ev.NoMoreBets(2)).cards(before).put(*payloads).cards(behind)
    return felt.put(ev.ResultCalled(2, 9, 8, "P"), ev.CoupClosed(2)).shoe


SHUFFLED = ev.ShoeShuffled("ann")
JAMMED = ev.ShufflerFailed("SM-1", "jam")
RULED = ev.IrregularityNoted("card-exposed", "other", None, "sue")
NOTED = NOTED_CALL = ev.IrregularityNoted("wrong-call", "stand", None, "sue")

DEEP = pack_text("classic-4").replace("stop_card_most = 7", "stop_card_most = 202")
"""A pack whose cut card may show after six cards: two burned, and a coup of four."""


def last_called_when(before: str, behind: str) -> Felt:
    """The cut card shows behind coup 1; coup 2 is called the last when these cards lie there."""
    felt = Felt(DEEP).put(ev.ShoeShuffled("ann"), ev.ShoeCut("p1", 90), ev.StopCardPlaced(202))
    felt.ready().coup("P 4 5  B K 8").put(ev.CutCardReached(6), ev.CoupOpened(2), ev.NoMoreBets(2))
    felt = felt.cards(before) if before else felt
    return felt.put(ev.LastCoupCalled(2)).cards(behind)


def burned_when(before: str, behind: str) -> Shoe:
    """An ace is burned, and the card that it asks for when these cards of coup 1 lie there."""
    felt = Felt().put(ev.ShoeShuffled("ann"), ev.ShoeCut("p1", 90), ev.StopCardPlaced(7))
    felt.put(ev.CardBurned("Ac"), ev.CoupOpened(1), ev.NoMoreBets(1))
    felt.put(
        *drawn(before),
        ev.CardBurned(),
        *drawn(behind),
        ev.ResultCalled(1, 9, 8, "P"),
        ev.CoupClosed(1),
    )
    return felt.shoe


def drawn(cards: str) -> list[ev.CardDrawn]:
    """Cards of coup 1 as they are dealt, their places in the shoe untold."""
    return [ev.CardDrawn(1, hand, card) for hand, card in in_order(cards)]


def totals(*, three_first: bool) -> Shoe:
    """Nine and eight are called when three cards lie there, or all four."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 4  B K  P 5")
    fourth, call = ev.CardDrawn(1, "banker", "8", 6), ev.TotalsCalled(1, 9, 8)
    return finish(felt.put(*((call, fourth) if three_first else (fourth, call))))


def prepared(*payloads: ev.Event) -> Shoe:
    """The cards are prepared so, burned and dealt."""
    felt = Felt().put(*payloads, ev.CardBurned("Ac", 1), ev.CardBurned(None, 2))
    return felt.coup("P 4 5  B K 8").shoe


def early(*payloads: ev.Event) -> Shoe:
    """A coup, then how the next begins, then that one to its end."""
    felt = Felt().ready().coup("P 4 5  B K 8").put(*payloads, ev.NoMoreBets(2))
    return finish(felt.cards("P 4 5  B K 8"))


def called_last(*before: ev.Event, cards: int = 7, within: tuple[ev.Event, ...] = ()) -> Shoe:
    """Three coups; this is told before the second, and this within it, behind its first card."""
    felt = Felt(DEEP.replace('"finish"', '"one-more"')).put(
        ev.ShoeShuffled("ann"), ev.ShoeCut("p1", 90), ev.StopCardPlaced(cards)
    )
    felt.ready().coup("P 4 5  B K 8").put(*before).put(ev.CoupOpened(2), ev.NoMoreBets(2))
    finish(felt.cards("> P 4").put(*within).cards("> B K  P 5  B 8"))
    return felt.coup("P 4 5  B K 8").shoe


LAST = ev.LastCoupCalled(2)
WENT_ON = "play-after-called-last-coup"


def held(*payloads: ev.Event, then: tuple[ev.Event, ...] = (), number: int = 2) -> Shoe:
    """p1 deals a coup that the bank loses, and passes the shoe; p2 has it, then p3, who deals."""
    seats = tuple(ev.Seat(seat, f"p{seat}") for seat in (1, 2, 3))
    felt = Felt("france", seats=seats).ready().put(ev.ShoeTaken("p1")).coup("P 4 5  B K 8")
    felt.put(ev.ShoePassed("p1"), ev.ShoeOffered("p2"), ev.ShoeTaken("p2"), *payloads)
    felt.put(ev.ShoeOffered("p3"), ev.ShoeTaken("p3"), *then)
    return felt.coup("P 4 4  B K 9", number).shoe


def face_down(*turned: tuple[ev.Hand, int]) -> Shoe:
    """France, coup 2: these of its cards are turned, and the totals called, then all the rest."""
    felt = Felt("france").ready().coup("P 4 4  B K 9")
    felt.put(ev.CoupOpened(2), ev.NoMoreBets(2))
    for hand, card in in_order("P 4 5  B K 8"):
        felt.put(ev.CardDrawn(2, hand, card, len(felt.shoe.left) + 1))
    four = [(hand, nth) for hand in SIDES for nth in (1, 2)]
    felt.put(*(ev.CardTurned(2, *place) for place in turned), ev.TotalsCalled(2, 9, 8))
    felt.put(*(ev.CardTurned(2, *place) for place in four if place not in turned))
    return finish(felt)


SIDES: tuple[ev.Hand, ...] = ("player", "banker")
BY_BANKER = ev.CardDrawn(1, "banker", "2", 7)
BEHIND = ev.CardDrawn(1, "player", "9", 8)
END = ev.ShoeEnded(left=409, reason="withdrawn")
RIGHT, WRONG = ev.ResultCalled(1, 9, 8, "P"), ev.ResultCalled(1, 9, 8, "B")
NOTED = ev.IrregularityNoted("wrong-call", "stand", 1, "sue")
BETS = (ev.CoupOpened(2), ev.BetPlaced(2, 1, "p1", "player", 500))

COUP_CASES: list[Case] = [
    # each call is judged, not the last alone
    ("miscalled-result", 1, lambda: called(WRONG, RIGHT), lambda: called(RIGHT, RIGHT)),
    ("miscalled-result", 1, lambda: called(RIGHT, WRONG), lambda: called(RIGHT)),
    (
        "premature-call",
        1,
        lambda: over(ev.ResultCalled(1, 6, 7, "B"), BY_BANKER, ev.CoupClosed(1)),
        lambda: over(BY_BANKER, ev.ResultCalled(1, 6, 7, "B"), ev.CoupClosed(1)),
    ),
    (
        "premature-call",
        1,
        lambda: totals(three_first=True),
        lambda: totals(three_first=False),
    ),
    (
        "result-not-called",
        2,
        lambda: Felt().ready().coup("P 4 5  B K 8").coup("| P 4 5  B K 8 | -").shoe,
        lambda: Felt().ready().coup("P 4 5  B K 8").coup("P 4 5  B K 8").shoe,
    ),
    (
        "result-not-called",
        1,
        lambda: over(BY_BANKER, ev.CoupClosed(1), ev.ResultCalled(1, 6, 7, "B")),
        lambda: over(BY_BANKER, ev.ResultCalled(1, 6, 7, "B"), ev.CoupClosed(1)),
    ),
    (
        "card-after-coup-end",
        1,
        lambda: over(BY_BANKER, ev.ResultCalled(1, 6, 7, "B"), ev.CoupClosed(1), BEHIND),
        lambda: over(
            BY_BANKER,
            ev.ResultCalled(1, 6, 7, "B"),
            ev.CoupClosed(1),
            ev.CoupOpened(2),
            ev.NoMoreBets(2),
            replace(BEHIND, coup=2),
        ),
    ),
    (
        "unclosed-coup",
        1,
        lambda: unclosed(late=True),
        lambda: unclosed(ev.CoupClosed(1)),
    ),
    (
        "coup-after-shoe-end",
        1,
        lambda: over(BY_BANKER, ev.ResultCalled(1, 6, 7, "B"), END, ev.CoupClosed(1)),
        lambda: over(BY_BANKER, ev.ResultCalled(1, 6, 7, "B"), ev.CoupClosed(1), END),
    ),
    (
        "last-coup-not-called",
        2,
        lambda: finish(last_called_when("> P 4  B K", "> P 5  B 8")),
        lambda: finish(last_called_when("", "P 4 5  B K 8")),
    ),
    # a coup is called the last, and others come behind it
    (WENT_ON, 3, lambda: called_last(LAST), lambda: called_last(ev.LastCoupCalled(3))),
    # where no coup is named it is the next one
    (
        WENT_ON,
        3,
        lambda: called_last(ev.LastCoupCalled()),
        lambda: called_last(within=(ev.LastCoupCalled(),)),
    ),
    # put right in time: another is called so, or the call is noted as wrong
    (
        WENT_ON,
        3,
        lambda: called_last(NOTED_CALL, LAST),
        lambda: called_last(LAST, within=(NOTED_CALL,)),
    ),
    (
        WENT_ON,
        3,
        lambda: called_last(LAST, within=(LAST,)),
        lambda: called_last(LAST, within=(ev.LastCoupCalled(3),)),
    ),
    # the cut card comes behind the call: which coup is the last is the pack's to say then
    (
        WENT_ON,
        3,
        lambda: called_last(LAST),
        lambda: called_last(
            LAST, cards=201, within=(ev.CutCardReached(7, 2), ev.LastCoupCalled(3))
        ),
    ),
    # who takes the shoe has not lost it before a coup; nor has he left it by that, or by a ruling
    *[
        (
            "shoe-passed-without-coup",
            None,
            lambda: held(ev.ShoePassed("p2", "lost")),
            near,
        )
        for near in (
            lambda: held(ev.ShoePassed("p2", "left")),
            lambda: held(ev.ShoePassed("p2", "ruling")),
            # a coup that nobody staked on is one
            lambda: held(
                *(ev.CoupOpened(2), ev.CoupVoided(2, "no stakes"), ev.ShoePassed("p2", "lost")),
                number=3,
            ),
        )
    ],
    # what lies face down is turned before it is called, all of it
    (
        "result-before-cards-exposed",
        2,
        lambda: face_down(("player", 1), ("player", 2), ("banker", 2)),
        lambda: face_down(("banker", 1), ("player", 1), ("player", 2), ("banker", 2)),
    ),
    # what is burned before the first coup is not burned in it
    (
        "wrong-opening-burn",
        None,
        lambda: burned_when("> P 4", "> B K  P 5  B 8"),
        lambda: Felt().ready().coup("P 4 5  B K 8").shoe,
    ),
    # a cut is undone by a shuffle behind it
    (
        "missing-cut",
        None,
        lambda: prepared(ev.ShoeCut("p1", 90), ev.ShoeShuffled("ann"), ev.StopCardPlaced(7)),
        lambda: prepared(ev.ShoeShuffled("ann"), ev.ShoeCut("p1", 90), ev.StopCardPlaced(7)),
    ),
    # what is left of a shoe is shuffled: without a word, or on a ruling on its cards
    (
        "mid-shoe-shuffle",
        2,
        lambda: shuffled(SHUFFLED),
        lambda: shuffled(RULED, SHUFFLED),
    ),
    (
        "mid-shoe-shuffle",
        2,
        lambda: shuffled(NOTED, SHUFFLED, ev.ShoeCut("p1", 90)),
        lambda: shuffled(SHUFFLED, RULED),
    ),
    (
        "mid-shoe-shuffle",
        2,
        lambda: shuffled(SHUFFLED, before="> P 4  B K", behind="> P 5  B 8"),
        lambda: shuffled(JAMMED, SHUFFLED, before="> P 4  B K", behind="> P 5  B 8"),
    ),
    # before the first coup, but behind the burn; before the shoe is taken away
    (
        "mid-shoe-shuffle",
        1,
        lambda: Felt().ready().put(SHUFFLED).coup("P 4 5  B K 8").shoe,
        lambda: (
            Felt().ready().coup("P 4 5  B K 8").put(SHUFFLED, ev.ShoeEnded(reason="withdrawn")).shoe
        ),
    ),
    # nothing of a coup comes before its opening, and nobody's commission is another's
    (
        "unmatched-event",
        2,
        lambda: early(ev.BetPlaced(2, 1, "p1", "tie", 500), ev.CoupOpened(2)),
        lambda: early(ev.CoupOpened(2), ev.BetPlaced(2, 1, "p1", "tie", 500)),
    ),
    (
        "unmatched-event",
        1,
        lambda: Felt().ready().coup("P 4 5  B K 8").put(ev.CoupClosed(1)).shoe,
        lambda: Felt().ready().coup("P 4 5  B K 8").shoe,
    ),
    (
        "settlement-after-coup-close",
        1,
        lambda: settled(ev.CoupClosed(1), ev.BetTaken(1, 1, 500)),
        lambda: settled(ev.BetTaken(1, 1, 500), ev.CoupClosed(1)),
    ),
    (
        "carried-bet-without-tie",
        2,
        lambda: after_a_tie(carried(600)),
        lambda: after_a_tie(carried(500)),
    ),
    (
        "carried-bet-without-tie",
        2,
        lambda: after_a_tie(carried(patron="p9")),
        lambda: after_a_tie(carried(), ev.BetChanged(2, 1, 600)),
    ),
    (
        "held-bet-taken-up",
        2,
        lambda: after_a_tie(carried(), ev.BetWithdrawn(2, 1), rules=HELD),
        lambda: after_a_tie(carried(), rules=HELD),
    ),
    (
        "held-bet-taken-up",
        2,
        lambda: after_a_tie(carried(), ev.BetChanged(2, 1, 499), rules=HELD),
        lambda: after_a_tie(carried(), ev.BetChanged(2, 1, 501), rules=HELD),
    ),
    (
        "held-bet-taken-up",
        2,
        lambda: after_a_tie(ev.NoMoreBets(2), rules=HELD),
        lambda: after_a_tie(carried(), ev.NoMoreBets(2), rules=HELD),
    ),
    (
        "held-bet-taken-up",
        1,
        lambda: Felt(HELD).ready().coup(TIE).put(ev.BetWithdrawn(1, 1)).shoe,
        lambda: Felt(HELD).ready().coup(TIE).shoe,
    ),
    # FR_55_14: counter-clockwise in France, and whoever is asked may refuse
    *[
        ("shoe-offered-out-of-turn", None, wrong, right)
        for wrong, right in (
            (lambda: passed_round("p1"), lambda: passed_round("p3")),
            (lambda: passed_round("p4"), lambda: passed_round("p3", "p4")),
            (lambda: passed_round("p3", "p1"), lambda: passed_round("p3", "p4", "p1")),
        )
    ],
    # burns are the opening's, a ruling's, a relief's, a dead game's
    (
        UNASKED,
        1,
        lambda: burned_before_a_third("ruling"),
        lambda: burned_before_a_third("ruling", EXPOSED),
    ),
    (
        UNASKED,
        1,
        lambda: burned_before_a_third("ruling", replace(EXPOSED, ruling="play-on"), coup=1),
        lambda: burned_before_a_third("ruling", EXPOSED, coup=1),
    ),
    (
        UNASKED,
        1,
        lambda: burned_before_a_third("other"),
        lambda: burned_before_a_third("other", replace(EXPOSED, coup=None, ruling="none")),
    ),
    (
        UNASKED,
        1,
        lambda: burned_before_a_third("fault"),
        lambda: burned_before_a_third("fault", ev.ShufflerFailed(fault="two at once")),
    ),
    (
        UNASKED,
        1,
        lambda: burned_before_a_third("relief", ev.CrewChanged("caller", "bob")),
        lambda: burned_between("relief", ev.CrewChanged("caller", "bob")),
    ),
    (
        UNASKED,
        2,
        lambda: burned_between("relief", crew=(ev.Crew("caller", "ann"),)),
        lambda: burned_between(
            "relief", ev.CrewChanged("caller", "bob"), crew=(ev.Crew("caller", "ann"),)
        ),
    ),
    (
        UNASKED,
        2,
        lambda: burned_between("dead-game", ev.PatronSeated(9, "p9")),
        lambda: burned_between(
            "dead-game", ev.PatronSeated(9, "p9"), ev.PatronLeft("p9"), ev.PatronSeated(8, "p9")
        ),
    ),
    (
        UNASKED,
        2,
        lambda: burned_between("other"),
        lambda: burned_between("other", ev.ShufflerFailed(fault="two at once")),
    ),
    # what asks for a burn is of the cards, and it asks for one
    (
        UNASKED,
        1,
        lambda: burned_so(noted("wrong-payment", "none"), quietly(7)),
        lambda: burned_so(noted("wrong-draw", "burn-card"), quietly(7)),
    ),
    (
        UNASKED,
        1,
        lambda: burned_so(noted("late-bet", "none"), quietly(7, "fault")),
        lambda: burned_so(noted("card-exposed", "none"), quietly(7, "fault")),
    ),
    (
        UNASKED,
        1,
        lambda: burned_so(EXPOSED, quietly(7), quietly(8)),
        lambda: burned_so(EXPOSED, EXPOSED, quietly(7), quietly(8)),
    ),
    (
        UNASKED,
        1,
        lambda: burned_so(EXPOSED, seen("4", 7), seen("5", 8), quietly(9)),
        lambda: burned_so(EXPOSED, seen("4", 7), seen("5", 8)),
    ),
    (
        UNASKED,
        1,
        lambda: burned_so(ev.ShufflerFailed(fault="jam"), quietly(7, "fault"), quietly(8, "fault")),
        lambda: burned_so(ev.ShufflerFailed(fault="jam"), EXPOSED, quietly(7, "fault"), quietly(8)),
    ),
    # a failure that is told by the machine and noted by the floor is one; two are two
    (
        UNASKED,
        1,
        lambda: burned_so(JAM, noted("shuffler-fault", "none"), *twice("fault")),
        lambda: burned_so(JAM, noted("shuffler-fault", "none"), quietly(7, "fault")),
    ),
    (
        UNASKED,
        1,
        lambda: burned_so(noted("shuffler-fault", "none"), JAM, *twice("other")),
        lambda: burned_so(JAM, noted("shuffler-fault", "none"), JAM, *twice("fault")),
    ),
    (
        UNASKED,
        1,
        lambda: burned_so(replace(JAM, coup=1), noted("shuffler-fault", "none"), *twice("fault")),
        # a failure of the shuffler, and another irregularity of the cards
        lambda: burned_so(JAM, noted("card-exposed", "none"), *twice("fault")),
    ),
    # the ruling took a card off its hand: it asked for that one
    (
        UNASKED,
        1,
        lambda: taken_off(EXPOSED, quietly(8)),
        lambda: taken_off(EXPOSED, EXPOSED, quietly(8)),
    ),
    (
        UNASKED,
        2,
        lambda: voided_and_burned(NO_BURNS),
        lambda: voided_and_burned(MAY_BURN),
    ),
    # while nobody stands at the post a card is burned for the relief: once
    (
        UNASKED,
        2,
        lambda: burned_between("relief", ev.CrewChanged("caller", "bob"), quietly(7, "relief")),
        lambda: burned_between("relief", ev.CrewChanged("caller", "bob")),
    ),
    (
        "wrong-relief-burn",
        2,
        lambda: relieved(
            quietly(7, "relief"), ev.CrewChanged("dealer", None), ev.CrewChanged("dealer", "zoe")
        ),
        lambda: relieved(
            ev.CrewChanged("dealer", None), quietly(7, "relief"), ev.CrewChanged("dealer", "zoe")
        ),
    ),
    # a ruling between two coups was carried out, if the card was burned first, or for the fault
    (
        "ruling-not-carried-out",
        2,
        lambda: relieved(replace(EXPOSED, coup=None)),
        lambda: relieved(quietly(7), replace(EXPOSED, coup=None)),
    ),
    (
        "ruling-not-carried-out",
        2,
        lambda: relieved(replace(EXPOSED, coup=None)),
        lambda: relieved(replace(EXPOSED, coup=None), quietly(7, "fault")),
    ),
    (
        "dealt-card-burned-without-ruling",
        1,
        taken_off,
        lambda: taken_off(ev.IrregularityNoted("card-off-the-table", "burn-card", 1, "sue")),
    ),
    (
        "unclosed-coup",
        1,
        unclosed,
        lambda: unclosed(ev.CoupClosed(1)),
    ),
    (
        "unfinished-coup-not-voided",
        2,
        lambda: ended(*BETS),
        lambda: ended(*BETS, ev.BetWithdrawn(2, 1)),
    ),
    (
        "coup-number-out-of-sequence",
        3,
        lambda: Felt().ready().coup("P 4 5  B K 8").coup("P 4 5  B K 8", 3).shoe,
        lambda: Felt().ready().coup("P 4 5  B K 8", 2).coup("P 4 5  B K 8", 3).shoe,
    ),
    (
        "coup-after-shoe-end",
        2,
        lambda: ended(after=(ev.CoupOpened(2),)),
        lambda: ended(ev.CoupOpened(2)),
    ),
]
