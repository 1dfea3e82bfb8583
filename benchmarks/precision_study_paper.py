"""What the paper prints: Gondara, "Classifier comparison using precision" (2016).

Values stay as printed, so that their rounding is known: ``bounds("0.65")`` are 0.645 and
0.655, and ``bounds("<0.0001")`` are 0 and 0.0001.
"""

from typing import NamedTuple

NAMES = {
    "wilt": "WILT",
    "diabetic_retinopathy": "DIAB. RET.",
    "phishing": "PHISHING",
    "banknote": "BANK NOTE",
    "magic": "MAGIC",
    "urban_land_cover": "LAND COVER",
}


class Row(NamedTuple):
    """One class of one data set in Tables 5 and 6."""

    data: str
    label: object
    shown: str
    nb: str
    rf: str
    gs: str
    gw: str
    ratio: str
    low: str
    high: str
    ratio_p: str


LOW = "<0.0001"

PRINTED = """\
wilt                 n        N   0.65 0.74 <0.0001 <0.0001 0.88 0.85 0.92 <0.0001
wilt                 w        W   0.73 0.98 0.001   0.003   0.75 0.62 0.91 0.003
diabetic_retinopathy 0        0   0.54 0.63 0.002   0.0002  0.85 0.78 0.92 0.0001
diabetic_retinopathy 1        1   0.76 0.67 0.07    0.09    1.13 0.99 1.29 0.06
phishing             -1       -1  0.95 0.98 <0.0001 <0.0001 0.97 0.96 0.98 <0.0001
phishing             1        1   0.92 0.96 <0.0001 <0.0001 0.96 0.95 0.97 <0.0001
banknote             0        0   0.83 0.99 <0.0001 0.0001  0.83 0.79 0.88 <0.0001
banknote             1        1   0.85 0.98 <0.0001 <0.0001 0.87 0.82 0.92 <0.0001
magic                g        G   0.72 0.88 <0.0001 <0.0001 0.82 0.81 0.83 <0.0001
magic                h        H   0.70 0.87 <0.0001 <0.0001 0.80 0.77 0.83 <0.0001
urban_land_cover     asphalt  ASP 0.94 0.95 0.87    0.87    0.99 0.92 1.10 0.87
urban_land_cover     building BLD 0.91 0.85 0.04    0.04    1.07 1.0  1.15 0.04
urban_land_cover     car      CR  0.77 0.69 0.25    0.26    1.12 0.92 1.35 0.26
urban_land_cover     concrete CNR 0.85 0.78 0.04    0.05    1.1  1.0  1.17 0.05
urban_land_cover     grass    GRS 0.76 0.75 0.77    0.77    1.02 0.90 1.16 0.77
urban_land_cover     pool     PL  0.92 0.92 0.95    0.95    1.01 0.81 1.3  0.95
urban_land_cover     shadow   SHD 0.82 0.79 0.48    0.48    1.03 0.94 1.14 0.48
urban_land_cover     soil     SL  0.36 0.60 0.01    0.02    0.6  0.39 0.93 0.02
urban_land_cover     tree     TR  0.70 0.86 0.0001  0.001   0.81 0.73 0.91 0.0002
"""


def _row(line):
    data, label, *printed = line.split()
    return Row(data, int(label) if label.lstrip("-").isdigit() else label, *printed)


ROWS = tuple(map(_row, PRINTED.splitlines()))

COMBINED = {
    "wilt": LOW,
    "diabetic_retinopathy": "0.002",
    "phishing": LOW,
    "banknote": LOW,
    "magic": LOW,
}
"""Table 7: combined p-values."""

SCORE_TABLE_7 = {("diabetic_retinopathy", 0): "0.0002"}
"""Table 7 has another p of the score test than Table 5."""

SEVERAL = {
    ("wilt", "n"): ("0.65", "0.74", "0.68", "0.74", LOW),
    ("wilt", "w"): ("0.73", "0.98", "1.0", "0.95", LOW),
    ("diabetic_retinopathy", 0): ("0.54", "0.63", "0.63", "0.62", "0.003"),
    ("diabetic_retinopathy", 1): ("0.76", "0.67", "0.72", "0.66", "0.12"),
}
"""Table 8: precisions of NB, RF1, SVM and RF2, and the p-value."""

ODDS_RATIOS = {
    "RF1": ("1.52", "1.34", "1.73"),
    "SVM": ("1.12", "1.03", "1.22"),
    "RF2": ("1.51", "1.33", "1.71"),
}
"""Table 9: wilt, class N, against NB."""

UPDATED = {
    ("NB", 0): ("0.54", "0.35"),
    ("RF1", 0): ("0.63", "0.45"),
    ("NB", 1): ("0.76", "0.87"),
    ("RF1", 1): ("0.67", "0.81"),
}
"""Table 10: diabetic retinopathy, before and after the update."""

CROSS_VALIDATED = {
    "DISEASE": ("50.6 (<0.0001)", "50.6 (<0.0001)"),
    "NON-DISEASE": ("10.2 (0.001)", "10.2 (0.001)"),
}
"""Table 11: 10-fold and 10×10-fold cross-validation of diabetic retinopathy."""


def rows_of(data=None):
    """Rows of Table 5 of one data set, or of all."""
    return [row for row in ROWS if data in (None, row.data)]


def bounds(printed):
    """The values that are printed so."""
    if printed.startswith("<"):
        return 0.0, float(printed[1:])
    decimals = len(printed.partition(".")[2])
    half = 0.5 * 10.0**-decimals
    return float(printed) - half, float(printed) + half
