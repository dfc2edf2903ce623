"""Rules of the games as data: third-card table, wagers, payouts, rule packs."""
