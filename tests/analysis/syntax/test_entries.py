"""The entries of a block: a sequence in which the cost of an edit depends on its own group."""

from __future__ import annotations

import random
from bisect import bisect_right

from hypothesis import given, settings
from hypothesis import strategies as st

from snd_analysis.skriptnd.syntax import nodes
from support.sampling import examples

WIDTH = 10


def entry(at: int, number: int) -> nodes.Entry:
    return nodes.Entry(at, at + WIDTH - 1, nodes.ErrorEntry(0, WIDTH - 1, f"n{number}"))


def said(entries: list[nodes.Entry]) -> list[tuple[int, int, nodes.Statement]]:
    return [(each.start, each.end, each.statement) for each in entries]


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 2**32))
def test_entries_are_those_of_a_list_and_an_edit_leaves_other_groups(seed: int):
    random_ = random.Random(seed)
    expected = [entry(WIDTH * at, at) for at in range(random_.choice([0, 1, 63, 64, 65, 100, 500]))]
    entries = nodes.Entries.of(expected)
    for number in range(40):
        first = random_.randint(0, len(expected))
        end = min(first + random_.choice([0, 0, 1, 2, 5, 60]), len(expected))
        start = expected[first].start if first < len(expected) else WIDTH * len(expected)
        new = [entry(start + WIDTH * at, 1000 * number + at) for at in range(random_.choice([0, 1, 2, 3, 130]))]
        distance = WIDTH * (len(new) - (end - first))
        known = {group for _, group in entries.groups}
        was_long = entries.is_long
        entries = entries.spliced(first, end, new, distance)
        expected[first:] = [*new, *(each.moved(distance) for each in expected[end:])]

        assert len(entries) == len(expected)
        assert said([*entries]) == said(expected)
        at, to = sorted(random_.choices(range(-2, len(expected) + 3), k=2))
        assert said([*entries[at:to]]) == said(expected[at:to])
        assert said([*entries[::-1]]) == said(expected[::-1])
        for place in random_.choices(range(len(expected)), k=3) if expected else ():
            assert said([entries[place], entries[place - len(expected)]]) == said([expected[place]] * 2)
            assert bisect_right(entries, expected[place].start, key=lambda each: each.start) == place + 1
        assert entries.is_long is (len(expected) >= nodes.SHORTEST_LONG_BLOCK)
        if entries.is_long:
            assert all(len(group.entries) < 48 + 96 for _, group in entries.groups)
            assert len(entries.groups) <= 2 + len(expected) / 16
        if entries.is_long and was_long:
            made = sum(len(group.entries) for _, group in entries.groups if group not in known)
            assert made <= len(new) + 3 * 96 + 16


def test_entries_that_only_move_stay_in_their_groups():
    entries = nodes.Entries.of([entry(WIDTH * at, at) for at in range(300)])
    moved = entries.moved(7)
    assert [group for _, group in moved.groups] == [group for _, group in entries.groups]
    assert [each.start for each in moved] == [each.start + 7 for each in entries]
    assert nodes.Entries.of(entries[:3]).moved(7)[2].start == entries[2].start + 7
