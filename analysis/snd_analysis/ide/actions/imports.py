"""Imports: in order, and of the modules that are missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Severity, Span
from snd_analysis.ide.actions.action import Action, ActionKind, Request
from snd_analysis.ide.completion.modules import importable
from snd_analysis.skriptnd import lints
from snd_analysis.skriptnd.lints import without_statement
from snd_analysis.skriptnd.names import is_library, library_names
from snd_analysis.skriptnd.syntax import nodes

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
