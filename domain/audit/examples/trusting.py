"""Shoes whose record cannot be trusted: packs, clocks, orders, facts without ground."""

from typing import Final

TRUSTING: Final = """
rule-pack-cannot-be-read
    bare
    load "no pack"
rule-pack-is-not-the-one-named
    load classic-8 {"pack_sha256": "0000000000000000000000000000000000000000000000000000000000000000"}
    bare
clock-of-a-device-jumped
    with clocks.tolerance_ms = 250
    coup P 4 5  B K 8
    told terminal 60 1 patron-seated {"seat": 3, "patron": "p3"}
    told terminal 40 2 patron-seated {"seat": 4, "patron": "p4"}
sequence-of-a-device-has-a-gap
    coup P 4 5  B K 8
    told terminal 60 1 patron-seated {"seat": 3, "patron": "p3"}
    told terminal 61 3 patron-seated {"seat": 4, "patron": "p4"}
committed-order-was-not-opened
    bare
    committed Ac 2c 4c Kc 5c 8c
    ready Ac
    coup P 4c 5c  B Kc 8c
    shoe-ended {"left": 410, "reason": "withdrawn"}
card-is-not-the-one-committed
    bare
    committed Ac 2c 4c Kc 6c 8c
    ready Ac
    coup P 4c 5c  B Kc 8c
    shoe-ended {"left": 410, "reason": "withdrawn"}
    opened Ac 2c 4c Kc 6c 8c

fact-has-no-ground
    coup p1 tie 500 | P 4 5  B K 8
    bet-pushed {"coup": 1, "bet": 2}
correction-names-no-fact
    coup P 4 5  B K 8
    fact-corrected {"version": 999, "reason": "misread"}
loading-was-changed-after-the-first-card
    coup P 4 5  B K 8
    fact-corrected {"version": 1, "reason": "another shoe"}
"""  # noqa: E501 - a hash is as long as it is
