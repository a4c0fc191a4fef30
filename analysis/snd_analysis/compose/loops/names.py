"""What the names that a loop declares stand for in its conditions and its body (2.10.1, Looping)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.compose.body.joining import common_shape
from snd_analysis.model import Tensor, TensorKind, TensorValue, item_of_empty
from snd_analysis.skriptnd.names.symbols import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import UNDEFINED, Pack, Run

if TYPE_CHECKING:
    from snd_analysis.compose.body.composer import Composer


def let(composer: Composer, name: nodes.Name, value: TensorValue) -> None:
    """Lets a name that a loop declares stand for a tensor."""
    symbol = composer.template.resolution.targets.get(name)
    if isinstance(symbol, Symbol):
        composer.scope.values[symbol] = value


def let_index(composer: Composer, node: nodes.Loop) -> Tensor | None:
    """The number of the iteration, if it has a name, which stands for it from here on."""
    if node.iteration is None or node.iteration.index is None:
        return None
    name = node.iteration.index
    index = Tensor(composer.scoped(name.text), "int", (), TensorKind.LOCAL, composer.place(name))
    let(composer, name, index)
    return index


def local(composer: Composer, value: TensorValue, name: nodes.Name) -> TensorValue:
    """What stands for a carried variable, or an item, in the graphs of a loop."""
    if isinstance(value, Tensor):
        return Tensor(composer.scoped(name.text), value.dtype, value.shape, TensorKind.LOCAL, composer.place(name))
    if isinstance(value, Pack):
        segments = [
            Run(each.length, local(composer, each.element, name))
            if isinstance(each, Run)
            else local(composer, each, name)
            for each in value.segments
        ]
        return Pack(segments, dtype=value.dtype)
    return UNDEFINED


def scan_item(composer: Composer, pack: TensorValue, name: nodes.Name) -> TensorValue:
    """The item of a pack in any iteration; extents in which the items differ are dynamic."""
    if not isinstance(pack, Pack):
        return UNDEFINED
    items = [each.element if isinstance(each, Run) else each for each in pack.segments] or [item_of_empty(pack)]
    tensors = [each for each in items if isinstance(each, Tensor)]
    if not tensors or len(tensors) != len(items):
        return UNDEFINED
    scoped = composer.scoped(name.text)
    shape = common_shape([tensor.shape for tensor in tensors], scoped, composer)
    return (
        Tensor(scoped, tensors[0].dtype, shape, TensorKind.LOCAL, composer.place(name))
        if shape is not None
        else UNDEFINED
    )
