"""The keys of rule packs, as a table of docs/rule-packs.md."""

from typing import Final

from sabot.domain.rules.pack_keys import pack_keys

BEGIN: Final = "<!-- keys: written by python -m tests.docs_text.write_rule_packs -->\n"
END: Final = "<!-- end of keys -->\n"

_HEAD: Final = "| key | what it means | values | if left out |\n|---|---|---|---|\n"


def keys_table() -> str:
    """Return the table of all keys."""
    rows = (
        f"| `{key.key}` | {key.description} | {key.values} | {key.default} |\n"
        for key in pack_keys()
    )
    return _HEAD + "".join(rows)


def with_keys(page: str) -> str:
    """Return the page with the table as it is now, between its marks."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{keys_table()}\n{END}{after}"
