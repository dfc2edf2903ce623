"""Baccarat banque (à deux tableaux): its bank, claims, held stakes and settlement."""
