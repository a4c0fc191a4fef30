"""Tensors as conditions of branches and loops: the known part of their shape when composing (2.10.1)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.compose.body.state import BodyState, ResultValues
from snd_analysis.compose.printing import tensor_text
from snd_analysis.model import Tensor
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer


def check_condition(state: BodyState, node: nodes.Callable, values: ResultValues | None) -> None:
    """Report a condition that certainly has not exactly one element; its type is checked before composing."""
    tensor = values[0] if values is not None and len(values) == 1 else None
    if not isinstance(tensor, Tensor) or tensor.shape is None:
        return
    volume = shapes.constant(1)
    for extent in tensor.shape:
        if not isinstance(extent, Integer):
            return
        volume = volume * extent
    verdict = shapes.decide_equal(volume, 1)
    if verdict is EqualityVerdict.UNKNOWN:
        state.check(shapes.compare("==", volume, 1), f"a condition is one bool, not {volume} of them", node)
    elif verdict is EqualityVerdict.DIFFERENT:
        message = f"a condition is one bool, but this is '{tensor_text(tensor)}', which has {volume} elements"
        state.fail(rules.CONDITION_SHAPE, node, message)
