"""How the help of a verb names the values of its options and arguments."""

from functools import partial
from typing import Any, Final

_NAMES: Final = {
    "<bool>": None,
    "<int>": "N",
    "<int range>": "N",
    "<float>": "NUMBER",
    "<str>": "TEXT",
    "<path>": "FILE",
}
"""What to write for a type of Python; None for nothing."""


def name_values(parameters: list[Any]) -> list[Any]:
    """Make parameters name their values by plain words instead of types. Return them.

    An argument has its own name, so it needs a word only if it is a choice. A flag has no value.
    """
    for each in parameters:
        if "display_type_rich" not in vars(each):
            each.display_type_rich = partial(_plain, each, each.display_type_rich)
    return parameters


def _plain(parameter: Any, named: Any, ctx: Any) -> str | None:  # noqa: ANN401 - Typer's own types
    label: str | None = named(ctx=ctx)
    if parameter.param_type_name == "argument" and "|" not in str(label):
        return None
    if label is not None and label.startswith("<list[") and "|" in label:
        return f"<{label[6:-2]}>"
    return _NAMES.get(str(label), label)
