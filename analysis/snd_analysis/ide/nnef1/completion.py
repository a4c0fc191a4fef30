"""Completions at a cursor in a file in NNEF 1.0.

They use the tokens of the statement before the cursor, not the tree: unfinished text is broken most of the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.ide.completion.attributes import compared
from snd_analysis.ide.completion.item import Completion, CompletionKind, Completions, ranked
from snd_analysis.ide.limits import MOST_COMPLETIONS
from snd_analysis.ide.nnef1.facts import fact_text
from snd_analysis.ide.nnef1.operations import known_names, signature_of
from snd_analysis.ide.nnef1.places import definition_at, definitions, tree_of
from snd_analysis.ide.nnef1.signature_help import OpenCall, open_call, tokens_before
from snd_analysis.nnef1.elaborate import ElaboratedValue
from snd_analysis.nnef1.lints import ABSENT_IN_TRACT, KNOWN_EXTENSIONS
from snd_analysis.nnef1.names import assigned_names, declared_symbols
from snd_analysis.nnef1.syntax import BUILT_INS, Dialect, Nnef1SyntaxTree, Nnef1Token, nodes
from snd_analysis.workspace import Snapshot, elaborated

_WORD_BEFORE = re.compile(r"\w*\Z")
_WORD_BEHIND = re.compile(r"\w*")
_QUOTED_BEHIND = re.compile(r"""[^"'\r\n;]*["']""")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_NUMBERS = ("NUMBER", "MALFORMED", "OTHER")
_LINE_BEFORE = re.compile(r"[^\r\n]*\Z")
_EXTENSION = re.compile(r"\s*extension\s+(?P<name>\w+)?(?P<more>\s+\w*)?\Z")
_REGISTRIES = ("tract_core", "tract_onnx", "tract_pulse", "tract_extra", "tract_transformers", "tract_resource")
_DTYPES = ("f32", "f16", "f64", "i64", "i32", "i16", "i8", "u8", "u16", "u32", "u64", "bool", "TDim", "string")
_TYPES = ("tensor<scalar>", "tensor<integer>", "tensor<logical>", "scalar", "integer", "logical", "string")
_GENERICS = ("scalar", "integer", "logical", "string")
_NAMING_TYPES = ("to", "datum_type")


class _Cursor(Struct, frozen=True):
    """The text before a cursor."""

    tree: Nnef1SyntaxTree
    path: str
    offset: int
    prefix: str
    tokens: Sequence[Nnef1Token]
    """Tokens of the statement before the word at the cursor."""
    statement: int
    """Offset of the start of that statement."""
    definition: nodes.Definition | None
    call: OpenCall | None


def completions(
    snapshot: Snapshot, path: str, offset: int, snippets: bool = False, _: Sequence[str] = ()
) -> Completions:
    """Return the completions at an offset; with placeholders for names of parameters if ``snippets``."""
    tree = tree_of(snapshot, path)
    text = tree.text
    before = _WORD_BEFORE.search(text, 0, offset)
    behind = _WORD_BEHIND.match(text, offset)
    assert before is not None
    assert behind is not None
    start, end = before.start(), behind.end()
    if any(each.start < offset <= each.end for each in tree.comments):
        return Completions(Span(offset, offset), Span(offset, offset))
    tokens, base = tokens_before(text, start)
    if _is_extended(tokens):
        tokens, start = tokens[:-2], base + tokens[-2].start
        closing = _QUOTED_BEHIND.match(text, offset)
        end = end if closing is None else closing.end()
    definition = definition_at(tree, start)
    brace = -1 if definition is None else text.find("{", definition.start, start)
    inside = definition if brace >= 0 and definition is not None and start < definition.end else None
    cursor = _Cursor(tree, path, start, text[start:offset], tokens, base, inside, open_call(text, start))
    items = ranked(_offered(snapshot, cursor, snippets), cursor.prefix)
    return Completions(
        Span(start, offset), Span(start, end), tuple(items[:MOST_COMPLETIONS]), len(items) > MOST_COMPLETIONS
    )


def _is_extended(tokens: Sequence[Nnef1Token]) -> bool:
    """Return whether the last tokens are the beginning of an identifier in quotes, ``i"in/put``."""
    quoted = tokens[-2:]
    return (
        [each.kind for each in quoted] == ["NAME", "UNCLOSED"]
        and quoted[0].text == "i"
        and quoted[0].end == quoted[1].start
    )


def _offered(snapshot: Snapshot, cursor: _Cursor, snippets: bool) -> Iterator[Completion]:
    last = cursor.tokens[-1] if cursor.tokens else None
    if last is not None and last.kind == "UNCLOSED":
        yield from _strings(snapshot, cursor, quoted=False)
    elif last is not None and last.kind in _NUMBERS and cursor.statement + last.end == cursor.offset:
        return  # a digit comes next
    elif cursor.definition is None:
        yield from _outside(cursor)
    elif last is not None and last.kind == "<" and len(cursor.tokens) > 1 and cursor.tokens[-2].kind == "NAME":
        yield from (Completion(each, CompletionKind.TYPE, 0) for each in _GENERICS)
    elif not any(each.kind == "=" for each in cursor.tokens):
        yield from _targets(cursor)
    else:
        if cursor.call is not None and last is not None and last.kind in ("(", ","):
            yield from _parameters(snapshot, cursor, cursor.call)
        if cursor.call is not None and last is not None and last.kind == "=":
            yield from _strings(snapshot, cursor, quoted=True)
        yield from _names(snapshot, cursor)
        yield from _operations(snapshot, cursor, snippets)


# ---- outside of bodies -----------------------------------------------------------------------------------------------
def _outside(cursor: _Cursor) -> Iterator[Completion]:
    line = _LINE_BEFORE.search(cursor.tree.text, 0, cursor.offset)
    extension = None if line is None else _EXTENSION.match(line[0])
    last = cursor.tokens[-1] if cursor.tokens else None
    if extension is not None:
        if extension["name"] == "tract_registry":
            yield from (Completion(each, CompletionKind.MODULE, 0) for each in _REGISTRIES)
        elif not extension["more"]:
            yield from (Completion(each, CompletionKind.MODULE, 0) for each in sorted(KNOWN_EXTENSIONS))
    elif last is None:
        kinds = {each.head.kind for each in definitions(cursor.tree)}
        words = ("version", "extension", "fragment", *(() if "graph" in kinds else ("graph",)))
        yield from (Completion(each, CompletionKind.KEYWORD, 0) for each in words)
    elif last.kind == ":":
        yield from (Completion(each, CompletionKind.TYPE, 0) for each in _TYPES)
    elif last.kind == "<":
        yield from (Completion(each, CompletionKind.TYPE, 0) for each in _GENERICS)


# ---- in bodies -------------------------------------------------------------------------------------------------------
def _targets(cursor: _Cursor) -> Iterator[Completion]:
    """Yield names that the head declares and no statement assigns."""
    definition = cursor.definition
    assert definition is not None
    head = definition.head
    known = {name for entry in definition.body or () for name in assigned_names(entry)}
    parameters = [each.name.text for each in head.parameters] if head.kind == "graph" else []
    for name in (*parameters, *(each.name.text for each in head.results)):
        if name not in known:
            yield _tensor(cursor, name, 0, "not assigned yet")


def _names(snapshot: Snapshot, cursor: _Cursor) -> Iterator[Completion]:
    """Yield the tensors and values known at the cursor, from the nearest statements first."""
    definition = cursor.definition
    assert definition is not None
    values = _values(snapshot, cursor)
    found: dict[str, None] = {}
    for entry in reversed(definition.body or ()):
        if entry.start < cursor.statement:
            found.update(dict.fromkeys(assigned_names(entry)))
    if definition.head.kind == "fragment":
        found.update(dict.fromkeys(each.name.text for each in definition.head.parameters))
    for at, name in enumerate(found):
        yield _tensor(cursor, name, 1 + min(at, 200), fact_text(values.get(name), short=True))
    for name in sorted(declared_symbols(cursor.tree)):
        yield Completion(name, CompletionKind.NAME, 202, detail="symbol")


def _tensor(cursor: _Cursor, name: str, group: int, detail: str) -> Completion:
    """Return a name of a body, in quotes if it needs them. The typed text may begin with the quote."""
    if _IDENTIFIER.fullmatch(name):
        return Completion(name, CompletionKind.TENSOR, group, detail=detail)
    quote = "'" if '"' in name or cursor.prefix.startswith("i'") else '"'
    text = f"i{quote}{name}{quote}"
    compared_with = text if cursor.prefix.startswith(("i'", 'i"')) else name
    return Completion(name, CompletionKind.TENSOR, group, text, filter=compared_with, detail=detail)


def _values(snapshot: Snapshot, cursor: _Cursor) -> Mapping[str, ElaboratedValue]:
    found = elaborated(snapshot.db, cursor.path)
    assert cursor.definition is not None
    head = cursor.definition.head
    values = found.values if head.kind == "graph" else found.bodies.get(head.name.text)
    if values is None:
        return {}
    return {**values.parameters, **{name: each for entry in values.entries for name, each in entry.items()}}


def _operations(snapshot: Snapshot, cursor: _Cursor, snippets: bool) -> Iterator[Completion]:
    fragments = [each.head.name.text for each in definitions(cursor.tree) if each.head.kind == "fragment"]
    is_value = cursor.call is not None
    known, built_in = known_names(snapshot, cursor.path), BUILT_INS
    if cursor.tree.dialect is Dialect.TRACT:
        known, built_in = {*known} - ABSENT_IN_TRACT, frozenset[str]()
    for name in dict.fromkeys([*fragments, *sorted(known), *sorted(built_in)]):
        group = 210 if name in fragments else 212 if name in BUILT_INS else 211
        if is_value and group == 211:
            group = 213
        yield _invocation(snapshot, cursor, name, group, snippets)


def _invocation(snapshot: Snapshot, cursor: _Cursor, name: str, group: int, snippets: bool) -> Completion:
    follows = cursor.tree.text[cursor.offset + len(cursor.prefix) :][:1] == "("
    text, is_snippet = "", False
    if snippets and not follows:
        text, is_snippet = f"{name}($0)", True
    kind = CompletionKind.FUNCTION if name in BUILT_INS else CompletionKind.OPERATOR
    return Completion(name, kind, group, text, is_snippet, subject=("operation", name))


def _parameters(snapshot: Snapshot, cursor: _Cursor, call: OpenCall) -> Iterator[Completion]:
    """Yield the parameters that are not given yet."""
    signature = signature_of(snapshot, cursor.path, call.name)
    if signature is None:
        return
    by_place = sum(1 for each in call.items[:-1] if each[1:2] == () or each[1].kind != "=")
    is_of_tract = cursor.tree.dialect is Dialect.TRACT
    for at, each in enumerate(signature.parameters):
        if at < by_place or each.name in call.given or (each.is_tensor and not is_of_tract):
            continue
        yield Completion(
            f"{each.name} =", CompletionKind.ATTRIBUTE, 0, f"{each.name} = ", detail=each.dtype,
            subject=("parameter", call.name, each.name),
        )  # fmt: skip


def _strings(snapshot: Snapshot, cursor: _Cursor, *, quoted: bool) -> Iterator[Completion]:
    """Yield the allowed values of the current parameter, if its operator lists them."""
    call = cursor.call
    if call is None or not call.named:
        return
    if call.named in _NAMING_TYPES:
        values: list[str] = [*_DTYPES]
    else:
        signature = signature_of(snapshot, cursor.path, call.name)
        operator = None if signature is None else signature.operator
        definition = None if operator is None else snapshot.definition(operator)
        values = [] if definition is None else [*dict.fromkeys(compared(definition, call.named))]
    for value in values:
        yield Completion(f"'{value}'" if quoted else value, CompletionKind.VALUE, 0)
