"""Rows of `peers.py` about labels."""

import contextlib
import io

import numpy as np
import peers_method as data
from peers_method import BY_CHANCE, POINT, RESAMPLES, Method, halves
from scipy.special import expit

from skcompare.evidence import (
    AgreementMatrix,
    ContingencyTable,
    CorrectnessPatterns,
    JointCounts,
)
from skcompare.metrics import sensitivity
from skcompare.stats import (
    bhapkar,
    bowker,
    cochran_q,
    cohen_kappa,
    mcnemar,
    pairwise_mcnemar,
    precision_by_class,
    precision_wald,
    score_difference,
    stuart_maxwell,
)


def counted_by_hand(y, first, second):
    """Right and wrong of two classifiers, in the least lines of numpy."""
    one, two = first == y, second == y
    n_one, n_two = np.count_nonzero(one), np.count_nonzero(two)
    both = np.count_nonzero(one & two)
    return np.array([[both, n_one - both], [n_two - both, len(y) - n_one - n_two + both]])


def matrix_of(first, second):
    from sklearn.metrics import confusion_matrix

    return confusion_matrix(first, second)


# Peers.


def mlxtend_mcnemar(y, first, second, exact=False):
    from mlxtend.evaluate import mcnemar, mcnemar_table

    return mcnemar(mcnemar_table(y, first, second), exact=exact)[1]


def statsmodels_mcnemar(y, first, second, exact=False):
    from statsmodels.stats.contingency_tables import mcnemar

    return mcnemar(counted_by_hand(y, first, second), exact=exact).pvalue


def pandas_mcnemar(y, first, second, exact=False):
    import pandas as pd
    from statsmodels.stats.contingency_tables import mcnemar

    return mcnemar(pd.crosstab(first == y, second == y), exact=exact).pvalue


def mlxtend_cochran(y, *predictions):
    from mlxtend.evaluate import cochrans_q

    return cochrans_q(y, *predictions)[0]


def statsmodels_cochran(y, *predictions):
    from statsmodels.stats.contingency_tables import cochrans_q

    return cochrans_q(np.column_stack([one == y for one in predictions])).statistic


def mlxtend_tables(y, *predictions):
    from mlxtend.evaluate import mcnemar_tables

    return [table[0, 1] for table in mcnemar_tables(y, *predictions).values()]


def square(first, second):
    from statsmodels.stats.contingency_tables import SquareTable

    return SquareTable(matrix_of(first, second), shift_zeros=False)


def square_by_pandas(first, second):
    import pandas as pd
    from statsmodels.stats.contingency_tables import SquareTable

    predictions = pd.DataFrame({"one": first, "two": second})
    return SquareTable.from_data(predictions, shift_zeros=False)


def statsmodels_kappa(y, first, second):
    from statsmodels.stats.inter_rater import cohens_kappa

    return cohens_kappa(matrix_of(first, second)).kappa


def sklearn_kappa(y, first, second):
    from sklearn.metrics import cohen_kappa_score

    return cohen_kappa_score(first, second)


def torchmetrics_kappa(y, first, second):
    import torch
    from torchmetrics.functional.classification import multiclass_cohen_kappa

    return float(
        multiclass_cohen_kappa(torch.from_numpy(first), torch.from_numpy(second), 10)
    )


def sklearn_matrices(y, first, second):
    return np.stack([matrix_of(y, first), matrix_of(y, second)])


def sklearn_precisions(y, first, second):
    from sklearn.metrics import precision_score

    return np.stack([precision_score(y, one, average=None) for one in (first, second)])


def sklearn_recall(y, first, second):
    from sklearn.metrics import recall_score

    return recall_score(y, first)


def ci_recall(y, first, second):
    from confidenceinterval import tpr_score

    return tpr_score(y, first)[0]


def statsmodels_gee(y, first, second, label=1):
    """The marginal logistic model of the predictions that name a class."""
    return gee(y, first, second, label).pvalues[1]


def statsmodels_gees(y, first, second):
    """Differences of the precisions by these models."""
    fits = [gee(y, first, second, label).params for label in range(10)]
    return [expit(sum(params)) - expit(params[0]) for params in fits]


def gee(y, first, second, label):
    import statsmodels.api as sm

    named = [np.flatnonzero(one == label) for one in (first, second)]
    record = np.concatenate(named)
    order = np.argsort(record, kind="stable")
    record = record[order]
    which = np.repeat([0, 1], [len(one) for one in named])[order]
    model = sm.GEE(
        (y[record] == label).astype(float),
        np.column_stack([np.ones(len(record)), which]),
        groups=record,
        family=sm.families.Binomial(),
    )
    return model.fit(cov_type="robust")


def mlstatkit_f1(y, first, second):
    from MLstatkit import Permutation_test

    # Its progress bar goes to the standard error.
    with contextlib.redirect_stderr(io.StringIO()):
        return Permutation_test(y, first, second, "f1", RESAMPLES, average="binary")[2]


# Ours.


def corrected(table):
    return mcnemar(table, method="corrected").pvalue


def exact(table):
    return mcnemar(table, method="exact").pvalue


def predictions_alone(y, first, second):
    return AgreementMatrix.from_predictions(first, second)


def precisions(counts):
    return np.stack([m.diagonal() / m.sum(axis=0) for m in counts.confusion_matrices()])


def precision_tests(counts):
    found = precision_by_class(counts)
    return np.subtract(found.challenger, found.champion)


BY_HAND = "three comparisons in numpy count for statsmodels, and check no labels"
TABLES = "mlxtend makes the tables only, without any test"
CHECKS = "some tens of microseconds that checks of labels take, whatever the size"

MCNEMARS = {
    "mlxtend": mlxtend_mcnemar,
    "statsmodels + numpy": statsmodels_mcnemar,
    "statsmodels + pandas": pandas_mcnemar,
}


def mcnemar_rows():
    exact_ones = {
        name: lambda *given, one=one: one(*given, exact=True)
        for name, one in MCNEMARS.items()
    }
    for name, make, peers, test in (
        ("corrected", data.three_classes, MCNEMARS, corrected),
        ("exact", data.three_classes, exact_ones, exact),
        ("labels are words", data.named_classes, MCNEMARS, corrected),
    ):
        yield Method(
            f"McNemar, {name}",
            make,
            peers=peers,
            why=BY_HAND,
            **halves(ContingencyTable.from_predictions, test),
        )


def several_rows():
    yield Method(
        "Cochran's Q, 5 classifiers",
        data.five_classifiers,
        peers={"mlxtend": mlxtend_cochran, "statsmodels": statsmodels_cochran},
        why=CHECKS,
        **halves(CorrectnessPatterns.from_predictions, lambda p: cochran_q(p).statistic),
    )
    yield Method(
        "All pairs of 10 classifiers",
        data.ten_classifiers,
        peers={"mlxtend": mlxtend_tables},
        least_work=TABLES,
        **halves(
            CorrectnessPatterns.from_predictions,
            lambda p: pairwise_mcnemar(p).details["only_champion"],
        ),
    )


def omnibus_rows():
    for name, test, method in (
        ("Bowker's symmetry", bowker, lambda t: t.symmetry().statistic),
        ("Stuart-Maxwell", stuart_maxwell, lambda t: t.homogeneity().statistic),
        ("Bhapkar", bhapkar, lambda t: t.homogeneity(method="bhapkar").statistic),
    ):
        yield Method(
            f"{name}, 10 classes",
            data.ten_classes,
            peers={
                "statsmodels + sklearn": lambda y, a, b, m=method: m(square(a, b)),
                "statsmodels + pandas": lambda y, a, b, m=method: m(square_by_pandas(a, b)),
            },
            floor="bincount",
            why=CHECKS,
            **halves(predictions_alone, lambda matrix, test=test: test(matrix).statistic),
        )


def score_rows():
    yield Method(
        "Cohen's kappa, 10 classes",
        data.ten_classes,
        peers={
            "sklearn": sklearn_kappa,
            "statsmodels + sklearn": statsmodels_kappa,
            "torchmetrics": torchmetrics_kappa,
        },
        floor="bincount",
        least_work=POINT,
        why=CHECKS,
        **halves(predictions_alone, lambda matrix: cohen_kappa(matrix).estimate),
        rtol=1e-5,
    )
    yield Method(
        "Both confusion matrices, 10 classes",
        data.ten_classes,
        peers={"sklearn": sklearn_matrices},
        floor="bincount",
        **halves(JointCounts.from_predictions, lambda j: np.stack(j.confusion_matrices())),
    )
    yield Method(
        "Precision of each of 10 classes",
        data.ten_classes,
        peers={"sklearn": sklearn_precisions},
        floor="bincount",
        **halves(JointCounts.from_predictions, precisions),
    )
    yield Method(
        "Ten tests of precision",
        data.ten_classes,
        peers={"statsmodels": statsmodels_gees},
        floor="bincount",
        rtol=1e-4,
        least_work="ours adjusts the p-values, and finds limits",
        **halves(JointCounts.from_predictions, precision_tests),
    )
    yield Method(
        "Sensitivity of one classifier",
        data.two_classes,
        ours=lambda y, a, b: sensitivity(y, a),
        peers={"sklearn": sklearn_recall, "confidenceinterval": ci_recall},
        why="one number of one classifier: the checks of labels are all there is",
    )


def model_rows():
    yield Method(
        "Precision, marginal model (GEE)",
        data.two_classes,
        peers={"statsmodels": statsmodels_gee},
        floor="bincount",
        **halves(JointCounts.from_predictions, lambda j: precision_wald(j, label=1).pvalue),
        rtol=1e-4,
    )
    yield Method(
        f"Permutation of F1, {RESAMPLES} draws",
        data.two_classes,
        peers={"MLstatkit": mlstatkit_f1},
        floor="bincount",
        differs={"MLstatkit": BY_CHANCE + ", and p may be 0"},
        atol=0.15,
        **halves(
            JointCounts.from_predictions,
            lambda j: (
                score_difference(
                    j, score="f1", method="permutation", n_resamples=RESAMPLES
                ).pvalue
            ),
        ),
    )


FAMILIES = {
    "Labels": (mcnemar_rows, several_rows, omnibus_rows, score_rows, model_rows),
}
