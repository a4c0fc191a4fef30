"""The unfinished invocation at an offset: its name, the open bracket, and the tokens in it.

Tokens before the offset are used, not the tree: an unfinished statement is broken most of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from snd_analysis.ide.cursor import chunk_at, comment_at, tokens_around
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import Token
from snd_analysis.workspace import Snapshot

_OPENING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
_CLOSING = {closing: opening for opening, closing in _OPENING.items()}
_ANGLES = frozenset({"LGENERIC", "LT"})
_IN_GENERICS = frozenset({"ID", "TYPE", "COMMA"})
_DEFINING = frozenset({"OPERATOR", "GRAPH"})


class Section(StrEnum):
    """A part of an invocation."""

    GENERICS = "generics"
    ATTRIBUTES = "attributes"
    ARGUMENTS = "arguments"


class OpenInvocation(Struct, frozen=True):
    """An invocation that an offset stands in; tokens count from the start of the chunk."""

    name: str
    section: Section
    items: tuple[tuple[Token, ...], ...]
    """The tokens between the bracket and the offset, by commas; the last item is unfinished."""
    written: str
    """The first name in the last item; empty if it has none."""
    given: tuple[str, ...]
    """The attributes that are given before."""
    place: int
    """Offset of the start of the name in the file."""


# ---- the tokens before the offset ------------------------------------------------------------------------------------
def invocation_at(snapshot: Snapshot, path: str, offset: int) -> OpenInvocation | None:
    """Return the innermost bracket around an offset that belongs to an invocation, a cast or a built-in function."""
    tree = snapshot.tree(path)
    placed = chunk_at(tree, offset)
    if placed is None or comment_at(tree, offset) is not None:
        return None
    place = offset - placed.start
    text = placed.chunk.text
    tokens = [token for token in tokens_around(placed.chunk, place, place) if token.end <= place]
    at: int | None = len(tokens)
    while at is not None and (at := _opening(tokens, at)) is not None:
        section, callee = _callee(tokens, at)
        if section is None or callee is None:
            continue
        start, end = callee
        name = "".join(text[token.start : token.end] for token in tokens[start:end])
        items = _items(tokens[at + 1 :])
        given = _given(text, tokens[end:at] if section is Section.ARGUMENTS else (), items[:-1], section)
        first = items[-1][0] if items[-1] else None
        written = text[first.start : first.end] if first is not None and first.kind == "ID" else ""
        return OpenInvocation(name, section, items, written, given, placed.start + tokens[start].start)
    return None


def _opening(tokens: Sequence[Token], before: int) -> int | None:
    """Return the last bracket before a token that is still open there; None if a statement or block begins first."""
    pending: list[str] = []
    only_types = True
    for at in range(before - 1, -1, -1):
        kind = tokens[at].kind
        if kind in _CLOSING:
            pending.append(_CLOSING[kind])
        elif kind in _OPENING:
            if not pending:
                return at
            if kind in pending:  # a bracket between them is unclosed
                while pending.pop() != kind:
                    pass
        elif pending:
            continue
        elif kind in _ANGLES and only_types and at and tokens[at - 1].kind == "ID":
            return at
        elif kind == "SEMI" or kind.startswith("B_"):
            return None
        only_types = only_types and kind in _IN_GENERICS
    return None


def _callee(tokens: Sequence[Token], at: int) -> tuple[Section | None, tuple[int, int] | None]:
    """Return the part of an invocation that a bracket opens, and the tokens of the name before it."""
    kind = tokens[at].kind
    if kind in _ANGLES:
        return Section.GENERICS, _name(tokens, at)
    if kind == "LSQB":
        return None, None
    section = Section.ATTRIBUTES if kind == "LBRACE" else Section.ARGUMENTS
    end = at
    if section is Section.ARGUMENTS and end and tokens[end - 1].kind == "RBRACE":
        end = _matching(tokens, end - 1, "LBRACE", "RBRACE")
    if end and tokens[end - 1].kind == "GT":
        end = _generics(tokens, end - 1)
    return section, _name(tokens, end)


def _matching(tokens: Sequence[Token], closing: int, opening_kind: str, closing_kind: str) -> int:
    depth = 0
    for at in range(closing, -1, -1):
        depth += (tokens[at].kind == closing_kind) - (tokens[at].kind == opening_kind)
        if not depth:
            return at
    return 0


def _generics(tokens: Sequence[Token], closing: int) -> int:
    """Return where ``<…>`` begins; after its end if it is something else."""
    at = closing - 1
    while at >= 0 and tokens[at].kind in _IN_GENERICS:
        at -= 1
    return at if at >= 0 and tokens[at].kind in _ANGLES else closing + 1


def _name(tokens: Sequence[Token], end: int) -> tuple[int, int] | None:
    start = end
    while start and tokens[start - 1].kind == ("DOT" if (end - start) % 2 else "ID"):
        start -= 1
    if (end - start) % 2 == 0:
        start += 1
    if end <= start or (start and tokens[start - 1].kind in _DEFINING):
        return None
    return start, end


def _items(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], ...]:
    items: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind in _OPENING:
            depth += 1
        elif token.kind in _CLOSING:
            depth -= 1
        if token.kind == "COMMA" and not depth:
            items.append([])
        else:
            items[-1].append(token)
    return tuple(map(tuple, items))


def _given(
    text: str, attributes: Sequence[Token], items: Sequence[Sequence[Token]], section: Section
) -> tuple[str, ...]:
    parts = items if section is Section.ATTRIBUTES else _items(attributes[1:]) if attributes else ()
    return tuple(text[part[0].start : part[0].end] for part in parts if part and part[0].kind == "ID")


def operator_named(snapshot: Snapshot, path: str, text: str) -> OperatorName | None:
    """Return the operator or graph of a name in a file.

    It may be in a library module that the file does not import.
    """
    module_scope = snapshot.module_scope(path)
    parts = tuple(text.split("."))
    found = module_scope.operator(parts)
    if found is None and len(parts) > 1:
        module = module_scope.available.get(".".join(parts[:-1]))
        if module is not None and parts[-1] in module.definitions:
            found = OperatorName(module.path, parts[-1])
    return found
