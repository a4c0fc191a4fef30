"""Statements of long blocks in rows: an edit leaves all rows but its own as they are."""

from __future__ import annotations

import random

from snd_analysis.base import Edit, Span, checked_by
from snd_analysis.skriptnd.names import Resolution
from snd_analysis.workspace import Snapshot, Workspace
from support.memory import MemoryReader, snapshot_of

COUNT = 300


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
            with checked_by(checkpoint):
                found = workspace.snapshot().diagnostics("main.sknd")
        except Put:
            reached += 1
            continue
        assert found == expected
    assert reached > 5
    edit = Edit(Span(0, 0), "# said\n")
    workspace.edit("main.sknd", [edit])
    after = snapshot_of({"main.sknd": edit.apply(text)}).diagnostics("main.sknd")
    assert workspace.snapshot().diagnostics("main.sknd") == after
