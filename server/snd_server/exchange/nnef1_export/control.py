"""Loops as scans of tract, or unrolled, and branches as selections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from snd_analysis.model import Branch, Graph, Loop, Operation, Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.tensors import static_shape
from snd_server.exchange.nnef1_export.limits import MOST_UNROLLED
from snd_server.exchange.nnef1_export.literals import Expression, written_extent
from snd_server.exchange.nnef1_export.scan_scope import ScanScope
from snd_server.exchange.nnef1_export.scope import StackedPack, TextScope, WrittenFragment, is_name, needed_statements

_GENERICS = {"real": "scalar", "int": "integer", "bool": "logical"}


class ControlWriter:
    """A writer of control flow. ``write`` writes the operations of a part, ``keep`` a fragment under its final name."""

    def __init__(
        self,
        write: Callable[[TextScope, Iterable[Operation]], None],
        keep: Callable[[WrittenFragment, ScanScope], str],
    ) -> None:
        self._write = write
        self._keep = keep

    # ---- branches ----------------------------------------------------------------------------------------------------
    def branch(self, scope: TextScope, operation: Operation, outputs: list[list[str]]) -> None:
        """Write a branch: all cases are computed, and one is selected. Raise Unsuitable."""
        branch = operation.control
        assert isinstance(branch, Branch)
        tensors = [tensor for value in operation.outputs for tensor in tensors_of(value)]
        found = self._part(scope, branch.alternative, tensors)
        for case in reversed(branch.cases):
            if not isinstance(case.condition, Graph):
                raise Unsuitable("its condition is known in the run only")
            inner = TextScope(scope.root, scope, is_in_place=True)
            self._write(inner, case.condition.operations)
            (condition,) = tensors_of(next(iter(case.condition.outputs.values())))
            if static_shape(condition):
                raise Unsuitable("its condition has dimensions")
            name, chosen = inner.name(condition), self._part(scope, case.consequent, tensors)
            found = [scope.node("select", [name, *pair]) for pair in zip(chosen, found, strict=True)]
        _give(outputs, found)

    def _part(self, scope: TextScope, part: Graph, results: Sequence[Tensor]) -> list[str]:
        """Return the results of a part of a branch, which must have the shapes of those of the branch."""
        if part.updates:
            raise Unsuitable("variables are updated in a part of control flow")
        inner = TextScope(scope.root, scope, is_in_place=True)
        self._write(inner, part.operations)
        found = [tensor for value in part.outputs.values() for tensor in tensors_of(value)]
        for tensor, result in zip(found, results, strict=True):
            if tensor.shape != result.shape or result.dtype == "str":
                raise Unsuitable("its cases have different shapes, and NNEF 1.0 selects elements only")
        return [inner.name(each) for each in found]

    # ---- loops -------------------------------------------------------------------------------------------------------
    def loop(self, scope: TextScope, operation: Operation, outputs: list[list[str]]) -> None:
        """Write a loop. Raise Unsuitable."""
        loop = operation.control
        assert isinstance(loop, Loop)
        if loop.before is not None or loop.after is not None:
            raise Unsuitable("the number of iterations depends on a condition")
        if loop.body.updates:
            raise Unsuitable("variables are updated in a loop")
        if scope.is_tract:
            mark = scope.mark()
            try:
                self._scan(scope, operation, loop, outputs)
            except Unsuitable:
                scope.return_to(mark)
                if _static_count(loop) is None:
                    raise
            else:
                return
        self._unroll(scope, loop, outputs)

    def _unroll(self, scope: TextScope, loop: Loop, outputs: list[list[str]]) -> None:
        count = _static_count(loop)
        if count is None:
            raise Unsuitable("the number of iterations is known in the run only")
        if count * len(loop.body.operations) > MOST_UNROLLED:
            raise Unsuitable(f"unrolled, the {count:,} iterations would be too many statements")
        carried = [[scope.name(tensor) for tensor in tensors_of(each.source)] for each in loop.carried]
        collected: list[list[str]] = [[] for _ in outputs[len(carried) :]]
        for number in range(count):
            inner = TextScope(scope.root, scope, is_in_place=True)
            for each, names in zip(loop.carried, carried, strict=True):
                inner.bind(each.local, names)
            for each in loop.scanned:
                inner.bind(each.local, [scope.name([*tensors_of(each.source)][number])])
            if loop.index is not None:
                inner.bind(loop.index, [inner.constant(number)])
            self._write(inner, loop.body.operations)
            results = [[inner.name(tensor) for tensor in tensors_of(value)] for value in loop.body.outputs.values()]
            carried = results[: len(carried)]
            for items, names in zip(collected, results[len(carried) :], strict=True):
                items += names
        _give(outputs, [name for names in (*carried, *collected) for name in names])

    # ---- scans -------------------------------------------------------------------------------------------------------
    def _scan(self, scope: TextScope, operation: Operation, loop: Loop, outputs: list[list[str]]) -> None:
        if not isinstance(loop.count, Integer | None):
            raise Unsuitable("the number of iterations is known in the run only")
        lengths = {each.source.length for each in loop.scanned if isinstance(each.source, Pack)}
        if isinstance(loop.count, Integer) and loop.scanned:
            lengths.add(loop.count)
        if len(lengths) > 1:
            raise Unsuitable("it scans packs of different lengths")
        body = ScanScope(scope)
        scanned = [(each.local, self._stacked(scope, each.source)) for each in loop.scanned]
        parameters: list[tuple[str, str]] = []
        scans = []
        for local, stacked in scanned:
            if not isinstance(local, Tensor):
                raise Unsuitable("it scans packs of packs")
            name = self._parameter(body, local, parameters)
            scans.append((name, Expression(stacked.name), stacked.axis, 1))
            inner = body.node("squeeze", [name], axes=[stacked.axis]) if stacked.is_squeezed else name
            body.bind(local, [inner])
        if loop.index is not None or not scans:
            scans.append(self._numbers(scope, body, loop, parameters))
        starts = [tensor for each in loop.carried for tensor in tensors_of(each.source)]
        locals_ = [tensor for each in loop.carried for tensor in tensors_of(each.local)]
        states = [self._parameter(body, tensor, parameters) for tensor in locals_]
        for tensor, name in zip(locals_, states, strict=True):
            body.bind(tensor, [name])
        self._write(body, loop.body.operations)
        axis = scanned[0][1].axis if scanned and not scanned[0][1].is_squeezed else None
        results, news, rows, packs = _results(body, loop, axis)
        targets = [name for names in outputs[: len(loop.carried)] for name in names]
        targets += [scope.root.fresh("collected") for _ in packs]
        begins = [Expression(self._start(scope, start)) for start in starts]
        parameters += [(name, "scalar") for name in body.captured.values()]
        written = needed_statements(body.statements, [name for name, _ in results])
        used = {name for each in written for name in each.names}
        if used.isdisjoint(name for name, *_ in scans):
            raise Unsuitable("tract repeats nothing that reads no part of a tensor")
        body_name = self._keep(WrittenFragment("", tuple(parameters), tuple(results), tuple(written), ()), body)
        given: dict[str, Any] = {
            "scan": scans,
            "full": [(name, Expression(outer)) for outer, name in body.captured.items()],
            "state": list(zip(states, begins, news, strict=True)),
            "output": rows,
            "skip": 0,
            "reset_every_turn": 1,
        }
        scope.nodes_of("tract_core_scan", [], targets, is_tuple=True, body=body_name, **given)
        self._take_apart(scope, operation, loop, outputs, packs, targets)

    def _take_apart(
        self, scope: TextScope, operation: Operation, loop: Loop, outputs: list[list[str]],
        packs: Sequence[tuple[int, bool]], targets: Sequence[str],
    ) -> None:  # fmt: skip
        """Note the tensors that hold what a scan collected, and take packs of a known length apart."""
        first = len(loop.carried)
        names = targets[len(targets) - len(packs) :]
        for value, items, (axis, is_squeezed), name in zip(
            operation.outputs[first:], outputs[first:], packs, names, strict=True
        ):
            scope.packs[tuple(tensors_of(value))] = StackedPack(name, axis, is_squeezed)
            if not isinstance(value, Pack) or value.items is None:
                continue
            for at, item in enumerate(items):
                part = scope.node("slice", [name], None if is_squeezed else item, axes=[axis], begin=[at], end=[at + 1])
                if is_squeezed:
                    scope.node("squeeze", [part], item, axes=[axis])

    def _start(self, scope: TextScope, tensor: Tensor) -> str:
        """Return the name of an initial value: a variable, where it is a literal."""
        name = scope.name(tensor)
        return name if is_name(name) else scope.node("copy", [name])

    def _parameter(self, body: ScanScope, tensor: Tensor, parameters: list[tuple[str, str]]) -> str:
        name = body.root.fresh(tensor.name)
        if tensor.dtype not in _GENERICS:
            raise Unsuitable("NNEF 1.0 has no tensors of strings")
        parameters.append((name, _GENERICS[tensor.dtype]))
        return name

    def _numbers(
        self, scope: TextScope, body: ScanScope, loop: Loop, parameters: list[tuple[str, str]]
    ) -> tuple[str, Expression, int, int]:
        """Let the body have the number of the iteration; return the row that scans all of them."""
        count = _static_count(loop)
        if count is not None:
            numbers = scope.variable_of(np.arange(count), "iterations")
        else:
            if not isinstance(loop.count, Integer):
                raise Unsuitable("the number of iterations is known in the run only")
            end = Expression(written_extent(loop.count, scope.dialect))
            whole = scope.node("tract_core_range", [], start=0, end=end, step=1)
            numbers = scope.node("tract_core_cast", [whole], to="i64")
        name = body.root.fresh("iteration" if loop.index is None else loop.index.name)
        parameters.append((name, "integer"))
        if loop.index is not None:
            body.bind(loop.index, [body.node("squeeze", [name], axes=[0])])
        return name, Expression(numbers), 0, 1

    def _stacked(self, scope: TextScope, value: TensorValue) -> StackedPack:
        """Return the tensor that holds the tensors of a pack."""
        found = scope.packed(value)
        if found is not None:
            return found
        if not isinstance(value, Pack) or value.items is None:
            raise Unsuitable("it is not known what it scans")
        tensors = [*tensors_of(value)]
        if not tensors or len({str(tensor.shape) for tensor in tensors}) != 1:
            raise Unsuitable("it scans tensors of different shapes")
        items = ", ".join(scope.name(tensor) for tensor in tensors)
        return StackedPack(scope.node("stack", [f"[{items}]"], axis=0), 0, True)


def _results(
    body: ScanScope, loop: Loop, axis: int | None
) -> tuple[list[tuple[str, str]], list[str], list[tuple[object, ...]], list[tuple[int, bool]]]:
    """Return the results of the body, the new states among them, the rows of the outputs, and how packs are joined."""
    values = [[*tensors_of(value)] for value in loop.body.outputs.values()]
    results: list[tuple[str, str]] = []
    carried = [tensor for tensors in values[: len(loop.carried)] for tensor in tensors]
    news = [_result(body, body.name(tensor), tensor, results) for tensor in carried]
    rows: list[tuple[object, ...]] = [(name, "last", 0, 1) for name in news]
    packs = []
    for (tensor,) in values[len(loop.carried) :]:
        chosen, row = _collected(body, tensor, axis, results)
        packs.append(chosen)
        rows.append(row)
    return results, news, rows, packs


def _result(body: ScanScope, name: str, tensor: Tensor, results: list[tuple[str, str]]) -> str:
    """Return the name of a result of the body, which a statement of it makes."""
    made = {each for statement in body.statements for each in statement.results}
    found = name if name in made else body.node("copy", [name])
    pair = (found, _GENERICS[tensor.dtype or "real"])
    if pair not in results:
        results.append(pair)
    return found


def _collected(
    body: ScanScope, tensor: Tensor, axis: int | None, results: list[tuple[str, str]]
) -> tuple[tuple[int, bool], tuple[object, ...]]:
    """Return how the tensors of all iterations are joined, and the row of the output."""
    extents = [each.value if isinstance(each, Integer) else None for each in tensor.shape or ()]
    if axis is not None and axis < len(extents) and extents[axis] == 1:
        name = _result(body, body.name(tensor), tensor, results)
        return (axis, False), (name, "full", axis, 1)
    name = _result(body, body.node("unsqueeze", [body.name(tensor)], axes=[0]), tensor, results)
    return (0, True), (name, "full", 0, 1)


def _static_count(loop: Loop) -> int | None:
    """Return the number of iterations; None if it is not known before the run."""
    lengths = [
        len(each.source.items) if isinstance(each.source, Pack) and each.source.items is not None else None
        for each in loop.scanned
    ]
    if isinstance(loop.count, Integer):
        lengths.append(loop.count.value)
    elif loop.count is not None or not lengths:
        return None
    known = [each for each in lengths if each is not None]
    return min(known) if len(known) == len(lengths) else None


def _give(outputs: list[list[str]], names: Sequence[str]) -> None:
    """Let results have the names of tensors that there are."""
    rest = iter(names)
    for each in outputs:
        each[:] = [next(rest) for _ in each]
