"""Optimal play where people choose: chemin de fer, baccarat banque, macao; solved exactly.

``drawing``  what the rules leave open: every position, and what may be chosen in it
``payoff``   the game as numbers: what each pair of choices is worth, in integers
``linear``   an exact linear programme: simplex with bounded variables, in fractions
``solution`` both sides' optimal play, proved by best responses; what a choice costs
``banque_payoff`` two tableaux against one banker, as numbers; ``banque`` an equilibrium of the
three,
             proved by their best answers; ``banque_parts`` and ``banque_solving`` find it
``own_hand`` macao and victoria for one punter, where a hand draws once at most
``told``     all of it in words and tables, for people
"""
