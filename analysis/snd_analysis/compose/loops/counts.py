"""Number of iterations of a loop (2.10.1, Looping)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.compose.body.branches import common_shape
from snd_analysis.compose.body.interpreter import Interpreter, call, tried
from snd_analysis.compose.body.results import Targets
from snd_analysis.compose.body.state import BodyState, ResultValues
from snd_analysis.compose.limits import GREATEST_COUNT, MOST_STEPS
from snd_analysis.model import Tensor, TensorKind, TensorValue, empty_pack, item_of_empty, tensor_value
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer, is_wide
from snd_analysis.symbolic.values import NULL, UNDEFINED, Pack, Value, item, may_become_known


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
    if isinstance(value, Integer) and is_wide(value):
        state.fail(rules.INT_OVERFLOW, written_count, rules.formulas.too_wide(value.value))
        return None, True
    if isinstance(value, Integer):
        possible = shapes.compare(">=", value, 0)
        if possible is shapes.FALSE:
            state.fail(rules.LOOP_COUNT, written_count, rules.control_flow.negative_count(value))
            return None, True
        state.check(possible, "a loop count can't be negative", written_count)
        if value.value is not None and value.value > GREATEST_COUNT and node.keyword.text == "do":
            message = rules.control_flow.count_too_large(value.value, GREATEST_COUNT)
            state.fail(rules.LOOP_COUNT, written_count, message)
            return None, True
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


def has_steps(state: BodyState, node: nodes.Loop, number: int) -> bool:
    """Count the iterations of a loop to be unrolled, and return whether there may be so many; notes it if not."""
    if number <= MOST_STEPS:
        state.use(number, ())
        return True
    written = None if node.iteration is None else node.iteration.count
    at = node.scans[0].value if written is None else written
    message = f"this would be unrolled {number:,} times, more than {MOST_STEPS:,}: write 'do' instead of 'unroll'"
    state.fail(rules.LOOP_COUNT, at, message)
    return False


def demand_static(state: BodyState, node: nodes.Loop, count: Integer | None) -> bool:
    """Return whether an unrolled loop may have a count that is known when composing (2.10.1); notes it if not."""
    if count is None or count.value is not None or not state.scope.composing or may_become_known(count):
        return True
    at = node.iteration.count if node.iteration is not None else None
    what = "the count of an unrolled loop" if at is not None else "the length of a pack that an unrolled loop scans"
    message = f"{what} must be known at compile time, but '{count}' is dynamic; write 'do' instead of 'unroll'"
    state.fail(rules.UNROLL_DYNAMIC, node.scans[0].value if at is None else at, message)
    return False


# ---- values of the names that a loop declares, in its conditions and its body (2.10.1, Looping) ----------------------
def let(state: BodyState, name: nodes.Name, value: TensorValue) -> None:
    """Bind a name that a loop declares to a tensor."""
    symbol = state.template.resolution.targets.get(name)
    if isinstance(symbol, Symbol):
        state.scope.values[symbol] = value


def let_item(state: BodyState, name: nodes.Name, pack: TensorValue, at: int) -> None:
    """Bind a name that a loop declares to an item of the scanned pack."""
    let(state, name, tensor_value(item(pack, shapes.constant(at))) if isinstance(pack, Pack) else UNDEFINED)


def let_index(state: BodyState, node: nodes.Loop) -> Tensor | None:
    """Bind the name of the iteration number, if it has one, to a tensor; return the tensor."""
    if node.iteration is None or node.iteration.index is None:
        return None
    name = node.iteration.index
    index = Tensor(state.scoped(name.text), "int", (), TensorKind.LOCAL, state.place(name))
    let(state, name, index)
    return index


def local(state: BodyState, value: Value, name: nodes.Name) -> TensorValue:
    """Return the tensor of a carried variable, or of an item, in the graphs of a loop."""
    match value:
        case Tensor():
            return Tensor(state.scoped(name.text), value.dtype, value.shape, TensorKind.LOCAL, state.place(name))
        case Pack():
            return value.map(lambda each: local(state, each, name))
    return UNDEFINED


def scan_item(state: BodyState, pack: TensorValue, name: nodes.Name) -> TensorValue:
    """Return the item of a pack in any iteration; extents in which the items differ are dynamic."""
    if not isinstance(pack, Pack):
        return UNDEFINED
    items = pack.elements or (item_of_empty(pack),)
    tensors = [each for each in items if isinstance(each, Tensor)]
    if not tensors or len(tensors) != len(items):
        return UNDEFINED
    scoped = state.scoped(name.text)
    shape = common_shape([tensor.shape for tensor in tensors], scoped, state)
    return (
        Tensor(scoped, tensors[0].dtype, shape, TensorKind.LOCAL, state.place(name)) if shape is not None else UNDEFINED
    )


# ---- loops that are unrolled: their body is composed for each iteration (2.10.1, Looping) ----------------------------
def unrolled(
    interpreter: Interpreter, node: nodes.Loop, carries: ResultValues, packs: ResultValues, count: int, targets: Targets
) -> ResultValues | None:
    """Return the results of a loop with so many iterations; None if nothing is known of them."""
    state = interpreter.state
    collected: list[list[TensorValue]] = []
    for at in range(count):
        state.step()
        for carry, value in zip(node.carries, carries, strict=True):
            let(state, carry.name, value)
        for scan, pack in zip(node.scans, packs, strict=True):
            let_item(state, scan.name, pack, at)
        if node.iteration is not None and node.iteration.index is not None:
            name = node.iteration.index
            value = Tensor(f"{name.text}[{at}]", "int", (), TensorKind.CONSTANT, state.place(name), shapes.constant(at))
            let(state, name, value)
        results = call(interpreter, node.body, targets.iteration(at, len(carries), at == count - 1))
        if results is None or len(results) < len(carries):
            return None
        carries = results[: len(carries)]
        collected.append(results[len(carries) :])
    further: ResultValues = [Pack(row, dtype=_dtype(row)) for row in zip(*collected, strict=False)]
    if count <= 0:
        further = nothing_collected(interpreter, node, carries, packs, targets)
    return [*carries, *further]


def nothing_collected(
    interpreter: Interpreter, node: nodes.Loop, carries: ResultValues, packs: ResultValues, targets: Targets
) -> ResultValues:
    """Return the empty packs that a loop without iterations collects; the body gives the types of their tensors."""
    state = interpreter.state
    for carry, value in zip(node.carries, carries, strict=True):
        let(state, carry.name, local(state, value, carry.name))
    for scan, pack in zip(node.scans, packs, strict=True):
        let(state, scan.name, scan_item(state, pack, scan.name))
    let_index(state, node)
    results = tried(interpreter.composing, node.body, targets)[0] or []
    unknown = [UNDEFINED] * max(0, targets.count - len(results))
    return [empty_pack(value) for value in (*results, *unknown)[len(carries) :]]


def _dtype(row: tuple[TensorValue, ...]) -> str | None:
    return next((value.dtype for value in row if isinstance(value, Tensor)), None)
