"""Words and numbers as readers see them, in every kind of report."""

import math

__all__ = ["INFERENCE_WORDS", "format_pvalue"]

INFERENCE_WORDS = {
    "models": "two trained models, over new records",
    "algorithms": "two learning algorithms, over new training and test records",
}


def format_pvalue(pvalue: float) -> str:
    """A p-value for readers: two significant digits, never 0."""
    if math.isnan(pvalue):
        return "undefined"
    if pvalue < 1e-300:
        return "< 1e-300"
    if pvalue >= 0.995:
        return "1"
    return f"{pvalue:.2g}" if pvalue >= 1e-4 else f"{pvalue:.1e}"
