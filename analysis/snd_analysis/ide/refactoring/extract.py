"""Makes an operator of selected statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.compose import extent_text
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.refactoring.change import (
    Asked,
    Refactored,
    RefactoringError,
    checked,
    edited,
    fresh,
    indented,
    is_written_out,
    new_problem,
    whole_definition,
    words,
)
from snd_analysis.ide.refactoring.selection import (
    COMPILE_TIME,
    EXPRESSIONS,
    Selected,
    SelectedExpression,
    SelectedSymbols,
    is_compile_time,
    kinds_of,
    selected_expression,
    selected_statements,
    symbols_of,
    uses_inside,
)
from snd_analysis.model import Shape, Tensor
from snd_analysis.skriptnd.names import OperatorName, Symbol
from snd_analysis.skriptnd.syntax import is_identifier, keywords, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import ItemRun
from snd_analysis.workspace import Snapshot

_NAME = "extracted"
# ---- names a selected expression by a helper symbol of `@using`, or by a local value of a formula --------------------
_INDENT = "    "
_EXTENTS = ("n", "m", "k", "l", "p", "q", "r", "s", "t", "u", "v", "w")
_PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def extract_operator(snapshot: Snapshot, path: str, span: Span) -> Sequence[Refactored]:
    """Return the edits that make an operator of the selected statements. Raise RefactoringError."""
    selected = selected_statements(snapshot, path, span)
    if selected is None:
        raise RefactoringError("select statements of one '@compose' block")
    knowledge = Knowledge(snapshot, path, selected.start, selected.definition)
    symbols = symbols_of(knowledge, selected)
    if not symbols.written:
        raise RefactoringError("nothing uses the results of these statements")
    name = fresh(_NAME, {*snapshot.definitions(path), *words(snapshot.source(path).text)})
    reason = ""
    for generic in (True, False):
        edits = _edits(knowledge, selected, symbols, name, generic)
        changed = snapshot.changed({path: edited(snapshot.source(path).text, edits)})
        problem = new_problem(snapshot, changed, path)
        if problem is None:
            what = f"extracted the operator '{name}'"
            return (Refactored(knowledge.name, edits, what, moves_variables=True),)
        reason = problem
    raise RefactoringError(f"the operator would not be right: {reason}")


# ---- text ------------------------------------------------------------------------------------------------------------
def _edits(
    knowledge: Knowledge, selected: Selected, symbols: SelectedSymbols, name: str, generic: bool
) -> tuple[TextEdit, ...]:
    source = knowledge.snapshot.source(knowledge.path)
    line_break = "\r\n" if "\r\n" in source.text else "\n"
    around = source.text[selected.start + selected.definition.start : selected.start + selected.definition.end]
    names = _ExtentNames({*words(around), *keywords()}, generic)
    inputs = {each.name: names.shape(_tensor(knowledge, each)) for each in symbols.read}
    bound = {extent.removesuffix("..") for shape in inputs.values() for extent in shape}
    scalars = [each for each in symbols.scalars if each.name not in bound]
    body = indented(source.text, selected.span.start, selected.span.end, 2 * _INDENT)

    def text(outputs: Mapping[str, Sequence[str]]) -> str:
        blocks = {
            BlockKind.DTYPE: _dtypes(knowledge, symbols),
            BlockKind.ATTRIB: [f"{each.name}: {_scalar_type(knowledge, each)};" for each in scalars],
            BlockKind.INPUT: [_declared(knowledge, each, inputs[each.name]) for each in symbols.read],
            BlockKind.OUTPUT: [_declared(knowledge, each, outputs[each.name]) for each in symbols.written],
            BlockKind.COMPOSE: [body],
        }
        lines = [f"operator {name} {{"]
        for kind, entries in blocks.items():
            if entries:
                lines += [f"{_INDENT}@{kind} {{", *(f"{2 * _INDENT}{each}" for each in entries), f"{_INDENT}}}"]
        return "\n".join([*lines, "}"]).replace("\r\n", "\n").replace("\n", line_break)

    before = whole_definition(knowledge.snapshot, knowledge.path, selected.start, selected.definition).start
    attributes = ", ".join(f"{each.name}={each.name}" for each in scalars)
    results = ", ".join(each.name for each in symbols.written)
    arguments = ", ".join(each.name for each in symbols.read)
    given = f"{{{attributes}}}" if attributes else ""
    invocation = TextEdit(Location(knowledge.path, selected.span), f"{results} = {name}{given}({arguments});")

    def edits(outputs: Mapping[str, Sequence[str]]) -> tuple[TextEdit, ...]:
        place = Location(knowledge.path, Span(before, before))
        return TextEdit(place, f"{text(outputs)}{2 * line_break}"), invocation

    # The outputs get the shapes that the operator itself composes.
    open_ = edits({each.name: ("~..",) for each in symbols.written})
    changed = knowledge.snapshot.changed({knowledge.path: edited(source.text, open_)})
    return edits(_output_shapes(changed, OperatorName(knowledge.path, name), symbols))


def _output_shapes(changed: Snapshot, name: OperatorName, symbols: SelectedSymbols) -> dict[str, list[str]]:
    definition, composed = changed.definition(name), changed.specialization(name)
    if definition is None or composed is None:
        raise RefactoringError("the operator can't be composed")
    resolution = changed.resolution(name.path, definition)
    known = {*keywords(), *(each.name for each in resolution.symbols)}
    shapes = {}
    for each in symbols.written:
        symbol = resolution.symbol(each.name)
        value = None if symbol is None else composed.scope.value_of(symbol)
        if not isinstance(value, Tensor) or value.shape is None:
            raise RefactoringError(f"the shape of '{each.name}' is not known")
        extents = shapes[each.name] = [_extent(part) for part in value.shape]
        if not all(map(is_written_out, extents)) or not words(" ".join(extents)) <= known:
            raise RefactoringError(f"the shape of '{each.name}' can't be written in a declaration")
    return shapes


def _extent(part: Integer | ItemRun) -> str:
    """Return an extent as declarations have it."""
    return f"{part.element}.." if isinstance(part, ItemRun) else extent_text(part)


def _tensor(knowledge: Knowledge, symbol: Symbol) -> Shape:
    _tensor_type(knowledge, symbol)
    value = knowledge.value_of(symbol)
    if not isinstance(value, Tensor) or value.shape is None:
        raise RefactoringError(f"the shape of '{symbol.name}' is not known")
    return value.shape


def _tensor_type(knowledge: Knowledge, symbol: Symbol) -> str:
    """Return the type of the items of a tensor that can be an input or an output."""
    type_ = knowledge.context.typed(symbol).type
    if type_ is None:
        raise RefactoringError(f"the type of '{symbol.name}' is not known")
    if type_.packed or type_.optional:
        raise RefactoringError(
            f"'{symbol.name}' {'is a pack' if type_.packed else 'may be null'}: it can't be passed on"
        )
    return str(type_.dtype)


class _ExtentNames:
    """Names for the extents of inputs: the names of the surrounding definition, and new names for other extents.

    If they are ``generic``, each number has a name of its own, else it stays a number.
    """

    def __init__(self, taken: set[str], generic: bool) -> None:
        self._generic = generic
        self._taken = taken
        self._known: dict[str, str] = {}

    def shape(self, shape: Shape) -> list[str]:
        """Return the extents of an input as its declaration has them."""
        return [self._text(_extent(part)) for part in shape]

    def _text(self, text: str) -> str:
        name, dots = text.removesuffix(".."), ".." if text.endswith("..") else ""
        if _PLAIN.fullmatch(name):
            return text
        if name.isdigit():
            return self._new() if self._generic else text
        if text not in self._known:
            self._known[text] = self._new() + dots
        return self._known[text]

    def _new(self) -> str:
        free = next((each for each in _EXTENTS if each not in self._taken), None)
        if free is None:
            return fresh(_EXTENTS[0], self._taken)
        self._taken.add(free)
        return free


def _declared(knowledge: Knowledge, symbol: Symbol, shape: Sequence[str]) -> str:
    return f"{symbol.name}: {_tensor_type(knowledge, symbol)}[{', '.join(shape)}];"


def _scalar_type(knowledge: Knowledge, symbol: Symbol) -> str:
    type_ = knowledge.context.typed(symbol).type
    if type_ is None:
        raise RefactoringError(f"the type of '{symbol.name}' is not known")
    return f"{'optional ' if type_.optional else ''}{type_.dtype}{'..' if type_.packed else ''}"


def _dtypes(knowledge: Knowledge, symbols: SelectedSymbols) -> list[str]:
    """Return the declarations of the generic types that the operator names."""
    types = [knowledge.context.typed(each).type for each in (*symbols.read, *symbols.written, *symbols.scalars)]
    named = {*symbols.dtypes, *(str(each.dtype) for each in types if each is not None)}
    declared = nodes.entries_of(knowledge.definition, BlockKind.DTYPE, nodes.DtypeDeclaration)
    return [f"{knowledge.source(node, base)};" for base, node in declared if node.name.text in named]


# ---- names a selected expression by a helper symbol of `@using`, or by a local value of a formula --------------------
PLACES, ALL = "places", "all"
"""The name of the option for the replaced places, and its value for all equal expressions."""
_NEW_NAME = "value"
_DECLARING = (BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT)


def introduce_name(snapshot: Snapshot, asked: Asked) -> Sequence[Refactored]:
    """Return the edits that name a selected expression. Raise RefactoringError."""
    selected = selected_expression(snapshot, asked.path, asked.span)
    if selected is None:
        raise RefactoringError("select a whole expression")
    knowledge = Knowledge(snapshot, asked.path, selected.start, selected.definition)
    source, name = snapshot.source(asked.path).text, free_name(snapshot, asked, selected)
    text = source[selected.span.start : selected.span.end]
    if kinds_of(knowledge, selected.span) <= COMPILE_TIME:
        declared, what = _helper_edit(source, asked.path, selected, f"{name} = {text};"), "helper symbol"
    elif selected.block.kind is BlockKind.LOWER:
        declared, what = _local_edit(asked.path, selected, f"{name} = {text}"), "local value"
    else:
        raise RefactoringError("only an expression that is known at compile time, or one of a formula, can have a name")
    places = equal_expressions(snapshot, asked.path, selected) if asked.text(PLACES) == ALL else [selected.span]
    edits = (declared, *(TextEdit(Location(asked.path, each), name) for each in places))
    told = f"introduced the {what} '{name}'{f' in {len(places)} places' if len(places) > 1 else ''}"
    return (checked(snapshot, Refactored(knowledge.name, edits, told)),)


def equal_expressions(snapshot: Snapshot, path: str, selected: SelectedExpression) -> list[Span]:
    """Return the places of all expressions equal to the selected one that can see a name for it."""
    knowledge, source = Knowledge(snapshot, path, selected.start, selected.definition), snapshot.source(path).text
    wanted = _spelled(knowledge, source, selected.span)
    found = [
        place
        for entry in _seeing(snapshot, path, selected)
        for node in nodes.descendants(entry.statement)
        if isinstance(node, EXPRESSIONS)
        and _spelled(knowledge, source, place := node.span.shifted(entry.start + selected.start)) == wanted
    ]
    return [each for each in dict.fromkeys(found) if not _is_before(each, selected)] or [selected.span]


def _seeing(snapshot: Snapshot, path: str, selected: SelectedExpression) -> Iterator[nodes.Entry]:
    """Yield the entries that see a name for the selected expression: one formula, or all below a helper symbol."""
    is_local = not is_compile_time(snapshot, path, selected)
    is_helper = selected.block.kind is BlockKind.USING
    for block in selected.definition.blocks:
        if not isinstance(block, nodes.Block) or block.kind in _DECLARING:
            continue
        for entry in block.entries:
            span = entry.span.shifted(selected.start)
            if is_local:
                is_seeing = span == selected.entry.span
            else:
                is_seeing = block.kind is not BlockKind.USING or (is_helper and span.end > selected.span.start)
            if is_seeing:
                yield entry


def _is_before(place: Span, selected: SelectedExpression) -> bool:
    """Return whether a place stands in a local value of the formula before the one that declares the new name."""
    entry, base = selected.entry, selected.entry.base
    statement = entry.node.statement if isinstance(entry.node, nodes.Entry) else None
    spans = [each.span.shifted(base) for each in statement.locals] if isinstance(statement, nodes.Lowering) else []
    return any(each.end <= selected.span.start and each.start <= place.start < each.end for each in spans)


def _spelled(knowledge: Knowledge, source: str, span: Span) -> tuple[str, tuple[object, ...]]:
    """Return the text of an expression without blanks, with the symbols that it names."""
    inside = uses_inside(knowledge.resolution, span.shifted(-knowledge.start))
    return "".join(source[span.start : span.end].split()), tuple(each.target for each in inside)


def free_name(snapshot: Snapshot, asked: Asked, selected: SelectedExpression) -> str:
    """Return the name in the options, or one that is free in the definition. Raise RefactoringError."""
    around = selected.definition.span.shifted(selected.start)
    taken = {*words(snapshot.source(asked.path).text[around.start : around.end]), *keywords()}
    given = asked.text("name")
    if given is not None and (not is_identifier(given) or given in taken):
        raise RefactoringError(f"'{given}' is no name that is free here")
    return given or fresh(_NEW_NAME, taken)


def _helper_edit(source: str, path: str, selected: SelectedExpression, text: str) -> TextEdit:
    """Return the edit that declares a helper symbol: before the one that needs it, or after all others."""
    line_break = "\r\n" if "\r\n" in source else "\n"
    if selected.block.kind is BlockKind.USING:
        return _inserted(path, selected.entry.span.start, f"{text}{_gap(source, selected.entry.span.start)}")
    blocks = [each for each in selected.definition.blocks if isinstance(each, nodes.Block)]
    using = [each for each in blocks if each.kind is BlockKind.USING and each.entries]
    if using:
        last = list(using[-1].entries)[-1]
        at = selected.start + last.end
        return _inserted(path, at, f"{_gap(source, selected.start + last.start)}{text}")
    before = [each for each in blocks if each.kind in _DECLARING]
    if not before:
        raise RefactoringError("there is no block after which '@using' could stand")
    at = selected.start + max(each.end for each in before)
    indent = f"{line_break}{_INDENT}"
    return _inserted(path, at, f"{indent}@{BlockKind.USING} {{{indent}{_INDENT}{text}{indent}}}")


def _local_edit(path: str, selected: SelectedExpression, text: str) -> TextEdit:
    """Return the edit that declares a local value: before the one that needs it, or after all others."""
    formula, base = selected.entry.node, selected.entry.base
    lowering = formula.statement if isinstance(formula, nodes.Entry) else formula
    if not isinstance(lowering, nodes.Lowering):
        raise RefactoringError("select an expression of a formula")
    for each in lowering.locals:
        span = each.span.shifted(base)
        if span.start <= selected.span.start and selected.span.end <= span.end:
            return _inserted(path, span.start, f"{text}, ")
    if lowering.locals:
        return _inserted(path, lowering.locals[-1].span.shifted(base).end, f", {text}")
    return _inserted(path, lowering.target.span.shifted(base).start, f"with {text}: ")


def _gap(source: str, at: int) -> str:
    """Return the text between entries: a line break with the indentation of the entry at an offset, or a blank."""
    line = source[source.rfind("\n", 0, at) + 1 : at]
    return ("\r\n" if "\r\n" in source else "\n") + line if not line.strip() else " "


def _inserted(path: str, at: int, text: str) -> TextEdit:
    return TextEdit(Location(path, Span(at, at)), text)
