"""Two variables or constants of one scoped name (2.10, Labelling): a graph is the root of its own names.

Labels (``Naming``) distinguish the names of operators. A graph that control flow invokes without a label has its own
name at every invocation, so its variables are one set, and must be alike.
"""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis import rules
from snd_analysis.compose.body.operation_scopes import scope_of, with_scopes
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.limits import MOST_OPERATIONS
from snd_analysis.compose.session import Session
from snd_analysis.compose.specialization import Specialization, specialization_of, tensor_text
from snd_analysis.compose.template import Template
from snd_analysis.model import Graph, Operation, Place, TensorValue, tensors_of


def name_clash(session: Session, root: Specialization) -> Failure | None:
    """Return the first variable or constant below a root that has the name of a different one; None if none has."""
    graphs = [each for each in session.reached(root.template) if each.is_graph and each is not root.template]
    if root.body is None or not any(_has_members(session, each) for each in graphs):
        return None
    known: dict[str, tuple[TensorValue, Place]] = {}
    for name, value, place in _Members().below(root, root.body, "", None):
        first = known.setdefault(name, (value, place))
        if not _alike(first[0], value):
            message = (
                f"two tensors would be named '{name}': {_text(first[0])} and {_text(value)}; "
                "a label before the invocation of a graph gives its tensors names of their own"
            )
            sites = Site(place, "invoked here"), Site(first[1], "the other is invoked here")
            return Failure(rules.DUPLICATE_LABEL, message, sites[:1], sites[1:])
    return None


def _has_members(session: Session, template: Template) -> bool:
    return any(each.variables or each.constants for each in session.reached(template))


class _Members:
    """The variables and constants below a graph, as far as a flat graph shows its operations."""

    def __init__(self) -> None:
        self._room = MOST_OPERATIONS

    def below(
        self, specialization: Specialization, body: Graph, scope: str, place: Place | None
    ) -> Iterator[tuple[str, TensorValue, Place]]:
        """Yield the members below a body, with their scoped names and where the root leads to them."""
        for name, value in (*specialization.variables.items(), *specialization.constants.items()):
            at = place or next((each.place for each in tensors_of(value) if each.place is not None), None)
            if at is not None:
                yield f"{scope}.{name}" if scope else name, value, at
        for operation in (*with_scopes(body), *body.update_operations):
            yield from self._of_operation(operation, scope, place)

    def _of_operation(
        self, operation: Operation, scope: str, place: Place | None
    ) -> Iterator[tuple[str, TensorValue, Place]]:
        if self._room <= 0:
            return
        self._room -= 1
        callee = specialization_of(operation)
        if callee is not None and callee.body is not None:
            yield from self.below(callee, callee.body, scope_of(operation, scope), place or operation.place)
        for part in operation.subgraphs.values():
            for inner in part.operations:
                yield from self._of_operation(inner, scope, place)


def _text(value: TensorValue) -> str:
    owner = next((each.place.definition for each in tensors_of(value) if each.place is not None), None)
    return f"'{tensor_text(value)}'" if owner is None else f"'{tensor_text(value)}' of '{owner}'"


def _alike(one: TensorValue, other: TensorValue) -> bool:
    """Return whether two tensors are declared at one place with one shape."""
    pairs = [[(each.place, each.dtype, each.shape) for each in tensors_of(value)] for value in (one, other)]
    return one is other or pairs[0] == pairs[1]
