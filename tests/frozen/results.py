"""Results of every registered test, with numbers as hexadecimal floats."""

from dataclasses import fields
from numbers import Real

import numpy as np

from skcompare._registry.tests import paired_tests
from tests.common.subjects import Subject

SAMPLES = ((60, 0, 2), (60, 1, 3), (17, 2, 2))
"""Records, seed and classes."""


def shown(value):
    """A value of a result, exactly."""
    if isinstance(value, bool | np.bool_ | str) or value is None:
        return repr(value)
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, Real):
        return float(value).hex()
    if isinstance(value, np.ndarray):
        return shown(value.tolist())
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(own)}" for key, own in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "(" + ", ".join(map(shown, value)) + ")"
    if hasattr(value, "_fields"):
        return shown(tuple(value))
    return type(value).__name__


def said(error):
    """An error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def result_line(result):
    """All of a result in one line."""
    parts = []
    for field in fields(result):
        value = getattr(result, field.name)
        if callable(value) or value is None or shown(value) in ("()", "''"):
            continue
        parts.append(f"{field.name}={shown(value)}")
    if result.has_interval:
        parts.append(f"interval={shown(tuple(result.confidence_interval()))}")
    return " ".join(parts)


def lines():
    """A line for each test, sample, options and alternative."""
    for name, entry in sorted(paired_tests().items()):
        subject = Subject(entry)
        for n, seed, n_classes in SAMPLES:
            try:
                predictions = subject.predictions(n, seed, n_classes=n_classes)
                evidence = subject.evidence(predictions)
            except ValueError as error:
                yield f"{name} {n} {n_classes} | {said(error)}"
                continue
            for options in subject.variants:
                for alternative in subject.alternatives:
                    what = f"{name} {n} {n_classes} {alternative} {options}"
                    try:
                        result = subject.run(evidence, alternative, **options)
                    except ValueError as error:
                        yield f"{what} | {said(error)}"
                    else:
                        yield f"{what} | {result_line(result)}"
