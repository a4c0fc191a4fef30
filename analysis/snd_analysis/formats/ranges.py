"""The ranges of the int tensors of a composed graph, from types of storage, constants and operators."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from importlib import import_module
from itertools import count as count_from
from itertools import pairwise, zip_longest
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import counted
from snd_analysis.compose import Failure, Site, Specialization
from snd_analysis.formats.intervals import (
    Finding,
    Operands,
    Range,
    ResultRanges,
    Transfer,
    bits_of,
    constant_items,
    constant_range,
    number,
    union,
    union_of,
)
from snd_analysis.formats.limits import MOST_ITERATIONS, MOST_OPERATIONS, PROBES
from snd_analysis.model import Branch, Graph, Loop, Operation, Tensor, TensorValue, tensors_of
from snd_analysis.skriptnd.names import is_library
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack

__all__ = ["Range", "Ranges", "bits_of", "ranges_of"]

State: TypeAlias = "list[Range | None]"
"""The ranges of the variables that a loop carries, or of results, in their order."""
_CVM = "snd:cvm"
_LIBRARIES = {"snd:tosa": "tosa", _CVM: "cvm"}


class Ranges(Struct, frozen=True):
    """The ranges of the tensors of a graph, and the failures that follow."""

    by_tensor: Mapping[Tensor, Range]
    failures: tuple[Failure, ...]
    has_precision: bool
    """True if CVM gives the tensors a precision."""

    def of(self, tensor: Tensor) -> Range | None:
        """Return the range of the elements of a tensor."""
        return self.by_tensor.get(tensor) or constant_range(tensor)


def ranges_of(root: Specialization) -> Ranges:
    """Return the ranges of the int tensors of a graph. An unlimited tensor has none."""
    if root.body is None:
        return Ranges({}, (), False)
    walk = _Walk()
    walk.enter(root.body)
    failures = tuple(_first_of_each_place(walk.graph(root.body)))
    seen = {tensor: range for tensor, range in walk.seen.items() if range is not None}
    return Ranges({**walk.quantized, **seen}, failures, walk.has_precision)


def _first_of_each_place(failures: Iterable[Failure]) -> Iterator[Failure]:
    """Yield one of the failures that the iterations of a loop report for one operation."""
    found = set()
    for failure in failures:
        key = (failure.rule, tuple(site.place for site in failure.sites))
        if key not in found:
            found.add(key)
            yield failure


class _Walk:
    """The ranges of the tensors computed so far, in the order of execution."""

    def __init__(self) -> None:
        self.known: dict[Tensor, Range | None] = {}
        """The ranges of tensors as last computed, None if nothing is known."""
        self.seen: dict[Tensor, Range | None] = {}
        """The ranges over all invocations and iterations that compute a tensor."""
        self.quantized: dict[Tensor, Range] = {}
        self.operations = 0
        self.has_precision = False

    def enter(self, graph: Graph) -> None:
        """Read the statements of a graph about its tensors: `@quantize { x: cvm.cvm_clip{precision=8}; }`."""
        for name, quantization in graph.quantizations.items():
            precision = number(quantization.attributes.get("precision"))
            if quantization.operator.path == _CVM and quantization.operator.name == "cvm_clip" and precision:
                most = (1 << (precision - 1)) - 1
                for tensor in tensors_of(graph.tensors[name]) if name in graph.tensors else ():
                    self.quantized[tensor] = Range(-most, most)

    def read(self, value: TensorValue) -> Range | None:
        return union_of(value, self._tensor)

    def _tensor(self, tensor: Tensor) -> Range | None:
        return self.known.get(tensor) or self.quantized.get(tensor) or constant_range(tensor)

    def graph(self, graph: Graph) -> Iterator[Failure]:
        for operation in (*graph.operations, *graph.update_operations):
            self.operations += 1
            if self.operations > MOST_OPERATIONS:
                self.keep(operation.outputs, ())
                continue
            match operation.control:
                case Branch() as branch:
                    yield from self._branch(operation, branch)
                case Loop() as loop:
                    yield from self._loop(operation, loop)
                case None:
                    yield from self._operation(operation)

    def _operation(self, operation: Operation) -> Iterator[Failure]:
        operator = operation.operator
        assert operator is not None
        transfer = _transfer(operator.path, operator.name)
        if transfer is not None:
            self.has_precision |= operator.path == _CVM
            found = transfer(Operands(operation, self.read))
            known = found if isinstance(found, ResultRanges) else ResultRanges((found,))
            self.keep(operation.outputs, known.results)
            yield from (failure_at(operation, finding) for finding in known.findings)
        elif operation.body is not None and not is_library(operator.path):
            yield from self._composed(operation, operation.body)
        else:
            self.keep(operation.outputs, ())

    def _composed(self, operation: Operation, body: Graph) -> Iterator[Failure]:
        """Follow the body of an author's operator with the arguments of this invocation."""
        self.keep(tuple(body.inputs.values()), [*map(self.read, operation.inputs)])
        self.enter(body)
        site = Site(operation.place, f"'{operation.operator.name if operation.operator else ''}' is invoked here")
        for failure in self.graph(body):
            yield failure.via(site)
        self.keep(operation.outputs, self._results(body))

    def _branch(self, operation: Operation, branch: Branch) -> Iterator[Failure]:
        """Take each part of a branch as executed, since any may be."""
        for part in branch.parts.values():
            yield from self.graph(part)
        parts = [*(case.consequent for case in branch.cases), branch.alternative]
        self.keep(operation.outputs, [union(each) for each in zip(*map(self._results, parts), strict=True)])

    # ---- loops -------------------------------------------------------------------------------------------------------
    def _loop(self, operation: Operation, loop: Loop) -> Iterator[Failure]:
        """Execute a loop of known count iteration by iteration, any other until the ranges no longer change."""
        count = _count(loop)
        for each in loop.scanned:
            self.keep((each.local,), [self.read(each.source)])
        if loop.index is not None:
            self.keep((loop.index,), [None if count is None else Range(0, max(count - 1, 0))])
        begin = [self.read(each.source) for each in loop.carried]
        is_exact = count is not None and loop.before is None and loop.after is None
        execution = self._counted(loop, begin, count or 0) if is_exact else self._repeated(loop, begin)
        self.keep(operation.outputs, (yield from execution))

    def _iteration(self, loop: Loop, state: State) -> tuple[State, State, list[Failure]]:
        """Execute the body once; return the new ranges of the carried variables, other results, and the failures."""
        self.keep([each.local for each in loop.carried], state)
        failures = [failure for part in loop.parts.values() for failure in self.graph(part)]
        results = self._results(loop.body)
        return results[: len(state)], results[len(state) :], failures

    def _counted(self, loop: Loop, state: State, count: int) -> Generator[Failure, None, State]:
        """Execute a loop that nothing ends early; yield failures and return the ranges of its results."""
        collected: State | None = None
        states = [state]
        for done in range(count):
            after, results, failures = self._iteration(loop, states[-1])
            yield from (_after(loop, done, each) for each in failures)
            collected = results if collected is None else _joined(collected, results)
            states.append(after)
            if after == states[-2]:
                break
            if done == MOST_ITERATIONS:
                step = _equal_steps(states[-3:])
                found = None if step is None else self._extrapolated(loop, after, step, done + 1, count)
                if found is None:
                    return (yield from self._repeated(loop, reduce(_joined, states)))
                last, results, failures = found
                yield from failures
                return [*last, *_joined(collected, results)]
        return [*states[-1], *(collected or ())]

    def _extrapolated(
        self, loop: Loop, state: State, step: Sequence[Range | None], done: int, count: int
    ) -> tuple[State, State, list[Failure]] | None:
        """Return the results of the last iteration of a loop in which every range grows by the same step each time.

        A few iterations on the way check that the step stays the same. None if one of them has another step.
        """

        def probe(ahead: int) -> tuple[State, State, list[Failure]]:
            return self._iteration(loop, [_advanced(each, by, ahead) for each, by in zip(state, step, strict=True)])

        collected: State = [None] * (len(loop.body.outputs) - len(state))
        before = 0
        for at in range(1, PROBES + 1):
            ahead = (count - 1 - done) * at // PROBES
            after, results, failures = probe(ahead)
            collected = results if at == 1 else _joined(collected, results)
            if failures:
                first = bisect_left(range(before, ahead), True, key=lambda each: bool(probe(each)[2])) + before
                after, _, failures = probe(first)
                return after, collected, [_after(loop, done + first, each) for each in failures]
            if after != [_advanced(each, by, ahead + 1) for each, by in zip(state, step, strict=True)]:
                return None
            before = ahead
        return after, collected, []

    def _repeated(self, loop: Loop, state: State) -> Generator[Failure, None, State]:
        """Execute a loop until the ranges no longer change; yield failures and return the ranges of its results.

        A condition may be all that keeps a variable from growing, so a variable that grows twice has no range.
        """
        for done in count_from(0):
            after, results, failures = self._iteration(loop, state)
            joined = _joined(state, after)
            if done == 0 or joined == state:
                yield from failures
            if joined == state:
                return [*state, *results]
            grown = [None if new != old else new for old, new in zip(state, joined, strict=True)]
            state = joined if done == 0 else grown
        raise AssertionError("each time one more variable has no range")

    def _results(self, graph: Graph) -> State:
        return [self.read(value) for value in graph.outputs.values()]

    def keep(self, values: Sequence[TensorValue], ranges: Sequence[Range | None]) -> None:
        """Note the ranges of values; a value without a range in the list has none."""
        for value, range in zip_longest(values, ranges[: len(values)]):
            for tensor in tensors_of(value):
                found = range if tensor.dtype == "int" else None
                self.known[tensor] = found
                self.seen[tensor] = union((self.seen[tensor], found)) if tensor in self.seen else found


def _count(loop: Loop) -> int | None:
    """Return the number of iterations, unless a condition ends the loop; None if it is not known."""
    counts = [each.source.length.value if isinstance(each.source, Pack) else None for each in loop.scanned]
    match loop.count:
        case Integer() as count:
            counts.append(count.value)
        case None:
            pass
        case tensor:
            items = constant_items(tensor)
            counts.append(items[0] if items is not None else None)
    known = [each for each in counts if each is not None]
    return max(min(known), 0) if known and len(known) == len(counts) else None


def _joined(first: State, second: State) -> State:
    """Return the ranges that cover both states."""
    return [union(each) for each in zip(first, second, strict=True)]


def _equal_steps(states: Sequence[State]) -> list[Range | None] | None:
    """Return the change of each range between states if that is the same each time; None otherwise."""
    steps = [[_step(*each) for each in zip(one, other, strict=True)] for one, other in pairwise(states)]
    return steps[0] if all(each == steps[0] for each in steps) else None


def _step(before: Range | None, after: Range | None) -> Range | None:
    return None if before is None or after is None else Range(after.least - before.least, after.most - before.most)


def _advanced(range: Range | None, step: Range | None, times: int) -> Range | None:
    if range is None or step is None:
        return None
    return Range(range.least + times * step.least, range.most + times * step.most)


def _after(loop: Loop, done: int, failure: Failure) -> Failure:
    """Return a failure with the number of iterations before it, and the names of nested loops.

    A failure in the first iteration needs no number.
    """
    if done == 0:
        return failure
    variables = (tensor.name for each in (*loop.carried, *loop.scanned) for tensor in tensors_of(each.local))
    variable = next(variables, "").rpartition(".")[2]
    after = f"after {counted(f'{done:,}', 'iteration')} of the loop over '{variable}'"
    rest = failure.message
    is_nested = rest.startswith("after ")
    return replace(failure, message=f"{after} and {rest.removeprefix('after ')}" if is_nested else f"{after}, {rest}")


def failure_at(operation: Operation, finding: Finding) -> Failure:
    """Return a finding at the invocation that it is about."""
    assert operation.operator is not None
    module = operation.operator.path.rpartition(":")[2]
    site = Site(operation.place, f"'{module}.{operation.operator.name}' is invoked here")
    return Failure(finding.rule, finding.message, (site,))


def _transfer(path: str, name: str) -> Transfer | None:
    module = _LIBRARIES.get(path)
    if module is None:
        return None
    found: Transfer | None = import_module(f"snd_analysis.formats.{module}_ranges").TRANSFERS.get(name)
    return found
