"""Names in expressions (2.4)."""

from __future__ import annotations

from itertools import pairwise

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Edit, Problem, Repair, Rule, Span
from snd_analysis.skriptnd.names.foreign_operators import meant_operator
from snd_analysis.skriptnd.names.module_scope import BUILT_INS
from snd_analysis.skriptnd.names.resolution import AttributeName
from snd_analysis.skriptnd.names.resolving.members import is_tensor, not_a_member, report_method, resolve_operator
from snd_analysis.skriptnd.names.resolving.tables import Tables
from snd_analysis.skriptnd.names.symbols import BuiltIn, Scope, ShapeMember, SymbolKind
from snd_analysis.skriptnd.names.undefined import FOREIGN_NAMES, foreign_type
from snd_analysis.skriptnd.syntax import close_matches, nodes, written
from snd_analysis.skriptnd.syntax.nodes import BlockKind

_EXTREMA = {"min": "<?", "max": ">?"}
_OPERANDS = (nodes.Qualified, nodes.Literal, nodes.Call, nodes.Cast, nodes.Parenthesized, nodes.Subscript)
_ENTRY = " " * 8
"""Indentation of the entries of a block by `snd fmt`."""
_REDUCTIONS = {
    "sum": "p + ..", "prod": "p * ..", "product": "p * ..", "all": "p && ..", "any": "p || ..", "min": "p <? ..",
    "max": "p >? ..", "range": "[a:b]", "reversed": "p[::-1]",
}  # fmt: skip
"""The expressions of SkriptND for functions of Python on sequences."""
_CONTRACTIONS = {"sum": "+=", "prod": "*=", "product": "*=", "all": "&=", "any": "|=", "min": "<?=", "max": ">?="}
"""The assignments that accumulate a result, as functions of Python do over a sequence."""


def resolve_expression(tables: Tables, scope: Scope, expression: nodes.Node | None) -> None:
    """Resolve every name in an expression (or list item, index or shape)."""
    pending: list[nodes.Node] = [] if expression is None else [expression]
    while pending:
        node = pending.pop()
        match node:
            case nodes.Qualified():
                _resolve_qualified(tables, scope, node)
            case nodes.Call():
                _resolve_function(tables, scope, node)
                pending.extend(reversed(node.arguments))
            case nodes.TypeName():
                resolve_type(tables, scope, node)
            case _:
                pending.extend(reversed(list(nodes.children(node))))


def resolve_type(tables: Tables, scope: Scope, name: nodes.TypeName) -> None:
    """Resolve the name of a generic type; primitive types are keywords."""
    if name.is_keyword:
        return
    symbol = scope.find(name.text)
    if symbol is None or symbol.kind is not SymbolKind.DTYPE:
        types = Scope()
        for text in scope.visible():
            found = scope.find(text)
            if found is not None and found.kind is SymbolKind.DTYPE:
                types.names[text] = found
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
            if tables.module_scope.operator((first.text,)) is not None:
                _report_operator_as_value(tables, node)
            elif first.text != "_":
                tables.missing(node, first.text, scope)
            return
        tables.targets[node] = symbol
        tables.use(node, symbol)
        return
    if symbol is None:
        modules = tables.module_scope
        if first.text in modules.imports or first.text in modules.available:
            if resolve_operator(tables, node) is not None:
                _report_operator_as_value(tables, node)
        else:
            tables.missing(first, first.text, scope)
        return
    tables.use(first, symbol)
    message = not_a_member(symbol, node)
    if message is None:
        tables.targets[node] = ShapeMember(symbol, node.parts[1].text)
    elif symbol not in tables.ambiguous:
        _report(tables, rules.UNKNOWN_MEMBER, node, message)


def _report_operator_as_value(tables: Tables, node: nodes.Qualified) -> None:
    tables.targets.pop(node, None)
    message = f"'{node.text}' is an operator, and no value: invoke it, as in '{node.text}(…)'"
    _report(tables, rules.UNDEFINED_NAME, node, message)


def _resolve_function(tables: Tables, scope: Scope, call: nodes.Call) -> None:
    """Resolve a call inside an expression: a cast to a generic type or a built-in function, never an invocation."""
    name = call.function
    symbol = scope.find(name.text)
    if symbol is not None and symbol.kind is SymbolKind.DTYPE:
        tables.targets[name] = symbol
        tables.use(name, symbol)
    elif name.text in BUILT_INS and call.attributes is None:
        tables.targets[name] = BuiltIn(name.text)
        tables.use(name, BuiltIn(name.text))
    elif len(name.parts) > 1 and (owner := scope.find(name.parts[0].text)) is not None:
        report_method(tables, scope, call, owner)
    elif tables.module_scope.operator(tuple(part.text for part in name.parts)) is not None or len(name.parts) > 1:
        if _is_never_invoked(tables, name) or resolve_operator(tables, name) is not None:
            _report_nested(tables, scope, call)
    else:
        extremum = _EXTREMA.get(name.text)
        if extremum is not None and len(call.arguments) > 1 and call.attributes is None:
            _report_extremum(tables, call, extremum)
            return
        cast = foreign_type(name.text)
        if cast is not None and len(call.arguments) == 1 and call.attributes is None:
            message = f"there is no built-in function '{name.text}'; did you mean '{cast}'?"
            span = name.span.shifted(tables.base)
            repair = Repair(f"write '{cast}'", (Edit(span, cast),), safe=False)
            tables.problems.append(Problem(rules.UNDEFINED_NAME, span, message, repair=repair))
            return
        if name.text:
            _report_function(tables, scope, call)


def _is_never_invoked(tables: Tables, name: nodes.Qualified) -> bool:
    """Return whether a name means an operator of a module that is not imported, where an import would not help."""
    if tables.block in (BlockKind.COMPOSE, BlockKind.UPDATE):
        return False
    module = tables.module_scope.available.get(".".join(part.text for part in name.parts[:-1]))
    return module is not None and name.parts[-1].text in module.definitions


def _report_nested(tables: Tables, scope: Scope, call: nodes.Call) -> None:
    """Report an invocation that is an operand or an argument, or stands outside ``@compose`` and ``@update``."""
    name, function = call.function, call.function.parts[-1].text
    message = f"'{name.text}' can't be invoked inside an expression: assign its result to a tensor first"
    span, repair = call.span.shifted(tables.base), _hoisted(tables, scope, call)
    if tables.block not in (BlockKind.COMPOSE, BlockKind.UPDATE):
        message = f"'{name.text}' is an operator, and operators are invoked in '@compose' only"
        if (
            function in BUILT_INS
            and call.attributes is None
            and not any(is_tensor(scope, each) for each in call.arguments)
        ):
            message += f"; the built-in function is written '{function}(…)'"
            repair = Repair(f"write '{function}'", (Edit(name.span.shifted(tables.base), function),), safe=False)
    tables.problems.append(Problem(rules.NESTED_INVOCATION, span, message, repair=repair))


def _report_function(tables: Tables, scope: Scope, call: nodes.Call) -> None:
    """Report a call of something that is neither an operator nor a built-in function."""
    name = call.function
    symbol = scope.find(name.text)
    if symbol is not None:
        access = "an element is read as in 'x[i, j]'" if symbol.is_tensor else "an item is read as in 'p[i]'"
        message = f"{symbol.kind.article} can't be called, and '{name.text}' is one: {access}"
        _report(tables, rules.UNDEFINED_NAME, name, message)
        return
    if name.text in BUILT_INS and call.attributes is not None:
        invoked = meant_operator(name.text) if tables.block in (BlockKind.COMPOSE, BlockKind.UPDATE) else None
        message = f"'{name.text}' is a built-in function here, and takes no attributes: write '{name.text}(…)'"
        if invoked is not None and any(is_tensor(scope, each) for each in call.arguments):
            message = f"'{name.text}' is a function of numbers here: invoke '{invoked}' in a statement of its own"
        _report(tables, rules.UNDEFINED_NAME, name, message)
        return
    close = close_matches(name.text, BUILT_INS)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    if name.text in FOREIGN_NAMES:
        hint = f": {FOREIGN_NAMES[name.text]}"
    elif name.text in _CONTRACTIONS and _accesses(scope, call):
        hint = f"; over elements of a tensor write 'y[i,] {_CONTRACTIONS[name.text]} x[i, j], i < n, j < m'"
    elif name.text in _REDUCTIONS:
        hint = f"; write '{_REDUCTIONS[name.text]}' for a pack 'p'"
    elif meant_operator(name.text) is not None and tables.block is BlockKind.LOWER and not close:
        hint = f"; the operator '{meant_operator(name.text)}' can be invoked in '@compose' only"
    _report(tables, rules.UNDEFINED_NAME, name, f"there is no built-in function '{name.text}'{hint}")


def _accesses(scope: Scope, call: nodes.Call) -> bool:
    """Return whether an argument is computed from an element of a tensor."""
    parts = (each for argument in call.arguments for each in (argument, *nodes.descendants(argument)))
    return any(isinstance(each, nodes.Subscript) and is_tensor(scope, each.target) for each in parts)


def _hoisted(tables: Tables, scope: Scope, call: nodes.Call) -> Repair | None:
    """Return the repair that assigns an argument of an invocation to a tensor, in a statement before it."""
    statement = tables.statement
    if not isinstance(statement, nodes.Component) or not isinstance(statement.value, nodes.Call):
        return None
    if not _is_argument(call, statement.value):
        return None
    name = tables.unused_name(scope, call.function.parts[-1].text)
    start = statement.start + tables.base
    edits = (
        Edit(Span(start, start), f"{name} = {written(call)};\n{_ENTRY}"),
        Edit(call.span.shifted(tables.base), name),
    )
    return Repair(f"assign it to '{name}' first", edits, safe=False)


def _is_argument(call: nodes.Call, of: nodes.Node) -> bool:
    """Return whether an invocation is an argument, of an argument perhaps, that is computed in any case."""
    inner = of.arguments if isinstance(of, nodes.Call) else of.items if isinstance(of, nodes.List) else ()
    return any(each is call or _is_argument(call, each) for each in inner)


def _report_extremum(tables: Tables, call: nodes.Call, operator: str) -> None:
    """Report ``min(a, b)`` for ``a <? b``."""
    arguments = call.arguments
    edits = [Edit(Span(call.start, arguments[0].start), "(")]
    edits += [Edit(Span(one.end, other.start), f" {operator} ") for one, other in pairwise(arguments)]
    for argument in arguments:
        if not isinstance(argument, _OPERANDS):
            edits += [Edit(Span(argument.start, argument.start), "("), Edit(Span(argument.end, argument.end), ")")]
    shifted = tuple(Edit(each.span.shifted(tables.base), each.text) for each in edits)
    message = f"there is no built-in function '{call.function.text}'; write 'a {operator} b'"
    problem = Problem(rules.UNDEFINED_NAME, call.function.span.shifted(tables.base), message)
    tables.problems.append(replace(problem, repair=Repair(f"write '{operator}'", shifted)))


def resolve_invocation(tables: Tables, scope: Scope, call: nodes.Call) -> None:
    """Resolve an invocation: the operator, its generic types, attributes and arguments (2.10)."""
    name = call.function
    symbol = scope.find(name.text)
    if symbol is not None and symbol.kind is SymbolKind.DTYPE:
        resolve_expression(tables, scope, call)
        return
    owner = scope.find(name.parts[0].text) if len(name.parts) > 1 else None
    if owner is not None and tables.module_scope.module(tuple(part.text for part in name.parts[:-1])) is None:
        report_method(tables, scope, call, owner)
        operator = None
    else:
        is_function = call.attributes is None and len(call.arguments) == 1 and not is_tensor(scope, call.arguments[0])
        operator = resolve_operator(tables, name, is_function)
    for type_name in call.generics.items if call.generics else ():
        resolve_type(tables, scope, type_name)
    for attribute in call.attributes.items if call.attributes else ():
        if operator is not None:
            tables.use(attribute.name, AttributeName(operator, attribute.name.text))
        resolve_expression(tables, scope, attribute.value)
    for argument in call.arguments:
        resolve_expression(tables, scope, argument)


def _report(tables: Tables, rule: Rule, node: nodes.Node, message: str) -> None:
    tables.problems.append(Problem(rule, node.span.shifted(tables.base), message))
