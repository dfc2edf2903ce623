"""Game protection: who bet as if the cards still face down had been known?

    chances      exact chances of the next coup from what nobody has seen
    expectations what a wager is worth from any composition
    sight        what everybody could have seen, and what lay on the felt, before each face
    watching     the walk through a shoe's facts that reads it
    learner      bets on a card made from the past alone: factors of mean 1
    mixture      one bettor's tests, side by side, as one factor a coup
    process      a subject's evidence over coups and shoes; patrons, groups, dealers
    edge         an interval for a patron's edge that holds at any time
    changes      bets changed after a face was shown
    backs        the way the backs lie against rank: an exact permutation test
    orders       a new shoe's order against earlier discards: a bounded chance
    models       counts that claim no level: side bets, payments, win rate
    worth        what knowing a card is worth
    detection    the fold over shoes, and the findings that e-BH keeps

docs/protection.md has the mathematics.
"""
