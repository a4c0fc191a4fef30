"""Extents that are computed by operations, as exporters do, are known when the graph is elaborated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snd_analysis.base import OperatorName
from snd_analysis.model import Tensor
from support.memory import snapshot_of
from support.nnef1.running import PATH, run_text

HEAD = """version 1.0;
extension tract_registry tract_core;
extension tract_symbol B;
extension tract_symbol S;
graph g(x) -> (y)
{
    x = tract_core_external(shape = [B, S, 4], datum_type = 'f32');
    s = tract_core_shape_of(x);
"""


def _graph(*statements: str) -> str:
    return HEAD + "".join(f"    {each};\n" for each in statements) + "}\n"


@pytest.mark.parametrize(
    ("statements", "shape"),
    [
        (("c = concat([s, [1]], axis = 0)", "y = reshape(x, shape = c)"), (2, 3, 4, 1)),
        (("u = unsqueeze(s, axes = [0])", "v = squeeze(u, axes = [0])", "y = reshape(x, shape = v)"), (2, 3, 4)),
        (("m = max(mul(s, 1), 1)", "y = reshape(x, shape = m)"), (2, 3, 4)),
        (("t = tract_core_cast(s, to = 'tdim')", "y = reshape(x, shape = t)"), (2, 3, 4)),
        (("y = reshape(x, shape = [s[0] * s[1], s[2]])",), (6, 4)),
    ],
)
def test_shapes_that_are_computed(statements: tuple[str, ...], shape: tuple[int, ...]):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert run_text(_graph(*statements), {"x": x})["y"].shape == shape


def test_what_is_known_becomes_a_tensor_where_one_is_needed():
    x = np.zeros((2, 3, 4), np.float32)
    np.testing.assert_array_equal(run_text(_graph("y = mul(s, 2)"), {"x": x})["y"], [4, 6, 8])


def test_symbols_stay_in_shapes():
    text = _graph("y = reshape(x, shape = [s[0] * s[1], s[2]])")
    graph = snapshot_of({PATH: text}).compose(OperatorName(PATH, "g")).graph
    assert graph is not None
    output = graph.outputs["y"]
    assert isinstance(output, Tensor)
    assert output.shape is not None
    assert [*map(str, output.shape)] == ["B * S", "4"]


def test_symbols_may_have_names_that_are_none_in_skriptnd():
    text = _graph("y = reshape(x, shape = [s[0] * s[1], s[2]])").replace("B", "real").replace("S", "graph_")
    graph = snapshot_of({PATH: text}).compose(OperatorName(PATH, "g")).graph
    assert graph is not None
    output = graph.outputs["y"]
    assert isinstance(output, Tensor)
    assert output.shape is not None
    assert [*map(str, output.shape)] == ["graph_ * real", "4"]


EXTENTS = (
    "b = slice(s, axes = [0], begin = [0], end = [1], stride = [1])",
    "t = slice(s, axes = [0], begin = [1], end = [2], stride = [1])",
    "b0 = squeeze(b, axes = [0])",
    "t0 = squeeze(t, axes = [0])",
)


@pytest.mark.parametrize(
    ("statements", "shape"),
    [
        (("y = reshape(x, shape = [b0, t0, 2, 2])",), "B,S,2,2"),
        (("n = tract_core_cast(mul(b0, t0), to = 'tdim')", "y = reshape(x, shape = [n, 4])"), "B * S,4"),
        (("w = concat([b, t, [-1]], axis = 0)", "y = reshape(x, shape = w)"), "B,S,4"),
        (("u = unsqueeze(t0, axes = [0])", "w = concat([b, u, [2], [2]], axis = 0)", "y = reshape(x, shape = w)"),
         "B,S,2,2"),
        (("i = tract_core_gather(s, 1, axis = 0)", "y = reshape(x, shape = [-1, i, 2, 2])"), "B,S,2,2"),
        (("y = reshape(x, shape = [0, -1])",), "B,4 * S"),
        (("h = div(t0, 2)", "y = slice(x, axes = [1], begin = [0], end = [h], stride = [1])"), "B,S / 2,4"),
        (("h = sub(t0, 1)", "y = slice(x, axes = [1], begin = [h], end = [t0], stride = [1])"), "B,1,4"),
        (("h = sub(t0, 1)", "y = slice(x, axes = [1], begin = [h], end = [0], stride = [1])"), "B,1,4"),
        (("y = slice(x, axes = [1, 2], begin = [1, 1], end = [t0, -1])",), "B,S - 1,2"),
        (("m = min(t0, 2)", "y = slice(x, axes = [1], begin = [0], end = [m])"), "B,S <? 2,4"),
        (("p = mul(neg(t0), -1)", "y = reshape(x, shape = [b0, p, 4])"), "B,S,4"),
        (("y = tile([[[1.0]]], repeats = [b0, t0, 1])",), "B,S,1"),
        (("[a, c, d] = unstack(s, axis = 0)", "y = reshape(x, shape = [a, c, 2, 2])"), "B,S,2,2"),
        (("y = tract_core_dyn_slice(x, t0 - 1, t0, 1, axis = 1)",), "B,1,4"),
    ],
)  # fmt: skip
def test_chains_as_exporters_write_them(statements: tuple[str, ...], shape: str):
    snapshot = snapshot_of({PATH: _graph(*EXTENTS, *statements)})
    assert [each.message for each in snapshot.diagnostics(PATH)] == []
    graph = snapshot.compose(OperatorName(PATH, "g")).graph
    assert graph is not None
    output = graph.outputs["y"]
    assert isinstance(output, Tensor)
    assert output.shape is not None
    assert ",".join(map(str, output.shape)) == shape


def test_what_tract_does_not_load_is_told_where_extents_are_computed_too():
    (problem,) = snapshot_of({PATH: _graph("y = mul(slice(s, axes = [0], begin = [-1], end = [0]), 2)")}).diagnostics(
        PATH
    )
    assert problem.rule.name == "assertion-fails"


@pytest.mark.parametrize(
    "statement",
    [
        "n = slice(s, axes = [0], begin = [], end = [1], stride = [1])",
        "n = slice(s, axes = [0, 0], begin = [0], end = [1])",
        "n = slice(s, axes = [-1], begin = [0], end = [1])",
        "n = slice(s, axes = [0], begin = [2], end = [1])",
        "n = concat([s, s], axis = [0, 1])",
        "n = squeeze(s, axes = [-1])",
        "n = unsqueeze(s, axes = [-1])",
        "n = unsqueeze(s, axes = [7])",
        "n = sum_reduce(s, axes = [-1])",
        "n = sum_reduce(s, axes = [3])",
        "n = reshape(s, shape = [-3, -1])",
    ],
)
def test_what_no_operation_takes_is_not_evaluated(statement: str):
    found = snapshot_of({PATH: _graph(statement, "y = relu(x)")}).diagnostics(PATH)
    assert [each.severity.value for each in found] == ["error"], found


def test_a_symbol_follows_from_an_extent_that_is_a_multiple_of_it():
    text = HEAD.replace("[B, S, 4]", "[B, 2 * S + 1, 4]") + "    y = tile(x, repeats = [S, 1, 1]);\n}\n"
    assert run_text(text, {"x": np.zeros((2, 7, 4), np.float32)})["y"].shape == (6, 7, 4)
    composed = snapshot_of({PATH: text}).compose(OperatorName(PATH, "g")).graph
    assert composed is not None
    found = composed.tensors["y"]
    assert isinstance(found, Tensor)
    assert [str(each) for each in found.shape or ()] == ["B * S", "2 * S + 1", "4"]


# ---- arrays ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("[2] * 2", (4,)),
        ("2 * [2]", (4,)),
        ("[2] + [2]", (4,)),
        ("[1, 1] + [1]", (2, 2)),
        ("[5, 3] - [1, 2]", (4, 1)),
        ("[8] / 2", (4,)),
        ("[1, 2] * [2, 1] * [1, 1]", (2, 2)),
    ],
)
def test_tract_computes_with_the_items_of_arrays(tmp_path: Path, shape: str, expected: tuple[int, ...]):
    """Khronos' text joins and repeats arrays; tract adds and multiplies their items."""
    text = (
        "version 1.0;\nextension tract_registry tract_core;\ngraph g(x) -> (y)\n{\n"
        f"    x = external(shape = [2, 2]);\n    y = reshape(x, shape = {shape});\n}}\n"
    )
    assert run_text(text, {"x": np.ones((2, 2), np.float32)})["y"].shape == expected
    (tmp_path / "graph.nnef").write_text(text)
    tract = pytest.importorskip("tract")
    assert str(tract.nnef().load(str(tmp_path)).output_fact(0)) == f"{','.join(map(str, expected))},f32"


def test_arrays_of_other_lengths_do_not_fit_each_other_in_tract():
    text = (
        "version 1.0;\nextension tract_registry tract_core;\ngraph g(x) -> (y)\n{\n"
        "    x = external(shape = [2, 2]);\n    y = reshape(x, shape = [1, 2] * [1, 2, 3]);\n}\n"
    )
    (problem,) = snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")
    assert problem.message == "tract computes with the items of arrays, and these have 2 and 3 items"
