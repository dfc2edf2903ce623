"""Write docs/choices.md to standard output: ``python -m tests.docs_text.write_choices``."""

import sys

from sabot.infrastructure.rule_packs import shipped_packs
from tests.docs_text.choices import choices_markdown

if __name__ == "__main__":
    sys.stdout.write(choices_markdown(shipped_packs()))
