"""States of a scan whose extents tract can't prove to stay as they are.

tract repeats an extent where shapes are combined: ``broadcast(B, 2)`` for ``B`` and 2. A state with such an extent does
not have the shape of its next value, so tract does not load the scan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import input_extent
from snd_analysis.nnef1.elaborate.context import ElaborationContext, Record
from snd_analysis.nnef1.elaborate.extents.refused import is_refused
from snd_analysis.nnef1.elaborate.scans.arguments import State, extents_of
from snd_analysis.nnef1.elaborate.values import ElaboratedValue, GraphTensor
from snd_analysis.symbolic.integers import Integer, Leaf

_PROBE_NAME = "probed extent"
_PROBE = input_extent(_PROBE_NAME)
"""The symbol that takes the place of an extent."""

Turn: TypeAlias = Callable[[Mapping[str, ElaboratedValue]], Mapping[str, ElaboratedValue]]
"""Invocation of the body with values for parameters; returns its results."""


class CombinedExtent(Struct, frozen=True):
    """An extent of a state that the body combines with another extent, which may differ."""

    state: State
    axis: int
    extent: Integer
    other: Integer


def combined_extents(
    context: ElaborationContext,
    states: Sequence[State],
    turn: Turn,
    pieces: Mapping[str, ElaboratedValue],
) -> list[CombinedExtent]:
    """Return the extents of states that the body combines with others that tract can't prove equal.

    The body is invoked once more for each extent with a symbol in its place: the equations that it then needs tell the
    other extent. Equations that explain a result are no longer recorded as unproven.
    """
    if not any(is_refused(each.equation) for each, _ in context.record.unproven):
        return []
    initial = {each.parameter: each.initial for each in states}
    found: list[CombinedExtent] = []
    explained: set[Integer] = set()
    for state in states:
        for axis, extent in enumerate(extents_of(state.initial) or ()):
            assert isinstance(state.initial, GraphTensor)
            probed = {**initial, **pieces, state.parameter: _with_probe(state.initial, axis)}
            for equation in _equations(context, turn, probed):
                other = _other_side(equation)
                doubtful = None if other is None else extent - other
                if other is not None and doubtful is not None and is_refused(doubtful):
                    found.append(CombinedExtent(state, axis, extent, other))
                    explained |= {doubtful, -doubtful}
    context.record.unproven = [each for each in context.record.unproven if each[0].equation not in explained]
    return found


def _with_probe(tensor: GraphTensor, axis: int) -> GraphTensor:
    assert tensor.tensor is not None
    shape = extents_of(tensor) or []
    shape[axis] = _PROBE
    return replace(tensor, tensor=replace(tensor.tensor, shape=tuple(shape)), known=None)


def _equations(context: ElaborationContext, turn: Turn, values: Mapping[str, ElaboratedValue]) -> Iterator[Integer]:
    """Yield the unproven equations of a turn that mention the probe."""
    with _unrecorded(context) as record:
        turn(values)
    leaf = _leaf()
    yield from dict.fromkeys(each.equation for each, _ in record.unproven if leaf in each.equation.leaves)


@contextmanager
def _unrecorded(context: ElaborationContext) -> Iterator[Record]:
    """Elaborate without effect on the context; give the record of the findings."""
    before = context.record, context.statements, context.items_made, context.symbols
    context.record = Record()
    context.symbols = {**context.symbols, _PROBE_NAME: _PROBE}
    try:
        with context.scratch():
            yield context.record
    finally:
        context.record, context.statements, context.items_made, context.symbols = before


def _leaf() -> Leaf:
    leaf = _PROBE.variable
    assert leaf is not None
    return leaf


def _other_side(equation: Integer) -> Integer | None:
    """Return the integer that the probe must equal; None if the equation is not solved so."""
    for other in (_PROBE - equation, _PROBE + equation):
        if _leaf() not in other.leaves:
            return other
    return None
