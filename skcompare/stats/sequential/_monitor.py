"""Monitor of interim analyses of a data stream, with storage in a file."""

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from skcompare._core.atomic_write import replaced_on_success
from skcompare._core.formatting import format_pvalue
from skcompare._core.validation import (
    alpha_of,
    check_alternative,
    check_choice,
    check_confidence_level,
    is_number,
)
from skcompare._io.columns import frame_from_columns
from skcompare.evidence import ContingencyTable, PairedLosses
from skcompare.stats.accuracy._mcnemar import check_difference
from skcompare.stats.core._result import ConfidenceInterval
from skcompare.stats.sequential._e_values import (
    SHARES,
    CountBets,
    GridBets,
    agreeing_limits,
    anytime_tail,
    bound_of,
    loss_bets,
)
from skcompare.stats.sequential._sequential_tests import check_gain, check_prior, count_bets

TOO_MUCH = 1e-9
"""Tolerance of the logarithm of gains beyond what is possible, per record."""


def stored_looks(rows: Any) -> list[list[Any]]:
    """Validate and return interim analyses read from a file."""
    looks, previous = [_numbers(row, len(AnytimeLook._fields)) for row in rows], 0
    for n, _, low, high, pvalue, log_pvalue in looks:
        if not (previous < n and low <= high and 0 < pvalue <= 1 and log_pvalue <= 0):
            raise ValueError("no stream has its looks")
        previous = n
    return looks


def stored_bets(values: Any, prior: float | None, bound: float | None) -> Any:
    """Validate and return stored bets, on counts if there is a prior, else on losses."""
    if prior is not None:
        _numbers(values.values(), 4)
        counts = CountBets(**values)
        b, c = counts.only_champion, counts.only_challenger
        possible = min(b, c) >= 0 and b + c <= counts.n and counts.prior == prior
        bets: CountBets | GridBets = counts
    else:
        growth = np.array(_numbers(values.pop("growth"), len(SHARES)))
        _numbers(values.values(), 4)
        bets = grid = GridBets(**values, growth=growth)
        share = grid.mean / grid.bound
        possible = grid.n > 0 and grid.bound == bound and abs(share) <= 1 + TOO_MUCH
        # By Jensen's inequality no records with this mean gain more.
        most = grid.n * np.log1p(SHARES * max(-1.0, min(1.0, share)))
        possible = possible and bool((growth <= most + TOO_MUCH * (1 + grid.n)).all())
    if not possible:
        raise ValueError("no stream has its records")
    return bets


def _numbers(values: Any, count: int) -> list[Any]:
    """Return the values as a list; check for `count` finite numbers."""
    numbers = list(values)
    if len(numbers) != count or not all(is_number(v) and math.isfinite(v) for v in numbers):
        raise ValueError(f"it has {numbers!r:.60} where {count} numbers are")
    return numbers


NEEDS: dict[str, type] = {
    "anytime_mcnemar": ContingencyTable,
    "anytime_losses": PairedLosses,
}
FORMAT = "skcompare.anytime_monitor"
VERSION = 1


class AnytimeLook(NamedTuple):
    """Result of a single interim analysis of a stream.

    Parameters
    ----------
    n : int
        Number of records up to this look.
    estimate, low, high : float
        Their mean difference, and its interval.
    pvalue, log_pvalue : float
        P-value of this look; a later one may be larger.
    """

    n: int
    estimate: float
    low: float
    high: float
    pvalue: float
    log_pvalue: float


class AnytimeMonitor:
    """Monitor of a stream of records, tested until the evidence is sufficient.

    Each batch of new records is an interim analysis, or look. The smallest p-value of all
    looks so far is valid, and so is the intersection of their intervals, for any number of
    looks and any time of stopping. Records are not kept, only the gains of bets on them: a
    few numbers, which :meth:`save` writes to a file, so that a later job can continue.

    Parameters
    ----------
    test : {"anytime_mcnemar", "anytime_losses"}, default="anytime_mcnemar"
        Accuracy, from batches of ContingencyTable, or losses, from those of PairedLosses.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    null_value : float, default=0
        Difference, or gain, under the null hypothesis.
    confidence_level : float, default=0.95
        Level of all intervals; `decided` says whether p is below 1 minus this level.
    prior : float, optional
        As for :func:`anytime_mcnemar`; 1 by default.
    bound : float, optional
        As for :func:`anytime_losses`; by default that of the loss of the first batch.

    Attributes
    ----------
    history : tuple of AnytimeLook
        All looks, each by itself.

    Raises
    ------
    ValueError
        If an option does not belong to the test.

    See Also
    --------
    anytime_mcnemar, anytime_losses : The tests, with their assumptions.

    Notes
    -----
    The intersection of the intervals supposes that the difference stays the same. If it
    changes, the interval of each look still covers the mean of the differences of the
    records so far, at all looks together, and the intersection may become empty: it is
    (NaN, NaN) then, and `flags` has "empty-intersection".

    References
    ----------
    Howard, S. R., Ramdas, A., McAuliffe, J. and Sekhon, J. (2021). "Time-uniform,
    nonparametric, nonasymptotic confidence sequences." Annals of Statistics 49(2),
    1055-1080.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import AnytimeMonitor
    >>> monitor = AnytimeMonitor(alternative="greater")
    >>> for counts in [(80, 3, 9, 8), (84, 2, 10, 4), (79, 4, 12, 5)]:
    ...     look = monitor.update(ContingencyTable(*counts))
    ...     print(f"{look.n} records, {look.estimate:+.3f}, p = {monitor.pvalue:.4f}")
    100 records, +0.060, p = 0.3660
    200 records, +0.070, p = 0.0317
    300 records, +0.073, p = 0.0051
    >>> monitor.decided
    True
    """

    def __init__(
        self,
        test: str = "anytime_mcnemar",
        *,
        alternative: str = "two-sided",
        null_value: float = 0.0,
        confidence_level: float = 0.95,
        prior: float | None = None,
        bound: float | None = None,
    ) -> None:
        self.test = check_choice("test", test, list(NEEDS))
        self.alternative = check_alternative(alternative)
        self.confidence_level = check_confidence_level(confidence_level)
        of_counts = test == "anytime_mcnemar"
        foreign = ("bound", bound) if of_counts else ("prior", prior)
        if foreign[1] is not None:
            raise ValueError(
                f"{test} takes no `{foreign[0]}`. Got {foreign[1]!r}. Leave it out."
            )
        if of_counts:
            prior = check_prior(1.0 if prior is None else prior)
            null_value = check_difference(null_value)
        else:
            bound = None if bound is None else bound_of("", bound)
            null_value = check_gain(null_value, math.inf if bound is None else bound)
        self.null_value, self.prior, self.bound = null_value, prior, bound
        self.loss: str | None = None
        self.history: tuple[AnytimeLook, ...] = ()
        self._bets: CountBets | GridBets | None = None

    def __repr__(self) -> str:
        return f"AnytimeMonitor({self.test!r}, n={self.n}, looks={len(self.history)})"

    def __str__(self) -> str:
        if not self.history:
            return f"{self.test}, no records yet"
        low, high = self.confidence_interval()
        reached = "decided" if self.decided else "not decided"
        lines = [
            f"{self.test}, {self.alternative}, {self.n} records, "
            f"{len(self.history)} looks: {reached}",
            f"estimate {self.estimate:+.4f}, {100 * self.confidence_level:g} % interval "
            f"of all looks [{low:.4f}, {high:.4f}]",
            f"p {format_pvalue(self.pvalue)} for a null value of {self.null_value:g}, "
            "whenever one looks",
        ]
        return "\n".join(lines + [f"flag {flag}" for flag in self.flags])

    @property
    def n(self) -> int:
        """Number of records so far."""
        return self.history[-1].n if self.history else 0

    @property
    def estimate(self) -> float:
        """Mean difference of all records so far.

        Raises
        ------
        ValueError
            Before the first batch.
        """
        return self._last.estimate

    @property
    def pvalue(self) -> float:
        """Smallest p-value of all looks; 1 before the first look."""
        return min((look.pvalue for look in self.history), default=1.0)

    @property
    def log_pvalue(self) -> float:
        """Logarithm of the smallest p-value; 0 before the first look."""
        return min((look.log_pvalue for look in self.history), default=0.0)

    @property
    def decided(self) -> bool:
        """Whether the null value is rejected at 1 minus the confidence level."""
        return self.pvalue < alpha_of(self.confidence_level)

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of caveats."""
        low, high = self._intersection()
        return ("empty-intersection",) if low > high else ()

    def confidence_interval(self) -> ConfidenceInterval:
        """Return the intersection of the intervals of all looks.

        Raises
        ------
        ValueError
            Before the first batch.
        """
        self._last  # noqa: B018 - raises an error without records
        low, high = self._intersection()
        if low > high:
            return ConfidenceInterval(math.nan, math.nan)
        return ConfidenceInterval(low, high)

    def update(self, batch: ContingencyTable | PairedLosses) -> AnytimeLook:
        """Add new records and analyse all records so far.

        Parameters
        ----------
        batch : ContingencyTable or PairedLosses
            Evidence of records that were not in an earlier batch.

        Returns
        -------
        look : AnytimeLook
            Result for all records so far, by itself.

        Raises
        ------
        TypeError
            If the evidence is not what the test needs.
        ValueError
            If it is not of a hold-out, of another loss than before, or beyond its bound.
            The monitor then stays as it was.
        """
        needs = NEEDS[self.test]
        if not isinstance(batch, needs):
            raise TypeError(
                f"{self.test} needs batches of {needs.__name__}. Got "
                f"{type(batch).__name__}."
            )
        if batch.design.name != "holdout":
            raise ValueError(
                "A stream must be of unrelated records that no classifier was trained on, "
                f"of the design 'holdout'. Got {batch.design.name!r}."
            )
        bets, settled = self._bets_on(batch)
        total: Any = bets if self._bets is None else self._bets + bets  # type: ignore[operator]
        look = self._look(total, settled.get("null_value", self.null_value))
        for name, value in settled.items():
            setattr(self, name, value)
        self._bets = total
        self.history = (*self.history, look)
        return look

    def _bets_on(self, batch: Any) -> tuple[CountBets | GridBets, dict[str, Any]]:
        """Return the bets on a batch, and the settings implied by its loss."""
        if isinstance(batch, ContingencyTable):
            return count_bets(batch, float(self.prior or 1.0)), {}
        if self.loss not in (None, batch.loss):
            raise ValueError(
                f"The records so far have the loss {self.loss!r}. Got {batch.loss!r}. "
                "Watch one loss at a time."
            )
        bound = bound_of(batch.loss, self.bound)
        null = check_gain(self.null_value, bound)
        settled = {"loss": batch.loss, "bound": bound, "null_value": null}
        return loss_bets(batch, bound), settled

    def _look(self, bets: CountBets | GridBets, null: float) -> AnytimeLook:
        pvalue, log_pvalue = anytime_tail(bets.log_wealth(null, self.alternative))
        limits = agreeing_limits(
            bets, self.confidence_level, self.alternative, null, pvalue
        )
        return AnytimeLook(int(bets.n), bets.mean, *limits, pvalue, log_pvalue)

    @property
    def _last(self) -> AnytimeLook:
        if not self.history:
            raise ValueError(
                "The monitor has seen no records, so there is no estimate and no "
                "interval. Call `update` with the first batch."
            )
        return self.history[-1]

    def _intersection(self) -> tuple[float, float]:
        low = max((look.low for look in self.history), default=-math.inf)
        return low, min((look.high for look in self.history), default=math.inf)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return a data frame with one row per look and the fields of `AnytimeLook`."""
        columns = zip(*self.history, strict=True) if self.history else [()] * 6
        fields = zip(AnytimeLook._fields, columns, strict=True)
        return frame_from_columns({name: list(values) for name, values in fields}, backend)

    def save(self, path: Any) -> None:
        """Write the monitor to a JSON file, atomically.

        Parameters
        ----------
        path : str or path-like
            An existing file is replaced when the new one is complete and on disk.

        Raises
        ------
        OSError
            If the file cannot be written; an existing one is kept.
        """
        bets = None if self._bets is None else asdict(self._bets)
        if bets is not None and "growth" in bets:
            bets["growth"] = bets["growth"].tolist()
            del bets["swings"]  # used for planning only
        settings = {name: getattr(self, name) for name in _SETTINGS}
        stored = {"format": FORMAT, "version": VERSION, "settings": settings}
        stored |= {"loss": self.loss, "bets": bets, "history": self.history}
        text = json.dumps(stored, allow_nan=False)
        with replaced_on_success(path, synced=True) as unfinished:
            unfinished.write_text(text + "\n", encoding="ascii")

    @classmethod
    def load(cls, path: Any) -> Self:
        """Read a monitor written by :meth:`save`, to be continued unchanged.

        Raises
        ------
        ValueError
            If the file is damaged, of a later version, or no file of a monitor.
        FileNotFoundError
            If there is no such file.
        """
        data = Path(path).read_bytes()
        try:
            return cls._from_stored(json.loads(data))
        except _DAMAGED as error:
            reason = str(error).rstrip(".")
            raise ValueError(
                f"{str(path)!r} cannot be read as an AnytimeMonitor: {reason}. Expected a "
                f"complete file in format {VERSION} of {FORMAT}, such as `save` writes."
            ) from error

    @classmethod
    def _from_stored(cls, stored: dict[str, Any]) -> Self:
        if (stored["format"], stored["version"]) != (FORMAT, VERSION):
            raise ValueError(f"it is {stored['format']!r}, version {stored['version']!r}")
        monitor = cls(**stored["settings"])
        looks = stored_looks(stored["history"])
        monitor.history = tuple(AnytimeLook(*look) for look in looks)
        monitor.loss, bets = stored["loss"], stored["bets"]
        if (bets is None) != (not monitor.history):
            raise ValueError("its looks and its records are not of one stream")
        if bets is not None:
            monitor._bets = restored = stored_bets(bets, monitor.prior, monitor.bound)
            if (restored.n, restored.mean) != (monitor.n, monitor.estimate):
                raise ValueError("its looks and its records are not of one stream")
        return monitor


_DAMAGED = (
    ArithmeticError,
    AttributeError,
    KeyError,
    RecursionError,
    TypeError,
    ValueError,
)
_SETTINGS = ("test", "alternative", "null_value", "confidence_level", "prior", "bound")
