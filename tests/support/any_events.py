"""Random events of every kind, sensible or absurd, built from the types themselves."""

from functools import cache
from typing import Any, get_args

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from sabot.domain import events as ev
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.infrastructure.rule_packs import shipped

# Few of each, so that events meet: the same coup, the same bet, the same patron.
NAMES = ("p1", "p2", "p3", "ann", "\u202eevil\x1b[2J", "名前", "x" * 100)
WAGERS = ("player", "banker", "tie", "no-such-wager")
NUMBERS = st.integers(1, 5)


def _strategy(field: inspect.Type, name: str) -> st.SearchStrategy[Any]:  # noqa: PLR0911
    match field:
        case inspect.LiteralType(values=values):
            return st.sampled_from(values)
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.IntType(ge=least, le=most):
            most = most if most is not None else 9
            low = least if least is not None else 0
            few = st.integers(low, min(most, low + 4))
            return (
                few
                if name in ("coup", "bet", "version")
                else st.one_of(few, st.integers(low, min(most, 10**6)), st.just(most))
            )
        case inspect.StrType():
            return _text(field, name)
        case inspect.UnionType(types=types):
            return st.one_of(*(_strategy(one, name) for one in types))
        case inspect.VarTupleType(item_type=item):
            return st.lists(_strategy(item, name), max_size=3).map(tuple)
        case inspect.StructType(cls=cls):
            return any_of(cls)
        case _:
            raise AssertionError(field)


def _text(field: inspect.StrType, name: str) -> st.SearchStrategy[str]:
    if name == "wager":
        return st.sampled_from(WAGERS)
    if name == "table":
        return st.sampled_from(("T1", "T2"))
    if name == "pack" and field.max_length > max(map(len, NAMES)):
        return st.sampled_from((*shipped().values(), "no pack"))
    if field.pattern:
        return st.from_regex(field.pattern.replace("$", r"\Z"))
    return st.sampled_from(NAMES)


@cache
def any_of(cls: type) -> st.SearchStrategy[Any]:
    """Generate any instance of a struct."""
    if cls is ev.EventCorrected:
        return corrections()
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    return st.builds(cls, **{x.name: _strategy(x.type, x.encode_name) for x in info.fields})


KINDS = sorted(get_args(ev.Event), key=lambda kind: kind.__name__)
_PLAIN = [kind for kind in KINDS if kind is not ev.EventCorrected]


@cache
def corrections() -> st.SearchStrategy[ev.EventCorrected]:
    """Generate corrections of early events."""
    instead = st.one_of(st.none(), *(any_of(kind) for kind in _PLAIN))
    return st.builds(
        ev.EventCorrected,
        st.integers(1, 30),
        st.just("why"),
        st.sampled_from((None, "sue")),
        instead,
    )


@cache
def payloads() -> st.SearchStrategy[ev.Event]:
    """Generate any event."""
    return st.one_of(*(any_of(kind) for kind in KINDS))


def loaded(rules: str = "classic-8", decks: int = 8, table: str | None = "T1") -> ev.ShoeLoaded:
    """Generate a valid loading of a shoe."""
    text = shipped()[rules]
    return ev.ShoeLoaded(decks, text, pack_sha256(text), table=table)


def round_trips(payload: ev.Event) -> bool:
    """Return whether the log can store an event."""
    return msgspec.json.decode(msgspec.json.encode(payload), type=ev.Event) == payload
