"""Colours by meaning: full, by range, and as changes since the last time.

Clients that have a grammar of the language announce it among their experimental capabilities (``grammar``), and get
only tokens that no grammar knows: a grammar distinguishes parts of strings, keywords and samples, which have one type
here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from lsprotocol import types
from msgspec import Struct

from snd_analysis.base import Source, Span
from snd_analysis.ide import Modifier, SemanticToken, TokenGroup, TokenType, front_end
from snd_analysis.workspace import Snapshot
from snd_server.lsp.limits import MOST_REMEMBERED_TOKENS
from snd_server.lsp.session.abilities import takes
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.wire.positions import Converter
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_FIELDS = 5
"""Numbers for each token: lines and columns from the one before, length, type, modifiers."""

_INT = "i"
"""Type of arrays of these numbers: long ones are joined and compared in a fraction of the time of lists."""

_GRAMMAR = "grammar"

_Types = types.SemanticTokenTypes
_Modifiers = types.SemanticTokenModifiers

# Types that every editor has a colour for.
_TYPES = {
    TokenType.MODULE: _Types.Namespace,
    TokenType.OPERATOR: _Types.Function,
    TokenType.GRAPH: _Types.Class,
    TokenType.GENERIC: _Types.TypeParameter,
    TokenType.ATTRIBUTE: _Types.Property,
    TokenType.EXTENT: _Types.EnumMember,
    TokenType.INPUT: _Types.Parameter,
    TokenType.OUTPUT: _Types.Parameter,
    TokenType.CONSTANT: _Types.Variable,
    TokenType.VARIABLE: _Types.Variable,
    TokenType.TENSOR: _Types.Variable,
    TokenType.HELPER: _Types.Variable,
    TokenType.INDEX: _Types.Variable,
    TokenType.LABEL: _Types.Namespace,
    TokenType.FUNCTION: _Types.Function,
    TokenType.MEMBER: _Types.Property,
    TokenType.KEYWORD: _Types.Keyword,
    TokenType.BLOCK: _Types.Decorator,
    TokenType.TYPE: _Types.Type,
    TokenType.STRING: _Types.String,
    TokenType.FIELD: _Types.Operator,
    TokenType.NUMBER: _Types.Number,
    TokenType.SYMBOL: _Types.Operator,
    TokenType.COMMENT: _Types.Comment,
    TokenType.SAMPLE: _Types.Comment,
    TokenType.DIRECTIVE: _Types.Macro,
}
_MODIFIERS = {
    Modifier.DECLARATION: _Modifiers.Declaration,
    Modifier.DEFINITION: _Modifiers.Definition,
    Modifier.READONLY: _Modifiers.Readonly,
    Modifier.DEFAULT_LIBRARY: _Modifiers.DefaultLibrary,
}
_KNOWN_TO_GRAMMARS = frozenset(
    {
        TokenType.KEYWORD, TokenType.BLOCK, TokenType.TYPE, TokenType.STRING, TokenType.FIELD, TokenType.NUMBER,
        TokenType.SYMBOL, TokenType.COMMENT, TokenType.SAMPLE, TokenType.DIRECTIVE,
    }
)  # fmt: skip
_LEGEND_TYPES = tuple(dict.fromkeys(_TYPES.values()))
_LEGEND_MODIFIERS = (*_MODIFIERS.values(), _Modifiers.Documentation)
_TYPE_NUMBERS = {kind: _LEGEND_TYPES.index(name) for kind, name in _TYPES.items()}
_MODIFIER_BITS = {each: 1 << _LEGEND_MODIFIERS.index(name) for each, name in _MODIFIERS.items()}
_DOCUMENTATION = 1 << _LEGEND_MODIFIERS.index(_Modifiers.Documentation)

LEGEND = types.SemanticTokensLegend([str(each.value) for each in _LEGEND_TYPES],
                                    [str(each.value) for each in _LEGEND_MODIFIERS])  # fmt: skip


class _Sent:
    """The last tokens that clients have of each document, by path, each with a number."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[str, array[int]]] = OrderedDict()
        self._count = 0

    def remember(self, path: str, data: array[int]) -> str:
        """Keep the sent tokens, and return an identifier for them."""
        self._count += 1
        self._known[path] = str(self._count), data
        self._known.move_to_end(path)
        if len(self._known) > MOST_REMEMBERED_TOKENS:
            self._known.popitem(last=False)
        return str(self._count)

    def data(self, path: str, result_id: str) -> array[int] | None:
        """Return the data sent under that identifier; None if it is not known any more."""
        known = self._known.get(path)
        return known[1] if known is not None and known[0] == result_id else None


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    sent, encoder = _Sent(), _Encoder()

    async def whole(session: ClientSession, path: str) -> array[int]:
        return await session.ask(path, lambda snapshot, _: encoder.whole(session, snapshot, path), if_unchanged=True)

    async def full(session: ClientSession, params: types.SemanticTokensParams) -> types.SemanticTokens:
        path = path_of(params.text_document.uri)
        data = await whole(session, path)
        return types.SemanticTokens(data.tolist(), sent.remember(path, data))

    async def delta(
        session: ClientSession, params: types.SemanticTokensDeltaParams
    ) -> types.SemanticTokens | types.SemanticTokensDelta:
        path = path_of(params.text_document.uri)
        data = await whole(session, path)
        before = sent.data(path, params.previous_result_id)
        result = sent.remember(path, data)
        if before is None:
            return types.SemanticTokens(data.tolist(), result)
        return types.SemanticTokensDelta([*_edits(before, data)], result)

    server.answer(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, full, LEGEND)
    server.answer(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, delta, LEGEND)
    server.answer(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, _range, LEGEND)


class _Encoded(Struct, frozen=True):
    """The tokens of a group as the protocol has them, and where they leave off."""

    tokens: tuple[SemanticToken, ...]
    data: array[int]
    """Encoded tokens. Lines count from the first line of the group, columns in this line from its start."""
    line: int
    """The line of the last token."""
    character: int
    """The column of the token."""


class _Encoder:
    """Encoder of the tokens of files; for a file encoded before, only changes are encoded."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, dict[int, _Encoded]] = OrderedDict()
        """Last encoded tokens of each file, by the identity of the tokens."""

    def whole(self, session: ClientSession, snapshot: Snapshot, path: str) -> array[int]:
        """Return the tokens of a file."""
        source = snapshot.source(path)
        column = session.converter.columns(source)
        before = self._known.pop(path, {})
        now = self._known[path] = {}
        if len(self._known) > MOST_REMEMBERED_TOKENS:
            self._known.popitem(last=False)
        data = array(_INT)
        line = character = 0
        for group in front_end(path).tokens(snapshot, path, None):
            known = before.get(id(group.tokens)) or _encoded_group(session, source, group)
            if not known.data:
                continue
            now[id(group.tokens)] = known
            first = bisect_right(source.line_starts, group.start) - 1
            begin = column(first, group.start)
            at = len(data)
            data += known.data
            if not data[at]:
                data[at + 1] += begin - character if first == line else begin
            data[at] += first - line
            line, character = first + known.line, known.character if known.line else begin + known.character
        return data


def _encoded_group(session: ClientSession, source: Source, group: TokenGroup) -> _Encoded:
    end = group.start + max((token.span.end for token in group.tokens), default=0)
    piece = Source(source.path, source.text[group.start : end])
    data = encoded(session.converter, piece, _shown(session, group.tokens))
    line = character = 0
    for down, right in zip(data[::_FIELDS], data[1::_FIELDS], strict=True):
        line, character = line + down, right if down else character + right
    return _Encoded(group.tokens, array(_INT, data), line, character)


def _shown(session: ClientSession, tokens: Iterable[SemanticToken]) -> list[SemanticToken]:
    """Return the tokens that the client does not know by itself."""
    if takes(session.capabilities, _GRAMMAR):
        return [token for token in tokens if token.type not in _KNOWN_TO_GRAMMARS]
    return [*tokens]


async def _range(session: ClientSession, params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
    path = path_of(params.text_document.uri)

    def answer(snapshot: Snapshot, question: Question) -> list[int]:
        source = snapshot.source(path)
        groups = front_end(path).tokens(snapshot, path, session.converter.span(source, params.range))
        placed = (
            SemanticToken(token.span.shifted(group.start), token.type, token.modifiers)
            for group in groups
            for token in group.tokens
        )
        return encoded(session.converter, source, _shown(session, placed))

    return types.SemanticTokens(await session.ask(path, answer, if_unchanged=True))


def encoded(converter: Converter, source: Source, tokens: Sequence[SemanticToken]) -> list[int]:
    """Return tokens, in their order, as the protocol has them; one over several lines is one for each."""
    data: list[int] = []
    starts, count = source.line_starts, len(source.line_starts)
    column = converter.columns(source)
    at = line = character = 0
    for token in tokens:
        kind, modifiers = _numbers(token.type, token.modifiers)
        start, end = token.span.start, token.span.end
        while at + 1 < count and starts[at + 1] <= start:
            at += 1
        is_whole = at + 1 == count or end < starts[at + 1]
        pieces = [(at, start, end)] if is_whole else [*_lines(source, token.span)]
        for on, begin, stop in pieces:
            first = column(on, begin)
            data += (
                on - line, first - character if on == line else first, column(on, stop) - first, kind, modifiers
            )  # fmt: skip
            line, character = on, first
    return data


@cache
def _numbers(kind: TokenType, modifiers: frozenset[Modifier]) -> tuple[int, int]:
    """Return the number of a type, and the bits of its modifiers, in the legend."""
    documentation = _DOCUMENTATION if kind is TokenType.SAMPLE else 0
    return _TYPE_NUMBERS[kind], sum((_MODIFIER_BITS[each] for each in modifiers), documentation)


def _lines(source: Source, span: Span) -> Iterator[tuple[int, int, int]]:
    """Yield the lines of a span, counted from 0, each with the offsets between which it is there."""
    first, last = source.position(span.start).line, source.position(span.end).line
    for line in range(first, last + 1):
        start = source.line_starts[line - 1]
        begin, stop = max(start, span.start), min(start + len(source.line_text(line)), span.end)
        if begin < stop:
            yield line - 1, begin, stop


def _edits(before: array[int], now: array[int]) -> Iterator[types.SemanticTokensEdit]:
    """Yield the one edit that makes the new numbers of the old ones; none if they are the same."""
    most = min(len(before), len(now))
    start = _alike(most, lambda first, last: before[first:last] == now[first:last])
    start -= start % _FIELDS
    if start == len(before) == len(now):
        return
    ends = len(before), len(now)
    end = _alike(
        most - start,
        lambda first, last: before[ends[0] - last : ends[0] - first] == now[ends[1] - last : ends[1] - first],
    )
    end -= end % _FIELDS
    yield types.SemanticTokensEdit(start, len(before) - start - end, list(now[start : len(now) - end]))


def _alike(most: int, is_alike: Callable[[int, int], bool]) -> int:
    """Return the number of equal numbers from the start; ``is_alike`` compares a range of them."""
    first, last = 0, most
    while first < last:
        middle = (first + last + 1) // 2
        if is_alike(first, middle):
            first = middle
        else:
            last = middle - 1
    return first
