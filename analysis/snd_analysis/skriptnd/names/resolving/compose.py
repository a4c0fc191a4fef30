"""Names in ``@compose`` and ``@update`` (2.10, 2.11): tensors, blocks, branches, loops, labels."""

from __future__ import annotations

from typing import TypeGuard

from snd_analysis import rules
from snd_analysis.base import Edit, Note, Problem, Repair, Span
from snd_analysis.skriptnd.names.module_scope import BUILT_INS
from snd_analysis.skriptnd.names.resolving.expressions import resolve_expression, resolve_invocation, resolve_type
from snd_analysis.skriptnd.names.resolving.parameters import resolve_declared
from snd_analysis.skriptnd.names.resolving.tables import Tables
from snd_analysis.skriptnd.names.symbols import Role, Scope, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.syntax.nodes import BlockKind


def _is_open_generic(value: nodes.Callable, scope: Scope, tables: Tables) -> TypeGuard[nodes.Binary]:
    """Return whether a comparison is ``f<real(x)``: an invocation with types whose '>' is missing."""
    if not isinstance(value, nodes.Binary) or value.operator.text != "<" or not isinstance(value.left, nodes.Qualified):
        return False
    parts = tuple(part.text for part in value.left.parts)
    return scope.find(parts[0]) is None and tables.module_scope.operator(parts) is not None


_REASONS = {
    SymbolKind.INPUT: "give the result a name of its own",
    SymbolKind.CONSTANT: "give the result a name of its own",
    SymbolKind.VARIABLE: "give the result a name of its own; only '@update' assigns variables",
    SymbolKind.OUTPUT: "only '@compose' assigns outputs",
}


class ComposeNames:
    """Resolution of the statements of one definition, ``@compose`` before ``@update``.

    ``scope`` holds the names declared before; ``assignable`` the outputs (or, in ``@update``, the variables), which
    become visible when they are assigned.
    """

    def __init__(self, tables: Tables, scope: Scope, assignable: Scope) -> None:
        self._tables = tables
        self._scope = scope
        self._assignable = assignable
        self._depth = 0
        self._misassigned: dict[Symbol, SymbolKind] = {}
        """Tensors with the name of an input, a constant or a variable, each with the kind of that declaration."""

    def entries(self, block: BlockKind) -> None:
        """Resolve the statements of the block; the results of each are visible from the next one on."""
        scopes = (self._scope, self._assignable)
        self._tables.resolve_rows(
            block, block, nodes.Component, scopes, lambda component: self._component(component, self._scope)
        )

    def _component(self, component: nodes.Component, scope: Scope) -> None:
        self._right_side(component.value, scope)
        for result in component.results:
            for item in result.items if isinstance(result, nodes.ResultList) else (result,):
                self._result(item, scope)

    def _right_side(self, value: nodes.Branch | nodes.Loop | nodes.Callable, scope: Scope) -> None:
        match value:
            case nodes.Branch():
                for case in value.cases:
                    self._callable(case.condition, scope)
                    self._callable(case.consequent, scope)
                self._callable(value.alternative, scope)
            case nodes.Loop():
                self._loop(value, scope)
            case _:
                self._callable(value, scope)

    def _callable(self, value: nodes.Callable, scope: Scope) -> None:
        match value:
            case nodes.Labelled():
                self._tables.declare(Scope(), value.label, SymbolKind.LABEL, value)
                self._callable(value.value, scope)
            case nodes.Region():
                self._region(value, scope)
            case nodes.Call():
                resolve_invocation(self._tables, scope, value)
            case nodes.Binary() if _is_open_generic(value, scope, self._tables):
                self._report_open_generic(value)
            case nodes.Select() if self._invokes(value.consequent, scope) or self._invokes(value.alternative, scope):
                self._report_select(value, scope)
            case _:
                resolve_expression(self._tables, scope, value)

    def _invokes(self, value: nodes.Expression | None, scope: Scope) -> bool:
        """Return whether a branch of ``c ? a : b`` invokes an operator."""
        if not isinstance(value, nodes.Call) or (value.function.text in BUILT_INS and value.attributes is None):
            return False
        parts = tuple(part.text for part in value.function.parts)
        return scope.find(parts[0]) is None and self._tables.module_scope.operator(parts) is not None

    def _report_select(self, value: nodes.Select, scope: Scope) -> None:
        """Report ``c ? f(x) : x``: only a branch chooses what to invoke (2.10.1)."""
        parts = (value.condition, value.consequent, value.alternative)
        for part in parts:
            if part is not None:
                self._callable(part, scope)
        condition, consequent, alternative = (
            None if part is None else part.span.shifted(self._tables.base) for part in parts
        )
        repair = None
        if condition is not None and consequent is not None and alternative is not None:
            edits = (
                Edit(Span(condition.start, condition.start), "if "),
                Edit(Span(condition.end, consequent.start), " then "),
                Edit(Span(consequent.end, alternative.start), " else "),
            )
            repair = Repair("write 'if'", edits)
        message = "'? :' chooses between values, and operators are invoked by branches: write 'if … then … else …'"
        span = value.span.shifted(self._tables.base)
        self._tables.make_unclear(value, Problem(rules.NESTED_INVOCATION, span, message, repair=repair))

    def _report_open_generic(self, value: nodes.Binary) -> None:
        name = value.left.text if isinstance(value.left, nodes.Qualified) else ""
        message = f"'{name}' is an operator: this '<' needs its '>' after the types, as in '{name}<real>(…)'"
        place = value.operator.span.shifted(self._tables.base)
        self._tables.make_unclear(value, Problem(rules.SYNTAX_ERROR, place, message))

    def _region(self, region: nodes.Region, scope: Scope) -> None:
        inner = Scope(scope)
        self._depth += 1
        # Items after 'yield' are reported themselves: the names that they define are not missing as well.
        for item in sorted(region.items, key=lambda item: isinstance(item, nodes.Yield)):
            if isinstance(item, nodes.Component):
                self._component(item, inner)
            elif isinstance(item, nodes.Yield):
                for value in item.values:
                    resolve_expression(self._tables, inner, value)
        self._depth -= 1

    def _loop(self, loop: nodes.Loop, scope: Scope) -> None:
        inner = Scope(scope)
        for carry in loop.carries:
            resolve_expression(self._tables, scope, carry.value)
            self._result_type(carry.type, scope, declares=False)
        for scan in loop.scans:
            resolve_expression(self._tables, scope, scan.value)
        if loop.iteration is not None and not self._report_count(loop.iteration, scope):
            resolve_expression(self._tables, scope, loop.iteration.count)
        for carry in loop.carries:
            self._tables.declare(inner, carry.name, SymbolKind.CARRY, carry)
        for scan in loop.scans:
            self._tables.declare(inner, scan.name, SymbolKind.SCAN, scan)
        if loop.iteration is not None and loop.iteration.index is not None:
            self._tables.declare(inner, loop.iteration.index, SymbolKind.ITERATION, loop.iteration)
        for condition in loop.conditions:
            self._callable(condition.condition, inner)
        self._callable(loop.body, inner)

    def _report_count(self, iteration: nodes.Iteration, scope: Scope) -> bool:
        """Return whether the count is ``i < n`` or ``i in n`` with an index that is declared nowhere; report that."""
        count = iteration.count
        if not isinstance(count, nodes.Binary) or not isinstance(count.left, nodes.Qualified):
            return False
        if count.operator.text not in ("<", "in") or scope.find(count.left.text) is not None:
            return False
        right = f"{count.left.text} -> {written(count.right)}"
        span = count.span.shifted(self._tables.base)
        repair = Repair(f"write '{right}'", (Edit(span, right),), safe=False)
        message = f"the index of a loop stands before '->': write '{right}'"
        self._tables.make_unclear(count, Problem(rules.UNDEFINED_NAME, span, message, repair=repair))
        if iteration.index is None:
            self._tables.declare(scope, count.left.parts[0], SymbolKind.ITERATION, iteration)
        return True

    def _result(self, result: nodes.Result | nodes.ResultTuple, scope: Scope) -> None:
        resolve_declared(self._tables, scope, result.pack)
        names = result.names if isinstance(result, nodes.ResultTuple) else (result.target,)
        types = result.types if isinstance(result, nodes.ResultTuple) else (result.type,)
        for name, type_ in zip(names, types, strict=True):
            self._result_type(type_, scope, declares=True)
            if isinstance(name, nodes.Name):
                self._assign(name, result, scope)

    def _assign(self, name: nodes.Name, result: nodes.Node, scope: Scope) -> None:
        tables = self._tables
        target = self._assignable.own(name.text) if self._depth == 0 else None
        if target is None:
            earlier = scope.own(name.text)
            kind = None if earlier is None else self._misassigned.get(earlier, earlier.kind)
            if kind in _REASONS:
                self._report_assignment(name, kind)
                # Later items use the result, and are judged as if it had a name of its own.
                symbol = tables.declare(Scope(), name, SymbolKind.TENSOR, result)
                self._misassigned[symbol] = kind
                scope.bind(name.text, symbol)
                return
            tables.declare(scope, name, SymbolKind.TENSOR, result)
            return
        tables.targets[name] = target
        tables.use(name, target, Role.WRITE)
        earlier = self._scope.own(name.text)
        if earlier is not None and earlier is not target:
            return  # the names of the two clash, which is reported where they are declared
        if earlier is target and target.kind is SymbolKind.OUTPUT and target not in tables.ambiguous:
            message = f"the output '{name.text}' is assigned a second time"
            note = Note(tables.span(target), f"the output '{name.text}' is declared here")
            tables.problems.append(Problem(rules.ASSIGNED_TWICE, name.span.shifted(tables.base), message, (note,)))
            return
        self._scope.bind(name.text, target)

    def _report_assignment(self, name: nodes.Name, kind: SymbolKind) -> None:
        message = f"{kind.article} can't be assigned, and '{name.text}' is one: {_REASONS[kind]}"
        span = name.span.shifted(self._tables.base)
        self._tables.problems.append(Problem(rules.ILLEGAL_ASSIGNMENT, span, message))

    def _result_type(self, type_: nodes.ResultType | None, scope: Scope, declares: bool) -> None:
        if type_ is None:
            return
        tables = self._tables
        resolve_type(tables, scope, type_.type)
        for extent in type_.shape.extents:
            value = extent.value
            if declares and isinstance(value, nodes.Qualified) and len(value.parts) == 1:
                name = value.parts[0]
                if scope.find(name.text) is None and name.text:
                    tables.declare(scope, name, SymbolKind.EXTENT, extent)
        resolve_declared(tables, scope, type_.shape)
