"""The rules of the games as data and tables: the third card, wagers, payouts, rule packs."""
