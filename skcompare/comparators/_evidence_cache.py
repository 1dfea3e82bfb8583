"""The evidence behind a comparison, made when it is asked for."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from skcompare._registry.entries import keywords_of
from skcompare._registry.tests import get_test
from skcompare.comparators._tally_evidence import tallied_evidence
from skcompare.predictions import SCORES, PairedPredictions

POS_LABEL = "pos_label"


def usual_options(asked: Any) -> dict[type, dict[str, Any]]:
    """Options by which the evidence of the tests that were asked for was made.

    Where two tests have other options for the same evidence, those of the first one.
    """
    found: dict[type, dict[str, Any]] = {}
    for name, given in asked.items() if isinstance(asked, Mapping) else ():
        entry = get_test(name)
        known = {key: given[key] for key in entry.evidence_options if key in given}
        if known:
            found[entry.needs] = known | found.get(entry.needs, {})
    return found


class EvidenceBehind:
    """Makes evidence of the answers of a pair, each once with the same options.

    A copy that is stored holds the answers, and makes the evidence again. The positive
    class, and options of the tests that were asked for, such as the number of bins, are
    those of the comparison where no others are asked for.
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
        """Evidence of a type, with options of its `from_pair`."""
        options = {**self.usual.get(needs, {}), **options}
        if self.pos_label is not None and POS_LABEL in keywords_of(needs.from_pair):
            options.setdefault(POS_LABEL, self.pos_label)
        key = (needs, *((name, repr(value)) for name, value in sorted(options.items())))
        if key not in self._made:
            tally = self.pair.predictions.tally
            self._made[key] = (
                self._of_answers(needs, options)
                if tally is None
                else tallied_evidence(needs, tally, options)
            )
        return self._made[key]

    def _of_answers(self, needs: Any, options: dict[str, Any]) -> Any:
        try:
            return needs.from_pair(self.pair, **options)
        except ValueError as error:
            if SCORES not in getattr(needs, "wanted", (SCORES,)) or self._has_scores:
                raise
            # A classifier that has probabilities may not have been asked for them.
            raise ValueError(
                f"{error} This comparison has labels only: classifiers are asked for what "
                "is compared. Compare a measure of scores too, such as 'roc_auc' or "
                "'neg_brier_score'."
            ) from error

    @property
    def _has_scores(self) -> bool:
        return any(one.has_proba or one.has_decision for one in self.pair.roles)

    def __reduce__(self) -> tuple[Any, ...]:
        return EvidenceBehind, (self.pair, self.pos_label, self.usual)
