"""A study on the command line: its options, its settings in parallel, its tables."""

import argparse

import numpy as np
from joblib import Parallel, delayed

from benchmarks.validity._lib.tables import Table

N_JOBS = "settings at a time; -1 for all processors"


def main(doc, parts, *, draws=2000, seed=0, n_jobs=-1, of="data sets a setting", **more):
    """Print the tables of a study as the command line asks for them.

    Parameters
    ----------
    doc : str
        The docstring of the script.
    parts : callable or dict of callables
        Each takes the options and returns a table or several; ``--only`` chooses of a dict.
    draws, seed, n_jobs : int or None
        Defaults of these options; None where there is no such option.
    of : str
        What is drawn, for the help.
    **more
        Further options: each a default and its help.
    """
    options = {
        "draws": (draws, of),
        **more,
        "seed": (seed, None),
        "n_jobs": (n_jobs, N_JOBS),
    }
    parser = argparse.ArgumentParser(description=doc.partition("\n")[0])
    for name, (default, text) in options.items():
        if default is not None:
            flag = f"--{name.replace('_', '-')}"
            parser.add_argument(flag, default=default, help=text, **_kind(default))
    if not callable(parts):
        names = list(parts)
        parser.add_argument(
            "--only", nargs="+", choices=names, default=names, help="some of the tables"
        )
    parser.add_argument("--rst", action="store_true", help="print reStructuredText")
    args = parser.parse_args()
    for part in [parts] if callable(parts) else map(parts.get, args.only):
        tables = part(args)
        for table in [tables] if isinstance(tables, Table) else tables:
            table.show(rst=args.rst)


def _kind(default):
    """What a parser is told of an option with such a default."""
    if isinstance(default, bool):
        return {"action": "store_true"}
    if isinstance(default, tuple):
        return {"type": type(default[0]), "nargs": "+"}
    return {"type": type(default)}


def each_row(function, settings, args, stream, *sizes):
    """What a function returns for each setting, in order.

    It takes a setting, then `sizes`, by default the number of draws, and a seed of its own:
    other settings, or more processors, change nothing of it.
    """
    seeds = np.random.SeedSequence([args.seed, stream]).spawn(len(settings))
    sizes = sizes or (args.draws,)
    return Parallel(args.n_jobs)(
        delayed(function)(*setting, *sizes, seed) for setting, seed in zip(settings, seeds)
    )
