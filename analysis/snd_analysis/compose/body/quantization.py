"""``@quantize``: how tensors of a graph are quantized (2.14)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.bind.arguments import Arguments
from snd_analysis.compose.body.annotations import disagree
from snd_analysis.compose.body.operation_scopes import tensors_below
from snd_analysis.compose.body.outputs import blame
from snd_analysis.compose.body.scoped_names import Callees, quantized_name
from snd_analysis.compose.body.state import BodyState
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.scope import rank_of
from snd_analysis.compose.specialization import tensor_text
from snd_analysis.compose.template import Template
from snd_analysis.model import Operation, Quantization, Tensor, tensors_of
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import OperatorName, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import UNDEFINED, Value

_LIBRARY = "quant"
_CHANNEL_AXIS = "channel_axis"


class _Written(Struct, frozen=True):
    """An entry of ``@quantize`` that names an operator, with its attributes."""

    base: int
    node: nodes.Quantization
    name: str
    quantization: Quantization


def quantizations(state: BodyState, callees: Callees, operations: tuple[Operation, ...]) -> dict[str, Quantization]:
    """Return the algorithms by the scoped names of the tensors, relative to the graph.

    An algorithm must accept the tensor and its attributes as in an invocation. ``operations`` are the operations of the
    body.
    """
    entries = _entries(state)
    found: dict[str, Quantization] = {}
    tensors: dict[str, dict[Tensor, None]] = {}
    for entry in entries:
        # A copy is the tensor that it is a copy of; in control flow a tensor has the label of the statement, too.
        own = _tensors(state, entry.name)
        tensors[entry.name] = dict.fromkeys(own)
        found.update(dict.fromkeys((quantized_name(each.name) for each in own), entry.quantization))
        if not own:
            found[entry.name] = entry.quantization
    scoped = {name for name, own in tensors.items() if not own}
    if scoped:
        for name, value in tensors_below(operations, scoped):
            tensors[name].update(dict.fromkeys(tensors_of(value)))
    for entry in entries:
        _check(state, callees, entry, list(tensors[entry.name]))
    return found


def missing_dimensions(template: Template, attributes: Mapping[str, Value], rank: int) -> int:
    """Return the number of dimensions of extent 1 that precede a tensor's own while it is quantized.

    The algorithms of the library have channels along dimension 1 by default. A tensor of a lower rank, such as a bias,
    is quantized as one of rank 2: its items are the channels.
    """
    module = template.name.path.rpartition(":")[2]
    if not template.in_library or module != _LIBRARY or _CHANNEL_AXIS in attributes:
        return 0
    return max(0, 2 - rank)


def _entries(state: BodyState) -> list[_Written]:
    found = []
    for base, node in state.template.quantizations:
        name = state.template.resolution.targets.get(node.algorithm)
        if not isinstance(name, OperatorName) or state.template.is_wrong(base, node):
            continue
        state.begin(base)
        attributes: dict[str, Value] = {}
        try:
            for item in node.attributes.items if node.attributes is not None else ():
                attributes[item.name.text] = state.scope.evaluate(item.value)
        except EvaluationError as error:
            state.note_failure(error)
            continue
        dtypes = tuple(state.scope.element_type(item) for item in node.generics.items) if node.generics else ()
        quantization = Quantization(name, attributes, dtypes, state.place(node.algorithm))
        target = node.target.text.removeprefix(f"{state.template.name.name}.")
        found.append(_Written(base, node, target, quantization))
    return found


def _tensors(state: BodyState, name: str) -> list[Tensor]:
    """Return the tensors that a name means; none for one that leads into another operator."""
    if name in state.tensors:
        return tensors_of(state.tensors[name])
    symbols = (each for each in state.template.resolution.symbols if each.name == name)
    return [
        tensor
        for symbol in symbols
        if symbol.kind is SymbolKind.TENSOR
        for tensor in tensors_of(state.scope.values.get(symbol, UNDEFINED))
    ]


def _check(state: BodyState, callees: Callees, entry: _Written, tensors: list[Tensor]) -> None:
    """Note why the algorithm can't be invoked on one of the tensors: of the first for which it can't."""
    template = callees.template(entry.quantization.operator)
    if template is None:
        return
    state.begin(entry.base)
    attributes, dtypes = entry.quantization.attributes, entry.quantization.dtypes
    for tensor in tensors:
        if tensor.shape is None:
            continue
        rank = rank_of(tensor).value
        ones = 0 if rank is None else missing_dimensions(template, attributes, rank)
        argument = replace(tensor, shape=(*(shapes.constant(1) for _ in range(ones)), *tensor.shape))
        specialization = callees.specialization(template, Arguments(dtypes, attributes, (argument,)))
        state.used[specialization] = None
        for failure in specialization.failures:
            blame(state, failure, entry.node, template)
        if specialization.failures:
            return
        result = specialization.outputs[0] if specialization.outputs else UNDEFINED
        if isinstance(result, Tensor) and _changes(argument, result):
            message = (
                f"'{entry.node.algorithm.text}' can't quantize '{entry.name}': it makes '{tensor_text(result)}' of "
                f"'{tensor_text(argument)}', and the quantized version of a tensor has its type and shape"
            )
            site = Site(state.place(entry.node.algorithm), "this quantizes the tensor")
            state.failures.append(Failure(rules.QUANTIZATION_ALGORITHM, message, (site,)))
            return


def _changes(tensor: Tensor, result: Tensor) -> bool:
    """Return whether a quantized version certainly has another type or shape than the tensor."""
    if tensor.shape is None or result.shape is None:
        return False
    return tensor.dtype != result.dtype or disagree(tensor.shape, result.shape)
