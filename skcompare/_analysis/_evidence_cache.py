"""Cache of the evidence of a pair of predictions."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from skcompare._analysis._counted import pair_of_class, tallied_evidence
from skcompare._analysis._test_selection import LOSS, POS_LABEL
from skcompare._analysis.measures import BY_INFLUENCE, resolve_scoring
from skcompare._registry.metrics import CLASSES, NUMBERS, keywords_of, tested_loss
from skcompare.predictions import SCORES, PairedPredictions, fingerprint

SCORING = "scoring"
"""Option of differences in time order, or by trainings, that selects the measure."""


class EvidenceBehind:
    """Cache of the evidence of a pair, by type and options.

    A pickled copy holds the predictions, and computes the evidence again. The positive
    class, options of the requested tests such as the number of bins, and the measure of
    differences in time order or by trainings, `scoring`, are by default those of the
    comparison.
    """

    def __init__(
        self,
        pair: PairedPredictions,
        pos_label: Any = None,
        usual: Mapping[type, Mapping[str, Any]] = MappingProxyType({}),
        scoring: str | None = None,
    ) -> None:
        self.pair, self.pos_label, self.usual = pair, pos_label, dict(usual)
        self.scoring = scoring
        self._made: dict[Any, Any] = {}

    def __call__(self, needs: Any, **options: Any) -> Any:
        """Return evidence of a type, with options of its `from_pair`."""
        usual = self.usual.get(needs, {})
        if LOSS in usual and options.get(LOSS, usual[LOSS]) != usual[LOSS]:
            # Its other options are of that loss.
            usual = {}
        options = {**usual, **options}
        if needs in BY_INFLUENCE and LOSS not in options and self.scoring:
            options.setdefault(SCORING, self.scoring)
        if self.pos_label is not None and POS_LABEL in keywords_of(needs.from_pair):
            options.setdefault(POS_LABEL, self.pos_label)
        key = (needs, *((name, _text_of(value)) for name, value in sorted(options.items())))
        if key not in self._made:
            tally = self.pair.predictions.tally
            self._made[key] = (
                self._from_pair(needs, options)
                if tally is None
                else tallied_evidence(needs, tally, options)
            )
        return self._made[key]

    def _from_pair(self, needs: Any, options: dict[str, Any]) -> Any:
        if SCORING in options and needs in BY_INFLUENCE:
            return self._of_measure(needs, **options)
        try:
            return needs.from_pair(self.pair, **options)
        except ValueError as error:
            numeric, roles = self.pair.predictions.is_numeric, self.pair.roles
            scored = numeric or any(role.has_proba or role.has_decision for role in roles)
            if scored or SCORES not in getattr(needs, "required", (SCORES,)):
                raise
            # Not all outputs of a classifier are collected.
            raise ValueError(
                f"{error} This comparison has labels only, because only what is compared "
                "is collected. Compare a measure of scores too, such as 'roc_auc' or "
                "'neg_brier_score'."
            ) from error

    def _of_measure(self, needs: Any, scoring: Any, **options: Any) -> Any:
        """Return the differences of a measure in time order, or by trainings."""
        pair, pos_label = self.pair, self.pos_label
        is_numeric = pair.predictions.is_numeric
        (measure,) = resolve_scoring(scoring, NUMBERS if is_numeric else CLASSES)
        if measure.label is not None and is_numeric:
            alone = replace(pair.predictions, estimators=tuple(pair.roles))
            of_outputs = measure.of_outputs(alone)
            pair = PairedPredictions(of_outputs, *of_outputs.estimators)
        elif measure.label is not None:
            position = measure.position(pair.predictions.classes)
            pair, pos_label = pair_of_class(pair, position), True
        loss = tested_loss(measure.metric)
        if loss is not None:
            return needs.from_pair(pair, loss=loss.name, **options)
        return BY_INFLUENCE[needs](pair, measure, pos_label, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return EvidenceBehind, (self.pair, self.pos_label, self.usual, self.scoring)


def _text_of(value: Any) -> str:
    """Text that identifies options: a digest of the time of each record."""
    is_array = hasattr(value, "__len__") and not isinstance(value, str | Mapping)
    return fingerprint(np.asarray(value)) if is_array else repr(value)
