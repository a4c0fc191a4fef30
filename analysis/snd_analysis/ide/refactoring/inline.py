"""Replaces an invocation by the statements of the invoked operator."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.compose import specialization_of
from snd_analysis.ide.cursor import definition_at, use_at
from snd_analysis.ide.knowledge import Knowledge, knowledge_of
from snd_analysis.ide.refactoring.change import (
    Asked,
    Refactored,
    RefactoringError,
    checked,
    comments_in,
    edited,
    edited_files,
    file_edits,
    fresh,
    indented,
    is_written_out,
    new_problem,
    operand,
    whole_line,
    words,
)
from snd_analysis.ide.refactoring.named_operators import NameWriter, renamed, with_imports, without_unused_imports
from snd_analysis.ide.refactoring.selection import COMPILE_TIME, uses_inside
from snd_analysis.skriptnd.names import BuiltIn, OperatorName, ShapeMember, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import keywords, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic.values import NULL, UNDEFINED, format_value
from snd_analysis.workspace import Snapshot

_SIGNED = re.compile(r"\([+-][\w.]+\)", re.ASCII)
_OWN = frozenset({BlockKind.VARIABLE, BlockKind.CONSTANT, BlockKind.UPDATE, BlockKind.QUANTIZE})


class InlinableInvocation(Struct, frozen=True):
    """A statement of a ``@compose`` block that invokes a composed operator."""

    start: int
    """The offset from which spans of the definition count."""
    definition: nodes.Definition
    entry: nodes.Entry
    component: nodes.Component
    call: nodes.Call
    operator: OperatorName


def invocation_at(snapshot: Snapshot, path: str, offset: int) -> InlinableInvocation | None:
    """Return the invocation that a place stands in, if its operator is composed."""
    found = definition_at(snapshot.tree(path), offset)
    if found is None:
        return None
    start, definition = found
    for block in definition.blocks:
        if not isinstance(block, nodes.Block) or block.kind is not BlockKind.COMPOSE:
            continue
        for entry in block.entries if block.start <= offset - start <= block.end else ():
            component = entry.statement
            if not (entry.start <= offset - start <= entry.end and isinstance(component, nodes.Component)):
                continue
            call = component.value
            if not isinstance(call, nodes.Call):
                return None
            name = snapshot.resolution(path, definition).targets.get(call.function)
            if not isinstance(name, OperatorName):
                return None
            callee = snapshot.definition(name)
            kinds = () if callee is None else [each.kind for each in callee.blocks if isinstance(each, nodes.Block)]
            if BlockKind.COMPOSE not in kinds:
                return None
            return InlinableInvocation(start, definition, entry, component, call, name)
    return None


def inline_operator(snapshot: Snapshot, path: str, span: Span) -> Sequence[Refactored]:
    """Return the edit that replaces an invocation by the statements of its operator. Raise RefactoringError."""
    invocation = invocation_at(snapshot, path, span.start)
    callee = None if invocation is None else knowledge_of(snapshot, invocation.operator)
    if invocation is None or callee is None:
        raise RefactoringError("choose an invocation of an operator that has a '@compose' block")
    shown = callee.name.name
    blocks = [each for each in callee.definition.blocks if isinstance(each, nodes.Block)]
    own = next((each.kind for each in blocks if each.kind in _OWN), None)
    if own is not None:
        raise RefactoringError(f"'{shown}' has a block '@{own}'")
    entries = [entry for block in blocks if block.kind is BlockKind.COMPOSE for entry in block.entries]
    if not entries or len([each for each in blocks if each.kind is BlockKind.COMPOSE]) > 1:
        raise RefactoringError(f"'{shown}' has no statements, or several '@compose' blocks")
    source, writer = snapshot.source(path).text, NameWriter(snapshot, path)
    statements = _statements(invocation, callee, Span(entries[0].start, entries[-1].end), writer, path)
    place = invocation.entry.span.shifted(invocation.start)
    line_break = "\r\n" if "\r\n" in source else "\n"
    indent = _indent(source, place.start)
    above = "".join(f"{each}{line_break}{indent}" for each in comments_in(snapshot, path, place))
    text = f"{above}{statements.replace(chr(13), '').replace(chr(10), line_break)}"
    edits: tuple[TextEdit, ...] = (TextEdit(Location(path, place), text),)
    if callee.path != path:
        new = with_imports(snapshot, path, edited(source, edits), writer.missing)
        edits = file_edits(snapshot, {path: without_unused_imports(snapshot, path, new)})
    problem = new_problem(snapshot, snapshot.changed(edited_files(snapshot, edits)), path)
    if problem is not None:
        raise RefactoringError(f"the statements would not be right: {problem}")
    name = OperatorName(path, invocation.definition.name.text)
    without = " without its assertions" if any(each.kind is BlockKind.ASSERT for each in blocks) else ""
    return (Refactored(name, edits, f"inlined the operator '{shown}'{without}", moves_variables=True),)


def _statements(invocation: InlinableInvocation, callee: Knowledge, body: Span, writer: NameWriter, path: str) -> str:
    """Return the statements of an operator with other names, as they can stand in place of the invocation."""
    snapshot, shown = callee.snapshot, callee.name.name
    source, region = snapshot.source(callee.path).text, body.shifted(callee.start)
    replacements = _replacements(Knowledge(snapshot, path, invocation.start, invocation.definition), callee, invocation)
    edits = [] if callee.path == path else renamed(snapshot, callee.path, writer, {}, region)
    for use in uses_inside(callee.resolution, body):
        symbol = use.target.tensor if isinstance(use.target, ShapeMember) else use.target
        if isinstance(symbol, BuiltIn) and callee.path != path and symbol.name in snapshot.definitions(path):
            raise RefactoringError(f"'{symbol.name}' is an operator here, and a function where '{shown}' is")
        if isinstance(symbol, Symbol):
            new = replacements.get(symbol)
            if new is None:
                raise RefactoringError(f"there is no value to write for '{symbol.name}' of '{shown}'")
            at = use.span.start + callee.start
            place = Span(at, at + len(symbol.name))
            if source[place.start : place.end] == symbol.name:
                is_alone = source[: place.start].rstrip()[-1:] in "(," and source[place.end :].lstrip()[:1] in "),"
                is_signed = is_alone and _SIGNED.fullmatch(new) is not None
                edits.append(TextEdit(Location(callee.path, place), new[1:-1] if is_signed else new))
    after = edited(source, dict.fromkeys(edits))
    end = region.end + len(after) - len(source)
    here, at = snapshot.source(path).text, invocation.start + invocation.entry.start
    return indented(after, region.start, end, _indent(here, at))


def _indent(source: str, at: int) -> str:
    line = source[source.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _replacements(around: Knowledge, callee: Knowledge, invocation: InlinableInvocation) -> Mapping[Symbol, str]:
    """Return the text for each symbol of the operator; symbols without a value are missing."""
    call, base = invocation.call, invocation.entry.start
    found: dict[Symbol, str] = {}
    definition = invocation.definition.span.shifted(invocation.start)
    taken = {*words(around.snapshot.source(around.path).text[definition.start : definition.end]), *keywords()}
    results = [_result(each) for each in invocation.component.results]
    outputs = [each for each in callee.resolution.symbols if each.kind is SymbolKind.OUTPUT]
    inputs = [each for each in callee.resolution.symbols if each.kind is SymbolKind.INPUT]
    if len(results) != len(outputs):
        raise RefactoringError("not every output of the operator has a name")
    found.update(zip(outputs, results, strict=True))
    for symbol, argument in zip(inputs, call.arguments, strict=False):
        if not isinstance(argument, nodes.Qualified | nodes.Literal) and not _is_signed(argument):
            raise RefactoringError(f"the argument for '{symbol.name}' has no name")
        text = around.source(argument, base)
        found[symbol] = f"({text})" if isinstance(argument, nodes.Unary) else text
    found.update(_scalars(around, callee, invocation))
    for symbol in callee.resolution.symbols:
        if symbol.kind not in COMPILE_TIME | {SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.DTYPE}:
            found[symbol] = fresh(symbol.name, taken)
    return found


def _scalars(around: Knowledge, callee: Knowledge, invocation: InlinableInvocation) -> Mapping[Symbol, str]:
    """Return the text of given attributes, and the composed values of other symbols."""
    call, base = invocation.call, invocation.entry.start
    given = {
        each.name.text: around.source(each.value, base)
        for each in (call.attributes.items if call.attributes is not None else ())
    }
    operations = around.operations_of(call, base)
    composed = specialization_of(operations[0]) if len(operations) == 1 else None
    # A graph is composed with the defaults of its attributes: only values that don't depend on these hold generally.
    attributed = any(each.kind is SymbolKind.ATTRIBUTE for each in around.resolution.symbols)
    holds = invocation.definition.kind != "graph" or not attributed
    found: dict[Symbol, str] = {}
    for symbol in callee.resolution.symbols:
        text = given.get(symbol.name) if symbol.kind is SymbolKind.ATTRIBUTE else None
        if text is None and symbol.kind is SymbolKind.DTYPE:
            text = None if composed is None else composed.scope.dtypes.get(symbol.name)
        elif text is None and symbol.kind in COMPILE_TIME and composed is not None:
            value = composed.scope.value_of(symbol) if holds or _is_fixed(symbol) else UNDEFINED
            # SkriptND has no word for null
            text = None if value is UNDEFINED or value is NULL else format_value(value, quoted=True)
            if text is not None and not is_written_out(text):
                text = None
        if text is not None:
            found[symbol] = operand(text)
    return found


def _is_signed(argument: nodes.Node) -> bool:
    """Return whether an argument is a number with a sign, such as ``-2.0``."""
    return (
        isinstance(argument, nodes.Unary)
        and argument.operator.text in ("-", "+")
        and isinstance(argument.operand, nodes.Literal)
    )


def _is_fixed(symbol: Symbol) -> bool:
    """Return whether a symbol is an attribute with a default that names nothing."""
    default = symbol.node.default if isinstance(symbol.node, nodes.Parameter) else None
    if default is None or symbol.kind is not SymbolKind.ATTRIBUTE:
        return False
    return not any(isinstance(each, nodes.Qualified) for each in nodes.descendants(default))


def _result(result: nodes.Result | nodes.ResultList) -> str:
    if not isinstance(result, nodes.Result) or result.pack is not None:
        raise RefactoringError("a result is a pack")
    if not isinstance(result.target, nodes.Name):
        raise RefactoringError("a result is '~': its statement would have no effect")
    return result.target.text


# ---- replaces the name of a helper symbol or a local value by its value ----------------------------------------------
class InlinedName(Struct, frozen=True):
    """A name of an expression, with its declaration in the text of the definition."""

    start: int
    """The offset from which spans of the definition count."""
    definition: nodes.Definition
    symbol: Symbol
    value: Span
    removed: Span
    """The declaration, with the punctuation that would be left over."""


def inlined_name_at(snapshot: Snapshot, path: str, offset: int) -> InlinedName | None:
    """Return the helper symbol or local value that is named at an offset; None for any other name."""
    placed, around = use_at(snapshot, path, offset), definition_at(snapshot.tree(path), offset)
    if placed is None or around is None:
        return None
    target = placed.use.target
    if not isinstance(target, Symbol):
        return None
    start, definition = around
    declaration = _declaration(definition, target)
    if declaration is None:
        return None
    value, removed = declaration
    return InlinedName(start, definition, target, value, removed)


def inline_name(snapshot: Snapshot, asked: Asked) -> Sequence[Refactored]:
    """Return the edits that write an expression in place of its name, everywhere. Raise RefactoringError."""
    found = inlined_name_at(snapshot, asked.path, asked.span.start)
    if found is None:
        raise RefactoringError("choose a helper symbol of '@using', or a local value of a formula")
    knowledge = Knowledge(snapshot, asked.path, found.start, found.definition)
    source, name = snapshot.source(asked.path).text, found.symbol.name
    value = source[found.value.start + found.start : found.value.end + found.start]
    if "#" in source[found.removed.start + found.start : found.removed.end + found.start]:
        raise RefactoringError(f"a comment in the declaration of '{name}' would be lost")
    text = operand(value)
    edits = [TextEdit(Location(asked.path, whole_line(source, found.removed.shifted(found.start))), "")]
    for use in knowledge.resolution.uses:
        target = use.target.tensor if isinstance(use.target, ShapeMember) else use.target
        if target is found.symbol and not found.removed.start <= use.span.start < found.removed.end:
            place = use.span.shifted(found.start)
            if source[place.start : place.end] != name:
                raise RefactoringError(f"'{name}' is named in a way that an expression can't replace")
            edits.append(TextEdit(Location(asked.path, place), text))
    if len(edits) == 1:
        raise RefactoringError(f"nothing names '{name}'")
    what = f"inlined '{name}' in {len(edits) - 1} places" if len(edits) > 2 else f"inlined '{name}'"
    definition = OperatorName(asked.path, found.definition.name.text)
    return (checked(snapshot, Refactored(definition, tuple(edits), what)),)


def _declaration(definition: nodes.Definition, symbol: Symbol) -> tuple[Span, Span] | None:
    """Return the value of a symbol, and the part of the text that goes with its declaration; None for others."""
    for block in definition.blocks:
        if not isinstance(block, nodes.Block) or block.kind not in (BlockKind.USING, BlockKind.LOWER):
            continue
        for entry in block.entries:
            match entry.statement:
                case nodes.Using(target=nodes.NameTarget(expansion=None) as target) if target is symbol.node:
                    value = entry.statement.value.span.shifted(entry.start)
                    return value, block.span if len(block.entries) == 1 else entry.span
                case nodes.Lowering(locals=locals_) if any(each is symbol.node for each in locals_):
                    at = next(number for number, each in enumerate(locals_) if each is symbol.node)
                    span = locals_[at].span
                    if len(locals_) == 1:  # with `with` and the colon
                        unroll = entry.statement.unroll
                        span = Span(0 if unroll is None else unroll.end + 1, entry.statement.target.start)
                    elif at + 1 < len(locals_):
                        span = Span(span.start, locals_[at + 1].start)
                    else:
                        span = Span(locals_[at - 1].end, span.end)
                    return locals_[at].value.span.shifted(entry.start), span.shifted(entry.start)
    return None
