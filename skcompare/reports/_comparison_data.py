"""Data of a comparison, with conversion to JSON and data frames."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from skcompare._analysis import ComparisonRow, Results, Verdict
from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._core.report import Reported, from_standard_json, to_standard_json
from skcompare._io.columns import frame_from_columns
from skcompare.stats import EnsembleAdvice, PairedResult

SCHEMA = "skcompare.comparison"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class ComparisonData(Reported):
    """Data of a comparison of two classifiers, from which all reports are made."""

    rows: tuple[ComparisonRow, ...]
    conclusion: Verdict
    champion: str
    challenger: str
    design: Design
    n_records: int
    n_tested: int
    n_fits: int
    alpha: float
    alternative: str
    adjust: str
    size: str = ""
    seconds: float | None = None
    random_state: Any = None
    flags: tuple[str, ...] = ()
    fingerprint: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    advice: EnsembleAdvice | None = None
    source: Callable[..., Any] | None = field(default=None, repr=False, compare=False)

    @property
    def verdict(self) -> str:
        """Winner of the comparison: "challenger", "champion" or "inconclusive"."""
        return self.conclusion.winner

    @property
    def results(self) -> Results:
        """Rows by (measure, class or None, test), or by a unique measure or test."""
        return Results(self.rows)

    @property
    def caveats(self) -> list[str]:
        """Explanations of the flags of the comparison and of its rows.

        If there are several rows, each says which tests the flag is about.
        """
        tests: dict[str, list[str]] = {code: [] for code in self.flags}
        for row in self.rows:
            for code in row.flags:
                tests.setdefault(code, []).append(row.test or row.subject)
        return [
            f"{explanation} ({', '.join(dict.fromkeys(tests[code]))})"
            if tests[code] and len(self.rows) > 1
            else explanation
            for code, explanation in zip(tests, explain(tests), strict=True)
        ]

    def evidence(self, needs: type, **options: Any) -> Any:
        """Return evidence of the comparison, for plots and further tests.

        Parameters
        ----------
        needs : type
            A class of :mod:`skcompare.evidence`, such as `ContingencyTable`.
        **options : dict
            Options of its `from_pair`, such as `pos_label`.

        Returns
        -------
        evidence : object of that class

        Raises
        ------
        ValueError
            If the comparison was read from JSON or made of item scores, and so has no
            predictions, or if the evidence needs probabilities that were not collected
            because no measure needed them.

        Examples
        --------
        >>> from skcompare import compare
        >>> from skcompare.evidence import ContingencyTable
        >>> comparison = compare([0, 1, 1], {"old": [0, 1, 0], "new": [0, 1, 1]})
        >>> comparison.evidence(ContingencyTable).only_challenger
        1
        """
        if self.source is None:
            raise ValueError(
                "This comparison has no predictions: it was read from JSON, or made of "
                "item scores. Compare the predictions again, or make the evidence of them."
            )
        return self.source(needs, **options)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as a dict of plain values."""
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "verdict": asdict(self.conclusion),
            "champion": self.champion,
            "challenger": self.challenger,
            "design": asdict(self.design),
            "n_records": self.n_records,
            "n_tested": self.n_tested,
            "n_fits": self.n_fits,
            "size": self.size,
            "seconds": self.seconds,
            "alpha": self.alpha,
            "alternative": self.alternative,
            "adjust": self.adjust,
            "random_state": self.random_state,
            "flags": list(self.flags),
            "fingerprint": self.fingerprint,
            "versions": dict(self.versions),
            "advice": None if self.advice is None else self.advice.to_dict(),
            "rows": [row_to_dict(row, 1 - self.alpha) for row in self.rows],
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the comparison as standard JSON, with NaN as {"number": "NaN"}."""
        return to_standard_json(self.to_dict(), indent=indent)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a comparison from JSON written by :meth:`to_json`."""
        return from_standard_json(text, SCHEMA, SCHEMA_VERSION, cls._from_dict)

    @classmethod
    def _from_dict(cls, stored: dict[str, Any]) -> Self:
        advice = stored["advice"]
        return cls(
            rows=tuple(map(row_from_dict, stored["rows"])),
            conclusion=Verdict(**stored["verdict"]),
            design=Design(**stored["design"]),
            flags=tuple(stored["flags"]),
            advice=None if advice is None else EnsembleAdvice.from_dict(advice),
            **{name: stored[name] for name in _PLAIN_FIELDS},
        )

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the rows as a data frame of pandas, polars or pyarrow."""
        rows = [row.to_dict() for row in self.rows]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        columns["flags"] = [" ".join(codes) for codes in columns["flags"]]
        return frame_from_columns(columns, backend)


_PLAIN_FIELDS = [
    f.name
    for f in fields(ComparisonData)
    if f.name not in ("rows", "conclusion", "design", "flags", "advice", "source")
]


def row_to_dict(row: ComparisonRow, confidence_level: float) -> dict[str, Any]:
    """Return a row as a dict of plain values, with its result at a level."""
    result = row.result
    stored = None if result is None else result.to_dict(confidence_level)
    return row.to_dict() | {"result": stored}


def row_from_dict(stored: Mapping[str, Any]) -> ComparisonRow:
    """Read a row from the output of `row_to_dict`."""
    result = stored["result"]
    values = {
        "flags": tuple(stored["flags"]),
        "result": None if result is None else PairedResult.from_dict(result),
    }
    return ComparisonRow(**{**stored, **values})
