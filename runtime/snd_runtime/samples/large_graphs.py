"""Comparison of graphs before and after an edit by their operations, which takes less time than to run large ones."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, islice

from msgspec import Struct

from snd_analysis.compose import compose_root
from snd_analysis.ide.evaluation import is_small_graph
from snd_analysis.ide.refactoring import ProvedOperator, Version, moved_by_same_operations
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot
from snd_runtime.execution import value_of
from snd_runtime.samples.attribute_choices import different_attributes
from snd_runtime.samples.limits import MOST_COMPOSITIONS


class SameOperations(Struct, frozen=True):
    """Number of choices of attributes for which two versions of a graph have the same operations.

    ``moved`` are the variables that have another scope after the edit: new scoped names by the old ones.
    """

    compositions: int
    moved: Mapping[str, str]


def same_operations(
    before: Snapshot,
    after: Snapshot,
    names: tuple[OperatorName, OperatorName],
    parameters: Mapping[str, str | None],
    proved: ProvedOperator | None,
    moves_variables: bool,
) -> SameOperations | None:
    """Compare a graph by its operations; None for operators, and where that is unclear.

    The graph is composed for the defaults of its attributes, and for other values of them.
    """
    template, other = before.template(names[0]), after.template(names[1])
    if template is None or other is None or template.errors or other.errors or not template.is_graph:
        return None
    moved: dict[str, str] = {}
    count = 0
    choices = chain(({},), different_attributes(template)) if template.attributes else ({},)
    for attributes in islice(choices, MOST_COMPOSITIONS):
        given = {name: value_of(value) for name, value in attributes.items()}
        one = compose_root(before.session(), template, given, {}, {})
        if count and (not one.valid or one.failures):
            continue
        new = {name: value for old, value in given.items() if (name := parameters.get(old, old)) is not None}
        two = compose_root(after.session(), other, new, {}, {})
        found = moved_by_same_operations(Version(before, one), Version(after, two), parameters, proved, moves_variables)
        if found is None:
            return None
        moved.update(found)
        count += 1
    return SameOperations(count, moved)


def is_large(snapshot: Snapshot, name: OperatorName) -> bool:
    """Return whether a definition is a graph that takes long to run."""
    template, specialization = snapshot.template(name), snapshot.specialization(name)
    if template is None or specialization is None or not template.is_graph:
        return False
    return not is_small_graph(specialization)
