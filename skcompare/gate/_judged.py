"""All conditions of a gate against one subject."""

from skcompare.comparators._versions import installed_versions
from skcompare.gate._checks import stops
from skcompare.gate._decision import GateDecision
from skcompare.gate._gate_conditions import GateConditions
from skcompare.gate._judge import Least, judge
from skcompare.gate._outcomes import INCONCLUSIVE, all_of
from skcompare.gate._subjects import Subject


def judged(gate: GateConditions, subject: Subject, *, planned: bool = True) -> GateDecision:
    """The decision without a ledger; `planned` has what would settle conditions."""
    stopped = stops(subject)
    least = Least(gate.min_records, gate.min_discordant)
    outcomes = tuple(
        judge(one, subject, gate.alpha, least, planned) for one in gate.conditions
    )
    champion, challenger = subject.names
    return GateDecision(
        status=INCONCLUSIVE if stopped else all_of(outcomes),
        outcomes=outcomes,
        alpha=gate.alpha,
        champion=champion,
        challenger=challenger,
        design=str(subject.design),
        n_records=subject.n_records,
        size=subject.size,
        reasons=tuple(stopped.values()),
        flags=(*stopped, *subject.flags),
        fingerprint=subject.fingerprint,
        versions=installed_versions(),
    )
