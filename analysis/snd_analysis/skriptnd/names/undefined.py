"""Problems of undefined names: one for each name, at its first use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import HEAD, Edit, Note, Problem, Repair, Span
from snd_analysis.skriptnd.limits import LONGEST_INDEX, MOST_FURTHER_USES, MOST_GUESSES
from snd_analysis.skriptnd.names.foreign_operators import meant_operator
from snd_analysis.skriptnd.names.module_scope import ModuleScope
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.names.symbols import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import close_matches, keywords, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

_LITERALS = ("true", "false", "inf", "pi")
_PRIMITIVE_TYPES = tuple(word for word, kind in keywords().items() if kind == "TYPE")
_FOREIGN_TYPES = {
    **dict.fromkeys(("float", "double", "half", "bfloat", "f", "fp", "number", "scalar"), "real"),
    **dict.fromkeys(("int", "integer", "long", "short", "uint", "size", "i", "u"), "int"),
    **dict.fromkeys(("string", "text"), "str"),
    **dict.fromkeys(("boolean", "bool"), "bool"),
}
_FOREIGN_BASES = {
    **dict.fromkeys(("number", "numeric", "numerical", "scalar", "float", "numbers"), "num"),
    **dict.fromkeys(("any", "typename", "object", "generic", "dtype"), "type"),
    **dict.fromkeys(("arithmetic", "primitive"), "arith"),
}
"""Names for the bases of generic types in other languages."""
_BASES = ("num", "arith", "type")
_TYPE = re.compile(r"(?P<kind>[a-z]+?)(?:\d+)?(?:_t)?")


_NO_NULL = "SkriptND has no word for null; leave an attribute out, write '~' for an input, and test with '?a'"
_NO_LENGTH = (
    "the declaration names the length of a pack, as in 'p: int..(n)', and 'xs.size' is that of a pack of tensors"
)
FOREIGN_NAMES = {**dict.fromkeys(("null", "None", "nil", "NULL"), _NO_NULL), "len": _NO_LENGTH}


class UndefinedName(Struct, frozen=True):
    """A name that nothing visible bears; judged at the end, when all symbols of the definition are known."""

    span: Span
    name: str
    block: BlockKind
    visible: tuple[str, ...]
    wanted: str
    """Kind of the missing name: ``name``, ``type``, ``tensor``."""


class UnknownModule(Struct, frozen=True):
    """A module that is named and not imported, with the definition of it that is wanted."""

    span: Span
    name: str
    wanted: str
    is_function: bool = False
    """True if a built-in function has the name of the definition, in a place without invocations of operators."""


def undefined_problems(undefined: Iterable[UndefinedName], resolution: Resolution) -> Iterator[Problem]:
    """Yield a problem for each undefined name, at its first use; the other uses are notes.

    Local values of one statement that are used before their definition are one problem: their order is the mistake.
    """
    first: dict[tuple[str, str], list[UndefinedName]] = {}
    disordered: dict[int, list[Problem]] = {}
    for item in undefined:
        first.setdefault((item.name, item.wanted), []).append(item)
    for number, same in enumerate(first.values()):
        hidden = resolution.symbol(same[0].name)
        if hidden is not None and hidden in resolution.unassigned_outputs and same[0].block is BlockKind.COMPOSE:
            continue  # that nothing is assigned to it is the mistake
        problem = _undefined_problem(same[0], resolution, number < MOST_GUESSES)
        more = _also_used(same)
        repair = problem.repair
        if more and repair is not None:  # a name may lack its declaration, but a type is written wrongly everywhere
            edits = tuple(Edit(item.span, repair.edits[0].text) for item in same)
            repair = replace(repair, edits=edits) if same[0].wanted == "type" else None
        problem = replace(problem, notes=(*problem.notes, *more), repair=repair)
        if hidden is not None and hidden.kind is SymbolKind.LOCAL and problem.rule is rules.USED_BEFORE_DEFINITION:
            disordered.setdefault(id(hidden.statement), []).append(problem)
        else:
            yield problem
    for problems in disordered.values():
        notes = (
            note for each in problems[1:] for note in (Note(each.span, each.message.partition(":")[0]), *each.notes)
        )
        yield replace(problems[0], notes=(*problems[0].notes, *notes))


def module_problems(unknown: Iterable[UnknownModule], module_scope: ModuleScope) -> Iterator[Problem]:
    """Yield a problem for each module that is not imported, at its first use; the other uses are notes."""
    first: dict[str, list[UnknownModule]] = {}
    for item in unknown:
        first.setdefault(item.name, []).append(item)
    for same in first.values():
        yield replace(_module_problem(same[0], module_scope), notes=_also_used(same))


def _also_used(same: Sequence[UndefinedName | UnknownModule]) -> tuple[Note, ...]:
    return tuple(Note(item.span, f"'{item.name}' is used here, too") for item in same[1 : 1 + MOST_FURTHER_USES])


def _module_problem(unknown: UnknownModule, module_scope: ModuleScope) -> Problem:
    name, span = unknown.name, unknown.span
    if name in module_scope.available:
        message = f"the module '{name}' is not imported; the module exists: write 'import {name};' at the top"
        definitions = module_scope.available[name].definitions
        if unknown.wanted not in definitions:
            close = close_matches(unknown.wanted, [each for each in definitions if not each.startswith("_")])
            hint = f"; did you mean '{name}.{close[0]}'?" if close else ""
            message += f". It has no operator '{unknown.wanted}'{hint}"
        return Problem(rules.UNKNOWN_MODULE, span, message, repair=import_of(name))
    close = close_matches(name, [*module_scope.imports, *module_scope.available])
    meant = None if close else unknown.wanted if unknown.is_function else meant_operator(unknown.wanted)
    hint = f"; did you mean '{close[0] if close else meant}'?" if close or meant else ""
    return Problem(rules.UNKNOWN_MODULE, span, f"there is no module '{name}' here{hint}")


def import_of(module: str) -> Repair:
    """Return the repair that imports a module. It can't affect other names, since the name was undefined."""
    return Repair(f"import the module '{module}'", (Edit(HEAD, f"import {module};"),))


def _undefined_problem(undefined: UndefinedName, resolution: Resolution, is_guessed: bool) -> Problem:
    name, span = undefined.name, undefined.span
    hidden = resolution.symbol(name)
    if hidden is not None:
        return _hidden_problem(undefined, hidden, resolution.span(hidden))
    close = _meant(undefined) if is_guessed and name not in FOREIGN_NAMES else None
    hint = f"; did you mean '{close}'?" if close else _explained(undefined)
    repair = Repair(f"write '{close}'", (Edit(span, close),), safe=False) if close else None
    return Problem(rules.UNDEFINED_NAME, span, f"there is no {undefined.wanted} '{name}' here{hint}", repair=repair)


def _explained(undefined: UndefinedName) -> str:
    """Return the SkriptND counterpart of a name of other languages, or the missing part of an index."""
    if undefined.name in FOREIGN_NAMES:
        return f": {FOREIGN_NAMES[undefined.name]}"
    if undefined.block is BlockKind.CONSTANT and undefined.wanted == "name" and len(undefined.name) <= LONGEST_INDEX:
        return f"; an index has its bound after the value, as in '= …, {undefined.name} < n'"
    if undefined.block is BlockKind.LOWER and undefined.wanted == "name" and len(undefined.name) <= LONGEST_INDEX:
        return f"; an index has its bound after the formula, as in '{undefined.name} < n'"
    return ""


def _meant(undefined: UndefinedName) -> str | None:
    """Return the name that the author may have meant."""
    name = undefined.name
    if undefined.wanted == "type" and undefined.block is BlockKind.DTYPE:
        close = close_matches(name, _BASES)
        return _FOREIGN_BASES.get(name.lower(), close[0] if close else foreign_type(name))
    if undefined.wanted == "type":
        if (known := foreign_type(name)) is not None:
            return known
        words = _PRIMITIVE_TYPES
    else:
        words = _LITERALS if undefined.wanted == "name" else ()
    close = close_matches(name, dict.fromkeys((*undefined.visible, *words)))
    return close[0] if close else None


def foreign_type(name: str) -> str | None:
    """Return the type that corresponds to one of another language, such as ``float32``; None if there is none."""
    found = _TYPE.fullmatch(name.lower())
    return None if found is None else _FOREIGN_TYPES.get(found["kind"])


def _hidden_problem(undefined: UndefinedName, symbol: Symbol, declared: Span) -> Problem:
    name, span, kind = undefined.name, undefined.span, symbol.kind
    note = (Note(declared, f"the {kind} '{name}' is declared here"),)
    if kind in (SymbolKind.TENSOR, SymbolKind.OUTPUT) and undefined.block in (BlockKind.COMPOSE, BlockKind.UPDATE):
        in_own = _is_in_statement(symbol, declared, span)
        if kind is SymbolKind.OUTPUT or declared.start > span.start or in_own:
            message = f"the {kind} '{name}' is used before it is assigned"
            return Problem(rules.USED_BEFORE_DEFINITION, span, message, note)
        return Problem(rules.UNDEFINED_NAME, span, f"the tensor '{name}' is not visible outside of its block", note)
    if kind is SymbolKind.USING and undefined.block == BlockKind.USING:
        message = f"the helper symbol '{name}' is used before it is defined"
        return Problem(rules.USED_BEFORE_DEFINITION, span, message, note)
    if kind is SymbolKind.LOCAL and undefined.block == BlockKind.LOWER and _is_in_statement(symbol, declared, span):
        if span.start >= declared.start - symbol.local_span.start + symbol.node.end:
            message = f"a bound can't depend on the local value '{name}', which is computed for each index"
            return Problem(rules.NOT_VISIBLE, span, message, note)
        message = f"the local value '{name}' is used before it is defined: local values are computed from left to right"
        return Problem(rules.USED_BEFORE_DEFINITION, span, message, note)
    if kind is SymbolKind.INDEX and isinstance(symbol.node, nodes.IndexBound) and span.start >= declared.start and (
        _is_in_statement(symbol, declared, span)
    ):  # fmt: skip
        message = f"the bound of '{name}' can't depend on '{name}': write a condition, as in '{name} < n | {name} > 0'"
        return Problem(rules.NOT_VISIBLE, span, message, note)
    if kind is SymbolKind.INDEX and not _is_in_statement(symbol, declared, span):
        return Problem(rules.UNDEFINED_NAME, span, _no_index(undefined), note)
    if kind is SymbolKind.LABEL:
        message = f"'{name}' is a label: labels can be used only in '@quantize'"
        return Problem(rules.UNDEFINED_NAME, span, message, note)
    if kind in (SymbolKind.INDEX, SymbolKind.LOCAL, SymbolKind.CARRY, SymbolKind.SCAN, SymbolKind.ITERATION):
        message = f"the {kind} '{name}' is visible only in the statement that declares it"
        return Problem(rules.UNDEFINED_NAME, span, message, note)
    message = f"the {kind} '{name}' can't be used in '@{undefined.block}', which is evaluated before it"
    return Problem(rules.NOT_VISIBLE, span, message, note)


def _is_in_statement(symbol: Symbol, declared: Span, span: Span) -> bool:
    """Return whether ``span`` stands in the statement that declares ``symbol`` at ``declared``."""
    start = declared.start - symbol.local_span.start
    return start <= span.start < start + (symbol.statement.end - symbol.statement.start)


def _no_index(undefined: UndefinedName) -> str:
    """Return the message for an index of another formula."""
    name = undefined.name
    match undefined.block:
        case BlockKind.CONSTANT:
            return (
                f"there is no index '{name}' here: write its bound after the value, as in 'c: real[n] = …, {name} < n'"
            )
        case BlockKind.LOWER:
            return f"there is no index '{name}' in this formula: write its bound after the formula, as in '{name} < n'"
    return f"'{name}' is an index of a formula in '@lower', and has no value in '@{undefined.block}'"


def with_import(problem: Problem, module: str) -> Problem:
    """Return the problem of an unknown module for a module that exists as a file, with the import as its repair."""
    message = (
        f"the module '{module}' is not imported; there is a file of that name: write 'import {module};' at the top"
    )
    return replace(problem, message=message, repair=import_of(module))
