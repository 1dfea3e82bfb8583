"""Every worked example of labels in the source documents, to ten digits."""

import numpy as np
import pytest

from skcompare.evidence import AgreementMatrix, ContingencyTable, CorrectnessPatterns
from skcompare.stats import (
    bowker,
    cochran_q,
    cohen_kappa,
    disagreement,
    error_kappa,
    label_disagreement,
    mcnemar,
    stuart_maxwell,
    symmetry_permutation,
    yule_q,
)
from tests.common.golden import golden

EXAMPLES = golden("worked_labels")["examples"]
CLASSES = ["A", "B", "C"]


def table_of(inputs):
    if "table" in inputs:
        (both, first), (second, neither) = inputs["table"]
        return ContingencyTable(both, first, second, neither)
    return ContingencyTable(*(inputs[cell] for cell in ("n11", "n10", "n01", "n00")))


def of_table(table):
    """All that the examples say of a table of correct and incorrect predictions."""
    result = mcnemar(table, method="asymptotic")
    champion, challenger = table.accuracies
    kappa = error_kappa(table)
    observed = (table.both_correct + table.both_wrong) / table.n
    chance = champion * challenger + (1 - champion) * (1 - challenger)
    return {
        "statistic": result.statistic,
        "pvalue": result.pvalue,
        "dis": disagreement(table).estimate,
        "acc1": result.champion,
        "acc2": result.challenger,
        "acc_gap": -result.estimate,
        "kappa": kappa.estimate,
        "Q": yule_q(table).estimate,
        "po": observed,
        "pe": chance,
    }


def of_matrix(matrix):
    """All that the examples say of an agreement matrix."""
    rows, columns = (counts.tolist() for counts in matrix.label_counts)
    symmetry, rates = bowker(matrix), stuart_maxwell(matrix)
    total = symmetry_permutation(matrix)
    kappa = cohen_kappa(matrix).estimate
    chance = sum(r * c for r, c in zip(rows, columns)) / matrix.n**2
    off_diagonal = matrix.counts[~np.eye(len(rows), dtype=bool)]
    return {
        "agreement_matrix": {
            "row": rows,
            "col": columns,
            "diag": matrix.n_agreed,
            "agreement": matrix.n_agreed / matrix.n,
            "max_offdiag": off_diagonal.max(),
        },
        "disagreement_multiclass": label_disagreement(matrix).estimate,
        "bowker": {
            "terms": [
                part["contribution"]
                for part in sorted(
                    symmetry.parts, key=lambda p: sorted((p["champion"], p["challenger"]))
                )
            ],
            "statistic": symmetry.statistic,
            "df": symmetry.df,
            "pvalue": symmetry.pvalue,
        },
        "stuart_maxwell": {
            "d": [r - c for r, c in zip(rows, columns)],
            "statistic": rates.statistic,
            "df": rates.df,
            "pvalue": rates.pvalue,
        },
        "omnibus_permutation_S": {"S": total.statistic, "pvalue": total.pvalue},
        "cohen_kappa_multiclass": {
            "p1": [r / matrix.n for r in rows],
            "p2": [c / matrix.n for c in columns],
            "po": matrix.n_agreed / matrix.n,
            "pe": chance,
            "kappa": kappa,
        },
    }


def of_several(inputs):
    """All that the examples say of several classifiers on the same records."""
    y, *predictions = ([int(c) for c in column] for column in inputs.values())
    patterns = CorrectnessPatterns.from_predictions(y, *predictions)
    distinct, counts = patterns.distinct()
    result = cochran_q(patterns)
    return {
        "cochran_table": {
            "".join(str(int(bit)) for bit in row): int(count)
            for row, count in zip(distinct, counts)
        },
        "accuracy": patterns.accuracies.tolist(),
        "cochran_q": {"Q": result.statistic, "pvalue": result.pvalue, "df": result.df},
    }


def computed(example):
    """The example's numbers by skcompare."""
    inputs, method = example["inputs"], example["method"]
    if "N" in inputs:
        return of_matrix(AgreementMatrix(inputs["N"], CLASSES))[method]
    if "y_true" in inputs:
        return of_several(inputs)[method]
    single = {"disagreement": "dis", "cohen_kappa": "kappa", "yule_q": "Q"}
    numbers = of_table(table_of(inputs))
    if method == "accuracy_from_contingency":
        return [numbers["acc1"], numbers["acc2"]]
    if isinstance(example["value"], float):
        return numbers[single[method]]
    return {name: numbers[name] for name in example["value"]}


def test_worked_example():
    """The number is that of the source, corrected where the source is wrong."""
    for example in EXAMPLES:
        actual, expected = computed(example), example["value"]
        if isinstance(expected, dict):
            for name, value in expected.items():
                # A pattern that occurs on no record is 0 in the source's table.
                found = actual.get(name, 0) if set(name) <= {"0", "1"} else actual[name]
                assert value == pytest.approx(found, rel=1e-10, abs=1e-12), name
        else:
            assert expected == pytest.approx(actual, rel=1e-10, abs=1e-12)


def test_printed_statistic_that_is_wrong():
    """Chapter 14 prints 2.0 and p 0.37 for Stuart and Maxwell's test; it is 29/11."""
    example = next(one for one in EXAMPLES if one["printed_wrong"])

    assert "000-14.10-stuart-maxwell" == example["id"]
    assert 29 / 11 == pytest.approx(computed(example)["statistic"])
