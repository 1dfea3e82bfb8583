"""Cache of the evidence of a pair of predictions."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from skcompare._analysis._counted import tallied_evidence
from skcompare._analysis._test_selection import LOSS, POS_LABEL
from skcompare._registry.metrics import keywords_of
from skcompare.predictions import SCORES, PairedPredictions


class EvidenceBehind:
    """Cache of the evidence of a pair, by type and options.

    A pickled copy holds the predictions, and computes the evidence again. The positive
    class, and options of the requested tests such as the number of bins, are by default
    those of the comparison.
    """

    def __init__(
        self,
        pair: PairedPredictions,
        pos_label: Any = None,
        usual: Mapping[type, Mapping[str, Any]] = MappingProxyType({}),
    ) -> None:
        self.pair, self.pos_label, self.usual = pair, pos_label, dict(usual)
        self._made: dict[Any, Any] = {}

    def __call__(self, needs: Any, **options: Any) -> Any:
        """Return evidence of a type, with options of its `from_pair`."""
        usual = self.usual.get(needs, {})
        if LOSS in usual and options.get(LOSS, usual[LOSS]) != usual[LOSS]:
            # Its other options are of that loss.
            usual = {}
        options = {**usual, **options}
        if self.pos_label is not None and POS_LABEL in keywords_of(needs.from_pair):
            options.setdefault(POS_LABEL, self.pos_label)
        key = (needs, *((name, repr(value)) for name, value in sorted(options.items())))
        if key not in self._made:
            tally = self.pair.predictions.tally
            self._made[key] = (
                self._from_pair(needs, options)
                if tally is None
                else tallied_evidence(needs, tally, options)
            )
        return self._made[key]

    def _from_pair(self, needs: Any, options: dict[str, Any]) -> Any:
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

    def __reduce__(self) -> tuple[Any, ...]:
        return EvidenceBehind, (self.pair, self.pos_label, self.usual)
