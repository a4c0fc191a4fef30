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
from snd_analysis.skriptnd.syntax import PlacedChunk, Token, keywords, nodes, string_parts, tokenize
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


def semantic_tokens(snapshot: Snapshot, path: str, within: Span | None = None) -> list[SemanticToken]:
    """The tokens of a file, or of those of its parts that touch ``within``, in order and without overlaps.

    Names that stand for nothing are left out, as are brackets and the like.
    """
    tree = snapshot.tree(path)
    samples = [placed.sample.span.shifted(placed.start) for placed in snapshot.samples(path)]
    found: list[SemanticToken] = []
    for placed in tree.chunks:
        whole = Span(placed.start, placed.start + len(placed.chunk.text))
        if within is not None and not _touch(whole, within):
            continue
        part = whole if within is None else Span(max(whole.start, within.start), min(whole.end, within.end))
        tokens = [*_code(snapshot, path, placed, part.shifted(-placed.start)), *_comments(placed, samples)]
        tokens.sort(key=lambda token: token.span.start)
        found += tokens
    return found if within is None else [token for token in found if _touch(token.span, within)]


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


# ---- code ------------------------------------------------------------------------------------------------------------
def _code(snapshot: Snapshot, path: str, placed: PlacedChunk, part: Span) -> Iterator[SemanticToken]:
    """The tokens of code that touch a part of a chunk; a few more may be among them."""
    whole = part == Span(0, len(placed.chunk.text))
    tokens = placed.chunk.tokens.tokens if whole else tokens_around(placed.chunk, part.start, part.end)
    if not tokens:
        return
    names = _names(snapshot, path, placed, Span(tokens[0].start, tokens[-1].end))
    _add_guesses(snapshot, path, placed, tokens, names)
    yield from _lexical(placed.chunk.text, tokens, names, placed.start)


def _lexical(
    text: str, tokens: Sequence[Token], names: Mapping[int, _Meaning], offset: int
) -> Iterator[SemanticToken]:  # fmt: skip
    """The tokens of a text that stands at an offset of its file."""
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
            yield from _string(text, token, names, offset)
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
            yield SemanticToken(Span(start + offset, end + offset), *meaning)
        if kind == "DOT":
            after_dot = True
        else:
            after_tensor, after_dot = meaning is not None and meaning[0] in _TENSORS, False


def _string(text: str, token: Token, names: Mapping[int, _Meaning], offset: int) -> Iterator[SemanticToken]:
    """A string in pieces: what it says, and the expressions in it."""
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
            yield SemanticToken(Span(at + offset, opening + offset), TokenType.STRING)
        yield SemanticToken(Span(opening + offset, opening + 1 + offset), TokenType.FIELD)
        yield from _lexical(text, tokenize(text, field.start, field.end).tokens, names, offset)
        yield SemanticToken(Span(closing + offset, closing + 1 + offset), TokenType.FIELD)
        at = closing + 1
    if at < token.end:
        yield SemanticToken(Span(at + offset, token.end + offset), TokenType.STRING)


# ---- names -----------------------------------------------------------------------------------------------------------
def _names(snapshot: Snapshot, path: str, placed: PlacedChunk, part: Span) -> dict[int, _Meaning]:
    """What the names in a part of a chunk mean, by where they begin in the chunk."""
    found: dict[int, _Meaning] = {}
    text = placed.chunk.text
    imports = {each.node: each.path for each in snapshot.imports(path)}
    for item in placed.chunk.document.items:
        if isinstance(item, nodes.Import):
            for module in item.modules:
                for word in module.parts:
                    found[word.start] = (TokenType.MODULE, _of_library(imports.get(module) or ""))
        elif isinstance(item, nodes.Extension):
            for extension in item.names:
                found[extension.start] = (TokenType.MODULE, _PLAIN)
        elif isinstance(item, nodes.Definition):
            kind = TokenType.GRAPH if item.kind == "graph" else TokenType.OPERATOR
            own = {Modifier.DEFINITION, Modifier.DEFAULT_LIBRARY} if is_library(path) else {Modifier.DEFINITION}
            found[item.name.start] = (kind, frozenset(own))
            uses = (use for use in snapshot.resolution(path, item).uses if _touch(use.span, part))
            _add_uses(snapshot, uses, text, found)
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
    snapshot: Snapshot, path: str, placed: PlacedChunk, tokens: Sequence[Token], found: dict[int, _Meaning]
) -> None:
    """Names in what could not be read: their colours should not come and go while somebody types."""
    broken = deque(sorted(broken_spans(placed.chunk), key=lambda span: span.start))
    if not broken:
        return
    end = 0
    definition = next(placed.chunk.definitions, None)
    kinds: dict[OperatorName, TokenType] = {}
    for at, token in enumerate(tokens):
        while broken and broken[0].start <= token.start:
            end = max(end, broken.popleft().end)
        if token.kind == "ID" and token.start < end and token.start not in found:
            target = guessed(snapshot, path, definition, placed.chunk.text, tokens, at)
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
def _comments(placed: PlacedChunk, samples: list[Span]) -> Iterator[SemanticToken]:
    for comment in placed.chunk.comments:
        span = comment.shifted(placed.start)
        kind = TokenType.COMMENT
        at = bisect_right(samples, span.start, key=lambda sample: sample.start) - 1
        if at >= 0 and span.start < samples[at].end:
            kind = TokenType.SAMPLE
        elif _DIRECTIVE.match(placed.chunk.text, comment.start):
            kind = TokenType.DIRECTIVE
        yield SemanticToken(span, kind)
