"""Write docs/rules.md to standard output: ``python -m tests.docs_text.write_rules``."""

import sys

from tests.docs_text.rules import rules_markdown

if __name__ == "__main__":
    sys.stdout.write(rules_markdown())
