"""The call hierarchy lists the invokers and the invoked operators of a definition, and both directions agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from snd_analysis.ide.navigation import call_item, call_item_at, incoming, outgoing
from snd_analysis.skriptnd.names import OperatorName
from support.memory import read_program, snapshot_of

ROOT = Path(__file__).parents[3]
PROGRAMS = [path for path in sorted(ROOT.glob("examples/*")) if path.name != "broken"]
FILES = {
    "main.sknd": """import blocks, math;

# >>> blocks.double([1.0])
graph main {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose {
        a = blocks.double(x);
        b = math.add(a, a);
        y = if true then blocks.double(b) else { c = blocks.double(b); yield c; };
    }
    @quantize { a: blocks.rounded; }
}
""",
    "blocks.sknd": """operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 2.0 * x[i,], i < n; }
}

operator rounded {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = double(x); }
}
""",
}
DOUBLE = OperatorName("blocks.sknd", "double")


def test_who_invokes_an_operator():
    found = incoming(snapshot_of(FILES), DOUBLE, FILES)
    assert [(each.item.name.name, len(each.spans)) for each in found] == [("rounded", 1), ("main", 3)]
    for each in found:
        for span in each.spans:
            assert FILES[each.item.name.path][span.start : span.end] == "double"


def test_whom_a_graph_invokes():
    found = outgoing(snapshot_of(FILES), OperatorName("main.sknd", "main"))
    assert [(each.item.name, len(each.spans)) for each in found] == [
        (DOUBLE, 3),
        (OperatorName("snd:math", "add"), 1),
        (OperatorName("blocks.sknd", "rounded"), 1),
    ]
    assert outgoing(snapshot_of(FILES), OperatorName("main.sknd", "none")) == []


@pytest.mark.parametrize(("cursor", "name"), [("double(x)", "double"), ("main {", "main"), ("@compose", "main")])
def test_where_a_hierarchy_begins(cursor: str, name: str):
    item = call_item_at(snapshot_of(FILES), "main.sknd", FILES["main.sknd"].index(cursor))
    assert item is not None
    assert item.name.name == name


def test_a_hierarchy_begins_nowhere_outside_of_definitions():
    assert call_item_at(snapshot_of(FILES), "main.sknd", FILES["main.sknd"].index("import")) is None


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_both_directions_are_one_relation(program: Path):
    files = read_program(program)
    snapshot = snapshot_of(files)
    names = [OperatorName(path, name) for path in files for name in snapshot.definitions(path)]
    calls = {
        (caller, each.item.name, caller.path, span)
        for caller in names
        for each in outgoing(snapshot, caller)
        if each.item.name in names
        for span in each.spans
    }
    called = {
        (each.item.name, name, each.item.name.path, span)
        for name in names
        for each in incoming(snapshot, name, files)
        for span in each.spans
    }
    assert calls == called
    assert all(call_item(snapshot, name) is not None for name in names)
