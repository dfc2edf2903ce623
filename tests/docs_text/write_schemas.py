"""Write the JSON schemas of the program's outputs: ``python -m tests.docs_text.write_schemas``."""

import json
from pathlib import Path

from tests.docs_text.schemas import OUTPUTS, schema_of

FOLDER = Path(__file__).parents[2] / "infrastructure" / "schemas"


def write_schemas(folder: Path = FOLDER) -> None:
    """Write a file for each output."""
    for output in OUTPUTS:
        text = json.dumps(schema_of(output), indent=2, ensure_ascii=False) + "\n"
        (folder / f"{output.name}.schema.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_schemas()
