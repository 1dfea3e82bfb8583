"""Files of scores item by item, as what a gate judges."""

from typing import Any

from skcompare.comparators._scored_items import MEAN_SCORE
from skcompare.gate._conditions import AnyOf
from skcompare.gate._file_columns import (
    called,
    check_different,
    check_not_chosen,
    check_roles,
)
from skcompare.gate._gate import Gate
from skcompare.gate._given_files import GateFiles, checked_source, training_of
from skcompare.gate._items import ItemSubject
from skcompare.gate._policy_sections import Columns
from skcompare.predictions import ItemScores
from skcompare.predictions._role_names import ROLES

SCORE, ITEM = "score", "item"

OF_ANSWERS = ("id", "y", "y_from", "label", "proba", *ROLES, "labels", "pos_label")


def is_about_scores(columns: Columns, gate: Gate) -> bool:
    """Whether answers come scored, as a column or a condition says."""
    leaves = [
        leaf
        for one in gate.conditions
        for leaf in (one.conditions if isinstance(one, AnyOf) else (one,))
    ]
    return columns.score is not None or any(one.measure == MEAN_SCORE for one in leaves)


def scores_subject(
    files: GateFiles, columns: Columns, gate: Gate, pos_label_text: str | None
) -> ItemSubject:
    """The scores to judge, read from files and checked.

    Parameters
    ----------
    files : GateFiles
        One file with two columns of scores, or the champion's and the challenger's.
    columns : Columns
        Which columns are what.
    gate : Gate
        What is asked; its slices need columns.
    pos_label_text : str or None
        Refused: scores have no labels.
    """
    columns.check_without(OF_ANSWERS, "is about answers to records, and these are scores")
    if pos_label_text is not None:
        raise ValueError("--pos-label is about labels, and these are scores. Leave it out.")
    score: Any = SCORE if columns.score is None else columns.score
    sources = [checked_source(path) for path in files.answers]
    given = [score, score] if isinstance(score, str) else list(score)
    if len(given) != 2:
        raise ValueError(
            "`score` must be the name of a column, or the champion's and the challenger's. "
            f"Got {len(given)} names."
        )
    roles = [sources[0], sources[-1]]
    check_different(roles, given)
    check_roles(roles, given)
    known = dict.fromkeys(gate.columns, "`where`")
    if columns.groups is not None:
        known[columns.groups] = "`groups`"
    for name, by in known.items():
        check_not_chosen(name, by, *roles)
    item = ITEM if columns.item is None else columns.item
    training = training_of(files, item, columns.features or ())
    needed = [] if training is None else [n for n in training.needed if n != item]
    scores = ItemScores.from_frames(
        *sources,
        score=score if isinstance(score, str) else tuple(score),
        item=item,
        group=columns.groups,
        attempt=columns.attempt,
        columns=dict.fromkeys([*gate.columns, *needed]),
        bounds=columns.bounds,
        names=called(roles, given),
    )
    unseen = ""
    if training is not None:
        judged = {item: scores.items, **scores.columns}
        unseen = training.check(judged, sources[0].words)
    return ItemSubject(scores, unseen)
