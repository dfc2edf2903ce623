"""The shipped rule packs, and those in a user's file."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Literal

from sabot.domain.events import ShoeLoaded
from sabot.domain.rules.rule_pack import GameName, RulePack, pack_sha256, parse_pack
from sabot.domain.values.errors import BadInput, BadRulePack, NotFound
from sabot.domain.values.suggestions import did_you_mean
from sabot.infrastructure.files.text_input import read_text

MAX_PACK_BYTES = 40_000


@cache
def shipped() -> dict[str, str]:
    """Return the text of every shipped pack by its name, sorted by name."""
    folder = files("sabot.infrastructure") / "packs"
    texts = [
        entry.read_text(encoding="utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    ]
    return dict(sorted((parse_pack(text).name, text) for text in texts))


def shipped_packs() -> list[RulePack]:
    """Return every shipped pack, sorted by name."""
    return [parse_pack(text) for text in shipped().values()]


def pack_text(name: str) -> str:
    """Return the text of a rule pack.

    Args:
        name: the name of a shipped pack, or the path of a file.

    Raises:
        NotFound: no pack has that name, and no file that path.
        BadRulePack: the file is not a rule pack.
    """
    if name.endswith(".toml") and name not in shipped():
        return _read(name)
    try:
        return shipped_text(name)
    except NotFound as error:
        raise NotFound(f"{error} (a pack of your own is the path of a .toml file)") from None


def shipped_text(name: str) -> str:
    """Return a shipped pack's text by its name.

    Raises:
        NotFound: no shipped pack has that name.
    """
    text = shipped().get(name)
    if text is None:
        hint = did_you_mean(name, shipped(), f"shipped are {', '.join(shipped())}")
        raise NotFound(f"there is no rule pack {name[:100]!r}; {hint}")
    return text


def packs_named(names: Iterable[str]) -> list[RulePack]:
    """Return rule packs by name or by path, each text once.

    If none is named, all shipped packs are returned.

    Raises:
        NotFound: no pack has that name, and no file that path.
        BadRulePack: the file is not a rule pack.
    """
    texts = dict.fromkeys(map(pack_text, names))
    return [parse_pack(text) for text in texts] or shipped_packs()


def shoe_loaded(
    rules: str = "classic-8",
    *,
    decks: int | None = None,
    table: str | None = None,
    scope: Literal["whole", "coups"] = "whole",
) -> ShoeLoaded:
    """Return the first event of a shoe.

    It holds the whole text of its rule pack.

    Args:
        rules: the name of a shipped rule pack, or the path of a ``.toml`` file.
        decks: the number of decks; by default the largest number that the pack allows.
        table: the table where the shoe is dealt.
        scope: ``whole`` if everything that happens is recorded; ``coups`` if only coups are, so
            that a missing burn or cut proves nothing.

    Raises:
        NotFound: no pack has that name, and no file that path.
        BadRulePack: the file is not a rule pack.
    """
    text = pack_text(rules)
    number = max(parse_pack(text).cards.decks) if decks is None else decks
    return ShoeLoaded(number, text, pack_sha256(text), table, scope)


def classic_for(decks: int) -> str:
    """Return the text of the classic pack for a shoe whose record names no rule pack.

    The classic rules are the same for any number of decks. If no classic pack is written for that
    number, the 8-deck pack is returned, and the shoe keeps its own number of decks.
    """
    texts = shipped()
    return texts.get(f"classic-{decks}", texts["classic-8"])


def _read(path: str) -> str:
    try:
        text = read_text(path, MAX_PACK_BYTES)
        parse_pack(text)
    except BadInput as error:
        raise BadRulePack(error.message, error.where or path) from error
    return text


def of_game(game: GameName) -> list[str]:
    """Return the names of the shipped packs of a game."""
    return [pack.name for pack in shipped_packs() if pack.game == game]
