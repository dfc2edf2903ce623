"""Write the keys of rule packs into their page: ``python -m tests.docs_text.write_rule_packs``."""

from pathlib import Path

from tests.docs_text.rule_packs import with_keys

if __name__ == "__main__":
    path = Path(__file__).parent.parent.parent / "docs" / "rule-packs.md"
    path.write_text(with_keys(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
