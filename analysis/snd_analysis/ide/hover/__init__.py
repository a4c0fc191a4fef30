"""Markdown explanations at an offset: names, expressions, words of the language, comments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from snd_analysis import formats
from snd_analysis.base import Span
from snd_analysis.ide.cursor import PlacedNode, PlacedUse, comment_at, import_at, nodes_at, token_at, use_at
from snd_analysis.ide.hover.definitions import attribute_text, broken_hover, comment_hover, definition_text, module_text
from snd_analysis.ide.hover.expressions import (
    entry_of,
    expression_hover,
    expression_text,
    function_text,
    member_text,
    token_text,
)
from snd_analysis.ide.hover.invocations import invocation_texts
from snd_analysis.ide.hover.symbols import scoped_hover, symbol_text
from snd_analysis.ide.knowledge import Knowledge, knowledge_at
from snd_analysis.ide.markdown import Examples, code, first_sample, paragraphs
from snd_analysis.ide.values import value_text
from snd_analysis.skriptnd.names import (
    AttributeName,
    BuiltIn,
    ModuleName,
    OperatorName,
    ShapeMember,
    Symbol,
    SymbolKind,
)
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.workspace import Snapshot

__all__ = ["Hover", "hover"]

_RULE = "---"
_WITH_SYMBOLS = nodes.Select | nodes.Coalesce | nodes.Substitution | nodes.Bounded
"""Expressions with symbols that are no nodes."""


class Hover(Struct, frozen=True):
    """An explanation in Markdown, and the span that it explains."""

    span: Span
    markdown: str


def hover(snapshot: Snapshot, path: str, offset: int, examples: Examples | None = None) -> Hover | None:
    """Return the explanation at an offset of a file; None if there is none. Broken code gives the known part.

    ``examples`` selects the invocation whose values illustrate a definition; by default its first sample.
    """
    found = _found(snapshot, path, offset, examples or partial(first_sample, snapshot))
    return Hover(*found) if found is not None and found[1] else None


def _found(snapshot: Snapshot, path: str, offset: int, examples: Examples) -> tuple[Span, str] | None:
    tree = snapshot.tree(path)
    comment = comment_at(tree, offset)
    if comment is not None:
        return comment_hover(snapshot, path, comment, offset)
    imported = import_at(snapshot, path, offset)
    if imported is not None:
        span, name, target = imported
        return None if target is None else (span, module_text(snapshot, target, name))
    around = nodes_at(tree, offset)
    placed = use_at(snapshot, path, offset)
    if placed is not None and _is_inside(placed.span, offset):
        return placed.span, _use_text(snapshot, placed, around, examples)
    knowledge = knowledge_at(snapshot, path, offset, examples)
    if knowledge is not None:
        span = knowledge.definition.name.span.shifted(knowledge.start)
        if span.start <= offset <= span.end and knowledge.definition.name.text:
            return span, definition_text(snapshot, knowledge.name, path)
        scoped = scoped_hover(knowledge, around, offset)
        if scoped is not None:
            return scoped
    found = _word_or_expression(snapshot, path, offset, knowledge, around)
    if found is None and placed is not None:
        return placed.span, _use_text(snapshot, placed, around, examples)
    return found or broken_hover(snapshot, path, offset, knowledge)


def _is_inside(span: Span, offset: int) -> bool:
    return span.start <= offset < span.end


def _word_or_expression(
    snapshot: Snapshot, path: str, offset: int, knowledge: Knowledge | None, around: Sequence[PlacedNode]
) -> tuple[Span, str] | None:
    tree = snapshot.tree(path)
    token = token_at(tree, offset)
    member = _member(knowledge, around)
    text = "" if token is None or member else token_text(token, tree.text)
    inner = around[-1].node if around else None
    if token is not None and text and not isinstance(inner, nodes.Operator | nodes.Fold | nodes.String | nodes.Text):
        place = Span(token.start, token.end)
        expression = expression_hover(knowledge, around) if knowledge and isinstance(inner, _WITH_SYMBOLS) else None
        return (place, text) if expression is None else (expression[0], paragraphs([text, expression[1]]))
    if knowledge is None or not around:
        return None
    expression = expression_hover(knowledge, around)
    if expression is None or not member:
        return expression
    return expression[0], paragraphs([expression[1], member])


def _member(knowledge: Knowledge | None, around: Sequence[PlacedNode]) -> str:
    """Return the explanation of ``shape``, ``rank`` or ``size`` after a tensor, if one stands there."""
    qualified = next((each.node for each in reversed(around) if isinstance(each.node, nodes.Qualified)), None)
    if knowledge is None or qualified is None:
        return ""
    target = knowledge.resolution.targets.get(qualified)
    return member_text(target) if isinstance(target, ShapeMember) else ""


# ---- names -----------------------------------------------------------------------------------------------------------
def _use_text(snapshot: Snapshot, placed: PlacedUse, around: Sequence[PlacedNode], examples: Examples) -> str:
    knowledge = Knowledge(snapshot, placed.path, placed.start, placed.definition, examples)
    match placed.use.target:
        case Symbol() as symbol:
            return _symbol(knowledge, symbol)
        case ShapeMember(tensor=tensor):
            return _symbol(knowledge, tensor)
        case BuiltIn(name=name):
            call = next((each for each in reversed(around) if isinstance(each.node, nodes.Call)), None)
            value = "" if call is None else expression_text(knowledge, call, entry_of(around))
            return paragraphs([function_text(name), value])
        case OperatorName() as name:
            types, facts = _invocation(knowledge, around)
            definition = definition_text(snapshot, name, placed.path)
            return paragraphs([types, _RULE if types else "", definition, _RULE if facts else "", facts])
        case ModuleName(path=path):
            imported = {item.path: item.node.text for item in snapshot.imports(placed.path)}
            return module_text(snapshot, path, imported.get(path, ""))
        case AttributeName(operator=operator, name=name):
            given = paragraphs([_given(knowledge, around, name), _padding(knowledge, around, operator, name)])
            return attribute_text(snapshot, operator, name, given, placed.path)
    return ""


def _symbol(knowledge: Knowledge, symbol: Symbol) -> str:
    if symbol.kind is SymbolKind.DTYPE:
        specialization = knowledge.specialization
        dtype = None if specialization is None else specialization.scope.dtypes.get(symbol.name)
        known = f"`{symbol.name} = {dtype}` with the defaults" if dtype not in (None, symbol.name) else ""
        by_example = ""
        if knowledge.by_example is not None:
            exemplary, phrase = knowledge.by_example
            given = None if exemplary.specialization is None else exemplary.specialization.scope.dtypes.get(symbol.name)
            by_example = f"`{symbol.name} = {given}` {phrase}" if given not in (None, dtype) else ""
        return paragraphs([symbol_text(knowledge, symbol), known, by_example])
    return symbol_text(knowledge, symbol)


def _call(around: Sequence[PlacedNode]) -> PlacedNode | None:
    return next((each for each in reversed(around) if isinstance(each.node, nodes.Call)), None)


def _invocation(knowledge: Knowledge, around: Sequence[PlacedNode]) -> tuple[str, str]:
    placed = _call(around)
    if placed is None or not isinstance(placed.node, nodes.Call):
        return "", ""
    return invocation_texts(knowledge, placed.node, placed.base - knowledge.start)


def _given(knowledge: Knowledge, around: Sequence[PlacedNode], name: str) -> str:
    """Return the value that an invocation gives to an attribute."""
    text = _given_value(knowledge, around, name)
    here = f"here {code(text)}" if text else ""
    if knowledge.by_example is None:
        return here
    known, phrase = knowledge.by_example
    exemplary = _given_value(known, around, name)
    return ", ".join(filter(None, [here, f"{code(exemplary)} {phrase}" if exemplary not in ("", text) else ""]))


def _padding(knowledge: Knowledge, around: Sequence[PlacedNode], operator: OperatorName, name: str) -> str:
    """Return the family of a padding of TenniS, and the sizes of the result under the other paddings."""
    placed = _call(around)
    if name != "padding" or operator.path != "snd:tennis" or placed is None or not isinstance(placed.node, nodes.Call):
        return ""
    operation = next(iter(knowledge.operations_of(placed.node, placed.base - knowledge.start)), None)
    found = None if operation is None else formats.padding_sizes(operation)
    if found is None:
        return ""
    sizes = {family: " × ".join(map(str, size)) for family, size in found.sizes.items()}
    others = ", ".join(f"{code(family)} {size}" for family, size in sizes.items() if family != found.family)
    return f"family {code(found.family)}: {sizes[found.family]} rows and columns; others would give {others}"


def _given_value(knowledge: Knowledge, around: Sequence[PlacedNode], name: str) -> str:
    placed = _call(around)
    if placed is None or not isinstance(placed.node, nodes.Call):
        return ""
    operations = knowledge.operations_of(placed.node, placed.base - knowledge.start)
    if not operations or name not in operations[0].attributes:
        return ""
    text = value_text(operations[0].attributes[name])
    return f"{name} = {text}" if text else ""
