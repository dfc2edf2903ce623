"""Game protection: statistical tests for foreknowledge of hidden cards.

Packages:
    ``observation``  the cards unseen, the bets and the people present before each face
    ``e_process``    test martingales: next-card chances, predictors, mixtures, late bets
    ``money``        win rate, confidence sequence of the edge, value of information
    ``shoe_tests``   tests of whole shoes: card order, backs, payments, side bets
    ``detection``    the subjects tested, and the running detection over a log
    ``reporting``    findings, coverage and case files

Module ``multiplicity`` has the e-BH procedure and alpha-spending over looks. docs/protection.md has
the mathematics.
"""
