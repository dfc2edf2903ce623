"""Books, papers and web pages on games that no regulation describes."""

from typing import Final

from sabot.domain.rules.sources.source import Source

_WIKIPEDIA: Final = "Wikipedia, Baccarat"
_WIKIPEDIA_AT: Final = (
    "https://iiab.me/kiwix/content/wikipedia_en_all_maxi_2023-10/A/Baccarat%2C_France"
)
_IN_TRANSLATION: Final = (
    "the beginning of this copy was read, the section in Spanish and French translations"
)

WIKIPEDIA_BACCARAT_PUNTO_BANCO: Final = Source(
    _WIKIPEDIA,
    "Punto banco",
    "Punto banco has six or eight packs. The first card is turned, and as many cards are burned as "
    "it is worth, ten for a face card. The cut card is placed before the seventh-last card and "
    "marks the last coup. Player pays 1 to 1, Banker 19 to 20. A tie pays 8 to 1, or 9 to 1 in "
    "most British casinos. On a tie, bets on either hand stay, and may be withdrawn if the house "
    "allows it. A big table has a caller and two payers. The shoe passes clockwise by convention "
    "of the house, and may be refused.",
    _WIKIPEDIA_AT,
    _IN_TRANSLATION,
)
WIKIPEDIA_BACCARAT_VARIATIONS: Final = Source(
    _WIKIPEDIA,
    "Variations",
    "Midi punto has one dealer. Mini punto is dealt by the dealer at a table of the size of a "
    "blackjack table. Super 6 (Punto 2000) pays Banker even money, and half if Banker wins on 6. "
    "EZ Baccarat pays Banker even money, and pushes if Banker wins with a three-card 7. Dragon 7 "
    "pays 40 to 1 and Panda 8 25 to 1.",
    _WIKIPEDIA_AT,
    _IN_TRANSLATION,
)
WIKIPEDIA_BACCARAT_CHEMIN_DE_FER: Final = Source(
    _WIKIPEDIA,
    "Chemin de fer",
    "Turns go counter-clockwise from the croupier's right. One player may go bank; otherwise all "
    "stake in turn. Stakes beyond the bank are matched, or returned in reverse order. The player "
    "with the highest stake plays the hand, draws on 0 to 4 and stands on 6 and 7. Four cards are "
    "dealt face down. An 8 or 9 is shown at once; otherwise the player decides, then the banker, "
    "and the hands are turned once both have decided. After a loss the bank passes. If the banker "
    "retires, the bank goes to the first player who matches it, or to the next in turn.",
    _WIKIPEDIA_AT,
    _IN_TRANSLATION,
)
WIKIPEDIA_BACCARAT_BANQUE: Final = Source(
    _WIKIPEDIA,
    "Baccarat banque",
    "The bank goes to the highest bidder or to the first name on the list. The banker sits between "
    "two tableaux of five, shuffles last, and names who cuts. The deal goes right, left, banker. "
    "A tableau's hand stays with its player until it loses. A seated player stakes on the tableau "
    "of the seat, or on both. "
    "Claims to go bank alternate between the sides, and are halved if both sides claim. A player "
    "may go bank at most three times running. The banker plays at least one hand before retiring, "
    "may add to a broken bank up to the minimum, and pays in rotation as far as the bank reaches. "
    "A banker who accepts all stakes has an unlimited bank from then on.",
    _WIKIPEDIA_AT,
    _IN_TRANSLATION,
)
WIKIPEDIA_BACCARAT_MACAO: Final = Source(
    _WIKIPEDIA,
    "Macao",
    "Macao has two packs. One card each is dealt clockwise. Further cards are dealt on request, "
    "and a drawn ten or face card may be rejected. By the older rules a total over nine is bust. A "
    "natural 9 wins three times the stake, a natural 8 twice, a pair once. Of equal totals the "
    "hand with fewer cards wins, then the banker; by the older rules all bets are off. The bank "
    "goes to the left when the pack is dealt out. Victoria deals two cards at first.",
    _WIKIPEDIA_AT,
    _IN_TRANSLATION,
)

HOYLES_GAMES_MODERNIZED_BACCARAT: Final = Source(
    "Hoyle's Games Modernized, edited by Louis Hoffmann",
    "Baccarat",
    "Chemin de fer has six packs. The croupier shuffles, then each player may shuffle, then the "
    "croupier shuffles again. The player on the croupier's left cuts.",
    "https://en.wikisource.org/wiki/Hoyle%27s_Games_Modernized/Baccarat",
)
BRITANNICA_BACCARAT_CHEMIN_DE_FER: Final = Source(
    "Encyclopædia Britannica, volume 2, Baccarat",
    "chemin de fer",
    "The banker stakes any amount. The others, in turn from the banker's right, may call banco and "
    "play for the whole amount. The player who lost the last coup has the first right, and says "
    "suivi. The deal passes to the right on a loss. A banker may retire with the winnings before "
    "dealing.",
    "http://gluedideas.com/Encyclopedia-Britannica-Volume-2-Annu-Baltic/Baccarat.html",
)
DJ_MCADAM_BACCARAT_CHEMIN_DE_FER: Final = Source(
    "Baccarat (an encyclopedia's article, copied at djmcadam.com)",
    "chemin de fer",
    "The player with the highest stake plays for the punters, shows 8 or 9 at once, refuses a card "
    "on 6 or 7, and may choose on 5. The player's third card is dealt face up.",
    "http://www.djmcadam.com/baccarat.html",
)
CASINO_DI_CAMPIONE_CHEMIN_DE_FER: Final = Source(
    "Casinò di Campione, Chemin de Fer",
    "the page",
    "A player with 8 or 9 announces it and shows the cards. The punter stands on 6 or 7, may "
    "choose on 5, and may ask for a third card on less. The banker stands on 7 and draws on 0 to "
    "2.",
    "https://www.casinocampione.it/english/chemin-de-fer.php",
)
CASINOS_777_CHEMIN_DE_FER: Final = Source(
    "Règles du baccara, casinos777.net",
    "chemin de fer",
    "The croupier announces the banker's stake and asks who goes banco, first the seated players "
    "and then those who stand. The player who goes banco plays alone against the banker.",
    "https://www.casinos777.net/regles-du-baccara.htm",
)
BOUSSAC_BACCARA_A_DEUX_TABLEAUX: Final = Source(
    "Jean Boussac, Le baccara",
    "Baccara à deux tableaux",
    "One banker plays alone against all others. The bank goes to the highest offer. The banker "
    "sits in the middle, has the cards mixed round the table, and names who cuts. Punters stake on "
    "the tableau to the banker's right or left.",
    "https://www.jouerenlignefr.org/encyclopedie/baccara-par-jean-boussac",
)
WIKIPEDIA_IT_BACCARA: Final = Source(
    "Wikipedia (Italian), Baccarà",
    "Baccarà",
    "Cards go to the right tableau, the left tableau and the banker, twice. In this order each "
    "stands or asks for a card, but shows 8 or 9 at once. If a stake is on both tableaux and one "
    "of them ties, the half on that tableau is frozen.",
    "https://it.m.wikipedia.org/wiki/Speciale:DiffMobile/112507148",
)
REGOLE_DEL_GIOCO_BACCARA: Final = Source(
    "regoledelgioco.com, Baccarà",
    "Regole",
    "Punto banco has four, six or eight packs and up to fourteen bettors, chemin de fer six packs. "
    "The banker draws by the table. A stake on both tableaux wins or loses as a whole if both win "
    "or lose. If one wins and the other loses, the stake is frozen for the next coup. If one ties, "
    "half of the stake is frozen.",
    "https://www.regoledelgioco.com/giochi-di-carte/baccara/",
    "the beginning of the page was read, the passage in a copy of it",
)
CASINO_ITALIANI_ONLINE_MACAO: Final = Source(
    "casinoitalianionline.it, Il gioco di carte Macao",
    "Il regolamento ufficiale",
    "Players stake before they receive a card. A 9 at once wins three times the stake, an 8 twice, "
    "a 7 once. Otherwise the player stands or asks for a card. The banker plays after all others, "
    "then pays higher totals and collects from lower ones.",
    "https://casinoitalianionline.it/node/146",
)
PRAVILA_KART_MACAO_1_TO_11: Final = Source(
    "pravilakart.com, Macau card game rules",
    "1 to 11",
    "Macao has two packs. Each player gets one card, which nobody else may look at. The dealer "
    "gives a further card to each player who asks for one. A ten or face card may be rejected for "
    "another card.",
    "http://pravilakart.com/en/macau_rules.html",
)
BACCARAT_GUIDE: Final = Source(
    "Baccarat (a player's guide, copied at scribd.com)",
    "rules",
    "The game usually has eight packs. The first card is turned, and as many cards are burned as "
    "it is worth, ten for a face card. The cut card is placed before the last 16 cards. Once it "
    "shows, the coup is finished and one more is dealt. Banker pays 19 to 20.",
    "https://www.scribd.com/document/236968643/Baccarat",
)
RIVERS_CASINO: Final = Source(
    "Rivers Casino Des Plaines, Baccarat / Mini Baccarat",
    "the page",
    "Commission on Banker is 5 %, and a tie pays 8 to 1. Dragon Bonus pays 1 to 1 on a natural win "
    "and pushes on a tie of naturals. It pays 1, 2, 4, 6, 10 or 30 to 1 if the hand wins by 4 to 9 "
    "points.",
    "https://www.riverscasino.com/desplaines/casino/table-games/baccarat-mini-baccarat",
)
GRAND_BAHAMA: Final = Source(
    "Grand Bahama casino, Mini Baccarat (gbhcasino.com)",
    "the page",
    "The dealer deals all cards. Banker pays 1 to 1, and half if Banker wins on 6. A tie pays 8 to "
    "1. A pair wager pays 11 to 1 if the first two cards of the hand have the same rank.",
    "http://gbhcasino.com/casino/table-games/mini-baccarat",
)
RESORTS_WORLD: Final = Source(
    "Resorts World Catskills, How to Play EZ Baccarat",
    "the page",
    "Player and Banker pay 1 to 1, and Banker pushes on a winning three-card 7. A tie pays 8 to 1. "
    "A winning three-card Player 8 pays 25 to 1, and a winning three-card Banker 7 pays 40 to 1.",
    "https://rwcatskills.com/casino/table-games/how-to-play-ez-baccarat/",
)
MACAU_DAILY_TIMES: Final = Source(
    "Macau Daily Times, Casinos embrace new baccarat side bet (July 2024)",
    "the article",
    "In April 2024 DICJ approved a side bet, also called Small Tiger and Big Tiger. It pays 22 to "
    "1 if Banker wins on a two-card 6, and 50 to 1 on a three-card 6.",
    "https://macaudailytimes.com.mo/casinos-embrace-new-baccarat-side-bet.html",
)

ETHIER_LEE_2015_BACCARA_BANQUE_1: Final = Source(
    "S. N. Ethier and J. Lee, On the Three-Person Game Baccara Banque, Games 6 (2015) 57-78",
    "section 1",
    "A natural of the banker or of both players ends play. If only one player has a natural, it is "
    "paid, and play continues between the other player and the banker.",
    "https://www.mdpi.com/2073-4336/6/2/57",
)
ETHIER_LEE_2023_CHEMIN_DE_FER_1: Final = Source(
    "S. N. Ethier and J. Lee, A Game-Theoretic Analysis of Baccara Chemin de Fer, II, "
    "Games 14 (2023) 63",
    "section 1",
    "The bank passes counter-clockwise when it loses or is given up. Stakes against it do not "
    "exceed the amount that the banker announced. Winnings stay in the bank unless the banker "
    "withdraws. The total of a hand is the last digit of the sum of its cards, and the higher "
    "total wins.",
    "https://www.mdpi.com/2073-4336/14/5/63",
)
ZENDER_DONTS_OF_BACCARAT_1: Final = Source(
    "B. Zender, Understanding the 'Don'ts' of Baccarat Table Games, Global Gaming Business",
    "1: don't burn a card when the dealer draws by mistake",
    "A card drawn by mistake is not burned, because this would alter the order of the shoe. The "
    "card begins a hand without bets.",
    "https://ggbnews.com/article/understanding-the-donts-of-baccarat-table-games",
    "the remedy was read elsewhere",
)
GB_BANKERS_GAMES_2000: Final = Source(
    "Gaming Clubs (Bankers' Games) (Amendment) Regulations 2000, S.I. 2000 No. 597 (Great Britain)",
    "regulation 2",
    "At punto banco a bet on Banker pays 19 to 20, and a bet on the tie 8 to 1.",
    "http://www.bailii.org/uk/legis/num_reg/2000/uksi_2000597_en.html",
    "the first kind of wagers was read in a stored copy, the second was not; the Gambling Act 2005 "
    "has replaced these regulations",
)
GB_CASINO_GAMES_2007: Final = Source(
    "Rules of casino games in Great Britain (Gambling Commission, August 2007)",
    "section 1, and 6: punto banco",
    "Casinos offer the approved games by these rules only. Punto banco is one of these games; "
    "baccarat banque and chemin de fer are not.",
    "https://docslib.org/doc/289325/rules-of-casino-games-in-great-britain-august-2007",
    "the introduction was read, the rules of punto banco were not",
)
BOME_MELILLA_2014_19_PAGE_358: Final = Source(
    "Boletín Oficial de la Ciudad de Melilla, extra number 19, 22 September 2014 (Spain)",
    "page 358: baccarat, general rules and mistakes of the croupier",
    "A card that leaves the shoe face up is removed, and no stake may be lowered because of it. "
    "Cards that stick together void the coup. A card dealt on a wrong announcement is Banker's if "
    "Banker draws; otherwise it is removed. Any other mistake in dealing voids the coup, unless it "
    "can be corrected without harm to either side.",
    "https://deploy.studylib.es/doc/4928610/358",
    "the beginning of this page was read",
)
POKER_ONLINE_GURU_DEALERS_DUTIES: Final = Source(
    "pokeronlineguru.com, Baccarat",
    "Dealer's Duties",
    "Commission is marked in the box of each player. It is due when the shoe is dealt out, before "
    "the cards are shuffled again, and when a player leaves the game.",
    "http://www.pokeronlineguru.com/resources/casino/games/baccarat/dealers-duties/",
)
BACCARAT_COMMISSION_DRILL: Final = Source(
    "Baccarat Commission Drill by D. S. Yeazel, Worldwide Casino Consulting",
    "the page",
    "Commission may be marked with lammers, and the winnings paid in full. It must be settled when "
    "the customer leaves the game or the shoe ends.",
    "http://georgejosephtraining.com/baccommdrill.html",
    "the beginning of the page was read",
)
