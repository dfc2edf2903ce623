"""A copy of a shoe that shares all parts that no longer change."""

import copy
from collections.abc import Container
from typing import TypeVar

from msgspec import Struct

from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

_State = TypeVar("_State", bound=Struct)


def snapshot(shoe: Shoe, growing: Container[int]) -> Shoe:
    """Return a copy of a shoe that does not change when the shoe evolves.

    ``growing`` are the numbers of the coups that later events name. Only these are copied, and all
    others are shared. This is about forty times faster than computing the state again.
    """
    twin = _with_own_containers(shoe)
    for number, coup in shoe.coups.items():
        if number in growing:
            twin.coups[number] = _coup(coup)
    if shoe.current is not None:
        twin.current = twin.coups[shoe.current.number]
    twin.banks = [_with_own_containers(bank) for bank in shoe.banks]
    for bank, copied in zip(shoe.banks, twin.banks, strict=True):
        if bank is shoe.bank:
            twin.bank = copied
    return twin


def _coup(coup: Coup) -> Coup:
    twin = _with_own_containers(coup)
    twin.bets = {number: _with_own_containers(bet) for number, bet in coup.bets.items()}
    twin.others = {hand: cards.copy() for hand, cards in coup.others.items()}
    if coup.banked is not None:
        twin.banked = _with_own_containers(coup.banked)
    return twin


def _with_own_containers(state: _State) -> _State:
    """Copy a struct with its lists, sets and maps.

    Their elements are shared with the original.
    """
    twin = copy.copy(state)
    for field in state.__struct_fields__:
        value = getattr(state, field)
        if isinstance(value, list | dict | set):
            setattr(twin, field, value.copy())
    return twin
