"""Every example has the shapes, bounds and numbers of weights that its paper gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from snd_analysis.compose import decompose
from snd_analysis.model import Tensor, TensorValue, tensors_of
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.values import Pack
from support.analysis.composing import MAIN
from support.memory import read_program, snapshot_of

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*/expected*.json"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[f"{path.parent.name}-{path.stem}" for path in EXAMPLES])
def test_example(path: Path):
    expected = json.loads(path.read_text(encoding="utf-8"))
    composition = snapshot_of(read_program(path.parent)).compose(OperatorName(MAIN, expected["graph"]))
    assert not composition.failures
    assert composition.graph is not None
    graph = decompose(composition.graph, lambda name: True, MAIN)
    for part in ("inputs", "outputs", "tensors"):
        named = getattr(graph, part)
        wrong = {
            name: _extents(named.get(name))
            for name in expected[part]
            if not _agree(named.get(name), expected[part][name])
        }
        assert not wrong
    for name, bound in expected.get("bounds", {}).items():
        value = graph.inputs.get(name) or graph.outputs.get(name)
        assert isinstance(value, Tensor)
        assert list(value.bound or ()) == bound
    weights = 0
    for name, value in graph.variables.items():
        if name.rpartition(".")[2] not in expected["excluded_variables"]:
            for tensor in tensors_of(value):
                assert tensor.elements is not None
                assert tensor.elements.value is not None
                weights += tensor.elements.value
    assert weights == expected["parameters"]


def _extents(value: TensorValue) -> Any:
    if isinstance(value, Pack):
        return [_extents(item) for item in value.items or ()]
    return [str(extent) for extent in value.shape or ()] if isinstance(value, Tensor) else None


def _agree(value: TensorValue, expected: Any) -> bool:
    """Return whether extents are as expected, where "~" means any dynamic one."""
    if isinstance(expected, dict):
        items = value.items if isinstance(value, Pack) else None
        return items is not None and all(map(_agree, items, expected["items"])) and len(items) == len(expected["items"])
    if not isinstance(value, Tensor) or value.shape is None or len(value.shape) != len(expected):
        return False
    return all(
        str(extent) == str(wanted) or (wanted == "~" and extent.value is None)
        for extent, wanted in zip(value.shape, expected, strict=True)
    )
