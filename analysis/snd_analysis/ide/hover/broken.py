"""Hovers of names in statements that could not be read."""

from __future__ import annotations

from bisect import bisect_right

from snd_analysis.base import Span
from snd_analysis.ide.cursor import chunk_at, tokens_around
from snd_analysis.ide.guesses import broken_spans, guessed
from snd_analysis.ide.hover.definitions import attribute_text, definition_text, module_text
from snd_analysis.ide.hover.symbols import symbol_text
from snd_analysis.ide.hover.words import function_text
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.open_invocation import Section, invocation_at, operator_named
from snd_analysis.skriptnd.names import BuiltIn, ModuleName, OperatorName, Symbol
from snd_analysis.workspace import Snapshot


def broken_hover(snapshot: Snapshot, path: str, offset: int, knowledge: Knowledge | None) -> tuple[Span, str] | None:
    """Return the likely meaning of the name at an offset of broken code; None where the code is not broken."""
    placed = chunk_at(snapshot.tree(path), offset)
    if placed is None:
        return None
    place = offset - placed.start
    around = next((span for span in broken_spans(placed.chunk) if span.start <= place <= span.end), None)
    if around is None:
        return None
    tokens = tokens_around(placed.chunk, place, around.end)
    at = bisect_right(tokens, place, key=lambda token: token.start) - 1
    if at < 0 or tokens[at].kind != "ID" or tokens[at].end < place:
        return None
    span = Span(tokens[at].start, tokens[at].end).shifted(placed.start)
    text = _attribute(snapshot, path, span)
    if not text:
        definition = None if knowledge is None else knowledge.definition
        match guessed(snapshot, path, definition, placed.chunk.text, tokens, at):
            case Symbol() as symbol if knowledge is not None:
                text = symbol_text(knowledge, symbol)
            case OperatorName() as name:
                text = definition_text(snapshot, name, path)
            case ModuleName(path=target):
                text = module_text(snapshot, target, tokens[at].spelling(placed.chunk.text))
            case BuiltIn(name=function):
                text = function_text(function)
    return (span, text) if text else None


def _attribute(snapshot: Snapshot, path: str, span: Span) -> str:
    """Return the attribute of an invocation, if one is named there."""
    opened = invocation_at(snapshot, path, span.end)
    if opened is None or opened.section is not Section.ATTRIBUTES or len(opened.items[-1]) != 1:
        return ""
    operator = operator_named(snapshot, path, opened.name)
    return "" if operator is None else attribute_text(snapshot, operator, opened.written, "", path)
