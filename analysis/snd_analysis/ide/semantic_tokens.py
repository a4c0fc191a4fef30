"""What every token of a file is, by meaning: for colours that a grammar of regular expressions can't know."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.db import Database, query
from snd_analysis.ide.cursor import tokens_around
from snd_analysis.ide.guesses import broken_spans, guessed
from snd_analysis.skriptnd.names import (
    AttributeName,
    BuiltIn,
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


class TokenType(StrEnum):
    """What a token is."""

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
    """An intermediate result, or what stands for tensors in a loop."""
    HELPER = "helper symbol"
    """Also a local value of a formula."""
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
    """What else there is to say of a name."""

    DECLARATION = "declaration"
    DEFINITION = "definition"
    """A declaration that says what the name stands for."""
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

_Meaning = tuple[TokenType, frozenset[Modifier]]
_PLAIN: frozenset[Modifier] = frozenset()
_LIBRARY = frozenset({Modifier.DEFAULT_LIBRARY})
_MEMBER = TokenType.MEMBER, frozenset({Modifier.READONLY, Modifier.DEFAULT_LIBRARY})
_NUMBER, _TYPE, _BLOCK = (TokenType.NUMBER, _PLAIN), (TokenType.TYPE, _LIBRARY), (TokenType.BLOCK, _PLAIN)
_KEYWORD, _SYMBOL = (TokenType.KEYWORD, _PLAIN), (TokenType.SYMBOL, _PLAIN)


class TokenGroup(Struct, frozen=True):
    """The tokens of a chunk, in order and without overlaps; their spans count from ``start``.

    The tokens of a whole chunk are the same object as long as nothing in them changes, wherever the chunk stands.
    """

    start: int
    tokens: tuple[SemanticToken, ...]


def semantic_tokens(snapshot: Snapshot, path: str, within: Span | None = None) -> list[SemanticToken]:
    """Return the tokens of a file, or those that touch ``within``, in order and without overlaps.

    Names that stand for nothing are left out, as are brackets and the like.
    """
    return [
        SemanticToken(token.span.shifted(group.start), token.type, token.modifiers)
        for group in token_groups(snapshot, path, within)
        for token in group.tokens
    ]


def token_groups(snapshot: Snapshot, path: str, within: Span | None = None) -> list[TokenGroup]:
    """Return the same by chunks. Only the chunks that an edit has changed are looked at again."""
    samples = [placed.sample.span.shifted(placed.start) for placed in snapshot.samples(path)]
    found: list[TokenGroup] = []
    for placed in snapshot.tree(path).chunks:
        start, chunk = placed.start, placed.chunk
        whole = Span(start, start + len(chunk.text))
        if within is not None and not _touch(whole, within):
            continue
        inside = tuple(each.shifted(-start) for each in samples if _touch(each, whole))
        if within is None or (within.start <= whole.start and whole.end <= within.end):
            found.append(TokenGroup(start, _tokens(snapshot.db, path, chunk, inside)))
            continue
        part = within.shifted(-start)
        tokens = _tokens_in(snapshot, path, chunk, inside, Span(max(part.start, 0), min(part.end, len(chunk.text))))
        found.append(TokenGroup(start, tuple(token for token in tokens if _touch(token.span, part))))
    return found


@query
def _tokens(db: Database, path: str, chunk: Chunk, samples: tuple[Span, ...]) -> tuple[SemanticToken, ...]:
    """Return the tokens of a chunk of a file, with these samples in it."""
    return tuple(_tokens_in(Snapshot(db), path, chunk, samples, Span(0, len(chunk.text))))


def _tokens_in(
    snapshot: Snapshot, path: str, chunk: Chunk, samples: Sequence[Span], part: Span
) -> list[SemanticToken]:  # fmt: skip
    """Return the tokens that touch a part of a chunk; a few more may be among them."""
    tokens = [*_code(snapshot, path, chunk, part), *_comments(chunk, samples)]
    tokens.sort(key=lambda token: token.span.start)
    return tokens


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


# ---- code ------------------------------------------------------------------------------------------------------------
def _code(snapshot: Snapshot, path: str, chunk: Chunk, part: Span) -> Iterator[SemanticToken]:
    whole = part == Span(0, len(chunk.text))
    tokens = chunk.tokens.tokens if whole else tokens_around(chunk, part.start, part.end)
    if not tokens:
        return
    names = _names(snapshot, path, chunk, Span(tokens[0].start, tokens[-1].end))
    _add_guesses(snapshot, path, chunk, tokens, names)
    yield from _lexical(chunk.text, tokens, names)


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
    """Yield a string in pieces: what it says, and the expressions in it."""
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
def _names(snapshot: Snapshot, path: str, chunk: Chunk, part: Span) -> dict[int, _Meaning]:
    """Return what the names in a part of a chunk mean, by where they begin in the chunk."""
    found: dict[int, _Meaning] = {}
    for item in chunk.document.items:
        match item:
            case nodes.Import():
                imports = {each.node: each.path for each in snapshot.imports(path)}
                for module in item.modules:
                    for word in module.parts:
                        found[word.start] = (TokenType.MODULE, _of_library(imports.get(module) or ""))
            case nodes.Extension():
                for extension in item.names:
                    found[extension.start] = (TokenType.MODULE, _PLAIN)
            case nodes.Definition():
                kind = TokenType.GRAPH if item.kind == "graph" else TokenType.OPERATOR
                own = {Modifier.DEFINITION, Modifier.DEFAULT_LIBRARY} if is_library(path) else {Modifier.DEFINITION}
                found[item.name.start] = (kind, frozenset(own))
                uses = (use for use in snapshot.resolution(path, item).uses if _touch(use.span, part))
                _add_uses(snapshot, uses, chunk.text, found)
    return found


def _add_uses(snapshot: Snapshot, uses: Iterable[Use], text: str, found: dict[int, _Meaning]) -> None:
    kinds: dict[OperatorName, TokenType] = {}
    for use in uses:
        meaning = _meaning(snapshot, use, kinds)
        start, end = use.span.start, use.span.end
        if "." in text[start:end]:
            for word in _WORD.finditer(text, start, end):
                found[word.start()] = meaning
        else:
            found[start] = meaning


def _add_guesses(
    snapshot: Snapshot, path: str, chunk: Chunk, tokens: Sequence[Token], found: dict[int, _Meaning]
) -> None:
    """Names in what could not be read: their colours should not come and go while somebody types."""
    broken = deque(sorted(broken_spans(chunk), key=lambda span: span.start))
    if not broken:
        return
    end = 0
    definition = next(chunk.definitions, None)
    kinds: dict[OperatorName, TokenType] = {}
    for at, token in enumerate(tokens):
        while broken and broken[0].start <= token.start:
            end = max(end, broken.popleft().end)
        if token.kind == "ID" and token.start < end and token.start not in found:
            target = guessed(snapshot, path, definition, chunk.text, tokens, at)
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
def _comments(chunk: Chunk, samples: Sequence[Span]) -> Iterator[SemanticToken]:
    for span in chunk.comments:
        kind = TokenType.COMMENT
        at = bisect_right(samples, span.start, key=lambda sample: sample.start) - 1
        if at >= 0 and span.start < samples[at].end:
            kind = TokenType.SAMPLE
        elif _DIRECTIVE.match(chunk.text, span.start):
            kind = TokenType.DIRECTIVE
        yield SemanticToken(span, kind)
