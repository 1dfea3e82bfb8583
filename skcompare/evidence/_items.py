"""Evidence from item-level scores."""

from typing import Any

import numpy as np

from skcompare.evidence.labels._clusters import ClusterSums
from skcompare.evidence.labels._contingency import ContingencyTable, count_cells
from skcompare.evidence.losses._paired_losses import PairedLosses
from skcompare.evidence.time._ordered_differences import OrderedDifferences
from skcompare.predictions import ItemScores

OF_LOSSES = (PairedLosses, OrderedDifferences)
"""Evidence that is made of losses."""

NEGATED = "negated score"
"""Name of the losses that stand for scores."""


def item_evidence(scores: ItemScores, needs: type) -> Any:
    """Compute the evidence for a test from item-level scores.

    Parameters
    ----------
    scores : ItemScores
        Scores of both systems.
    needs : type
        A contingency table or sums of clusters, for items that each system attempted once,
        correctly or not; or losses, which are the negated mean scores of the items, or
        these themselves if they are losses.

    Returns
    -------
    evidence : ContingencyTable, ClusterSums, PairedLosses or OrderedDifferences
        Items are the records.

    Notes
    -----
    Several attempts at an item depend on each other, so that the item is the cluster and
    its mean score the observation. Where all items have m attempts, the t test of these
    means is the cluster-robust one of the attempts: the sum of an item's differences is m
    times that of its means, and the factor cancels.
    """
    reason = why_no_evidence(scores, needs)
    if reason:
        raise ValueError(reason)
    if needs in OF_LOSSES:
        settings: dict[str, Any] = {"groups": _groups(scores)}
        if needs is OrderedDifferences:
            settings |= {"time": scores.time, "horizon": scores.horizon}
        if not scores.greater_is_better:
            return needs.from_losses(scores.champion, scores.challenger, **settings)
        # Subtracted from 0, so that a score of 0 gives a loss of 0 and not of -0.
        losses = (0.0 - scores.champion, 0.0 - scores.challenger)
        return needs.from_losses(*losses, loss=NEGATED, **settings)
    champion, challenger = scores.champion == 1, scores.challenger == 1
    if needs is ContingencyTable:
        return ContingencyTable(*count_cells(champion, challenger), scores.design)
    # The cells of a table, from both right to both wrong.
    kind = 3 - 2 * champion.astype(np.int64) - challenger
    groups = _groups(scores)
    n_groups = int(groups.max()) + 1
    tables = np.bincount(4 * groups + kind, minlength=4 * n_groups).reshape(n_groups, 4)
    return ClusterSums(tables, np.arange(n_groups))


def why_no_evidence(scores: ItemScores, needs: type) -> str:
    """Return the reason why a test cannot use the scores, or an empty string."""
    if needs not in (ContingencyTable, ClusterSums, *OF_LOSSES):
        return f"Scores item by item give no {needs.__name__}"
    if needs is OrderedDifferences:
        return _what_time_lacks(scores)
    if needs is not PairedLosses and not scores.right_or_wrong:
        return (
            f"{needs.__name__} needs items that each system answered once, correctly (1) "
            "or wrongly (0). These have several attempts, or grades, or are losses"
        )
    if needs is ClusterSums and scores.groups is None:
        return "ClusterSums needs the groups of the items. These have none"
    return ""


def _what_time_lacks(scores: ItemScores) -> str:
    """Return the reason why the time of the items cannot be used, or an empty string."""
    if scores.n_times is None:
        return "OrderedDifferences needs the time of the items. These have none"
    least = OrderedDifferences.least_records * scores.horizon
    if scores.n_times >= least:
        return ""
    return (
        f"Items in the order of time need {least} time points, "
        f"{OrderedDifferences.least_records} for each step of the horizon of "
        f"{scores.horizon}, and there are {scores.n_times}; collect items over a longer "
        "time"
    )


def _groups(scores: ItemScores) -> Any:
    """Encode the groups by position, because no test uses the group labels."""
    if scores.groups is None:
        return None
    return np.unique(scores.groups, return_inverse=True)[1]
