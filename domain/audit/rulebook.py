"""The rulebook: every rule, in the order of reports."""

import hashlib
from typing import Final

import msgspec

from sabot.domain.audit.checks import (
    abandoned_bets,
    accepted_bets,
    another_game,
    approvals,
    attendance,
    batch_of_shoe,
    bets,
    burn_reasons,
    calls,
    card_count,
    card_sorting,
    carried_bets,
    choices,
    commission,
    commission_owed,
    corrections,
    coup_sequence,
    custody,
    cut,
    day_sessions,
    dealing,
    device_clocks,
    early_turns,
    end_of_shoe,
    false_draw,
    free_hands,
    hand_players,
    inventory,
    limit_changes,
    limits,
    mid_shoe_shuffle,
    moved_cards,
    no_bet_hands,
    payments,
    preshuffle,
    record,
    rulings,
    seals,
    seats,
    settlement,
    shoe_holder,
    shoe_rotation,
    shoe_setup,
    shoe_takers,
    store_record,
    tables,
    third_card,
    unsettled_bets,
    voids,
)
from sabot.domain.audit.checks.bank import (
    banco,
    bank_limits,
    bank_moves,
    chip_balance,
    excess,
    funds,
    handover,
    levy,
    own_hand_banks,
    own_hand_cards,
    own_hand_turns,
    tableaux_bank,
    tableaux_bets,
    tableaux_hands,
    tableaux_preparation,
)
from sabot.domain.audit.rule import Rule
from sabot.domain.values.errors import NotFound
from sabot.domain.values.suggestions import did_you_mean

RULES: Final[tuple[Rule, ...]] = (
    *third_card.RULES,
    *choices.RULES,
    *hand_players.RULES,
    *calls.RULES,
    *dealing.RULES,
    *early_turns.RULES,
    *own_hand_cards.RULES,
    *own_hand_turns.RULES,
    *own_hand_banks.RULES,
    *tableaux_hands.RULES,
    *tableaux_bets.RULES,
    *tableaux_bank.RULES,
    *tableaux_preparation.RULES,
    *funds.RULES,
    *banco.RULES,
    *bank_limits.RULES,
    *payments.RULES,
    *settlement.RULES,
    *unsettled_bets.RULES,
    *commission.RULES,
    *card_count.RULES,
    *shoe_setup.RULES,
    *mid_shoe_shuffle.RULES,
    *cut.RULES,
    *burn_reasons.RULES,
    *bets.RULES,
    *free_hands.RULES,
    *limits.RULES,
    *limit_changes.RULES,
    *accepted_bets.RULES,
    *seats.RULES,
    *attendance.RULES,
    *carried_bets.RULES,
    *shoe_holder.RULES,
    *false_draw.RULES,
    *shoe_takers.RULES,
    *bank_moves.RULES,
    *excess.RULES,
    *levy.RULES,
    *handover.RULES,
    *chip_balance.RULES,
    *rulings.RULES,
    *moved_cards.RULES,
    *voids.RULES,
    *no_bet_hands.RULES,
    *coup_sequence.RULES,
    *end_of_shoe.RULES,
    *commission_owed.RULES,
    *record.RULES,
    *another_game.RULES,
    *corrections.RULES,
    *device_clocks.RULES,
    *batch_of_shoe.RULES,
    *custody.RULES,
    *seals.RULES,
    *preshuffle.RULES,
    *inventory.RULES,
    *card_sorting.RULES,
    *abandoned_bets.RULES,
    *approvals.RULES,
    *shoe_rotation.RULES,
    *store_record.RULES,
    *tables.RULES,
    *day_sessions.RULES,
)

SHOE_RULES: Final = tuple(each for each in RULES if not each.of_the_floor)
"""The rules that need a single shoe only."""

FLOOR_RULES: Final = tuple(each for each in RULES if each.of_the_floor)
"""The rules for batches of cards, for tables and for the whole floor."""

EXAMPLES: Final = {each.code: each.breaks for each in RULES}
"""For each rule's code, the lines of a shoe or of several streams that break the rule."""


def find_rule(code: str) -> Rule:
    """Return the rule with a code, number or former code.

    Upper and lower case are equal.

    Raises:
        NotFound: no rule has that name.
    """
    wanted = code.casefold()
    for candidate in RULES:
        if wanted in {candidate.code, candidate.number.casefold(), candidate.former_code}:
            return candidate
    names = {name for rule in RULES for name in (rule.code, rule.number, rule.former_code) if name}
    hint = did_you_mean(code, names, "`sabot rules` lists them")
    raise NotFound(f"there is no rule {code!r}; {hint}")


def rulebook_sha256() -> str:
    """Return the hash that identifies the rulebook: SHA-256, in hex.

    It covers number, code, family, severity, reason and sources of every rule, as canonical JSON in
    the order of the rules.
    """
    said = [
        [each.number, each.code, each.family, each.severity, each.requires, each.cites]
        for each in RULES
    ]
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()
