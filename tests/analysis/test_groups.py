"""Groups of classifiers that are not distinguished."""

from itertools import chain, combinations

import numpy as np

from skcompare._analysis._pairwise_comparison import groups_of, letters_of


def largest_sets(names, told_apart):
    """All sets without a pair that is distinguished, as large as can be, by trying all."""
    apart = {frozenset(pair) for pair in told_apart}
    every = chain.from_iterable(combinations(names, k) for k in range(1, len(names) + 1))
    alike = [
        frozenset(one)
        for one in every
        if not any(frozenset(pair) in apart for pair in combinations(one, 2))
    ]
    return {one for one in alike if not any(one < other for other in alike)}


def test_groups_are_all_largest_sets():
    """Whatever is distinguished, the groups are those that trying all sets finds."""
    for share in [0.0, 0.2, 0.5, 0.8, 1.0]:
        rng = np.random.default_rng(7)
        for n in (1, 2, 5, 8):
            names = [f"c{k}" for k in range(n)]
            for _ in range(20):
                apart = [pair for pair in combinations(names, 2) if rng.random() < share]

                groups = groups_of(names, apart)

                assert largest_sets(names, apart) == set(map(frozenset, groups))
                assert len(set(groups)) == len(groups)


def test_order_is_that_of_the_names():
    """The best one's group comes first, and in a group the best one."""
    groups = groups_of(["a", "b", "c", "d"], [("d", "a"), ("a", "c"), ("d", "b")])

    assert (("a", "b"), ("b", "c"), ("c", "d")) == groups


def test_letters():
    """Who is in two groups has two letters; who differs from all has one of its own."""
    groups = groups_of(["a", "b", "c", "d"], [("a", "c"), *(("d", x) for x in "abc")])

    assert {"a": "a", "b": "ab", "c": "b", "d": "c"} == letters_of(groups)
    assert {} == letters_of(())


def test_many_groups_have_numbers():
    """The alphabet has an end."""
    names = [f"c{k}" for k in range(30)]
    letters = letters_of(groups_of(names, combinations(names, 2)))

    assert "30" == letters["c29"]
