"""Failures of invocations on tensors whose elements are known before the run (2.12).

A literal or a constant in the position of a tensor does not depend on data: an index from it is out of bounds in every
run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from msgspec.structs import replace

from snd_analysis.compose.bind.destructuring import IndexedValue
from snd_analysis.compose.checks.formula_values import failing_formula_value
from snd_analysis.compose.failure import Failure, Site, with_origins
from snd_analysis.compose.formulas import (
    Elements,
    FormulaFailed,
    FormulaTensors,
    computed_elements,
    elaborate,
    scalar_of,
)
from snd_analysis.compose.limits import MOST_POINTS
from snd_analysis.compose.specialization import Specialization, specialization_of, written_call
from snd_analysis.compose.template import Template
from snd_analysis.model import Callee, Graph, Operation, Tensor, TensorKind, tensors_of
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import is_format_library
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import Pack, Value

_Known = dict[Tensor, Elements]


def failing_known_elements(root: Specialization) -> Iterator[Failure]:
    """Yield failures of operations below a root on literals and constants, each at its innermost place."""
    if root.body is not None:
        found = _Walk().below(root.body, {})
        yield from (with_origins(root.template, each) for each in found) if root.template.origins else found


class _Walk:
    """A walk through the operations of a root, and into their bodies; a body without known elements is visited once."""

    def __init__(self) -> None:
        self._done: set[Callee | None] = set()
        """Callees that were checked without known elements."""

    def below(self, graph: Graph, given: Mapping[Tensor, Elements]) -> Iterator[Failure]:
        """Yield failures of a graph whose inputs have the elements that are given."""
        known = {**given, **_stored(tensor for value in graph.constants.values() for tensor in tensors_of(value))}
        yield from self._in(graph, known, given)

    def _in(self, graph: Graph, known: _Known, given: Mapping[Tensor, Elements]) -> Iterator[Failure]:
        """Yield the same for a part, and add the elements of further tensors to the known ones."""
        for operation in (*graph.operations, *graph.update_operations):
            if operation.callee in self._done and not _may_know(operation, known):
                continue  # as most operations of a long graph
            for part in operation.subgraphs.values():
                yield from self._in(part, known, given)
            callee = specialization_of(operation)
            if callee is not None and callee.valid:
                yield from self._of_invocation(operation, callee, known, given)

    def _of_invocation(
        self, operation: Operation, callee: Specialization, known: _Known, given: Mapping[Tensor, Elements]
    ) -> Iterator[Failure]:
        arguments = [tensor for value in operation.inputs for tensor in tensors_of(value)]
        known.update(_stored(tensor for tensor in arguments if tensor not in known))
        formal = [tensor for value in callee.inputs for tensor in tensors_of(value)]
        pairs = [pair for pair in zip(formal, arguments, strict=False) if pair[1] in known]
        inner = {one: known[other] for one, other in pairs}
        found: Iterable[Failure] = ()
        if callee.template.formulas:
            # Operators of other formats report operations beyond their ranges themselves.
            is_judged = inner and not _is_of_format(callee.template)
            failure = failing_formula_value(callee, inner) if is_judged else None
            if failure is not None:
                message = f"in '{_name(operation, callee)}': {failure.message}"
                found = (replace(failure, message=message),)
            elif inner or not arguments:
                known.update(_computed(operation, callee, inner))
        elif callee.body is not None and (inner or not (callee.template.in_library or callee in self._done)):
            found = self.below(callee.body, inner)
        if not inner:
            self._done.add(callee)
        for each in found:
            site = _site(operation, callee, each.responsible)
            if not each.responsible:
                yield each.via(site)
                continue
            # The source of the elements is to blame: here, or at the invocation of this body.
            names = tuple(tensor.name for one, tensor in pairs if one.name in each.responsible and tensor in given)
            yield replace(each, sites=(site,), related=(*each.sites, *each.related), responsible=names)


def _may_know(operation: Operation, known: _Known) -> bool:
    """Return whether the elements of an input may be known; also true for an operator without inputs."""
    for value in operation.inputs:
        if not isinstance(value, Tensor) or value in known:
            return True
        if value.kind is TensorKind.CONSTANT and value.dtype != "real":
            return True
    return not operation.inputs


def _is_of_format(template: Template) -> bool:
    return is_format_library(template.name.path)


def _stored(tensors: Iterable[Tensor]) -> _Known:
    """Return the elements of tensors of ints or bools that are literals or constants."""
    known = {}
    for tensor in tensors:
        if tensor.kind is TensorKind.CONSTANT and tensor.dtype in ("int", "bool"):
            elements = _elements(tensor.value)
            if elements is not None:
                known[tensor] = elements
    return known


def _elements(value: Value | None) -> Elements | None:
    match value:
        case IndexedValue():
            try:
                return _all_of([*islice(value.elements(), MOST_POINTS + 1)])
            except EvaluationError:
                return None
        case Pack():
            return None if value.items is None else _all_of(value.items)
    return None if value is None else scalar_of(value)


def _all_of(values: Iterable[Value]) -> Elements | None:
    found = [scalar_of(each) for each in values]
    return (
        tuple(each for each in found if each is not None)
        if 0 < len(found) <= MOST_POINTS and None not in found
        else None
    )


def _computed(operation: Operation, callee: Specialization, inner: Mapping[Tensor, Elements]) -> _Known:
    """Return the elements of results that depend on known elements alone."""
    found: _Known = {}
    outputs = [each for each in operation.outputs if isinstance(each, Tensor) and each.dtype in ("int", "bool")]
    if not outputs:
        return found
    try:
        tensors = FormulaTensors(callee)
        known = {slot: inner[tensor] for slot, tensor in tensors.sources.items() if tensor in inner}
        formulas = [*elaborate(callee, tensors)]
        for output, formal in zip(operation.outputs, callee.outputs, strict=True):
            if isinstance(output, Tensor) and isinstance(formal, Tensor):
                elements = computed_elements(formulas, tensors.slots[formal], known)
                if elements is not None:
                    found[output] = elements
    except (FormulaFailed, EvaluationError):
        return {}
    return found


def _site(operation: Operation, callee: Specialization, responsible: Collection[str]) -> Site:
    """Return the place of an invocation, or of the only argument that can cause the failure."""
    call = written_call(operation.place)
    place = operation.place
    to_blame = [
        argument
        for argument, value in zip(() if call is None else call.arguments, callee.inputs, strict=False)
        if any(tensor.name in responsible for tensor in tensors_of(value)) and not isinstance(argument, nodes.Tilde)
    ]
    if len(to_blame) == 1:
        place = replace(place, span=to_blame[0].span.shifted(place.start))
    return Site(place, f"'{_name(operation, callee)}' is invoked here")


def _name(operation: Operation, callee: Specialization) -> str:
    """Return an operator as its invocation writes it."""
    call = written_call(operation.place)
    return callee.template.shown if call is None else call.function.text
