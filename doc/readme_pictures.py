"""Make the pictures of the read-me and of the home page: the demo's report and a display.

    python doc/readme_pictures.py

writes doc/user_guide/figures/readme_report.png, the head of the page that ``skcompare demo
--html`` writes, as Chromium shows it, and readme_forest.svg, the forest plot of its
differences. Make them again after a change of reports or displays, and look at them.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "doc" / "user_guide" / "figures"
REPORT, FOREST = FIGURES / "readme_report.png", FIGURES / "readme_forest.svg"

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTH, HEIGHT = 1184, 752
"""Of the picture of the report, in pixels."""

SHADES_KEPT = 64
"""Colours of the file; text on a plain page has few, and mixtures of them at edges."""


def write_demo(folder):
    """Run the demo, and return the paths of its page and of its JSON."""
    page, numbers = folder / "report.html", folder / "report.json"
    command = [sys.executable, "-m", "skcompare", "demo", "--html", page, "--json", numbers]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return page, numbers


def browser():
    """Path of a Chromium."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise SystemExit(f"No browser. Install one of {', '.join(BROWSERS)}.")
    return found


def photograph(page, folder):
    """Write what Chromium shows at the head of a page, with few colours."""
    from PIL import Image

    shot = folder / "shot.png"
    command = [
        browser(),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={WIDTH},{HEIGHT}",
        f"--screenshot={shot}",
        page.as_uri(),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    with Image.open(shot) as image:
        image.convert("RGB").quantize(SHADES_KEPT).save(REPORT, optimize=True)


def draw_forest(numbers):
    """Write the forest plot of a comparison that was saved as JSON."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "skcompare"
    from skcompare import Comparison
    from skcompare.plots import ForestDisplay

    comparison = Comparison.from_json(numbers.read_text(encoding="utf-8"))
    figure = ForestDisplay.from_result(comparison).figure_
    # White, as pages of dark themes do not change the colours of a picture.
    figure.savefig(FOREST, facecolor="white", metadata={"Date": None, "Creator": None})


def main():
    """Make both pictures."""
    FIGURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        page, numbers = write_demo(Path(name))
        photograph(page, Path(name))
        draw_forest(numbers)
    for path in (REPORT, FOREST):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
