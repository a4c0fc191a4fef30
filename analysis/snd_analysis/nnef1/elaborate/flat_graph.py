"""The SkriptND graph of an NNEF 1.0 graph, built statement by statement.

All nodes have their places in the ``.nnef`` text: a statement of the graph or of a fragment is an entry that begins at
the statement, and spans in it count from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import MappingProxyType
from typing import Any

from snd_analysis.base import Span
from snd_analysis.skriptnd.syntax import nodes, parse_expression
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Asserted, Integer, Leaf, Truth
from snd_analysis.symbolic.values import Pack, Value

_BLOCKS = ("attrib", "input", "using", "output", "constant", "variable", "assert", "compose", "update", "quantize")
QUANTIZATION = "nnef1_quantization"
"""The module of the operators that quantize."""


class FlatGraph:
    """A graph definition that grows. Names of tensors belong to its declarations and results."""

    def __init__(self) -> None:
        self._added: list[tuple[str, nodes.Entry]] = []
        self._taken: list[tuple[str, str]] = []
        self.names: set[str] = set()
        """Names in use."""
        self.reserved: frozenset[str] = frozenset()
        """Names reserved for results of the graph."""

    def record(self, added: list[tuple[str, nodes.Entry]], taken: list[tuple[str, str]]) -> None:
        """Redirect later entries to ``added``, and later pairs of wanted and chosen names to ``taken``."""
        self._added, self._taken = added, taken

    @contextmanager
    def aside(self) -> Iterator[list[nodes.Statement]]:
        """Give the statements that are added meanwhile, instead of adding them. Declarations are added."""
        outer, self._added = self._added, []
        found: list[nodes.Statement] = []
        try:
            yield found
        finally:
            for block, entry in self._added:
                if block == "compose":
                    found.append(entry.statement)
                else:
                    outer.append((block, entry))
            self._added = outer

    def reserve(self, names: frozenset[str]) -> None:
        """Keep names for the results of the graph."""
        self.reserved = names
        self.names |= names

    def result_name(self, wanted: str) -> str:
        """Return the name of a result of the graph: the one that is reserved for it, or an unused one."""
        return wanted if wanted in self.reserved else self.unused_name(wanted)

    def unused_name(self, wanted: str) -> str:
        """Return a name that nothing in the graph has yet, and take it: the one that is wanted if possible."""
        name, number = wanted, 2
        while name in self.names:
            name, number = f"{wanted}_{number}", number + 1
        self.names.add(name)
        self._taken.append((wanted, name))
        return name

    def declare(
        self, block: str, base: int, span: Span, name: str, dtype: str, shape: Sequence[Integer] | None
    ) -> nodes.Parameter:
        """Add a declaration to a block; without a shape its shape is left to the composition."""
        start, end = span.start, span.end
        extents = None if shape is None else nodes.Shape(start, end, tuple(_extent(span, each) for each in shape))
        type_ = nodes.TypeName(start, end, dtype, True)
        node = nodes.Parameter(start, end, nodes.Name(start, end, name), (), type_, None, extents, None, None)
        self.add(block, base, node)
        return node

    def define(self, span: Span, name: str, value: Integer) -> None:
        """Define a name as a number."""
        start, end = span.start, span.end
        target = nodes.NameTarget(start, end, nodes.Name(start, end, name), None)
        self.add("using", 0, nodes.Using(start, end, target, expression(value, span)))

    def demand(self, base: int, span: Span, condition: Truth, message: str) -> None:
        """Add an assertion."""
        text = nodes.String(span.start, span.end, (nodes.Text(span.start, span.end, message),))
        self.add("assert", base, nodes.Assertion(span.start, span.end, expression(condition, span), text, ()))

    def assign(
        self, base: int, span: Span, results: Sequence[tuple[str, Span] | list[tuple[str, Span]]], value: nodes.Callable
    ) -> nodes.Component:
        """Add a statement; a list among the results takes one packed result apart."""
        made = tuple(_result(each, span) for each in results)
        component = nodes.Component(span.start, span.end, made, value)
        self.add("compose", base, component)
        return component

    def update(self, base: int, span: Span, variable: tuple[str, Span], value: nodes.Expression) -> None:
        """Let a variable have a new value after all statements."""
        self.add("update", base, nodes.Component(span.start, span.end, (_single(*variable),), value))

    def quantize(self, span: Span, tensor: str, operator: Sequence[str], attributes: Mapping[str, Value]) -> None:
        """Quantize a tensor by an operator, if the file asks for it. Its name may follow that of a module."""
        start, end = span.start, span.end
        given = tuple(
            nodes.Attribute(start, end, nodes.Name(start, start, name), expression(value, span), False)
            for name, value in attributes.items()
        )
        algorithm = nodes.Qualified(start, end, tuple(nodes.Name(start, end, each) for each in operator))
        node = nodes.Quantization(
            start, end, reference(tensor, span), algorithm, None, nodes.Attributes(start, end, given), None
        )
        self.add("quantize", 0, node)

    def add(self, block: str, base: int, node: nodes.Statement) -> None:
        """Add an entry to a block."""
        self._added.append((block, nodes.Entry(base, base + node.end, node)))


def definition(
    entries: Iterable[tuple[str, nodes.Entry]],
    name: str,
    span: Span,
    name_span: Span,
    inputs: Sequence[str],
    before: nodes.Definition | None = None,
) -> nodes.Definition:
    """Return a graph of entries that belong to blocks, its inputs in the given order.

    Entries are grouped as in ``before``, the graph for an earlier state of the file.
    """
    found: dict[str, list[nodes.Entry]] = {kind: [] for kind in _BLOCKS}
    for block, entry in entries:
        found[block].append(entry)
    order = {each: at for at, each in enumerate(inputs)}
    found["input"].sort(key=lambda entry: order.get(_declared_name(entry), len(order)))
    known = (
        {} if before is None else {each.kind: each.entries for each in before.blocks if isinstance(each, nodes.Block)}
    )
    blocks = tuple(
        nodes.Block(
            span.start, span.end, (block := nodes.BlockKind(kind)), Span(span.start, span.start),
            known[block].replaced(of_block) if block in known else nodes.Entries.of(of_block),
        )
        for kind, of_block in found.items()
        if of_block
    )  # fmt: skip
    named = nodes.Name(name_span.start, name_span.end, name)
    return nodes.Definition(span.start, span.end, "graph", False, named, blocks)


def _declared_name(entry: nodes.Entry) -> str:
    assert isinstance(entry.statement, nodes.Parameter)
    return entry.statement.name.text


def invocation(
    operator: nodes.Name,
    attributes: Iterable[tuple[str, nodes.Expression]],
    arguments: Sequence[nodes.Expression | nodes.Tilde],
    dtypes: Sequence[str] = (),
) -> nodes.Call:
    """Return an invocation with nodes for attributes and arguments; a tilde marks an omitted argument."""
    start, end = operator.start, operator.end
    items = tuple(
        nodes.Attribute(node.start, node.end, nodes.Name(node.start, node.start, name), node, False)
        for name, node in attributes
    )
    given = nodes.Attributes(start, end, items) if items else None
    types = tuple(nodes.TypeName(start, end, dtype, True) for dtype in dtypes)
    generics = nodes.Generics(start, end, types) if types else None
    return nodes.Call(start, end, nodes.Qualified(start, end, (operator,)), generics, given, tuple(arguments))


def reference(name: str, span: Span) -> nodes.Qualified:
    """Return the use of a tensor."""
    return nodes.Qualified(span.start, span.end, (nodes.Name(span.start, span.end, name),))


def omitted(span: Span) -> nodes.Tilde:
    """Return the node of an omitted argument."""
    return nodes.Tilde(span.start, span.end)


def array(items: Sequence[nodes.Expression], span: Span) -> nodes.List:
    """Return a list of expressions."""
    return nodes.List(span.start, span.end, tuple(items))


def expression(value: Value, span: Span) -> nodes.Expression:
    """Return an expression with a value. Symbols in it are named; so it is read from its own text."""
    start, end = span.start, span.end
    match value:
        case Integer(value=None):
            return _written(value, span)
        case Integer(value=int(number)):
            return nodes.Literal(start, end, "int", number)
        case Truth() if value is TRUE or value is FALSE:
            return nodes.Literal(start, end, "bool", value is TRUE)
        case Truth():
            return _written(value, span)
        case float():
            return nodes.Literal(start, end, "real", value)
        case str():
            return nodes.String(start, end, (nodes.Text(start, end, value),))
        case Pack(items=tuple() as items):
            return nodes.List(start, end, tuple(expression(item, span) for item in items))
    raise AssertionError(f"there is no notation for {value!r}")


def _written(value: Integer | Truth, span: Span) -> nodes.Expression:
    """Return the expression for the text of a value; symbols with invalid names for SkriptND get others."""
    names = {f"symbol_{at}": leaf for at, leaf in enumerate(sorted(value.leaves, key=lambda leaf: leaf.name))}
    odd = {name: leaf for name, leaf in names.items() if type(leaf.key) is Asserted or not _is_name(leaf.name)}
    others = {leaf.key: shapes.variable(name, name, leaf.low, leaf.high) for name, leaf in odd.items()}
    read = parse_expression(str(shapes.substitute(value, others)))[0]
    node: nodes.Expression = placed(read, span, {name: _identifier(leaf) for name, leaf in odd.items()})
    return node


def is_plain(extent: Integer) -> bool:
    """Return whether an extent of an input is a number, or a symbol without known facts."""
    leaf = extent.variable
    return extent.value is not None or (leaf is not None and type(leaf.key) is not Asserted)


def extent_name(extent: Integer) -> str:
    """Return how an extent of an input is named in the graph: a sum of symbols as no tensor is."""
    leaf = extent.variable
    return f"symbol {extent}" if leaf is None else _identifier(leaf)


def _identifier(leaf: Leaf) -> str:
    return leaf.key.identifier if isinstance(leaf.key, Asserted) else leaf.name


@cache
def _is_name(text: str) -> bool:
    read = parse_expression(text)[0]
    return isinstance(read, nodes.Qualified) and [part.text for part in read.parts] == [text]


def placed(node: nodes.Node, span: Span, names: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Return a copy of a node with all nodes at ``span``, and names replaced according to ``names``."""

    def moved(value: object) -> object:
        if isinstance(value, nodes.Name):
            return nodes.Name(span.start, span.end, names.get(value.text, value.text))
        if isinstance(value, nodes.Node):
            fields = {name: moved(getattr(value, name)) for name in nodes.content_fields(type(value))}
            return type(value)(span.start, span.end, **fields)
        return tuple(map(moved, value)) if isinstance(value, tuple) else value

    return moved(node)


def _extent(span: Span, extent: Integer) -> nodes.Extent:
    node = expression(extent, span) if is_plain(extent) else reference(extent_name(extent), span)
    return nodes.Extent(span.start, span.end, node, False, False, None, None)


def _result(wanted: tuple[str, Span] | list[tuple[str, Span]], span: Span) -> nodes.Result | nodes.ResultList:
    if isinstance(wanted, list):
        items = tuple(_single(name, place) for name, place in wanted)
        return nodes.ResultList(span.start, span.end, items)
    return _single(*wanted)


def _single(name: str, span: Span) -> nodes.Result:
    return nodes.Result(span.start, span.end, nodes.Name(span.start, span.end, name), None, None)
