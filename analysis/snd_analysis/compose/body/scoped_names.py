"""The scopes that 2.10 leaves open: of right sides without a single invocation (Labelling).

Variables and constants are found by their scoped names, so these must be unique. A statement with one result lends its
name to the parts of its control flow; one with several results has no automatic label, and needs a label if names below
it would collide with others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Protocol

from msgspec import Struct, field

from snd_analysis.compose.bind.arguments import Arguments
from snd_analysis.compose.body.results import Targets
from snd_analysis.compose.budget import StepBudget
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.template import Template
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic.integers import Integer


# ---- queries about invoked definitions while one body is composed ----------------------------------------------------
class Callees(Protocol):
    """Definitions by name, and their specializations; a ``Session`` is one."""

    budget: StepBudget
    """Limit of the cost of composing."""

    def template(self, name: OperatorName) -> Template | None:
        """Return the definition of that name."""

    def reached(self, template: Template) -> frozenset[Template]:
        """Return a definition and all that it invokes, directly or through others."""

    def specialization(self, template: Template, given: Arguments) -> Specialization:
        """Return the specialization of an operator for the arguments of an invocation.

        The same one for equal arguments.
        """

    def shared_specialization(
        self, template: Template, given: Arguments
    ) -> tuple[Specialization, Mapping[Hashable, Integer]]:
        """Return the specialization, and the values of unknowns in its declarations, by key."""


# ---- the scopes that 2.10 leaves open --------------------------------------------------------------------------------
SCOPES_OF_PARTS = frozenset({"if", "then", "else", "while", "do"})
"""The scopes of parts of control flow, where they need their own: the keywords before them, further cases numbered."""


def quantized_name(name: str) -> str:
    """Return the name by which ``@quantize`` refers to a tensor: without parts of control flow and numbers."""
    parts = (part.partition("[")[0] for part in name.split("."))
    return ".".join(part for part in parts if part not in SCOPES_OF_PARTS)


class Naming:
    """The names of one definition, found in its text."""

    def __init__(self, callees: Callees, template: Template) -> None:
        self._callees = callees
        self._template = template
        self._scopes: dict[nodes.Component, str] | None = None
        self._below: dict[Template, frozenset[str]] = {}

    def targets(self, component: nodes.Component) -> Targets:
        """Return the names on the left side of a statement, and the scope that it opens without a label of its own."""
        targets = Targets(component.results)
        if targets.label is None:
            targets.label = self.scopes.get(component)
        return targets

    def part(self, part: nodes.Callable, keyword: str, others: list[nodes.Callable], targets: Targets) -> Targets:
        """Return the targets of one part of control flow.

        The part has a scope of its own if any of the ``others`` adds names to the common scope.
        """
        if targets.label is None or not self._adds(part) or not any(map(self._adds, others)):
            return targets
        return targets.part(keyword)

    @property
    def scopes(self) -> dict[nodes.Component, str]:
        """The scopes of the statements without a label that need one: the name of a result."""
        if self._scopes is None:
            self._scopes = {}
            rows = self._template.resolution.rows
            if any(row.has_unlabelled_statement for row in (*rows[BlockKind.COMPOSE], *rows[BlockKind.UPDATE])):
                components = _statements(self._template)
                own = {member.name for member in (*self._template.variables, *self._template.constants)}
                self._visit(components, self._scope(components, own))
        return self._scopes

    def key(self, component: nodes.Component) -> tuple[str | None, ...]:
        """Return the facts besides its text that determine the names in a statement."""
        scopes = self.scopes
        return tuple(scopes.get(each) for each in _nested(component)) if scopes else ()

    def _visit(self, components: Sequence[nodes.Component], scope: _Scope) -> None:
        for component in components:
            label = Targets(component.results).label
            if label is None:
                adding = [part for part in component.parts if self._adds(part)]
                alone = len(adding) < 2 and not _is_unrolled(component.value)
                if adding and not (alone and scope.takes(self._names_below(adding[0]))):
                    label = self._scopes_of(component, scope)
            for part in component.parts:
                inner = part.value if isinstance(part, nodes.Labelled) else part
                if isinstance(inner, nodes.Region):
                    own = label is not None or isinstance(part, nodes.Labelled)
                    self._visit(inner.components, self._scope(inner.components) if own else scope)

    def _scope(self, components: Sequence[nodes.Component], own: Iterable[str] = ()) -> _Scope:
        """Return the scope of these statements; their declarations and labels are taken."""
        return _Scope({*own, *self._labels(self._template, components)})

    def _scopes_of(self, component: nodes.Component, scope: _Scope) -> str:
        assert self._scopes is not None
        name = next((name.text for name in component.names if scope.takes({name.text})), None)
        if name is None:
            name = f"~[{scope.nameless}]"
            scope.nameless += 1
        self._scopes[component] = name
        return name

    def _names_below(self, part: nodes.Callable) -> frozenset[str]:
        """Return the names that an invocation without a label adds to the surrounding scope.

        None for a block by itself.
        """
        callee = self._callee(self._template, part)
        return frozenset() if callee is None else self._names_in(callee)

    def _names_in(self, template: Template) -> frozenset[str]:
        """Return the first parts of the scoped names of all variables and constants below a definition."""
        if template not in self._below:
            self._below[template] = frozenset()  # of one that invokes itself
            found = {member.name for member in (*template.variables, *template.constants)}
            components = _statements(template)
            for component in components:
                found.update(self._labels(template, (component,)))
                if Targets(component.results).label is None:
                    found.update(name.text for name in component.names)
                if len(components) == 1 or Targets(component.results).label is None:
                    # It may have the scope of the body itself.
                    callees = (self._callee(template, part) for part in component.parts)
                    found.update(*(self._names_in(callee) for callee in callees if callee is not None))
            self._below[template] = frozenset(found)
        return self._below[template]

    def _labels(self, template: Template, components: Sequence[nodes.Component]) -> Iterator[str]:
        """Yield the labels in a scope, written or generated, below which there are tensors."""
        for component in components:
            label = Targets(component.results).label
            for part in component.parts:
                if isinstance(part, nodes.Labelled):
                    yield from (part.label.text,) if self._adds(part.value, template) else ()
                elif label is not None:
                    yield from (label,) if self._adds(part, template) else ()
                elif isinstance(part, nodes.Region):
                    yield from self._labels(template, part.components)

    def _callee(self, template: Template, part: nodes.Callable) -> Template | None:
        """Return the operator that a part invokes. A graph is the root of its own names, and adds none."""
        name = template.resolution.targets.get(part.function) if isinstance(part, nodes.Call) else None
        callee = self._callees.template(name) if isinstance(name, OperatorName) else None
        return None if callee is None or callee.is_graph else callee

    def _adds(self, part: nodes.Callable, template: Template | None = None) -> bool:
        """Return whether a branch or loop body adds tensor names to the scope around the control flow."""
        if isinstance(part, nodes.Region):
            return bool(part.components)
        callee = self._callee(template or self._template, part)
        return callee is not None and any(each.variables or each.constants for each in self._callees.reached(callee))


class _Scope(Struct):
    """The names used below one label."""

    names: set[str] = field(default_factory=set)
    nameless: int = 0

    def takes(self, names: Set[str]) -> bool:
        """Return whether names were free; they are taken then."""
        if not self.names.isdisjoint(names):
            return False
        self.names |= names
        return True


def _statements(template: Template) -> list[nodes.Component]:
    return [node for _, node in (*template.components, *template.updates)]


def _nested(component: nodes.Component) -> Iterator[nodes.Component]:
    """Yield a statement and the statements in its blocks."""
    yield component
    for part in component.parts:
        inner = part.value if isinstance(part, nodes.Labelled) else part
        if isinstance(inner, nodes.Region):
            for each in inner.components:
                yield from _nested(each)


def _is_unrolled(value: nodes.Branch | nodes.Loop | nodes.Callable) -> bool:
    return isinstance(value, nodes.Loop) and value.keyword.text == "unroll"
