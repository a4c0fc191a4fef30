"""The modules that a file imports, as the rules about imports see them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from snd_analysis.base import Edit, Span
from snd_analysis.skriptnd.syntax import PlacedChunk, SyntaxTree, keywords, nodes

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


def removal(item: ImportedName) -> Edit:
    """Return the edit that takes an imported module out of its file: the statement, or its name alone."""
    names = item.statement.modules
    if len(names) == 1:
        return Edit(item.whole, "")
    at = names.index(item.node)
    if at == 0:
        return Edit(Span(item.node.start, names[1].start).shifted(item.base), "")
    return Edit(Span(names[at - 1].end, item.node.end).shifted(item.base), "")
