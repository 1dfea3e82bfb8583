"""The frames behind every display, as it is drawn and of extreme sizes."""

from tests.plots.cases import CASES, LARGE


def lines():
    """A table for each display."""
    for name, make in {**CASES, **LARGE}.items():
        display = make()
        frame = display.frame()
        yield f"==== {name} | {len(frame)} rows"
        # The first rows show all columns; the sums, whether the others are as they were.
        yield frame.head(40).to_csv(index=False)
        numbers = frame.select_dtypes("number")
        sums = {column: float(numbers[column].sum()).hex() for column in numbers}
        yield f"sums {sums}"
