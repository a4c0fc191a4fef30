"""Shapes that must match a declaration, which only the run can check (2.6.1).

The checks are noted, and later statements use the declared extents.
"""

from __future__ import annotations

from operator import is_

from msgspec.structs import replace

from snd_analysis.compose.body.state import BodyState
from snd_analysis.model import Shape, Tensor, TensorValue, tensor_value
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import ItemRun, Pack, Value


def demand_shape(state: BodyState, wanted: Shape, found: Shape, message: str, node: nodes.Node) -> Shape:
    """Note the conditions for a shape to be the wanted one, from which it does not certainly differ.

    Return the shape under these conditions: the wanted shape, but the found one where the dimensions can't be compared,
    or where the declaration gives only a bound (`~|n`).
    """
    if wanted == found:
        return found
    if len(wanted) != len(found) or any(isinstance(part, ItemRun) for part in (*wanted, *found)):
        lengths = Pack(wanted, dtype="int").length, Pack(found, dtype="int").length
        state.check(shapes.compare("==", *lengths), message, node)
        return found
    agreed = []
    for one, two in zip(wanted, found, strict=True):
        assert isinstance(one, Integer)
        assert isinstance(two, Integer)
        bounded = next((leaf for leaf in one.leaves if leaf.key in state.left_open), None)
        if bounded is None:
            state.check(shapes.compare("==", one, two), message, node)
        elif bounded.high is not None:
            within = shapes.compare("<=", two, bounded.high)
            state.check(within, f"an extent must not exceed its bound {bounded.high}", node)
        agreed.append(one if bounded is None else two)
    return tuple(agreed)


def narrowed(state: BodyState, wanted: Shape, value: TensorValue, message: str, node: nodes.Node) -> TensorValue:
    """Return a result of the current statement, of the wanted shape; unchanged if it has a name of its own already."""
    made = _with_shape(state, wanted, value, message, node)
    return made if made is not value and state.make_instead(value, made) else value


def _with_shape(state: BodyState, wanted: Shape, value: Value, message: str, node: nodes.Node) -> TensorValue:
    match value:
        case Tensor() if value.shape is not None:
            shape = demand_shape(state, wanted, value.shape, message, node)
            return value if shape == value.shape else replace(value, shape=shape)
        case Pack() if value.segments:
            made = value.map(lambda item: _with_shape(state, wanted, item, message, node))
            return value if all(map(is_, made.elements, value.elements)) else made
    return tensor_value(value)
