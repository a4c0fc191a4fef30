"""Formulas of ``@lower`` in one specialization: indices certainly out of bounds, packs of other lengths (2.12)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.compose.checks.formula_values import packed_length
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.formulas.formula import skips_points
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.specialization import Specialization, tensor_text
from snd_analysis.compose.template import Template
from snd_analysis.model import Tensor
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer, Truth
from snd_analysis.symbolic.values import UNDEFINED, Pack, Value

_SHORT_CIRCUITING = frozenset({"&&", "||", "=>"})


def failing_formula(specialization: Specialization) -> Failure | None:
    """Return the first thing that the formulas of an operator certainly do wrong; None if there is nothing."""
    template = specialization.template
    if template.in_library:
        return None
    for member, value in zip(template.outputs, specialization.outputs, strict=True):
        specialization.scope.values[member.symbol] = value
    for base, node in template.formulas:
        if not template.is_wrong(base, node):
            failure = _Formula(template, specialization, base, node).failure()
            if failure is not None:
                return failure
    return None


class _Axis(Struct, frozen=True):
    """An index symbol, or an item of a packed one, that runs over all numbers below ``limit``."""

    variable: Integer
    limit: Integer


class _Formula:
    def __init__(self, template: Template, specialization: Specialization, base: int, node: nodes.Lowering) -> None:
        scope = specialization.scope
        self._template = template
        self._scope = ValueScope(template, scope.values, scope.dtypes, scope.composing)
        self._counted = frozenset(specialization.dynamic.values())
        """Extents whose names are the next that is counted, as indices."""
        self._base = base
        self._node = node
        self._axes: dict[Hashable, _Axis] = {}

    def failure(self) -> Failure | None:
        """Return the first thing that is certainly wrong; None if nothing is."""
        if self._node.condition is not None or skips_points(self._node) or not self._has_domain():
            return None
        for local in self._node.locals:
            self._set(local.name, self._scope.attempt(local.value))
        try:
            packed_length(self._scope, self._node)
        except EvaluationError as error:
            site = Site(self._template.place(self._base, error.node), "this is computed here")
            return Failure(error.rule, error.message, (site,))
        target = self._target()
        if target is not None:
            found = self._overrun(self._node.target, *target)
            if found is not None:
                return found
        for part in (*(local.value for local in self._node.locals), self._node.value):
            for access, tensor in self._accesses(part):
                found = self._overrun(access, tensor, access.index)
                if found is not None:
                    return found
        return None

    # ---- ranges of the indices ---------------------------------------------------------------------------------------
    def _has_domain(self) -> bool:
        """Give every index symbol a variable; whether all of them certainly take a value."""
        if self._node.unroll is not None:
            count = self._scope.attempt(self._node.unroll.count)
            if not isinstance(count, Integer):
                return False
            if self._node.unroll.name is not None and not self._add(self._node.unroll.name, count):
                return False
        return all(self._add(bound.name, self._scope.attempt(bound.bound)) for bound in self._node.bounds)

    def _add(self, name: nodes.Name, limit: Value) -> bool:
        symbol = self._template.resolution.targets.get(name)
        if isinstance(limit, Integer):
            value = self._axis((symbol, 0), name.text, limit)
            self._set(name, value if value is not None else UNDEFINED)
            return value is not None
        if not isinstance(limit, Pack) or limit.items is None:
            self._set(name, UNDEFINED)
            return limit is not UNDEFINED
        row = []
        for at, each in enumerate(limit.items):
            value = self._axis((symbol, at), f"{name.text}[{at}]", each) if isinstance(each, Integer) else None
            if value is None:
                return False
            row.append(value)
        self._set(name, Pack(row, dtype="int"))
        return True

    def _axis(self, key: Hashable, name: str, limit: Integer) -> Integer | None:
        """Return the variable of an index; None if it may take no value at all."""
        if shapes.compare(">", limit, 0) is not TRUE:
            return None
        most = shapes.bounds(limit)[1]
        made = shapes.variable(key, name, 0, None if most is None else most - 1)
        depends = any(leaf.key in self._axes for leaf in limit.leaves)
        if made.value is None and not depends:
            self._axes[key] = _Axis(made, limit)
        return made

    def _set(self, name: nodes.Name, value: Value) -> None:
        symbol = self._template.resolution.targets.get(name)
        if isinstance(symbol, Symbol):
            self._scope.values[symbol] = value

    # ---- accesses ----------------------------------------------------------------------------------------------------
    def _target(self) -> tuple[Tensor, nodes.Index] | None:
        symbol = self._template.resolution.targets.get(self._node.target.name)
        tensor = one_of(self._scope.values.get(symbol, UNDEFINED)) if isinstance(symbol, Symbol) else None
        return None if tensor is None else (tensor, self._node.target.indices[-1])

    def _accesses(self, node: nodes.Node) -> Iterator[tuple[nodes.Subscript, Tensor]]:
        """Yield the accesses of a value that are certainly evaluated, wherever the indices are."""
        match node:
            case nodes.Select():
                condition = self._scope.attempt(node.condition)
                yield from self._accesses(node.condition)
                if isinstance(condition, Truth) and condition is TRUE:
                    yield from self._accesses(node.consequent)
                return
            case nodes.Coalesce():
                yield from self._accesses(node.value)
                return
            case nodes.Binary() if node.operator.text in _SHORT_CIRCUITING:
                yield from self._accesses(node.left)
                return
            case nodes.Bounded():
                return
            case nodes.Subscript():
                target = node.target.target if isinstance(node.target, nodes.Subscript) else node.target
                symbol = self._template.resolution.targets.get(target)
                if isinstance(symbol, Symbol) and symbol.is_tensor:
                    tensor = one_of(self._scope.values.get(symbol, UNDEFINED))
                    if tensor is not None:
                        yield node, tensor
                    # The index that chooses a tensor of a pack is no access.
                    yield from self._accesses(node.index)
                    if isinstance(node.target, nodes.Subscript):
                        yield from self._accesses(node.target.index)
                    return
        for child in nodes.children(node):
            yield from self._accesses(child)

    # ---- whether it is there -----------------------------------------------------------------------------------------
    def _overrun(self, node: nodes.Node, tensor: Tensor, index: nodes.Index) -> Failure | None:
        row = self._indices(index)
        extents = None if tensor.shape is None else Pack(tensor.shape, dtype="int").items
        if row is None or extents is None or len(row) != len(extents):
            return None
        for number, (value, extent) in enumerate(zip(row, extents, strict=True)):
            if not isinstance(value, Integer) or not isinstance(extent, Integer) or extent in self._counted:
                continue
            least, most = self._range(value)
            reached = None
            if most is not None and shapes.compare(">=", most, extent) is TRUE:
                reached = f"reaches {most}"
            elif least is not None and value.value is None and shapes.compare("<", least, 0) is TRUE:
                reached = f"begins at {least}"
            if reached is not None:
                part = index.items[number] if len(index.items) == len(row) else index
                message = (
                    f"the index '{written(part)}' {reached}, outside of '{tensor.name}', which is "
                    f"'{tensor_text(tensor)}' here{self._advice(node, written(part))}"
                )
                site = Site(self._template.place(self._base, node), "this is computed here")
                return Failure(rules.ACCESS_OUT_OF_RANGE, message, (site,))
        return None

    def _advice(self, node: nodes.Node, index: str) -> str:
        """Return the advice to guard an index; ``=`` leaves the elements 0 that a guard skips."""
        if self._node.operator.text != "=":
            return f"; write '|{index}|' to skip what is outside"
        target = self._node.target
        return "" if node is target else f"; write '|{index}|' to leave '{target.name.text}' 0 there"

    def _indices(self, index: nodes.Index) -> list[Value] | None:
        """Return the index of every dimension, UNDEFINED where not known; None if not even their number is."""
        row: list[Value] = []
        for item in index.items:
            match item:
                case nodes.Range():
                    row.append(UNDEFINED)
                case nodes.Expanded():
                    if isinstance(item.item, nodes.Zip):
                        return None
                    value = self._scope.attempt(nodes.List(item.start, item.end, (item,)))
                    if not isinstance(value, Pack) or value.items is None:
                        return None
                    row.extend(value.items)
                case nodes.Zip():
                    return None
                case _:
                    value = self._scope.attempt(item)
                    row.append(UNDEFINED if isinstance(value, Pack) else value)
        return row

    def _range(self, value: Integer) -> tuple[Integer | None, Integer | None]:
        """Return the least and greatest value of an index, which certainly occur; None for an unknown one."""
        least = most = shapes.constant(0)
        for monomial, coefficient in value.terms.items():
            keys = {leaf.key for atom, _ in monomial for leaf in atom.leaves}
            term = Integer({monomial: coefficient})
            if not keys & self._axes.keys():
                if any(_is_index(key) for key in keys):
                    return None, None
                least, most = least + term, most + term
                continue
            axis = self._axes[next(iter(keys))] if len(keys) == 1 else None
            if axis is None or term != axis.variable.scaled(coefficient):
                return None, None
            last = (axis.limit - 1).scaled(coefficient)
            if coefficient > 0:
                most = most + last
            else:
                least = least + last
        return least, most


def _is_index(key: object) -> bool:
    """Return whether a key belongs to an index whose greatest value depends on other indices."""
    return isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], Symbol) and isinstance(key[1], int)


def one_of(value: Value) -> Tensor | None:
    """Return a tensor, or any of a pack whose tensors all have one shape."""
    if isinstance(value, Pack):
        tensors = [each for each in value.elements if isinstance(each, Tensor)]
        alike = bool(tensors) and len(tensors) == len(value.segments) and len({each.shape for each in tensors}) == 1
        return tensors[0] if alike else None
    return value if isinstance(value, Tensor) else None
