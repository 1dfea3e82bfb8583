"""Report of a decision as a self-contained HTML page, without scripts or network access."""

import math
from html import escape

from skcompare._core.design import design_in_text
from skcompare._core.formatting import decimals_for, format_number, in_one_line
from skcompare.gate._conditions import AnyOf, Condition
from skcompare.gate._outcomes import DecisionData, Outcome
from skcompare.gate.report._json import decision_values
from skcompare.gate.report._report import (
    TEXT_COLUMNS,
    Line,
    facts,
    headline,
    lines,
    notes,
    reasons_of,
    settles,
    shown_part,
    table,
    verdict_text,
)
from skcompare.reports import (
    STYLE,
    Part,
    assumed_of_tests,
    assumed_part,
    brief_title,
    data_part,
    html_facts,
    html_list,
    html_page,
    html_report,
    html_table,
    text,
    to_standard_json,
)

# Colours only repeat the text.
GATE_STYLE = """
.skcompare.gate-passed, .skcompare .gate-passed { --mark: #1a7f37; }
.skcompare.gate-failed, .skcompare .gate-failed { --mark: #c01f2c; }
.skcompare.gate-open, .skcompare .gate-open { --mark: #8a5d00; }
@media (prefers-color-scheme: dark) {
  .skcompare.gate-passed, .skcompare .gate-passed { --mark: #3fb950; }
  .skcompare.gate-failed, .skcompare .gate-failed { --mark: #ff7b72; }
  .skcompare.gate-open, .skcompare .gate-open { --mark: #d29922; } }
@media print {
  .skcompare.gate-passed, .skcompare .gate-passed { --mark: #1a7f37; }
  .skcompare.gate-failed, .skcompare .gate-failed { --mark: #c01f2c; }
  .skcompare.gate-open, .skcompare .gate-open { --mark: #8a5d00; } }
@media (forced-colors: active) { .skcompare .condition { --mark: LinkText; } }
.skcompare .condition { border: 1px solid var(--line); padding: .6em .9em; margin: .8em 0; }
.skcompare .condition p, .skcompare .condition ul { margin: .2em 0; }
.skcompare .condition .condition { margin-left: .5em; }
.skcompare .condition svg { width: 100%; max-width: 34em; height: auto; margin: .4em 0; }
.skcompare .condition text { font: 11px system-ui, sans-serif; fill: var(--ink); }
""".strip()

LEFT, RIGHT, LINE, HEIGHT, WIDTH = 40.0, 320.0, 30.0, 62.0, 360.0
BOUNDARIES = (
    "A condition holds if a one-sided confidence limit of the difference lies on the right "
    "side of its boundary. Where the description of a test speaks of equality, the null "
    "hypothesis here is that the true difference lies at that boundary or beyond it."
)
FAILED = "failed"
CLASSES = {"passed": "gate-passed", "inconclusive": "gate-open"}
OTHER = "gate-failed"


def decision_html(decision: DecisionData) -> str:
    """Return the report as an HTML page with the JSON of the decision embedded."""
    shown = shown_part(decision)
    names = (decision.challenger, decision.champion)
    title = f"Gate: {' against '.join(brief_title(name) for name in names)}"
    data = to_standard_json(decision_values(decision), indent=None)
    kind = CLASSES.get(shown.status, OTHER)
    verdict = (
        f'<div class="verdict"><p class="status">{text(verdict_text(shown))}</p>'
        f'<p class="sentence">{text(_sentence(shown))}</p></div>'
    )
    remarks = _remarks(shown)
    parts = [
        Part("verdict", "Verdict", verdict),
        Part("results", "Results", _table(shown)),
        Part("conditions", "Conditions", _conditions(shown)),
        Part("notes", "Notes", remarks),
        _assumed(shown),
        Part("next", "What to do next", html_list(next_steps_of(shown))),
        Part("how", "How it was judged", html_facts(_settings(shown))),
        data_part(data, "skcompare.gate.GateDecision", "decision.json"),
    ]
    body = html_report("Decision of a gate", title, parts, kind)
    return html_page(title, body, data, GATE_STYLE)


def decision_html_fragment(decision: DecisionData) -> str:
    """Return the report as an HTML fragment, for notebooks."""
    decision = shown_part(decision)
    conditions = _conditions(decision)
    remarks = _remarks(decision)
    kind = CLASSES.get(decision.status, OTHER)
    return (
        f'<div class="skcompare {kind}"><style>{STYLE}\n{GATE_STYLE}</style>'
        f'<p class="verdict">{text(headline(decision))}</p>{_table(decision)}'
        f"{f'<h3>Conditions</h3>{conditions}' if conditions else ''}"
        f"{f'<h3>Notes</h3>{remarks}' if remarks else ''}"
        f"<h3>How it was judged</h3>{html_facts(_settings(decision))}</div>"
    )


def _sentence(decision: DecisionData) -> str:
    """Return the headline without the verdict, which is shown above."""
    return headline(decision).removeprefix(f"{verdict_text(decision)}: ")


def _table(decision: DecisionData) -> str:
    """Format the conditions as a table, empty for a blind decision."""
    if not decision.outcomes:
        return ""
    caption = (
        "Conditions: the difference is challenger less champion, with the limits that it "
        "is shown to keep"
    )
    header, cells = table(decision)
    # The status is read first, even where the table has to be scrolled.
    order = [*range(2), len(header) - 1, *range(2, len(header) - 1)]
    if header[0]:
        order = [0, len(header) - 1, *range(1, len(header) - 1)]
    return html_table(
        [header[k] for k in order],
        [[line[k] for k in order] for line in cells],
        TEXT_COLUMNS,
        caption=caption,
        named_by=header.index("condition"),
        first="number",
    )


def _conditions(decision: DecisionData) -> str:
    """Format each condition with its picture and reasons."""
    tops = [line for line in lines(decision) if line.number.isdigit()]
    return "".join(_condition(line) for line in tops)


def _remarks(decision: DecisionData) -> str:
    # The reasons are already beside the pictures.
    return html_list(
        f"{name}: {text}"
        for name, text in notes(decision)
        if not name.startswith(("reason", "needed", "condition"))
    )


def _assumed(decision: DecisionData) -> Part:
    """Return the assumptions of the design and of the tests of the conditions."""
    leaves = [leaf for outcome in decision.outcomes for leaf in outcome.leaves]
    tests = [(leaf.row.test, leaf.flags) for leaf in leaves if leaf.row is not None]
    if not tests:
        return Part("assumed", "What was assumed", "")
    design = design_in_text(decision.design)
    return assumed_part(design, assumed_of_tests(tests, design), BOUNDARIES)


def next_steps_of(decision: DecisionData) -> list[str]:
    """Return the next steps after a decision, none for a blind decision."""
    if decision.blind or not decision.outcomes:
        return []
    if decision.passed:
        return [
            "The challenger may replace the champion, as far as these conditions say.",
            _next_look(decision)
            or "Judge the next challenger on new records: these have been looked at.",
        ]
    steps, again = [], "Judge again"
    for line in lines(decision):
        outcome, number = line.outcome, f"Condition {line.number}"
        if outcome.status == FAILED:
            again = "Judge another challenger"
            steps.append(
                f"{number} was shown not to hold: more records will not change that, "
                "another challenger may."
            )
        elif settles(outcome):
            steps.append(f"{number}: {settles(outcome)}.")
    steps.append(
        _next_look(decision)
        or f"{again} on new records, as many as were decided on before, or keep account of "
        "all looks at the same ones with a ledger: a gate that is asked again and again "
        "lets through what should not pass."
    )
    return steps


def _next_look(decision: DecisionData) -> str:
    """Describe the level of the next look, or return an empty string without a ledger."""
    if not decision.look:
        return ""
    level = decision.look.get("next_alpha")
    if level is None:
        return (
            "The ledger has no level left for these records: judge on new ones next time."
        )
    return (
        "The ledger counts the looks at these records: the next one has level "
        f"{level:.4g}. New records that nobody has looked at have the whole level again."
    )


def _settings(decision: DecisionData) -> dict[str, str]:
    values = {"verdict": verdict_text(decision), **facts(decision)}
    if not decision.blind:
        values["level"] = f"alpha {decision.alpha:g}"
        if decision.fingerprint:
            values["true labels"] = decision.fingerprint
    if decision.versions:
        values["versions"] = ", ".join(
            f"{name} {v}" for name, v in decision.versions.items()
        )
    return values


def _condition(line: Line) -> str:
    """Format a condition with its picture, reasons and parts."""
    outcome = line.outcome
    name = "any of these" if outcome.parts else outcome.condition.text
    items = "".join(f"<li>{escape(reason)}</li>" for reason in reasons_of(outcome))
    parts = "".join(_condition(Line("", part)) for part in outcome.parts)
    number = f"{line.number}. " if line.number else ""
    kind = CLASSES.get(outcome.status, OTHER)
    return (
        f'<div class="condition {kind}"><p><strong>{number}'
        f"{escape(in_one_line(name))}</strong>: {escape(outcome.status)}</p>"
        f"{_picture(outcome)}<ul>{items}</ul>{parts}</div>"
    )


def _picture(outcome: Outcome) -> str:
    """Draw the limits of the difference, 0, and the boundaries to exclude."""
    row, condition = outcome.row, outcome.condition
    if row is None or isinstance(condition, AnyOf) or not math.isfinite(row.difference):
        return ""
    ends = [limit for limit in (outcome.low, outcome.high) if limit is not None]
    finite = [limit for limit in ends if math.isfinite(limit)]
    bounds = [boundary for boundary, _ in condition.boundaries]
    reach = 1.15 * max(map(abs, [row.difference, *finite, *bounds])) or 1.0
    scale = _Scale(reach)
    label = escape(_picture_label(outcome, condition))
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
    """Scale that maps differences to positions in a picture, clipped at its ends."""

    def __init__(self, reach: float) -> None:
        self.reach = reach

    def at(self, value: float) -> str:
        share = max(-1.0, min(1.0, value / self.reach))
        return f"{(LEFT + RIGHT) / 2 + share * (RIGHT - LEFT) / 2:.1f}"


def _margin(condition: Condition, scale: _Scale) -> str:
    """Draw the differences that meet a condition, as a lightly coloured region."""
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
    at, label = scale.at(boundary), f"{boundary:+g}"
    # Away from 0, so that the labels of two boundaries do not overlap.
    anchor = "start" if boundary > 0 else "end"
    return (
        f'<line x1="{at}" x2="{at}" y1="14" y2="46" stroke="var(--ink)" '
        'stroke-dasharray="3 2"/>'
        f'<text x="{at}" y="10" text-anchor="{anchor}">{label}</text>'
    )


def _picture_label(outcome: Outcome, condition: Condition) -> str:
    """Describe a picture as text, for screen readers."""
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
