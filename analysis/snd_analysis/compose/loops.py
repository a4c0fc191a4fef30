"""Loops over packs, counts and conditions; unrolled ones (2.10.1, Looping)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

from snd_analysis import shapes
from snd_analysis.compose.agreement import demand_shape
from snd_analysis.compose.annotations import disagree, written_shape
from snd_analysis.compose.branches import add_operation, part
from snd_analysis.compose.conditions import check_condition
from snd_analysis.compose.iterations import MOST_ITEMS, Renewing, items_differ, keys_of, steps, tried
from snd_analysis.compose.joining import common_shape
from snd_analysis.compose.results import Targets
from snd_analysis.compose.words import tensor_text
from snd_analysis.frozen import frozen
from snd_analysis.model import Graph, Loop, LoopLocal, Tensor, TensorKind, TensorValue, empty_pack, item_of_empty
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
            f"[{written(carry.type.shape)}]', which is [{','.join(map(str, shape))}] here, "
            f"but it begins as '{tensor_text(value)}'"
        )
        composer.fail("result-shape", carry.type, message)
        return UNDEFINED
    declared = f"{carry.type.type.text}[{written(carry.type.shape)}]"
    said = f"the carried variable '{carry.name.text}' must begin as '{declared}'"
    demand_shape(composer, shape, value.shape, said, carry.type)
    return value


def as_declared(composer: Composer, carry: nodes.Carry, value: TensorValue) -> TensorValue:
    """What a carried variable is from iteration to iteration, given what it begins as."""
    if carry.type is None or not isinstance(value, Tensor) or value.shape is None:
        return value
    shape = written_shape(composer, carry.type.shape)
    same = shape is not None and len(shape) == len(value.shape)
    return replace(value, shape=shape) if same and not any(isinstance(part, Run) for part in value.shape) else value


# ---- how often -------------------------------------------------------------------------------------------------------
def lengths_agree(composer: Composer, node: nodes.Loop, packs: Values) -> bool:
    """Whether packs that are scanned together may have one length; notes it if not."""
    known = [(scan, pack) for scan, pack in zip(node.scans, packs, strict=True) if isinstance(pack, Pack)]
    for scan, pack in known[1:]:
        first_scan, first = known[0]
        said = f"'{written(scan.value)}' must have as many tensors as '{written(first_scan.value)}'"
        verdict = shapes.decide_equal(first.length, pack.length)
        if verdict is Verdict.UNKNOWN:
            composer.check(shapes.compare("==", first.length, pack.length), said, scan.value)
        elif verdict is Verdict.DIFFERENT:
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
        possible = shapes.compare(">=", value, 0)
        if possible is shapes.FALSE:
            composer.fail("loop-count", written_count, f"a loop count can't be negative, but this is {value}")
            return None, True
        composer.check(possible, "a loop count can't be negative", written_count)
        enough = shapes.TRUE if length is None else shapes.compare("<=", value, length)
        if enough is not shapes.FALSE:
            composer.check(enough, f"the packs that are scanned must have {value} tensors", written_count)
        else:
            message = f"the loop counts to {value}, but the packs that it scans have only {length} tensors"
            composer.fail("scan-lengths", written_count, message)
        return value, dynamic
    if value is NULL:
        return length, dynamic
    if length is not None:
        several = shapes.variable(written_count, written(written_count))
        message = f"the packs that are scanned must have '{written(written_count)}' tensors"
        composer.check(shapes.compare("<=", several, length), message, written_count)
    return length, True


# ---- unrolled --------------------------------------------------------------------------------------------------------
def unrolled(
    composer: Composer, node: nodes.Loop, carries: Values, packs: Values, count: int, targets: Targets
) -> Values | None:
    collected: list[list[TensorValue]] = []
    for at in range(count):
        composer.work.add()
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
    if count <= 0:
        further = nothing_collected(composer, node, carries, packs, targets)
    return [*carries, *further]


def nothing_collected(composer: Composer, node: nodes.Loop, carries: Values, packs: Values, targets: Targets) -> Values:
    """The empty packs that a loop without iterations collects: what their tensors would be tells the body."""
    for carry, value in zip(node.carries, carries, strict=True):
        let(composer, carry.name, _local(composer, value, carry.name))
    for scan, pack in zip(node.scans, packs, strict=True):
        let(composer, scan.name, _scan_item(composer, pack, scan.name))
    _let_index(composer, node)
    results = composer.probed(node.body, targets) or []
    unknown = [UNDEFINED] * max(0, targets.count - len(results))
    return [empty_pack(value) for value in (*results, *unknown)[len(carries) :]]


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
    of_condition, of_body = scopes_of_loop(composer, node, targets)
    starts = carries
    if node.keyword.text != "unroll":
        starts = [as_declared(composer, carry, value) for carry, value in zip(node.carries, carries, strict=True)]
    carried = [
        LoopLocal(_local(composer, start, carry.name), first)
        for carry, start, first in zip(node.carries, starts, carries, strict=True)
    ]
    known_before, failures = set(composer.instance.dynamic), len(composer.instance.failures)
    scanned = [
        LoopLocal(_scan_item(composer, pack, scan.name), pack) for scan, pack in zip(node.scans, packs, strict=True)
    ]
    varying = frozenset[Hashable]().union(
        *(keys_of(each.local.shape) for each in scanned if isinstance(each.local, Tensor))
    )
    ends: Values | None = None
    if node.keyword.text == "unroll":
        for scan, each in zip(node.scans, scanned, strict=True):
            let(composer, scan.name, each.local)
        _let_index(composer, node)
        called = [
            (composer.scoped(carry.name.text), composer.scoped(targets.name(at) or carry.name.text))
            for at, carry in enumerate(node.carries)
        ]
        found = steps(composer, carries, called, count, varying, lambda values: _body(composer, node, values, of_body))
        if found is not None:
            ends = found.ends
            carried = [
                LoopLocal(_local(composer, value, carry.name), first)
                for carry, value, first in zip(node.carries, found.starts, carries, strict=True)
            ]
    inputs: dict[str, TensorValue] = {}
    names = [*(carry.name for carry in node.carries), *(scan.name for scan in node.scans)]
    for name, each in zip(names, (*carried, *scanned), strict=True):
        inputs[name.text] = each.local
        let(composer, name, each.local)
    index = _let_index(composer, node)
    if index is not None and node.iteration is not None and node.iteration.index is not None:
        inputs[node.iteration.index.text] = index
    conditions: dict[bool, Graph] = {}
    for condition in node.conditions:
        values, conditions[condition.post] = part(composer, "condition", condition.condition, of_condition, inputs)
        check_condition(composer, condition.condition, values)
    results, body = part(composer, "body", node.body, of_body, inputs)
    if results is None or len(results) < len(carries):
        return None
    finals: Values = [
        final(composer, node, carry, before, after, targets, at)
        for at, (carry, before, after) in enumerate(zip(node.carries, ends or starts, ends or results, strict=False))
    ]
    iterations_ = _Iterations(composer, node, of_body, Renewing(composer, known_before), varying, failures)
    each_row = iterations_.rows(packs, None if dynamic or count is None else count.value, results)
    for at in range(len(carries), len(results)):
        row = None if each_row is None else [each[at] for each in each_row]
        finals.append(_collected(composer, node, iterations_, results[at], row, count, dynamic, targets, at))
    written_count = _written_count(composer, node)
    control = Loop(
        tuple(carried), tuple(scanned), index, written_count, conditions.get(False), conditions.get(True), body
    )
    add_operation(composer, control, node, (*carries, *packs), finals, targets)
    return finals


def scopes_of_loop(composer: Composer, node: nodes.Loop, targets: Targets) -> tuple[Targets, Targets]:
    """What the condition and the body of a loop name: each in a scope of its own if both need one (2.10, Labelling)."""
    unnamed = targets.without_results()
    conditions = [each.condition for each in node.conditions]
    of_condition = unnamed
    for condition in conditions:
        of_condition = composer.naming.part(condition, "while", [node.body], unnamed)
    return of_condition, composer.naming.part(node.body, "do", conditions, targets)


def _let_index(composer: Composer, node: nodes.Loop) -> Tensor | None:
    """The number of the iteration, if it has a name, which stands for it from here on."""
    if node.iteration is None or node.iteration.index is None:
        return None
    name = node.iteration.index
    index = Tensor(composer.scoped(name.text), "int", (), TensorKind.LOCAL, composer.place(name))
    let(composer, name, index)
    return index


def _body(composer: Composer, node: nodes.Loop, carries: Values, targets: Targets) -> Values | None:
    """What the body gives for some values of the carried variables."""
    for carry, value in zip(node.carries, carries, strict=True):
        let(composer, carry.name, _local(composer, value, carry.name))
    return tried(composer, node.body, targets)[0]


@frozen
class _Iterations:
    """The iterations of a loop, as far as they differ from each other."""

    composer: Composer
    node: nodes.Loop
    targets: Targets
    renewing: Renewing
    varying: frozenset[Hashable]
    failures: int
    """How many failures there were before the loop."""

    def rows(self, packs: Values, count: int | None, results: Values) -> list[Values] | None:
        """The results of each iteration, if their number is known and the items differ; None if they can't be told."""
        if count is None or not 0 < count <= MOST_ITEMS or not items_differ(packs, count):
            return None
        reported = len(self.composer.instance.failures) > self.failures
        rows = []
        for at in range(count):
            for scan, pack in zip(self.node.scans, packs, strict=True):
                value = item(pack, shapes.constant(at)) if isinstance(pack, Pack) else UNDEFINED
                let(self.composer, scan.name, _local(self.composer, value, scan.name))
            found, failures = tried(self.composer, self.node.body, self.targets)
            if failures and not reported:  # one iteration tells it
                self.composer.instance.failures.extend(failures)
                reported = True
            if found is None or len(found) != len(results):
                return None
            rows.append(found)
        return rows


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
    items = [each.element if isinstance(each, Run) else each for each in pack.segments] or [item_of_empty(pack)]
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


def final(
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
    if node.keyword.text == "unroll" and before.shape != after.shape:
        return UNDEFINED  # it changes from step to step, nobody knows how
    if disagree(before.shape, after.shape):
        message = (
            f"the carried variable '{carry.name.text}' is '{tensor_text(before)}', but its new value is "
            f"'{tensor_text(after)}': its shape can't change, unless the loop is unrolled"
        )
        composer.fail("carried-shape", carry, message)
        return UNDEFINED
    demand_shape(composer, before.shape, after.shape, f"'{carry.name.text}' must keep its shape", carry)
    name = composer.scoped(targets.name(at) or carry.name.text)
    return Tensor(name, before.dtype, before.shape, TensorKind.RESULT, composer.place(node))


def _collected(
    composer: Composer,
    node: nodes.Loop,
    iterations_: _Iterations,
    value: TensorValue,
    row: Values | None,
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
        items: Values = []
        for each in range(max(number, 0)):
            name = composer.scoped(targets.item_name(at, each) or f"{plain}[{each}]")
            made = row[each] if row is not None else iterations_.renewing.renewed(value)
            if not isinstance(made, Tensor) or made.shape is None:
                return UNDEFINED
            items.append(Tensor(name, made.dtype, made.shape, TensorKind.RESULT, place))
        return Pack(items, dtype=value.dtype) if items else empty_pack(value)
    length = count
    if dynamic or length is None:
        most = shapes.bounds(count)[1] if count is not None else None
        length = composer.dynamic(f"{plain}.size", 0, most)
    if iterations_.renewing.varies(value, iterations_.varying):
        value = iterations_.renewing.of_each(value, iterations_.varying)
    made = Tensor(composer.scoped(f"{plain}[]"), value.dtype, value.shape, TensorKind.RESULT, place)
    return Pack((Run(length, made),), dtype=value.dtype)
