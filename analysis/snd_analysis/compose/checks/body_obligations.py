"""The obligations that the operations of a body bring, and the conditions under which control flow runs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from snd_analysis.compose.checks.obligations import Obligation, obligations_of_value
from snd_analysis.compose.specialization import Specialization, specialization_of
from snd_analysis.compose.template import Template
from snd_analysis.model import Branch, Graph, Loop, Operation
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import Pack

Path: TypeAlias = "tuple[Truth, ...]"
"""The conditions under which control flow leads somewhere, as far as extents and attributes decide them."""


def invokes_obligations(template: Template, operations: Iterable[Operation]) -> bool:
    """Return whether operations of a definition, or definitions that they invoke, have obligations."""
    for operation in operations:
        inner = specialization_of(operation)
        if inner is not None and (inner.obligations or inner.invokes_obligations):
            return True
        if not template.in_library and any(True for _ in _in_operation(operation)):
            return True
        for _, part in _parts(operation):
            if invokes_obligations(template, (*part.operations, *part.update_operations)):
                return True
    return False


def operations_by_path(graph: Graph | None, path: Path) -> Iterator[tuple[Operation, Path]]:
    for operation in (*graph.operations, *graph.update_operations) if graph is not None else ():
        yield operation, path
        for condition, part in _parts(operation):
            yield from operations_by_path(part, path if condition is shapes.TRUE else (*path, condition))


def _parts(operation: Operation) -> Iterator[tuple[Truth, Graph]]:
    """Yield the parts of control flow, each with the known condition under which it runs."""
    control = operation.control
    if isinstance(control, Branch):
        before: Truth = shapes.TRUE
        for case in control.cases:
            if isinstance(case.condition, Graph):
                yield before, case.condition
            holds = case.condition if isinstance(case.condition, Truth) else None
            yield before if holds is None else shapes.and_(before, holds), case.consequent
            before = before if holds is None else shapes.and_(before, shapes.not_(holds))
        yield before, control.alternative
    elif isinstance(control, Loop):
        lengths = [each.source.length for each in control.scanned if isinstance(each.source, Pack)]
        counts = [*lengths, *([control.count] if isinstance(control.count, Integer) else ())]
        any_ = shapes.and_(*(shapes.compare(">", count, 0) for count in counts))
        yield from ((any_, part) for part in control.parts.values())


def obligations_in_body(specialization: Specialization) -> Iterator[Obligation]:
    """Yield the divisors in attributes of invocations, and in conditions of branches."""
    if specialization.template.in_library:
        return
    for operation, _ in operations_by_path(specialization.body, ()):
        yield from _in_operation(operation)


def _in_operation(operation: Operation) -> Iterator[Obligation]:
    for name, value in operation.attributes.items():
        yield from obligations_of_value(value, f"in the attribute '{name}'", operation.place)
    if isinstance(operation.control, Branch):
        for case in operation.control.cases:
            if isinstance(case.condition, Truth):
                yield from obligations_of_value(case.condition, "in a condition", operation.place)
