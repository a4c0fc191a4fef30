"""NaN and infinities: the nodes for which engines have different results, and inputs that have such elements."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from snd_runtime.generators import source_of
from snd_runtime.lowering.lowered import Argument
from snd_server.exchange.onnx_import.source import SourceGraph, SourceNode

if TYPE_CHECKING:
    import onnx

Array: TypeAlias = np.ndarray[Any, Any]

KINDS = frozenset(
    {
        "ArgMax", "ArgMin", "Attention", "BatchNormalization", "Clip", "Conv", "ConvTranspose", "GRU", "GlobalMaxPool",
        "Hardmax", "InstanceNormalization", "LRN", "LSTM", "LayerNormalization", "MaxPool", "MaxRoiPool", "Mod",
        "NonMaxSuppression", "RNN", "ReduceMax", "ReduceMin", "Resize", "ScatterElements", "ScatterND", "Sign", "TopK",
        "Upsample",
    }
)  # fmt: skip
"""Kinds of nodes whose results for NaN or infinities ONNX leaves open; docs/export.md has an example of each."""

_VALUES = (np.nan, np.inf, -np.inf, -0.0)
_LEAST_SIZE = 8
"""Least number of elements of a tensor that gets all special values; a smaller one gets one of them."""


def note(model: onnx.ModelProto) -> str | None:
    """Return a line that names the nodes of a model whose results for special values differ; None without any."""
    return _note(_kinds(model.graph.node, _Functions(model)))


def source_note(graph: SourceGraph) -> str | None:
    """Return the line of ``note`` about the source of a conversion."""
    return _note(_source_kinds(graph.nodes))


def _note(kinds: Iterable[str]) -> str | None:
    found = sorted(KINDS.intersection(kinds))
    if not found:
        return None
    named = found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"
    return f"note: for NaN or infinities, {named} may have other results in onnxruntime than in snd (docs/export.md)"


def is_open(model: onnx.ModelProto, tensor: str) -> bool:
    """Return whether a node of these kinds computes a tensor of the graph, itself or in its function or body."""
    makers = {name: node for node in model.graph.node for name in node.output}
    maker = makers.get(tensor)
    while maker is not None and maker.op_type == "Identity":
        maker = makers.get(maker.input[0])
    return maker is not None and bool(KINDS & _kinds((maker,), _Functions(model)))


def is_open_in_source(graph: SourceGraph, differing: Container[str], equal: Container[str]) -> bool:
    """Return whether a node of these kinds makes the first of the differing tensors of a source from equal ones.

    Between them may be tensors of functions, which are not seen.
    """
    makers = {name: node for node in graph.nodes for name in node.outputs}
    left = [name for name in makers if name in differing][:1]
    seen = {*left}
    while left:
        maker = makers.get(left.pop())
        if maker is None:
            continue
        if KINDS.intersection(_source_kinds((maker,))):
            return True
        before = {name for name in maker.inputs if name not in equal} - seen
        left += before
        seen |= before
    return False


def _source_kinds(nodes: Iterable[SourceNode]) -> Iterator[str]:
    for node in nodes:
        yield node.kind
        for value in node.attributes.values():
            if isinstance(value, SourceGraph):
                yield from _source_kinds(value.nodes)


class _Functions:
    """The functions of a model, and the kinds of nodes in them. Each is read once, however often it is called."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._functions = {(each.domain, each.name): each for each in model.functions}
        self._kinds: dict[tuple[str, str], frozenset[str]] = {}

    def kinds(self, node: onnx.NodeProto) -> frozenset[str]:
        """Return the kinds of nodes in the function that a node calls; none if it calls no function."""
        key = (node.domain, node.op_type)
        if key not in self._functions:
            return frozenset()
        if key not in self._kinds:
            self._kinds[key] = frozenset()  # of a function that calls itself, which is refused elsewhere
            self._kinds[key] = _kinds(self._functions[key].node, self)
        return self._kinds[key]


def _kinds(nodes: Iterable[onnx.NodeProto], functions: _Functions) -> frozenset[str]:
    """Return the kinds of nodes, of the nodes in their bodies, and of those in the functions that they call."""
    found: set[str] = set()
    for node in nodes:
        found.add(node.op_type)
        found |= functions.kinds(node)
        for each in node.attribute:
            if each.HasField("g"):
                found |= _kinds(each.g.node, functions)
    return frozenset(found)


def with_special_values(arguments: Sequence[Argument], seed: int) -> list[Argument] | None:
    """Return inputs in which a few reals are NaN, infinite or -0.0; None without reals."""
    places = source_of(seed, "special values")
    changed = 0

    def special(array: Array) -> Array:
        nonlocal changed
        if array.dtype.kind != "f" or not array.size:
            return array
        values = _VALUES if array.size >= _LEAST_SIZE else _VALUES[changed % len(_VALUES) :][:1]
        changed += 1
        found = array.copy()
        found.reshape(-1)[places.choice(array.size, len(values), replace=False)] = values
        return found

    found: list[Argument] = [
        special(value) if isinstance(value, np.ndarray) else None if value is None else tuple(map(special, value))
        for value in arguments
    ]
    return found if changed else None
