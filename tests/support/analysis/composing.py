"""Composing texts in tests: graphs by name, shapes as lists of numbers and strings."""

from __future__ import annotations

from typing import Any

from snd_analysis.compose import Composition, decompose
from snd_analysis.model import Graph, Tensor, TensorValue
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.values import ItemRun, Pack, Value
from support.memory import snapshot_of

# Operators that many of these graphs are made of.
NEG = """\
operator neg {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = -x[i..], i < s; }
}
"""
TWICE = """\
operator twice {
    @input { x: real[n]; }
    @output { y: real[2 * n]; }
    @lower { y[i * n + j,] = x[j,], i < 2, j < n; }
}
"""
MAIN = "main.sknd"


def composed(text: str | dict[str, str], graph: str = "net", attributes: dict[str, Value] | None = None) -> Composition:
    """Return the composition of a graph of ``main.sknd``."""
    files = text if isinstance(text, dict) else {MAIN: text}
    return snapshot_of(files).compose(OperatorName(MAIN, graph), attributes)


def flat(text: str | dict[str, str], graph: str = "net", attributes: dict[str, Value] | None = None) -> Graph:
    """Return a graph without mistakes, with everything decomposed."""
    composition = composed(text, graph, attributes)
    assert not composition.failures, [failure.message for failure in composition.failures]
    assert composition.graph is not None
    return decompose(composition.graph, lambda name: True, MAIN)


def shape(value: TensorValue) -> Any:
    """Return the extents of a tensor, or of all tensors of a pack; None if unknown."""
    if isinstance(value, Pack):
        return [shape(each.element if isinstance(each, ItemRun) else each) for each in value.segments]
    if not isinstance(value, Tensor) or value.shape is None:
        return None
    return [
        str(extent) if isinstance(extent, ItemRun) or extent.value is None else extent.value for extent in value.shape
    ]
