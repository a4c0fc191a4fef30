"""Meaning of every token of a file, for colours that a grammar of regular expressions can't know."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.db import Database, query
from snd_analysis.skriptnd.names import (
    BUILT_INS,
    AttributeName,
    BuiltIn,
    GroupRow,
    ModuleName,
    OperatorName,
    Role,
    ShapeMember,
    Symbol,
    SymbolKind,
    Use,
    is_library,
)
from snd_analysis.skriptnd.syntax import Chunk, Token, keywords, nodes, string_parts, tokenize
from snd_analysis.workspace import Snapshot

# ---- guessed subjects of names in broken code, which nothing resolves, since nothing parses it -----------------------
Guess: TypeAlias = "Symbol | OperatorName | ModuleName | BuiltIn"


def broken_spans(chunk: Chunk) -> Iterator[Span]:
    """Yield the parts of a chunk that could not be read."""
    for item in chunk.document.items:
        if isinstance(item, nodes.ErrorItem):
            yield item.span
        for block in item.blocks if isinstance(item, nodes.Definition) else ():
            if isinstance(block, nodes.ErrorBlock):
                yield block.span
                continue
            for start, group in block.entries.groups:
                for entry in () if group.is_read else group.entries:
                    if isinstance(entry.statement, nodes.ErrorEntry):
                        yield entry.span.shifted(start)


def guessed(
    snapshot: Snapshot, path: str, definition: nodes.Definition | None, text: str, tokens: Sequence[Token], at: int
) -> Guess | None:
    """Return the likely subject of the name at a token: a symbol of the definition, an operator or a module.

    Spans of the tokens count in ``text``.
    """
    module_scope = snapshot.module_scope(path)
    word = tokens[at].spelling(text)
    if at > 1 and tokens[at - 1].kind == "DOT" and tokens[at - 2].kind == "ID":
        return module_scope.operator((tokens[at - 2].spelling(text), word))
    if at + 1 < len(tokens) and tokens[at + 1].kind == "DOT":
        module = module_scope.module((word,))
        if module is not None:
            return ModuleName(module.path)
    symbol = None if definition is None else snapshot.resolution(path, definition).symbol(word)
    if symbol is not None:
        return symbol
    found = module_scope.operator((word,))
    return found or (BuiltIn(word) if word in BUILT_INS else None)


# ---- meaning of every token of a file, for colours that a grammar of regular expressions can't know ------------------
class TokenType(StrEnum):
    """Kind of a token."""

    MODULE = "module"
    OPERATOR = "operator"
    GRAPH = "graph"
    GENERIC = "generic type"
    ATTRIBUTE = "attribute"
    EXTENT = "extent"
    """An extent, or the length of a pack."""
    INPUT = "input"
    OUTPUT = "output"
    CONSTANT = "constant"
    VARIABLE = "variable"
    TENSOR = "tensor"
    """An intermediate result, or a loop variable that holds tensors."""
    HELPER = "helper symbol"
    """A helper symbol, or a local value of a formula."""
    INDEX = "index"
    LABEL = "label"
    FUNCTION = "built-in function"
    MEMBER = "member"
    """``shape``, ``rank`` or ``size`` of a tensor."""
    KEYWORD = "keyword"
    BLOCK = "block"
    TYPE = "type"
    STRING = "string"
    FIELD = "field"
    """The braces of an expression in a string."""
    NUMBER = "number"
    SYMBOL = "symbol"
    COMMENT = "comment"
    SAMPLE = "sample"
    """A comment line that belongs to a sample."""
    DIRECTIVE = "directive"
    """A comment that suppresses diagnostics."""


class Modifier(StrEnum):
    """Further properties of a name."""

    DECLARATION = "declaration"
    DEFINITION = "definition"
    """A declaration that defines the name."""
    READONLY = "readonly"
    DEFAULT_LIBRARY = "default library"


class SemanticToken(Struct, frozen=True):
    """A token where it stands in the file; a string may run over several lines."""

    span: Span
    type: TokenType
    modifiers: frozenset[Modifier] = frozenset()


_KINDS = {
    SymbolKind.DTYPE: TokenType.GENERIC,
    SymbolKind.ATTRIBUTE: TokenType.ATTRIBUTE,
    SymbolKind.INPUT: TokenType.INPUT,
    SymbolKind.OUTPUT: TokenType.OUTPUT,
    SymbolKind.CONSTANT: TokenType.CONSTANT,
    SymbolKind.VARIABLE: TokenType.VARIABLE,
    SymbolKind.EXTENT: TokenType.EXTENT,
    SymbolKind.LENGTH: TokenType.EXTENT,
    SymbolKind.USING: TokenType.HELPER,
    SymbolKind.LOCAL: TokenType.HELPER,
    SymbolKind.INDEX: TokenType.INDEX,
    SymbolKind.LABEL: TokenType.LABEL,
}
_DEFINED = frozenset({SymbolKind.USING, SymbolKind.LOCAL, SymbolKind.TENSOR, SymbolKind.CONSTANT, SymbolKind.CARRY})
_CHANGING = frozenset({SymbolKind.VARIABLE, SymbolKind.CARRY, SymbolKind.OUTPUT, SymbolKind.TENSOR, SymbolKind.LABEL})
_MEMBERS = frozenset({"shape", "rank", "size"})
_TENSORS = frozenset(
    {TokenType.INPUT, TokenType.OUTPUT, TokenType.CONSTANT, TokenType.VARIABLE, TokenType.TENSOR}
)  # fmt: skip
_PUNCTUATION = frozenset(
    {"LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE", "COMMA", "SEMI", "COLON", "DOT", "ILLEGAL"}
)  # fmt: skip
_WORD = re.compile(r"\w+")
_DIRECTIVE = re.compile(r"#\s*snd:\s*ignore")
_IN_BLOCK = 2
"""Number of open braces around a statement."""

_Meaning = tuple[TokenType, frozenset[Modifier]]
_PLAIN: frozenset[Modifier] = frozenset()
_LIBRARY = frozenset({Modifier.DEFAULT_LIBRARY})
_MEMBER = TokenType.MEMBER, frozenset({Modifier.READONLY, Modifier.DEFAULT_LIBRARY})
_NUMBER, _TYPE, _BLOCK = (TokenType.NUMBER, _PLAIN), (TokenType.TYPE, _LIBRARY), (TokenType.BLOCK, _PLAIN)
_KEYWORD, _SYMBOL = (TokenType.KEYWORD, _PLAIN), (TokenType.SYMBOL, _PLAIN)


class TokenGroup(Struct, frozen=True):
    """The tokens of a piece of a file, in order and without overlaps; their spans count from ``start``.

    The tokens of a whole piece are the same object as long as nothing in them changes, wherever the piece stands.
    """

    start: int
    tokens: tuple[SemanticToken, ...]


def semantic_tokens(snapshot: Snapshot, path: str, within: Span | None = None) -> list[SemanticToken]:
    """Return the tokens of a file, or those that touch ``within``, in order and without overlaps.

    Undefined names are left out, as are brackets and the like.
    """
    return [
        SemanticToken(token.span.shifted(group.start), token.type, token.modifiers)
        for group in token_groups(snapshot, path, within)
        for token in group.tokens
    ]


def token_groups(snapshot: Snapshot, path: str, within: Span | None = None) -> list[TokenGroup]:
    """Return the same by pieces: chunks, and groups of statements in long blocks.

    Only the pieces that an edit has changed are looked at again.
    """
    samples = [placed.sample.span.shifted(placed.start) for placed in snapshot.samples(path)]
    found: list[TokenGroup] = []
    for placed in snapshot.tree(path).chunks:
        chunk = placed.chunk
        if within is not None and not _touch(Span(0, len(chunk.text)).shifted(placed.start), within):
            continue
        for piece, rows in _pieces(snapshot, path, chunk):
            span = piece.shifted(placed.start)
            if within is not None and not _touch(span, within):
                continue
            inside = _between(samples, span)
            if rows:
                tokens = _tokens_of_rows(snapshot.db, rows, chunk.text[piece.start : piece.end], inside)
            else:
                tokens = _tokens(snapshot.db, path, chunk, piece, inside)
            if within is not None:
                part = within.shifted(-span.start)
                tokens = tuple(token for token in tokens if _touch(token.span, part))
            found.append(TokenGroup(span.start, tokens))
    return found


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _between(spans: Sequence[Span], place: Span) -> tuple[Span, ...]:
    """Return the sorted spans that touch a place; they count from its start."""
    first = bisect_right(spans, place.start, key=lambda span: span.end)
    end = bisect_left(spans, place.end, key=lambda span: span.start)
    return tuple(span.shifted(-place.start) for span in spans[first:end])


# ---- pieces ----------------------------------------------------------------------------------------------------------
def _pieces(snapshot: Snapshot, path: str, chunk: Chunk) -> Iterator[tuple[Span, tuple[GroupRow, ...]]]:
    """Yield the pieces of a chunk in order: groups of statements, and the text between long blocks.

    The rows are empty unless they have all names of the piece.
    """
    end = 0
    for definition in chunk.definitions:
        long = [each.entries for each in definition.blocks if isinstance(each, nodes.Block) and each.entries.is_long]
        rows: dict[nodes.Group, tuple[GroupRow, ...]] = {}
        for row in snapshot.resolution(path, definition).all_rows if long else ():
            if isinstance(row, GroupRow):
                rows[row.group] = (*rows.get(row.group, ()), row)
        for entries in long:
            starts = [start for start, _ in entries.groups]
            yield Span(end, starts[0]), ()
            end = entries[-1].end
            for (start, group), stop in zip(entries.groups, [*starts[1:], end], strict=True):
                found = rows.get(group, ())
                is_whole = all(len(row.parts) == len(group.entries) for row in found)
                yield Span(start, stop), found if is_whole else ()
    yield Span(end, len(chunk.text)), ()


@query
def _tokens_of_rows(
    db: Database, rows: tuple[GroupRow, ...], text: str, samples: tuple[Span, ...]
) -> tuple[SemanticToken, ...]:
    """Return the tokens of a group of statements, which has this text, with the samples in it."""
    starts = rows[0].group.starts
    names: dict[int, _Meaning] = {}
    for row in rows:
        uses = (Use(use.span.shifted(starts[statement]), use.target, use.role) for statement, use in row.uses)
        _add_uses(Snapshot(db), uses, text, 0, names)
    tokens = tokenize(text, depth=_IN_BLOCK)
    return _in_order(_lexical(text, tokens.tokens, names), _comments(text, tokens.comments, samples))


@query
def _tokens(
    db: Database, path: str, chunk: Chunk, piece: Span, samples: tuple[Span, ...]
) -> tuple[SemanticToken, ...]:  # fmt: skip
    """Return the tokens of a piece of a chunk, with the samples in it."""
    snapshot, text = Snapshot(db), chunk.text[piece.start : piece.end]
    tokens = tokenize(text, depth=_IN_BLOCK if piece.start else 0)
    names = _names(snapshot, path, chunk, piece)
    _add_guesses(snapshot, path, chunk, piece, tokens.tokens, names)
    return _in_order(_lexical(text, tokens.tokens, names), _comments(text, tokens.comments, samples))


def _in_order(code: Iterable[SemanticToken], comments: Iterable[SemanticToken]) -> tuple[SemanticToken, ...]:
    return tuple(sorted((*code, *comments), key=lambda token: token.span.start))


# ---- code ------------------------------------------------------------------------------------------------------------
def _lexical(text: str, tokens: Sequence[Token], names: Mapping[int, _Meaning]) -> Iterator[SemanticToken]:
    """Yield the tokens of a text."""
    words = keywords()
    after_tensor = after_dot = False
    for token in tokens:
        kind, start, end, _ = token
        meaning: _Meaning | None = None
        if kind == "ID":
            meaning = names.get(start)
            if after_dot and after_tensor and text[start:end] in _MEMBERS:
                meaning = _MEMBER
        elif kind in _PUNCTUATION:
            pass
        elif kind == "STRING":
            yield from _string(text, token, names)
        elif kind == "INT" or kind == "REAL":
            meaning = _NUMBER
        elif kind == "TYPE":
            meaning = _TYPE
        elif kind.startswith("B_"):
            meaning = _BLOCK
        elif kind in ("VERSION", "EXTENSION") or text[start:end] in words:
            meaning = _KEYWORD
        elif end > start:
            meaning = _SYMBOL
        if meaning is not None:
            yield SemanticToken(Span(start, end), *meaning)
        if kind == "DOT":
            after_dot = True
        else:
            after_tensor, after_dot = meaning is not None and meaning[0] in _TENSORS, False


def _string(text: str, token: Token, names: Mapping[int, _Meaning]) -> Iterator[SemanticToken]:
    """Yield a string in pieces: its text, and the expressions in it."""
    fields: list[Span] = []
    if "{" in text[token.start : token.end]:

        def read(start: int, end: int) -> nodes.Expression:
            fields.append(Span(start, end))
            return nodes.ErrorExpression(start, end)

        string_parts(text, token.start, token.end, 0, [], read)
    at = token.start
    for field in fields:
        opening, closing = text.rfind("{", at, field.start + 1), text.find("}", field.end)
        if opening < at or closing < 0 or closing >= token.end:
            continue
        if opening > at:
            yield SemanticToken(Span(at, opening), TokenType.STRING)
        yield SemanticToken(Span(opening, opening + 1), TokenType.FIELD)
        yield from _lexical(text, tokenize(text, field.start, field.end).tokens, names)
        yield SemanticToken(Span(closing, closing + 1), TokenType.FIELD)
        at = closing + 1
    if at < token.end:
        yield SemanticToken(Span(at, token.end), TokenType.STRING)


# ---- names -----------------------------------------------------------------------------------------------------------
def _names(snapshot: Snapshot, path: str, chunk: Chunk, piece: Span) -> dict[int, _Meaning]:
    """Return the meanings of the names in a piece of a chunk, by their starts in the piece."""
    found: dict[int, _Meaning] = {}
    first = piece.start
    for item in chunk.document.items:
        match item:
            case nodes.Import():
                imports = {each.node: each.path for each in snapshot.imports(path)}
                for module in item.modules:
                    for word in module.parts:
                        found[word.start - first] = (TokenType.MODULE, _of_library(imports.get(module) or ""))
            case nodes.Extension():
                for extension in item.names:
                    found[extension.start - first] = (TokenType.MODULE, _PLAIN)
            case nodes.Definition():
                kind = TokenType.GRAPH if item.kind == "graph" else TokenType.OPERATOR
                own = {Modifier.DEFINITION, Modifier.DEFAULT_LIBRARY} if is_library(path) else {Modifier.DEFINITION}
                found[item.name.start - first] = (kind, frozenset(own))
                _add_uses(snapshot, snapshot.resolution(path, item).uses_in(piece), chunk.text, first, found)
    return found


def _add_uses(snapshot: Snapshot, uses: Iterable[Use], text: str, first: int, found: dict[int, _Meaning]) -> None:
    """Add the meanings of the names in a text, by their starts, counted from ``first``."""
    kinds: dict[OperatorName, TokenType] = {}
    for use in uses:
        meaning = _meaning(snapshot, use, kinds)
        start, end = use.span.start, use.span.end
        if "." in text[start:end]:
            for word in _WORD.finditer(text, start, end):
                found[word.start() - first] = meaning
        else:
            found[start - first] = meaning


def _add_guesses(
    snapshot: Snapshot, path: str, chunk: Chunk, piece: Span, tokens: Sequence[Token], found: dict[int, _Meaning]
) -> None:
    """Add guessed meanings of names in unparsed text: their colours should not come and go during typing."""
    broken = deque(span.shifted(-piece.start) for span in sorted(broken_spans(chunk)) if _touch(span, piece))
    if not broken:
        return
    end = 0
    definition = next(chunk.definitions, None)
    kinds: dict[OperatorName, TokenType] = {}
    for at, token in enumerate(tokens):
        while broken and broken[0].start <= token.start:
            end = max(end, broken.popleft().end)
        if token.kind == "ID" and token.start < end and token.start not in found:
            target = guessed(snapshot, path, definition, chunk.text[piece.start : piece.end], tokens, at)
            if target is not None:
                found[token.start] = _meaning(snapshot, Use(Span(token.start, token.end), target, Role.READ), kinds)


def _meaning(snapshot: Snapshot, use: Use, kinds: dict[OperatorName, TokenType]) -> _Meaning:
    match use.target:
        case Symbol() as symbol:
            return _symbol(symbol.kind, use.role)
        case ShapeMember(tensor=symbol):
            return _symbol(symbol.kind, use.role)
        case BuiltIn():
            return TokenType.FUNCTION, frozenset({Modifier.READONLY, Modifier.DEFAULT_LIBRARY})
        case OperatorName() as name:
            if name not in kinds:
                kinds[name] = _definition_kind(snapshot, name)
            return kinds[name], _of_library(name.path)
        case ModuleName(path=path):
            return TokenType.MODULE, _of_library(path)
        case AttributeName(operator=operator):
            return TokenType.ATTRIBUTE, _of_library(operator.path) | {Modifier.READONLY}


def _definition_kind(snapshot: Snapshot, name: OperatorName) -> TokenType:
    if is_library(name.path):
        return TokenType.OPERATOR
    definition = snapshot.definition(name)
    return TokenType.GRAPH if definition is not None and definition.kind == "graph" else TokenType.OPERATOR


def _of_library(path: str) -> frozenset[Modifier]:
    return _LIBRARY if is_library(path) else _PLAIN


@cache
def _symbol(kind: SymbolKind, role: Role) -> _Meaning:
    modifiers = set[Modifier]()
    if role is Role.DECLARATION:
        modifiers.add(Modifier.DEFINITION if kind in _DEFINED else Modifier.DECLARATION)
    if kind not in _CHANGING:
        modifiers.add(Modifier.READONLY)
    return _KINDS.get(kind, TokenType.TENSOR), frozenset(modifiers)


# ---- comments --------------------------------------------------------------------------------------------------------
def _comments(text: str, comments: Iterable[Span], samples: Sequence[Span]) -> Iterator[SemanticToken]:
    for span in comments:
        kind = TokenType.COMMENT
        at = bisect_right(samples, span.start, key=lambda sample: sample.start) - 1
        if at >= 0 and span.start < samples[at].end:
            kind = TokenType.SAMPLE
        elif _DIRECTIVE.match(text, span.start):
            kind = TokenType.DIRECTIVE
        yield SemanticToken(span, kind)
