"""Make the pictures of the read-me and of the home page: the demo's report and a display.

    python doc/readme_pictures.py

writes doc/user_guide/figures/readme_report.png, the head of the page that ``skcompare demo
--html`` writes, as Chromium shows it, and readme_forest.svg, the forest plot of its
differences. The report has further pictures for narrow screens and for dark pages; the home
page shows the one that is readable. Make them again after a change of reports or displays,
and look at them.
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
SIZES = {"": (1184, 752, 1), "_narrow": (400, 720, 2)}
"""Width, height and pixels per pixel of the pictures of the report, by their suffix."""

DARK = "--blink-settings=preferredColorScheme=0"

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


def report_picture(suffix="", *, is_dark=False):
    """Path of a picture of the report."""
    return REPORT.with_stem(f"{REPORT.stem}{suffix}{'_dark' * is_dark}")


def photograph(page, folder, suffix, *, is_dark):
    """Write what Chromium shows at the head of a page, with few colours."""
    from PIL import Image

    width, height, scale = SIZES[suffix]
    path = report_picture(suffix, is_dark=is_dark)
    shot = folder / "shot.png"
    command = [
        browser(),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}",
        *[DARK] * is_dark,
        f"--force-device-scale-factor={scale}",
        f"--window-size={width},{height}",
        f"--screenshot={shot}",
        page.as_uri(),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    with Image.open(shot) as image:
        image.convert("RGB").quantize(SHADES_KEPT).save(path, optimize=True)
    return path


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
    """Make all pictures."""
    FIGURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page, numbers = write_demo(folder)
        reports = [
            photograph(page, folder, suffix, is_dark=is_dark)
            for suffix in SIZES
            for is_dark in (False, True)
        ]
        draw_forest(numbers)
    for path in (*reports, FOREST):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
