"""Draw every display once, in colour and in grey, side by side on one sheet.

    python doc/contact_sheet.py

writes doc/user_guide/figures/contact_sheet.png, which the page on displays shows. Look at
it after a change of a display: words must be readable, and nothing may be told by colour
alone. The displays are those of tests/plots/cases.py, of which the tests demand one for
each public display.
"""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
SHEET = ROOT / "doc" / "user_guide" / "figures" / "contact_sheet.png"

WIDTH = 470
"""Of a picture, in pixels."""

FLAT = 2
"""A picture so many times as wide as high is alone in its row, and is in grey below."""

GAP, HEAD = 14, 30
COLUMNS = 2
"""Each has a picture in colour and in grey."""

SHADES_KEPT = 256
"""Colours of the file; the pictures have few, and mixtures of them at edges."""


def cases():
    """Functions that make a display, by its name."""
    sys.path.insert(0, str(ROOT))
    try:
        from tests.plots.cases import CASES
    finally:
        sys.path.remove(str(ROOT))
    return dict(sorted(CASES.items()))


def drawn(display):
    """The picture of a display, as an array of red, green and blue between 0 and 1."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from skcompare.plots.drawing._layout import new_figure

    figure, axes = new_figure(display._room())
    display.plot(ax=axes)
    wide, high = figure.get_size_inches()
    figure.set_dpi(2 * (WIDTH if wide < FLAT * high else 2 * WIDTH + GAP) / wide)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[..., :3] / 255
    # Drawn at twice the size, so that small words keep their shape.
    height, width = pixels.shape[0] // 2, pixels.shape[1] // 2
    return pixels[: 2 * height, : 2 * width].reshape(height, 2, width, 2, 3).mean((1, 3))


def in_grey(pixels):
    """What is left of a picture without colour: its luminance (IEC 61966-2-1)."""
    linear = np.where(pixels <= 0.04045, pixels / 12.92, ((pixels + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    grey = np.where(
        luminance <= 0.0031308, 12.92 * luminance, 1.055 * luminance ** (1 / 2.4) - 0.055
    )
    return np.repeat(grey[..., np.newaxis], 3, axis=2)


def sheet_of(pictures):
    """All pictures on one sheet, each below the last one of the shorter column."""
    from matplotlib import get_data_path
    from PIL import Image, ImageDraw, ImageFont

    letters = Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    font = ImageFont.truetype(str(letters), 15)
    filled, places = [GAP] * COLUMNS, []
    for name, pixels in pictures.items():
        column = int(np.argmin(filled))
        places.append((name, pixels, column, filled[column]))
        times = 1 if pixels.shape[1] <= WIDTH else 2
        filled[column] += HEAD + times * (pixels.shape[0] + GAP)
    wide = 2 * WIDTH + 2 * GAP
    sheet = Image.new("RGB", (COLUMNS * wide + GAP, max(filled)), "white")
    pen = ImageDraw.Draw(sheet)
    for name, pixels, column, top in places:
        left = GAP + column * wide
        pen.text((left, top), name, fill="#1d2733", font=font)
        for at, each in enumerate((pixels, in_grey(pixels))):
            image = Image.fromarray((255 * each.clip(0, 1)).round().astype(np.uint8))
            beside = image.width <= WIDTH
            x = left + at * (WIDTH + GAP) * beside
            y = top + HEAD + at * (image.height + GAP) * (not beside)
            sheet.paste(image, (x, y))
    return sheet.quantize(SHADES_KEPT)


def main():
    """Draw and write the sheet."""
    import matplotlib

    matplotlib.use("Agg")
    sheet = sheet_of({name: drawn(make()) for name, make in cases().items()})
    SHEET.parent.mkdir(exist_ok=True)
    sheet.save(SHEET, optimize=True)
    print(f"{SHEET.relative_to(ROOT)}: {SHEET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
