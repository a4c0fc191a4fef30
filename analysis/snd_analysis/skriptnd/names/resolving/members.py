"""Members of tensors: ``x.shape`` and ``x.rank``, and methods of other languages, such as ``x.flatten(1)`` (2.4)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Edit, OperatorName, Problem, Repair, Span
from snd_analysis.skriptnd.names.foreign_operators import meant_operator, method_axis
from snd_analysis.skriptnd.names.module_scope import BUILT_INS
from snd_analysis.skriptnd.names.resolution import ModuleName
from snd_analysis.skriptnd.names.resolving.tables import Tables
from snd_analysis.skriptnd.names.symbols import Scope, Symbol, SymbolKind
from snd_analysis.skriptnd.names.undefined import UnknownModule, import_of
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


# ---- names of operators and of their modules (2.10, 2.15) ------------------------------------------------------------
def resolve_operator(tables: Tables, name: nodes.Qualified, is_function: bool = False) -> OperatorName | None:
    """Return the operator or graph that a name means, and report mistakes in the name.

    ``is_function`` tells that the invocation may be a call of a built-in function.
    """
    module_scope = tables.module_scope
    parts = tuple(part.text for part in name.parts)
    if not all(parts):
        return None
    module = module_scope.own if len(parts) == 1 else module_scope.module(parts[:-1])
    if len(parts) > 1:
        if module is None:
            missing = ".".join(parts[:-1])
            if not module_scope.is_reported(missing) and missing not in tables.misplaced:
                span = _head(name).span.shifted(tables.base)
                is_function = tables.block not in (BlockKind.COMPOSE, BlockKind.UPDATE) and parts[-1] in BUILT_INS
                tables.unknown_modules.append(UnknownModule(span, missing, parts[-1], is_function))
            return None
        tables.use(_head(name), ModuleName(module.path))
    found = module_scope.operator(parts)
    if found is None:
        assert module is not None
        if module.complete and name.text not in tables.misplaced:
            _report_operator(tables, name, is_function)
        return None
    if len(parts) > 1 and parts[-1].startswith("_"):
        message = f"the operator '{parts[-1]}' is private to its module '{'.'.join(parts[:-1])}'"
        tables.problems.append(Problem(rules.PRIVATE_OPERATOR, name.span.shifted(tables.base), message))
    tables.targets[name] = found
    tables.use(name.parts[-1], found)
    return found


def _head(name: nodes.Qualified) -> nodes.Node:
    """Return the part of a qualified name that is the module's."""
    return nodes.Name(name.parts[0].start, name.parts[-2].end, ".".join(part.text for part in name.parts[:-1]))


def _report_operator(tables: Tables, name: nodes.Qualified, is_function: bool) -> None:
    if len(name.parts) > 1:
        tables.problems.append(_no_operator_in_module(tables, name))
    else:
        tables.problems.append(_no_operator_here(tables, name, is_function))


def _no_operator_here(tables: Tables, name: nodes.Qualified, is_function: bool) -> Problem:
    module_scope, span, text = tables.module_scope, name.span.shifted(tables.base), name.text
    owners = [module for module, names in module_scope.imports.items() if text in names.definitions]
    if owners:
        full = f"{owners[0]}.{text}"
        repair = Repair(f"write '{full}'", (Edit(span, full),), safe=len(owners) == 1)
        message = f"there is no operator '{text}' in this module; write '{full}'"
        return Problem(rules.UNKNOWN_OPERATOR, span, message, repair=repair)
    if text in BUILT_INS and is_function:
        message = f"there is no operator '{text}' in this module; for the built-in function write '({text}(…))'"
        return Problem(rules.UNKNOWN_OPERATOR, span, message)
    is_exact = (meant_operator(text) or "").endswith(f".{text}")
    close = [] if is_exact else close_matches(text, module_scope.own.definitions)
    foreign = None if close else _foreign(tables, name, f"there is no operator '{text}' in this module")
    if foreign is not None:
        return foreign
    if close:
        return _unknown_operator(span, f"there is no operator '{text}' in this module", close[0], close[0])
    owners = [module for module, names in module_scope.available.items() if text in names.definitions]
    hint = f"; there is one in the module '{owners[0]}', which is not imported" if owners else ""
    return Problem(rules.UNKNOWN_OPERATOR, span, f"there is no operator '{text}' in this module{hint}")


def _no_operator_in_module(tables: Tables, name: nodes.Qualified) -> Problem:
    last = name.parts[-1]
    span = last.span.shifted(tables.base)
    module = ".".join(part.text for part in name.parts[:-1])
    module_scope = tables.module_scope
    definitions = module_scope.imports[module].definitions
    message = f"the module '{module}' has no operator '{last.text}'"
    imported = [other for other, names in module_scope.imports.items() if last.text in names.definitions]
    if imported and not last.text.startswith("_"):
        full = f"{imported[0]}.{last.text}"
        repair = Repair(f"write '{full}'", (Edit(name.span.shifted(tables.base), full),), safe=False)
        return Problem(rules.UNKNOWN_OPERATOR, span, f"{message}; did you mean '{full}'?", repair=repair)
    owners = [other for other, names in module_scope.available.items() if last.text in names.definitions]
    if owners and not last.text.startswith("_"):
        message += f"; there is one in the module '{owners[0]}', which is not imported"
        return Problem(rules.UNKNOWN_OPERATOR, span, message)
    meant = (meant_operator(last.text) or "").rpartition(".")[2]
    if meant in definitions:  # `layer.conv2d` is `layer.conv` rather than `nn.conv`
        return _unknown_operator(span, message, meant, f"{module}.{meant}")
    close = close_matches(last.text, [item for item in definitions if not item.startswith("_")])
    foreign = _foreign(tables, name, message)
    if foreign is not None and not (close and close[0] == last.text.lower()):
        return foreign
    if not close:
        return Problem(rules.UNKNOWN_OPERATOR, span, message)
    return _unknown_operator(span, message, close[0], f"{module}.{close[0]}")


def _foreign(tables: Tables, name: nodes.Qualified, message: str) -> Problem | None:
    """Return the problem of a name from another framework for an operator of the library; None for other names."""
    full = meant_operator(name.parts[-1].text)
    if full is None:
        return None
    module = full.partition(".")[0]
    edits = [Edit(name.span.shifted(tables.base), full)]
    if module not in tables.module_scope.imports:
        edits.insert(0, import_of(module).edits[0])
    repair = Repair(f"write '{full}'", tuple(edits), safe=False)
    span = name.parts[-1].span.shifted(tables.base)
    return Problem(rules.UNKNOWN_OPERATOR, span, f"{message}; did you mean '{full}'?", repair=repair)


def _unknown_operator(span: Span, message: str, text: str, meant: str) -> Problem:
    repair = Repair(f"write '{text}'", (Edit(span, text),), safe=False)
    return Problem(rules.UNKNOWN_OPERATOR, span, f"{message}; did you mean '{meant}'?", repair=repair)
