"""Statements of long blocks in rows: an edit leaves all rows but its own as they are."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from snd_analysis.base import Edit, Span
from snd_analysis.skriptnd.names import Part, Resolution, Row, in_rows, joined
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.workspace import Snapshot, Workspace
from support.memory import MemoryReader, snapshot_of
from support.sampling import examples

COUNT = 300


def names(count: int) -> list[nodes.Name]:
    return [nodes.Name(at, at + 1, f"n{at}") for at in range(count)]


def row_of(statements: list[nodes.Name]) -> Row:
    return joined([Part(each, (), (), (), {}, (), True) for each in statements])


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 2**32))
def test_rows_cover_all_statements_and_last(seed: int):
    random_ = random.Random(seed)
    statements = names(random_.randrange(64, 600))
    before: dict[nodes.Node, Row] = {}
    for _ in range(30):
        rows = [*in_rows([(0, each) for each in statements], before)]
        assert [each for row, _ in rows for _, each in row] == statements
        assert all(len(row) < 96 + 16 for row, known in rows if known is None)
        # an edit of one statement costs its row, and at most one more
        assert not before or sum(known is None for _, known in rows) <= 3
        made = [known or row_of([each for _, each in row]) for row, known in rows]
        before = {row.node: row for row in made}
        at = random_.randrange(len(statements))
        statements[at : at + random_.choice([0, 1])] = names(random_.choice([0, 1, 1]))


def program(seed: int) -> str:
    random_ = random.Random(seed)
    variables = "".join(f"        w{at}: real[4];\n" for at in range(COUNT))
    lines = "".join(
        f"        l{at}: a{at + 1} = math.add(a{random_.randint(max(at - 3, 0), at)}, w{at});\n".replace(
            f"l{at}: a{at + 1} =", f"a{at + 1} = l{at}:"
        )
        for at in range(COUNT)
    )
    return (
        "import math;\ngraph net {\n    @input { x: real[4]; }\n    @output { y: real[4]; }\n"
        f"    @variable {{\n{variables}    }}\n    @compose {{\n        a0 = math.neg(x);\n{lines}"
        f"        y = math.neg(a{COUNT});\n    }}\n}}\n"
    )


def resolution_of(snapshot: Snapshot) -> Resolution:
    _, definition = next(iter(snapshot.tree("main.sknd").definitions))
    return snapshot.resolution("main.sknd", definition)


def test_an_edit_leaves_other_rows_and_uses_are_found_at_their_places():
    text = program(1)
    workspace = Workspace(MemoryReader({}))
    workspace.open("main.sknd", text)
    before = resolution_of(workspace.snapshot())
    at = text.index("a150 =")
    workspace.edit("main.sknd", [Edit(Span(at, at), "# said\n")])
    after = resolution_of(workspace.snapshot())
    assert len(set(before.all_rows) - set(after.all_rows)) <= 1
    assert len(before.rows["variable"]) > 2
    assert len(before.rows["variable names"]) > 2
    uses = sorted(after.uses, key=lambda use: use.span)
    now = snapshot_of({"main.sknd": workspace.snapshot().tree("main.sknd").text})
    fresh = sorted(resolution_of(now).uses, key=lambda use: use.span)
    assert [(use.span, use.role, use.name) for use in uses] == [(use.span, use.role, use.name) for use in fresh]
    for use in uses[::7]:
        assert use in after.uses_at(use.span.start)
        assert use in after.uses_at(use.span.end)
    for name in ("x", "y", "w7", "a151", "l3", "add"):
        named = sorted(after.uses_named(name), key=lambda use: use.span)
        assert named == [use for use in uses if use.name == name]
        assert named


class Put(Exception):  # noqa: N818
    pass


def test_a_question_is_put_aside_inside_of_a_long_definition():
    text = program(2)
    expected = snapshot_of({"main.sknd": text}).diagnostics("main.sknd")
    workspace = Workspace(MemoryReader({}))
    workspace.open("main.sknd", text)
    reached = 0
    for most in (*range(0, 60, 3), 1000):
        left = most

        def checkpoint() -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Put

        try:
            found = workspace.snapshot(checkpoint).diagnostics("main.sknd")
        except Put:
            reached += 1
            continue
        assert found == expected
    assert reached > 5
    edit = Edit(Span(0, 0), "# said\n")
    workspace.edit("main.sknd", [edit])
    after = snapshot_of({"main.sknd": edit.apply(text)}).diagnostics("main.sknd")
    assert workspace.snapshot().diagnostics("main.sknd") == after
