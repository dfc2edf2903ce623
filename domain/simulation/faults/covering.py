"""Coups that are voided under cover of an irregularity that excuses nothing."""

from domain import facts as f
from domain.dealing import Prompt
from domain.simulation.croupier import Croupier
from domain.simulation.faults.base import Facts, FaultKind


def _voided(
    croupier: Croupier, due: Prompt, kind: f.Irregularity, ruling: f.Ruling
) -> Facts | None:
    coup = croupier.shoe.current
    if coup is None or type(due.fact) is not f.ResultCalled:
        return None
    noted = f.IrregularityNoted(kind, ruling, coup.number, croupier.floor)
    return (noted, f.CoupVoided(coup.number, "ruled", croupier.floor))


def _under_cover(croupier: Croupier, due: Prompt) -> Facts | None:
    return _voided(croupier, due, "wrong-payment", "stand")


def _made_up(croupier: Croupier, due: Prompt) -> Facts | None:
    may = croupier.pack.rulings.get("wrong-draw", ("void",))
    return _voided(croupier, due, "wrong-draw", "void") if "void" in may else None


KINDS = (
    FaultKind(
        name="voided-under-cover",
        family="procedure",
        what="a coup is voided on a wrong payment that was ruled to stand",
        codes=("coup-was-voided-without-a-reason",),
        acts=_under_cover,
    ),
    FaultKind(
        name="wrong-draw-made-up",
        family="procedure",
        what="a coup is voided on a wrong draw, and every card of it was due",
        codes=("coup-was-voided-without-a-reason",),
        acts=_made_up,
    ),
)
