"""What `peers.py` prints: a summary, all measurements by family, and the reasons."""

from validity._lib.tables import Table


def show(rows, surroundings, *, rst):
    """Print everything, as text or as the blocks that the page includes."""
    if rst:
        print(".. Written by benchmarks/peers.py --rst; do not edit.\n")
    for line in surroundings:
        print(f"{line}\n" if rst else line)
    if not rst:
        print()
    summary(rows).show(rst=rst)
    for family in dict.fromkeys(row.method.family for row in rows):
        details(family, rows).show(rst=rst)
    print(said(rows, rst=rst))


def summary(rows):
    sizes = sorted({cell.n for row in rows for cell in row.cells})
    table = Table(
        "How many times as fast as the fastest other package, and growth with n",
        ("method", *(f"n = {power(n)}" for n in sizes), "growth", "other's growth"),
    )
    for row in rows:
        cells = {cell.n: cell for cell in row.cells}
        ratios = [ratio_of(cells[n]) if n in cells else "–" for n in sizes]
        table.add(row.method.name, *ratios, *map(exponent, row.growths()))
    return table


def details(family, rows):
    table = Table(
        f"{family}: times in milliseconds, memory in MB",
        (
            "method",
            "n",
            "ours",
            "test alone",
            "fastest other",
            "its time",
            "ratio",
            "memory",
            "its memory",
            "floor",
            "× floor",
        ),
    )
    for row in rows:
        if row.method.family == family:
            for cell in row.cells:
                table.add(row.method.name, *cells_of(cell))
    return table


def cells_of(cell):
    peer = cell.fastest
    guessed = "~" * (peer in cell.guessed)
    return (
        power(cell.n),
        milliseconds(cell.ours),
        milliseconds(cell.test),
        peer or "–",
        guessed + milliseconds(cell.peers[peer]) if peer else "–",
        ratio_of(cell),
        megabytes(cell.memory.get("ours")),
        megabytes(cell.memory.get("peer")),
        milliseconds(cell.floor),
        f"{cell.ours / cell.floor:.3g}" if cell.floor else "–",
    )


def said(rows, *, rst):
    """In words: why we are slower, what others leave out, where numbers differ."""
    lines = []
    for row in rows:
        method = row.method
        behind = [cell for cell in row.cells if cell.behind]
        if behind:
            sizes = ", ".join(power(c.n) for c in behind)
            lines.append(f"{method.name} is slower at n = {sizes}: {method.why or '?'}.")
        if method.least_work:
            lines.append(f"{method.name}: {method.least_work}.")
        lines += [f"{method.name}, {k}: {why}." for k, why in method.differs.items()]
        lines += [f"{method.name}, {k}: {why}." for k, why in row.missing.items()]
    return "\n".join(f"* {line}" if rst else line for line in lines)


def power(n):
    digits = len(str(n)) - 1
    return f"1e{digits}" if n == 10**digits else f"{n:,}"


def milliseconds(seconds):
    if seconds is None:
        return "–"
    ms = 1e3 * seconds
    return f"{ms:,.0f}" if ms >= 100 else f"{ms:.3g}"


def megabytes(n):
    if n is None:
        return "–"
    return "<1" if n < 10**6 else f"{n / 1e6:,.0f}"


def ratio_of(cell):
    if cell.ratio is None:
        return "–"
    guessed = "~" * (cell.fastest in cell.guessed)
    return guessed + (f"{cell.ratio:,.0f}" if cell.ratio >= 10 else f"{cell.ratio:.2g}")


def exponent(value):
    return "–" if value is None else f"{value:.2f}"
