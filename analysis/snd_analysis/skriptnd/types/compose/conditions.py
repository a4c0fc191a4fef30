"""Conditions of branches and loops: one bool, of a tensor with one element or known when composing (2.10.1)."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Note, counted
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.compose.typing_state import TypeCallable, TypedValue, TypingState, result_place
from snd_analysis.skriptnd.types.signature import elsewhere
from snd_analysis.skriptnd.types.type import BOOL
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict


class ConditionFacts(Struct, frozen=True):
    """The static facts about a condition."""

    compile_time: bool
    """True if it is decided when composing."""


def condition(work: TypingState, node: nodes.Callable, run: TypeCallable) -> ConditionFacts:
    """Type a condition, and report an invalid one."""
    values = run(work, node)
    if values is None:
        return ConditionFacts(False)
    if len(values) != 1:
        message = f"a condition is one bool, but this has {counted(len(values), 'result')}"
        work.context.report(rules.CONDITION_TYPE, result_place(node), message, _origin(values))
        return ConditionFacts(False)
    value = values[0]
    type_ = value.type
    if type_ is None:
        # An expression that reads no tensor may be a compile-time one: then its branches get fewer checks.
        return ConditionFacts(not isinstance(node, nodes.Region | nodes.Labelled | nodes.Call))
    if type_.dtype != BOOL or type_.packed:
        message = f"a condition is one bool, but this is '{value}'"
        work.context.report(rules.CONDITION_TYPE, result_place(node), message, _origin(values))
    elif type_.optional and not value.compile_time:
        message = f"a condition can't be null, but this may be: its type is '{value}'"
        work.context.report(rules.NULL_NOT_ALLOWED, result_place(node), message, _origin(values))
    elif not value.compile_time and work.shapes_certain and _is_plural(value):
        message = (
            f"a condition is one bool, but this is a tensor of type '{value}', which may have more or fewer elements"
        )
        work.context.report(rules.CONDITION_SHAPE, result_place(node), message, _origin(values))
    return ConditionFacts(value.compile_time)


def _is_plural(value: TypedValue) -> bool:
    """Return whether a tensor certainly has not exactly one element."""
    return value.extents is not None and any(
        extent is not None and shapes.decide_equal(extent, 1) is EqualityVerdict.DIFFERENT for extent in value.extents
    )


def _origin(values: list[TypedValue]) -> tuple[Note, ...]:
    name = values[0].invoked if values else None
    return () if name is None else (elsewhere(name, f"'{name.name}' is defined here"),)
