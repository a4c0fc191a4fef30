"""Extents that are computed by operations, as exporters do, are known when the graph is elaborated."""

from __future__ import annotations

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
