"""The analysis of a sample is reused as long as none of its dependencies has changed."""

from __future__ import annotations

import random

import pytest

from snd_analysis.base import Edit, Span
from snd_analysis.workspace import Snapshot, Workspace
from support.memory import MemoryReader, snapshot_of, unsuppressed

OPERATORS = """\
# >>> scale([1.0])
# y: real[1] = [2.0]
operator scale {
    @attrib { factor: real = 2.0; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = factor * x[i,], i < n; }
}

# >>> twice([1.0, 2.0])
operator twice {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = scale(x); }
}

operator other {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 3.0 * x[i,], i < n; }
}
"""
EDITS = [
    ("3.0", "4.0"),
    ("factor: real", "gain: real"),
    ("x: real[n]", "x: real[n, m]"),
    ("operator scale", "operator stretch"),
    ("([1.0])", "([1.0], [2.0])"),
    ("# y: real[1]", "# y: real[2]"),
    ("# >>> twice", "# >>> other"),
    ("operator other", "# >>> other(zeros[3])\noperator other"),
    ("scale(x)", "other(x)"),
]  # fmt: skip


def _edited(text: str, before: str, after: str) -> Edit:
    at = text.index(before)
    return Edit(Span(at, at + len(before)), after)


def _checked(snapshot: Snapshot) -> list[object]:
    return [checked for _, checked in snapshot.checked_samples("a.sknd")]


@pytest.fixture
def workspace() -> Workspace:
    workspace = Workspace(MemoryReader({}))
    workspace.open("a.sknd", OPERATORS)
    assert not workspace.snapshot().diagnostics("a.sknd")
    return workspace


def test_an_edit_elsewhere_leaves_samples_as_they_are(workspace: Workspace):
    before = _checked(workspace.snapshot())
    workspace.edit("a.sknd", [_edited(OPERATORS, "3.0", "4.0"), Edit(Span(0, 0), "\n\n")])
    assert _checked(workspace.snapshot()) == before


def test_a_body_that_a_sample_reaches_counts(workspace: Workspace):
    scale, twice = _checked(workspace.snapshot())
    workspace.edit("a.sknd", [_edited(OPERATORS, "factor * x", "x[i,] * x")])
    after = _checked(workspace.snapshot())
    assert after[0] is not scale
    assert after[1] is not twice


@pytest.mark.parametrize(("before", "after"), EDITS)
def test_incremental_equals_fresh(workspace: Workspace, before: str, after: str):
    workspace.edit("a.sknd", [_edited(OPERATORS, before, after)])
    text = OPERATORS.replace(before, after, 1)
    fresh = snapshot_of({"a.sknd": text})
    assert workspace.snapshot().diagnostics("a.sknd") == fresh.diagnostics("a.sknd")
    workspace.edit("a.sknd", [_edited(text, after, before)])
    assert not unsuppressed(workspace.snapshot(), "a.sknd")


def test_an_edit_of_an_imported_module_counts():
    workspace = Workspace(MemoryReader({}))
    workspace.open("ops.sknd", OPERATORS)
    workspace.open("a.sknd", "import ops;\n\n# >>> ops.scale{factor=3.0}([1.0])\n")
    assert not workspace.snapshot().diagnostics("a.sknd")
    workspace.edit("ops.sknd", [_edited(OPERATORS, "factor: real", "gain: real")])
    assert [each.rule.name for each in workspace.snapshot().diagnostics("a.sknd")] == ["unknown-attribute"]


PIECES = ("[", "]", "(", "{", "# >>> ", "# ... ", "\n", "\r\n", "1.0", "1", ",", "=", "𝔘", "null", "zeros[2]", "# y: ")


@pytest.mark.parametrize("seed", range(6))
def test_any_edits_leave_what_a_fresh_start_finds(seed: int):
    chance = random.Random(seed)
    workspace, text = Workspace(MemoryReader({})), OPERATORS
    workspace.open("a.sknd", text)
    for _ in range(12):
        start = chance.randrange(len(text))
        edit = Edit(Span(start, min(len(text), start + chance.choice((0, 0, 1, 4)))), chance.choice(PIECES))
        workspace.edit("a.sknd", [edit])
        text = edit.apply(text)
        found = workspace.snapshot().diagnostics("a.sknd")
        assert found == snapshot_of({"a.sknd": text}).diagnostics("a.sknd"), text
        for diagnostic in found:
            span = diagnostic.location.span
            assert 0 <= span.start <= span.end <= len(text), text
