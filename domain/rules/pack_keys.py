"""Every key of a rule pack: its meaning, its values and its default.

The keys are read from the types of `sabot.domain.rules.rule_pack`, so each is described only once.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import NODEFAULT, Struct, inspect

from sabot.domain.rules.rule_pack import RulePack


class PackKey(Struct, frozen=True):
    """A key of a rule pack.

    ``key`` includes its section, as in ``burn.cards``. ``default`` is the value if the key is left
    out, or "required".
    """

    key: str
    description: str
    values: str
    default: str


def pack_keys() -> list[PackKey]:
    """Return every key, in the order of the pack's sections."""
    pack = inspect.type_info(RulePack)
    assert isinstance(pack, inspect.StructType)
    return list(_keys(pack, ""))


def _keys(struct: inspect.StructType, section: str) -> Iterator[PackKey]:
    for field in struct.fields:
        key = f"{section}{field.encode_name}"
        kind, description = field.type, ""
        if isinstance(kind, inspect.Metadata):
            description = str((kind.extra_json_schema or {}).get("description", ""))
            kind = kind.type
        if description:
            yield PackKey(key, description, _values(kind), _default(field))
        part = _struct_in(kind)
        if part is not None:
            yield from _keys(part, f"{key}.")


def _struct_in(kind: inspect.Type) -> inspect.StructType | None:
    """Return the type of a section that a key contains, or of the items of its list."""
    match kind:
        case inspect.StructType(array_like=False):
            return kind
        case inspect.UnionType():
            return next((part for each in kind.types if (part := _struct_in(each))), None)
        case inspect.VarTupleType():
            return _struct_in(kind.item_type)
        case _:
            return None


_PLAIN: Final = {
    inspect.BoolType: "`true`, `false`",
    inspect.IntType: "number",
    inspect.StrType: "string",
    inspect.StructType: "table",
}


def _values(kind: inspect.Type) -> str:
    """Return the permitted values, in words."""
    match kind:
        case inspect.Metadata():
            return _values(kind.type)
        case inspect.UnionType():
            given = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
            return " or ".join(map(_values, given))
        case inspect.LiteralType():
            return ", ".join(f"`{value}`" for value in kind.values)
        case inspect.VarTupleType():
            each = _values(kind.item_type)
            return f"list of {each}" if "`" in each else f"list of {each}s"
        case inspect.DictType():
            return f"for each irregularity a {_values(kind.value_type)}"
        case _:
            return _PLAIN[type(kind)]


def _default(field: inspect.Field) -> str:
    """Return the value of an omitted key, in words."""
    if field.required:
        return "required"
    match field.default:
        case None:
            return "not specified"
        case bool(value):
            return f"`{str(value).lower()}`"
        case tuple(values):
            return ", ".join(f"`{value}`" for value in values) or "none"
        case value:
            # an empty table has a default factory instead of a default
            return "none" if value is NODEFAULT else f"`{value}`"
