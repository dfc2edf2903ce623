"""Exact optimal play in games with choices.

Modules:
    ``chemin_de_fer_game``      payoffs of every pair of choices, in integers
    ``chemin_de_fer_solution``  optimal play of both sides, proved by best responses
    ``linear_programme``        exact simplex method with bounded variables
    ``banque_game``             payoffs of two tableaux against one banker
    ``banque_equilibrium``      an equilibrium of the three, proved by best responses
    ``banque_parts``, ``banque_solver``  the search for that equilibrium
    ``own_hand_play``           macao and victoria, one punter, at most one draw
"""
