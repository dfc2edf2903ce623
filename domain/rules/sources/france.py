"""France: the order that governs games in casinos, article by article."""

from typing import Final

from sabot.domain.rules.sources.source import Source

_ORDER: Final = "arrêté of 14 May 2007 on games in casinos (France)"
_MIRROR: Final = "https://github.com/etalab/lois-non-codifiees-et-reglements-francais/blob"
_TEXT: Final = "arrete/2007/arrete-du-14-mai-2007-intd0754510a"


def _at(commit: str, article: str, title: str = "titre-iii") -> str:
    """Return the address of an article in a copy of the law on GitHub, at a commit."""
    return f"{_MIRROR}/{commit}/{_TEXT}/{title}/{article}.md"


ARRETE_2007_ART_39: Final = Source(
    _ORDER,
    "article 39",
    "Cards come from approved makers. Each pack has a number, which is entered when the pack is "
    "received. Packs are kept under lock and key, and are destroyed complete, in the presence of a "
    "police officer.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-ier/article-39"),
)
ARRETE_2007_ART_40: Final = Source(
    _ORDER,
    "article 40",
    "New cards are unsealed at the table, spread face up, counted, and mixed face down. After the "
    "game they are put back in the maker's order and examined. A missing, extra or marked card is "
    "reported at once.",
    _at("4841c25127749f8f702dcbdb21080a4abcde4ba8", "chapitre-ier/article-40"),
)
ARRETE_2007_ART_40_1: Final = Source(
    _ORDER,
    "article 40-1",
    "A continuous shuffler may be used for punto banco with six packs. The first card is turned, "
    "and as many cards are burned as it is worth. The cards of each coup go back into the shuffler "
    "before the next.",
    _at("084bea8637b0e6f78772a595d0d6c121d5b48791", "chapitre-ier/article-40-1"),
)
ARRETE_2007_ART_41: Final = Source(
    _ORDER,
    "article 41",
    "A stake whose owner is unknown is kept, with its winnings up to the moment when this was "
    "noticed. It is entered in a book, and is returned to the person who proves to be its owner.",
    _at("6643503cf90b78d68e06c8e99ab9731c4d869d3c", "chapitre-ier/article-41"),
)
ARRETE_2007_ART_55_14: Final = Source(
    _ORDER,
    "article 55-14",
    "The rules of punto banco: packs and backs, cut, cut card, burn, seats, holder of the shoe "
    "(only seated players draw cards from it), close of the bets, limits by player, deal, third "
    "card, calls, order and rate of payment (Banker 19 to 20, tie 8 to 1), discards. A false draw "
    "voids the coup unless it is corrected at once, and the holder loses the shoe. A coup counts "
    "as dealt once one of its cards is out, and no card goes back into the shoe.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-ii/section-9/article-55-14"),
)
ARRETE_2007_ART_55_15: Final = Source(
    _ORDER,
    "article 55-15",
    "Stakes are placed before the cards are dealt. The maximum is 50, 100 or 200 times the "
    "minimum. Another multiple may be chosen during play if it is clearly displayed.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-ii/section-9/article-55-15"),
)
ARRETE_2007_ART_56_1: Final = Source(
    _ORDER,
    "article 56-1",
    "For each levy, tickets of the same amount are openly detached from a counterfoil book, so "
    "that the stubs add up to the amount that the box must contain.",
    _at("084bea8637b0e6f78772a595d0d6c121d5b48791", "chapitre-iii/article-56-1"),
)
ARRETE_2007_ART_58: Final = Source(
    _ORDER,
    "article 58",
    "The setup of chemin de fer and of two tableaux: packs and backs, new cards for every session "
    "at two tableaux, the cut card before the last seven or ten cards, and numbered shoes that "
    "are not tied to tables. No card leaves the shoe before the stakes are closed, and none goes "
    "back afterwards. A coup counts as dealt once one of its cards is out. The house sets the "
    "minimum and maximum of a limited bank, and at chemin de fer those of the first stake or of a "
    "banco.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-iii/section-3/article-58"),
)
ARRETE_2007_ART_59: Final = Source(
    _ORDER,
    "article 59",
    "At each coup that the banker wins, the croupier announces the levy, detaches its tickets and "
    "puts it into the box, in this order. Tickets are torn before the next coup. The levy is "
    "rounded to the nearest ten cents.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-iii/section-3/article-59"),
)
ARRETE_2007_ART_60: Final = Source(
    _ORDER,
    "article 60",
    "The levy is 5 % of the banker's winnings in a coup of chemin de fer, 2 % with a limited bank "
    "and 1.25 % with an open bank. A false draw costs no money, but may cost the right to hold the "
    "cards.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-iii/section-3/article-60"),
)
ARRETE_2007_ART_61: Final = Source(
    _ORDER,
    "article 61",
    "An open bank has at most two sessions a day, of at most two shoes each. It goes to a patron "
    "who has proved the funds, by lot if several ask for it. It takes stakes without a maximum, in "
    "whole euros.",
    _at("4841c25127749f8f702dcbdb21080a4abcde4ba8", "chapitre-iii/section-4/article-61"),
)
ARRETE_2007_ART_62: Final = Source(
    _ORDER,
    "article 62",
    "With an open bank the croupier announces the stakes and, once the cards are turned, the "
    "outcome of each tableau. The levy is on the sum if the bank wins both tableaux, on the "
    "difference if it loses one, and on one alone if the other ties.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-iii/section-4/article-62"),
)
ARRETE_2007_ART_82: Final = Source(
    _ORDER,
    "article 82",
    "Levy tickets have four values, from ten cents to 100 euros. For each value they are numbered "
    "in one series, and no casino holds two tickets of one value with the same number.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-iv/article-82", "titre-iv"),
)
ARRETE_2019_ART_55_14: Final = Source(
    "arrêté of 2 August 2019, which amends that of 14 May 2007 (France)",
    "on article 55-14",
    "If the layout says so, a casino may pay Banker even money, and half the stake if Banker wins "
    "on 6. On a tie the coup is void for stakes on Player and Banker.",
    "https://www.legifrance.gouv.fr/jorf/id/JORFTEXT000038906848",
)
