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
    "Six or eight packs; the first card is turned and as many are burned as it is worth, ten for a "
    "face. The cut card goes before the seventh-last card and marks the last coup. Player pays 1 "
    "to 1, Banker 19 to 20 and a tie 8 to 1, or 9 to 1 in most British casinos; on a tie bets on "
    "either hand stay, and may be taken up where the house allows it. A big table has a caller "
    "and two payers; the shoe moves on clockwise by the house's convention, and may be refused.",
    _WIKIPEDIA_AT,
    _IN_TRANSLATION,
)
WIKIPEDIA_BACCARAT_VARIATIONS: Final = Source(
    _WIKIPEDIA,
    "Variations",
    "Midi punto has one dealer; mini punto has a table of the size of blackjack, where the dealer "
    "deals. Super 6 (Punto 2000) pays Banker even money, and half where Banker wins on 6. EZ "
    "Baccarat pays Banker even money and pushes where Banker wins with a three-card 7; Dragon 7 "
    "pays 40 to 1 and Panda 8 25 to 1.",
    _WIKIPEDIA_AT,
    _IN_TRANSLATION,
)
WIKIPEDIA_BACCARAT_CHEMIN_DE_FER: Final = Source(
    _WIKIPEDIA,
    "Chemin de fer",
    "Turns go counter-clockwise from the croupier's right; one may go bank, else all stake in "
    "turn; what exceeds the bank is matched or returned in reverse order; the highest stake plays "
    "the hand, drawing on 0 to 4 and standing on 6 and 7; a loss passes the bank, and who retires "
    "is followed by the first to match it, or by the next in turn.",
    _WIKIPEDIA_AT,
    _IN_TRANSLATION,
)
WIKIPEDIA_BACCARAT_BANQUE: Final = Source(
    _WIKIPEDIA,
    "Baccarat banque",
    "The bank goes to the highest bidder or the first name; the banker sits between two "
    "tableaux of "
    "five, shuffles last, names who cuts, and deals right, left and himself; claims to go bank "
    "alternate, are halved where opposed, and three times running at most; he plays one hand "
    "before he retires, may make up a broken bank to the minimum, and pays in rotation as far as "
    "it reaches, unless he accepts all stakes and is unlimited from then on.",
    _WIKIPEDIA_AT,
    _IN_TRANSLATION,
)
WIKIPEDIA_BACCARAT_MACAO: Final = Source(
    _WIKIPEDIA,
    "Macao",
    "Two packs, a card each dealt clockwise; further cards on request, of which a ten or a face "
    "may be rejected; over nine is bust by the older rules; a natural 9 wins three times the stake "
    "and an 8 twice, a pair once; of equal totals the hand with fewer cards wins, then the banker, "
    "or by the older rules all bets are off; the bank goes to the left once the pack is dealt "
    "out. Victoria deals two cards at first.",
    _WIKIPEDIA_AT,
    _IN_TRANSLATION,
)

HOYLES_GAMES_MODERNIZED_BACCARAT: Final = Source(
    "Hoyle's Games Modernized, edited by Louis Hoffmann",
    "Baccarat",
    "Six packs for chemin de fer; the croupier shuffles, each player may, the croupier shuffles "
    "again, and the player on his left cuts.",
    "https://en.wikisource.org/wiki/Hoyle%27s_Games_Modernized/Baccarat",
)
BRITANNICA_BACCARAT_CHEMIN_DE_FER: Final = Source(
    "Encyclopædia Britannica, volume 2, Baccarat",
    "chemin de fer",
    "The banker stakes what he wishes, and the others in turn from his right may call banco and "
    "play for all of it; who lost the last coup has the first right, and says suivi; the deal "
    "passes to the right on a loss, and a banker may retire with his winnings before he deals.",
    "http://gluedideas.com/Encyclopedia-Britannica-Volume-2-Annu-Baltic/Baccarat.html",
)
DJ_MCADAM_BACCARAT_CHEMIN_DE_FER: Final = Source(
    "Baccarat (an encyclopedia's article, copied at djmcadam.com)",
    "chemin de fer",
    "The player with the highest stake plays for the punters, shows 8 or 9 at once, refuses a card "
    "on 6 or 7 and is free on 5; his third card lies face up.",
    "http://www.djmcadam.com/baccarat.html",
)
CASINO_DI_CAMPIONE_CHEMIN_DE_FER: Final = Source(
    "Casinò di Campione, Chemin de Fer",
    "the page",
    "Who has 8 or 9 announces it and shows his cards; on 6 or 7 the punter stands, on 5 he is "
    "free, and on less he may ask for a third card; the banker stands on 7 and draws on 0 to 2.",
    "https://www.casinocampione.it/english/chemin-de-fer.php",
)
CASINOS_777_CHEMIN_DE_FER: Final = Source(
    "Règles du baccara, casinos777.net",
    "chemin de fer",
    "The croupier announces the sum that the banker puts up and asks who goes banco, the seated "
    "first and then those who stand; who does plays against the banker alone.",
    "https://www.casinos777.net/regles-du-baccara.htm",
)
BOUSSAC_BACCARA_A_DEUX_TABLEAUX: Final = Source(
    "Jean Boussac, Le baccara",
    "Baccara à deux tableaux",
    "One banker plays alone against all others; the bank goes to who offers most, he sits in the "
    "middle, has the cards mixed round the table and cut by whom he names, and punters stake on "
    "the tableau to his right or to his left.",
    "https://www.jouerenlignefr.org/encyclopedie/baccara-par-jean-boussac",
)
WIKIPEDIA_IT_BACCARA: Final = Source(
    "Wikipedia (Italian), Baccarà",
    "Baccarà",
    "Cards go to the right tableau, the left and the banker, twice, and in this order each "
    "stands or "
    "asks, but shows 8 or 9 at once; of a stake on both tableaux the half on a tableau "
    "that ties is "
    "frozen.",
    "https://it.m.wikipedia.org/wiki/Speciale:DiffMobile/112507148",
)
REGOLE_DEL_GIOCO_BACCARA: Final = Source(
    "regoledelgioco.com, Baccarà",
    "Regole",
    "Punto banco takes four, six or eight packs and up to fourteen bettors, chemin de fer six "
    "packs; the banker draws by the table. A stake on both tableaux wins or loses whole where both "
    "do, lies frozen for the next coup where one wins and the other loses, and half of it does "
    "where one ties.",
    "https://www.regoledelgioco.com/giochi-di-carte/baccara/",
    "the beginning of the page was read, the passage in a copy of it",
)
CASINO_ITALIANI_ONLINE_MACAO: Final = Source(
    "casinoitalianionline.it, Il gioco di carte Macao",
    "Il regolamento ufficiale",
    "Each stakes before he has his card; 9 at once wins three times the stake, 8 twice, 7 once; "
    "else he stands or asks for a card, the banker after all others, who then pays higher points "
    "and takes from lower ones.",
    "https://casinoitalianionline.it/node/146",
)
PRAVILA_KART_MACAO_1_TO_11: Final = Source(
    "pravilakart.com, Macau card game rules",
    "1 to 11",
    "Two packs; a card each, which its owner alone may look at; the dealer gives a further card to "
    "whoever wants it, and a ten or a face may be rejected for another.",
    "http://pravilakart.com/en/macau_rules.html",
)
BACCARAT_GUIDE: Final = Source(
    "Baccarat (a player's guide, copied at scribd.com)",
    "rules",
    "Usually eight packs; the first card is turned and as many are burned as it is worth, ten for "
    "a face. The cut card goes before the last 16 cards; once it shows, that coup is finished and "
    "one more is dealt. Banker pays 19 to 20.",
    "https://www.scribd.com/document/236968643/Baccarat",
)
RIVERS_CASINO: Final = Source(
    "Rivers Casino Des Plaines, Baccarat / Mini Baccarat",
    "the page",
    "Banker is charged 5 %, and a tie pays 8 to 1. Dragon Bonus pays 1 to 1 on a natural win, "
    "pushes on a tie of naturals, and pays 1, 2, 4, 6, 10 or 30 to 1 where the hand wins by 4 to "
    "9 points.",
    "https://www.riverscasino.com/desplaines/casino/table-games/baccarat-mini-baccarat",
)
GRAND_BAHAMA: Final = Source(
    "Grand Bahama casino, Mini Baccarat (gbhcasino.com)",
    "the page",
    "The dealer deals all cards. Banker pays 1 to 1, and half where Banker wins on 6; a tie pays 8 "
    "to 1; a pair wager pays 11 to 1 where the first two cards of the hand are of one rank.",
    "http://gbhcasino.com/casino/table-games/mini-baccarat",
)
RESORTS_WORLD: Final = Source(
    "Resorts World Catskills, How to Play EZ Baccarat",
    "the page",
    "Player and Banker pay 1 to 1, Banker pushes on a winning three-card 7, a tie pays 8 to 1; a "
    "winning three-card Player 8 pays 25 to 1 and a winning three-card Banker 7 pays 40 to 1.",
    "https://rwcatskills.com/casino/table-games/how-to-play-ez-baccarat/",
)
MACAU_DAILY_TIMES: Final = Source(
    "Macau Daily Times, Casinos embrace new baccarat side bet (July 2024)",
    "the article",
    "DICJ approved a side bet in April 2024 that pays 22 to 1 where Banker wins on a two-card 6 "
    "and 50 to 1 on a three-card 6; it is also called Small Tiger and Big Tiger.",
    "https://macaudailytimes.com.mo/casinos-embrace-new-baccarat-side-bet.html",
)

ETHIER_LEE_2015_BACCARA_BANQUE_1: Final = Source(
    "S. N. Ethier and J. Lee, On the Three-Person Game Baccara Banque, Games 6 (2015) 57-78",
    "section 1",
    "A natural of the banker or of both players ends play; one player's natural alone is paid, and "
    "play goes on between the other and the banker.",
    "https://www.mdpi.com/2073-4336/6/2/57",
)
ETHIER_LEE_2023_CHEMIN_DE_FER_1: Final = Source(
    "S. N. Ethier and J. Lee, A Game-Theoretic Analysis of Baccara Chemin de Fer, II, "
    "Games 14 (2023) 63",
    "section 1",
    "The bank goes round counter-clockwise on a loss or when it is given up; stakes against it do "
    "not exceed what the banker announced; his winnings stay in it unless he withdraws. "
    "The total of a hand is the last digit of the sum of its cards, and the higher total wins.",
    "https://www.mdpi.com/2073-4336/14/5/63",
)
ZENDER_DONTS_OF_BACCARAT_1: Final = Source(
    "B. Zender, Understanding the 'Don'ts' of Baccarat Table Games, Global Gaming Business",
    "1: don't burn a card when the dealer draws by mistake",
    "A card that was drawn by mistake is not burned, which would alter the order of the shoe: it "
    "begins a hand without bets.",
    "https://ggbnews.com/article/understanding-the-donts-of-baccarat-table-games",
    "the remedy was read elsewhere",
)
GB_BANKERS_GAMES_2000: Final = Source(
    "Gaming Clubs (Bankers' Games) (Amendment) Regulations 2000, S.I. 2000 No. 597 (Great Britain)",
    "regulation 2",
    "At punto banco a bet on Banker pays 19 to 20, and one on a tie 8 to 1.",
    "http://www.bailii.org/uk/legis/num_reg/2000/uksi_2000597_en.html",
    "the first kind of wagers was read in a stored copy, the second was not; the Gambling Act 2005 "
    "has replaced these regulations",
)
GB_CASINO_GAMES_2007: Final = Source(
    "Rules of casino games in Great Britain (Gambling Commission, August 2007)",
    "section 1, and 6: punto banco",
    "Casinos offer the approved games by these rules alone; punto banco is among them, baccarat "
    "banque and chemin de fer are not.",
    "https://docslib.org/doc/289325/rules-of-casino-games-in-great-britain-august-2007",
    "the introduction was read, the rules of punto banco were not",
)
BOME_MELILLA_2014_19_PAGE_358: Final = Source(
    "Boletín Oficial de la Ciudad de Melilla, extra number 19, 22 September 2014 (Spain)",
    "page 358: baccarat, general rules and mistakes of the croupier",
    "A card that leaves the shoe face up is of no use and is removed, and no stake may be lowered "
    "for it; cards that stick together void the coup. A card dealt on a wrong announcement is "
    "Banker's if Banker draws; another is removed. Any other mistake in dealing voids the coup, "
    "unless it can be put right without harm to either side.",
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
    "Commission may be marked with lammers, and the whole winnings paid. It must be settled when "
    "the customer leaves the game or the shoe ends.",
    "http://georgejosephtraining.com/baccommdrill.html",
    "the beginning of the page was read",
)
