"""Gate: the conditions that a challenger must be shown to meet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from skcompare.comparators import COLLECTED
from skcompare.gate._conditions import GateConditions
from skcompare.gate._decision import GateDecision
from skcompare.gate._evaluate import check_ledger, judge_subject
from skcompare.gate._subjects import subject_of


@dataclass(frozen=True, init=False, repr=False)
class Gate(GateConditions):
    """Conditions that a challenger must be shown to meet before it replaces a champion.

    The gate passes where every condition is shown to hold, each by a test at level
    `alpha`. Where one of them does not hold, it passes with a probability of at most
    `alpha`: a gate that passes by mistake has passed that condition by mistake, so that no
    correction is needed (intersection-union test [1]_). Conditions of which any is enough
    are an :class:`AnyOf`, whose p-values are adjusted by Holm's method.

    Everything else is no pass: an undefined p-value, an empty slice, too few records, or
    identical predictions.

    Parameters
    ----------
    *conditions : Superior, NonInferior, Equivalent or AnyOf
        Conditions that must be shown; at least one.
    alpha : float, default=0.05
        Level, below 1/2.
    min_records : int, optional
        Fewest records of every condition that sets no other number.
    min_discordant : int, optional
        Fewest discordant pairs, for conditions by tests that count them.
    tell_inconclusive : bool, default=False
        Whether the command line distinguishes a gate that concluded nothing from one that
        failed, by exit code 3 instead of 1.

    References
    ----------
    .. [1] Berger, R. L. and Hsu, J. C. (1996). "Bioequivalence trials, intersection-union
       tests and equivalence confidence sets." Statistical Science 11(4), 283-319.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.gate import Gate, NonInferior, Superior
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=1000)
    >>> old = np.where(rng.random(1000) < 0.80, y, 1 - y)
    >>> new = np.where(rng.random(1000) < 0.88, y, 1 - y)
    >>> gate = Gate(Superior("accuracy"), NonInferior("f1_macro", margin=0.02))
    >>> decision = gate.decide(y, {"old": old, "new": new})
    >>> decision.status
    'passed'
    """

    def decide(
        self,
        data: Any = None,
        predictions: Mapping[str, Any] | None = None,
        *,
        y_true: Any = None,
        id: str | None = None,
        groups: Any = None,
        labels: Any = None,
        pos_label: Any = None,
        columns: Mapping[str, Any] | None = None,
        train: Any = None,
        features: Sequence[str] = (),
        collect: int = COLLECTED,
        ledger: Any = None,
        blind: bool = False,
    ) -> GateDecision:
        """Judge the conditions by the predictions of two trained classifiers.

        Parameters
        ----------
        data, predictions, y_true, id, groups, labels, pos_label
            The hold-out set and the predictions for it, the champion's first, as for
            :func:`skcompare.compare`. Or `data` is a fitted
            :class:`~skcompare.PairedComparator`, alone, or the
            :class:`~skcompare.predictions.ItemScores` of systems that were scored item by
            item, which are judged by the measure "mean_score".
        columns : mapping of str to array-like of shape (n_samples,), optional
            The columns that define slices, where `data` is no frame or file that has
            them.
        train : frame, str or path-like, optional
            The records that a classifier was trained on. The judged records must not be
            among them, by the column `id`, or by equal values of `features`.
        features : sequence of str, default=()
            Columns by which training records without ids are recognised. Needs `train`.
        collect : int, default=10_000_000
            Largest number of records of a lazy frame or a Parquet file that are read into
            memory. More are counted in place, slice by slice, as by
            :func:`skcompare.compare`.
        ledger : Ledger, str or path-like, optional
            Counts the looks at these records and spends `alpha` over them; this look is
            judged at its share.
        blind : bool, default=False
            Whether to report only if the challenger passed; after the first pass no other
            challenger passes on the set of the ledger. Needs `ledger`.

        Returns
        -------
        decision : GateDecision
            Passed, failed or inconclusive, with reasons; passed or not passed if blind.

        Raises
        ------
        ValueError
            If a gate cannot judge the input: columns that are missing, ids that do not
            match, labels that differ, records of the training data, or a measure that the
            predictions do not allow;
            a ledger that is broken, of other records, or that has no look left.
        OSError
            If the ledger cannot be written, or another process holds it.
        """
        start = perf_counter()
        checked_ledger = check_ledger(ledger, blind)
        subject = subject_of(
            data,
            predictions,
            y_true=y_true,
            id=id,
            groups=groups,
            labels=labels,
            pos_label=pos_label,
            columns=columns,
            conditions=self.leaves,
            collect=collect,
            train=train,
            features=features,
            keep_ids=checked_ledger is not None,
        )
        decision = judge_subject(self, subject, ledger=checked_ledger, blind=blind)
        # The time depends on the true labels, too.
        return decision if blind else replace(decision, seconds=perf_counter() - start)
