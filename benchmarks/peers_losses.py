"""Rows of `peers.py` about losses, and about the adjustment of p-values."""

import numpy as np
import peers_method as data
from peers_method import BY_CHANCE, POINT, RESAMPLES, Method, halves

from skcompare.evidence import PairedLosses
from skcompare.metrics import binary_brier_loss
from skcompare.stats import (
    adjust_pvalues,
    loss_permutation,
    paired_t,
    relative_loss,
    wilcoxon,
)

# Peers of losses.


def sklearn_brier(y, first, second):
    from sklearn.metrics import brier_score_loss

    return brier_score_loss(y, first)


def scipy_brier(y, first, second):
    from scipy.stats import ttest_rel

    return ttest_rel((first - y) ** 2, (second - y) ** 2).statistic


def sklearn_two_log_losses(y, first, second):
    from sklearn.metrics import log_loss

    return log_loss(y, first) - log_loss(y, second)


def scipy_log_loss(y, first, second):
    from scipy.stats import ttest_rel

    one, two = (-np.log(np.where(y == 1, p, 1 - p)) for p in (first, second))
    return ttest_rel(one, two).statistic


def scipy_t(first, second):
    from scipy.stats import ttest_rel

    return ttest_rel(first, second).statistic


def scipy_ready(y, first, second, *losses):
    from scipy.stats import ttest_rel

    return ttest_rel(*losses).statistic


def squared_errors(y, first, second, *losses):
    return PairedLosses.from_predictions(y, first, second, loss="squared_error")


def sklearn_losses(y, first, second):
    from sklearn import metrics

    names = "squared_error", "absolute_error", "poisson_deviance", "gamma_deviance"
    scores = [getattr(metrics, f"mean_{name}") for name in (*names, "squared_log_error")]
    return [score(y, first) - score(y, second) for score in scores]


def scipy_wilcoxon(first, second):
    from scipy.stats import wilcoxon

    return wilcoxon(first, second).pvalue


def mlxtend_permutation(first, second):
    from mlxtend.evaluate import permutation_test

    return permutation_test(
        first, second, method="approximate", num_rounds=RESAMPLES, seed=0, paired=True
    )


def scipy_permutation(first, second):
    from scipy.stats import permutation_test

    found = permutation_test(
        (first - second,),
        np.mean,
        permutation_type="samples",
        n_resamples=RESAMPLES,
        vectorized=True,
        rng=0,
    )
    return found.pvalue


def statsmodels_holm(pvalues):
    from statsmodels.stats.multitest import multipletests

    return multipletests(pvalues, method="holm")[1]


def statsmodels_bh(pvalues):
    from statsmodels.stats.multitest import multipletests

    return multipletests(pvalues, method="fdr_bh")[1]


def scipy_bh(pvalues):
    from scipy.stats import false_discovery_control

    return false_discovery_control(pvalues)


# Ours.


def losses_of(name, **options):
    return lambda *given: PairedLosses.from_predictions(*given, loss=name, **options)


def losses_at_once(*given):
    names = "squared_error", "absolute_error", "poisson_deviance", "gamma_deviance"
    return PairedLosses.by_loss(*given, [*names, "squared_log_error"])


READY = "scipy gets the losses, and ours checks the predictions and computes them"
WHY = "ours checks the input, and has the moments of both losses for other tests"
NOT_KEPT = "neither keeps the losses; by default ours does, for other tests"
ESTIMATE = "its estimate is computed when it is read, in two to four times the time"


def loss_rows():
    yield Method(
        "Brier score of one classifier",
        data.probabilities,
        ours=lambda y, p, q: binary_brier_loss(y, p),
        peers={"sklearn": sklearn_brier},
    )
    yield Method(
        "Log losses, two numbers",
        data.probabilities,
        peers={"sklearn": sklearn_two_log_losses},
        least_work=POINT,
        **halves(losses_of("log_loss"), lambda losses: paired_t(losses).estimate),
    )
    for name, loss, peer in (
        ("Brier scores", "binary_brier_loss", scipy_brier),
        ("Log losses", "log_loss", scipy_log_loss),
    ):
        yield Method(
            f"{name}, paired t",
            data.probabilities,
            peers={"scipy + numpy": peer},
            why=WHY,
            least_work=NOT_KEPT,
            rtol=1e-4,
            **halves(
                losses_of(loss, keep_values=False),
                lambda losses: paired_t(losses).statistic,
            ),
        )
    yield Method(
        "Any losses, paired t",
        data.losses,
        peers={"scipy": scipy_t},
        rtol=1e-4,
        why=WHY,
        **halves(PairedLosses.from_losses, lambda losses: paired_t(losses).statistic),
    )
    yield Method(
        "Squared errors of numbers, paired t",
        data.numbers_with_losses,
        peers={"scipy": scipy_ready},
        rtol=1e-4,
        why=READY,
        **halves(squared_errors, lambda losses: paired_t(losses).statistic),
    )
    yield Method(
        "Squared errors of numbers, ratio of means",
        data.numbers_with_losses,
        peers={"scipy": scipy_ready},
        rtol=1e-4,
        why=READY,
        **halves(squared_errors, lambda losses: relative_loss(losses).statistic),
    )
    yield Method(
        "Five losses of numbers at once",
        data.numbers,
        peers={"sklearn": sklearn_losses},
        rtol=1e-4,
        why="ours has the variances of all losses and of their differences",
        least_work=POINT,
        **halves(losses_at_once, lambda losses: [own.gain for own in losses.values()]),
    )
    yield Method(
        "Signed-rank test",
        data.losses,
        peers={"scipy": scipy_wilcoxon},
        floor="sort",
        rtol=1e-4,
        largest=10**6,
        least_work=ESTIMATE,
        **halves(
            PairedLosses.from_losses,
            lambda losses: wilcoxon(losses, method="normal").pvalue,
        ),
    )
    yield Method(
        f"Sign permutation, {RESAMPLES} draws",
        data.losses,
        peers={"mlxtend": mlxtend_permutation, "scipy": scipy_permutation},
        atol=0.15,
        differs={"mlxtend": BY_CHANCE, "scipy": BY_CHANCE},
        largest=10**6,
        **halves(
            PairedLosses.from_losses,
            lambda losses: loss_permutation(losses, n_resamples=RESAMPLES).pvalue,
        ),
    )


def adjustment_rows():
    yield Method(
        "Holm's adjustment",
        data.pvalues,
        ours=adjust_pvalues,
        peers={"statsmodels": statsmodels_holm},
        floor="sort",
        largest=10**6,
    )
    yield Method(
        "Benjamini-Hochberg",
        data.pvalues,
        ours=lambda p: adjust_pvalues(p, "benjamini-hochberg"),
        peers={"statsmodels": statsmodels_bh, "scipy": scipy_bh},
        floor="sort",
        why="both sort, and the rest takes next to no time",
    )


FAMILIES = {"Losses": (loss_rows,), "Adjustment": (adjustment_rows,)}
