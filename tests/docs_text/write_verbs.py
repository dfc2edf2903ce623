"""Write docs/verbs.md to standard output: ``python -m tests.docs_text.write_verbs``."""

import sys

from tests.docs_text.verbs import verbs_markdown

if __name__ == "__main__":
    sys.stdout.write(verbs_markdown())
