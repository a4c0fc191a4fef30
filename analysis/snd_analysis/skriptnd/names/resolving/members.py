"""Members of tensors: ``x.shape`` and ``x.rank``, and methods of other languages, such as ``x.flatten(1)`` (2.4)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Edit, Problem, Repair
from snd_analysis.skriptnd.names.foreign_operators import meant_operator, method_axis
from snd_analysis.skriptnd.names.module_scope import BUILT_INS
from snd_analysis.skriptnd.names.resolving.tables import Tables
from snd_analysis.skriptnd.names.symbols import Scope, Symbol, SymbolKind
from snd_analysis.skriptnd.names.undefined import import_of
from snd_analysis.skriptnd.syntax import close_matches, nodes, written
from snd_analysis.skriptnd.syntax.nodes import BlockKind

_MEMBERS = ("shape", "rank", "size")
_RANKS = frozenset({"ndim", "ndims", "dim", "dims", "dimension", "dimensions"})
_TRANSPOSED = frozenset({"T", "mT", "H"})
_LENGTHS = frozenset({"size", "length", "len", "count", "rank", "shape"})


def not_a_member(symbol: Symbol, node: nodes.Qualified) -> str | None:
    """Return the message for ``node``, whose first part names ``symbol``; None for a member that exists."""
    first, member = node.parts[0].text, node.parts[1].text
    if not symbol.is_tensor:
        return _not_a_tensor(symbol, first, member, node.text)
    if len(node.parts) > len((first, member)):
        after = node.parts[2].text
        if member == "shape" and after in _LENGTHS | _RANKS:
            return f"the number of dimensions of '{first}' is '{first}.rank'"
        return f"'{first}.{member}' has no members, and '.{after}' asks for one"
    if member in _MEMBERS:
        return None
    if member in _RANKS:
        return f"the number of dimensions of '{first}' is '{first}.rank'"
    if member in _TRANSPOSED:
        return f"'{first}' is a tensor: write layout.transpose({first})"
    close = close_matches(member, _MEMBERS)
    hint = f"; did you mean '{first}.{close[0]}'?" if close else ""
    return f"a tensor has 'shape' and 'rank', a pack of tensors has 'size', but neither has '{member}'{hint}"


def _not_a_tensor(symbol: Symbol, name: str, member: str, text: str) -> str:
    if member in _LENGTHS and symbol.kind in (SymbolKind.ATTRIBUTE, SymbolKind.EXTENT, SymbolKind.USING):
        declared = "real[s..(d)]" if symbol.kind is SymbolKind.EXTENT else "p: int..(n)"
        length = "(d)" if symbol.kind is SymbolKind.EXTENT else "n"
        return (
            f"'{name}' has no '{member}', since it is {symbol.kind.article}: the declaration names the length of a "
            f"pack, such as '{length.strip('()')}' in '{declared}'"
        )
    return f"'{text}' can't stand in an expression: '{name}' is not a tensor, but {symbol.kind.article}"


def report_method(tables: Tables, scope: Scope, call: nodes.Call, owner: Symbol) -> None:
    """Report ``x.flatten(1)``, a method of something that is not a module; ``owner`` is the symbol before the dot."""
    name, method = call.function.parts[0].text, call.function.parts[-1].text
    span = call.function.span.shifted(tables.base)
    if not owner.is_tensor:
        message = f"'{name}' is {owner.kind.article}, and has no methods"
        tables.problems.append(Problem(rules.UNKNOWN_MEMBER, span, message))
        return
    if method in _RANKS or method in _MEMBERS:
        member = "rank" if method in _RANKS else "shape" if method == "size" else method
        index = f"[{written(call.arguments[0])}]" if member == "shape" and len(call.arguments) == 1 else ""
        message = f"'{name}' is a tensor: write '{name}.{member}{index}'"
        tables.problems.append(Problem(rules.UNKNOWN_MEMBER, span, message))
        return
    operator = meant_operator(method)
    message = f"'{name}' is a tensor, and has no methods: operators take it as an argument"
    if operator is None or tables.block not in (BlockKind.COMPOSE, BlockKind.UPDATE):
        tables.problems.append(Problem(rules.UNKNOWN_MEMBER, span, message))
        return
    invocation, is_complete = _invocation(scope, call, operator)
    module = operator.partition(".")[0]
    edits = [Edit(call.span.shifted(tables.base), invocation)]
    if module not in tables.module_scope.imports:
        edits.insert(0, import_of(module).edits[0])
    repair = Repair(f"write {invocation}", tuple(edits), safe=False) if is_complete else None
    message = f"'{name}' is a tensor: write {invocation}"
    tables.problems.append(Problem(rules.UNKNOWN_MEMBER, span, message, repair=repair))


def _invocation(scope: Scope, call: nodes.Call, operator: str) -> tuple[str, bool]:
    """Return the invocation of an operator for a method, and whether it has all that the method was given."""
    name, method = call.function.parts[0].text, call.function.parts[-1].text
    tensors = [each for each in call.arguments if is_tensor(scope, each)]
    others = [each for each in call.arguments if not is_tensor(scope, each)]
    inputs = ", ".join((name, *(written(each) for each in tensors)))
    if not others:
        return f"{operator}({inputs})", True
    axis = method_axis(method) if len(others) == 1 else None
    if axis is None:
        return f"{operator}{{…}}({inputs})", False
    value = written(others[0])
    return f"{operator}{{{axis}={value if axis == 'axis' else f'[{value}]'}}}({inputs})", True


def is_tensor(scope: Scope, argument: nodes.Node) -> bool:
    """Return whether an argument is a tensor: the name of a tensor, or the invocation of an operator."""
    if isinstance(argument, nodes.Call):
        return argument.function.text not in BUILT_INS
    if not isinstance(argument, nodes.Qualified) or len(argument.parts) > 1:
        return False
    symbol = scope.find(argument.text)
    return symbol is not None and symbol.is_tensor
