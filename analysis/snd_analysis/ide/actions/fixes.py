"""The fixes that rules offer: one, all of a rule, all that are safe."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Fix, Rule, Severity, Span, TextEdit
from snd_analysis.ide.actions.action import Action, ActionKind, Request
from snd_analysis.ide.completion.operators import importable
from snd_analysis.ide.cursor import chunk_at
from snd_analysis.skriptnd import lints
from snd_analysis.skriptnd.lints import without_statement
from snd_analysis.skriptnd.names import is_library, library_names
from snd_analysis.skriptnd.syntax import nodes


def fixes(request: Request) -> Iterator[Action]:
    """Yield the fixes of problems at a place, and of equal problems elsewhere in the file."""
    told: set[Rule] = set()
    for found in request.here:
        for other in found.alternatives:
            yield Action(other.title, ActionKind.QUICK_FIX, other.edits, (found,))
        if found.fix is None:
            continue
        yield Action(found.fix.title, ActionKind.QUICK_FIX, found.fix.edits, (found,), found.fix.safe)
        same = [each for each in request.diagnostics if each.rule == found.rule and each.fix is not None]
        if found.rule not in told and len(same) > 1:
            told.add(found.rule)
            edits, fixed = together(same)
            if len(fixed) > 1:
                yield Action(f"fix all of '{found.rule.name}' ({len(fixed)})", ActionKind.QUICK_FIX, edits, fixed)


def fix_all(request: Request) -> Iterator[Action]:
    """Yield all safe fixes of the file that can be made at once."""
    edits, fixed = together(each for each in request.diagnostics if each.fix is not None and each.fix.safe)
    if fixed:
        yield Action("fix all that can be fixed safely", ActionKind.FIX_ALL, edits, fixed)


def together(diagnostics: Iterable[Diagnostic]) -> tuple[tuple[TextEdit, ...], tuple[Diagnostic, ...]]:
    """Return the edits of compatible fixes, and the fixed diagnostics. Earlier fixes win."""
    edits: list[TextEdit] = []
    chosen: list[Fix] = []
    fixed: list[Diagnostic] = []
    for found in diagnostics:
        fix = found.fix
        assert fix is not None
        if any(_collide(fix, other) for other in chosen):
            continue
        if not any(fix.edits == other.edits for other in chosen):
            # An import serves all that need it; parentheses at one place belong to one expression each.
            edits += [edit for edit in fix.edits if not (_is_import(edit) and edit in edits)]
            chosen.append(fix)
        fixed.append(found)
    return tuple(sorted(edits, key=lambda edit: edit.location)), tuple(fixed)


def _collide(first: Fix, second: Fix) -> bool:
    if first.edits == second.edits or _are_nested(first, second):
        return False
    return any(_conflict(edit, other) for edit in first.edits for other in second.edits)


def _are_nested(first: Fix, second: Fix) -> bool:
    """Return whether both put parentheses around expressions that contain each other."""
    one, other = _parenthesised(first), _parenthesised(second)
    if one is None or other is None or first.edits[0].location.path != second.edits[0].location.path:
        return False
    return (one.start <= other.start and other.end <= one.end) or (other.start <= one.start and one.end <= other.end)


def _parenthesised(fix: Fix) -> Span | None:
    """Return the span that a fix puts parentheses around, if it does nothing else."""
    if [edit.text for edit in fix.edits] != ["(", ")"]:
        return None
    opening, closing = (edit.location.span for edit in fix.edits)
    is_around = opening.start == opening.end < closing.start == closing.end
    return Span(opening.start, closing.end) if is_around else None


def _conflict(first: TextEdit, second: TextEdit) -> bool:
    if first.location.path != second.location.path or (_is_import(first) and _is_import(second)):
        return False
    one, other = first.location.span, second.location.span
    if one.start == one.end or other.start == other.end:  # an insertion beside another edit: their order is a guess
        return one.start <= other.end and other.start <= one.end
    return one.start < other.end and other.start < one.end


def _is_import(edit: TextEdit) -> bool:
    """Return whether an edit inserts an import; several such edits can follow each other."""
    span = edit.location.span
    return span.start == span.end and edit.text.strip().startswith("import ")


# ---- imports: in order, and of the modules that are missing ----------------------------------------------------------
_QUALIFIER = re.compile(r"(?:\b[A-Za-z_]\w*\s*\.\s*)+\Z", re.ASCII)
# Names of modules are shorter.
_FAR = 300


def organize_imports(request: Request) -> Iterator[Action]:
    """Sort the imports and leave out unused ones; the number of statements stays one or several."""
    items = request.snapshot.imports(request.path)
    problems = [found for found in request.diagnostics if found.location.span in {item.span for item in items}]
    if not items or any(True for _ in request.tree.problems) or any(
        found.severity is Severity.ERROR for found in problems
    ):  # fmt: skip
        return
    statements = list(
        dict.fromkeys((item.base + item.statement.start, item.base + item.statement.end) for item in items)
    )
    start, end = statements[0][0], statements[-1][1]
    if any(start < comment.start < end for comment in request.tree.comments) or _others(request, start, end):
        return
    unneeded = {found.location.span for found in problems if _is_unneeded(found)}
    names = sorted({item.node.text for item in items if item.span not in unneeded})
    lines = [f"import {name};" for name in names] if len(statements) > 1 else [f"import {', '.join(names)};"]
    text = _line_break(request.text).join(lines) if names else ""
    if not text:
        gone = without_statement(request.text, Span(start, end))
        start, end = gone.start, gone.end
    if text != request.text[start:end]:
        fixed = tuple(found for found in problems if _is_unneeded(found))
        yield Action("organize imports", ActionKind.ORGANIZE_IMPORTS, (request.edit(start, end, text),), fixed)


def _others(request: Request, start: int, end: int) -> bool:
    """Return whether anything but imports stands among them."""
    return any(
        not isinstance(item, nodes.Import) and start <= placed.start + item.start < end
        for placed in request.tree.chunks
        for item in placed.chunk.document.items
    )


def _line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def missing_imports(request: Request, files: Sequence[str]) -> Iterator[Action]:
    """Import a module that has the operator which is missing here, and name it in full."""
    for found in request.here:
        span = found.location.span
        name = request.text[span.start : span.end]
        if found.rule != rules.UNKNOWN_OPERATOR or not name.isidentifier():
            continue
        # With the module that it was looked for in.
        qualifier = _QUALIFIER.search(request.text, max(span.start - _FAR, 0), span.start)
        start = qualifier.start() if qualifier else span.start
        imported = request.snapshot.module_scope(request.path).imports
        for module, path in importable(request.snapshot, request.path, files):
            if module in imported:
                continue
            names = library_names(module).definitions if is_library(path) else request.snapshot.definitions(path)
            if name in names and not name.startswith("_"):
                edits = (
                    request.snapshot.import_edit(request.path, module),
                    request.edit(start, span.end, f"{module}.{name}"),
                )
                title = f"import '{module}' and write '{module}.{name}'"
                yield Action(title, ActionKind.QUICK_FIX, edits, (found,))


def _is_unneeded(found: Diagnostic) -> bool:
    return found.rule in (lints.UNUSED_IMPORT, lints.DUPLICATE_IMPORT)


# ---- comments that suppress the diagnostics at a place ---------------------------------------------------------------
_IGNORE = re.compile(r"[ \t]*#\s*snd:\s*ignore\s*\[[^\]\r\n]*(?=\])")
_REASON = "TODO: say why"


def suppress(request: Request) -> Iterator[Action]:
    """Yield, for each rule broken at a place, the insertion of a comment that suppresses the rule in the line."""
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
