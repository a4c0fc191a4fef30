"""The tree: typed, immutable nodes with exact spans.

``start`` and ``end`` are code-point offsets. Those of a node inside an entry of a block (a declaration, an assertion,
a formula, a statement) count from the start of that entry; those of everything else (definitions, blocks, the names
in their heads, entries) count from the start of the chunk, see ``chunks.py``. So an entry that only moved is the
same entry.

Nodes compare and hash by identity: what is known about a node is kept in tables beside the tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeAlias, dataclass_transform

from snd_analysis.source import Span

if TYPE_CHECKING:

    @dataclass_transform(frozen_default=True, eq_default=False)
    def _node(cls: type) -> type: ...

else:
    _node = dataclass(frozen=True, slots=True, eq=False)


@_node
class Node:
    """Anything that was read, from its first character to behind its last."""

    start: int
    end: int

    @property
    def span(self) -> Span:
        """Where the node stands, relative to its entry or chunk."""
        return Span(self.start, self.end)


# ---- names -----------------------------------------------------------------------------------------------------------
@_node
class Name(Node):
    """An identifier where it is declared, or one part of a qualified name.

    The text is empty where a name was missing and recovery supplied one: whoever resolves names is silent about it.
    """

    text: str


@_node
class Qualified(Node):
    """``a`` or ``a.b.c``: a name in an expression, of an operator, a module or a labelled tensor."""

    parts: tuple[Name, ...]

    @property
    def text(self) -> str:
        """The name as written, without white space."""
        return ".".join(part.text for part in self.parts)


@_node
class Tilde(Node):
    """``~``: an omitted argument, result or extent."""


@_node
class TypeName(Node):
    """A primitive type or the name of a generic one."""

    text: str
    is_keyword: bool


# ---- expressions (2.4) -----------------------------------------------------------------------------------------------
@_node
class Literal(Node):
    """An ``int``, ``real`` or ``bool`` literal, ``inf`` or ``pi``."""

    type: str
    value: int | float | bool


@_node
class Text(Node):
    """A run of characters in a string, escapes resolved."""

    value: str


@_node
class Field(Node):
    """``{expression}`` in a string."""

    value: Expression


@_node
class String(Node):
    """One or more adjacent string literals."""

    parts: tuple[Text | Field, ...]


@_node
class List(Node):
    """``[a, 1:n, b.., (c, d)..]``."""

    items: tuple[ListItem, ...]


@_node
class Range(Node):
    """``first:last:step`` as an item of a list or an index."""

    first: Expression | None
    last: Expression | None
    step: Expression | None


@_node
class Expansion(Node):
    """``..`` or ``..(length)`` behind an item."""

    length: Expression | None


@_node
class Expanded(Node):
    """``item..(length)`` in a list or an index."""

    item: Expression | Zip
    expansion: Expansion


@_node
class Zip(Node):
    """``(a, b)`` in a list: legal only where it is expanded."""

    items: tuple[Expression, ...]


@_node
class Index(Node):
    """``[i, j, ...]`` behind an expression; the comma behind a single index makes it a tensor access."""

    items: tuple[ListItem, ...]
    trailing_comma: bool


@_node
class Subscript(Node):
    """``a[i]``: an item of a pack, a substring or an access to a tensor."""

    target: Expression
    index: Index


@_node
class Substitution(Node):
    """``a[i] <- e``."""

    target: Expression
    index: Index
    value: Expression


@_node
class Operator(Node):
    """An operator symbol at its place."""

    text: str


@_node
class Unary(Node):
    """``-a``, ``+a``, ``!a`` or ``?a``."""

    operator: Operator
    operand: Expression


@_node
class Binary(Node):
    """``a + b``, also ``is`` and ``in``."""

    left: Expression
    operator: Operator
    right: Expression


@_node
class Fold(Node):
    """``a + ..``, or ``a + ...`` if cumulative."""

    operand: Expression
    operator: Operator
    cumulative: bool


@_node
class Select(Node):
    """``c ? a : b``, or ``c ? a``."""

    condition: Expression
    consequent: Expression
    alternative: Expression | None


@_node
class Coalesce(Node):
    """``a ?? b``."""

    value: Expression
    fallback: Expression


@_node
class Attribute(Node):
    """``name=value`` in an invocation; ``colon`` marks the illegal ``name: value``."""

    name: Name
    value: Expression
    colon: bool


@_node
class Attributes(Node):
    """``{a=1, b=2}``."""

    items: tuple[Attribute, ...]


@_node
class Generics(Node):
    """``<int, T>``."""

    items: tuple[TypeName, ...]


@_node
class Call(Node):
    """``name<T>{a=1}(x)``: an invocation, a cast to a generic type or a built-in function."""

    function: Qualified
    generics: Generics | None
    attributes: Attributes | None
    arguments: tuple[Expression | Tilde, ...]


@_node
class Cast(Node):
    """``real(x)``, or ``real()`` for the default value of the type."""

    type: TypeName
    value: Expression | None


@_node
class Parenthesized(Node):
    """``(e)``."""

    inner: Expression


@_node
class Bounded(Node):
    """``|i|`` or ``|i <> below : above|``; ``colon_only`` marks the illegal ``|i < below : above|``."""

    value: Expression
    below: Expression | None
    above: Expression | None
    colon_only: bool


@_node
class ErrorExpression(Node):
    """What could not be read as an expression, inside a string."""


Expression: TypeAlias = (
    Qualified | Literal | String | List | Subscript | Substitution | Unary | Binary | Fold | Select | Coalesce
    | Call | Cast | Parenthesized | Bounded | ErrorExpression
)  # fmt: skip
ListItem: TypeAlias = "Expression | Range | Expanded | Zip"


# ---- declarations (2.5 to 2.9, 2.13) ---------------------------------------------------------------------------------
@_node
class ErrorEntry(Node):
    """What could not be read as an entry of a block or a statement."""


@_node
class DtypeDeclaration(Node):
    """``T: num = real`` in ``@dtype``."""

    name: Name
    base: TypeName
    default: TypeName | None


@_node
class IndexBound(Node):
    """``i < n`` behind a formula or the value of a constant."""

    name: Name
    bound: Expression


@_node
class Extent(Node):
    """One component of a shape: ``[static] [..] value [| bound] [..(length)]``."""

    value: Expression | Tilde
    spread: bool
    """One extent per item of the pack: ``..t``."""
    static: bool
    bound: Expression | None
    expansion: Expansion | None


@_node
class Shape(Node):
    """``[a, b..(d)]`` behind a type."""

    extents: tuple[Extent, ...]


@_node
class Pack(Node):
    """``..`` or ``..(length)`` behind a type or a result."""

    length: Expression | Tilde | None
    qualifier: str | None
    bound: Expression | None


@_node
class Modifier(Node):
    """``optional`` or ``dynamic``."""

    text: str


@_node
class Default(Node):
    """``= value, i < n, j < m`` behind a declaration."""

    value: Expression
    bounds: tuple[IndexBound, ...]


@_node
class Parameter(Node):
    """An attribute, input, output, constant or variable."""

    name: Name
    modifiers: tuple[Modifier, ...]
    type: TypeName
    rank: Name | None
    shape: Shape | None
    pack: Pack | None
    default: Default | None

    @property
    def optional(self) -> bool:
        """Whether the declaration says ``optional``."""
        return any(modifier.text == "optional" for modifier in self.modifiers)


@_node
class NameTarget(Node):
    """``a`` or ``a..(n)`` on the left side in ``@using``."""

    name: Name
    expansion: Expansion | None


@_node
class TupleTarget(Node):
    """``(a, b)..`` in a list on the left side in ``@using``."""

    names: tuple[Name, ...]
    expansion: Expansion | None


@_node
class ListTarget(Node):
    """``[a, b..]`` on the left side in ``@using``."""

    items: tuple[NameTarget | TupleTarget, ...]


@_node
class Using(Node):
    """``target = value`` in ``@using``."""

    target: NameTarget | ListTarget
    value: Expression


@_node
class Printed(Node):
    """A value to print with an assertion, with a label of its own or none."""

    label: String | None
    value: Expression


@_node
class Assertion(Node):
    """``condition: "message", values``."""

    condition: Expression
    message: String | None
    printed: tuple[Printed, ...]


# ---- @lower (2.12) ---------------------------------------------------------------------------------------------------
@_node
class Unroll(Node):
    """``unroll..(k -> n)`` before a formula."""

    name: Name
    count: Expression


@_node
class Local(Node):
    """``z = e`` between ``with`` and ``:``."""

    name: Name
    value: Expression


@_node
class Access(Node):
    """The left side of a formula: ``y[k][i, j]``."""

    name: Name
    indices: tuple[Index, ...]


@_node
class Lowering(Node):
    """A formula: ``with z = e: y[i,] += z, i < n | c``."""

    unroll: Unroll | None
    locals: tuple[Local, ...]
    target: Access
    operator: Operator
    value: Expression
    bounds: tuple[IndexBound, ...]
    condition: Expression | None


# ---- @compose, @update (2.10, 2.11) ----------------------------------------------------------------------------------
@_node
class ResultType(Node):
    """``: real[n]`` behind a result or a carried variable."""

    type: TypeName
    shape: Shape


@_node
class Result(Node):
    """``y``, ``y..(n)``, ``y: real[n]`` or ``~`` on the left side."""

    target: Name | Tilde
    type: ResultType | None
    pack: Pack | None


@_node
class ResultTuple(Node):
    """``(a, b)..`` in a list on the left side."""

    names: tuple[Name, ...]
    types: tuple[ResultType | None, ...]
    pack: Pack | None


@_node
class ResultList(Node):
    """``[a, b..(n)]`` on the left side: one packed result taken apart."""

    items: tuple[Result | ResultTuple, ...]


@_node
class Labelled(Node):
    """``label: invocation`` or ``label: { block }``."""

    label: Name
    value: Region | Call


@_node
class Yield(Node):
    """``yield a, b;``."""

    values: tuple[Expression, ...]


@_node
class Region(Node):
    """``{ statements; yield a; }``."""

    items: tuple[Component | Yield | ErrorEntry, ...]


Callable: TypeAlias = "Region | Labelled | Expression"


@_node
class Case(Node):
    """``if condition then consequent`` or ``elif …``."""

    condition: Callable
    consequent: Callable


@_node
class Branch(Node):
    """``if c then a elif d then b else e``."""

    cases: tuple[Case, ...]
    alternative: Callable


@_node
class Carry(Node):
    """``with x: real[n] = e``: a variable carried from one iteration to the next."""

    name: Name
    type: ResultType | None
    value: Expression


@_node
class Scan(Node):
    """``for x : xs``."""

    name: Name
    value: Expression


@_node
class While(Node):
    """``while c``, tested before or (``post``) behind the body."""

    condition: Callable
    post: bool


@_node
class Iteration(Node):
    """``..(count)``, ``..(i -> count)`` or ``..(i ->)`` behind ``do``."""

    index: Name | None
    count: Expression | None


@_node
class Loop(Node):
    """``with … for … while … do..(i -> n) body while …``."""

    carries: tuple[Carry, ...]
    scans: tuple[Scan, ...]
    conditions: tuple[While, ...]
    keyword: Operator
    """``do`` or ``unroll``."""
    iteration: Iteration | None
    body: Callable


@_node
class Component(Node):
    """``results = right side`` in ``@compose``, ``@update`` or a block."""

    results: tuple[Result | ResultList, ...]
    value: Branch | Loop | Callable


@_node
class Quantization(Node):
    """``tensor: algorithm{…}`` in ``@quantize``."""

    target: Qualified
    algorithm: Qualified
    generics: Generics | None
    attributes: Attributes | None
    arguments: Operator | None
    """The illegal argument list, as one place."""


Statement: TypeAlias = (
    DtypeDeclaration | Parameter | Using | Assertion | Lowering | Component | Quantization | ErrorEntry
)


# ---- documents (2.2, 2.15) -------------------------------------------------------------------------------------------
@_node
class Entry(Node):
    """An entry of a block at its place in the chunk; spans inside ``statement`` count from ``start``."""

    statement: Statement


@_node
class Block(Node):
    """``@name { entries }``."""

    kind: str
    """The name of the block without ``@``."""
    keyword: Span
    entries: tuple[Entry, ...]


@_node
class ErrorBlock(Node):
    """What could not be read as a block."""


@_node
class Definition(Node):
    """An operator or a graph."""

    kind: str
    """``operator`` or ``graph``."""
    public: bool
    name: Name
    blocks: tuple[Block | ErrorBlock, ...]


@_node
class Version(Node):
    """``version 2.0;``."""

    number: str


@_node
class Extension(Node):
    """``extension NAME;``."""

    names: tuple[Name, ...]


@_node
class Import(Node):
    """``import a, b.c;``."""

    modules: tuple[Qualified, ...]


@_node
class ErrorItem(Node):
    """What could not be read as an item of a document."""


@_node
class Document(Node):
    """The items of a chunk in order."""

    items: tuple[Version | Extension | Import | Definition | ErrorItem, ...]


_CHILD_FIELDS: dict[type, tuple[str, ...]] = {}


def _child_fields(kind: type[Node]) -> tuple[str, ...]:
    known = _CHILD_FIELDS.get(kind)
    if known is None:
        known = tuple(field.name for field in fields(kind) if field.name not in ("start", "end"))
        _CHILD_FIELDS[kind] = known
    return known


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below ``node``, in the order of the text as far as the fields keep it."""
    for name in _child_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif type(value) is tuple:
            yield from (item for item in value if isinstance(item, Node))


def descendants(node: Node) -> Iterator[Node]:
    """``node`` and all below it, without recursion. Spans below an ``Entry`` count from that entry."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(list(children(current))))


def first_below(node: Node, depth: int) -> Node | None:
    """The first node that stands more than ``depth`` levels below ``node``, which must be inside one entry."""
    pending = [(node, 0)]
    while pending:
        current, level = pending.pop()
        if level > depth:
            return current
        pending.extend((child, level + 1) for child in reversed(list(children(current))))
    return None
