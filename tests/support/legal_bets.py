"""Bets and payments of the tests' own dealer, all of them legal."""

from fractions import Fraction

from sabot.domain import events as ev

VALUE = {rank: min(count, 10) % 10 for count, rank in enumerate("A23456789TJQK", 1)}
MAIN = ("player", "banker")


def total(cards):
    return sum(VALUE[card[0]] for card in cards) % 10


class LegalFelt:
    """The bets at a table whose dealer has the pack, the patrons and a random source."""

    def _may(self, chance):
        return self.dice.random() < chance

    def _place(self):
        return self.size - len(self.cards) if self.places else None

    def _limits(self):
        ratios = self.pack.get("limits", {}).get("ratios", [20, 50, 200])
        least = self.dice.choice([100, 200, 500, 1000])
        return (ev.Limit(least, least * self.dice.choice(ratios)),)

    def _stake(self):
        return self.dice.randint(self.limits[0].minimum, 10 * self.limits[0].minimum)

    def _told(self, payload, misread):
        """Record an event, sometimes a wrong event corrected at once."""
        self.payloads.append(payload)
        if self.corrects and self._may(0.01):
            self.payloads[-1] = misread
            version = len(self.payloads)
            self.payloads.append(ev.EventCorrected(version, "misread", "sue", payload))

    # -- Bets ------------------------------------------------------------------------------------

    def _bets(self, number):
        """Return the patron, amount and wager of the bets, by their numbers."""
        bets = {}
        for who, wager, amount in self.left:
            if self.tie.get("withdrawable", True) and self._may(0.3):
                continue  # he took it up
            bets[len(bets) + 1] = [who, wager, amount]
            self.payloads.append(ev.BetCarried(number, len(bets), who, wager, amount))
        self.left = []
        nth = len(bets)
        for who in self.patrons:
            for _ in range(self.dice.choice([0, 0, 1, 2])):
                nth += 1
                bet = bets[nth] = [who, self.dice.choice([*MAIN, "tie"]), self._stake()]
                payload = ev.BetPlaced(number, nth, *bet)
                self._told(payload, ev.BetPlaced(number, nth, who, "tie", self._stake()))
                if self._may(0.05):
                    self.limits = self._limits()
                    self.payloads.append(ev.LimitsChanged(self.limits, displayed=True))
                match self.dice.randrange(20):
                    case 0:
                        bet[2] = self._stake()
                        self.payloads.append(ev.BetChanged(number, nth, bet[2]))
                    case 1:
                        self.payloads.append(ev.BetWithdrawn(number, nth))
                        del bets[nth]
                    case 2:
                        self.payloads.append(ev.BetChanged(number, nth, 0))
                        del bets[nth]
        return bets

    # -- Payments -----------------------------------------------------------------------------

    def _due(self, wager, amount, hands):
        """Return how a bet is settled, its amount, and its commission."""
        six = self.outcome == "B" and total(hands["banker"]) == 6
        seven = self.outcome == "B" and total(hands["banker"]) == 7 and len(hands["banker"]) == 3
        true = {
            "player-wins": self.outcome == "P", "banker-wins": self.outcome == "B",
            "tie": self.outcome == "T", "banker-wins-on-6": six,
            "banker-wins-on-three-card-7": seven,
        }  # fmt: skip
        rules = next(each for each in self.pack["wagers"] if each["name"] == wager)
        pays = next((pays for on, pays in rules["lines"] if true[on]), None)
        if pays in (None, "push"):
            return ("push", 0, 0) if pays else ("take", amount, 0)
        money = self.pack.get("money", {})
        won = _whole(Fraction(pays.replace(":", "/")) * amount, money, "down")
        rate = Fraction(self.commission.get("rate", "0")) if rules.get("commission") else 0
        return "pay", won, _whole(won * rate, self.commission, "nearest")

    def _settle(self, number, bets, hands):
        due = {bet: self._due(wager, amount, hands) for bet, (_, wager, amount) in bets.items()}
        owing = {}
        for bet in sorted(bets, key=lambda bet: ("take", "push", "pay").index(due[bet][0])):
            kind, amount, commission = due[bet]
            match kind:
                case "take":
                    self._take(number, bet, amount)
                case "push":
                    self.payloads.append(ev.BetPushed(number, bet))
                    if self.outcome == "T" and bets[bet][1] in MAIN and self.tie.get("bets_stay"):
                        self.left.append(bets[bet])
                case _:
                    charged = self._pay(number, bet, amount, commission)
                    owing.setdefault(bets[bet][0], []).append((bet, charged))
        for who, charges in owing.items():
            self._charge(number, who, [each for each in charges if each[1]])

    def _take(self, number, bet, amount):
        if self._may(0.02):
            self.payloads += [ev.BetPaid(number, bet, amount), ev.BetTaken(number, bet, 2 * amount)]
            self.mended = True
        else:
            self._told(ev.BetTaken(number, bet, amount), ev.BetTaken(number, bet, amount + 1))

    def _pay(self, number, bet, amount, commission):
        """Pay a winner. Return the commission still to be charged."""
        if commission and self.commission.get("due") != "marked" and self._may(0.3):
            self.payloads.append(ev.BetPaid(number, bet, amount - commission))
            return 0
        if self._may(0.02):
            self.payloads += [ev.BetPaid(number, bet, amount + 200), ev.BetTaken(number, bet, 200)]
            self.mended = True
        else:
            self._told(ev.BetPaid(number, bet, amount), ev.BetPaid(number, bet, amount + 1))
        return commission

    def _charge(self, number, who, charges):
        """Charge commission for each bet, or for all of a patron's bets at once."""
        marked = self.commission.get("due") == "marked"
        owed = sum(commission for _, commission in charges)
        if not owed:
            return
        if marked:
            self.owed[who] = self.owed.get(who, 0) + owed
        if self._may(0.5):
            charges = [(charges[0][0], owed)]
        for bet, commission in charges:
            self.payloads.append(
                ev.CommissionMarked(number, bet, commission)
                if marked
                else ev.CommissionCollected(who, commission, number, bet)
            )


def _whole(amount, rule, rounding):
    """Round to the unit of a section of the pack: down, or half up to the nearest."""
    unit = rule.get("unit", 1)
    half = Fraction(1, 2) if rule.get("rounding", rounding) == "nearest" else 0
    return (Fraction(amount) / unit + half).__floor__() * unit
