"""Loops over packs, counts and conditions; unrolled ones (2.10.1, Looping)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from snd_analysis import shapes
from snd_analysis.compose.annotations import disagree, written_shape
from snd_analysis.compose.branches import add_operation, part
from snd_analysis.compose.conditions import check_condition
from snd_analysis.compose.joining import common_shape
from snd_analysis.compose.results import Targets
from snd_analysis.compose.words import tensor_text
from snd_analysis.model import Graph, Loop, LoopLocal, Tensor, TensorKind, TensorValue
from snd_analysis.names.symbols import Symbol
from snd_analysis.shapes import Integer, Verdict
from snd_analysis.syntax import nodes
from snd_analysis.types.written import written
from snd_analysis.values import NULL, UNDEFINED, Pack, Run, item

if TYPE_CHECKING:
    from snd_analysis.compose.composer import Composer, Values

# Loops with more iterations are not unrolled: their body is composed once, as if the count were not known.
MOST_ITERATIONS = 4096


def loop(composer: Composer, node: nodes.Loop, targets: Targets) -> Values | None:
    """Composes a loop; None if nothing is known of its results.

    Raises EvaluationError if an expression has no value.
    """
    carries = [initial(composer, carry) for carry in node.carries]
    packs = [composer.tensor(scan.value, scan.name.text) for scan in node.scans]
    if not lengths_agree(composer, node, packs):
        return None
    count, dynamic = iterations(composer, node, packs)
    number = count.value if count is not None and not dynamic else None
    if node.keyword.text == "unroll" and number is not None and number <= MOST_ITERATIONS:
        return unrolled(composer, node, carries, packs, number, targets)
    return _repeated(composer, node, carries, packs, count, dynamic, targets)


def initial(composer: Composer, carry: nodes.Carry) -> TensorValue:
    """What a carried variable begins as."""
    value = composer.tensor(carry.value, carry.name.text)
    if carry.type is None or not isinstance(value, Tensor) or value.shape is None:
        return value
    shape = written_shape(composer, carry.type.shape)
    if shape is None:
        return value if value.value is None else UNDEFINED
    if value.value is not None and value.shape == ():
        return replace(value, shape=shape)
    if disagree(shape, value.shape):
        message = (
            f"the carried variable '{carry.name.text}' is declared as '{carry.type.type.text}"
            f"[{written(carry.type.shape)}]', which is [{', '.join(map(str, shape))}] here, "
            f"but it begins as '{tensor_text(value)}'"
        )
        composer.fail("result-shape", carry.type, message)
        return UNDEFINED
    return value


# ---- how often -------------------------------------------------------------------------------------------------------
def lengths_agree(composer: Composer, node: nodes.Loop, packs: Values) -> bool:
    """Whether packs that are scanned together may have one length; notes it if not."""
    known = [(scan, pack) for scan, pack in zip(node.scans, packs, strict=True) if isinstance(pack, Pack)]
    for scan, pack in known[1:]:
        first_scan, first = known[0]
        if shapes.decide_equal(first.length, pack.length) is Verdict.DIFFERENT:
            message = (
                f"packs that are scanned together have one length, but '{written(scan.value)}' has {pack.length} "
                f"tensors here and '{written(first_scan.value)}' has {first.length}"
            )
            composer.fail("scan-lengths", scan.value, message)
            return False
    return True


def iterations(composer: Composer, node: nodes.Loop, packs: Values) -> tuple[Integer | None, bool]:
    """The greatest number of iterations, None if not known; and whether there may be fewer."""
    length = next((pack.length for pack in packs if isinstance(pack, Pack)), None)
    dynamic = bool(node.conditions)
    written_count = node.iteration.count if node.iteration is not None else None
    if written_count is None:
        return length, dynamic
    value = composer.scope.evaluate(written_count)
    if isinstance(value, Integer):
        if length is not None and shapes.compare("<=", value, length) is shapes.FALSE:
            message = f"the loop counts to {value}, but the packs that it scans have only {length} tensors"
            composer.fail("scan-lengths", written_count, message)
        return value, dynamic
    if value is NULL:
        return length, dynamic
    return length, True


# ---- unrolled --------------------------------------------------------------------------------------------------------
def unrolled(
    composer: Composer, node: nodes.Loop, carries: Values, packs: Values, count: int, targets: Targets
) -> Values | None:
    collected: list[list[TensorValue]] = []
    for at in range(count):
        for carry, value in zip(node.carries, carries, strict=True):
            let(composer, carry.name, value)
        for scan, pack in zip(node.scans, packs, strict=True):
            let(composer, scan.name, item(pack, shapes.constant(at)) if isinstance(pack, Pack) else UNDEFINED)
        if node.iteration is not None and node.iteration.index is not None:
            name = node.iteration.index
            value = Tensor(
                f"{name.text}[{at}]", "int", (), TensorKind.CONSTANT, composer.place(name), shapes.constant(at)
            )
            let(composer, name, value)
        results = composer.call(node.body, targets.iteration(at, len(carries), at == count - 1))
        if results is None or len(results) < len(carries):
            return None
        carries = results[: len(carries)]
        collected.append(results[len(carries) :])
    further: Values = [Pack(row, dtype=_dtype(row)) for row in zip(*collected, strict=False)]
    if not collected:
        further = [Pack(())] * max(0, targets.count - len(carries))
    return [*carries, *further]


def _dtype(row: tuple[TensorValue, ...]) -> str | None:
    return next((value.dtype for value in row if isinstance(value, Tensor)), None)


def let(composer: Composer, name: nodes.Name, value: TensorValue) -> None:
    """Lets a name that a loop declares stand for a tensor."""
    symbol = composer.unit.resolution.targets.get(name)
    if isinstance(symbol, Symbol):
        composer.scope.values[symbol] = value


# ---- at run time -----------------------------------------------------------------------------------------------------
def _repeated(
    composer: Composer,
    node: nodes.Loop,
    carries: Values,
    packs: Values,
    count: Integer | None,
    dynamic: bool,
    targets: Targets,
) -> Values | None:
    carried = [
        LoopLocal(_local(composer, value, carry.name), value)
        for carry, value in zip(node.carries, carries, strict=True)
    ]
    scanned = [
        LoopLocal(_scan_item(composer, pack, scan.name), pack) for scan, pack in zip(node.scans, packs, strict=True)
    ]
    inputs: dict[str, TensorValue] = {}
    names = [*(carry.name for carry in node.carries), *(scan.name for scan in node.scans)]
    for name, each in zip(names, (*carried, *scanned), strict=True):
        inputs[name.text] = each.local
        let(composer, name, each.local)
    index: Tensor | None = None
    if node.iteration is not None and node.iteration.index is not None:
        name = node.iteration.index
        index = Tensor(composer.scoped(name.text), "int", (), TensorKind.LOCAL, composer.place(name))
        inputs[name.text] = index
        let(composer, name, index)
    conditions: dict[bool, Graph] = {}
    for condition in node.conditions:
        values, conditions[condition.post] = part(composer, "condition", condition.condition, Targets(()), inputs)
        check_condition(composer, condition.condition, values)
    results, body = part(composer, "body", node.body, targets, inputs)
    if results is None or len(results) < len(carries):
        return None
    finals: Values = [
        _final(composer, node, carry, before, after, targets, at)
        for at, (carry, before, after) in enumerate(zip(node.carries, carries, results, strict=False))
    ]
    for at in range(len(carries), len(results)):
        finals.append(_collected(composer, node, results[at], count, dynamic, targets, at))
    written_count = _written_count(composer, node)
    control = Loop(
        tuple(carried), tuple(scanned), index, written_count, conditions.get(False), conditions.get(True), body
    )
    add_operation(composer, control, node, (*carries, *packs), finals, targets)
    return finals


def _written_count(composer: Composer, node: nodes.Loop) -> TensorValue | Integer | None:
    count = node.iteration.count if node.iteration is not None else None
    value = None if count is None else composer.scope.evaluate(count)
    return None if value is NULL else value


def _local(composer: Composer, value: TensorValue, name: nodes.Name) -> TensorValue:
    if isinstance(value, Tensor):
        return Tensor(composer.scoped(name.text), value.dtype, value.shape, TensorKind.LOCAL, composer.place(name))
    if isinstance(value, Pack):
        segments = [
            Run(each.length, _local(composer, each.element, name))
            if isinstance(each, Run)
            else _local(composer, each, name)
            for each in value.segments
        ]
        return Pack(segments, dtype=value.dtype)
    return UNDEFINED


def _scan_item(composer: Composer, pack: TensorValue, name: nodes.Name) -> TensorValue:
    """The item of a pack in any iteration; extents in which the items differ are dynamic."""
    if not isinstance(pack, Pack):
        return UNDEFINED
    items = [each.element if isinstance(each, Run) else each for each in pack.segments]
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


def _final(
    composer: Composer,
    node: nodes.Loop,
    carry: nodes.Carry,
    before: TensorValue,
    after: TensorValue,
    targets: Targets,
    at: int,
) -> TensorValue:
    """A carried variable behind the loop: of the shape that it keeps through all iterations."""
    if not isinstance(before, Tensor) or not isinstance(after, Tensor) or before.shape is None or after.shape is None:
        return before if isinstance(before, Pack) else UNDEFINED
    unrolled = node.keyword.text == "unroll"
    if unrolled and before.shape != after.shape:
        return UNDEFINED  # it changes from step to step, and the number of steps is not known
    if disagree(before.shape, after.shape):
        message = (
            f"the carried variable '{carry.name.text}' is '{tensor_text(before)}', but its new value is "
            f"'{tensor_text(after)}': its shape can't change, unless the loop is unrolled"
        )
        composer.fail("carried-shape", carry, message)
        return UNDEFINED
    name = composer.scoped(targets.name(at) or carry.name.text)
    return Tensor(name, before.dtype, before.shape, TensorKind.RESULT, composer.place(node))


def _collected(
    composer: Composer,
    node: nodes.Loop,
    value: TensorValue,
    count: Integer | None,
    dynamic: bool,
    targets: Targets,
    at: int,
) -> TensorValue:
    """A further result of the body, of which every iteration adds one tensor to a pack."""
    if not isinstance(value, Tensor):
        return UNDEFINED
    place = composer.place(node)
    plain = targets.name(at) or "result"
    number = count.value if count is not None else None
    if number is not None and not dynamic and number <= MOST_ITERATIONS:
        items = [
            Tensor(
                composer.scoped(targets.item_name(at, each) or f"{plain}[{each}]"),
                value.dtype, value.shape, TensorKind.RESULT, place,
            )
            for each in range(max(number, 0))
        ]  # fmt: skip
        return Pack(items, dtype=value.dtype)
    length = count
    if dynamic or length is None:
        most = shapes.bounds(count)[1] if count is not None else None
        length = composer.dynamic(f"{plain}.size", 0, most)
    made = Tensor(composer.scoped(f"{plain}[]"), value.dtype, value.shape, TensorKind.RESULT, place)
    return Pack((Run(length, made),), dtype=value.dtype)
