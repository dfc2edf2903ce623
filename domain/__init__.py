"""Baccarat as facts: cards, rule packs, shoes, dealing and audit; no file, clock or dice."""
