"""Recompute the figures in `time_order.json` by other software.

The losses and forecasts are kept in the file, and so are the figures that others printed.
Everything else is computed from them, without skcompare::

    pip install statsmodels==0.15.0 dieboldmariano==1.1.0 mpmath
    python tests/golden/time_order.py

R is not needed: what `forecast::dm.test` printed is in `published`. ForeComp prints no
figures of these forecasts, so that `survey` is a port of the formulas in its R functions.
"""

import json
import math
from importlib.metadata import version
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_suffix(".json")
DIGITS = 40


def cosine_statistic(differences, number):
    """Mean over its standard error by equal-weighted cosines, with Student's p-value.

    Lazarus, Lewis, Stock and Watson (2018), equations (3) and (4), and `dm.test.ewc.fb`.
    """
    from mpmath import cos, mp, mpf, pi, sqrt

    mp.dps = DIGITS
    values = [mpf(float(d)) for d in differences]
    n, mean = len(values), sum(values) / len(values)
    squares = [
        (
            sqrt(mpf(2) / n)
            * sum(d * cos(pi * j * (t + mpf(1) / 2) / n) for t, d in enumerate(values))
        )
        ** 2
        for j in range(1, number + 1)
    ]
    statistic = mean / sqrt(sum(squares) / number / n)
    return float(statistic), student_pvalue(statistic, number)


def periodogram_statistic(differences, number):
    """Mean over its standard error by the first ordinates of the periodogram.

    Coroneo and Iacone (2020), equations (8) and (9), and `dm.test.wpe.fb`.
    """
    from mpmath import cos, mp, mpf, pi, sin, sqrt

    mp.dps = DIGITS
    values = [mpf(float(d)) for d in differences]
    n, mean = len(values), sum(values) / len(values)
    ordinates = []
    for j in range(1, number + 1):
        angles = [2 * pi * j * t / n for t in range(1, n + 1)]
        real = sum(d * cos(a) for d, a in zip(values, angles, strict=True))
        imaginary = sum(d * sin(a) for d, a in zip(values, angles, strict=True))
        ordinates.append((real**2 + imaginary**2) / n)
    statistic = mean / sqrt(sum(ordinates) / number / n)
    return float(statistic), student_pvalue(statistic, 2 * number)


def student_pvalue(statistic, df):
    """Two-sided p-value of Student's t, as an incomplete beta function."""
    from mpmath import betainc, mpf

    share = df / (df + statistic**2)
    return float(betainc(mpf(df) / 2, mpf(1) / 2, 0, share, regularized=True))


def bartlett_statistic(differences, bandwidth):
    """Mean over its standard error by a loop over weighted autocovariances.

    Newey and West's variance with weights 1 - lag / bandwidth, and `dm.test.bt.fb`.
    """
    from mpmath import mp, mpf, sqrt

    mp.dps = DIGITS
    values = [mpf(float(d)) for d in differences]
    n, mean = len(values), sum(values) / len(values)
    centred = [d - mean for d in values]
    variance = mpf(0)
    for lag in range(bandwidth):
        pairs = zip(centred[lag:], centred[: n - lag], strict=True)
        weight = (1 if lag == 0 else 2) * (1 - mpf(lag) / bandwidth)
        variance += weight * sum(a * b for a, b in pairs) / n
    return float(mean / sqrt(variance / n))


def hac(differences, lags):
    """Standard error and t of a mean by statsmodels, with Bartlett weights."""
    from statsmodels.regression.linear_model import OLS

    fit = OLS(differences, np.ones(len(differences))).fit(
        cov_type="HAC", cov_kwds={"maxlags": lags, "use_correction": False}
    )
    return {"se": float(fit.bse[0]), "t": float(fit.tvalues[0])}


def corrected(differences, horizon):
    """Harvey, Leybourne and Newbold's statistic and p-value by dieboldmariano."""
    from dieboldmariano import dm_test

    zeros = [0.0] * len(differences)
    statistic, pvalue = dm_test(
        zeros, list(differences), zeros, loss=lambda _, loss: loss, h=horizon
    )
    return {"statistic": statistic, "pvalue": pvalue}


def recompute_case(case):
    """Fill in all figures of two series of losses."""
    differences = np.subtract(case["champion"], case["challenger"])
    case["mean"] = math.fsum(differences) / len(differences)
    for number in case["ewc"]:
        statistic, pvalue = cosine_statistic(differences, int(number))
        case["ewc"][number], case["ewc_pvalue"][number] = statistic, pvalue
    for number in case["wpe"]:
        case["wpe"][number] = periodogram_statistic(differences, int(number) // 2)[0]
    for lags in case["newey_west"]:
        case["newey_west"][lags] = hac(differences, int(lags))
    case["hln"] = corrected(differences, case["horizon"])


def recompute_survey(survey, fixed_b):
    """Fill in the figures of forecasts of the Treasury bill rate, by squared errors.

    The numbers of cosines, frequencies and lags are the defaults of ForeComp for 120
    quarters, and the root of their number for Bartlett weights (Coroneo and Iacone 2020).
    """
    from statsmodels.tsa.stattools import diebold_mariano_test

    y, champion, challenger = (
        np.array(survey[name]) for name in ("y", "champion", "challenger")
    )
    differences = (champion - y) ** 2 - (challenger - y) ** 2
    n = len(differences)
    cosines, frequencies = math.floor(0.4 * n ** (2 / 3)), math.floor(n ** (1 / 3))
    for name, (statistic, pvalue), number in (
        ("ewc", cosine_statistic(differences, cosines), cosines),
        ("wpe", periodogram_statistic(differences, frequencies), 2 * frequencies),
    ):
        survey[name] = {"df": number, "statistic": statistic, "pvalue": pvalue}
    survey["bartlett"] = {}
    for bandwidth in (math.floor(math.sqrt(n)), math.ceil(1.3 * math.sqrt(n))):
        share, statistic = bandwidth / n, bartlett_statistic(differences, bandwidth)
        survey["bartlett"][str(bandwidth)] = {
            "statistic": statistic,
            "statsmodels": diebold_mariano_test(
                y, champion, challenger, lags=bandwidth - 1
            ).statistic,
            "rejected": {
                alpha: bool(abs(statistic) > np.polynomial.Polynomial(fixed_b[tail])(share))
                for alpha, tail in (("0.10", "0.05"), ("0.05", "0.025"))
            },
        }
    result = diebold_mariano_test(y, champion, challenger, lags=0, harvey_adj=True)
    survey["hln"] = {"statistic": result.statistic, "pvalue": result.pvalue}
    survey["giacomini_white"] = conditional(differences)


def conditional(differences):
    """Giacomini and White's test given the last difference, by statsmodels.

    One step ahead it is n times the uncentred R² of a regression of 1 on the products of
    the instruments and the differences.
    """
    from statsmodels.regression.linear_model import OLS

    last = np.column_stack([np.ones(len(differences) - 1), differences[:-1]])
    products = last * differences[1:, np.newaxis]
    statistic = len(products) * float(OLS(np.ones(len(products)), products).fit().rsquared)
    # The tail of chi-squared with 2 degrees of freedom.
    return {"statistic": statistic, "pvalue": math.exp(-statistic / 2)}


def recompute_panel(panel, differences):
    """Fill in Driscoll and Kraay's standard error of a panel, by statsmodels."""
    from statsmodels.regression.linear_model import OLS

    time = np.arange(len(differences)) % panel["n_times"]
    fit = OLS(differences, np.ones(len(differences))).fit(
        cov_type="hac-groupsum",
        cov_kwds={
            "time": time,
            "maxlags": panel["bandwidth"] - 1,
            "use_correction": False,
            "df_correction": False,
        },
    )
    panel["se"], panel["t"] = float(fit.bse[0]), float(fit.tvalues[0])


def main():
    contents = json.loads(FILE.read_text(encoding="utf-8"))
    for name in contents["packages"]:
        contents["packages"][name] = version(name)
    for case in contents["cases"]:
        recompute_case(case)
    recompute_survey(contents["survey"], contents["fixed_b"])
    panel = contents["panel"]
    case = contents["cases"][panel["case"]]
    recompute_panel(panel, np.subtract(case["champion"], case["challenger"]))
    FILE.write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
