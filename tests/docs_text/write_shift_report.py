"""Draw docs/shift-report.png, two pages of a shift report.

Run ``python -m tests.docs_text.write_shift_report`` after a change of the report's appearance.
"""

import tempfile
from pathlib import Path

import pypdfium2
from PIL import Image

from sabot.cli.console import guard
from sabot.cli.main import build

PICTURE = Path(__file__).parents[2] / "docs" / "shift-report.png"
_SCALE = 1.0
_COLOURS = 64


def write_picture(path: Path = PICTURE) -> None:
    """Deal the demonstration's evening. Draw the first two pages of its shift report."""
    with tempfile.TemporaryDirectory() as folder:
        log, report = str(Path(folder) / "demo.sabot"), str(Path(folder) / "shift.pdf")
        guard(build(), ["demo", "--database", log])
        said = ["--by", "C. Officer", "--casino", "Casino de Ville", "--zone", "Europe/Paris"]
        guard(build(), ["report", "shift-audit", *said, "--database", log, "-o", report])
        pages = [page.render(scale=_SCALE).to_pil() for page in pypdfium2.PdfDocument(report)][:2]
    gap = 12
    width = sum(page.width for page in pages) + gap * (len(pages) + 1)
    sheet = Image.new("RGB", (width, pages[0].height + 2 * gap), "#8a8f8a")
    left = gap
    for page in pages:
        sheet.paste(page, (left, gap))
        left += page.width + gap
    sheet.quantize(_COLOURS, Image.Quantize.FASTOCTREE).save(path, optimize=True)


if __name__ == "__main__":
    write_picture()
