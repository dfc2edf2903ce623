"""Macau, Singapore, New South Wales and Queensland."""

from typing import Final

from sabot.domain.rules.sources.source import Source

_MO: Final = (
    "Despacho 55/2004 of Macau's Secretary for Economy and Finance, as amended: baccarat "
    "(published by DICJ)"
)
_MO_RULES: Final = "https://www.dicj.gov.mo/web/pt/rules"
_MO_GAZETTE: Final = "https://bo.io.gov.mo"
_TRANSLATED: Final = "articles 1 and 2 were read there; the rest in a third party's translation"

DESPACHO_55_2004_ART_1: Final = Source(
    _MO,
    "article 1",
    "Baccarat is dealt from six to twelve packs of 52 cards, at tables of seven seats or more.",
    f"{_MO_RULES}/Bacara.html",
)
DESPACHO_55_2004_ART_2: Final = Source(
    _MO,
    "article 2 (text of Despacho 83/2011)",
    "The croupier shuffles. A player or the croupier cuts. A white card is placed before about the "
    "last twelve cards. The number of cards burned is the number of packs, the value of the first "
    "card, or a number from one to eight that the house has fixed.",
    f"{_MO_RULES}/BacaraAlt05.html",
)
DESPACHO_55_2004_ART_4: Final = Source(
    _MO,
    "article 4",
    "A card that leaves the shoe face up is valid, and the coup goes on.",
    f"{_MO_RULES}/Bacara.html",
    _TRANSLATED,
)
DESPACHO_55_2004_PLAY: Final = Source(
    _MO,
    "on free hands and on the last coup",
    "Up to three hands may be dealt without bets at the start of a shoe. When the cut card is out, "
    "the coup is the last, or one more is dealt.",
    f"{_MO_RULES}/Bacara.html",
    f"{_TRANSLATED}, which was noted without the articles' numbers",
)
DESPACHO_55_2004_ART_13: Final = Source(
    _MO,
    "article 13 (text of Despacho 30/2007)",
    "Players may bet on Player, Banker and the tie, and on a pair of either hand. A pair is two "
    "cards of one rank: a jack and a queen are not a pair.",
    f"{_MO_GAZETTE}/bo/i/2007/08/despsef.asp?printer=1",
)
DESPACHO_55_2004_ART_13_AND_17: Final = Source(
    _MO,
    "articles 13 and 17 (text of Despacho 56/2018)",
    "Lucky 6 wins if Banker wins on 6. It pays 12 to 1 with two cards and 20 to 1 with three.",
    f"{_MO_GAZETTE}/bo/i/2018/17/despsef.asp?printer=1",
)
DESPACHO_55_2004_ART_18: Final = Source(
    _MO,
    "article 18 (text of Despacho 73/2005)",
    "The house takes 5 % of the winnings of Banker bets. Or it takes no commission, and pays half "
    "the stake if Banker wins on 6.",
    f"{_MO_GAZETTE}/isapi/go.asp?d=despsef-73-2005pt",
)
DESPACHO_55_2004_ART_19: Final = Source(
    _MO,
    "article 19 (text of Despacho 73/2005)",
    "A house that adopts one of the options needs DICJ's authorisation, which it requests three "
    "working days in advance.",
    f"{_MO_GAZETTE}/isapi/go.asp?d=despsef-73-2005pt",
)

_SG: Final = "Casino Control Act 2006 (Singapore)"

SINGAPORE_CASINO_CONTROL_ACT_100: Final = Source(
    _SG,
    "section 100",
    "A casino may conduct only games that the Authority has approved, and only in the manner and "
    "by the rules that the Authority has approved.",
    "https://laws.sg/legislation/act-2006-cca/section-100",
)
SINGAPORE_CASINO_CONTROL_ACT_106: Final = Source(
    _SG,
    "section 106",
    "A sign at each table displays the minimum and the maximum wager.",
    "https://en.wikisource.org./wiki/Page:Casino_Control_Act_2006.pdf/79",
)

_NSW: Final = "casino rules under the Casino Control Act 1992 (New South Wales)"
_NSW_AT: Final = "http://www.super-casino.com"
_NSW_COPY: Final = "a copy on another site; the state is inferred from the Act that it names"

NSW_BACCARAT_RULE_3: Final = Source(
    _NSW,
    "baccarat, rule 3",
    "Baccarat has six or eight decks, which are checked before use. Players handle cards only as "
    "the rules permit. If players handle the cards of a shoe (3.9), all of them are replaced.",
    f"{_NSW_AT}/baccarat-3.htm",
    _NSW_COPY,
)
NSW_MINI_BACCARAT_RULE_1: Final = Source(
    _NSW,
    "mini baccarat, rule 1.1",
    "The table differential is the largest permitted difference between all bets on Player and all "
    "bets on Banker in a coup.",
    f"{_NSW_AT}/mini-baccarat-2.htm",
    _NSW_COPY,
)
NSW_MINI_BACCARAT_RULE_3: Final = Source(
    _NSW,
    "mini baccarat, rule 3",
    "Mini baccarat has three, four, six or eight decks of 52 cards without jokers. They are "
    "checked before use, and dealt from a shoe or a shuffling device.",
    f"{_NSW_AT}/mini-baccarat-3.htm",
    _NSW_COPY,
)
NSW_MINI_BACCARAT_RULE_5: Final = Source(
    _NSW,
    "mini baccarat, rule 5",
    "Players bet on Player, Banker and the tie. Bets on Player and Banker are void at equal "
    "points. Bets are placed before the first card, and are not touched from then until they are "
    "settled. At most three players share an area. An amount that chips cannot pay exactly is "
    "rounded up (5.7).",
    f"{_NSW_AT}/mini-baccarat-5.htm",
    _NSW_COPY,
)
NSW_MINI_BACCARAT_RULE_12: Final = Source(
    _NSW,
    "mini baccarat, rule 12 (12.4 among it)",
    "The procedure if a shuffling device fails during a coup. If the failure puts the house or a "
    "player at a disadvantage, the coup is ended and all bets are returned.",
    f"{_NSW_AT}/mini-baccarat-13.htm",
    _NSW_COPY,
)

QUEENSLAND_2001_SCHEDULE_1_RULE_11A: Final = Source(
    "Casino Gaming Amendment Rule (No. 1) 2001 (Queensland)",
    "schedule 1, r. 11A",
    "If a player at the table asks for a free hand, the operator may have it dealt. The players "
    "must not bet on it.",
    "https://casechat.au/cases/au/casino-gaming-amendment-rule-no-1-2001-qld",
    "the Rule of 1999 that it amended was repealed in 2010",
)
