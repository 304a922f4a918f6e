"""Make the images of ``docs/gallery/``, small enough for a repository.

    python scripts/gallery.py --data-dir DIR        # local copies of DEMETR, the hallucination corpus and WMT23

These are the figures of run directories, redrawn in 48 colours and at most 1,100 pixels wide.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from PIL import Image

import assay

PLACE = Path(__file__).resolve().parents[1] / "docs" / "gallery"
WIDTH, COLOURS = 1100, 48


def pictures(data_dir: Path) -> dict[str, bytes]:
    """Return each image by its name, as PNG."""
    demetr = assay.run("demetr", metrics=["chrf", "bleu", "ter"], data_dir=data_dir)
    found = assay.run("hallucinations", metrics=["chrf++", "bleu"], data_dir=data_dir)
    ranking = assay.campaign("wmt23", langpairs=["en-de"], data_dir=data_dir)
    return {
        "demetr_heatmap": demetr.figures("png")["heatmap.png"],
        "hallucinations_distribution": found.figures("png")["distribution.png"],
        "wmt23_ranking": ranking.figures("png")["ranking.png"],
    }


def small(picture: bytes) -> Image.Image:
    """Reduce an image to the width of a page and the colours of a chart."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    height = round(image.height * min(1, WIDTH / image.width))
    smaller = image.resize((min(WIDTH, image.width), height), Image.Resampling.LANCZOS)
    return smaller.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def main() -> None:
    """Draw and write the images."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, required=True)
    PLACE.mkdir(exist_ok=True)
    for name, picture in pictures(parser.parse_args().data_dir).items():
        small(picture).save(PLACE / f"{name}.png", optimize=True)
        print(f"{name}.png {(PLACE / f'{name}.png').stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
