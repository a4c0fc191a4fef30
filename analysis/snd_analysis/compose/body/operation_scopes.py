"""The scopes of operations in a composed body, and the tensors below them (2.10, Labelling)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set

from msgspec.structs import replace

from snd_analysis.compose.body.scoped_names import quantized_name
from snd_analysis.compose.specialization import Specialization, specialization_of
from snd_analysis.model import Graph, Operation, Quantization, TensorValue


def scope_of(operation: Operation, around: str) -> str:
    """Return the scope of an operation's invocation: that of its label.

    A graph without a label is the root of its names.
    """
    callee = specialization_of(operation)
    if callee is not None and callee.template.is_graph and not operation.labelled:
        return callee.template.name.name
    return around if operation.label is None else joined(around, operation.label)


def passes_scope_on(body: Graph) -> bool:
    """Return whether the only invocation of a body has no scope of its own, unless it has a label (2.10, Labelling)."""
    if len(body.operations) != 1 or body.variables or body.constants or body.update_operations:
        return False
    only = body.operations[0]
    in_block_or_loop = only.label is not None and ("." in only.label or "[" in only.label)
    return only.operator is not None and not in_block_or_loop


def with_scopes(body: Graph) -> tuple[Operation, ...]:
    """Return the operations of a body, with the scopes that they have in it."""
    if not passes_scope_on(body) or body.operations[0].labelled:
        return body.operations
    return (replace(body.operations[0], label=None),)


def tensors_below(
    operations: Iterable[Operation], wanted: Set[str], scope: str = ""
) -> Iterator[tuple[str, TensorValue]]:
    """Yield the tensors below operations whose names, as ``@quantize`` has them, are wanted, with these names."""
    for operation in operations:
        for part in operation.subgraphs.values():
            yield from _wanted(part.tensors.items(), wanted, scope)
            yield from tensors_below(part.operations, wanted, scope)
        callee = specialization_of(operation)
        if callee is None:
            continue
        inner = scope_of(operation, scope)
        below = f"{quantized_name(inner)}." if inner else ""
        if not any(name.startswith(below) for name in wanted):
            continue
        yield from _wanted((*callee.variables.items(), *callee.constants.items()), wanted, inner)
        if callee.body is not None:
            made = ((name, value) for name, value in callee.body.tensors.items() if name not in callee.variables)
            yield from _wanted(made, wanted, inner)
            yield from tensors_below((*with_scopes(callee.body), *callee.body.update_operations), wanted, inner)


def specializations_below(
    specialization: Specialization, wanted: Callable[[Specialization], object], is_root: bool = True
) -> Iterator[tuple[str, Specialization]]:
    """Yield a definition and everything below it that is ``wanted``, with the scopes.

    The only invocation of the root keeps its label, ``y.w``; that of an operator's body passes the scope of the
    operator on, unless ``is_root`` (2.10, Labelling). Parts that lead to nothing wanted are not walked: operators that
    invoke others twice have more scopes than can be visited.
    """
    known: dict[int, bool] = {}

    def leads_there(callee: Specialization) -> bool:
        if id(callee) not in known:
            known[id(callee)] = bool(wanted(callee)) or any(
                leads_there(each) for _, each in _callees(callee, "", False)
            )
        return known[id(callee)]

    pending = [("", specialization)]
    while pending:
        scope, callee = pending.pop()
        if leads_there(callee):
            if wanted(callee):
                yield scope, callee
            pending += reversed([*_callees(callee, scope, is_root and callee is specialization)])


def _callees(callee: Specialization, scope: str, is_root: bool) -> Iterator[tuple[str, Specialization]]:
    if callee.body is not None:
        operations = callee.body.operations if is_root else with_scopes(callee.body)
        yield from _invoked((*operations, *callee.body.update_operations), scope)


def _invoked(operations: Iterable[Operation], scope: str) -> Iterator[tuple[str, Specialization]]:
    for operation in operations:
        for part in operation.subgraphs.values():
            yield from _invoked(part.operations, scope)
        callee = specialization_of(operation)
        if callee is not None:
            yield scope_of(operation, scope), callee


def variables_below(specialization: Specialization) -> Iterator[tuple[str, TensorValue]]:
    """Yield the variables of a definition and of all that it invokes, as declared, by scoped names.

    The first variable of a name counts.
    """
    for scope, callee in specializations_below(specialization, lambda each: each.variables):
        for name, value in callee.variables.items():
            yield joined(scope, name), value


def quantizations_below(graph: Graph) -> dict[str, Quantization]:
    """Return the quantizations of tensors of a graph and of invoked definitions, by scoped names (2.14).

    Entries of the outer definition have priority.
    """
    found = dict(graph.quantizations)
    known: dict[int, bool] = {}

    def quantizes(body: Graph) -> bool:
        if id(body) not in known:
            known[id(body)] = bool(body.quantizations) or any(
                quantizes(inner) for operation in _operations(body) for inner in _bodies(operation)
            )
        return known[id(body)]

    def enter(operations: Iterable[Operation], scope: str) -> None:
        for operation in operations:
            for part in operation.subgraphs.values():
                if quantizes(part):
                    enter((*part.operations, *part.update_operations), scope)
            body = operation.body
            if body is not None and quantizes(body):
                inner = scope_of(operation, scope)
                for name, each in body.quantizations.items():
                    found.setdefault(quantized_name(joined(inner, name)), each)
                enter(_operations(body), inner)

    enter((*graph.operations, *graph.update_operations), "")
    return found


def _operations(body: Graph) -> Iterator[Operation]:
    yield from with_scopes(body)
    yield from body.update_operations


def _bodies(operation: Operation) -> Iterator[Graph]:
    yield from operation.subgraphs.values()
    if operation.body is not None:
        yield operation.body


def _wanted(
    named: Iterable[tuple[str, TensorValue]], wanted: Set[str], scope: str
) -> Iterator[tuple[str, TensorValue]]:
    for name, value in named:
        scoped = quantized_name(joined(scope, name))
        if scoped in wanted:
            yield scoped, value


def joined(scope: str, name: str) -> str:
    """Return a name below a scope, which is empty at the top."""
    return f"{scope}.{name}" if scope else name
