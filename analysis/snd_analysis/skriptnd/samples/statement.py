"""A sample as a graph of one statement: nested lists are constants, generators are inputs of the graph.

So the code for graphs resolves, types and composes a sample. All nodes keep their places in the comment.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.samples.sample import RaggedError, attempt, rows_of
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.symbolic.values import Value, dtype_of

SAMPLE_NAME = ">>>"
"""The name of the graph: one that no definition can have."""
GENERATORS = ("random", "iota", "zeros", "ones")
_ARGUMENT = nodes.Expression | nodes.Tilde
_DTYPES = ("int", "real", "bool", "str")


class SampleGraph(Struct):
    """The graph of a sample. ``generators`` are the inputs of the graph that a generator makes, by their names."""

    definition: nodes.Definition
    component: nodes.Component
    generators: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def statement_of(call: nodes.Call, invoked: nodes.Definition | None) -> SampleGraph:
    """Return the graph of a sample. ``invoked`` decides which arguments are packs, and how many results there are."""
    builder = _Builder(call, invoked)
    arguments = tuple(builder.argument(at, argument) for at, argument in enumerate(call.arguments))
    rewritten = replace(call, arguments=arguments)
    outputs = 1 if invoked is None else len(entries_of(invoked, BlockKind.OUTPUT, nodes.Parameter))
    start = call.start
    results = tuple(nodes.Result(start, start, nodes.Tilde(start, start), None, None) for _ in range(outputs))
    component = nodes.Component(call.start, call.end, results, rewritten)
    blocks = [
        _block(kind, call, entries)
        for kind, entries in (
            (BlockKind.INPUT, builder.inputs),
            (BlockKind.CONSTANT, builder.constants),
            (BlockKind.COMPOSE, [component]),
        )
        if entries
    ]
    name = nodes.Name(call.start, call.start, SAMPLE_NAME)
    definition = nodes.Definition(call.start, call.end, "graph", False, name, tuple(blocks))
    return SampleGraph(definition, component, builder.generators, builder.problems)


def _block(kind: BlockKind, call: nodes.Call, entries: Sequence[nodes.Parameter | nodes.Component]) -> nodes.Block:
    # Entries that begin at 0 let the spans inside of them be those of the chunk.
    placed = nodes.Entries.of(nodes.Entry(0, call.end, entry) for entry in entries)
    return nodes.Block(call.start, call.end, kind, Span(call.start, call.start), placed)


class _Builder:
    """The declarations of a sample, made from its arguments."""

    def __init__(self, call: nodes.Call, invoked: nodes.Definition | None) -> None:
        self.inputs: list[nodes.Parameter] = []
        self.constants: list[nodes.Parameter] = []
        self.generators: dict[str, str] = {}
        self.problems: list[Problem] = []
        self._call = call
        declared = [] if invoked is None else entries_of(invoked, BlockKind.INPUT, nodes.Parameter)
        self._parameters = [parameter for _, parameter in declared]
        self._types: dict[str, str] = {}
        if invoked is not None:
            self._types = self._types_of_arguments() | _given_types(call, invoked)
            self._types = _default_types(invoked) | self._types

    def argument(self, at: int, node: _ARGUMENT) -> _ARGUMENT:
        """Return the node of an argument in the statement."""
        if isinstance(node, nodes.Qualified) and node.text == "null":
            return nodes.Tilde(node.start, node.end)
        parameter = self._parameters[at] if at < len(self._parameters) else None
        name = f"argument {at + 1}"
        if isinstance(node, nodes.List) and parameter is not None and parameter.pack is not None:
            items = tuple(self._item(f"{name}[{number}]", item, parameter) for number, item in enumerate(node.items))
            return replace(node, items=items)
        return self._tensor(name, node, parameter)

    def _types_of_arguments(self) -> dict[str, str]:
        """Return the generic types that literal arguments determine."""
        found: dict[str, str] = {}
        for parameter, argument in zip(self._parameters, self._call.arguments, strict=False):
            dtype = None if isinstance(argument, nodes.Tilde) else self._written_type(argument)
            if dtype is not None and not parameter.type.is_keyword:
                found.setdefault(parameter.type.text, dtype)
        return found

    def _written_type(self, node: nodes.ListItem) -> str | None:
        if isinstance(node, nodes.List):
            return next(filter(None, map(self._written_type, node.items)), None)
        return None if _generator(node) is not None else self._dtype_of_items((node,))

    def _item(self, name: str, node: nodes.ListItem, parameter: nodes.Parameter) -> nodes.ListItem:
        if isinstance(node, nodes.Expanded) and not isinstance(node.item, nodes.Zip):
            item = self._tensor(name, node.item, parameter)
            assert not isinstance(item, nodes.Tilde)
            return replace(node, item=item)
        if isinstance(node, nodes.Range | nodes.Expanded | nodes.Zip):
            return node
        item = self._tensor(name, node, parameter)
        assert not isinstance(item, nodes.Tilde)
        return item

    def _tensor(self, name: str, node: _ARGUMENT, parameter: nodes.Parameter | None) -> _ARGUMENT:
        if isinstance(node, nodes.List):
            return self._constant(name, node, parameter)
        generator = _generator(node)
        return node if generator is None else self._generated(name, generator, parameter)

    def _constant(self, name: str, node: nodes.List, parameter: nodes.Parameter | None) -> _ARGUMENT:
        try:
            rows = rows_of(node)
        except RaggedError as ragged:
            self.problems.append(Problem(ragged.rule, ragged.node.span, ragged.message, ragged.notes))
            return node
        if rows is None:
            return node  # the list gets the message
        default = nodes.Default(node.start, node.end, nodes.List(node.start, node.end, rows.items), ())
        dtype = self._dtype_of_items(rows.items) or self._declared_type(parameter)
        shape = tuple(_extent(node, extent) for extent in rows.shape)
        self.constants.append(_parameter(name, node, dtype, shape, default))
        return _reference(name, node)

    def _generated(self, name: str, node: nodes.Subscript, parameter: nodes.Parameter | None) -> _ARGUMENT:
        assert isinstance(node.target, nodes.Qualified)
        generator = node.target.text
        extents: list[nodes.Extent] = []
        for item in node.index.items:
            value = _known(item)
            if value is None or value < 0:
                message = f"the extents of '{generator}[…]' must be numbers that are not negative"
                self.problems.append(Problem(rules.SAMPLE_SYNTAX, item.span, message))
                return node
            extents.append(_extent(item, value))
        self.generators[name] = generator
        self.inputs.append(_parameter(name, node, self._declared_type(parameter), tuple(extents), None))
        return _reference(name, node)

    def _dtype_of_items(self, items: Sequence[nodes.ListItem]) -> str | None:
        for item in items:
            inner = item.item if isinstance(item, nodes.Expanded) else item
            if isinstance(inner, nodes.Range):
                return "int"
            if isinstance(inner, nodes.Zip):
                continue
            dtype = dtype_of(attempt(inner))
            if dtype in _DTYPES:
                return dtype
        return None

    def _declared_type(self, parameter: nodes.Parameter | None) -> str:
        """Return the declared type; for a generic type, its bound type if known."""
        if parameter is None:
            return "real"
        if parameter.type.is_keyword and parameter.type.text in _DTYPES:
            return parameter.type.text
        return self._types.get(parameter.type.text, "real")


def _generator(node: nodes.Node) -> nodes.Subscript | None:
    if isinstance(node, nodes.Subscript) and isinstance(node.target, nodes.Qualified):
        return node if node.target.text in GENERATORS else None
    return None


def is_generated(node: nodes.Node) -> bool:
    """Return whether an argument is made by a generator."""
    return _generator(node) is not None


def _given_types(call: nodes.Call, invoked: nodes.Definition) -> dict[str, str]:
    """Return the generic types that ``<…>`` gives to an operator."""
    declared = entries_of(invoked, BlockKind.DTYPE, nodes.DtypeDeclaration)
    given = call.generics.items if call.generics is not None else ()
    return {
        generic.name.text: name.text
        for (_, generic), name in zip(declared, given, strict=False)
        if name.text in _DTYPES
    }


def _default_types(invoked: nodes.Definition) -> dict[str, str]:
    declared = entries_of(invoked, BlockKind.DTYPE, nodes.DtypeDeclaration)
    return {
        generic.name.text: generic.default.text
        for _, generic in declared
        if generic.default is not None and generic.default.text in _DTYPES
    }


def _known(item: nodes.ListItem) -> int | None:
    if isinstance(item, nodes.Range | nodes.Expanded | nodes.Zip):
        return None
    value: Value = attempt(item)
    number = getattr(value, "value", None)
    return number if dtype_of(value) == "int" and isinstance(number, int) else None


def _extent(node: nodes.Node, extent: int) -> nodes.Extent:
    literal = nodes.Literal(node.start, node.end, "int", extent)
    return nodes.Extent(node.start, node.end, literal, False, False, None, None)


def _parameter(
    name: str, node: nodes.Node, dtype: str, extents: tuple[nodes.Extent, ...], default: nodes.Default | None
) -> nodes.Parameter:
    start, end = node.start, node.end
    type_ = nodes.TypeName(start, end, dtype, True)
    shape = nodes.Shape(start, end, extents)
    return nodes.Parameter(start, end, nodes.Name(start, end, name), (), type_, None, shape, None, default)


def _reference(name: str, node: nodes.Node) -> nodes.Qualified:
    return nodes.Qualified(node.start, node.end, (nodes.Name(node.start, node.end, name),))
