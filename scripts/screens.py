"""Make the screenshots of `assay view` in ``docs/gallery/``, small enough for a repository.

    assay compare --mt NLLB=… Online-W=… GPT4=… --src … --ref … --langpair en-de -m assay-mini,chrf,bleu,ter --run-dir runs/wmt23
    assay run demetr -m chrf,chrf++,bleu,ter,rougeL,meteor,wer --run-dir runs/demetr
    PYTHONPATH=. python scripts/screens.py runs/wmt23 runs/demetr        # needs Chromium, its driver and Noto's fonts

The first run directory is used for Segments and Systems, the second for Phenomena.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

from PIL import Image

import assay
from tests.viewer.browser import Browser, until

PLACE = Path(__file__).resolve().parents[1] / "docs" / "gallery"
WIDTH, COLOURS = 1280, 96
CHOSEN = 'length(src) < 150 and chrf < 75 and system != "GPT4"'


def main() -> None:
    """Open the screens and save an image of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("translations", help="a run directory of translations with spans")
    parser.add_argument("pairs", help="a run directory of a challenge set")
    parser.add_argument("--row", default="12", help="the segment to open")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, assay.view([args.translations, args.pairs], browser=False) as viewing:
        keys = {run.path: run.key for run in viewing.server.answers.runs}
        first, second = keys[Path(args.translations)], keys[Path(args.pairs)]
        screens = {
            "view_segments": (
                f"segments?run={first}&where={quote(CHOSEN)}&sort=chrf&row={args.row}",
                ".detail h2",
                780,
            ),
            "view_systems": (f"systems?run={first}", ".scatter circle", 1215),
            "view_phenomena": (f"phenomena?run={second}&order=hardest", ".heat .cell", 780),
        }
        browser = Browser(Path(folder))
        try:
            browser.scheme("light")
            for name, (address, wait, height) in screens.items():
                browser.size(WIDTH, height)
                browser.open(f"{viewing.url}#/{address}")
                until(lambda wait=wait: browser.texts(wait), 30)
                time.sleep(0.5)
                path = Path(folder) / "shot.png"
                browser.picture(path)
                picture = Image.open(io.BytesIO(path.read_bytes())).convert("RGB")
                small = picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
                small.save(PLACE / f"{name}.png", optimize=True)
                print(f"{name}.png: {(PLACE / f'{name}.png').stat().st_size / 1000:.0f} kB")
        finally:
            browser.close()


if __name__ == "__main__":
    main()
