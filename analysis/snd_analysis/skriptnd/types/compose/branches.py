"""``if … then … elif … then … else …`` (2.10.1, Branching and Promotion of optional values)."""

from __future__ import annotations

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Rule, counted
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.compose.conditions import condition
from snd_analysis.skriptnd.types.compose.typing_state import (
    UNKNOWN,
    Located,
    TypeCallable,
    TypedValue,
    TypingState,
    result_place,
)
from snd_analysis.skriptnd.types.expressions.dimensions import agreed, shape_of
from snd_analysis.skriptnd.types.expressions.null_tests import promotions
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict


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
