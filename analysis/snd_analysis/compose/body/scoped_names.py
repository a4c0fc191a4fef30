"""The scopes that 2.10 leaves open: of right sides that no single invocation can stand for (Labelling).

Variables and constants are found by their scoped names, so no two may have the same. A statement with one result lends
its name to the parts of its control flow; one with several results has no automatic label, and needs one where names
below it would be those of something else.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from snd_analysis.compose.body.callees import Callees
from snd_analysis.compose.body.targets import Targets
from snd_analysis.compose.template import Template
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes

SCOPES_OF_PARTS = frozenset({"if", "then", "else", "while", "do"})
"""The scopes of parts of control flow, where they need their own: the keywords before them, further cases numbered."""


class Naming:
    """The names of one definition, found in its text."""

    def __init__(self, callees: Callees, template: Template) -> None:
        self._callees = callees
        self._template = template
        self._scopes: dict[nodes.Component, str] | None = None

    def targets(self, component: nodes.Component) -> Targets:
        """What the left side of a statement names, and the scope that it opens if it has no label of its own."""
        targets = Targets(component.results)
        if targets.label is None:
            targets.label = self.scopes.get(component)
        return targets

    def part(self, part: nodes.Callable, keyword: str, others: list[nodes.Callable], targets: Targets) -> Targets:
        """The same for one part of control flow: in a scope of its own if any of the ``others`` adds to that of all."""
        if targets.label is None or not self._adds(part) or not any(map(self._adds, others)):
            return targets
        return targets.part(keyword)

    @property
    def scopes(self) -> dict[nodes.Component, str]:
        """The scopes of the statements with several results that need one: the name of the first result."""
        if self._scopes is None:
            self._scopes = {}
            rows = self._template.resolution.rows
            if any(row.has_several_results for row in (*rows["compose"], *rows["update"])):
                components = [node for _, node in (*self._template.components, *self._template.updates)]
                own = {member.name for member in (*self._template.variables, *self._template.constants)}
                self._visit(components, _Scope(own))
        return self._scopes

    def key(self, component: nodes.Component) -> tuple[str | None, ...]:
        """What the names in a statement depend on besides its text."""
        scopes = self.scopes
        return tuple(scopes.get(each) for each in _nested(component)) if scopes else ()

    def _visit(self, components: list[nodes.Component], scope: _Scope) -> None:
        for component in components:
            label = Targets(component.results).label
            if label is None:
                adding = [part for part in _parts(component.value) if self._adds(part)]
                alone = len(adding) < 2 and not _is_unrolled(component.value)
                if adding and not (alone and scope.takes(self._names_below(adding[0]))):
                    label = self._scopes_of(component, scope)
            for part in _parts(component.value):
                inner = part.value if isinstance(part, nodes.Labelled) else part
                if isinstance(inner, nodes.Region):
                    own = label is not None or isinstance(part, nodes.Labelled)
                    self._visit(_components(inner), _Scope() if own else scope)

    def _scopes_of(self, component: nodes.Component, scope: _Scope) -> str:
        assert self._scopes is not None
        name = _first_name(component)
        if name is None:
            name = f"~[{scope.nameless}]"
            scope.nameless += 1
        self._scopes[component] = name
        return name

    def _names_below(self, part: nodes.Callable) -> set[str]:
        """The names that an invocation without a label adds to the scope around; none for a block, seen by itself."""
        if not isinstance(part, nodes.Call):
            return set()
        name = self._template.resolution.targets.get(part.function)
        template = self._callees.template(name) if isinstance(name, OperatorName) else None
        if template is None or template.is_graph:
            return set()
        return {
            name
            for each in self._callees.reached(template)
            for name in (*(member.name for member in (*each.variables, *each.constants)), *_labels(each))
        }

    def _adds(self, part: nodes.Callable) -> bool:
        """Whether names of tensors arise in a part of control flow, in the scope of the whole."""
        if isinstance(part, nodes.Region):
            return bool(_components(part))
        if not isinstance(part, nodes.Call):
            return False
        name = self._template.resolution.targets.get(part.function)
        template = self._callees.template(name) if isinstance(name, OperatorName) else None
        if template is None or template.is_graph:  # a graph is the root of its own names
            return False
        return any(each.variables or each.constants for each in self._callees.reached(template))


class _Scope(Struct):
    """What names are taken below one label."""

    names: set[str] = field(default_factory=set)
    nameless: int = 0

    def takes(self, names: set[str]) -> bool:
        """Whether names were free; they are taken then."""
        if not self.names.isdisjoint(names):
            return False
        self.names |= names
        return True


def _labels(template: Template) -> Iterator[str]:
    """The first parts of scoped names that may arise in a definition."""
    for _, top in (*template.components, *template.updates):
        for component in _nested(top):
            label = Targets(component.results).label
            if label is not None:
                yield label
            yield from (part.label.text for part in _parts(component.value) if isinstance(part, nodes.Labelled))


def _components(region: nodes.Region) -> list[nodes.Component]:
    return [item for item in region.items if isinstance(item, nodes.Component)]


def _nested(component: nodes.Component) -> Iterator[nodes.Component]:
    """A statement and those in its blocks."""
    yield component
    for part in _parts(component.value):
        inner = part.value if isinstance(part, nodes.Labelled) else part
        if isinstance(inner, nodes.Region):
            for each in _components(inner):
                yield from _nested(each)


def _parts(value: nodes.Branch | nodes.Loop | nodes.Callable) -> list[nodes.Callable]:
    """The invocations and blocks of a right side."""
    if isinstance(value, nodes.Branch):
        return [part for case in value.cases for part in (case.condition, case.consequent)] + [value.alternative]
    if isinstance(value, nodes.Loop):
        return [value.body, *(each.condition for each in value.conditions)]
    return [value]


def _is_unrolled(value: nodes.Branch | nodes.Loop | nodes.Callable) -> bool:
    return isinstance(value, nodes.Loop) and value.keyword.text == "unroll"


def _first_name(component: nodes.Component) -> str | None:
    for result in component.results:
        for item in result.items if isinstance(result, nodes.ResultList) else (result,):
            if isinstance(item, nodes.ResultTuple):
                return item.names[0].text
            if isinstance(item.target, nodes.Name):
                return item.target.text
    return None
