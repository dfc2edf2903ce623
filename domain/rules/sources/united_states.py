"""The United States: the gaming regulations of six states."""

from typing import Final

from sabot.domain.rules.sources.source import Source

_NJ: Final = "New Jersey Administrative Code, title 13, chapter 69E: gaming equipment"
_NJ_AT: Final = "https://regulations.justia.com/states/new-jersey/title-13/chapter-69e/subchapter-1"

NJAC_13_69E_1_18: Final = Source(
    _NJ,
    "N.J.A.C. 13:69E-1.18",
    "Decks are logged when they arrive, leave and return. They are reconciled every day, including "
    "destroyed decks and those that lay on an open table for more than 24 hours.",
    f"{_NJ_AT}/section-13-69e-1-18",
)
NJAC_13_69E_1_18A: Final = Source(
    _NJ,
    "N.J.A.C. 13:69E-1.18A",
    "A dealer may inspect and shuffle cards beforehand, verified by a supervisor who has no open "
    "table. The cards are sealed in batches. A machine prints a receipt with its model, its serial "
    "number and the dealer. A recording is kept for seven days.",
    f"{_NJ_AT}/section-13-69e-1-18a",
)

_PA: Final = "Pennsylvania Code, title 58: table games"
_PA_OFFICIAL: Final = (
    "https://pacodeandbulletin.gov/Display/pacode?d=reduce&file=%2Fsecure%2Fpacode%2Fdata%2F058"
)

PA_CODE_58_627A_1: Final = Source(
    _PA,
    "58 Pa. Code § 627a.1",
    "EZ Baccarat is minibaccarat without vigorish; Dragon 7 is a winning three-card Banker 7, and "
    "Panda 8 a winning three-card Player 8.",
    f"{_PA_OFFICIAL}%2Fchapter627a%2Fs627a.1.html",
)
PA_CODE_58_627A_8: Final = Source(
    _PA,
    "58 Pa. Code § 627a.8",
    "The dealer announces that no more bets are taken before dealing a card. The first and third "
    "cards are Player's, the second and fourth Banker's. They are dealt face up, or face down and "
    "turned.",
    "https://casetext.com/regulation/pennsylvania-code-rules-and-regulations/title-58-recreation/part-vii-gaming-control-board/subpart-k-table-games/chapter-627a-minibaccarat/section-627a8-hands-of-player-and-banker-procedure-for-dealing-initial-two-cards-to-each-hand",
)
PA_CODE_58_629A_2: Final = Source(
    _PA,
    "58 Pa. Code § 629a.2",
    "A midibaccarat table has numbered positions for no more than nine seated players.",
    "https://regulations.justia.com/states/pennsylvania/title-58/part-vii/subpart-k/chapter-629a/section-629a-2",
)
PA_CODE_58_629A_13: Final = Source(
    _PA,
    "58 Pa. Code § 629a.13",
    "Irregularities: a third card dealt to Player by mistake becomes Banker's if Banker draws one. "
    "A card face up in the shoe is discarded. A round that lacks cards is void.",
    note="recalled: the chapter's list of sections was read, the section was not",
)
PA_CODE_58_631A_11: Final = Source(
    _PA,
    "58 Pa. Code § 631a.11",
    "After a natural no third card is drawn. Player draws below 6. If Player stands, Banker draws "
    "below 6; otherwise Banker draws by a table of Banker's total and Player's third card.",
    f"{_PA_OFFICIAL}%2Fchapter631a%2Fs631a.11.html",
)

_NY: Final = "New York Codes, Rules and Regulations, title 9, subtitle T: casino gaming"
_NY_AT: Final = (
    "casetext.com/regulation/new-york-codes-rules-and-regulations/title-9-executive-department/"
    "subtitle-t-new-york-state-gaming-commission/chapter-iv-division-of-gaming/"
    "subchapter-b-casino-gaming/part-5322-table-game-equipment"
)

NYCRR_9_5322_15: Final = Source(
    _NY,
    "9 NYCRR 5322.15",
    "Before use every deck is sorted into its original order, and the backs are examined. An "
    "unsuitable deck is reported at once, replaced, and kept in a sealed and signed envelope.",
    f"https://print.{_NY_AT}/section-532215-playing-cards-receipts-storage-and-removal-from-use",
)
NYCRR_9_5322_16: Final = Source(
    _NY,
    "9 NYCRR 5322.16",
    "A dealer may inspect and shuffle cards beforehand, before cameras, verified by a supervisor "
    "without an open table. The cards are sealed in batches, and a machine prints a receipt.",
    f"https://{_NY_AT}/section-532216-pre-shuffled-and-pre-inspected-playing-cards",
)
NYCRR_9_5324_21: Final = Source(
    _NY,
    "9 NYCRR 5324.21",
    "A mini or midi baccarat layout has a numbered area for each seat. There vigorish that is not "
    "collected at once is marked with lammers.",
    note="the beginning of the section was read in a stored copy that names no address",
)

_MA: Final = "Code of Massachusetts Regulations, 205 CMR 146.00: gaming equipment"
_MA_AT: Final = (
    "https://regulations.justia.com/states/massachusetts/205-cmr/title-205-cmr-146-00/section-146"
)

CMR_205_146_49: Final = Source(
    _MA,
    "205 CMR 146.49",
    "Decks are logged and reconciled every day, including those on an open table for more than 24 "
    "hours. The whole stock is counted at least once in three months.",
    f"{_MA_AT}-49",
)
CMR_205_146_50: Final = Source(
    _MA,
    "205 CMR 146.50",
    "A dealer may inspect and shuffle cards beforehand, verified by a supervisor without an open "
    "table. The recording is kept for seven days.",
    f"{_MA_AT}-50",
)

_MD: Final = "Code of Maryland Regulations, 36.05: table games"
_MD_AT: Final = "http://www.dsd.state.md.us/comar/comarhtml/36"

COMAR_36_05_02_16: Final = Source(
    _MD,
    "COMAR 36.05.02.16",
    "When decks are received, the seals of their boxes are examined. Decks are stored behind two "
    "locks.",
    "https://casetext.com/regulation/maryland-administrative-code/title-36-maryland-state-lottery-and-gaming-control-agency/subtitle-05-table-games/chapter-360502-table-game-equipment/section-36050216-cards-receipt-storage-inspection-and-removal",
)
COMAR_36_05_03_02: Final = Source(
    _MD,
    "COMAR 36.05.03.02",
    "A table begins operation with an inventory of its chips when it is opened. While it is "
    "closed, the chips are locked away with a slip that states their total.",
    f"{_MD_AT}/36.05.03.02.htm",
)
COMAR_36_05_03_14: Final = Source(
    _MD,
    "COMAR 36.05.03.14",
    "Each table gives notice of its minimum and maximum. A wager outside these limits that the "
    "dealer accepted is paid or lost in full.",
    f"{_MD_AT}/36.05.03.14.htm",
)
COMAR_36_05_03_25: Final = Source(
    _MD,
    "COMAR 36.05.03.25",
    "Drop, win and their ratio are recorded for each table by day, month and year. Figures outside "
    "a 95 % confidence interval are investigated in writing.",
    f"{_MD_AT}/36.05.03.25.htm",
)
COMAR_36_05_03_27: Final = Source(
    _MD,
    "COMAR 36.05.03.27",
    "Before play begins, cards are shuffled until they are randomly mixed, and then cut. Only a "
    "floorperson may order a recut, if the cut was improper and no card has been dealt.",
    f"{_MD_AT}/36.05.03.27.htm",
)

_LA: Final = "Louisiana Administrative Code, title 42, part III: Gaming Control Board"
_LA_AT: Final = "https://casetext.com/regulation/louisiana-administrative-code/title-42-louisiana-gaming/part-iii-gaming-control-board"

LAC_42_III_3103: Final = Source(
    _LA,
    "LAC 42:III-3103",
    "Rules of play are submitted for approval before play. They state the wagers and odds, the "
    "close of bets by a call and a wave of the hand before the first card, and the handling of "
    "irregularities.",
    f"{_LA_AT}/chapter-31-rules-of-play/section-iii-3103-rules-of-play",
)
LAC_42_III_3105: Final = Source(
    _LA,
    "LAC 42:III-3105",
    "When a table is opened and closed, its bankroll is counted on a slip that dealer and "
    "supervisor sign.",
    f"{_LA_AT}/chapter-31-rules-of-play/section-iii-3105-procedures-for-opening-and-closing-of-the-gaming-table",
)
LAC_42_III_3106: Final = Source(
    _LA,
    "LAC 42:III-3106",
    "Cards are shuffled at opening, at the cut card and when a shuffler fails. Flawed decks are "
    "replaced. Cards are burned after the shuffle, after a card was exposed or dealt by mistake, "
    "and before a dead game resumes. A dealer who relieves another burns one card.",
    f"{_LA_AT}/chapter-31-rules-of-play/section-iii-3106-procedures-for-card-games",
)
LAC_42_III_4323: Final = Source(
    _LA,
    "LAC 42:III-4323",
    "Boxes of cards with broken seals are examined before they are stored. The stock is counted at "
    "least once in three months.",
    f"{_LA_AT}/chapter-43-specifications-for-chips-tokens-cards-and-dice/section-iii-4323-cards-and-dice-receipt-storage-inspections-and-removal-from-use",
)
