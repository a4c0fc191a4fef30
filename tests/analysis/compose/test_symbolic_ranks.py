"""Ranks that depend on symbols: as much of a shape as can be told, and the rest once the symbols are known (2.6.2)."""

from __future__ import annotations

import pytest

from snd_analysis.model import Tensor
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import ItemRun, Pack, substitute
from support.analysis.composing import composed, flat, shape

GATHERED = """\
import layout;

graph net {
    @attrib { %s }
    @input { data: real[2,3,4]; at: int[5,%s]; }
    @output { y: real; }
    @compose { y = layout.gather_nd(data, at); }
}
"""


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@pytest.mark.parametrize(("attribute", "extent"), [("d: int;", "d"), ("", "d|3")], ids=["attribute", "dynamic"])
def test_as_many_dimensions_are_gathered_as_the_indices_say(attribute: str, extent: str, depth: int):
    composition = composed(GATHERED % (attribute, extent))
    assert not composition.failures
    symbolic, inputs = composition.graph.outputs["y"], composition.graph.inputs["at"]
    assert isinstance(symbolic, Tensor)
    assert [each.length for each in symbolic.shape if isinstance(each, ItemRun)] == [3 - inputs.shape[1]]
    key = next(iter(inputs.shape[1].leaves)).key
    numeric = flat(GATHERED % ("", str(depth))).outputs["y"]
    assert substitute(Pack(symbolic.shape), {key: depth}) == Pack(numeric.shape)


def test_more_dimensions_than_there_are():
    composition = composed(GATHERED % ("", "4"))
    assert [failure.rule.name for failure in composition.failures] == ["argument-rank"]
    checks = composed(GATHERED % ("d: int;", "d")).graph.operations[0].checks
    assert shapes.evaluate(checks[0].condition, {leaf.key: 4 for leaf in checks[0].condition.leaves}) is False


WRONG = """\
operator twice {
    @input { x: real[n]; }
    @output { y: real[2 * n]; }
    @lower { y[i * n + j,] = x[j,], i < 2, j < n; }
}
operator wrong {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = twice(x); }
}
graph net {
    @input { x: real[4]; }
    @output { z: real; }
    @compose { y = wrong(x); z = twice(y); }
}
"""


def test_callers_go_on_with_the_declared_shape():
    composition = composed(WRONG)
    assert [failure.rule.name for failure in composition.failures] == ["output-shape"]
    assert shape(composition.graph.tensors["y"]) == [4]
    assert shape(composition.graph.outputs["z"]) == [8]
