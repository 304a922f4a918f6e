"""Make the pictures of ``docs/gallery/``: what assay draws, small enough for a repository.

    python scripts/gallery.py --data-dir DIR        # local copies of DEMETR, the hallucination corpus and WMT23

The figures are those of a run directory; they are drawn anew in 48 colours and at most 1,100 pixels wide.
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
    """Each picture by its name, as PNG."""
    demetr = assay.run("demetr", metrics=["chrf", "bleu", "ter"], data_dir=data_dir)
    found = assay.run("hallucinations", metrics=["chrf++", "bleu"], data_dir=data_dir)
    ranking = assay.campaign("wmt23", langpairs=["en-de"], data_dir=data_dir)
    return {
        "demetr_heatmap": demetr.figures("png")["heatmap.png"],
        "hallucinations_distribution": found.figures("png")["distribution.png"],
        "wmt23_ranking": ranking.figures("png")["ranking.png"],
    }


def small(picture: bytes) -> Image.Image:
    """The picture, no wider than a page and with as many colours as a chart has."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    height = round(image.height * min(1, WIDTH / image.width))
    smaller = image.resize((min(WIDTH, image.width), height), Image.Resampling.LANCZOS)
    return smaller.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def main() -> None:
    """Draw and keep them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, required=True)
    PLACE.mkdir(exist_ok=True)
    for name, picture in pictures(parser.parse_args().data_dir).items():
        small(picture).save(PLACE / f"{name}.png", optimize=True)
        print(f"{name}.png {(PLACE / f'{name}.png').stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
