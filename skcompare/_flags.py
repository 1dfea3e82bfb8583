"""Statistical caveats as stable codes, with the words that explain them to a reader.

A flag is part of a result; it is never a Python warning, because it concerns the data
and not the way the library was called.
"""

from collections.abc import Iterable
from importlib import import_module

FLAG_TEXTS: dict[str, str] = {
    "degenerate": (
        "no observed difference and no variation: the statistic is 0 and p is 1 by "
        "convention"
    ),
    "no-discordant-pairs": (
        "no record is answered rightly by one classifier and wrongly by the other"
    ),
    "few-discordant-pairs": (
        "the answers differ on few records, so an approximation for many of them is poor; "
        'on a hold-out, method="mid-p", "exact" or "permutation" does without it'
    ),
    "undefined-pvalue": (
        "the p-value is undefined for these data and counts as 1 in any adjustment"
    ),
    "invalid-design": (
        "the test is not valid for the way the evidence was collected; it ran because "
        "it was asked for by name, and its error rate is not the stated one"
    ),
    "time-ordered": (
        "records that follow each other are alike, which no test here allows for: where "
        "the disagreement drifts, tests of unrelated records find equal classifiers to "
        "differ in 8 to 43 % of series at a level of 5 %"
    ),
    "less-conservative-correlation": (
        "rho1 and rho2 leave more effective records than the recommended 1/2, which makes "
        "the test less conservative"
    ),
    "more-effective-than-records": (
        "rho1 and rho2 leave more effective records than there are records, so the error "
        "rate of the test is not controlled"
    ),
    "outlying-split": (
        "the difference of a split lies far from the others, so training varied more than "
        "the test allows for; find out why before trusting the p-value"
    ),
    "small-class": (
        "a class has fewer members than there are blocks, so some training sets hold "
        "few or none of it"
    ),
    "refitted": (
        "a fitted classifier was given under cross-validation: it was cloned and fitted "
        "anew on every training set"
    ),
    "mixed-frozen": (
        "one classifier is frozen and another is refitted: the comparison mixes a trained "
        "model with a learning algorithm, and leaks if the frozen model has seen these "
        "records"
    ),
    "weighted-fit": (
        "sample weights were used to fit; the evaluation counts every record once"
    ),
    "no-truth": (
        "there are no true labels: the answers are compared with each other, and nobody "
        "can tell which classifier is better"
    ),
    "scorer-warning": (
        "scikit-learn's scorer warned about some test sets, for example of a class that "
        "they lack"
    ),
    "undefined-in-split": (
        "the score is undefined on some test sets for one classifier or both; these were "
        "left out of the means"
    ),
}
"""Words for every flag code."""


def register_flag(code: str, text: str) -> str:
    """Give a flag of an own test its words; returns the code."""
    known = FLAG_TEXTS.setdefault(code, text)
    if known != text:
        raise ValueError(f"Flag {code!r} exists and means: {known}. Choose another code.")
    return code


def explain(codes: Iterable[str]) -> list[str]:
    """Flag codes with their words, each once, in order."""
    codes = list(codes)
    if not set(codes) <= set(FLAG_TEXTS):
        # A stored result may be read before what it came from is loaded.
        for package in ("comparators", "gate._gate"):
            import_module(f"skcompare.{package}")
    return [
        f"{code}: {FLAG_TEXTS.get(code, 'no words known')}" for code in dict.fromkeys(codes)
    ]
