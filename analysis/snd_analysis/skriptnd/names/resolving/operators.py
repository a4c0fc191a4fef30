"""Names of operators and of their modules (2.10, 2.15)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Edit, OperatorName, Problem, Repair, Span
from snd_analysis.skriptnd.names.foreign_operators import meant_operator
from snd_analysis.skriptnd.names.module_scope import BUILT_INS
from snd_analysis.skriptnd.names.resolution import ModuleName
from snd_analysis.skriptnd.names.resolving.tables import Tables
from snd_analysis.skriptnd.names.undefined import UnknownModule, import_of
from snd_analysis.skriptnd.syntax import close_matches, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind


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
    """Return the problem of a name that another framework has for an operator of the library; None if it is none."""
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
