"""Game protection: who bet as if the cards still face down had been known?

    chances      exact chances of the next coup from what nobody has seen
    expectations what every wager is worth from any composition
    unseen       what nobody had seen of a shoe at a moment
    sight        what everybody could have seen, and what lay on the felt, before each face
    standing     what counts as known when, once events were corrected
    watching     a shoe's events, coup by coup as each is over; walking: how they are read; showing:
                 what a face comes to, with stock (cards unseen), layout (the felt), people (who
                 is there), facedown (cards not shown yet), exposure (cards seen and not named)
    timing       which bets surely came before a face
    evidence     what a coup can say about anybody who bet on it
    learner      bets on a card made from the past alone: factors of mean 1
    streak       a bet that outcomes are known from some coup of the shoe on
    mixture      one bettor's tests, side by side, as one factor a coup
    process      a subject's evidence over coups and shoes; patrons, groups, dealers
    late         bets changed after a face was shown, against how the coup ended
    edge         an interval for a patron's edge that holds at any time
    winning      what was won, beside what an honest patron could expect
    backs        the way the backs lie against rank: exact permutation tests
    orders       a new shoe's order against earlier discards: a bounded chance
    payments     wrong payments on a dealer and a patron: exact permutations, shoe by shoe
    sidebets     side bets that follow their true expectation: a model
    looks        a level spent over looks that have no end
    shoetests    the tests of whole shoes, once one is over
    worth        what knowing a card is worth
    subjects     what is known of everybody who is tested
    detection    the fold over coups, across tables and days
    held         coups that one patron plays at two tables at once
    following    the log's events in their order: taken in, stopped, taken up again
    coverage     which tests were made, and what the record lacked
    findings     what e-BH keeps; bychance: what rests on a chance
    case         a subject's evidence coup by coup, bets, money and requests

docs/protection.md has the mathematics.
"""
