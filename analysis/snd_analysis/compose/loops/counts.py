"""Number of iterations of a loop (2.10.1, Looping)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.compose.body.state import BodyState, ResultValues
from snd_analysis.model import TensorValue, tensor_value
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer
from snd_analysis.symbolic.values import NULL, Pack, may_become_known


def lengths_agree(state: BodyState, node: nodes.Loop, packs: ResultValues) -> bool:
    """Return whether packs that are scanned together may have one length; notes it if not."""
    known = [(scan, pack) for scan, pack in zip(node.scans, packs, strict=True) if isinstance(pack, Pack)]
    for scan, pack in known[1:]:
        first_scan, first = known[0]
        said = f"'{written(scan.value)}' must have as many tensors as '{written(first_scan.value)}'"
        verdict = shapes.decide_equal(first.length, pack.length)
        if verdict is EqualityVerdict.UNKNOWN:
            state.check(shapes.compare("==", first.length, pack.length), said, scan.value)
        elif verdict is EqualityVerdict.DIFFERENT:
            message = (
                f"packs that are scanned together have one length, but '{written(scan.value)}' has {pack.length} "
                f"tensors here and '{written(first_scan.value)}' has {first.length}"
            )
            state.fail(rules.SCAN_LENGTHS, scan.value, message)
            return False
    return True


def iterations(state: BodyState, node: nodes.Loop, packs: ResultValues) -> tuple[Integer | None, bool]:
    """Return the maximum number of iterations, None if unknown, and whether there may be fewer.

    A null count is no count.
    """
    length = next((pack.length for pack in packs if isinstance(pack, Pack)), None)
    dynamic = bool(node.conditions)
    written_count = node.iteration.count if node.iteration is not None else None
    if written_count is None:
        return length, dynamic
    value = state.scope.evaluate(written_count)
    if isinstance(value, Integer):
        possible = shapes.compare(">=", value, 0)
        if possible is shapes.FALSE:
            state.fail(rules.LOOP_COUNT, written_count, rules.control_flow.negative_count(value))
            return None, True
        state.check(possible, "a loop count can't be negative", written_count)
        enough = shapes.TRUE if length is None else shapes.compare("<=", value, length)
        if enough is not shapes.FALSE:
            state.check(enough, f"the packs that are scanned must have {value} tensors", written_count)
        else:
            state.fail(rules.SCAN_LENGTHS, written_count, rules.control_flow.counts_too_far(value, length))
        return value, dynamic
    if value is NULL:
        if length is None and not dynamic:
            state.fail(rules.NULL_NOT_ALLOWED, written_count, "nothing ends this loop, since its count is null")
            return None, True
        return length, dynamic
    if length is not None:
        several = shapes.variable(written_count, written(written_count))
        message = f"the packs that are scanned must have '{written(written_count)}' tensors"
        state.check(shapes.compare("<=", several, length), message, written_count)
    return length, True


def written_count(state: BodyState, node: nodes.Loop) -> TensorValue | Integer | None:
    """Return the count written in a loop; None if there is none."""
    count = node.iteration.count if node.iteration is not None else None
    value = NULL if count is None else state.scope.evaluate(count)
    return None if value is NULL else value if isinstance(value, Integer) else tensor_value(value)


def demand_static(state: BodyState, node: nodes.Loop, count: Integer | None) -> bool:
    """Return whether an unrolled loop may have a count that is known when composing (2.10.1); notes it if not."""
    if count is None or count.value is not None or not state.scope.composing or may_become_known(count):
        return True
    at = node.iteration.count if node.iteration is not None else None
    what = "the count of an unrolled loop" if at is not None else "the length of a pack that an unrolled loop scans"
    message = f"{what} must be known when composing, but '{count}' is dynamic; write 'do' instead of 'unroll'"
    state.fail(rules.UNROLL_DYNAMIC, node.scans[0].value if at is None else at, message)
    return False
