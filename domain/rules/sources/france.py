"""France: the order that governs games in casinos, article by article."""

from typing import Final

from sabot.domain.rules.sources.source import Source

_ORDER: Final = "arrêté of 14 May 2007 on games in casinos (France)"
_MIRROR: Final = "https://github.com/etalab/lois-non-codifiees-et-reglements-francais/blob"
_TITLE_III: Final = "arrete/2007/arrete-du-14-mai-2007-intd0754510a/titre-iii"


def _at(commit: str, article: str) -> str:
    """Return the address of an article in a copy of the law on GitHub, at a commit."""
    return f"{_MIRROR}/{commit}/{_TITLE_III}/{article}.md"


ARRETE_2007_ART_39: Final = Source(
    _ORDER,
    "article 39",
    "Cards come from approved makers, each pack has a number that is entered when it is received, "
    "packs are kept under lock and key, and they are destroyed complete, before a policeman.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-ier/article-39"),
)
ARRETE_2007_ART_40: Final = Source(
    _ORDER,
    "article 40",
    "New cards are unsealed at the table, spread face up, counted and mixed face down; after the "
    "game they go back into the maker's order and are examined, and a missing, extra or marked "
    "card is reported at once.",
    _at("4841c25127749f8f702dcbdb21080a4abcde4ba8", "chapitre-ier/article-40"),
)
ARRETE_2007_ART_40_1: Final = Source(
    _ORDER,
    "article 40-1",
    "A continuous shuffler may be used for punto banco with six packs: the first card is turned, "
    "as many are burned as it is worth, and the cards of each coup go back before the next.",
    _at("084bea8637b0e6f78772a595d0d6c121d5b48791", "chapitre-ier/article-40-1"),
)
ARRETE_2007_ART_41: Final = Source(
    _ORDER,
    "article 41",
    "A stake whose owner is not known is kept with what it had won until that was noticed, is "
    "entered in a book, and is given back to whoever proves that it is his.",
    _at("6643503cf90b78d68e06c8e99ab9731c4d869d3c", "chapitre-ier/article-41"),
)
ARRETE_2007_ART_55_14: Final = Source(
    _ORDER,
    "article 55-14",
    "How punto banco is played: packs and backs, cut and stop card, burn, seats, who holds the "
    "shoe, close of the bets, limits by player, deal, third card, calls, order and rate of payment "
    "(Banker 19 to 20, tie 8 to 1), discards, and the false draw, which voids the coup unless it "
    "is mended at once and costs the shoe. A coup is dealt once a card of it is out, and no card "
    "goes back into the shoe.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-ii/section-9/article-55-14"),
)
ARRETE_2007_ART_55_15: Final = Source(
    _ORDER,
    "article 55-15",
    "Stakes lie there before the cards are dealt, between a minimum and a maximum of 50, 100 or "
    "200 times that; another multiple may be chosen in play if it is clearly displayed.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-ii/section-9/article-55-15"),
)
ARRETE_2007_ART_56_1: Final = Source(
    _ORDER,
    "article 56-1",
    "For every levy tickets of the same amount are openly detached from a counterfoil book, so "
    "that the stubs add up to what the box must hold.",
    _at("084bea8637b0e6f78772a595d0d6c121d5b48791", "chapitre-iii/article-56-1"),
)
ARRETE_2007_ART_58: Final = Source(
    _ORDER,
    "article 58",
    "How baccara is set up: packs and backs for chemin de fer and for two tableaux, new cards "
    "every session for the latter, stop card before the last seven or ten, numbered shoes that are "
    "not tied to tables, and no card out before the stakes are closed or back in afterwards. A "
    "coup is dealt once a card of it is out. The house sets the minimum and maximum of a limited "
    "bank, and at chemin de fer those of the first stake or of a banco.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-iii/section-3/article-58"),
)
ARRETE_2007_ART_59: Final = Source(
    _ORDER,
    "article 59",
    "At each coup that the banker wins the croupier announces the levy, detaches its tickets and "
    "puts it into the box, in this order; tickets are torn before the next coup, and the levy is "
    "rounded to the nearest ten cents.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-iii/section-3/article-59"),
)
ARRETE_2007_ART_60: Final = Source(
    _ORDER,
    "article 60",
    "The levy is 5 % of the banker's winnings in a coup of chemin de fer, 2 % with a limited bank "
    "and 1.25 % with an open one; a false draw costs no money, but may "
    "cost the right to hold the cards.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-iii/section-3/article-60"),
)
ARRETE_2007_ART_61: Final = Source(
    _ORDER,
    "article 61",
    "An open bank has two sessions a day of two shoes at most, goes to whoever has proved his "
    "funds, by lot where several ask for it, takes stakes without a maximum, and in whole euros.",
    _at("4841c25127749f8f702dcbdb21080a4abcde4ba8", "chapitre-iii/section-4/article-61"),
)
ARRETE_2007_ART_62: Final = Source(
    _ORDER,
    "article 62",
    "With an open bank the croupier announces the stakes and the outcome of each tableau once the "
    "cards are turned over; the levy is on the sum if both are won, on the difference if one is "
    "lost, on one alone if the other ties.",
    _at("7c9c6e8e8f99792b87946b63da45aa5c3222fbf7", "chapitre-iii/section-4/article-62"),
)
ARRETE_2019_ART_55_14: Final = Source(
    "arrêté of 2 August 2019, which amends that of 14 May 2007 (France)",
    "on article 55-14",
    "A casino may pay banco even money and half the stake where Banker wins on 6, if the layout "
    "says so; on a tie the coup is void for stakes on Player and Banker.",
    "https://www.legifrance.gouv.fr/jorf/id/JORFTEXT000038906848",
)
