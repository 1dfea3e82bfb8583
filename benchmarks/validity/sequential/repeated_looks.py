"""A thousand looks at one hold-out set: false passes and power, with and without a ledger.

Records are easy, where every classifier is right, or hard, where the class is a coin
toss that no feature predicts. Whatever a challenger predicts for the hard records, its
true accuracy is that of the champion, so that every pass is a false one. Run

    python -m benchmarks.validity.sequential.repeated_looks

or with ``--help`` for the options.
"""

import math
import tempfile
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import binom

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.gate import Gate, Ledger, Superior
from skcompare.stats import mcnemar_power, mcnemar_sample_size

ALPHA = 0.05
CONDITION = Superior("accuracy", test="mcnemar", options={"method": "exact"})
RECORDS, HARD = 2000, 400
LOOKS = 1000
SHOWN = (1, 10, 100, 1000)
CHANGED = 0.5
"""Part of the hard records on which an independent challenger disagrees."""

STEP = 0.05
"""Part of the hard records whose prediction a climbing team changes at a time."""

CHUNK = 250
"""Hold-out sets that are drawn at a time."""


def levels(rule):
    """Levels of the looks; a gate without ledger has the same at each."""
    if rule is None:
        return np.full(LOOKS, ALPHA)
    ledger = Ledger("-", rule=rule, looks=LOOKS if rule == "equal" else None)
    return np.array([ledger.level(k, alpha=ALPHA) for k in range(1, LOOKS + 1)])


def pvalue_table():
    """One-sided p by records that only the challenger is right on, and only one of both."""
    discordant = np.arange(HARD + 1)
    return binom.sf(discordant[:, None] - 1, discordant, 0.5)


def draw_sets(n_sets, rng):
    """Whether the champion is right on each hard record."""
    return rng.random((n_sets, HARD)) < 0.5


def independent(n_sets, rng, *, blind):
    """Counts of challengers that each predict at random: (gained, lost) a set and look."""
    right = draw_sets(n_sets, rng).sum(axis=1)[:, None]
    gained = rng.binomial(HARD - right, CHANGED, (n_sets, LOOKS))
    return gained, rng.binomial(right, CHANGED, (n_sets, LOOKS))


def climbing(n_sets, rng, *, blind):
    """The best challenger so far is changed a little, and the change is kept if the
    reported difference rises; a blind team is told none, and tosses a coin."""
    right = draw_sets(n_sets, rng)
    differs = np.zeros_like(right)
    best = np.zeros(n_sets)
    gained, lost = np.empty((2, n_sets, LOOKS), dtype=np.int64)
    for look in range(LOOKS):
        tried = differs ^ (rng.random(right.shape, dtype=np.float32) < STEP)
        gained[:, look] = (tried & ~right).sum(axis=1)
        lost[:, look] = (tried & right).sum(axis=1)
        reported = gained[:, look] - lost[:, look]
        kept = rng.random(n_sets) < 0.5 if blind else reported > best
        differs[kept], best[kept] = tried[kept], reported[kept]
    return gained, lost


def voting(n_sets, rng, *, blind):
    """Challengers at random; at looks 10, 100 and 1000 all so far vote, each for or
    against its own predictions by the sign of its reported difference. A blind team has no
    signs."""
    gained, lost = np.empty((2, n_sets, LOOKS), dtype=np.int64)
    for one, right in enumerate(draw_sets(n_sets, rng)):
        differs = rng.random((LOOKS, HARD), dtype=np.float32) < CHANGED
        sides = 2 * differs.astype(np.float32) - 1
        reported = sides @ (1 - 2 * right.astype(np.float32))
        signs = np.ones(LOOKS, np.float32) if blind else np.sign(reported)
        for look in SHOWN[1:]:
            votes = signs[: look - 1] @ sides[: look - 1]
            differs[look - 1] = votes > 0
        gained[one] = (differs & ~right).sum(axis=1)
        lost[one] = (differs & right).sum(axis=1)
    return gained, lost


TEAMS = {"independent": independent, "climbing": climbing, "voting": voting}
GATES = {
    "no ledger": (None, False),
    "decreasing": ("decreasing", False),
    "equal": ("equal", False),
    "blind": ("decreasing", True),
}


def chunk(team, blind, n_sets, seed):
    """By rule and look, sets with a pass so far; and sums of the reported differences."""
    gained, lost = TEAMS[team](n_sets, np.random.default_rng(seed), blind=blind)
    pvalues = pvalue_table()[gained, gained + lost]
    rules = dict.fromkeys(rule for rule, hidden in GATES.values() if hidden == blind)
    passed = {
        rule: np.logical_or.accumulate(pvalues < levels(rule), axis=1).sum(axis=0)
        for rule in rules
    }
    return passed, ((gained - lost) / RECORDS).sum(axis=0)


def simulate(team, blind, args, number):
    """The same for all sets, as shares and means."""
    sizes = [min(CHUNK, args.draws - k) for k in range(0, args.draws, CHUNK)]
    seeds = np.random.SeedSequence([args.seed, number]).spawn(len(sizes))
    found = Parallel(args.n_jobs)(
        delayed(chunk)(team, blind, size, seed) for size, seed in zip(sizes, seeds)
    )
    shares = {rule: sum(p[rule] for p, _ in found) / args.draws for rule in found[0][0]}
    return shares, sum(told for _, told in found) / args.draws


def false_pass_tables(args):
    """Sets that let any challenger pass, and what an open gate reports of them."""
    passes = Table(
        f"Hold-out sets that have let a false challenger pass, alpha {ALPHA}",
        ("team", "looks", *GATES),
    )
    told = Table(
        "Mean reported difference of accuracies; the true one is 0",
        ("team", *(f"look {look}" for look in SHOWN)),
    )
    for number, team in enumerate(TEAMS):
        found = [simulate(team, blind, args, 2 * number + blind) for blind in (False, True)]
        for look in SHOWN:
            shares = [found[blind][0][rule][look - 1] for rule, blind in GATES.values()]
            passes.add(
                team, f"{look:,}", *(with_error(each, args.draws) for each in shares)
            )
        told.add(team, *(f"{found[0][1][look - 1]:+.4f}" for look in SHOWN))
    return passes, told


def rules_for_power():
    """Levels at the looks shown, by rule; the third is the usual convergent series."""
    looks = np.array(SHOWN)
    return {
        "no ledger": np.full(len(looks), ALPHA),
        "decreasing": levels("decreasing")[looks - 1],
        "6 / (pi k)^2": 6 * ALPHA / (math.pi * looks) ** 2,
        "equal": levels("equal")[looks - 1],
    }


def power_tables():
    """Power at each look, and the records that 80 % power needs, by exact sums."""
    disagreement = 0.1
    shown = tuple(f"look {look:,}" for look in SHOWN)
    power = Table(
        f"Power of {RECORDS:,} records at a disagreement of 10 %",
        ("better by", "rule", *shown),
    )
    needed = Table(
        "Records for a power of 80 % at a disagreement of 10 %",
        ("better by", "rule", *shown),
    )
    for gain in (0.02, 0.03, 0.04):
        for rule, each in rules_for_power().items():
            words = [{"alpha": float(level), "alternative": "greater"} for level in each]
            at, how = (RECORDS, gain, disagreement), {"method": "exact"}
            found = [mcnemar_power(*at, **one, **how) for one in words]
            power.add(gain, rule, *(f"{share:.3f}" for share in found))
            records = [mcnemar_sample_size(*at[1:], **one) for one in words]
            needed.add(gain, rule, *(f"{math.ceil(n):,}" for n in records))
    return power, needed


def check(seed, n_looks=30):
    """Stop unless gates with a ledger decide as the formulas do, openly and blindly."""
    rng = np.random.default_rng(seed)
    # Records of one kind follow each other, and are unrelated all the same.
    gate, table = Gate(CONDITION, alpha=ALPHA, ignore_order=True), pvalue_table()
    truth = np.zeros(RECORDS, dtype=int)
    for blind in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            for look in range(n_looks):
                lost, gained = rng.binomial(100, 0.5), rng.binomial(100, 0.5)
                gained += 60 * (look == n_looks - 1)
                old, new = np.zeros((2, RECORDS), dtype=int)
                # Other records each time: the same predictions would be the same look.
                old[look:][:gained] = new[look:][gained : gained + lost] = 1
                truth[-1] = old[-1] = new[-1] = 1
                decision = gate.decide(
                    truth,
                    {"old": old, "new": new},
                    ledger=Path(folder) / "looks.jsonl",
                    blind=blind,
                )
                expected = table[gained, gained + lost]
                same = decision.passed == (expected < levels("decreasing")[look])
                if not blind:
                    same &= abs(decision.outcomes[0].pvalue - expected) < 1e-12
                if not same or decision.look["number"] != look + 1:
                    raise SystemExit(f"look {look + 1} differs: {decision} {expected}")
                if blind and decision.passed:
                    break


def tables(args):
    check(args.seed)
    return *false_pass_tables(args), *power_tables()


if __name__ == "__main__":
    main(__doc__, tables, draws=4000, of="hold-out sets a team")
