"""Conversion of reports to standard JSON that preserves NaN and infinity."""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from skcompare._core.formatting import COMMAND

T = TypeVar("T")

NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
NUMBER = "number"


def to_standard_json(values: Any, *, indent: int | None = 2) -> str:
    """Return standard JSON, with NaN as {"number": "NaN"} and likewise infinity.

    Text that a service would take for a command in its log is escaped, as JSON allows.
    """
    text = json.dumps(_to_standard(values), indent=indent, allow_nan=False)
    return COMMAND.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def from_standard_json(
    text: str, schema: str, version: int, make: Callable[[dict[str, Any]], T]
) -> T:
    """Read values from JSON, check its schema and version, and make an object of them."""
    try:
        stored = _from_standard(json.loads(text))
    except json.JSONDecodeError as error:
        raise ValueError(
            f"Expected {schema} as JSON. Got text that is no JSON: {error}."
        ) from error
    is_dict = isinstance(stored, dict)
    kind = (stored.get("schema"), stored.get("schema_version")) if is_dict else (None,) * 2
    if kind != (schema, version):
        raise ValueError(
            f"Expected {schema} version {version}. Got {kind[0]!r} version {kind[1]!r}. "
            "Write it again with this version of skcompare."
        )
    try:
        return make(stored)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        name = re.split("[._]", schema)[-1]
        raise ValueError(
            f"The JSON of this {name} is not complete: {error}. Write it again."
        ) from error


def _to_standard(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _to_standard(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_standard(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return {NUMBER: name}
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return value.item() if hasattr(value, "item") else value


def _from_standard(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {NUMBER} and value[NUMBER] in tuple(NOT_FINITE):
            return NOT_FINITE[value[NUMBER]]
        return {key: _from_standard(item) for key, item in value.items()}
    return [_from_standard(item) for item in value] if isinstance(value, list) else value
