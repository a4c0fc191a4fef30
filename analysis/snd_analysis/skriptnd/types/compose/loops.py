"""Loops: carried variables, scanned packs, counts, conditions, and results of the body (2.10.1, Looping)."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.compose.branches import condition
from snd_analysis.skriptnd.types.compose.invocation.generics import disagreement, written_type
from snd_analysis.skriptnd.types.compose.typing_state import (
    UNKNOWN,
    TypeCallable,
    TypedValue,
    TypingState,
    result_place,
)
from snd_analysis.skriptnd.types.expressions.dimensions import differing, shape_of
from snd_analysis.skriptnd.types.fixes import as_real
from snd_analysis.skriptnd.types.type import INT, TensorShape, Type
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer


class _Count(Struct, frozen=True):
    """The number of iterations of a loop."""

    number: Integer | None
    """Known when composing; None if a tensor or a condition decides, or it could not be typed."""
    dynamic: bool


def loop(work: TypingState, node: nodes.Loop, run: TypeCallable) -> list[TypedValue] | None:
    """Type a loop: the final values of its carried variables, then the packs of the body's further results."""
    carries = [_carry(work, carry) for carry in node.carries]
    scanned = [_scan(work, scan) for scan in node.scans]
    length = _scan_length(work, node, scanned)
    count = _count(work, node, length)
    ends = _check_end(work, node)
    for carry, value in zip(node.carries, carries, strict=True):
        _define(work, carry.name, value)
    for scan, value in zip(node.scans, scanned, strict=True):
        item = value if value.type is None else replace(value, type=value.type.item())
        _define(work, scan.name, item)
    if node.iteration is not None and node.iteration.index is not None:
        index = Type(INT, shape=TensorShape(shapes.constant(0), ""))
        _define(work, node.iteration.index, TypedValue(index, ()))
    # A loop that is not run even once leaves its body uncomposed only if it is unrolled.
    with work.inside(control_flow=True):
        reported = len(work.context.problems)
        before = [test for test in node.conditions if not test.post]
        for test in before:
            condition(work, test.condition, run)
        results = run(work, node.body)
        for test in node.conditions:
            if test.post:
                condition(work, test.condition, run)
        carries = _still_trusted(work, node, carries, reported)
    if not ends:
        return None
    return _results(work, node, carries, results, None if node.conditions or count.dynamic else count.number)


def _still_trusted(work: TypingState, node: nodes.Loop, carries: list[TypedValue], reported: int) -> list[TypedValue]:
    """Return the carried variables; those that problems of the body or a condition concern become untyped.

    A clash of names concerns a variable, too.
    """
    context = work.context
    complaints = {problem.span for problem in context.problems[reported:]}
    parts = (node.body, *(test.condition for test in node.conditions)) if complaints else ()
    named = (each for part in parts for each in (part, *nodes.descendants(part)))
    doubted = {context.symbol(each) for each in named if context.span(each) in complaints}
    doubted |= context.resolution.ambiguous
    trusted = (context.symbol(carry.name) not in doubted for carry in node.carries)
    return [value if trust else UNKNOWN for value, trust in zip(carries, trusted, strict=True)]


def _define(work: TypingState, name: nodes.Name, value: TypedValue) -> None:
    symbol = work.context.symbol(name)
    if symbol is not None:
        work.define(symbol, value)


# ---- operands --------------------------------------------------------------------------------------------------------
def _carry(work: TypingState, carry: nodes.Carry) -> TypedValue:
    role = f"the carried variable '{carry.name.text}'"
    value = work.not_null(work.value(carry.value), carry.value, role)
    type_ = value.type
    if carry.type is None:
        return replace(value, compile_time=False, scalar=None, place=carry.name)
    declared = written_type(work, carry.type)
    if declared is None:
        return UNKNOWN
    wanted, extents = declared
    reported = len(work.context.problems)
    if type_ is not None:
        note = (work.context.note(carry.type, "its type is declared here"),)
        if type_.packed:
            message = f"{role} is a single tensor of type '{wanted}', but this is a pack: '{value}'"
            work.context.report(rules.UNEXPECTED_PACK, carry.value, message, note)
        elif type_.dtype != wanted.dtype:
            message = f"{role} has the type '{wanted}', but this is '{value}'"
            repair = as_real(work.context, carry.value, wanted.dtype, type_.dtype) if value.compile_time else None
            work.context.report(rules.TYPE_MISMATCH, carry.value, message, note, repair)
        elif not value.compile_time and value.extents != () and disagreement(work, wanted, extents, value):
            message = f"{role} has the type '{wanted}', but this is '{value}'"
            work.context.report(rules.CARRIED_TYPE, carry.value, message, note)
    if len(work.context.problems) > reported:
        return UNKNOWN  # the value or the declaration is wrong
    return TypedValue(wanted, extents, place=carry.name)


def _scan(work: TypingState, scan: nodes.Scan) -> TypedValue:
    value = work.value(scan.value)
    if value.type is None:
        return UNKNOWN
    value = work.not_null(value, scan.value, f"what '{scan.name.text}' scans")
    assert value.type is not None
    if not value.type.packed:
        message = f"a loop scans packs, but this is a single tensor of type '{value}'"
        if value.compile_time and value.type.dtype == INT:
            name = scan.name.text
            message = f"a loop scans packs, and this is a number: a loop counts by '..({name} -> n)' after 'do'"
        work.context.report(rules.PACK_EXPECTED, scan.value, message)
        work.context.distrust(work.context.symbol(scan.value))  # its declaration may be wrong
        return UNKNOWN
    return replace(value, compile_time=False)


def _scan_length(work: TypingState, node: nodes.Loop, scanned: list[TypedValue]) -> Integer | None:
    """Return the common length of the packs."""
    first: tuple[nodes.Scan, Integer] | None = None
    for scan, value in zip(node.scans, scanned, strict=True):
        length = None if value.type is None else value.type.length
        if length is None:
            continue
        if first is None:
            first = (scan, length)
        elif shapes.decide_equal(first[1], length) is EqualityVerdict.DIFFERENT:
            message = (
                f"the packs of a loop have one length, but '{scan.name.text}' scans {counted(length, 'tensor')} "
                f"and '{first[0].name.text}' {first[1]}"
            )
            note = work.context.note(first[0].value, f"this pack has {counted(first[1], 'tensor')}")
            work.context.report(rules.SCAN_LENGTHS, scan.value, message, (note,))
    return None if first is None else first[1]


def _count(work: TypingState, node: nodes.Loop, length: Integer | None) -> _Count:
    written = node.iteration.count if node.iteration is not None else None
    if written is None:
        return _Count(length, False)
    value = work.value(written)
    type_ = value.type
    if type_ is None:
        return _Count(None, False)
    if type_.dtype != INT or type_.packed:
        message = f"a loop count is one int, but this is '{value}'"
        work.context.report(rules.LOOP_COUNT, written, message)
        return _Count(None, False)
    is_static = value.compile_time or node.keyword.text != "unroll"  # a tensor that unrolls is reported as such
    if is_static and not node.scans and not node.conditions:
        value = work.not_null(value, written, "the count of a loop that nothing else ends")
    if not value.compile_time:
        _check_dynamic_count(work, node, written, value)
        return _Count(None, True)
    if value.scalar is not None and length is not None:
        least, most = shapes.bounds(value.scalar - length)[0], length
        if least is not None and least > 0:
            message = rules.control_flow.counts_too_far(value.scalar, most)
            work.context.report(
                rules.SCAN_LENGTHS, written, message, (work.context.note(node.scans[0].value, "scanned here"),)
            )
            return _Count(None, False)
    if type_.optional:
        return _Count(None, False)
    if value.scalar is not None and _is_negative(value.scalar):
        work.context.report(rules.LOOP_COUNT, written, rules.control_flow.negative_count(value.scalar))
        return _Count(None, False)
    return _Count(value.scalar, False)


def _is_negative(value: Integer) -> bool:
    high = shapes.bounds(value)[1]
    return high is not None and high < 0


def _check_dynamic_count(work: TypingState, node: nodes.Loop, written: nodes.Expression, value: TypedValue) -> None:
    if node.keyword.text == "unroll":
        message = (
            "the count of an unrolled loop must be known at compile time, "
            f"but this is a tensor of type '{value}'; write 'do' instead of 'unroll'"
        )
        work.context.report(rules.UNROLL_DYNAMIC, written, message)
    elif work.shapes_certain and value.rank is not None and (
        shapes.decide_equal(value.rank, 0) is EqualityVerdict.DIFFERENT
    ):  # fmt: skip
        message = f"a loop count is a tensor of rank 0, but this is '{value}', of rank {value.rank}"
        work.context.report(rules.LOOP_COUNT, written, message)


def _check_end(work: TypingState, node: nodes.Loop) -> bool:
    """Return whether something ends the loop, which is reported otherwise; it must go with the loop's form."""
    context = work.context
    counted_ = node.iteration is not None and node.iteration.count is not None
    ends = bool(node.scans or node.conditions or counted_)
    if not ends:
        message = "nothing ends this loop: give it packs to scan ('for'), a condition ('while') or a count ('do..(n)')"
        context.report(rules.ENDLESS_LOOP, node.keyword, message)
    if node.keyword.text == "unroll" and node.conditions:
        message = "a loop with a condition can't be unrolled: its number of iterations is not known at compile time"
        note = context.note(node.conditions[0], "the condition is here")
        context.report(rules.UNROLL_DYNAMIC, node.keyword, message, (note,))
    if len(node.conditions) > 1:
        message = "a loop has one condition, before 'do' or after the body"
        note = context.note(node.conditions[0], "the first condition is here")
        context.report(rules.TWO_CONDITIONS, node.conditions[1], message, (note,))
    return ends


# ---- results ---------------------------------------------------------------------------------------------------------
def _results(
    work: TypingState,
    node: nodes.Loop,
    carries: list[TypedValue],
    results: list[TypedValue] | None,
    count: Integer | None,
) -> list[TypedValue] | None:
    if results is None:
        return None
    if len(results) < len(carries):
        if any(work.context.symbol(carry.name) in work.context.resolution.ambiguous for carry in node.carries):
            return None
        message = (
            f"the body has {counted(len(results), 'result')}, "
            f"but there are {counted(len(carries), 'carried variable')}: its first results are their new values"
        )
        note = work.context.note(node.carries[len(results)], "this one gets no new value")
        work.context.report(rules.CARRIED_COUNT, result_place(node.body), message, (note,))
        return None
    if _report_permuted(work, node, carries, results):
        final = [replace(before, type=None) for before in carries]
    else:
        updates = zip(node.carries, carries, results, strict=False)
        final = [_updated(work, node, carry, before, after) for carry, before, after in updates]
    return final + [_collected(work, node, value, count) for value in results[len(carries) :]]


def _report_permuted(work: TypingState, node: nodes.Loop, carries: list[TypedValue], results: list[TypedValue]) -> bool:
    """Report new values that are right except for their order, as one mistake."""
    wrong = [
        at
        for at, (before, after) in enumerate(zip(carries, results, strict=False))
        if before.type is not None and after.type is not None and _change(work, node, before, after) is not None
    ]
    order = [
        next((at for at in wrong if _change(work, node, carries[place], results[at]) is None), None) for place in wrong
    ]
    if len(wrong) < 2 or sorted(at for at in order if at is not None) != wrong:
        return False
    names = [node.carries[at].name.text for at in wrong]
    places = ", ".join(f"'{name}' is '{carries[at]}'" for name, at in zip(names, wrong, strict=True))
    given = ", ".join(f"'{results[at]}'" for at in wrong)
    message = f"the new values of the carried variables stand in another order: {places}, but they get {given}"
    note = work.context.note(node.carries[wrong[0]], f"'{names[0]}' is declared here")
    work.context.report(rules.CARRIED_TYPE, result_place(node.body), message, (note,))
    return True


def _change(work: TypingState, node: nodes.Loop, before: TypedValue, after: TypedValue) -> str | None:
    """Return the property of a carried variable that would change but must not; None if there is none."""
    assert before.type is not None
    assert after.type is not None
    if before.type.dtype != after.type.dtype:
        return "type"
    if before.type.packed != after.type.packed:
        return "packing"
    if node.keyword.text == "unroll" or not work.shapes_certain or before.rank is None or after.rank is None:
        return None
    return "rank" if shapes.decide_equal(before.rank, after.rank) is EqualityVerdict.DIFFERENT else None


def _updated(
    work: TypingState, node: nodes.Loop, carry: nodes.Carry, before: TypedValue, after: TypedValue
) -> TypedValue:
    if before.type is None or after.type is None:
        return replace(before, type=None)
    what = _change(work, node, before, after)
    if what is not None:
        message = (
            f"the carried variable '{carry.name.text}' is '{before}', but its new value is '{after}': "
            f"its {what} can't change"
        )
        note = work.context.note(carry, f"'{carry.name.text}' is declared here")
        work.context.report(rules.CARRIED_TYPE, result_place(node.body), message, (note,))
        return replace(before, type=None)
    work.not_null(after, result_place(node.body), f"the new value of '{carry.name.text}'")
    return _lasting(before, after)


def _lasting(before: TypedValue, after: TypedValue) -> TypedValue:
    """Return the final value of a carried variable.

    Its rank and extents are kept only if every iteration preserves them.
    """
    assert before.type is not None
    if before.rank is None or after.rank is None or before.rank == after.rank:
        return before if not differing(before.extents, after.extents) else replace(before, extents=None)
    rank = shapes.opaque("rank")
    return replace(before, type=replace(before.type, shape=shape_of(rank, None)), extents=None)


def _collected(work: TypingState, node: nodes.Loop, value: TypedValue, count: Integer | None) -> TypedValue:
    """Return a further result of the body: a pack with one tensor per iteration."""
    if value.type is None:
        return UNKNOWN
    if value.type.packed:
        message = (
            f"every iteration would add a pack of type '{value}' to the results, but packs can't be nested: "
            "a body gives single tensors"
        )
        work.context.report(rules.UNEXPECTED_PACK, result_place(node.body), message)
        return UNKNOWN
    length = count if count is not None else shapes.opaque("iterations")
    return replace(value, type=value.type.of_length(length), scalar=None, compile_time=False, invoked=None, place=None)
