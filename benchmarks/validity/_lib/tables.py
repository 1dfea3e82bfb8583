"""What the scripts print: a table as text or as reStructuredText."""

import csv
import io
from dataclasses import dataclass, field


@dataclass
class Table:
    """Rows of strings under a title.

    As reStructuredText it is a ``csv-table``, so the lines under the directive are plain
    CSV.
    """

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, *cells):
        self.rows.append(tuple(str(cell) for cell in cells))

    def show(self, *, rst):
        print(self.to_rst() if rst else self.to_text(), flush=True)

    def to_text(self):
        lines = [self.columns, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines)]
        padded = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
            for line in lines
        ]
        rule = "-" * max(map(len, padded))
        return "\n".join([self.title, rule, padded[0], rule, *padded[1:], rule, ""])

    def to_rst(self):
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows([self.columns, *self.rows])
        body = [f"   {line}" for line in buffer.getvalue().splitlines()]
        head = [f".. csv-table:: {self.title}", "   :header-rows: 1", ""]
        return "\n".join([*head, *body, ""])


def with_error(share, n):
    """A simulated probability with its Monte-Carlo standard error."""
    # Shares of 0 and 1 have an error too: that of half a case.
    inner = min(max(share, 0.5 / n), 1 - 0.5 / n)
    error = (inner * (1 - inner) / n) ** 0.5
    digits = 5 if error < 0.0005 else 4 if error < 0.005 else 3
    return f"{share:.{digits}f} ± {error:.{digits}f}"
