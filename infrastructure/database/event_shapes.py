"""The shape of each kind of event, for PostgreSQL to check new events by.

The table ``log_shape`` has a row for each kind. Its conditions are generated from the types of the
events, so the database takes exactly the payloads that this program can decode. Who changes the
shape of an event adds a migration that calls `install_shapes`.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, cast, get_args

import msgspec
import sqlalchemy as sa
from msgspec import inspect
from sqlalchemy.engine import Connection

from sabot.domain.events import MAX_INT, Event

SHAPES: Final = "log_shape"
"""The table of shapes."""

_FEW: Final = 4
"""So many words are compared one by one; more are a regular expression, which is faster."""

_ANY_LENGTH: Final = 2**31 - 1

Bound = tuple[str, int, int]
"""A path to texts, with the least and the greatest number of characters."""


class EventShape(NamedTuple):
    """What the payload of a kind of event must be.

    Attributes:
        name: the kind.
        keys: every key that it may have.
        fits: a condition on required keys, types, ranges and words, as a path of SQL/JSON.
        short: a number of bytes. In a payload that is not longer, no text is too long.
        longest: the greatest number of characters of each text, by its path.
    """

    name: str
    keys: list[str]
    fits: str
    short: int
    longest: dict[str, int]


def event_shapes() -> list[EventShape]:
    """Return the shapes of all kinds of events, by name."""
    kinds = cast("tuple[type[msgspec.Struct], ...]", get_args(Event))
    return sorted(_shape(cast("inspect.StructType", inspect.type_info(kind))) for kind in kinds)


def install_shapes(connection: Connection) -> None:
    """Put the shapes of this program's events in place of those in the table."""
    connection.execute(sa.delete(_log_shape))
    connection.execute(_INSERT, [shape._asdict() for shape in event_shapes()])


_log_shape: Final = sa.table(SHAPES)
_INSERT: Final = sa.text(
    "INSERT INTO log_shape (name, keys, fits, short, longest)"
    " VALUES (:name, :keys, CAST(:fits AS jsonpath), :short, CAST(:longest AS jsonb))"
).bindparams(sa.bindparam("longest", type_=sa.JSON))


def _shape(kind: inspect.StructType) -> EventShape:
    bounds = list(_bounds("$", kind))
    least = len(msgspec.json.encode(_least(kind)))
    room = min((most - few for _, few, most in bounds), default=None)
    return EventShape(
        str(kind.tag),
        sorted([field.encode_name for field in kind.fields] + ["type"]),
        f"strict {' && '.join(_fields('$', kind)) or '1 == 1'}",
        _ANY_LENGTH if room is None else least + room,
        {path: most for path, _, most in bounds},
    )


def _fields(at: str, kind: inspect.StructType) -> Iterator[str]:
    """Yield the condition on each key of an object."""
    for field in kind.fields:
        place = f"{at}.{field.encode_name}"
        condition = _condition(place, field.type)
        if field.required:
            yield condition
        else:
            # in strict mode it is an error to name a key that is not there
            yield f"((exists({place})) is unknown || {condition})"


def _condition(at: str, kind: inspect.Type) -> str:
    """Return the condition on the value at a path."""
    match kind:
        case inspect.IntType():
            low = -MAX_INT if kind.ge is None else kind.ge
            return f"({at} >= {low} && {at} <= {MAX_INT if kind.le is None else kind.le})"
        case inspect.StrType():
            return _text(at, kind)
        case inspect.LiteralType() | inspect.BoolType() | inspect.NoneType():
            return _one_of(at, _words(kind))
        case inspect.VarTupleType():
            return _array(at, kind)
        case inspect.StructType() if kind.tag is None:
            known = " && ".join(f'@.key != "{field.encode_name}"' for field in kind.fields)
            fits = " && ".join(_fields(at, kind))
            return f"(!exists({at}.keyvalue() ? ({known})) && {fits})"
        case inspect.UnionType():
            return f"({' || '.join(_members(at, kind))})"
        case _:
            raise TypeError(f"no condition is known for {kind}")


def _words(kind: inspect.LiteralType | inspect.BoolType | inspect.NoneType) -> Sequence[object]:
    if isinstance(kind, inspect.LiteralType):
        return kind.values
    return (True, False) if isinstance(kind, inspect.BoolType) else (None,)


def _array(at: str, kind: inspect.VarTupleType) -> str:
    each = _condition("@", kind.item_type)
    most = "" if kind.max_length is None else f" && {at}.size() <= {kind.max_length}"
    return (
        f'({at}.type() == "array"{most} && !exists({at}[*] ? (!({each}) || ({each}) is unknown)))'
    )


def _members(at: str, union: inspect.UnionType) -> Iterator[str]:
    """Yield the conditions on the members of a union.

    All kinds of events have one condition together. It checks only the kind of the event.
    """
    events = [tag for tag in map(_tag, union.types) if tag]
    yield from (_condition(at, kind) for kind in union.types if not _tag(kind))
    if events:
        yield _one_of(f'{at}."type"', events)


def _tag(kind: inspect.Type) -> str | None:
    """Return the name of a kind of event, None for anything else."""
    return str(kind.tag) if isinstance(kind, inspect.StructType) and kind.tag else None


def _text(at: str, kind: inspect.StrType) -> str:
    least = f'{at} > ""' if kind.min_length else f'{at} >= ""'
    if kind.pattern is None:
        return least
    return f"({least} && {at} like_regex {_quoted(kind.pattern.replace(chr(92) + 'Z', '$'))})"


def _one_of(at: str, words: Sequence[object]) -> str:
    if len(words) <= _FEW:
        return f"({' || '.join(f'{at} == {_quoted(word)}' for word in words)})"
    return f"{at} like_regex {_quoted('^(' + '|'.join(map(str, words)) + ')$')}"


def _quoted(word: object) -> str:
    return msgspec.json.encode(word).decode()


# -- How long texts may be ------------------------------------------------------------------------


def _bounds(at: str, kind: inspect.Type) -> Iterator[Bound]:
    """Yield the bounds on the lengths of texts, by their paths from an object."""
    match kind:
        case inspect.StrType() if kind.max_length is not None:
            yield at, kind.min_length or 0, kind.max_length
        case inspect.VarTupleType():
            yield from _bounds(f"{at}[*]", kind.item_type)
        case inspect.StructType() if at == "$" or kind.tag is None:
            for field in kind.fields:
                yield from _bounds(f"{at}.{field.encode_name}", field.type)
        case inspect.UnionType():
            for member in kind.types:
                yield from _bounds(at, member)
        case _:
            pass


def _least(kind: inspect.Type) -> object:
    """Return the value of a type that takes the fewest bytes of JSON, or a shorter one."""
    match kind:
        case inspect.StructType():
            least = {
                field.encode_name: _least(field.type) for field in kind.fields if field.required
            }
            return {**least, "type": kind.tag} if kind.tag else least
        case inspect.StrType():
            return "x" * (kind.min_length or 0)
        case inspect.LiteralType():
            return min(map(str, kind.values), key=len)
        case inspect.VarTupleType():
            return []
        case _:
            return 0
