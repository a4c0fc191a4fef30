"""Declarations are evaluated once for all versions of the bodies that depend on them, and for no other version."""

from __future__ import annotations

import pytest

from snd_analysis.base import Edit, Span
from snd_analysis.compose import Specialization, session, specialization_of
from snd_analysis.compose.bind.arguments import Binder, BindingState
from snd_analysis.workspace import Workspace
from support.memory import MemoryReader, snapshot_of
from support.sampling import sample

TEXT = """\
# >>> window{size=2}([1.0, 2.0, 3.0])
operator window {
    @attrib { size: int; }
    @input { x: real[n]; }
    @using { m = n - size + 1; }
    @assert { size > 0; }
    @output { y: real[m]; }
    @lower { y[i,] += x[i + j,], i < m, j < size; }
}

# >>> twice([1.0, 2.0, 3.0])
operator twice {
    @attrib { size: int = 2; }
    @input { x: real[n]; }
    @output { y: real[n - size + 1]; }
    @compose { t = window{size=size}(x); y = window{size=1}(t); }
}

graph net {
    @input { x: real[8]; }
    @output { y: real[7]; }
    @compose { y = twice(x); }
}
"""
BODY = ("x[i + j,]", "x[i + j + 0,]")
EDITS = [
    BODY,
    ("x[i + j,]", "x[i + j + 1,]"),  # leaves the tensor, wherever it is invoked
    ("x[i + j,]", "q[i + j,]"),
    ("x[i + j,]", "x[(i + j,]"),
    ("size=1}(t)", "size=2}(t)"),
    ("size=1}(t)", "size=0}(t)"),  # the assertion fails
    ("n - size + 1", "n - size + 2"),
    ("m = n", "\n    m = n"),
    ("size > 0", "size > 1"),
    ("@input { x: real[n]; }\n    @using", "@input { x: real[k]; }\n    @using"),
    ("size: int = 2", "size: int = 3"),
    ("operator window {", "# moved\noperator window {"),
    ("operator window {", "operator window { "),
    ("real[7]", "real[6]"),
]


def _edit(workspace: Workspace, text: str, before: str, after: str) -> str:
    at = text.index(before)
    workspace.edit("a.sknd", [Edit(Span(at, at + len(before)), after)])
    return text[:at] + after + text[at + len(before) :]


@pytest.fixture
def workspace() -> Workspace:
    workspace = Workspace(MemoryReader({}))
    workspace.open("a.sknd", TEXT)
    assert workspace.snapshot().diagnostics("a.sknd") == ()
    return workspace


@pytest.mark.parametrize("first", EDITS, ids=str)
@pytest.mark.parametrize("second", sample(EDITS, 2), ids=str)
def test_what_is_found_is_what_is_found_from_nothing(
    workspace: Workspace, first: tuple[str, str], second: tuple[str, str]
):
    text = TEXT
    undone = [(after, before) for before, after in (second, first)]
    for before, after in (first, second, *undone, BODY):
        if before in text:
            text = _edit(workspace, text, before, after)
            assert workspace.snapshot().diagnostics("a.sknd") == snapshot_of({"a.sknd": text}).diagnostics("a.sknd")


def test_an_edit_of_a_body_evaluates_no_declarations(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    bound: list[str] = []

    class Noted(Binder):
        def bind(self) -> BindingState:
            bound.append(self.template.shown)
            return super().bind()

    monkeypatch.setattr(session, "Binder", Noted)
    text = _edit(workspace, TEXT, *BODY)
    assert workspace.snapshot().diagnostics("a.sknd") == ()
    assert bound == []
    _edit(workspace, text, "n - size + 1", "n + 1 - size")
    assert workspace.snapshot().diagnostics("a.sknd") == ()
    assert set(bound) == {"window"}


def test_a_composition_is_of_the_body_as_it_is(workspace: Workspace):
    def specialization() -> Specialization:
        checked = next(checked for _, checked in workspace.snapshot().checked_samples("a.sknd"))
        assert checked.operation is not None
        callee = specialization_of(checked.operation)
        assert callee is not None
        return callee

    before = specialization()
    _edit(workspace, TEXT, *BODY)
    after = specialization()
    assert after.template.formulas[0][1] is not before.template.formulas[0][1]
    assert after.scope.template is after.template
    assert before.scope.template is before.template
    assert after.scope.values.keys() <= {*after.template.resolution.symbols}
    assert after.outputs == before.outputs
