"""Comparison of two composed definitions by their operations, where evaluation takes too long.

Both are taken apart into operators without a composition. If the same operators are applied to the same tensors with
the same attributes, the results are equal for all values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.compose import Specialization, decompose, specialization_of
from snd_analysis.model import Branch, ControlFlow, Graph, Loop, Operation, Tensor, TensorKind, tensors_of
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, is_library
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer
from snd_analysis.symbolic.values import NULL, ItemRun, Pack, Value
from snd_analysis.workspace import Snapshot

_Key: TypeAlias = "tuple[object, ...]"
_RANDOM = f"{LIBRARY_PREFIX}rand"


class _Unclear(Exception):  # noqa: N818 - it is an answer
    """Definitions that can't be compared by their operations."""


class Version(Struct, frozen=True):
    """A definition with everything bound, in the files before or after an edit."""

    snapshot: Snapshot
    specialization: Specialization


class ProvedOperator(Struct, frozen=True):
    """An operator that computes the same before and after an edit, perhaps by another name and by other parameters."""

    before: OperatorName
    after: OperatorName
    parameters: Mapping[str, str | None]
    """The new names of parameters by the old ones; None for a parameter that is removed."""


def moved_by_same_operations(
    before: Version, after: Version, parameters: Mapping[str, str | None], proved: ProvedOperator | None, moves: bool
) -> Mapping[str, str] | None:
    """Return the variables that have other names in ``after``; None if the operations are not the same, or unclear.

    ``parameters`` are the new names of the inputs. With ``moves``, variables may have other names.
    """
    try:
        graphs = [_flat(before), _flat(after)]
        moved = _moved(*graphs) if moves else {}
        known: dict[_Key, int] = {}
        names = {**moved, **_moved_items(graphs[0], graphs[1], moved)}
        one = _Numbers(before.snapshot, known, proved, names, is_before=True).of_graph(graphs[0], parameters)
        other = _Numbers(after.snapshot, known, proved, {}, is_before=False).of_graph(graphs[1], {})
    except _Unclear:
        return None
    return moved if one == other else None


def _flat(version: Version) -> Graph:
    body = version.specialization.body
    if body is None or not version.specialization.valid:
        raise _Unclear
    return decompose(body, lambda _: True, version.specialization.template.name.path)


def _moved(before: Graph, after: Graph) -> dict[str, str]:
    """Return the new names of the variables that the edit renames; it keeps their order."""
    gone = [each for each in before.variables if each not in after.variables]
    come = [each for each in after.variables if each not in before.variables]
    if len(gone) != len(come) or not before.updates.keys().isdisjoint(gone):
        raise _Unclear
    return dict(zip(gone, come, strict=True))


def _moved_items(before: Graph, after: Graph, moved: Mapping[str, str]) -> dict[str, str]:
    """Return the new names of the tensors in packs of variables that the edit renames."""
    found: dict[str, str] = {}
    for old, new in moved.items():
        items = [[each.name for each in tensors_of(one.variables[name])] for one, name in ((before, old), (after, new))]
        if len(items[0]) != len(items[1]):
            raise _Unclear
        found.update(zip(*items, strict=True))
    return found


class _Numbers:
    """Numbers of tensors: two tensors that are computed in the same way have the same number."""

    def __init__(
        self,
        snapshot: Snapshot,
        known: dict[_Key, int],
        proved: ProvedOperator | None,
        variables: Mapping[str, str],
        *,
        is_before: bool,
    ) -> None:
        self._snapshot = snapshot
        self._known = known
        self._proved = proved
        self._variables = variables
        self._is_before = is_before
        self._numbers: dict[Tensor, int] = {}
        self._depth = 0

    def of_graph(self, graph: Graph, parameters: Mapping[str, str | None]) -> object:
        """Return the numbers of the outputs and the updates of a graph, and the names of its variables."""
        for name, value in graph.inputs.items():
            for at, tensor in enumerate(tensors_of(value)):
                new = parameters.get(name, name)
                self._numbers[tensor] = self._number(("input", new, at, _quantization(tensor)))
        return self._of_body(graph), frozenset(self._variables.get(each, each) for each in graph.variables)

    def _of_body(self, graph: Graph) -> object:
        self._operations(graph.operations)
        outputs = [(name, self._values(value)) for name, value in graph.outputs.items()]
        self._operations(graph.update_operations)
        named = ((self._variables.get(name, name), value) for name, value in graph.updates.items())
        updates = {name: self._values(value) for name, value in named}
        return tuple(outputs), frozenset(updates.items())

    def _number(self, key: _Key) -> int:
        return self._known.setdefault(key, len(self._known))

    def _values(self, value: Value) -> object:
        match value:
            case Tensor():
                return self._of_tensor(value)
            case Pack() if not any(isinstance(each, ItemRun) for each in value.segments):
                return tuple(self._values(each) for each in value.elements)
            case _ if value is NULL:
                return None
        raise _Unclear

    def _of_tensor(self, tensor: Tensor) -> int:
        if tensor not in self._numbers:
            match tensor.kind:
                case TensorKind.VARIABLE:
                    name = self._variables.get(tensor.name, tensor.name)
                    key: _Key = ("variable", name, _shape(tensor), _quantization(tensor))
                case TensorKind.CONSTANT if tensor.value is not None:
                    key = ("constant", tensor.dtype, _shape(tensor), _plain(tensor.value), _quantization(tensor))
                case _:
                    raise _Unclear
            self._numbers[tensor] = self._number(key)
        return self._numbers[tensor]

    # ---- operations --------------------------------------------------------------------------------------------------
    def _operations(self, operations: Sequence[Operation]) -> None:
        for operation in operations:
            key = self._invocation(operation) if operation.control is None else self._control(operation.control)
            for at, value in enumerate(operation.outputs):
                for item, tensor in enumerate(tensors_of(value)):
                    self._numbers[tensor] = self._number((*key, at, item, _quantization(tensor)))

    def _invocation(self, operation: Operation) -> _Key:
        callee = specialization_of(operation)
        if operation.operator is None or callee is None or callee.body is not None or callee.variables:
            raise _Unclear
        new = self._new_names(operation.operator)
        names = [new.get(each.name, each.name) for each in callee.template.inputs]
        inputs = {name: self._values(value) for name, value in zip(names, operation.inputs, strict=False)}
        attributes = {new.get(name, name): _plain(value) for name, value in callee.attributes.items()}
        return (
            "invocation",
            self._operator(operation.operator),
            frozenset(operation.dtypes.items()),
            frozenset((name, value) for name, value in attributes.items() if name is not None),
            frozenset((name, value) for name, value in inputs.items() if name is not None and value is not None),
        )

    def _new_names(self, name: OperatorName) -> Mapping[str, str | None]:
        is_proved = self._is_before and self._proved is not None and name == self._proved.before
        return self._proved.parameters if is_proved and self._proved is not None else {}

    def _operator(self, name: OperatorName) -> object:
        """Return a key that operators without a composition have in common only if they compute the same."""
        if self._proved is not None and name == (self._proved.before if self._is_before else self._proved.after):
            return self._proved.after
        if is_library(name.path) and name.path != _RANDOM:
            return name
        found = self._snapshot.definitions(name.path).get(name.name)
        blocks = () if found is None else found.definition.blocks
        has_formulas = any(isinstance(each, nodes.Block) and each.kind is nodes.BlockKind.LOWER for each in blocks)
        if found is None or not has_formulas:
            raise _Unclear
        start, end = found.start + found.definition.name.end, found.start + found.definition.end
        return self._snapshot.source(name.path).text[start:end]

    def _control(self, control: ControlFlow) -> _Key:
        if isinstance(control, Loop):
            return self._loop(control)
        return self._branch(control)

    def _branch(self, branch: Branch) -> _Key:
        cases = []
        for each in branch.cases:
            if not isinstance(each.condition, Graph):
                raise _Unclear
            cases.append((self._of_body(each.condition), self._of_body(each.consequent)))
        return "branch", tuple(cases), self._of_body(branch.alternative)

    def _loop(self, loop: Loop) -> _Key:
        self._depth += 1
        sources = []
        for at, each in enumerate((*loop.carried, *loop.scanned)):
            sources.append(self._values(each.source))
            for item, tensor in enumerate(tensors_of(each.local)):
                self._numbers[tensor] = self._number(("local", self._depth, at, item, tensor.dtype))
        if loop.index is not None:
            self._numbers[loop.index] = self._number(("index", self._depth))
        count = loop.count
        counted = None if count is None else _plain(count) if isinstance(count, Integer) else self._values(count)
        parts = [None if each is None else self._of_body(each) for each in (loop.before, loop.after, loop.body)]
        self._depth -= 1
        return "loop", len(loop.carried), tuple(sources), counted, *parts


# ---- values ----------------------------------------------------------------------------------------------------------
def _shape(tensor: Tensor) -> object:
    if tensor.shape is None:
        raise _Unclear
    return tuple(_segment(each) for each in tensor.shape)


def _plain(value: Value) -> object:
    """Return a value that depends on no unknown size; values of different types are different."""
    match value:
        case Integer(value=int(number)):
            return number, "int"
        case float() | str():
            return repr(value)  # tells -0.0 from 0.0
        case Pack():
            return value.dtype, tuple(map(_segment, value.segments))
        case _ if value is TRUE or value is FALSE or value is NULL:
            return value
    raise _Unclear


def _segment(segment: Value | ItemRun) -> object:
    return ("run", _plain(segment.length), _plain(segment.element)) if isinstance(segment, ItemRun) else _plain(segment)


def _quantization(tensor: Tensor) -> object:
    found = tensor.quantization
    if found is None:
        return None
    return found.operator, found.dtypes, frozenset((name, _plain(value)) for name, value in found.attributes.items())
