"""Operators that replace untranslatable nodes: they have inputs and outputs, but no values.

So the nodes after it are translated, and the text is a whole model that snd checks and draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from snd_analysis.convert import GraphText, LocalStep
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import format_value
from snd_server.exchange.onnx_import.builder import Builder
from snd_server.exchange.onnx_import.data import Data, UntranslatableError, type_name
from snd_server.exchange.onnx_import.node import Item
from snd_server.exchange.onnx_import.source import EXPORTED_PROGRAM, Declared, SourceNode

BOUND = 1_000_000
"""The bound of an extent that the source says none of."""


class Placeholder(Struct, frozen=True):
    """An operator, its invocation, and the results of the invocation."""

    text: GraphText
    step: LocalStep
    outputs: list[Data]


def placeholder_of(
    name: str,
    source: SourceNode,
    reason: str,
    inputs: Sequence[Item],
    declared: Sequence[Declared],
    symbols: Mapping[str, Integer],
    builder: Builder,
) -> Placeholder | None:
    """Return the operator that replaces a node; None if types or ranks of its outputs are unknown."""
    if any(each.dtype is None or each.shape is None for each in declared):
        return None
    try:
        outputs = [_output(each, symbols) for each in declared]
    except UntranslatableError:
        return None
    given = [tensor for each in inputs if (tensor := _argument(each, builder)) is not None]
    kind = f"{source.domain}.{source.kind}" if source.domain else source.kind
    text = GraphText(f"operator {name}", [f"Stands for the node '{source.shown}' ({kind}): {reason}."])
    names: dict[Integer, str] = {}
    for at, tensor in enumerate(given):
        extents = [_named(each, names) for each in tensor.shape or () if isinstance(each, Integer)]
        text.block("input").add(f"x{at + 1}: {tensor.dtype}[{', '.join(extents)}];")
    attributes: dict[str, str] = {}
    for at, data in enumerate(outputs):
        extents = [_result(each, names, attributes, builder) for each in data.shape]
        text.block("output").add(f"y{at + 1}: {type_name(data.dtype)}[{', '.join(extents)}];")
    for attribute in attributes:
        text.block("attrib").add(f"{attribute}: int;")
    results = tuple(each.tensor for each in outputs if each.tensor is not None)
    return Placeholder(text, LocalStep(name, attributes, tuple(given), results), outputs)


def _output(declared: Declared, symbols: Mapping[str, Integer]) -> Data:
    assert declared.dtype is not None
    shape = tuple(_extent(each, symbols) for each in declared.shape or ())
    tensor = Tensor("result", type_name(declared.dtype), shape, TensorKind.RESULT)
    return Data(declared.dtype, shape, tensor)


def _extent(extent: int | str | None, symbols: Mapping[str, Integer]) -> Integer:
    if isinstance(extent, int):
        return integers.constant(extent)
    known = symbols.get(extent) if extent is not None else None
    return known if known is not None else integers.variable(object(), "n", 0, BOUND)


def _argument(value: Item, builder: Builder) -> Tensor | None:
    """Return the tensor of an input; None for an omitted input, a sequence, or a tensor that only the run knows."""
    if not isinstance(value, Data):
        return None
    try:
        return builder.tensor(value)
    except UntranslatableError:
        return None


def _named(extent: Integer, names: dict[Integer, str]) -> str:
    if extent.value is not None:
        return str(extent.value)
    return names.setdefault(extent, f"n{len(names) + 1}")


def _result(extent: Integer, names: dict[Integer, str], attributes: dict[str, str], builder: Builder) -> str:
    """Return an extent of a result: a number, one of an input, an attribute, or an undetermined one."""
    if extent.value is not None or extent in names:
        return _named(extent, names)
    if not builder.is_named(extent):
        return f"~|{BOUND}"
    name = _named(extent, names)
    attributes[name] = format_value(extent)
    return name


def declared_outputs(source: SourceNode, inputs: Sequence[Item], known: Mapping[str, Declared]) -> list[Declared]:
    """Return the facts about the outputs of a node: the declarations of the model, or else the inference of ONNX."""
    names = [name for name in source.outputs if name]
    if all(name in known for name in names):
        return [known[name] for name in names]
    inferred = dict(_inferred(source, inputs))
    nothing = Declared("", None, None)
    return [known.get(name, inferred.get(name, nothing)) for name in names]


def _inferred(source: SourceNode, inputs: Sequence[Item]) -> Iterator[tuple[str, Declared]]:
    if source.domain == EXPORTED_PROGRAM:
        return
    import onnx

    from snd_server.exchange.onnx_import.definitions import node_proto, type_proto
    from snd_server.exchange.onnx_import.model_file import declared_type

    types = {name: type_proto(each) for name, each in zip(source.inputs, inputs, strict=True) if isinstance(each, Data)}
    if not types.keys() >= {name for name in source.inputs if name}:
        return
    node = node_proto(source)
    try:
        schema = onnx.defs.get_schema(source.kind, source.opset, source.domain)
        found = onnx.shape_inference.infer_node_outputs(schema, node, types)
    except (onnx.defs.SchemaError, onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return  # there is no such node, or its inputs and attributes are none of its own
    for name, each in found.items():
        yield name, declared_type(name, each)
