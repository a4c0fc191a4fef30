"""The tensors that the text of a graph names, asked for a part of it as for the whole."""

from __future__ import annotations

import pytest

from snd_analysis.base import Span
from snd_analysis.ide.evaluation import GraphTensors, TensorName, graph_tensors
from support.memory import snapshot_of

TEXT = """import math;

graph net {
    @input { x: real[2]; c: bool[]; }
    @output { y: real[2]; z: real[2]; }
    @variable { v: real[2]; }
    @compose {
        a = if c then {
            s = math.add(x, 1.0);
            yield s;
        } else {
            s = math.add(x, 2.0);
            yield s;
        };
        b = a;
        d = b;
        y = with u = d do..(3) {
            w = math.mul(u, v);
            yield w;
        };
        z = x;
    }
    @update { v = d; }
}
"""


def tensors(text: str) -> tuple[GraphTensors, int]:
    """Return the tensors of the graph, and the offset that their spans count from."""
    snapshot = snapshot_of({"main.sknd": text})
    assert not snapshot.diagnostics("main.sknd")
    ((start, definition),) = snapshot.tree("main.sknd").definitions
    return graph_tensors(snapshot.resolution("main.sknd", definition)), start


def test_tensors_of_one_name_are_numbered():
    found, _ = tensors(TEXT)
    names = [name for _, name in found.of_symbols]
    assert len(set(names)) == len(names)
    assert {TensorName("s", 0), TensorName("s", 1), TensorName("u"), TensorName("y")} <= set(names)
    assert all(found.name(symbol) == name for symbol, name in found.of_symbols)
    others, _ = tensors(TEXT)
    assert all(others.name(symbol) is None for symbol, _ in found.of_symbols), "those of another text"


def test_the_statements_of_any_part_are_those_of_the_whole_that_touch_it():
    found, start = tensors(TEXT)
    assert len(found.statements) == 9
    for at in range(0, len(TEXT) - start, 3):
        for length in (0, 1, 40):
            part = Span(at, at + length)
            expected = [
                each for each in found.statements if each.span.start <= part.end and part.start <= each.span.end
            ]
            assert [*found.statements_in(part)] == expected, part


def test_what_is_computed_at_a_place():
    found, start = tensors(TEXT)
    for number, value in enumerate(("(x, 1.0)", "(x, 2.0)")):
        at = TEXT.index(value) - start
        assert found.computed("s", Span(at, at + 1)) == TensorName("s", number)
        assert found.computed("a", Span(at, at + 1)) == TensorName("a")
        around = found.statement_around(Span(at, at + 1))
        assert around is not None
        assert around.tensors == (TensorName("s", number),)
    assert found.computed("s", Span(0, 1)) is None
    assert found.statement_around(Span(0, 1)) is None


@pytest.mark.parametrize(("name", "origin"), [("d", "a"), ("b", "a"), ("z", "x"), ("a", "a"), ("v", "v"), ("y", "y")])
def test_where_the_value_of_a_copy_comes_from(name: str, origin: str):
    found, _ = tensors(TEXT)
    assert found.origin(TensorName(name)) == TensorName(origin)
    assert found.origin(TensorName("v", updated=True)) == TensorName("a")


def test_a_variable_is_another_one_on_the_left_side_of_its_update():
    found, start = tensors(TEXT)
    (symbol,) = [symbol for symbol, name in found.of_symbols if name.name == "v"]
    for snippet, updated in (("v: real", False), ("v);", False), ("v = d", True)):
        at = TEXT.index(snippet) - start
        assert found.named_at(symbol, Span(at, at + 1)) == TensorName("v", updated=updated)
    assert [each.tensors for each in found.statements][-1] == (TensorName("v", updated=True),)


def test_copies_in_a_long_graph():
    lines = "".join(f"        a{at + 1} = a{at};\n" for at in range(200))
    text = (
        "graph net {\n    @input { x: real[2]; }\n    @output { y: real[2]; }\n    @compose {\n"
        f"        a0 = x;\n{lines}        y = a200;\n    }}\n}}\n"
    )
    found, _ = tensors(text)
    assert found.origin(TensorName("y")) == TensorName("x")
    assert len(found.statements) == 202
