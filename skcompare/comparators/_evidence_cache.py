"""Evidence of a comparison, computed on request."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from skcompare._registry.entries import keywords_of
from skcompare._registry.tests import get_test
from skcompare.comparators._tally_evidence import tallied_evidence
from skcompare.predictions import SCORES, PairedPredictions

POS_LABEL = "pos_label"


def usual_options(requested: Any) -> dict[type, dict[str, Any]]:
    """Return the evidence options of the requested tests, by type of evidence.

    If two tests have different options for the same evidence, those of the first one.
    """
    usual: dict[type, dict[str, Any]] = {}
    for name, options in requested.items() if isinstance(requested, Mapping) else ():
        entry = get_test(name)
        own = {key: options[key] for key in entry.evidence_options if key in options}
        if own:
            usual[entry.needs] = own | usual.get(entry.needs, {})
    return usual


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
        options = {**self.usual.get(needs, {}), **options}
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
            if SCORES not in getattr(needs, "required", (SCORES,)) or self._has_scores:
                raise
            # Not all outputs of a classifier are collected.
            raise ValueError(
                f"{error} This comparison has labels only, because only what is compared "
                "is collected. Compare a measure of scores too, such as 'roc_auc' or "
                "'neg_brier_score'."
            ) from error

    @property
    def _has_scores(self) -> bool:
        return any(role.has_proba or role.has_decision for role in self.pair.roles)

    def __reduce__(self) -> tuple[Any, ...]:
        return EvidenceBehind, (self.pair, self.pos_label, self.usual)
