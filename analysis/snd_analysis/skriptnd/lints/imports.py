"""The modules that a file imports, and rules about them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from snd_analysis.base import Edit, Elsewhere, Note, Problem, Repair, Rule, Severity, Span
from snd_analysis.rules import check_of
from snd_analysis.skriptnd.syntax import PlacedChunk, SyntaxTree, close_matches, keywords, nodes

DUPLICATE_IMPORT = Rule("duplicate-import", section="2.15", severity=Severity.WARNING)
GRAPH_IN_IMPORTED_MODULE = Rule("graph-in-imported-module", section="2.15")
MODULE_NOT_FOUND = Rule("module-not-found", section="2.15")
SHADOWED_MODULE = Rule("shadowed-module", section="LANGUAGE", severity=Severity.WARNING)
UNUSED_IMPORT = Rule("unused-import", section="tool", severity=Severity.HINT)

_BLANKS_BEFORE = re.compile(r"[ \t]*\Z")
_BLANKS_AFTER = re.compile(r"[ \t]*")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))+")
# The beginning of the text or a blank line stands before this.
_NOTHING_BEFORE = re.compile(r"(?:\A\ufeff?|(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n))\Z")
# Maximum distance to look back for blanks: a line of blanks is shorter.
_FAR = 200


class ImportedName(Struct, frozen=True):
    """A module name in an import statement, with the module that it was resolved to."""

    node: nodes.Qualified
    statement: nodes.Import
    base: int
    path: str | None
    shadowed: str | None
    """A module of the standard library that a file of the same name shadows."""
    graphs: tuple[str, ...]
    whole: Span
    """Span to delete in order to delete the statement (``without_statement``)."""

    @property
    def span(self) -> Span:
        """Return the place of the name in the file."""
        return self.node.span.shifted(self.base)


class Imports(Struct, frozen=True):
    """The imports of a file: the subject of the checks below."""

    names: tuple[ImportedName, ...]
    used: frozenset[str]
    """Names of modules that the file uses."""
    known: tuple[str, ...]
    """Names of all modules that the file could import."""


def imported_names(placed: PlacedChunk) -> Iterator[tuple[nodes.Import, nodes.Qualified]]:
    """Return the readable module names in the import statements of a chunk."""
    for item in placed.chunk.document.items:
        if isinstance(item, nodes.Import):
            yield from ((item, name) for name in item.modules if _is_name(name))


def without_statement(text: str, span: Span) -> Span:
    """Return the span to delete in order to delete a statement.

    This is the whole line if nothing else stands on it, with the blank lines after it if a blank line or nothing stands
    before it. Otherwise it is the statement with the blanks that separate it from its neighbour.
    """
    before, after = (
        _BLANKS_BEFORE.search(text, max(span.start - _FAR, 0), span.start),
        _BLANKS_AFTER.match(text, span.end),
    )
    start = span.start - (len(before[0]) if before else 0)
    end = after.end() if after else span.end
    begins_line = start == 0 or text[start - 1] in "\r\n\ufeff"
    line_end = _LINE_BREAK.match(text, end)
    if not begins_line:
        return Span(start, span.end)
    if line_end is None:
        return Span(span.start, end) if end < len(text) else Span(start, end)
    end = line_end.end()
    if _NOTHING_BEFORE.search(text, max(start - _FAR, 0), start):
        blank = _BLANK_LINES.match(text, end)
        end = blank.end() if blank else end
    return Span(start, end)


_IMPORTS = ("import", "include", "from", "using", "require")
"""Words that begin an import, here or in another language."""


def imports_are_readable(tree: SyntaxTree) -> bool:
    """Return whether no syntax error hides which modules a file imports."""
    return all(
        all(_is_name(name) for name in item.modules) if isinstance(item, nodes.Import)
        else not (isinstance(item, nodes.ErrorItem) and placed.chunk.text.startswith(_IMPORTS, item.start))
        for placed in tree.chunks
        for item in placed.chunk.document.items
    )  # fmt: skip


def _is_name(module: nodes.Qualified) -> bool:
    return all(part.text and part.text not in keywords() for part in module.parts)


def _removal(item: ImportedName) -> Edit:
    """Return the edit that takes an imported module out of its file: the statement, or its name alone."""
    names = item.statement.modules
    if len(names) == 1:
        return Edit(item.whole, "")
    at = names.index(item.node)
    if at == 0:
        return Edit(Span(item.node.start, names[1].start).shifted(item.base), "")
    return Edit(Span(names[at - 1].end, item.node.end).shifted(item.base), "")


@check_of(Imports)
def _imports(imports: Imports) -> Iterator[Problem]:
    """Report the first problem of each import that is repeated or not found, and all problems of other imports."""
    first: dict[str, ImportedName] = {}
    for item in imports.names:
        earlier = first.setdefault(item.node.text, item)
        if earlier is not item:
            note = Note(earlier.span, "first imported here")
            message = f"the module '{item.node.text}' is imported already"
            yield Problem(DUPLICATE_IMPORT, item.span, message, (note,), Repair("remove the import", (_removal(item),)))
        elif item.path is None:
            yield _module_not_found(item, imports.known)
        else:
            yield from _graph_in_imported_module(item, item.path)
            if item.shadowed is not None:
                message = f"'{item.path}' hides the module '{item.node.text}' of the standard library"
                yield Problem(SHADOWED_MODULE, item.span, message)
            if item.node.text not in imports.used:
                repair = Repair("remove the import", (_removal(item),))
                message = f"the module '{item.node.text}' is imported and never used"
                yield Problem(UNUSED_IMPORT, item.span, message, repair=repair)


def _module_not_found(item: ImportedName, known: tuple[str, ...]) -> Problem:
    name = item.node.text
    close = close_matches(name, known)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    message = (
        f"there is no module '{name}': no '{name.replace('.', '/')}.sknd' beside this file, in the model's "
        f"folder, in 'module-paths' or in the standard library{hint}"
    )
    repair = Repair(f"write '{close[0]}'", (Edit(item.span, close[0]),), safe=False) if close else None
    return Problem(MODULE_NOT_FOUND, item.span, message, repair=repair)


def _graph_in_imported_module(item: ImportedName, path: str) -> Iterator[Problem]:
    if item.graphs:
        notes = tuple(Note(Span(0, 0), f"the graph '{graph}' is here", Elsewhere(path, graph)) for graph in item.graphs)
        message = (
            f"the module '{item.node.text}' contains the graph '{item.graphs[0]}': "
            "only the main module may contain graphs"
        )
        yield Problem(GRAPH_IN_IMPORTED_MODULE, item.span, message, notes)
