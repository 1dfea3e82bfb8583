"""Times and memory of a call, and how both grow, for `peers.py`."""

import ctypes
import gc
import os
import resource
import select
import signal
import sys
import time

import numpy as np

CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


IN_A_ROW, LONG = 3, 0.01
"""Times that a call runs in a row, so that none has to fill the caches that another one
emptied, and seconds of one that caches do not matter to."""


def least_times(calls, *, clock, repeats, seconds, most=200):
    """The least time of each call, in seconds; they run in turn, short ones in a row.

    No garbage is collected meanwhile, which is not of the call that it would meet.

    Parameters
    ----------
    calls : dict of callables without arguments
    clock : {"wall", "processor"}
    repeats : int
        Rounds, fewer where they take longer than `seconds`, and more, up to `most`, where
        all of them together take less than a tenth of it.
    """
    now = CLOCKS[clock]
    least = dict.fromkeys(calls, float("inf"))
    gc.collect()
    gc.disable()
    try:
        start, rounds = time.perf_counter(), 0
        while True:
            for name, call in calls.items():
                for _ in range(IN_A_ROW):
                    before = now()
                    call()
                    taken = now() - before
                    least[name] = min(least[name], taken)
                    if taken > LONG:
                        break
            rounds += 1
            spent = time.perf_counter() - start
            enough = rounds >= repeats and (spent > seconds / 10 or rounds >= most)
            if enough or spent * (rounds + 1) / rounds > seconds:
                return least
    finally:
        gc.enable()


def peak_memory(call, seconds):
    """Bytes that a call adds to its process at most, measured in a fork of this process.

    What numpy, torch and any other library takes counts, as the system sees it: the
    greatest resident size less that before the call. None where there is no fork, or if
    the call does not end within the given seconds.
    """
    if not sys.platform.startswith("linux"):
        return None
    gc.collect()
    # Free pages of this process would be used before new ones, and not be counted.
    ctypes.CDLL(None).malloc_trim(0)
    ear, mouth = os.pipe()
    child = os.fork()
    if child == 0:
        _measure_and_leave(call, mouth)
    os.close(mouth)
    reply = b""
    if select.select([ear], [], [], seconds)[0]:
        reply = os.read(ear, 64)
    else:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(ear)
    return int(reply) if reply else None


def _measure_and_leave(call, mouth):
    """What the fork does; it never returns."""
    code = 1
    try:
        gc.disable()
        before = _greatest()
        call()
        os.write(mouth, str(max(0, _greatest() - before)).encode())
        code = 0
    finally:
        os._exit(code)


def _greatest():
    # A fork begins with the resident size of its parent as its greatest.
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def growth(times, least=10_000):
    """The exponent b of time = a n^b, by least squares of logarithms; None of fewer than 2.

    Sizes below `least` are left out, because a constant dominates them, where two others
    are there.
    """
    sizes = sorted(times)
    large = [n for n in sizes if n >= least]
    used = large if len(large) > 1 else sizes
    if len(used) < 2:
        return None
    return float(np.polyfit(np.log(used), np.log([times[n] for n in used]), 1)[0])


def predicted(times, n):
    """The time at size `n` from smaller ones, growing as the last two did.

    Growth is taken for linear at least and quadratic at most; None without any time.
    """
    sizes = sorted(size for size in times if size < n)
    if not sizes:
        return None
    last = sizes[-1]
    exponent = growth({size: times[size] for size in sizes[-2:]}, least=0) or 1.0
    return times[last] * (n / last) ** min(max(exponent, 1.0), 2.0)


# What no method that looks at all records can do without.


def one_read(*arrays):
    """Read every byte once."""
    for array in arrays:
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        raw[: len(raw) // 8 * 8].view(np.uint64).sum()


def one_bincount(codes):
    np.bincount(codes)


def sorts(*scores):
    for score in scores:
        np.sort(score)
