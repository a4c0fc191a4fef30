"""Comments that suppress the diagnostics at a place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Rule, Span
from snd_analysis.ide.actions.action import Action, ActionKind, Request
from snd_analysis.ide.cursor import chunk_at
from snd_analysis.skriptnd import lints

_IGNORE = re.compile(r"[ \t]*#\s*snd:\s*ignore\s*\[[^\]\r\n]*(?=\])")
_REASON = "TODO: say why"


def suppress(request: Request) -> Iterator[Action]:
    """For each rule that is broken at a place, a comment above the line that suppresses it there, with its reason."""
    never = {
        lints.BLANKET_SUPPRESSION,
        lints.UNKNOWN_DIRECTIVE,
        lints.UNKNOWN_RULE_IN_SUPPRESSION,
        lints.UNUSED_SUPPRESSION,
        # A text that can't be read is no matter of taste: nothing would compile it.
        rules.ILLEGAL_CHARACTER,
        rules.KEYWORD_AS_NAME,
        rules.MALFORMED_FORMAT,
        rules.MALFORMED_NUMBER,
        rules.NESTING_TOO_DEEP,
        rules.SYNTAX_ERROR,
        rules.UNCLOSED_BRACKET,
        rules.UNCLOSED_STRING,
    }
    told: set[Rule] = set()
    for found in request.here:
        if found.rule in told or found.rule in never or not _can_be_above(request, found):
            continue
        told.add(found.rule)
        yield _comment(request, found)


def _comment(request: Request, found: Diagnostic) -> Action:
    source = request.snapshot.source(request.path)
    line = source.position(found.location.span.start).line
    start = source.line_starts[line - 1]
    title = f"suppress '{found.rule.name}' here"
    above = _IGNORE.match(source.line_text(line - 1))
    if above is not None:
        at = source.line_starts[line - 2] + above.end()
        return Action(title, ActionKind.QUICK_FIX, (request.edit(at, at, f", {found.rule.name}"),), (found,))
    text = source.line_text(line)
    indent = text[: len(text) - len(text.lstrip(" \t"))]
    ends = re.match(r"[^\r\n]*(\r\n|\n|\r)", source.text[start:])
    comment = f"{indent}# snd: ignore[{found.rule.name}] {_REASON}{ends[1] if ends else chr(10)}"
    return Action(title, ActionKind.QUICK_FIX, (request.edit(start, start, comment),), (found,))


def _can_be_above(request: Request, found: Diagnostic) -> bool:
    """Return whether a comment can be inserted above the line.

    It can't in a string or a comment, and the head of a file has no line.
    """
    span = found.location.span
    if span == Span(0, 0):
        return False
    source = request.snapshot.source(request.path)
    start = source.line_starts[source.position(span.start).line - 1]
    if source.line_text(source.position(span.start).line).lstrip().startswith(("#", "\ufeff")):
        return False
    chunk = chunk_at(request.tree, start)
    if chunk is None or any(comment.start <= span.start < comment.end for comment in request.tree.comments):
        return False
    at = start - chunk.start
    return not any(token.start < at < token.end for token in chunk.chunk.tokens.tokens)
