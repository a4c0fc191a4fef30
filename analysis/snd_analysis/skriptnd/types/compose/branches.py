"""``if … then … elif … then … else …`` (2.10.1, Branching and Promotion of optional values)."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Note, Rule, counted
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.compose.typing_state import (
    UNKNOWN,
    Located,
    TypeCallable,
    TypedValue,
    TypingState,
    result_place,
)
from snd_analysis.skriptnd.types.expressions.dimensions import agreed, shape_of
from snd_analysis.skriptnd.types.expressions.functions import promotions
from snd_analysis.skriptnd.types.signature import elsewhere
from snd_analysis.skriptnd.types.type import BOOL
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict


# ---- conditions of branches and loops: one bool, of a tensor with one element or known when composing (2.10.1) -------
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


# ---- ``if … then … elif … then … else …`` (2.10.1, Branching and Promotion of optional values) -----------------------
def branch(work: TypingState, node: nodes.Branch, run: TypeCallable) -> list[TypedValue] | None:
    """Type all alternatives, which must agree; return their common result."""
    alternatives: list[tuple[nodes.Callable, list[TypedValue] | None]] = []
    static = True
    labels = work.labels
    collected = dict(labels)
    for case in node.cases:
        with work.inside(control_flow=True, shapes_certain=not alternatives or not static):
            judged = condition(work, case.condition, run)
        static = static and judged.compile_time
        promoted: frozenset[Symbol] = frozenset()
        if not isinstance(case.condition, nodes.Region | nodes.Labelled):
            promoted = promotions(work.context, case.condition)
        collected.update(work.labels)
        with work.context.promoting(promoted):
            alternatives.append((case.consequent, _alternative(work, case.consequent, static, run, labels, collected)))
    alternatives.append((node.alternative, _alternative(work, node.alternative, static, run, labels, collected)))
    work.labels = collected
    return _common(work, alternatives, static)


def _alternative(
    work: TypingState,
    node: nodes.Callable,
    static: bool,
    run: TypeCallable,
    labels: dict[str, Located],
    collected: dict[str, Located],
) -> list[TypedValue] | None:
    """Return one alternative. Only one alternative of compile-time conditions is composed: their labels can't clash."""
    work.labels = dict(labels) if static else collected
    with work.inside(control_flow=True, shapes_certain=not static):
        values = run(work, node)
    if values is not None and not isinstance(node, nodes.Region | nodes.Labelled | nodes.Call):
        values = [work.not_null(value, node, "what a branch results in") for value in values]
    collected.update(work.labels)
    return values


def _common(
    work: TypingState, alternatives: list[tuple[nodes.Callable, list[TypedValue] | None]], static: bool
) -> list[TypedValue] | None:
    known = [(node, values) for node, values in alternatives if values is not None]
    if not known:
        return None
    first_node, common = known[0]
    certain = len(known) == len(alternatives)
    for node, values in known[1:]:
        if len(values) != len(common):
            message = (
                f"this branch has {counted(len(values), 'result')}, but the first one {len(common)}: "
                "all branches must have the same number"
            )
            note = work.context.note(result_place(first_node), f"this has {counted(len(common), 'result')}")
            work.context.report(rules.BRANCH_RESULTS, result_place(node), message, (note,))
            return None
        pairs = zip(common, values, strict=True)
        common = [_joined(work, first_node, node, one, other, static) for one, other in pairs]
    # No single invocation gives these results any more.
    return [replace(value, invoked=None, type=value.type if certain else None) for value in common]


def _joined(
    work: TypingState,
    first_node: nodes.Callable,
    node: nodes.Callable,
    first: TypedValue,
    other: TypedValue,
    static: bool,
) -> TypedValue:
    """Return the common facts of two branches; report if they can't be results of one statement."""
    one, two = first.type, other.type
    if one is None or two is None:
        return UNKNOWN
    disagreement = _disagreement(work, first, other, static)
    if disagreement is not None:
        rule, what = disagreement
        message = f"this branch results in '{other}', but the first one in '{first}': all branches must agree in {what}"
        note = work.context.note(result_place(first_node), f"this results in '{first}'")
        work.context.report(rule, result_place(node), message, (note,))
        return UNKNOWN
    extents = agreed(first.extents, other.extents)
    rank = first.rank
    if (
        first.rank is None
        or other.rank is None
        or shapes.decide_equal(first.rank, other.rank) is not EqualityVerdict.EQUAL
    ):
        rank = shapes.opaque("rank")
    assert rank is not None
    length = one.length
    if one.length is not None and two.length is not None and one.length != two.length:
        length = shapes.opaque("length")
    type_ = replace(one, optional=one.optional or two.optional, length=length, shape=shape_of(rank, extents))
    compile_time = first.compile_time and other.compile_time and static
    return TypedValue(type_, extents, None, compile_time, None, first.place)


def _disagreement(work: TypingState, first: TypedValue, other: TypedValue, static: bool) -> tuple[Rule, str] | None:
    one, two = first.type, other.type
    assert one is not None
    assert two is not None
    if one.dtype != two.dtype:
        return rules.BRANCH_TYPES, "their element type"
    if one.packed != two.packed:
        return rules.BRANCH_TYPES, "whether they are packs"
    if static or not work.shapes_certain:
        return None
    if one.length is not None and two.length is not None and (
        shapes.decide_equal(one.length, two.length) is EqualityVerdict.DIFFERENT
    ):  # fmt: skip
        return rules.BRANCH_TYPES, "the number of tensors, since the condition is known only at run time"
    if first.rank is None or other.rank is None:
        return None
    if shapes.decide_equal(first.rank, other.rank) is EqualityVerdict.DIFFERENT:
        return (
            rules.BRANCH_RANKS,
            f"their rank ({other.rank} and {first.rank}), since the condition is known only at run time",
        )
    return None


# ---- expressions that are null because attributes are not given (2.4.1, 2.5) -----------------------------------------
def is_null(node: nodes.Node | None, absent: frozenset[str]) -> bool:
    """Return whether an expression is certainly null if the attributes of these names are."""
    match node:
        case None | nodes.Literal() | nodes.Tilde():
            return False
        case nodes.Qualified():
            return node.text in absent
        case nodes.Unary(operator=operator, operand=operand):
            return operator.text != "?" and is_null(operand, absent)
        case nodes.Binary(operator=operator) if operator.text == "is":
            return False
        case nodes.Coalesce(value=value, fallback=fallback):
            return is_null(value, absent) and is_null(fallback, absent)
        case nodes.Select(condition=condition, consequent=consequent, alternative=alternative):
            either = alternative is None or is_null(alternative, absent)
            return is_null(condition, absent) or (is_null(consequent, absent) and either)
    return any(is_null(child, absent) for child in nodes.children(node))
