"""``@quantize``: how tensors of a graph are quantized (2.14)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.compose.bind.arguments import Arguments
from snd_analysis.compose.body.callees import Callees
from snd_analysis.compose.body.state import BodyState
from snd_analysis.compose.failure import Site
from snd_analysis.model import Quantization, Tensor
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import Pack, Run, Value


def quantizations(state: BodyState, callees: Callees) -> dict[str, Quantization]:
    """The algorithms by the scoped names of the tensors, relative to the graph.

    What an algorithm asserts of its attributes is checked. How these fit the tensor is not: for tensors of a low rank
    the library's algorithms have no channel axis, which doesn't matter where one value stands for all channels.
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
        written = node.target.text
        found[written.removeprefix(f"{state.template.name.name}.")] = Quantization(name, attributes)
    return found


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
    for failure in specialization.failures:
        if failure.rule != rules.ASSERTION_FAILS:
            continue
        site = Site(state.place(node.algorithm), f"'{template.shown}' quantizes a tensor here")
        state.failures.append(failure.via(site))
