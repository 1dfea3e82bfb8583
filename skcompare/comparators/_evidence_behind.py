"""The evidence behind a comparison, made when it is asked for."""

from typing import Any

from skcompare._registered_measures import keywords_of
from skcompare.comparators._tallied import tallied_evidence
from skcompare.predictions import PairedPredictions

__all__ = ["EvidenceBehind"]

POS_LABEL = "pos_label"


class EvidenceBehind:
    """Makes evidence of the answers of a pair, each once with the same options.

    A copy that is stored holds the answers, and makes the evidence again. The positive
    class is that of the comparison where no other one is asked for.
    """

    def __init__(self, pair: PairedPredictions, pos_label: Any = None) -> None:
        self.pair, self.pos_label = pair, pos_label
        self._made: dict[Any, Any] = {}

    def __call__(self, needs: Any, **options: Any) -> Any:
        """Evidence of a type, with options of its `from_pair`."""
        if self.pos_label is not None and POS_LABEL in keywords_of(needs.from_pair):
            options.setdefault(POS_LABEL, self.pos_label)
        key = (needs, *((name, repr(value)) for name, value in sorted(options.items())))
        if key not in self._made:
            tally = self.pair.predictions.tally
            self._made[key] = (
                needs.from_pair(self.pair, **options)
                if tally is None
                else tallied_evidence(needs, tally, options)
            )
        return self._made[key]

    def __reduce__(self) -> tuple[Any, ...]:
        return EvidenceBehind, (self.pair, self.pos_label)
