"""Data flow of samples that are vectors: which elements of the input each element of the output is computed from."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from snd_analysis.compose import Specialization
from snd_analysis.ide.data_flow.flow import NoFlow, flow_of, shape_of
from snd_analysis.ide.evaluation import samples_in
from snd_analysis.ide.limits import LONGEST_PICTURED_VECTOR
from snd_analysis.model import Tensor
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.samples import NestedRows
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.workspace import Snapshot


class SampleFlow(Struct, frozen=True):
    """A sample whose first input and whose output have one dimension that counts."""

    invocation: str
    """The invocation without arguments: ``conv{stride=[2]}``."""
    source: str
    result: str
    elements: tuple[str, ...]
    """Elements of the input, as written."""
    results: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    """Numbers of an element and of a result that it is read for."""


def sample_flows(snapshot: Snapshot, name: OperatorName) -> Iterator[SampleFlow]:
    """Yield the flow of small samples of an operator on vectors, apart from extents of 1.

    There is one sample for each choice of attributes.
    """
    seen: set[str] = set()
    for sample in samples_in(snapshot, name.path):
        call, results = sample.placed.sample.invocation, sample.placed.sample.results
        if sample.target != name or call is None or sample.specialization is None or len(results) != 1:
            continue
        attributes = "" if call.attributes is None else ", ".join(map(_attribute, call.attributes.items))
        invocation = call.function.text + (f"{{{attributes}}}" if attributes else "")
        elements, values = (*_elements(call.arguments[0]),) if call.arguments else (), (*_items(results[0].value),)
        found = _edges(sample.specialization, len(elements), len(values))
        if found is not None and invocation not in seen:
            seen.add(invocation)
            source, result = sample.specialization.template.inputs[0].name, results[0].name
            yield SampleFlow(invocation, source, result, elements, values, found)


def _edges(specialization: Specialization, elements: int, results: int) -> tuple[tuple[int, int], ...] | None:
    source, result = next(iter(specialization.inputs), None), next(iter(specialization.outputs), None)
    if not isinstance(source, Tensor) or not isinstance(result, Tensor):
        return None
    along, across = _long_axis(source, elements), _long_axis(result, results)
    if along is None or across is None:
        return None
    name, output = specialization.template.inputs[0].name, specialization.template.outputs[0].name
    edges: list[tuple[int, int]] = []
    for number in range(results):
        cell = tuple(number if axis == across else 0 for axis in range(len(shape_of(result))))
        try:
            flow = flow_of(specialization, output, cell)
        except NoFlow:
            return None
        read = {each[along] for tensor in flow.tensors if tensor.name == name for each in tensor.cells}
        if None in read:
            return None
        edges += ((index, number) for index in sorted(index for index in read if index is not None))
    return tuple(edges)


def _long_axis(tensor: Tensor, count: int) -> int | None:
    """Return the dimension in which all elements of a vector lie."""
    shape = shape_of(tensor)
    if not 1 < count <= LONGEST_PICTURED_VECTOR or shape.count(count) != 1 or shape.count(1) != len(shape) - 1:
        return None
    return shape.index(count)


def _attribute(node: nodes.Attribute) -> str:
    value = written(node.value).replace(", ", ",").replace('"', "'")
    return f"{node.name.text}={value}"


def _elements(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.List):
        for item in node.items:
            yield from _elements(item)
    else:
        yield written(node).removesuffix(".0")


def _items(value: NestedRows | None) -> Iterator[str]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _items(item)
    elif value is not None:
        yield f"{value:.3g}" if isinstance(value, float) else str(value)
