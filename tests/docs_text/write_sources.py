"""Write docs/sources.md to standard output: ``python -m tests.docs_text.write_sources``."""

import sys

from tests.docs_text.sources import sources_markdown

if __name__ == "__main__":
    sys.stdout.write(sources_markdown())
