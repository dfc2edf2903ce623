"""An independent dealer for tests, who deals legally in every way that the rules permit.

It shares only the events with the program. It has its own third-card table, reads the pack's text
itself, and settles bets by the pay lines in fractions. All its irregularities are legal: bets
changed, withdrawn, lowered to nothing, held by ties and carried or taken up, changed limits,
corrected misreadings, noted wrong calls, payments corrected at once, commission kept, charged once
for several bets or marked, cards burned by a ruling, voided coups, coups without bets, and a cut
card that is recorded late.
"""

import random
import tomllib

from sabot.domain import events as ev
from sabot.domain.rules.rule_pack import pack_sha256
from tests.support.legal_bets import VALUE, LegalFelt, total
from tests.support.rule_examples import with_key

BANCO_DRAWS_ON = {
    3: {0, 1, 2, 3, 4, 5, 6, 7, 9}, 4: {2, 3, 4, 5, 6, 7}, 5: {4, 5, 6, 7}, 6: {6, 7}, 7: set(),
}  # fmt: skip
"""Banker's total -> Player's third cards on which it draws (ARRETE_2007_ART_55_14); 0 to 2: all."""
OF_OTHERS = (
    "offered",
    "winners",
    "cards_stay",
    "covered",
    "free_hands_when",
    "relief",
    "dead_game",
)
"""Keys of packs that ask for what he does not do: they have tests of their own."""


def kept(text):
    """Return the pack's text without the rules that this dealer does not support.

    The dealer lowers limits while bets lie there, and applies them to each bet by itself.
    """
    lines = text.splitlines()
    rest = "\n".join(line for line in lines if line.split(" =")[0] not in OF_OTHERS) + "\n"
    return with_key(rest, 'limits.per = "bet"')


class LegalDealer(LegalFelt):
    """Deals one shoe of punto banco by a pack's text. ``facts`` holds its events in order."""

    def __init__(self, text, seed, *, corrects=True):
        self.dice, self.pack, self.payloads = random.Random(seed), tomllib.loads(text), []
        self.corrects, self.mended = corrects, False
        dice, pack = self.dice, self.pack
        decks = dice.choice(pack["cards"]["decks"])
        self.cards = [rank + suit for rank in VALUE for suit in "cdhs"] * decks
        dice.shuffle(self.cards)
        self.size, self.places = len(self.cards), dice.random() < 0.7
        self.table, self.rulings = pack.get("table", {}), pack.get("rulings", {})
        self.tie, self.commission = pack.get("tie", {}), pack.get("commission", {})
        self.patrons = [f"p{n}" for n in range(1, dice.randint(2, 6))]
        self.limits, self.left, self.owed = self._limits(), [], {}
        self.holder, self.lost, self.false_draw = None, False, False
        self.cut_in, self.waiting = None, None
        self._load(text, decks)

    # -- The shoe -----------------------------------------------------------------------------

    def _load(self, text, decks):
        pack, put = self.pack, self.payloads.append
        posts = self.table.get("posts", ["caller"])
        put(
            ev.ShoeLoaded(
                decks, text, pack_sha256(text), limits=self.limits,
                backs=("red", "blue")[: pack["cards"].get("backs") or 0],
                crew=tuple(ev.Crew(post, f"{post}-1") for post in posts),
                seats=tuple(ev.Seat(n, who) for n, who in enumerate(self.patrons, 1)),
            )
        )  # fmt: skip
        put(ev.CardsInspected("ann", model="M", serial="S", receipt="R"))
        self.payloads += [ev.ShoeShuffled("ann"), ev.ShoeCut("p1", self.dice.randint(20, 90))]
        end, burn = pack.get("end", {}), pack["burn"]
        self.shows_after = None
        if "stop_card_least" in end:
            behind = self.dice.randint(end["stop_card_least"], end["stop_card_most"])
            put(ev.StopCardPlaced(behind))
            self.shows_after = self.size - behind
        burned = {"none": 0, "fixed": burn.get("cards", 0), "deck-count": decks}
        count = burned.get(burn["option"], 0)
        if burn["option"] == "first-card-value":
            card = self.cards.pop()
            put(ev.CardBurned(card, self._place()))
            count = VALUE[card[0]] or 10
        for _ in range(count):
            self.cards.pop()
            put(ev.CardBurned(None, self._place()))

    def deal(self, most):
        """Deal so many coups, or to the end of the shoe, and return the events."""
        more = self.pack.get("end", {}).get("last_coup") == "one-more"
        number, last, ends = 0, None, "withdrawn"
        while number < most and number != last and len(self.cards) > 12:
            number += 1
            self._between()
            if number == last:
                self.payloads.append(ev.LastCoupCalled(number))
            self._coup(number)
            if self.cut_in == number:
                last, ends = number + more, "cut-card"
        for who, owed in self.owed.items():
            self.payloads.append(ev.CommissionCollected(who, owed))
        left = len(self.cards)
        self.payloads.append(ev.ShoeEnded(left, self.size, tuple(self.cards), ends))
        return self.payloads

    def _between(self):
        if self._may(0.05):
            self.limits = self._limits()
            self.payloads.append(ev.LimitsChanged(self.limits, displayed=True))
        if self._may(0.05):
            self.payloads.append(ev.CrewChanged("supervisor", self.dice.choice(["sue", "tom"])))
        if self.table.get("shoe") != "patron":
            return
        if self.holder is None or (self.lost and self.table.get("passes", "on-loss") == "on-loss"):
            others = [who for who in self.patrons if who != self.holder] or ["house"]
            if self.holder is not None and self._may(0.5):
                self.payloads.append(ev.ShoePassed(self.holder))
            self.holder = self.dice.choice(others)
            self.payloads.append(ev.ShoeTaken(self.holder))

    def _draw(self, coup, hand):
        """Draw a card. The cut card is recorded before the card, after it, or later."""
        meets = self.cut_in is None and self.size - len(self.cards) == self.shows_after
        card = self.cards.pop()
        payload = ev.CardDrawn(coup, hand, card, self._place())
        other = ev.CardDrawn(coup, hand, "2c" if card[0] != "2" else "9c", payload.place)
        if not meets:
            self._told(payload, other)
            return card
        self.cut_in = coup
        shown = ev.CutCardReached(self.dice.choice([None, self.shows_after]))
        self.waiting = None
        match self.dice.randrange(3):
            case 0:
                self.payloads += [shown, payload]
            case 1:
                self.payloads += [payload, shown]
            case _:
                self.payloads.append(payload)
                self.waiting = shown
        return card

    # -- A coup -------------------------------------------------------------------------------

    def _coup(self, number):
        self.payloads.append(ev.CoupOpened(number))
        bets = self._bets(number)
        if not bets and self._may(0.3):
            self.payloads.append(self.dice.choice([ev.CoupClosed, ev.CoupVoided])(number))
            self._over()
            return
        self.payloads.append(ev.NoMoreBets(number))
        hands = {"player": [], "banker": []}
        stop = self.dice.randint(1, 3) if self._may(0.03) else None
        for dealt, hand in enumerate((*hands, *hands)):
            if dealt == stop:
                self._void(number, bets)
                return
            hands[hand].append(self._first(number, hand))
        self._thirds(number, hands)
        self._call(number, hands)
        self._settle(number, bets, hands)
        self._over(number)

    def _over(self, closes=None):
        if closes is not None:
            self.payloads.append(ev.CoupClosed(closes))
        else:
            self.lost = False
        if self.waiting is not None:
            self.payloads.append(self.waiting)
            self.waiting = None

    def _ruled(self, number, kind, ruling):
        """Note an irregularity if the pack permits the ruling. Return whether it was noted."""
        if ruling not in self.rulings.get(kind, (ruling,)):
            return False
        self.payloads.append(ev.IrregularityNoted(kind, ruling, number, "sue"))
        return True

    def _void(self, number, bets):
        if not self._ruled(number, "misdeal", "void"):
            self._ruled(number, "other", "void")
        self._over()
        if self._may(0.5):
            self.payloads += [ev.BetPushed(number, bet) for bet in bets]
        self.payloads.append(ev.CoupVoided(number, "ruled", "sue"))

    def _first(self, number, hand):
        """Deal one of the first four cards. Sometimes a card falls off the table and is burned."""
        card = self._draw(number, hand)
        if self._may(0.005) and self._ruled(number, "card-off-the-table", "burn-card"):
            self._burn(number, card)
            card = self._draw(number, hand)
        return card

    def _burn(self, number, card):
        self.payloads += [ev.CardBurned(card, self._place(), "ruling", number)]

    def _thirds(self, number, hands):
        player_total, banker_total = total(hands["player"]), total(hands["banker"])
        self.payloads.append(ev.TotalsCalled(number, player_total, banker_total))
        third = None
        if max(player_total, banker_total) < 8:
            if player_total < 6:
                hands["player"].append(self._draw(number, "player"))
                third = total(hands["player"][2:])
            on = BANCO_DRAWS_ON.get(banker_total)
            draws = on is None or (third in on if third is not None else banker_total < 6)
            if draws:
                hands["banker"].append(self._draw(number, "banker"))
                return
        if self._may(0.01) and "burn-card" in self.rulings.get("wrong-draw", ("burn-card",)):
            card = self._draw(number, "banker")
            self._ruled(number, "wrong-draw", "burn-card")
            self._burn(number, card)
            self.mended = self.false_draw = True

    def _call(self, number, hands):
        player, banker = total(hands["player"]), total(hands["banker"])
        self.outcome = "P" if player > banker else "B" if banker > player else "T"
        # who drew wrongly gives the shoe up as if he had lost (ARRETE_2007_ART_55_14)
        self.lost, self.false_draw = self.outcome == "P" or self.false_draw, False
        wrong = ev.ResultCalled(number, player, banker, "B" if self.outcome == "P" else "P")
        if self._may(0.01):
            self.payloads += [wrong, ev.IrregularityNoted("wrong-call", "none", number, "sue")]
            self.mended = True
        self._told(ev.ResultCalled(number, player, banker, self.outcome), wrong)
