"""Figures of reports, drawn by the displays in ``skcompare.plots``."""

from functools import partial
from typing import Any

from skcompare._core.report import Figure


def figures_of(comparison: Any, pictures: Any) -> dict[str, Any]:
    """Return the requested figures of a comparison, as values of its report.

    Parameters
    ----------
    comparison : Comparison or MultipleComparison
        The comparison.
    pictures : {"auto", True, False}
        Whether there are any, and whether one that cannot be made is an error.
    """
    if not isinstance(pictures, bool) and pictures != "auto":
        raise ValueError(
            f"`pictures` must be 'auto', True or False. Got {pictures!r}. 'auto' leaves "
            "out pictures that cannot be made, and says why."
        )
    if pictures is False:
        return {}
    from skcompare.plots import drawn, pictures_among, pictures_of

    several = hasattr(comparison, "comparisons")
    shown, left_out = (pictures_among if several else pictures_of)(comparison)
    if pictures is True and left_out:
        raise ValueError(
            f"Not every picture can be made. {'; '.join(left_out)}. Leave those out by "
            "pictures='auto'."
        )
    return {
        "figures": [
            Figure(picture.title, picture.display.summary, partial(drawn, picture))
            for picture in shown
        ],
        "left_out": left_out,
        "must_draw": pictures is True,
    }
