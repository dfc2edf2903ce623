"""The rules of `checks/burn_reasons.py`: breaches, near misses, and legal cases."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.audited import codes, codes_and_coups, finished
from tests.support.coup_notation import Felt, in_order
from tests.support.rule_cases import Case, checks_of
from tests.support.ruled_coups import dealt, noted, only_finding

CASES = (
    # a name that is spelled in another way is the same dealer
    Case(
        "wrong-relief-burn",
        2,
        """
        with burn.relief = 1
        crew-changed {"post": "dealer", "person": "ann"}
        coup P 4 5  B K 8
        crew-changed {"post": "dealer", "person": "bob"}
        coup P 4 5  B K 8
        """,
        """
        with burn.relief = 1
        crew-changed {"post": "dealer", "person": "ann"}
        coup P 4 5  B K 8
        crew-changed {"post": "dealer", "person": "bob"}
        card-burned {"place": 7, "reason": "relief"}
        crew-changed {"post": "dealer", "person": "Bob "}
        coup P 4 5  B K 8
        """,
    ),
    # burns are the opening's, a ruling's, a relief's, a dead game's
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        card-burned {"place": 7, "reason": "ruling"}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "ruling"}
        deal P 9
        due
        """,
    ),
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "card-exposed", "ruling": "play-on", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "ruling", "coup": 1}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "ruling", "coup": 1}
        deal P 9
        due
        """,
    ),
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        card-burned {"place": 7, "reason": "other"}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "card-exposed", "by": "sue"}
        card-burned {"place": 7, "reason": "other"}
        deal P 9
        due
        """,
    ),
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        card-burned {"place": 7, "reason": "fault"}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        shuffler-failed {"fault": "two at once"}
        card-burned {"place": 7, "reason": "fault"}
        deal P 9
        due
        """,
    ),
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        crew-changed {"post": "caller", "person": "bob"}
        card-burned {"place": 7, "reason": "relief"}
        deal P 9
        due
        """,
        """
        coup P 4 5  B K 8
        crew-changed {"post": "caller", "person": "bob"}
        card-burned {"place": 7, "reason": "relief"}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "unjustified-burn",
        2,
        """
        load classic-8 {"crew": [{"post": "caller", "person": "ann"}]}
        coup P 4 5  B K 8
        card-burned {"place": 7, "reason": "relief"}
        coup P 4 5  B K 8
        """,
        """
        coup P 4 5  B K 8
        crew-changed {"post": "caller", "person": "bob"}
        card-burned {"place": 7, "reason": "relief"}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "unjustified-burn",
        2,
        """
        coup P 4 5  B K 8
        patron-seated {"seat": 9, "patron": "p9"}
        card-burned {"place": 7, "reason": "dead-game"}
        coup P 4 5  B K 8
        """,
        """
        coup P 4 5  B K 8
        patron-seated {"seat": 9, "patron": "p9"}
        patron-left {"patron": "p9"}
        patron-seated {"seat": 8, "patron": "p9"}
        card-burned {"place": 7, "reason": "dead-game"}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "unjustified-burn",
        2,
        """
        coup P 4 5  B K 8
        card-burned {"place": 7, "reason": "other"}
        coup P 4 5  B K 8
        """,
        """
        coup P 4 5  B K 8
        shuffler-failed {"fault": "two at once"}
        card-burned {"place": 7, "reason": "other"}
        coup P 4 5  B K 8
        """,
    ),
    # what asks for a burn is of the cards, and it asks for one
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "wrong-payment", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "ruling"}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "wrong-draw", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "ruling"}
        deal P 9
        due
        """,
    ),
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "late-bet", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "fault"}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "card-exposed", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "fault"}
        deal P 9
        due
        """,
    ),
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "ruling"}
        card-burned {"place": 8, "reason": "ruling"}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "ruling"}
        card-burned {"place": 8, "reason": "ruling"}
        deal P 9
        due
        """,
    ),
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"card": "4", "place": 7, "reason": "ruling"}
        card-burned {"card": "5", "place": 8, "reason": "ruling"}
        card-burned {"place": 9, "reason": "ruling"}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"card": "4", "place": 7, "reason": "ruling"}
        card-burned {"card": "5", "place": 8, "reason": "ruling"}
        deal P 9
        due
        """,
    ),
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        shuffler-failed {"fault": "jam"}
        card-burned {"place": 7, "reason": "fault"}
        card-burned {"place": 8, "reason": "fault"}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        shuffler-failed {"fault": "jam"}
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "fault"}
        card-burned {"place": 8, "reason": "ruling"}
        deal P 9
        due
        """,
    ),
    # a failure that is told by the machine and noted by the floor is one; two are two
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        shuffler-failed {"fault": "jam"}
        irregularity-noted {"kind": "shuffler-fault", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "fault"}
        card-burned {"place": 8, "reason": "fault"}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        shuffler-failed {"fault": "jam"}
        irregularity-noted {"kind": "shuffler-fault", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "fault"}
        deal P 9
        due
        """,
    ),
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        irregularity-noted {"kind": "shuffler-fault", "coup": 1, "by": "sue"}
        shuffler-failed {"fault": "jam"}
        card-burned {"place": 7, "reason": "other"}
        card-burned {"place": 8, "reason": "other"}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        shuffler-failed {"fault": "jam"}
        irregularity-noted {"kind": "shuffler-fault", "coup": 1, "by": "sue"}
        shuffler-failed {"fault": "jam"}
        card-burned {"place": 7, "reason": "fault"}
        card-burned {"place": 8, "reason": "fault"}
        deal P 9
        due
        """,
    ),
    # a failure of the shuffler, and another irregularity of the cards
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        shuffler-failed {"fault": "jam", "coup": 1}
        irregularity-noted {"kind": "shuffler-fault", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "fault"}
        card-burned {"place": 8, "reason": "fault"}
        deal P 9
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3  B K 7
        shuffler-failed {"fault": "jam"}
        irregularity-noted {"kind": "card-exposed", "coup": 1, "by": "sue"}
        card-burned {"place": 7, "reason": "fault"}
        card-burned {"place": 8, "reason": "fault"}
        deal P 9
        due
        """,
    ),
    # the ruling took a card off its hand: it asked for that one
    Case(
        "unjustified-burn",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3 9  B K 7
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"place": 8, "reason": "ruling"}
        card-burned {"card": "9", "place": 7, "reason": "ruling", "coup": 1}
        deal P A
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 3 9  B K 7
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"place": 8, "reason": "ruling"}
        card-burned {"card": "9", "place": 7, "reason": "ruling", "coup": 1}
        deal P A
        due
        """,
    ),
    Case(
        "unjustified-burn",
        2,
        """
        with rulings.misdeal = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2  B K
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "reason": "misdeal", "by": "sue"}
        card-burned {"place": 5, "reason": "ruling"}
        coup P 4 5  B K 8
        """,
        """
        with rulings.misdeal = ["void", "burn-card"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2  B K
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "reason": "misdeal", "by": "sue"}
        card-burned {"place": 5, "reason": "ruling"}
        coup P 4 5  B K 8
        """,
    ),
    # while nobody stands at the post a card is burned for the relief: once
    Case(
        "unjustified-burn",
        2,
        """
        coup P 4 5  B K 8
        crew-changed {"post": "caller", "person": "bob"}
        card-burned {"place": 7, "reason": "relief"}
        card-burned {"place": 8, "reason": "relief"}
        coup P 4 5  B K 8
        """,
        """
        coup P 4 5  B K 8
        crew-changed {"post": "caller", "person": "bob"}
        card-burned {"place": 7, "reason": "relief"}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "wrong-relief-burn",
        2,
        """
        load louisiana {"crew": [{"post": "dealer", "person": "ann"}]}
        coup P 4 5  B K 8
        card-burned {"place": 7, "reason": "relief"}
        crew-changed {"post": "dealer", "person": null}
        crew-changed {"post": "dealer", "person": "zoe"}
        coup P 4 5  B K 8
        """,
        """
        load louisiana {"crew": [{"post": "dealer", "person": "ann"}]}
        coup P 4 5  B K 8
        crew-changed {"post": "dealer", "person": null}
        card-burned {"place": 7, "reason": "relief"}
        crew-changed {"post": "dealer", "person": "zoe"}
        coup P 4 5  B K 8
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- Cards that are burned when none comes behind them ---------------------------------------------


def test_cards_burned_behind_the_last_coup_change_nothing():
    felt = Felt().ready().coup("P 4 5  B K 8")
    felt.put(*[ev.CardBurned(None, place, "other") for place in (7, 8)])
    assert codes_and_coups(felt.put(ev.ShoeEnded(left=408, reason="withdrawn")).shoe) == []


def burned_between(reason: str, *before: ev.Event, crew: tuple[ev.Crew, ...] = ()) -> Shoe:
    """Between two coups this happens, and a card is burned."""
    felt = Felt(crew=crew).ready().coup("P 4 5  B K 8").put(*before)
    return felt.put(quietly(len(felt.shoe.left) + 1, reason)).coup("P 4 5  B K 8").shoe


def quietly(place: int, reason: str = "ruling") -> ev.CardBurned:
    """A card burned face down at this place."""
    return ev.CardBurned(None, place, reason)  # type: ignore[arg-type]


def test_a_card_burned_on_relief_is_not_judged_where_nobody_knows_who_dealt() -> None:
    audit = audit_shoe(burned_between("relief"))
    assert audit.findings == []
    (verdict,) = [verdict for verdict in audit.verdicts if verdict.code == "unjustified-burn"]
    assert verdict.checked == 0
    assert verdict.reasons == {"the shoe's own record does not say who dealt": 1}


# -- Irregularities that account for no burn -------------------------------------------------------


QUIET = "unjustified-burn"


def burned(note: ev.Event, *behind: ev.Event) -> Shoe:
    felt = dealt("> P 2  B K  P 3  B 7").put(note, ev.CardBurned(None, 7, "ruling"))
    finished(felt.cards("> P 9"))
    return felt.coup("P 4 5  B K 8", 2).put(*behind).shoe


def test_a_quiet_burn_is_not_covered_by_what_nobody_ruled_or_what_was_not():
    exposed = noted("card-exposed", "burn-card")
    assert codes(burned(exposed)) == []
    assert codes(burned(replace(exposed, by=None))) == [QUIET]
    assert QUIET in codes(burned(noted("too-few-cards", "burn-card")))
    assert QUIET in codes(burned(noted("late-bet", "burn-card")))


def test_a_quiet_burn_is_not_covered_by_what_was_noted_afterwards():
    calm = noted("other", "play-on")
    late = only_finding(burned(calm, noted("card-exposed", "burn-card")))
    assert late.code == QUIET
    assert "too late" in late.observed


def test_a_coup_without_an_opening_on_record_is_the_next_one_after_a_relief() -> None:
    felt = Felt(pack_text("classic-8").replace("[burn]", "[burn]\nrelief = 1")).ready()
    felt.put(ev.CrewChanged("dealer", "ann")).coup("P 4 5  B K 8")
    felt.put(ev.CrewChanged("dealer", "bob"), ev.NoMoreBets(2))
    felt.put(*(ev.CardDrawn(2, hand, card) for hand, card in in_order("P 4 5  B K 8")))
    found = [(each.code, each.coup) for each in audit_shoe(felt.shoe).findings]
    assert ("wrong-relief-burn", 2) in found
