"""A composition consists of the current definitions, for every kind of edit of an operator below it (invariant 5).

Compositions of operators are shared, and one that is known records no dependencies on its parts. The dependency on
``reach`` replaces them. The second test shows that the first one would notice if that dependency was not recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from snd_analysis.compose import Specialization, Template, specialization_of
from snd_analysis.db import Database, Query
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot, Workspace, composing
from support.memory import MemoryReader, snapshot_of

DEEP = """operator deep {
    @attrib { by: int = 1; }
    @input { x: real[n]; }
    @output { y: real[n + by]; }
    @using { m = n + by; }
    @assert { by > 0: "grows"; }
    @lower { y[i,] = 0.0, i < m; }
}
"""
MIDDLE = (
    "import deep;\noperator middle {\n    @input { x: real[n]; }\n    @output { y: real[n + 1]; }\n"
    "    @compose { y = deep.deep(x); }\n}\n"
)
GRAPH = (
    "import middle;\ngraph net {\n    @input { x: real[4]; }\n    @output { y: real[5]; }\n"
    "    @compose { y = middle.middle(x); }\n}\n"
)
# The second graph finds the composition of ``middle`` known, and composes nothing below it.
FILES = {"deep.sknd": DEEP, "middle.sknd": MIDDLE, "first.sknd": GRAPH, "second.sknd": GRAPH}
SECOND = OperatorName("second.sknd", "net")

EDITS = {
    "a default": ("int = 1", "int = 2 - 1"),
    "a shape": ("real[n + by]", "real[by + n]"),
    "an extent": ("@input { x: real[n]; }", "@input { x: real[k]; }"),
    "a helper symbol": ("m = n + by", "m = by + n"),
    "an assertion": ("by > 0", "by > -1"),
    "a message": ("grows", "grows by one"),
    "an assertion that fails": ("by > 0", "n > 4"),
    "a formula": ("0.0, i", "1.0, i"),
    "a bound": ("i < m", "i < n + by"),
    "a formula that is out of bounds": ("0.0, i", "x[i + 4,], i"),
    "an optional input": ("x: real[n];", "x: real[n]; z: real[n] = 0.0;"),
    "an attribute": ("by: int = 1;", "by: int = 1; other: int = 2;"),
    "a type": ("by: int", "by: real"),
    "broken syntax": ("m = n + by", "m = n +"),
    "an undefined name": ("m = n + by", "m = n + bye"),
    "a duplicate": ("@using {", "@using { n = 1; "),
}


def edited(edit: tuple[str, str]) -> Snapshot:
    """Return the files after an edit, all of whose answers were known before it."""
    workspace = Workspace(MemoryReader(FILES))
    _ask(workspace.snapshot())
    before, after = edit
    text = DEEP.replace(before, after)
    assert text != DEEP
    workspace.open("deep.sknd", text)
    snapshot = workspace.snapshot()
    _ask(snapshot)
    return snapshot


def _ask(snapshot: Snapshot) -> None:
    for path in FILES:
        snapshot.diagnostics(path)


def outdated(snapshot: Snapshot, composed: Specialization | None) -> set[str]:
    """Return the names of the definitions whose earlier version is part of a composition."""
    if composed is None:
        return set()
    current: Template | None = composing.template(snapshot.db, composed.template.name)
    found = set() if current is composed.template else {composed.template.name.name}
    for operation in composed.body.operations if composed.body is not None else ():
        found |= outdated(snapshot, specialization_of(operation))
    return found


def forgetting(query: Query[[OperatorName], Any]) -> Callable[[Database, OperatorName], Any]:
    """Return a query whose answers are used without a recorded dependency."""

    def found(db: Database, name: OperatorName) -> Any:
        recording, db.storage.frame = db.storage.frame, None
        try:
            return query(db, name)
        finally:
            db.storage.frame = recording

    return found


@pytest.mark.parametrize("kind", EDITS)
def test_a_composition_consists_of_current_definitions(kind: str) -> None:
    snapshot, fresh = edited(EDITS[kind]), snapshot_of({**FILES, "deep.sknd": DEEP.replace(*EDITS[kind])})
    assert outdated(snapshot, composing.specialization(snapshot.db, SECOND)) == set()
    assert {path: snapshot.diagnostics(path) for path in FILES} == {path: fresh.diagnostics(path) for path in FILES}


@pytest.mark.parametrize("kind", EDITS)
def test_without_a_dependency_on_its_reach_a_composition_is_outdated(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composing, "reach", forgetting(composing.reach))
    snapshot = edited(EDITS[kind])
    assert outdated(snapshot, composing.specialization(snapshot.db, SECOND)) == {"deep"}
