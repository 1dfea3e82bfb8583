"""Rows of `peers.py` about scores and the calibration of probabilities."""

import contextlib
import io

import peers_method as data
from peers_method import BY_CHANCE, POINT, RESAMPLES, Method, halves

from skcompare.evidence import (
    ClassPlacementValues,
    PairedCalibration,
    PlacementValues,
    ScoredPair,
)
from skcompare.metrics import (
    calibration_curve,
    expected_calibration_error,
    maximum_calibration_error,
    score_decomposition,
    smooth_calibration_error,
)
from skcompare.stats import (
    auc_interval,
    bootstrap_difference,
    calibration_difference,
    delong,
    delong_ovr,
    permutation_difference,
    spiegelhalter,
)

N_BINS = 15


def quiet():
    """Where progress bars go."""
    return contextlib.redirect_stderr(io.StringIO())


# Peers of AUC.


def mlstatkit_delong(y, first, second):
    from MLstatkit import Delong_test

    return Delong_test(y, first, second, return_ci=False, return_auc=False)[1]


def sklearn_aucs(y, first, second):
    from sklearn.metrics import roc_auc_score

    return [roc_auc_score(y, first), roc_auc_score(y, second)]


def torchmetrics_aucs(y, first, second):
    import torch
    from torchmetrics.functional.classification import binary_auroc

    truth = torch.from_numpy(y)
    return [float(binary_auroc(torch.from_numpy(s), truth)) for s in (first, second)]


def ci_auc(y, first, second):
    from confidenceinterval import roc_auc_score

    auc, (low, high) = roc_auc_score(y, first)
    return [auc, low, high]


def sklearn_ovr(y, first, second):
    from sklearn.metrics import roc_auc_score

    return [roc_auc_score(y, p, multi_class="ovr") for p in (first, second)]


def scipy_bootstrap(y, first, second):
    from scipy.stats import bootstrap
    from sklearn.metrics import roc_auc_score

    def difference(truth, one, two):
        return roc_auc_score(truth, two) - roc_auc_score(truth, one)

    found = bootstrap(
        (y, first, second),
        difference,
        paired=True,
        vectorized=False,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=0,
    )
    return found.confidence_interval


def mlstatkit_auc_permutation(y, first, second):
    from MLstatkit import Permutation_test

    with quiet():
        return Permutation_test(y, first, second, "roc_auc", RESAMPLES)[2]


# Peers of calibration.


def torchmetrics_calibration(norm):
    def error(y, first, second):
        import torch
        from torchmetrics.functional.classification import binary_calibration_error

        return float(
            binary_calibration_error(
                torch.from_numpy(first), torch.from_numpy(y), N_BINS, norm
            )
        )

    return error


def torchmetrics_both(y, first, second):
    one = torchmetrics_calibration("l2")
    return [one(y, first, second), one(y, second, first)]


def errors_and_tests(y, first, second):
    from mapie.metrics.calibration import kuiper_p_value

    torchmetrics_both(y, first, second)
    for proba in (first, second):
        mapie_spiegelhalter(y, proba, None)
    return [kuiper_p_value(y, proba) for proba in (first, second)]


def netcal_ece(y, first, second):
    from netcal.metrics import ECE

    return ECE(N_BINS).measure(first, y)


def netcal_mce(y, first, second):
    from netcal.metrics import MCE

    return MCE(N_BINS).measure(first, y)


def sklearn_curve(y, first, second):
    from sklearn.calibration import calibration_curve

    return calibration_curve(y, first, n_bins=N_BINS)[0]


def torchmetrics_top_label(y, first, second):
    import torch
    from torchmetrics.functional.classification import multiclass_calibration_error

    return float(
        multiclass_calibration_error(
            torch.from_numpy(first), torch.from_numpy(y), 5, N_BINS
        )
    )


def relplot_smooth(y, first, second):
    import relplot

    return relplot.smECE(first, y)


def diagnostics_decomposition(y, first, second):
    from model_diagnostics.scoring import SquaredError, decompose

    found = decompose(y_obs=y, y_pred=first, scoring_function=SquaredError())
    names = "miscalibration", "discrimination", "uncertainty"
    return [found[name][0] for name in names]


def mapie_spiegelhalter(y, first, second):
    from mapie.metrics.calibration import spiegelhalter_p_value

    # Its p-value is that of one side.
    one_sided = spiegelhalter_p_value(y, first)
    return 2 * min(one_sided, 1 - one_sided)


# Ours.


def placements_of(y, first, second):
    return PlacementValues.from_predictions(y, first, second)


def interval_of(y, first, second):
    found = auc_interval(y, first, method="wald")
    return [found.auc, found.low, found.high]


def scored(y, first, second):
    return ScoredPair.from_predictions(y, first, second, score="roc_auc")


def calibrated(y, first, second):
    return PairedCalibration.from_predictions(y, first, second)


def kuipers(calibration):
    """P-values of the difference and of each; those that others have are returned."""
    result = calibration_difference(calibration)
    return [part["calibration_cusum_pvalue"] for part in result.parts]


def decomposed(y, first, second):
    found = score_decomposition(y, first)
    return [found.miscalibration, found.discrimination, found.uncertainty]


FLOAT32 = "computed in single precision"


def auc_rows():
    yield Method(
        "DeLong's test of two AUCs",
        data.scores,
        peers={"MLstatkit": mlstatkit_delong},
        floor="sorts",
        **halves(placements_of, lambda p: delong(p).pvalue),
    )
    yield Method(
        "Two AUCs alone",
        data.scores,
        peers={"sklearn": sklearn_aucs, "torchmetrics": torchmetrics_aucs},
        floor="sorts",
        rtol=1e-5,
        why="both take a few milliseconds, and in other runs ours took less",
        least_work="scikit-learn has no covariance",
        **halves(placements_of, lambda p: p.aucs),
    )
    yield Method(
        "Interval of one AUC",
        data.scores,
        ours=interval_of,
        peers={"confidenceinterval": ci_auc},
        floor="sort",
        rtol=1e-3,
        differs={"confidenceinterval": FLOAT32},
    )
    yield Method(
        "Mean one-vs-rest AUC, 5 classes",
        data.five_class_probabilities,
        peers={"sklearn": sklearn_ovr},
        floor="sorts",
        largest=10**6,
        least_work=POINT,
        **halves(
            lambda *given: ClassPlacementValues.from_predictions(*given),
            lambda values: [(r := delong_ovr(values)).champion, r.challenger],
        ),
    )
    yield Method(
        f"Bootstrap of two AUCs, {RESAMPLES} draws",
        data.scores,
        peers={"scipy + sklearn": scipy_bootstrap},
        floor="sorts",
        differs={"scipy + sklearn": BY_CHANCE},
        atol=0.02,
        rtol=0.0,
        largest=10**6,
        **halves(
            scored,
            lambda pair: bootstrap_difference(
                pair, n_resamples=RESAMPLES
            ).confidence_interval(),
        ),
    )
    yield Method(
        f"Permutation of two AUCs, {RESAMPLES} draws",
        data.scores,
        peers={"MLstatkit": mlstatkit_auc_permutation},
        floor="sorts",
        differs={"MLstatkit": BY_CHANCE + ", not studentised, and p may be 0"},
        atol=0.15,
        largest=10**5,
        **halves(
            scored, lambda pair: permutation_difference(pair, n_resamples=RESAMPLES).pvalue
        ),
    )


def calibration_rows():
    for name, ours, norm, netcal in (
        ("ECE", expected_calibration_error, "l1", netcal_ece),
        ("MCE", maximum_calibration_error, "max", netcal_mce),
    ):
        yield Method(
            f"{name}, 15 bins",
            data.probabilities,
            rtol=1e-4,
            ours=lambda y, p, q, ours=ours: ours(y, p),
            peers={"torchmetrics": torchmetrics_calibration(norm), "netcal": netcal},
        )
    yield Method(
        "Reliability curve, 15 bins",
        data.probabilities,
        ours=lambda y, p, q: calibration_curve(y, p).mean_outcome,
        peers={"sklearn": sklearn_curve},
    )
    yield Method(
        "Top-label ECE, 5 classes",
        data.five_class_probabilities,
        ours=lambda y, p, q: expected_calibration_error(y, p),
        peers={"torchmetrics": torchmetrics_top_label},
        largest=10**6,
        rtol=5e-3,
        differs={"torchmetrics": FLOAT32},
        why="both take the largest of each row and add up bins; ours checks that rows of "
        "probabilities add up to 1",
    )
    yield Method(
        "Two calibration errors",
        data.probabilities,
        peers={"torchmetrics": torchmetrics_both},
        rtol=1e-3,
        **halves(calibrated, lambda c: [c.error(role, "l2") for role in (0, 1)]),
    )
    yield Method(
        "Test of two calibration errors, and of each",
        data.probabilities,
        peers={"torchmetrics + mapie": errors_and_tests},
        atol=1e-9,
        # Of more records only sums are kept, without the test of each.
        largest=10**6,
        least_work="the other packages do not test the difference",
        **halves(calibrated, kuipers),
    )
    yield Method(
        "Smooth calibration error",
        data.probabilities,
        ours=lambda y, p, q: smooth_calibration_error(y, p),
        peers={"relplot": relplot_smooth},
        rtol=0.05,
        differs={"relplot": "another grid of the same kernel"},
    )
    yield Method(
        "Decomposition of the Brier score",
        data.probabilities,
        ours=decomposed,
        peers={"model-diagnostics": diagnostics_decomposition},
        floor="sort",
    )
    yield Method(
        "Spiegelhalter's test",
        data.probabilities,
        rtol=1e-3,
        ours=lambda y, p, q: spiegelhalter(y, q).pvalue,
        peers={"mapie": lambda y, p, q: mapie_spiegelhalter(y, q, p)},
        why="mapie checks no labels, and gives one p-value without an expected value",
        differs={"mapie": "one-sided; twice the smaller tail is compared"},
    )


FAMILIES = {"Ranking": (auc_rows,), "Calibration": (calibration_rows,)}
