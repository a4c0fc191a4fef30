"""Roles of variables: factors scale a value, like a gain or a variance; others shift it, like a bias."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from snd_analysis.compose import Session, Template
from snd_analysis.skriptnd.names import OperatorName, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import entries_of
from snd_runtime.execution.limits import DEEPEST_FACTOR

_ROOTS = frozenset({"sqrt", "log"})
_TENSORS = frozenset(
    {SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.VARIABLE, SymbolKind.TENSOR, SymbolKind.CARRY, SymbolKind.SCAN}
)


class FactorRole(NamedTuple):
    """The use of a tensor: as a factor, or as a divisor or below a root."""

    is_factor: bool = False
    is_below: bool = False

    def __or__(self, other: tuple[object, ...]) -> FactorRole:
        return FactorRole(self[0] or bool(other[0]), self[1] or bool(other[1]))


class Factors:
    """The formulas that use a tensor, directly or through invocations."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[tuple[OperatorName, Symbol], FactorRole] = {}

    def is_variable(self, owner: OperatorName, name: str) -> bool:
        """Return whether a variable of a definition is a factor, or below a line or a root, somewhere."""
        template = self._session.template(owner)
        if template is None:
            return False
        return any(any(self._role(template, member.symbol, 0)) for member in template.variables if member.name == name)

    def _role(self, template: Template, symbol: Symbol, depth: int) -> FactorRole:
        key = template.name, symbol
        if key not in self._known:
            self._known[key] = FactorRole()  # while it is examined, for cycles
            role = FactorRole()
            for _, node in entries_of(template.definition, nodes.BlockKind.LOWER, nodes.Lowering):
                for use in _uses(template, symbol, node.value, FactorRole(node.operator.text == "*=")):
                    role |= use
            for _, component in (*template.components, *template.updates) if depth < DEEPEST_FACTOR else ():
                role |= self._in_component(template, symbol, component, depth)
            self._known[key] = role
        return self._known[key]

    def _in_component(self, template: Template, symbol: Symbol, component: nodes.Component, depth: int) -> FactorRole:
        role = FactorRole()
        for node in nodes.descendants(component):
            if isinstance(node, nodes.Scan) and _names(template, symbol, node.value):
                item = template.resolution.targets.get(node.name)
                role |= self._role(template, item, depth) if isinstance(item, Symbol) else FactorRole()
            elif isinstance(node, nodes.Call):
                invoked = template.resolution.targets.get(node.function)
                other = self._session.template(invoked) if isinstance(invoked, OperatorName) else None
                if other is not None:
                    role |= self._in_call(template, symbol, component, node, other, depth)
        return role

    def _in_call(
        self,
        template: Template,
        symbol: Symbol,
        component: nodes.Component,
        call: nodes.Call,
        other: Template,
        depth: int,
    ) -> FactorRole:
        role, named = FactorRole(), [_names(template, symbol, argument) for argument in call.arguments]
        for member, is_named in zip(other.inputs, named, strict=False):
            if is_named:
                role |= self._role(other, member.symbol, depth + 1)
        rest = [argument for argument, is_named in zip(call.arguments, named, strict=True) if not is_named]
        if any(named) and not any(role) and not any(_has_tensors(template, argument) for argument in rest):
            # Shifted by a constant, as a variance is by its epsilon, before it gets below a line.
            for node in nodes.descendants(component):
                result = template.resolution.targets.get(node.target) if isinstance(node, nodes.Result) else None
                if isinstance(result, Symbol) and self._role(template, result, depth).is_below:
                    role = FactorRole(True, True)
        return role


def _names(template: Template, symbol: Symbol, node: nodes.Node) -> bool:
    return any(template.resolution.targets.get(each) is symbol for each in nodes.descendants(node))


def _has_tensors(template: Template, node: nodes.Node) -> bool:
    found = (template.resolution.targets.get(each) for each in nodes.descendants(node))
    return any(isinstance(each, Symbol) and each.kind in _TENSORS for each in found)


def _uses(template: Template, symbol: Symbol, node: nodes.Node, role: FactorRole) -> Iterator[FactorRole]:
    """Yield the role of each use in an expression; all that is below a line or a root stays so."""
    match node:
        case nodes.Qualified():
            if template.resolution.targets.get(node) is symbol:
                yield role
        case nodes.Subscript():
            yield from _uses(template, symbol, node.target, role)
        case nodes.Select():
            for part in (node.consequent, node.alternative):
                if part is not None:
                    yield from _uses(template, symbol, part, role)
        case nodes.Binary():
            operator = node.operator.text
            is_factor = operator in ("*", "/", "**") or (role.is_factor and operator not in ("+", "-"))
            yield from _uses(template, symbol, node.left, FactorRole(is_factor, role.is_below))
            yield from _uses(template, symbol, node.right, FactorRole(is_factor, role.is_below or operator == "/"))
        case _:
            below = role.is_below or (isinstance(node, nodes.Call) and node.function.text in _ROOTS)
            for child in nodes.children(node):
                yield from _uses(template, symbol, child, FactorRole(role.is_factor, below))
