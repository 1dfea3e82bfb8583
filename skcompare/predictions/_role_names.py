"""What names say of who is the champion and who the challenger."""

import re

CHAMPION, CHALLENGER = ROLES = ("champion", "challenger")
PAIRS = (
    ROLES,
    ("baseline", "candidate"),
    ("before", "after"),
    ("control", "treatment"),
    ("current", "next"),
    ("incumbent", "contender"),
    ("old", "new"),
    ("production", "candidate"),
    ("production", "staging"),
)
"""Words for the two roles, the champion's first."""

WORD = re.compile(r"[^\W\d_]+")


def check_role_names(champion: str, challenger: str) -> None:
    """Refuse names in the wrong order, which sorted files and dicts of answers give.

    Parameters
    ----------
    champion, challenger : str
        What is taken for either, such as the names of their files.
    """
    one, two = (_words(name) for name in (champion, challenger))
    # One of the names of the roles themselves is enough.
    wrong = {CHALLENGER} == one & {*ROLES} or {CHAMPION} == two & {*ROLES}
    if wrong or any(new in one and old in two for old, new in PAIRS):
        raise ValueError(
            f"The champion comes first, and the names say the opposite: {champion!r} is "
            f"taken for the champion and {challenger!r} for the challenger. Turn them "
            "round, or rename them."
        )


def _words(name: str) -> set[str]:
    return {word.lower() for word in WORD.findall(name)}
