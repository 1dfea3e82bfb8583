"""Evaluation designs, and their detection from scikit-learn's splitters.

A test is valid for some designs and not for others, so the design travels with the
evidence from the split to the verdict.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sklearn import model_selection

_TITLES = {
    "holdout": "hold-out",
    "repeated holdout": "{r}-times repeated hold-out",
    "kfold": "{k}-fold cross-validation",
    "repeated kfold": "{r}×{k}-fold cross-validation",
    "bcv": "{r}×2 block-regularized cross-validation",
    "random 5x2": "5×2 cross-validation with random halves",
    "replicated holdout": "{k}-times repeated hold-out, {r} times over",
    "holdout in halves": "{k}-times repeated hold-out of all records and of random halves",
    "time ordered": "time-ordered cross-validation",
    "time-ordered holdout": "time-ordered hold-out",
    "paired trainings": "hold-out with {r} paired trainings",
    "separate trainings": "hold-out with {r} separate trainings",
    "fixed trainings": "hold-out with {r} fixed trainings",
    "unknown": "splits of unknown design",
}

_REMEDIES = {
    "holdout": "a hold-out (cv='prefit')",
    "repeated holdout": "a repeated hold-out (cv=ShuffleSplit(n_splits=15))",
    "kfold": "K-fold cross-validation (cv=StratifiedKFold(10, shuffle=True))",
    "repeated kfold": "repeated K-fold cross-validation (cv=RepeatedStratifiedKFold())",
    "bcv": "5×2 block-regularized cross-validation (cv=None)",
    "random 5x2": (
        "random 5×2 cross-validation (cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=5))"
    ),
    "replicated holdout": "a replicated hold-out (cv=ReplicatedShuffleSplit())",
    "holdout in halves": "a hold-out of all and of halves (cv=HalvesShuffleSplit())",
    "time ordered": "time-ordered splits (cv=TimeSeriesSplit())",
    "time-ordered holdout": "a hold-out in time order (time=...)",
    "paired trainings": "several trainings in pairs (compare_seeds, n_trainings=...)",
    "separate trainings": "several trainings (compare_seeds(paired=False))",
    "fixed trainings": "several trained models (compare_seeds(population='models'))",
    "unknown": "any splits",
}

_TRAINED_AGAIN = (
    "Each recipe was trained several times on the same training records, with a different "
    "seed each time, and all models predicted the same test records, a random sample that "
    "none of them has seen."
)
_OVERLAP = "Their training sets share records, so that their results depend on each other"
_ASSUMPTIONS = {
    "holdout": (
        "Neither model was trained, tuned or chosen on the records that were tested, "
        "and these are a random sample of the records that the conclusion is about."
    ),
    "repeated holdout": (
        f"Records were repeatedly split at random. {_OVERLAP}, and a record may be "
        "tested several times; a valid test allows for both."
    ),
    "kfold": (
        "Each record was tested once, by models that were trained on the other folds. "
        f"{_OVERLAP}; a valid test allows for it."
    ),
    "repeated kfold": (
        f"Each record was tested once in each repetition. {_OVERLAP}, within repetitions "
        "and between them; a valid test allows for it."
    ),
    "bcv": (
        "Records were repeatedly split into halves such that two training sets share "
        "about a quarter of them. Each algorithm was trained on one half and tested on "
        "the other, so that the conclusion is about training with half as many records."
    ),
    "random 5x2": (
        "Records were repeatedly split into random halves. Each algorithm was trained on "
        "one half and tested on the other, so that the conclusion is about training with "
        "half as many records."
    ),
    "replicated holdout": (
        "A repeated hold-out of the same records was repeated, which shows how much the "
        "splits matter, and not how much other records would."
    ),
    "holdout in halves": (
        "A repeated hold-out was run on all records and, to see how much its mean varies, "
        "on the two halves of random bisections."
    ),
    "time ordered": (
        "Each test set is later than what was trained on, and records are in time order. "
        "Models were retrained along the series, so that the conclusion is about methods: "
        "the models and the randomness in their training, with this many trainings on "
        "these windows. Consecutive records may be correlated; a valid test allows for it."
    ),
    "time-ordered holdout": (
        "Neither model was trained, tuned or chosen on the records that were tested, nor "
        "on later ones. Consecutive records may be correlated; a valid test allows for "
        "it. The conclusion is about the time that the records cover, and about similar "
        "times."
    ),
    "paired trainings": (
        f"{_TRAINED_AGAIN} The trainings are in pairs, such as those of one seed or one "
        "order of the training records; pairs are independent of each other. The "
        "conclusion is about the recipes with these training records: one about other "
        "training records would need several training sets."
    ),
    "separate trainings": (
        f"{_TRAINED_AGAIN} All trainings are independent of each other, also those of both "
        "recipes. The conclusion is about the recipes with these training records: one "
        "about other training records would need several training sets."
    ),
    "fixed trainings": (
        f"{_TRAINED_AGAIN} The trainings are fixed: the conclusion is about the mean of "
        "these trained models, and not about training them again."
    ),
    "unknown": "It is unknown how records were split, so no test is known to be valid.",
}

_WINDOWS = {
    "": "",
    "sliding": (
        " Windows of limited length keep the randomness in training constant, as the test "
        "assumes (Giacomini and White 2006)."
    ),
    "expanding": (
        " Expanding windows reduce this randomness over time, so that the test, which "
        "assumes windows of limited length (Giacomini and White 2006), is an "
        "approximation, and the difference is an average over lengths of training."
    ),
}
"""Assumptions about the windows of training, by their kind."""

DESIGN_KINDS = tuple(_TITLES)
"""Kinds of designs that a test can be declared valid for."""

IN_TIME = "time ordered"
"""Kind of the designs whose test sets are later than their training sets."""

TRAININGS = ("paired trainings", "separate trainings", "fixed trainings")
"""Kinds of the designs of several trainings, which all predict one test set."""

IN_WINDOWS = ("window", "gap")
"""Fields of the designs of that kind alone."""

HALVES = ("bcv", "random 5x2")
"""Designs with pairs of splits: train on one half, test on the other."""


@dataclass(frozen=True, slots=True)
class Design:
    """Design of an evaluation: how records were split into training and test sets.

    Parameters
    ----------
    kind : str
        One of "holdout", "repeated holdout", "kfold", "repeated kfold", "bcv"
        (M × 2 block-regularized cross-validation), "random 5x2", "replicated holdout"
        (repetitions of a repeated hold-out), "holdout in halves" (a repeated hold-out of
        all records, and of both halves of random bisections), "time ordered",
        "time-ordered holdout" (records of a hold-out in the order of time), "paired
        trainings", "separate trainings" and "fixed trainings" (several trainings of each
        model, for one test set) and "unknown".
    n_repeats, n_folds : int, default=1
        Numbers of repetitions, and of test sets in each.
    grouped : bool, default=False
        Whether records come in groups (patients, users) that were kept together. A
        test is valid for a grouped design only if it declares it.
    window : {"", "expanding", "sliding"}, default=""
        Whether the training sets of "time ordered" splits begin with the first records
        that were trained on, or leave them behind; "" if that is not known.
    gap : int, default=0
        Least number of records between a training set and its test set in time order.
    """

    kind: str
    n_repeats: int = 1
    n_folds: int = 1
    grouped: bool = False
    window: str = ""
    gap: int = 0

    def __post_init__(self) -> None:
        if self.kind not in _TITLES:
            raise ValueError(
                f"Unknown design {self.kind!r}. Known: {', '.join(_TITLES)}. A design "
                "that is none of these is 'unknown'."
            )
        if self.window not in _WINDOWS:
            raise ValueError(
                f"`window` must be 'expanding', 'sliding' or ''. Got {self.window!r}."
            )

    @property
    def name(self) -> str:
        """Name of the design, as in the declarations of tests."""
        return f"grouped {self.kind}" if self.grouped else self.kind

    @property
    def n_splits(self) -> int:
        """Number of test sets, over all repetitions."""
        return self.n_repeats * self.n_folds

    @property
    def assumption(self) -> str:
        """Assumptions about the records and their split, as text."""
        text = _ASSUMPTIONS[self.kind]
        if self.kind in ("time-ordered holdout", IN_TIME):
            together = " Records of one group, or of one time, may depend on each other."
            return text + _WINDOWS[self.window] + together * self.grouped
        if not self.grouped:
            return f"{text} The records are independent of each other."
        return (
            f"{text} Records of one group may depend on each other; groups are "
            "independent, and none is in training and test set at once."
        )

    def __str__(self) -> str:
        title = _TITLES[self.kind].format(r=self.n_repeats, k=self.n_folds)
        if self.window:
            gap = f", gap of {self.gap}" if self.gap else ""
            title += f" ({self.window} windows{gap})"
        return f"{title} by groups" if self.grouped else title


HOLDOUT = Design("holdout")
GROUPED_HOLDOUT = Design("holdout", grouped=True)
TIME_ORDERED_HOLDOUT = Design("time-ordered holdout")
PAIRED_TRAININGS = Design("paired trainings")
SEPARATE_TRAININGS = Design("separate trainings")
FIXED_TRAININGS = Design("fixed trainings")
GROUPED_TIME_ORDERED = Design("time-ordered holdout", grouped=True)
UNKNOWN = Design("unknown")


def remedy(design_name: str, *, stratified: bool = True) -> str:
    """Describe how to collect evidence by a design, with the `cv` to pass.

    Only class labels are stratified; scikit-learn's splitters of numbers have the same
    names without that word.
    """
    grouped, kind = design_name.startswith("grouped "), design_name.removeprefix("grouped ")
    text = _REMEDIES.get(kind, kind)
    text = text if stratified else text.replace("Stratified", "")
    return f"{text} with groups" if grouped else text


_OF_WINDOWS = re.compile(
    re.escape(_TITLES[IN_TIME])
    + r" \((?P<window>expanding|sliding) windows(, gap of (?P<gap>\d+))?\)"
)


def design_in_text(text: str) -> Design | None:
    """Return the design with a title, or None if there is none."""
    title = text.removesuffix(" by groups")
    if windows := _OF_WINDOWS.fullmatch(title):
        window, gap = windows["window"], int(windows["gap"] or 0)
        return Design(IN_TIME, grouped=title != text, window=window, gap=gap)
    for kind, form in _TITLES.items():
        pattern = re.escape(form).replace(r"\{r\}", r"(?P<r>\d+)")
        match = re.fullmatch(pattern.replace(r"\{k\}", r"(?P<k>\d+)"), title)
        if match:
            counts = {name: int(number) for name, number in match.groupdict().items()}
            grouped = title != text
            return Design(kind, counts.get("r", 1), counts.get("k", 1), grouped)
    return None


def as_design(design: "Design | str") -> Design:
    """Convert the name of a design to a design; a design is returned unchanged."""
    if isinstance(design, Design):
        return design
    if not isinstance(design, str):
        raise TypeError(
            f"A design must be a name or a Design. Got {design!r}. Pass one of "
            f"{', '.join(_TITLES)}."
        )
    kind = design.removeprefix("grouped ")
    return Design(kind, grouped=kind != design)


def design_of_folds(n_repeats: int, n_folds: int) -> Design:
    """Return the design of K-fold cross-validation that is repeated, or done once."""
    if n_repeats == 1:
        return Design("kfold", n_folds=n_folds)
    halves = (n_repeats, n_folds) == (5, 2)
    return Design("random 5x2" if halves else "repeated kfold", n_repeats, n_folds)


# Exact types only: a subclass may split in another way, so it is `unknown` unless it
# declares its design.
KNOWN_SPLITTERS: dict[type, str] = {
    model_selection.KFold: "kfold",
    model_selection.StratifiedKFold: "kfold",
    model_selection.LeaveOneOut: "kfold",
    model_selection.GroupKFold: "kfold",
    model_selection.StratifiedGroupKFold: "kfold",
    model_selection.LeaveOneGroupOut: "kfold",
    model_selection.RepeatedKFold: "repeated kfold",
    model_selection.RepeatedStratifiedKFold: "repeated kfold",
    model_selection.ShuffleSplit: "repeated holdout",
    model_selection.StratifiedShuffleSplit: "repeated holdout",
    model_selection.GroupShuffleSplit: "repeated holdout",
    model_selection.PredefinedSplit: "kfold",
    model_selection.TimeSeriesSplit: "time ordered",
}
"""Kinds of design of scikit-learn's splitters."""


def design_of(splitter: Any, n_splits: int, *, grouped: bool = False) -> Design:
    """Determine the design of a splitter.

    Parameters
    ----------
    splitter : object
        A scikit-learn splitter. One that skcompare does not know can declare its
        design by an attribute `skcompare_design`, a name such as "kfold" or a
        :class:`Design`.
    n_splits : int
        Number of splits that it made.
    grouped : bool, default=False
        Whether `groups` were passed; splitters that keep groups together and splitters
        that do not both make a grouped design, because the records are dependent
        either way.

    Returns
    -------
    design : Design
        "unknown" for an iterable and for an unfamiliar splitter.
    """
    declared = getattr(splitter, "skcompare_design", None)
    kind = KNOWN_SPLITTERS.get(type(splitter), "unknown")
    if declared is not None:
        design = as_design(declared)
    elif n_splits == 1 and kind in ("kfold", "repeated holdout"):
        # One split of folds is possible only if it is predefined.
        design = HOLDOUT
    elif kind == "repeated kfold":
        design = design_of_folds(splitter.n_repeats, n_splits // splitter.n_repeats)
    else:
        shape = (n_splits, 1) if kind == "repeated holdout" else (1, n_splits)
        design = Design(kind, *shape)
    if design.n_splits != n_splits:
        # A declared name does not state repetitions, but these designs come in halves.
        halves = design.kind in HALVES and n_splits % 2 == 0
        shape = (n_splits // 2, 2) if halves else (1, n_splits)
        design = replace(design, n_repeats=shape[0], n_folds=shape[1])
    return replace(design, grouped=grouped or design.grouped)


def design_of_trainings(
    counts: Iterable[int], paired: bool | None, fixed: bool = False
) -> Design:
    """Return the design of these numbers of trainings; equal ones are by default paired."""
    numbers = list(counts)
    are_paired = len(set(numbers)) == 1 if paired is None else paired
    design = PAIRED_TRAININGS if are_paired else SEPARATE_TRAININGS
    return replace(FIXED_TRAININGS if fixed else design, n_repeats=max(numbers))


_REPEATED = {"holdout": "repeated holdout", "kfold": "repeated kfold"}


def design_of_shape(design: Design, shape: tuple[int, ...]) -> Design:
    """Set repetitions and folds of a design by the rows and columns of an array."""
    if design.n_splits == math.prod(shape):
        return design
    repeats, folds = shape if len(shape) == 2 else (1, shape[0])
    if design.kind in _REPEATED and repeats > 1:
        raise ValueError(
            f"design={design.kind!r} is done once, so there must be one row of values. Got "
            f"shape {shape}. Done again and again it is {_REPEATED[design.kind]!r}."
        )
    if design.kind == "repeated holdout" and repeats == 1:
        repeats, folds = folds, repeats
    return replace(design, n_repeats=int(repeats), n_folds=int(folds))
