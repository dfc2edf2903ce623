"""The money of each finding of a shoe."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from tests.support.audited import only
from tests.support.coup_notation import Felt

PLAYER_9 = "P 4 5  B K 8"
"""Player wins by 9 to 8: 500 on player win 500, 500 on banker and on a tie are lost."""


def money_told(felt: Felt, *codes: str) -> list[dict[str, int] | str | None]:
    """What the findings of these rules say that each patron has too much, or why they do not."""
    found = audit_shoe(felt.shoe).findings
    each = {one.code: one.money.unknown or one.money.patrons for one in found}
    assert len(each) == len(found)
    return [each[code] for code in codes]


def late(*behind: ev.Event, first: int = 0, moves: tuple[ev.Event, ...]) -> Felt:
    """Coup 1, 500 on player in time or not at all; then the bets are closed, and this happens."""
    felt = Felt().ready().put(ev.CoupOpened(1))
    if first:
        felt.put(ev.BetPlaced(1, 1, "p1", "player", first))
    felt.put(ev.NoMoreBets(1)).cards("P 4 5  B K 8").put(*behind)
    return felt.put(ev.ResultCalled(1, 9, 8, "P"), *moves, ev.CoupClosed(1))


def money(line: str, code: str, rules: str = "classic-8") -> dict[str, int] | str | None:
    """What each patron has too much by a coup's breach of a rule, or why nobody can say."""
    effect = only(Felt(rules).ready().coup(line), code).money
    if effect.unknown is None:
        assert effect.patron == sum(effect.patrons.values())
        assert effect.house == -effect.patron
        return effect.patrons
    assert (effect.house, effect.patron, effect.patrons) == (None, None, {})
    return effect.unknown
