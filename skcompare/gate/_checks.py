"""What makes a gate meaningless, found before anything is judged."""

from skcompare._core.flags import explain
from skcompare.gate._subjects import Subject


def stops(subject: Subject) -> dict[str, str]:
    """Codes and words of what lets nothing pass, whatever the conditions say."""
    found = ["same-predictions"] if subject.same_answers else []
    return dict(zip(found, explain(found), strict=True))
