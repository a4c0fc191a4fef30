"""Meaning of every token of a file in NNEF 1.0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from snd_analysis.base import Span
from snd_analysis.ide.nnef1.operations import known_names
from snd_analysis.ide.nnef1.places import definitions, tree_of
from snd_analysis.ide.semantic_tokens import Modifier, SemanticToken, TokenGroup, TokenType
from snd_analysis.nnef1.names import Spelled, UseForm, declared_symbols, spelled_in
from snd_analysis.nnef1.syntax import BUILT_INS, Nnef1SyntaxTree, nodes, tokenize
from snd_analysis.workspace import Snapshot

_REMEMBERED = 1 << 14
_WORDS = frozenset(
    {"version", "extension", "graph", "fragment", "for", "in", "if", "else", "yield", "true", "false", "lengthof"}
)
_TYPE_NAMES = frozenset({"tensor", "integer", "scalar", "logical", "string"})
_SYMBOLS = frozenset({"=", "+", "-", "*", "/", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "!", "->", "?"})
_LIBRARY = frozenset({Modifier.DEFAULT_LIBRARY})
_PLAIN: frozenset[Modifier] = frozenset()
_KINDS_OF_SOURCES = {
    "external": TokenType.INPUT,
    "tract_core_external": TokenType.INPUT,
    "variable": TokenType.VARIABLE,
    "constant": TokenType.CONSTANT,
}

_Meaning = tuple[TokenType, frozenset[Modifier]]


def token_groups(snapshot: Snapshot, path: str, within: Span | None = None) -> list[TokenGroup]:
    """Return the tokens by pieces of the file. The tokens of a piece stay the same object until it changes."""
    tree = tree_of(snapshot, path)
    span = within or Span(0, len(tree.text))
    fragments = frozenset(each.head.name.text for each in definitions(tree) if each.head.kind == "fragment")
    meanings = _Meanings(fragments, frozenset(known_names(snapshot, path)), declared_symbols(tree))
    found = [*(_comment(tree.text, each) for each in tree.comments), *_pieces(tree, meanings)]
    found.sort(key=lambda each: each.start)
    return [each for each in found if each.tokens and _touches(each, span)]


def line_tokens(
    text: str, lines: Sequence[tuple[int, nodes.Quantization]], comments: Sequence[Span], within: Span | None
) -> list[TokenGroup]:
    """Return the tokens of a file of quantizations by lines."""
    found = [_comment(text, each) for each in comments]
    for start, line in lines:
        names: dict[int, _Meaning | None] = {line.tensor.start: (TokenType.TENSOR, _PLAIN)}
        names[line.operation.function.start] = (TokenType.OPERATOR, _LIBRARY)
        for argument in line.operation.arguments:
            if argument.name is not None:
                names[argument.name.start] = (TokenType.ATTRIBUTE, _LIBRARY)
        piece = text[start : start + line.end]
        found.append(TokenGroup(start, _tokens(piece, tuple(names), tuple(names.values()))))
    found.sort(key=lambda each: each.start)
    return [each for each in found if each.tokens and (within is None or _touches(each, within))]


def _touches(group: TokenGroup, span: Span) -> bool:
    first, last = group.tokens[0].span.start, group.tokens[-1].span.end
    return group.start + first <= span.end and span.start <= group.start + last


def _comment(text: str, span: Span) -> TokenGroup:
    return TokenGroup(span.start, _comment_tokens(text[span.start : span.end]))


@lru_cache(maxsize=512)
def _comment_tokens(comment: str) -> tuple[SemanticToken, ...]:
    return (SemanticToken(Span(0, len(comment)), TokenType.COMMENT),)


def _pieces(tree: Nnef1SyntaxTree, meanings: _Meanings) -> Iterator[TokenGroup]:
    text = tree.text
    for item in tree.document.items:
        if isinstance(item, nodes.Placed):
            yield _of_item(text, item)
            continue
        own = _locals(item)
        end = min((each.start for each in item.body or ()), default=item.end)
        brace = text.find("{", item.start, end)
        head_end = item.end if brace < 0 else brace
        yield TokenGroup(item.start, _of_head(text[item.start : head_end], item.head))
        for entry in item.body or ():
            spelled = tuple(spelled_in(entry))
            kinds = tuple(meanings.of(each, own) for each in spelled)
            last = entry.statements[-1].end
            piece = text[entry.start : entry.start + last]
            yield TokenGroup(entry.start, _tokens(piece, tuple(each.span.start for each in spelled), kinds))


class _Meanings:
    """Meanings of names that are not local."""

    def __init__(self, fragments: frozenset[str], operations: frozenset[str], symbols: frozenset[str]) -> None:
        self._fragments = fragments
        self._operations = operations
        self._symbols = symbols

    def of(self, spelled: Spelled, own: Mapping[str, TokenType]) -> _Meaning | None:
        match spelled.form:
            case UseForm.CALL if spelled.text in self._fragments:
                return TokenType.OPERATOR, _PLAIN
            case UseForm.CALL if spelled.text in BUILT_INS:
                return TokenType.FUNCTION, _LIBRARY
            case UseForm.CALL:
                return (TokenType.OPERATOR, _LIBRARY) if spelled.text in self._operations else None
            case UseForm.ARGUMENT:
                return TokenType.ATTRIBUTE, _LIBRARY
            case UseForm.ITERATED:
                return TokenType.INDEX, _PLAIN
            case UseForm.TARGET:
                return own.get(spelled.text, TokenType.TENSOR), frozenset({Modifier.DEFINITION})
        if spelled.text in own:
            return own[spelled.text], _PLAIN
        return (TokenType.EXTENT, _PLAIN) if spelled.text in self._symbols else None


def _locals(item: nodes.Definition) -> Mapping[str, TokenType]:
    """Return the token types of the names of a body."""
    found: dict[str, TokenType] = {}
    for entry in item.body or ():
        for statement in entry.statements:
            if not isinstance(statement, nodes.Assignment):
                continue
            value = statement.value
            source = value.function.text if isinstance(value, nodes.Call) else ""
            kind = _KINDS_OF_SOURCES.get(source, TokenType.TENSOR)
            if isinstance(statement.target, nodes.Identifier):
                found[statement.target.text] = kind
            else:
                found.update((each.text, kind) for each in spelled_in(entry) if each.form is UseForm.TARGET)
    if item.head.kind == "fragment":
        for parameter in item.head.parameters:
            is_tensor = isinstance(parameter.type, nodes.TensorType)
            found[parameter.name.text] = TokenType.INPUT if is_tensor else TokenType.ATTRIBUTE
    else:
        found.update((each.name.text, TokenType.INPUT) for each in item.head.parameters)
    found.update((each.name.text, TokenType.OUTPUT) for each in item.head.results)
    return found


# ---- pieces ----------------------------------------------------------------------------------------------------------
def _of_item(text: str, placed: nodes.Placed) -> TokenGroup:
    item = placed.item
    piece = text[placed.start : placed.start + item.end]
    starts, kinds = [], []
    if isinstance(item, nodes.Extension):
        starts, kinds = [item.name.start], [(TokenType.MODULE, _PLAIN)]
    return TokenGroup(placed.start, _tokens(piece, tuple(starts), tuple(kinds)))


def _of_head(piece: str, head: nodes.Head) -> tuple[SemanticToken, ...]:
    declared = frozenset({Modifier.DECLARATION})
    kind = TokenType.GRAPH if head.kind == "graph" else TokenType.OPERATOR
    names: list[tuple[int, _Meaning]] = [(head.name.start, (kind, frozenset({Modifier.DEFINITION})))]
    for parameter in head.parameters:
        is_tensor = head.kind == "graph" or isinstance(parameter.type, nodes.TensorType)
        names.append((parameter.name.start, (TokenType.INPUT if is_tensor else TokenType.ATTRIBUTE, declared)))
    names += [(each.name.start, (TokenType.OUTPUT, declared)) for each in head.results]
    return _tokens(piece, tuple(start for start, _ in names), tuple(meaning for _, meaning in names))


@lru_cache(maxsize=_REMEMBERED)
def _tokens(piece: str, starts: tuple[int, ...], kinds: tuple[_Meaning | None, ...]) -> tuple[SemanticToken, ...]:
    """Return the tokens of a piece, with names of the given meanings at the offsets ``starts``."""
    return tuple(_lexical(piece, dict(zip(starts, kinds, strict=True))))


def _lexical(piece: str, names: Mapping[int, _Meaning | None]) -> Iterator[SemanticToken]:
    for token in tokenize(piece):
        span = Span(token.start, token.end)
        if token.start in names:
            meaning = names[token.start]
            if meaning is not None:
                yield SemanticToken(span, *meaning)
        elif token.kind == "NUMBER":
            yield SemanticToken(span, TokenType.NUMBER)
        elif token.kind in ("STRING", "UNCLOSED"):
            yield SemanticToken(span, TokenType.STRING)
        elif token.kind in _SYMBOLS:
            yield SemanticToken(span, TokenType.SYMBOL)
        elif token.text in _TYPE_NAMES:
            yield SemanticToken(span, TokenType.TYPE, _LIBRARY)
        elif token.text in _WORDS:
            yield SemanticToken(span, TokenType.KEYWORD)
