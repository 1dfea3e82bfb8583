"""What scikit-learn asks of a scorer besides scores: metadata, copies and words."""

import inspect
from copy import copy, deepcopy
from typing import Any, ClassVar, Self

from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRequest


class RoutedScorer:
    """A scorer that may ask for stored answers of the champion."""

    default_test: ClassVar[str] = ""
    """The test of a scorer of one subject, where none is named."""

    test: str
    champion: Any
    returns: str
    options: dict[str, Any]
    _stored: tuple[str, ...]

    def set_score_request(self, **requests: Any) -> Self:
        """Ask for stored answers of the champion by scikit-learn's metadata routing.

        Parameters
        ----------
        **requests : dict
            ``champion_predictions`` or ``champion_scores``, whichever the test is made
            of: True, False, None, or the name under which they are passed. A scorer
            without a champion asks for them already.

        Returns
        -------
        self : scorer
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs metadata routing. Turn it on by "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        asked = {name: value for name, value in requests.items() if value}
        self._refuse({name: asked[name] for name in asked if name not in self._stored})
        if self.champion is not None and asked:
            raise ValueError(
                f"{type(self).__name__} has a champion, and needs no stored answers. Got a "
                f"request for {', '.join(asked)}. Leave `champion` out to score by them."
            )
        usual = {} if self.champion is not None else dict.fromkeys(self._stored, True)
        self._ask_for({**usual, **requests})
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """What scikit-learn hands this scorer beside records and labels.

        Returns
        -------
        request : MetadataRequest
        """
        return deepcopy(self._metadata_request)

    def _ask_for(self, requests: dict[str, Any]) -> None:
        self._metadata_request = MetadataRequest(owner=type(self).__name__)
        for name, asked in requests.items():
            self._metadata_request.score.add_request(param=name, alias=asked)

    def _refuse(self, metadata: dict[str, Any]) -> None:
        if metadata.get("sample_weight") is not None:
            raise ValueError(
                f"{type(self).__name__} counts every record once: {self.test} has no "
                "version for weights. Got sample_weight. Leave it out of scoring; a "
                "classifier may still ask for it in its fit."
            )
        unknown = [name for name, value in metadata.items() if value is not None]
        if unknown:
            raise TypeError(
                f"{type(self).__name__} takes {' and '.join(self._stored)} beside records "
                f"and labels. Got {', '.join(unknown)}."
            )

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of scorers where weights are passed with routing off.
        return False

    @property
    def _score_func(self) -> Any:
        # Asked for by what applies a metric to answers of its own; an AttributeError, as
        # scikit-learn also asks by hasattr.
        raise AttributeError(
            f"{type(self).__name__} calls both classifiers itself, and cannot score other "
            "answers, such as those at thresholds in TunedThresholdClassifierCV. Tune by a "
            "metric, such as scoring='balanced_accuracy', and score what it gives."
        )

    def __sklearn_clone__(self) -> Self:
        # A champion may be large, and what is never changed can be shared.
        shared = copy(self)
        shared._metadata_request = deepcopy(self._metadata_request)
        return shared

    def __repr__(self) -> str:
        parameters = inspect.signature(type(self)).parameters
        given = {"champion": self.champion, "returns": self.returns}
        if "test" in parameters:
            test = {"test": self.test}
            given = {**given, **test} if self.default_test else {**test, **given}
        words = []
        for name, value in {**given, **self.options}.items():
            usual = parameters[name].default if name in parameters else None
            plain = value is None or isinstance(value, str | int | float)
            if value is not None and not (plain and value == usual):
                words.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(words)})"
