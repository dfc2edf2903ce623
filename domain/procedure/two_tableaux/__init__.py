"""Baccarat banque (à deux tableaux): bank, claims, held stakes and settlement."""
