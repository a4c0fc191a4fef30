"""Names in expressions (2.4)."""

from __future__ import annotations

from snd_analysis.names.environment import BUILT_INS
from snd_analysis.names.resolution import AttributeName, ModuleName, Role
from snd_analysis.names.scope import Scope, Tables
from snd_analysis.names.symbols import BuiltIn, OperatorName, ShapeMember, SymbolKind
from snd_analysis.source import HEAD, Edit
from snd_analysis.syntax import nodes
from snd_analysis.syntax.problem import Problem, Repair
from snd_analysis.syntax.spelling import close_matches

_MEMBERS = ("shape", "rank", "size")


def resolve_expression(tables: Tables, scope: Scope, expression: nodes.Node | None) -> None:
    """Resolves every name in an expression (or list item, index or shape)."""
    pending: list[nodes.Node] = [] if expression is None else [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, nodes.Qualified):
            _resolve_qualified(tables, scope, node)
        elif isinstance(node, nodes.Call):
            _resolve_function(tables, scope, node)
            pending.extend(reversed(node.arguments))
        elif isinstance(node, nodes.TypeName):
            resolve_type(tables, scope, node)
        else:
            pending.extend(reversed(list(nodes.children(node))))


def resolve_type(tables: Tables, scope: Scope, name: nodes.TypeName) -> None:
    """Resolves the name of a generic type; primitive types are keywords."""
    if name.is_keyword:
        return
    symbol = scope.find(name.text)
    if symbol is None or symbol.kind is not SymbolKind.DTYPE:
        types = Scope()
        types.names = {
            text: found for text in scope.visible() if (found := scope.find(text)) and found.kind is SymbolKind.DTYPE
        }
        tables.missing(name, name.text, types, "type")
        return
    tables.targets[name] = symbol
    tables.use(name, symbol)


def _resolve_qualified(tables: Tables, scope: Scope, node: nodes.Qualified) -> None:
    first = node.parts[0]
    symbol = scope.find(first.text)
    if len(node.parts) == 1:
        tables.check_name(first)
        if symbol is None:
            if first.text != "_":
                tables.missing(node, first.text, scope)
            return
        tables.targets[node] = symbol
        tables.use(node, symbol)
        return
    if symbol is None:
        tables.missing(first, first.text, scope)
        return
    tables.use(first, symbol)
    member = node.parts[1]
    if not symbol.is_tensor:
        message = f"'{node.text}' can't stand in an expression: '{first.text}' is no tensor, but {symbol.kind.article}"
        _report(tables, "unknown-member", node, message)
    elif len(node.parts) > 2 or member.text not in _MEMBERS:
        close = close_matches(member.text, _MEMBERS)
        hint = f"; did you mean '{first.text}.{close[0]}'?" if close else ""
        message = f"a tensor has 'shape' and 'rank', a pack of them 'size', but no '{member.text}'{hint}"
        _report(tables, "unknown-member", node, message)
    else:
        tables.targets[node] = ShapeMember(symbol, member.text)


def _resolve_function(tables: Tables, scope: Scope, call: nodes.Call) -> None:
    """A call inside an expression is a cast to a generic type or a built-in function, never an invocation."""
    name = call.function
    symbol = scope.find(name.text)
    if symbol is not None and symbol.kind is SymbolKind.DTYPE:
        tables.targets[name] = symbol
        tables.use(name, symbol)
    elif name.text in BUILT_INS and call.attributes is None:
        tables.targets[name] = BuiltIn(name.text)
        tables.use(name, BuiltIn(name.text))
    elif tables.environment.operator(tuple(part.text for part in name.parts)) is not None or len(name.parts) > 1:
        resolve_operator(tables, name)
        message = f"'{name.text}' can't be invoked inside an expression: assign its result to a tensor first"
        _report(tables, "nested-invocation", call, message)
    else:
        close = close_matches(name.text, BUILT_INS)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        if name.text:
            _report(tables, "undefined-name", name, f"there is no built-in function '{name.text}'{hint}")


def resolve_invocation(tables: Tables, scope: Scope, call: nodes.Call) -> None:
    """Resolves an invocation: the operator, its generic types, attributes and arguments (2.10)."""
    name = call.function
    symbol = scope.find(name.text)
    if symbol is not None and symbol.kind is SymbolKind.DTYPE:
        resolve_expression(tables, scope, call)
        return
    operator = resolve_operator(tables, name, len(call.arguments) == 1)
    for type_name in call.generics.items if call.generics else ():
        resolve_type(tables, scope, type_name)
    for attribute in call.attributes.items if call.attributes else ():
        if operator is not None:
            tables.use(attribute.name, AttributeName(operator, attribute.name.text))
        resolve_expression(tables, scope, attribute.value)
    for argument in call.arguments:
        resolve_expression(tables, scope, argument)


def resolve_operator(tables: Tables, name: nodes.Qualified, one_argument: bool = False) -> OperatorName | None:
    """Resolves the name of an operator or a graph, reporting what is wrong with it."""
    environment = tables.environment
    parts = tuple(part.text for part in name.parts)
    if not all(parts):
        return None
    module = environment.own if len(parts) == 1 else environment.module(parts[:-1])
    if len(parts) > 1:
        if module is None:
            _report_module(tables, name, parts)
            return None
        tables.use(_head(name), ModuleName(module.path))
    found = environment.operator(parts)
    if found is None:
        assert module is not None
        _report_operator(tables, name, one_argument)
        return None
    if len(parts) > 1 and parts[-1].startswith("_"):
        message = f"the operator '{parts[-1]}' is private to its module '{'.'.join(parts[:-1])}'"
        _report(tables, "private-operator", name, message)
    tables.targets[name] = found
    tables.use(name.parts[-1], found)
    return found


def _head(name: nodes.Qualified) -> nodes.Node:
    """The part of a qualified name that is the module's."""
    return nodes.Name(name.parts[0].start, name.parts[-2].end, ".".join(part.text for part in name.parts[:-1]))


def _report_module(tables: Tables, name: nodes.Qualified, parts: tuple[str, ...]) -> None:
    environment = tables.environment
    module = ".".join(parts[:-1])
    head = _head(name)
    if module in environment.missing:
        return
    if module in environment.available:
        known = parts[-1] in environment.available[module].definitions
        hint = f"; the module exists: write 'import {module};' at the top" if known else ""
        repair = Repair(f"import the module '{module}'", (Edit(HEAD, f"import {module};"),)) if known else None
        _report(tables, "unknown-module", head, f"the module '{module}' is not imported{hint}", repair)
        return
    close = close_matches(module, [*environment.imports, *environment.available])
    hint = f"; did you mean '{close[0]}'?" if close else ""
    _report(tables, "unknown-module", head, f"there is no module '{module}' here{hint}")


def _report_operator(tables: Tables, name: nodes.Qualified, one_argument: bool) -> None:
    environment = tables.environment
    last = name.parts[-1]
    span = last.span.shifted(tables.base)
    if len(name.parts) == 1:
        whole = name.span.shifted(tables.base)
        owners = [module for module, names in environment.imports.items() if last.text in names.definitions]
        if owners:
            full = f"{owners[0]}.{last.text}"
            repair = Repair(f"write '{full}'", (Edit(whole, full),), safe=len(owners) == 1)
            message = f"there is no operator '{last.text}' in this module; '{full}' is meant by its full name only"
            tables.problems.append(Problem("unknown-operator", whole, message, repair=repair))
            return
        if last.text in BUILT_INS and one_argument:
            message = (
                f"there is no operator '{last.text}' in this module; for the built-in function write '({last.text}(…))'"
            )
            tables.problems.append(Problem("unknown-operator", whole, message))
            return
        owners = [module for module, names in environment.available.items() if last.text in names.definitions]
        candidates: list[str] = close_matches(last.text, environment.own.definitions)
        hint = f"; did you mean '{candidates[0]}'?" if candidates else ""
        if not candidates and owners:
            hint = f"; there is one in the module '{owners[0]}', which is not imported"
        repair = Repair(f"write '{candidates[0]}'", (Edit(whole, candidates[0]),), safe=False) if candidates else None
        message = f"there is no operator '{last.text}' in this module{hint}"
        tables.problems.append(Problem("unknown-operator", whole, message, repair=repair))
        return
    module = ".".join(part.text for part in name.parts[:-1])
    definitions = environment.imports[module].definitions
    candidates = close_matches(last.text, [item for item in definitions if not item.startswith("_")])
    hint = f"; did you mean '{module}.{candidates[0]}'?" if candidates else ""
    correction = Repair(f"write '{candidates[0]}'", (Edit(span, candidates[0]),), safe=False) if candidates else None
    message = f"the module '{module}' has no operator '{last.text}'{hint}"
    tables.problems.append(Problem("unknown-operator", span, message, repair=correction))


def _report(tables: Tables, rule: str, node: nodes.Node, message: str, repair: Repair | None = None) -> None:
    tables.problems.append(Problem(rule, node.span.shifted(tables.base), message, repair=repair))


__all__ = ["Role", "resolve_expression", "resolve_invocation", "resolve_operator", "resolve_type"]
