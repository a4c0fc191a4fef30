"""Resolution of the names of an NNEF 1.0 file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias, TypeGuard

from msgspec import Struct

from snd_analysis.base import Node, Span, children
from snd_analysis.nnef1.syntax import Dialect, Nnef1SyntaxTree, nodes
from snd_analysis.skriptnd.names import Role


# ---- subjects that names refer to ------------------------------------------------------------------------------------
class Fragment(Struct, frozen=True):
    """A fragment of the file, or its graph."""

    name: str


class OperationSubject(Struct, frozen=True):
    """An operation, or a built-in function."""

    name: str


class ParameterSubject(Struct, frozen=True):
    """A parameter of an operation, by its name."""

    operation: str
    name: str


class LocalSubject(Struct, frozen=True):
    """A name of one body: a parameter, a result, or an assigned name.

    All assignments of one name in one body are one subject. A variable of a comprehension is a subject of its own.
    """

    definition: str
    name: str
    comprehension: int | None = None
    """Offset of the comprehension in the file, for a name that is local to it."""


class SymbolSubject(Struct, frozen=True):
    """An extent that is not known: of an ``extension tract_symbol``, or first named in the shape of an input."""

    name: str


Nnef1Subject: TypeAlias = "Fragment | OperationSubject | ParameterSubject | LocalSubject | SymbolSubject"


# ---- every name of a file with its subject ---------------------------------------------------------------------------
# The names in a statement are found once for as long as the statement stays: after an edit, the rest is a walk over
# cached results.
_REMEMBERED_STATEMENTS = 1 << 15
_WORD = re.compile(r"[^\W\d]\w*")
_SYMBOLS = "tract_symbol"
_ASSERTION = "tract_assert"


class Nnef1Use(Struct, frozen=True):
    """A name where it stands in the file."""

    span: Span
    subject: Nnef1Subject
    role: Role


class UseForm(StrEnum):
    """The role of a name in a statement."""

    TARGET = "target"
    NAME = "name"
    CALL = "call"
    ARGUMENT = "argument"
    ITERATED = "iterated"
    BODY = "body"
    """A string with the name of the fragment that a scan invokes."""
    OF_BODY = "of body"
    """A string that names a parameter or result of the fragment."""


class Spelled(Struct, frozen=True):
    """A name in a statement, whose spans count from its piece."""

    span: Span
    text: str
    form: UseForm
    around: str | int | None = None
    """For the name of an argument or a name in a scan: the invoked name. For a name local to a comprehension: its
    start.
    """


def uses_in(tree: Nnef1SyntaxTree) -> Iterator[Nnef1Use]:
    """Yield every name of a file that has a subject; names of a definition follow those of earlier ones."""
    symbols, known = declared_symbols(tree), _fragments(tree)
    for item in tree.document.items:
        if isinstance(item, nodes.Placed):
            yield from _of_extension(item, symbols)
        else:
            yield from _of_definition(item, symbols, known)


def names_in(definition: nodes.Definition) -> frozenset[str]:
    """Return the names that a definition declares or assigns."""
    head = definition.head
    parameters, results = (each.name.text for each in head.parameters), (each.name.text for each in head.results)
    return frozenset(
        (*parameters, *results, *(name for entry in definition.body or () for name in assigned_names(entry)))
    )


def assigned_names(entry: nodes.Entry) -> Iterator[str]:
    """Yield the names that an entry assigns, in order."""
    for statement in entry.statements:
        yield from _targets(statement)


def declared_symbols(tree: Nnef1SyntaxTree) -> frozenset[str]:
    """Return the symbols that extensions declare; for tract also symbols that occur only in the shape of an input."""
    items = tree.document.items
    found = {each.item.text for each in items if isinstance(each, nodes.Placed) and _declares_symbol(each.item)}
    if tree.dialect is Dialect.TRACT:
        for item in items:
            if isinstance(item, nodes.Definition) and item.head.kind == "graph":
                raw = (each for entry in item.body or () for each in spelled_in(entry))
                found |= {each.text for each in raw if each.around == _IN_SHAPE} - names_in(item)
    return frozenset(found)


def _declares_symbol(item: nodes.Version | nodes.Extension | nodes.ErrorItem) -> TypeGuard[nodes.Extension]:
    return isinstance(item, nodes.Extension) and item.name.text == _SYMBOLS and item.text != ""


def _fragments(tree: Nnef1SyntaxTree) -> Mapping[str, frozenset[str]]:
    """Return the names of the parameters of each fragment of a file."""
    found: dict[str, frozenset[str]] = {}
    for item in tree.document.items:
        if isinstance(item, nodes.Definition) and item.head.kind == "fragment":
            found.setdefault(item.head.name.text, frozenset(each.name.text for each in item.head.parameters))
    return found


def _of_extension(placed: nodes.Placed, symbols: frozenset[str]) -> Iterator[Nnef1Use]:
    item = placed.item
    if not isinstance(item, nodes.Extension) or item.name.text not in (_SYMBOLS, _ASSERTION):
        return
    start = placed.start + item.at
    if item.name.text == _SYMBOLS:
        if item.text:
            yield Nnef1Use(Span(start, start + len(item.text)), SymbolSubject(item.text), Role.DECLARATION)
        return
    for word in _WORD.finditer(item.text):
        if word[0] in symbols:
            yield Nnef1Use(Span(start + word.start(), start + word.end()), SymbolSubject(word[0]), Role.READ)


def _of_definition(
    item: nodes.Definition, symbols: frozenset[str], known: Mapping[str, frozenset[str]]
) -> Iterator[Nnef1Use]:
    head, own = item.head, item.head.name.text
    yield Nnef1Use(head.name.span.shifted(item.start), Fragment(own), Role.DECLARATION)
    names = names_in(item)
    for parameter in head.parameters:
        yield Nnef1Use(
            parameter.name.span.shifted(item.start), LocalSubject(own, parameter.name.text), Role.DECLARATION
        )
        if parameter.default is not None:
            raw = _in_expression(parameter.default)
            yield from _placed(raw, item.start, own, names, symbols, known)
    for result in head.results:
        yield Nnef1Use(result.name.span.shifted(item.start), LocalSubject(own, result.name.text), Role.DECLARATION)
    for entry in item.body or ():
        yield from _placed(spelled_in(entry), entry.start, own, names, symbols, known)


def _placed(
    raw: Iterable[Spelled],
    base: int,
    own: str,
    names: frozenset[str],
    symbols: frozenset[str],
    known: Mapping[str, frozenset[str]],
) -> Iterator[Nnef1Use]:
    for each in raw:
        subject, role = _meaning(each, base, own, names, symbols, known)
        if subject is not None:
            yield Nnef1Use(each.span.shifted(base), subject, role)


def _meaning(
    raw: Spelled,
    base: int,
    own: str,
    names: frozenset[str],
    symbols: frozenset[str],
    known: Mapping[str, frozenset[str]],
) -> tuple[Nnef1Subject | None, Role]:
    match raw.form:
        case UseForm.TARGET:
            return LocalSubject(own, raw.text), Role.WRITE
        case UseForm.CALL:
            return Fragment(raw.text) if raw.text in known else OperationSubject(raw.text), Role.READ
        case UseForm.ARGUMENT:
            callee = str(raw.around)
            if callee in known:
                return (LocalSubject(callee, raw.text) if raw.text in known[callee] else None), Role.READ
            return ParameterSubject(callee, raw.text), Role.READ
        case UseForm.ITERATED:
            assert isinstance(raw.around, int)
            return LocalSubject(own, raw.text, raw.around + base), Role.READ
        case UseForm.BODY:
            return (Fragment(raw.text) if raw.text in known else None), Role.READ
        case UseForm.OF_BODY:
            return (LocalSubject(str(raw.around), raw.text) if raw.around in known else None), Role.READ
        case UseForm.NAME if raw.text in names:
            return LocalSubject(own, raw.text), Role.READ
        case UseForm.NAME if raw.text in symbols:
            return SymbolSubject(raw.text), Role.READ
    return None, Role.READ


# ---- statements ------------------------------------------------------------------------------------------------------
_SCAN = "tract_core_scan"
_NAMES_IN_SCAN = {"scan": (0,), "full": (0,), "state": (0, 2), "output": (0,)}
"""Indices of names of parameters and results of the body in the tuples of each argument of a scan."""
_OF_OTHERS = frozenset({UseForm.ARGUMENT, UseForm.BODY, UseForm.OF_BODY})
_IN_SHAPE = "shape"
_INPUTS = ("external", "tract_core_external")


def spelled_names(entry: nodes.Entry) -> frozenset[str]:
    """Return all names in an entry except names of arguments and names in strings."""
    return _spelled_names(entry.statements)


@lru_cache(maxsize=_REMEMBERED_STATEMENTS)
def _spelled_names(statements: tuple[nodes.Statement, ...]) -> frozenset[str]:
    names = (each for statement in statements for each in _in_statement(statement))
    return frozenset(each.text for each in names if each.form not in _OF_OTHERS)


@lru_cache(maxsize=_REMEMBERED_STATEMENTS)
def _targets(statement: nodes.Statement) -> tuple[str, ...]:
    if isinstance(statement, nodes.ErrorStatement):
        return tuple(each.text for each in statement.names)
    return tuple(each.text for each in _identifiers(statement.target))


def spelled_in(entry: nodes.Entry) -> Iterator[Spelled]:
    """Yield the names in an entry, in the order of the text."""
    for statement in entry.statements:
        yield from _in_statement(statement)


@lru_cache(maxsize=_REMEMBERED_STATEMENTS)
def _in_statement(statement: nodes.Statement) -> tuple[Spelled, ...]:
    """Return the names in a statement in the order of the text."""
    if isinstance(statement, nodes.ErrorStatement):
        return tuple(Spelled(each.span, each.text, UseForm.TARGET) for each in statement.names)
    targets = [Spelled(each.span, each.text, UseForm.TARGET) for each in _identifiers(statement.target)]
    return (*targets, *_in_expression(statement.value))


def sanitized(name: str) -> str:
    """Return the identifier that tract writes for a name: every other character becomes an underscore."""
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    return text if name[:1].isalpha() or name[:1] == "_" else f"_{text}"


def _identifiers(target: Node) -> Iterator[nodes.Identifier]:
    match target:
        case nodes.Identifier():
            yield target
        case nodes.Array(items=items) | nodes.Tuple(items=items):
            for item in items:
                yield from _identifiers(item)


def _in_expression(node: nodes.Expression) -> tuple[Spelled, ...]:
    found: list[Spelled] = []
    _Walk(found).add(node)
    return tuple(sorted(found, key=lambda each: each.span.start))


class _Walk:
    def __init__(self, found: list[Spelled]) -> None:
        self._found = found
        self._iterated: dict[str, int] = {}
        self._in_shape = False

    def add(self, node: Node | None) -> None:
        match node:
            case None:
                return
            case nodes.Identifier():
                self._name(node)
            case nodes.Call():
                self._call(node)
            case nodes.Comprehension():
                self._comprehension(node)
            case _:
                self._all(children(node))

    def _all(self, found: Iterable[Node]) -> None:
        for each in found:
            self.add(each)

    def _name(self, node: nodes.Identifier) -> None:
        if node.text in self._iterated:
            self._found.append(Spelled(node.span, node.text, UseForm.ITERATED, self._iterated[node.text]))
        else:
            self._found.append(Spelled(node.span, node.text, UseForm.NAME, _IN_SHAPE if self._in_shape else None))

    def _call(self, node: nodes.Call) -> None:
        self._found.append(Spelled(node.function.span, node.function.text, UseForm.CALL))
        outer = self._in_shape
        self._in_shape = outer or node.function.text in _INPUTS
        for argument in node.arguments:
            if argument.name is not None:
                self._found.append(
                    Spelled(argument.name.span, argument.name.text, UseForm.ARGUMENT, node.function.text)
                )
            self.add(argument.value)
        self._in_shape = outer
        if node.function.text == _SCAN:
            self._scan({each.name.text: each.value for each in node.arguments if each.name is not None})

    def _scan(self, given: Mapping[str, nodes.Expression]) -> None:
        body = given.get("body")
        if not isinstance(body, nodes.String):
            return
        self._string(body, UseForm.BODY)
        for name, places in _NAMES_IN_SCAN.items():
            rows = given.get(name)
            for row in rows.items if isinstance(rows, nodes.Array) else ():
                for at, each in enumerate(row.items if isinstance(row, nodes.Tuple) else ()):
                    if at in places and isinstance(each, nodes.String):
                        self._string(each, UseForm.OF_BODY, sanitized(body.value))

    def _string(self, node: nodes.String, form: UseForm, around: str | None = None) -> None:
        """Add the name between quotes, if it is written without escapes."""
        inner = Span(node.start + 1, node.end - 1)
        if node.value and len(node.value) == inner.end - inner.start:
            self._found.append(Spelled(inner, sanitized(node.value), form, around))

    def _comprehension(self, node: nodes.Comprehension) -> None:
        self._all([each.source for each in node.iterators])
        outer = self._iterated
        own = {name.text: node.start for each in node.iterators for name in _identifiers(each.target)}
        self._iterated = {**outer, **own}
        self._all([each.target for each in node.iterators])
        self.add(node.condition)
        self.add(node.item)
        self._iterated = outer
