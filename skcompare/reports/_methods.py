"""Paragraph on the methods of a comparison, with citations, to paste into a paper."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skcompare._core.formatting import format_confidence, inference_text
from skcompare._core.report import latex_text
from skcompare._core.validation import check_choice
from skcompare._registry.tests import paired_tests
from skcompare.reports._sources import Source, sources_of
from skcompare.stats.core import ADJUSTMENT_REFERENCES

FORMATS = ("text", "markdown", "latex")
ADJUSTMENT_TITLES = {
    "holm": "Holm's method",
    "hochberg": "Hochberg's method",
    "bonferroni": "Bonferroni's method",
    "benjamini-hochberg": "the method of Benjamini and Hochberg",
    "max-t": "the joint distribution of the statistics (max-T)",
}
SURNAMES = ("Wald", "Diebold", "Stuart")
"""First words of titles that keep their capital within a sentence."""
DIRECTIONS = {
    "two-sided": "two-sided",
    "greater": "one-sided, in favour of the challenger",
    "less": "one-sided, in favour of the champion",
}


class Citations:
    """Citations of one text in its format; the sources that it cites are collected.

    Parameters
    ----------
    format : {"text", "markdown", "latex"}
        Format of the text.
    """

    def __init__(self, format: str) -> None:
        self.format = check_choice("format", format, FORMATS)
        self.cited: dict[str, Source] = {}
        self.named: set[str] = set()

    def __call__(self, name: str, *further: str) -> str:
        """Return the citation of a test or adjustment, with a remark after it."""
        known = name in paired_tests() or name in ADJUSTMENT_REFERENCES
        # The sources of a test are named where it is named first.
        sources = sources_of(name) if known and name not in self.named else {}
        self.named.add(name)
        self.cited |= sources
        if self.format == "latex":
            keys = rf"\citep{{{','.join(sources)}}}" if sources else ""
            remark = f"({self.plain(', '.join(further))})" if further else ""
            return f"{' ' * bool(remark)}{remark}{'~' * bool(keys)}{keys}"
        cited = "; ".join(source.citation for source in sources.values())
        parts = [part for part in (", ".join(further), cited) if part]
        return f" ({self.plain('; '.join(parts))})" if parts else ""

    def plain(self, text: str) -> str:
        """Return a text in the format."""
        return latex_text(text) if self.format == "latex" else text

    def with_list(self, paragraph: str) -> str:
        """Return a paragraph with its references; those of LaTeX are in a file."""
        if self.format == "latex" or not self.cited:
            return f"{paragraph}\n"
        mark = "- " if self.format == "markdown" else ""
        texts = sorted(source.text for source in self.cited.values())
        heading = "**References**" if mark else "References"
        lines = "\n".join(f"{mark}{text}" for text in texts)
        return f"{paragraph}\n\n{heading}\n\n{lines}\n"


def methods_of_two(comparison: Any, format: str) -> str:
    """Return the paragraph on a comparison of two."""
    cite = Citations(format)
    primary, *others = comparison.rows
    names = (comparison.challenger, comparison.champion)
    first, second = names if len(set(names)) == 2 else ("challenger", "champion")
    challenger, champion = cite.plain(first), cite.plain(second)
    if first != "challenger":
        challenger, champion = f"{challenger} (challenger)", f"{champion} (champion)"
    sentences = [f"We compared {challenger} with {champion} {_evidence(comparison, cite)}"]
    subject = cite.plain(_measure(primary.subject))
    if primary.test is None:
        sentences.append(f"The primary measure was {subject}, which was not tested")
    else:
        estimate = _estimate(primary)
        sentences.append(
            f"The primary measure was {subject}; {estimate} was tested by "
            f"{_test(primary.test, _method(primary), cite)}, "
            f"{DIRECTIONS[comparison.alternative]}, at a significance level of "
            f"{comparison.alpha:g}"
        )
    sentences += _secondary(comparison, others, cite)
    if any(row.low is not None for row in comparison.rows):
        sentences.append(_intervals(comparison, cite))
    if primary.result is not None:
        result = primary.result
        about = inference_text(result.inference, result.design)
        sentences.append(f"Conclusions are about {about}")
    sentences.append(_software(comparison, cite))
    return cite.with_list(f"{'. '.join(sentences)}.")


def _secondary(comparison: Any, others: Sequence[Any], cite: Citations) -> list[str]:
    """Describe the rows after the first one, and the adjustment of their p-values."""
    tested = [row for row in others if row.test is not None]
    sentences = []
    by_test: dict[tuple[str, str], list[str]] = {}
    for row in tested:
        by_test.setdefault((row.test, _method(row)), []).append(_measure(row.subject))
    if by_test:
        parts = [
            f"{cite.plain(_joined(dict.fromkeys(subjects)))} by {_test(*test, cite)}"
            for test, subjects in by_test.items()
        ]
        sentences.append(f"Secondary tests were of {_joined(parts, '; ')}")
        sentences.append(_adjustment(comparison.adjust, "The p-values of these", cite))
    untested = [row for row in others if row.test is None]
    if untested:
        names = _joined(dict.fromkeys(_measure(row.subject) for row in untested))
        sentences.append(f"Without a test we report {cite.plain(names)}")
    return sentences


def methods_of_several(comparison: Any, format: str) -> str:
    """Return the paragraph on a comparison of several."""
    cite = Citations(format)
    primary, *others = comparison.comparisons
    names = [cite.plain(row.name) for row in primary.classifiers]
    sentences = [
        f"We compared {len(names)} models ({_joined(sorted(names))}) "
        f"{_evidence(comparison, cite)}"
    ]
    subject = cite.plain(_measure(primary.subject))
    whose = "of all pairs"
    if comparison.control is not None:
        whose = f"of each model from {cite.plain(comparison.control)}, the control,"
    if primary.test is None:
        sentences.append(f"The primary measure was {subject}, which was not tested")
    else:
        sentences.append(
            f"The primary measure was {subject}; differences {whose} were tested by "
            f"{_test(primary.test, primary.method, cite)}, "
            f"{DIRECTIONS[comparison.alternative]}, at a significance level of "
            f"{comparison.alpha:g}"
        )
        sentences.append(_adjustment(comparison.adjust, "Their p-values", cite))
    if primary.omnibus is not None:
        test = _test(primary.omnibus.test, primary.omnibus.method, cite)
        sentences.append(f"Whether any two models differ was tested by {test}")
    tested = {part.test: part.method for part in others if part.test}
    if tested:
        subjects = dict.fromkeys(_measure(part.subject) for part in others if part.test)
        tests = _joined(_test(name, method, cite) for name, method in tested.items())
        sentences.append(
            f"Secondary measures were {cite.plain(_joined(subjects))}, by {tests}, with "
            "p-values adjusted within each measure"
        )
    if primary.test is not None:
        level = cite.plain(f"{100 * primary.interval_level:.4g} %")
        sentences.append(f"Each interval of a difference has a confidence level of {level}")
    sentences.append(_software(comparison, cite))
    return cite.with_list(f"{'. '.join(sentences)}.")


def _evidence(comparison: Any, cite: Citations) -> str:
    """Describe the records and the design."""
    size = comparison.size or f"{comparison.n_records:,} records"
    if comparison.n_tested < comparison.n_records and not comparison.size:
        size = f"{comparison.n_tested:,} tested records of {comparison.n_records:,}"
    design = str(comparison.design)
    by = "in a" if design.startswith(("hold-out", "time-ordered hold-out")) else "by"
    return cite.plain(f"on {size}, {by} {design}")


def _measure(subject: str) -> str:
    name, bracket, label = subject.partition("[")
    return f"{name.replace('_', ' ')}{bracket}{label}"


def _estimate(row: Any) -> str:
    if row.kind == "difference":
        what = "the difference" if row.greater_is_better else "the gain"
        return f"{what}, positive where the challenger is better,"
    return f"the {row.result.estimate_name}" if row.result is not None else "it"


def _method(row: Any) -> str:
    return "" if row.result is None else row.result.method


def _test(name: str, method: str, cite: Citations) -> str:
    """Name a test by its title, with its method and sources."""
    entry = paired_tests().get(name)
    title = name if entry is None else entry.title
    first = title.split(" ")[0]
    if entry is not None and not re.search("'s? ", title):
        is_word = first[1:].islower() and not first.startswith(SURNAMES)
        title = f"the {title[:1].lower() if is_word else title[:1]}{title[1:]}"
    return f"{cite.plain(title)}{cite(name, *([method] if method else []))}"


def _adjustment(adjust: str, whose: str, cite: Citations) -> str:
    if adjust == "none":
        return f"{whose} were not adjusted for the number of tests"
    title = ADJUSTMENT_TITLES.get(adjust, adjust)
    return f"{whose} were adjusted by {cite.plain(title)}{cite(adjust)}"


def _intervals(comparison: Any, cite: Citations) -> str:
    level = cite.plain(format_confidence(comparison.alpha))
    side = "" if comparison.alternative == "two-sided" else "one-sided "
    return (
        f"Intervals are {side}{level} confidence intervals, not adjusted for the number of "
        "measures"
    )


def _software(comparison: Any, cite: Citations) -> str:
    versions: Mapping[str, str] = comparison.versions
    used = [f"{name} {version}" for name, version in versions.items()]
    text = f"Computations were done with {cite.plain(_joined(used) or 'skcompare')}"
    if comparison.random_state is not None:
        text += f"; the random seed was {cite.plain(str(comparison.random_state))}"
    return text


def _joined(names: Iterable[str], separator: str = ", ") -> str:
    *first, last = [*names] or [""]
    return f"{separator.join(first)} and {last}" if first else last
