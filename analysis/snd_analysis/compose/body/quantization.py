"""``@quantize``: how tensors of a graph are quantized (2.14)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.compose.bind.arguments import Arguments
from snd_analysis.compose.body.callees import Callees
from snd_analysis.compose.body.scoped_names import quantized_name
from snd_analysis.compose.body.state import BodyState
from snd_analysis.compose.failure import Site
from snd_analysis.model import Quantization, Tensor, tensors_of
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import OperatorName, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import UNDEFINED, Pack, Run, Value


def quantizations(state: BodyState, callees: Callees) -> dict[str, Quantization]:
    """The algorithms by the scoped names of the tensors, relative to the graph.

    An algorithm must take the tensor and its attributes as in an invocation. It need not have a channel axis: tensors
    of a low rank have none for the library's algorithms, which does not matter where one value stands for all channels.
    """
    found: dict[str, Quantization] = {}
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
        _check(state, callees, node, name, attributes)
        dtypes = tuple(state.scope.element_type(item) for item in node.generics.items) if node.generics else ()
        quantization = Quantization(name, attributes, dtypes, state.place(node.algorithm))
        written = node.target.text.removeprefix(f"{state.template.name.name}.")
        # A copy is the tensor that it is a copy of; in control flow a tensor has the label of the statement, too.
        tensors = _tensors(state, written)
        found.update(dict.fromkeys((quantized_name(each.name) for each in tensors), quantization))
        if not tensors:
            found[written] = quantization
    return found


def _tensors(state: BodyState, name: str) -> list[Tensor]:
    """The tensors that a name means; none for one that leads into another operator."""
    if name in state.tensors:
        return tensors_of(state.tensors[name])
    symbols = (each for each in state.template.resolution.symbols if each.name == name)
    return [
        tensor
        for symbol in symbols
        if symbol.kind is SymbolKind.TENSOR
        for tensor in tensors_of(state.scope.values.get(symbol, UNDEFINED))
    ]


def _check(
    state: BodyState, callees: Callees, node: nodes.Quantization, name: OperatorName, attributes: dict[str, Value]
) -> None:
    value = state.tensors.get(node.target.text)
    if isinstance(value, Pack) and value.segments:
        first = value.segments[0]
        value = first.element if isinstance(first, Run) else first
    template = callees.template(name)
    if template is None or not isinstance(value, Tensor) or not value.known:
        return
    dtypes = tuple(state.scope.element_type(item) for item in node.generics.items) if node.generics else ()
    specialization = callees.specialization(template, Arguments(dtypes, attributes, (value,)))
    state.used[specialization] = None
    for failure in specialization.failures:
        if failure.rule == rules.INDEX_OUT_OF_RANGE:
            continue  # there is no channel axis
        site = Site(state.place(node.algorithm), f"'{template.shown}' quantizes a tensor here")
        state.failures.append(failure.via(site))
