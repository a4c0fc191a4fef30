"""Values of the names that a loop declares, in its conditions and its body (2.10.1, Looping)."""

from __future__ import annotations

from snd_analysis.compose.body.joining import common_shape
from snd_analysis.compose.body.state import BodyState
from snd_analysis.model import Tensor, TensorKind, TensorValue, item_of_empty, tensor_value
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import UNDEFINED, Pack, Value, item


def let(state: BodyState, name: nodes.Name, value: TensorValue) -> None:
    """Bind a name that a loop declares to a tensor."""
    symbol = state.template.resolution.targets.get(name)
    if isinstance(symbol, Symbol):
        state.scope.values[symbol] = value


def let_item(state: BodyState, name: nodes.Name, pack: TensorValue, at: int) -> None:
    """Bind a name that a loop declares to an item of the scanned pack."""
    let(state, name, tensor_value(item(pack, shapes.constant(at))) if isinstance(pack, Pack) else UNDEFINED)


def let_index(state: BodyState, node: nodes.Loop) -> Tensor | None:
    """Bind the name of the iteration number, if it has one, to a tensor; return the tensor."""
    if node.iteration is None or node.iteration.index is None:
        return None
    name = node.iteration.index
    index = Tensor(state.scoped(name.text), "int", (), TensorKind.LOCAL, state.place(name))
    let(state, name, index)
    return index


def local(state: BodyState, value: Value, name: nodes.Name) -> TensorValue:
    """Return the tensor of a carried variable, or of an item, in the graphs of a loop."""
    match value:
        case Tensor():
            return Tensor(state.scoped(name.text), value.dtype, value.shape, TensorKind.LOCAL, state.place(name))
        case Pack():
            return value.map(lambda each: local(state, each, name))
    return UNDEFINED


def scan_item(state: BodyState, pack: TensorValue, name: nodes.Name) -> TensorValue:
    """Return the item of a pack in any iteration; extents in which the items differ are dynamic."""
    if not isinstance(pack, Pack):
        return UNDEFINED
    items = pack.elements or (item_of_empty(pack),)
    tensors = [each for each in items if isinstance(each, Tensor)]
    if not tensors or len(tensors) != len(items):
        return UNDEFINED
    scoped = state.scoped(name.text)
    shape = common_shape([tensor.shape for tensor in tensors], scoped, state)
    return (
        Tensor(scoped, tensors[0].dtype, shape, TensorKind.LOCAL, state.place(name)) if shape is not None else UNDEFINED
    )
