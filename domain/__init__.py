"""Baccarat as events: cards, rule packs, shoes, dealing and audit; no file, clock or dice."""
