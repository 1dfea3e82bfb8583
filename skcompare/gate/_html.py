"""A decision as one self-contained page: no script, no network, light and dark."""

import math
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from skcompare._wording import decimals_for, format_number, in_one_line
from skcompare.gate._conditions import AnyOf, Condition
from skcompare.gate._shown import (
    TEXT_COLUMNS,
    Line,
    facts,
    headline,
    lines,
    notes,
    shown_part,
    table,
    told,
    verdict_words,
)
from skcompare.reports._html import STYLE, html_page, html_table
from skcompare.reports._json import to_standard_json

if TYPE_CHECKING:
    from skcompare.gate._outcomes import GateDecision, Outcome

__all__ = ["decision_html", "decision_html_fragment"]

# Colours only repeat what words say.
GATE_STYLE = """
.skcompare.gate-passed { --mark: #1a7f37; }
.skcompare.gate-failed { --mark: #cf222e; }
.skcompare.gate-open { --mark: #9a6700; }
@media (prefers-color-scheme: dark) { .skcompare.gate-passed { --mark: #3fb950; }
  .skcompare.gate-failed { --mark: #ff7b72; } .skcompare.gate-open { --mark: #d29922; } }
.skcompare .verdict { font-weight: 600; overflow-wrap: anywhere; }
.skcompare .condition { border: 1px solid var(--line); padding: .6em .9em; margin: .8em 0; }
.skcompare .condition p, .skcompare .condition ul { margin: .2em 0; }
.skcompare h1, .skcompare .condition, .skcompare li { overflow-wrap: anywhere; }
.skcompare .condition .condition { margin-left: .5em; }
.skcompare .condition svg { width: 100%; max-width: 34em; height: auto; margin: .4em 0; }
.skcompare .condition text { font: 11px system-ui, sans-serif; fill: var(--ink); }
""".strip()

LEFT, RIGHT, LINE, HEIGHT, WIDTH = 40.0, 320.0, 30.0, 62.0, 360.0
CLASSES = {"passed": "gate-passed", "inconclusive": "gate-open"}
OTHER = "gate-failed"


def decision_html(decision: "GateDecision") -> str:
    """A whole page; the decision's JSON is embedded for machines."""
    title = in_one_line(f"Gate: {decision.challenger} against {decision.champion}")
    data = to_standard_json(decision.to_dict(), indent=None)
    return html_page(title, decision_html_fragment(decision, title), data)


def decision_html_fragment(decision: "GateDecision", title: str = "") -> str:
    """The report without a page around it, for notebooks."""
    decision = shown_part(decision)
    heading = f"<h1>{escape(title)}</h1>" if title else ""
    body = ""
    if decision.outcomes:
        tops = [line for line in lines(decision) if line.number.isdigit()]
        conditions = "".join(_condition(line) for line in tops)
        body = (
            f"{html_table(*table(decision), TEXT_COLUMNS)}<h2>Conditions</h2>{conditions}"
        )
    # The reasons stand beside the pictures already.
    remarks = [
        (name, words)
        for name, words in notes(decision)
        if not name.startswith(("reason", "needed", "condition"))
    ]
    listed = "".join(f"<li>{name}: {escape(words)}</li>" for name, words in remarks)
    remarks_part = f"<h2>Notes</h2><ul>{listed}</ul>" if remarks else ""
    kind = CLASSES.get(decision.status, OTHER)
    return (
        f'<div class="skcompare {kind}"><style>{STYLE}\n{GATE_STYLE}</style>{heading}'
        f'<p class="verdict">{escape(headline(decision))}</p>{body}{remarks_part}'
        f"<h2>How it was judged</h2>{_definitions(_known(decision))}</div>"
    )


def _known(decision: "GateDecision") -> dict[str, str]:
    found = {"verdict": verdict_words(decision), **facts(decision)}
    if not decision.blind:
        found["level"] = f"alpha {decision.alpha:g}"
        if decision.fingerprint:
            found["true labels"] = in_one_line(decision.fingerprint)
    if decision.versions:
        versions = ", ".join(f"{name} {v}" for name, v in decision.versions.items())
        found["versions"] = in_one_line(versions)
    return found


def _definitions(found: Mapping[str, str]) -> str:
    listed = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(words)}</dd>" for name, words in found.items()
    )
    return f"<dl>{listed}</dl>"


def _condition(line: Line) -> str:
    """A condition with its picture and reasons; its parts within it."""
    outcome = line.outcome
    name = "any of these" if outcome.parts else outcome.condition.words
    said = "".join(f"<li>{escape(words)}</li>" for words in told(outcome))
    parts = "".join(_condition(Line("", part)) for part in outcome.parts)
    number = f"{line.number}. " if line.number else ""
    kind = CLASSES.get(outcome.status, OTHER)
    return (
        f'<div class="condition skcompare {kind}"><p><strong>{number}'
        f"{escape(in_one_line(name))}</strong>: {escape(outcome.status)}</p>"
        f"{_picture(outcome)}<ul>{said}</ul>{parts}</div>"
    )


def _picture(outcome: "Outcome") -> str:
    """The limits of the difference, 0, and what must be excluded."""
    row, condition = outcome.row, outcome.condition
    if row is None or isinstance(condition, AnyOf) or not math.isfinite(row.difference):
        return ""
    ends = [limit for limit in (outcome.low, outcome.high) if limit is not None]
    finite = [limit for limit in ends if math.isfinite(limit)]
    bounds = [boundary for boundary, _ in condition.boundaries]
    reach = 1.15 * max(map(abs, [row.difference, *finite, *bounds])) or 1.0
    scale = _Scale(reach)
    label = escape(_picture_words(outcome, condition))
    shapes = [_margin(condition, scale), _zero(scale)]
    shapes += [_boundary(boundary, scale) for boundary in bounds]
    if len(ends) == 2 and not any(map(math.isnan, ends)):
        shapes.append(
            f'<line x1="{scale.at(ends[0])}" x2="{scale.at(ends[1])}" y1="{LINE:g}" '
            f'y2="{LINE:g}" stroke="var(--mark)" stroke-width="3"/>'
        )
    shapes.append(
        f'<circle cx="{scale.at(row.difference)}" cy="{LINE:g}" r="5" fill="var(--mark)"/>'
    )
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{label}">'
        f"<title>{label}</title>{''.join(shapes)}</svg>"
    )


class _Scale:
    """Where differences lie in a picture; those beyond it at its ends."""

    def __init__(self, reach: float) -> None:
        self.reach = reach

    def at(self, value: float) -> str:
        share = max(-1.0, min(1.0, value / self.reach))
        return f"{(LEFT + RIGHT) / 2 + share * (RIGHT - LEFT) / 2:.1f}"


def _margin(condition: Condition, scale: _Scale) -> str:
    """The differences that a condition asks for, as a lightly coloured region."""
    low = max((b for b, side in condition.boundaries if side == "greater"), default=None)
    high = min((b for b, side in condition.boundaries if side == "less"), default=None)
    start = LEFT if low is None else float(scale.at(low))
    end = RIGHT if high is None else float(scale.at(high))
    return (
        f'<rect x="{start:.1f}" y="14" width="{max(0.0, end - start):.1f}" height="32" '
        'fill="var(--mark)" opacity="0.15"/>'
    )


def _zero(scale: _Scale) -> str:
    at = scale.at(0.0)
    return (
        f'<line x1="{at}" x2="{at}" y1="14" y2="46" stroke="var(--soft)"/>'
        f'<text x="{at}" y="58" text-anchor="middle">0</text>'
    )


def _boundary(boundary: float, scale: _Scale) -> str:
    if not boundary:
        return ""
    at, words = scale.at(boundary), f"{boundary:+g}"
    # Away from 0, so that the words of two boundaries do not meet.
    anchor = "start" if boundary > 0 else "end"
    return (
        f'<line x1="{at}" x2="{at}" y1="14" y2="46" stroke="var(--ink)" '
        'stroke-dasharray="3 2"/>'
        f'<text x="{at}" y="10" text-anchor="{anchor}">{words}</text>'
    )


def _picture_words(outcome: "Outcome", condition: Condition) -> str:
    """What the picture shows."""
    difference = math.nan if outcome.row is None else outcome.row.difference
    decimals = decimals_for(difference, outcome.low, outcome.high)
    shown = [
        format_number(value, decimals, signed=True)
        for value in (difference, outcome.low, outcome.high)
    ]
    sides = " and ".join(
        f"{'above' if side == 'greater' else 'below'} "
        f"{format_number(boundary, decimals, signed=True)}"
        for boundary, side in condition.boundaries
    )
    measure = in_one_line(condition.measure)
    return (
        f"{measure}: difference {shown[0]}, from {shown[1] or 'unknown'} to "
        f"{shown[2] or 'unknown'}, must be {sides}"
    )
