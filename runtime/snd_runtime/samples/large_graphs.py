"""Comparison of graphs before and after an edit by their operations, which takes less time than to run large ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.compose import Session, Specialization, Template, compose_root
from snd_analysis.ide.evaluation import is_small_graph
from snd_analysis.ide.refactoring import ProvedOperator, Version, moved_by_same_operations
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.values import Value
from snd_analysis.workspace import Snapshot
from snd_runtime.evaluation.binding import fitting_shapes
from snd_runtime.evaluation.distinct_sizes import distinct_inputs, generated_shapes, has_open_sizes, numbers_in
from snd_runtime.evaluation.request import EvaluationRequest
from snd_runtime.evaluation.tensors import InvalidRequest, KnownShapes
from snd_runtime.execution import value_of
from snd_runtime.limits import TimeOverError
from snd_runtime.samples.attribute_choices import different_attributes
from snd_runtime.samples.limits import MOST_COMPOSITIONS, MOST_FAILING_SIZES
from snd_runtime.samples.request import SampleRequest
from snd_runtime.values import PlainValue

_SEARCH_SECONDS = 0.5
"""CPU time for finding shapes where no pairwise different primes fit."""


class SameOperations(Struct, frozen=True):
    """Number of choices of attributes and sizes for which two versions of a graph have the same operations.

    ``moved`` are the variables that have another scope after the edit: new scoped names by the old ones.
    """

    compositions: int
    moved: Mapping[str, str]
    cases: tuple[str, ...]
    """Shapes of the inputs, as ``image[2,3,5,7]``, where the declarations leave them open."""
    is_large: bool
    """True if it takes long to run the graph with one of these sizes."""


def same_operations(
    before: Snapshot,
    after: Snapshot,
    names: tuple[OperatorName, OperatorName],
    around: SampleRequest,
    parameters: Mapping[str, str | None],
    proved: ProvedOperator | None,
    moves_variables: bool,
) -> SameOperations | None:
    """Compare a graph by its operations; None for operators, and where that is unclear.

    The graph is composed for the defaults of its attributes, and for other values of them. Open extents are pairwise
    different primes. If the time is over, the compositions so far count.
    """
    template, other = before.template(names[0]), after.template(names[1])
    if template is None or other is None or template.errors or other.errors or not template.is_graph:
        return None
    moved: dict[str, str] = {}
    cases: list[str] = []
    count, any_large = 0, False
    try:
        for attributes, shapes, one in islice(_compositions(before, template, around), MOST_COMPOSITIONS):
            new = {name: value for old, value in attributes.items() if (name := parameters.get(old, old)) is not None}
            inputs = {name: value for old, value in shapes.items() if (name := parameters.get(old, old)) is not None}
            two = compose_root(after.session(), other, new, {}, inputs)
            versions = Version(before, one), Version(after, two)
            found = moved_by_same_operations(*versions, parameters, proved, moves_variables)
            if found is None:
                return None
            moved.update(found)
            cases += [_shown(shapes)] if shapes else []
            any_large = any_large or not is_small_graph(one)
            count += 1
    except TimeOverError:
        if not count:
            raise
    return SameOperations(count, moved, tuple(dict.fromkeys(cases)), any_large) if count else None


_Attributes: TypeAlias = "Mapping[str, Value]"
_Shapes: TypeAlias = "Mapping[str, KnownShapes]"


def _compositions(
    snapshot: Snapshot, template: Template, around: SampleRequest
) -> Iterator[tuple[_Attributes, _Shapes, Specialization]]:
    """Yield a graph composed for attributes and shapes of its inputs; no shapes where the declarations tell them.

    The first attributes are looked at with two choices of sizes.
    """
    session, is_first = snapshot.session(), True
    for attributes in chain(({},), different_attributes(template)) if template.attributes else ({},):
        given = {name: value_of(value) for name, value in attributes.items()}
        root = compose_root(session, template, given, {}, {})
        if not is_first and (not root.valid or root.failures):
            continue
        if not has_open_sizes(root):
            yield given, {}, root
        else:
            sized = islice(_sized(session, template, root, given), 2 if is_first else 1)
            first = next(sized, None)
            if first is not None:
                yield from chain((first,), sized)
            elif is_first:
                yield from _searched(session, template, attributes, around)
        is_first = False


def _sized(
    session: Session, template: Template, root: Specialization, given: _Attributes
) -> Iterator[tuple[_Attributes, _Shapes, Specialization]]:
    """Yield a graph composed for shapes whose extents are pairwise different primes, as far as it allows them."""
    taken = {number for name, value in root.attributes.items() for number in numbers_in(name, value).values()}
    for inputs in islice(distinct_inputs(root, taken), MOST_FAILING_SIZES):
        shapes = {name: generated_shapes(value) for name, value in inputs.items()}
        one = compose_root(session, template, given, {}, shapes)
        if one.valid and not one.failures:
            yield given, shapes, one


def _searched(
    session: Session, template: Template, attributes: Mapping[str, PlainValue], around: SampleRequest
) -> Iterator[tuple[_Attributes, _Shapes, Specialization]]:
    """Yield a graph composed for the smallest shapes that are found."""
    request = EvaluationRequest(template.name, attributes, seed=around.seed)
    with suppress(InvalidRequest):
        shapes = fitting_shapes(session, template, request, around.real, _SEARCH_SECONDS)
        given = {name: value_of(value) for name, value in attributes.items()}
        yield given, shapes, compose_root(session, template, given, {}, shapes)


def _shown(shapes: _Shapes) -> str:
    items = ((name, each) for name, value in shapes.items() for each in (value or ())[:1])
    return ", ".join(f"{name}[{','.join(map(str, shape))}]" for name, shape in items)


def is_large(snapshot: Snapshot, name: OperatorName) -> bool:
    """Return whether a definition is a graph that takes long to run."""
    template, specialization = snapshot.template(name), snapshot.specialization(name)
    if template is None or specialization is None or not template.is_graph:
        return False
    return not is_small_graph(specialization)
