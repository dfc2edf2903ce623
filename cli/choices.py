"""Writes docs/choices.md to standard output: ``python -m cli.choices > docs/choices.md``."""

import sys

from domain.strategy.told import choices_markdown
from infrastructure.rulepacks import shipped_packs

if __name__ == "__main__":
    sys.stdout.write(choices_markdown(shipped_packs()))
