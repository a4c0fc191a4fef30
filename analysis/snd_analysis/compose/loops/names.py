"""What the names that a loop declares stand for in its conditions and its body (2.10.1, Looping)."""

from __future__ import annotations

from snd_analysis.compose.body.joining import common_shape
from snd_analysis.compose.body.state import BodyState
from snd_analysis.model import Tensor, TensorKind, TensorValue, item_of_empty
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import UNDEFINED, Pack, Run


def let(state: BodyState, name: nodes.Name, value: TensorValue) -> None:
    """Lets a name that a loop declares stand for a tensor."""
    symbol = state.template.resolution.targets.get(name)
    if isinstance(symbol, Symbol):
        state.scope.values[symbol] = value


def let_index(state: BodyState, node: nodes.Loop) -> Tensor | None:
    """The number of the iteration, if it has a name, which stands for it from here on."""
    if node.iteration is None or node.iteration.index is None:
        return None
    name = node.iteration.index
    index = Tensor(state.scoped(name.text), "int", (), TensorKind.LOCAL, state.place(name))
    let(state, name, index)
    return index


def local(state: BodyState, value: TensorValue, name: nodes.Name) -> TensorValue:
    """What stands for a carried variable, or an item, in the graphs of a loop."""
    if isinstance(value, Tensor):
        return Tensor(state.scoped(name.text), value.dtype, value.shape, TensorKind.LOCAL, state.place(name))
    if isinstance(value, Pack):
        segments = [
            Run(each.length, local(state, each.element, name)) if isinstance(each, Run) else local(state, each, name)
            for each in value.segments
        ]
        return Pack(segments, dtype=value.dtype)
    return UNDEFINED


def scan_item(state: BodyState, pack: TensorValue, name: nodes.Name) -> TensorValue:
    """The item of a pack in any iteration; extents in which the items differ are dynamic."""
    if not isinstance(pack, Pack):
        return UNDEFINED
    items = [each.element if isinstance(each, Run) else each for each in pack.segments] or [item_of_empty(pack)]
    tensors = [each for each in items if isinstance(each, Tensor)]
    if not tensors or len(tensors) != len(items):
        return UNDEFINED
    scoped = state.scoped(name.text)
    shape = common_shape([tensor.shape for tensor in tensors], scoped, state)
    return (
        Tensor(scoped, tensors[0].dtype, shape, TensorKind.LOCAL, state.place(name)) if shape is not None else UNDEFINED
    )
