"""Extents and lengths: the types of bound ones, and the number of dimensions of a shape (2.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import compress

from msgspec import Struct

from snd_analysis.skriptnd.names import Binding, Declaration, Symbol, bindings, bound_symbol, symbols_in
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.expressions.packs import condition_of
from snd_analysis.skriptnd.types.type import BOOL, INT, UNTYPED, TensorShape, Type, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth


class Task(Struct, frozen=True):
    """The typing of one symbol, which may need others to be typed before."""

    symbol: Symbol
    needs: frozenset[Symbol]
    run: Callable[[], None]


def run_in_order(tasks: Iterable[Task]) -> None:
    """Run every task after the tasks that it needs; circular ones in order of declaration."""
    pending = list(tasks)
    while pending:
        open_symbols = {task.symbol for task in pending}
        is_ready = [not (task.needs & open_symbols) - {task.symbol} for task in pending]
        if not any(is_ready):
            is_ready[0] = True
        for task in compress(pending, is_ready):
            task.run()
        pending = [task for task, ready in zip(pending, is_ready, strict=True) if not ready]


def peek(context: Context, expression: nodes.Node) -> Typed:
    """Return the type and value of an expression that is checked, and reported about, later."""
    if type(expression) is nodes.Literal:  # most extents are literals, about which there is nothing to report
        return infer(context, expression)
    with context.silent():
        return infer(context, expression)


def extent_tasks(context: Context, declared: Iterable[Declaration]) -> list[Task]:
    """Return the typing of every extent and length that these attributes and inputs bind.

    A plain extent or a length is an int, ``s..(d)`` a pack of them, ``..t`` one for each tensor of a pack. If the
    length is a bool, the extent exists or not: an optional int. An extent that only optional parameters bind is
    optional.
    """
    resolution = context.resolution
    found = [binding for declaration in declared for binding in bindings(resolution, declaration)]
    given: dict[Symbol, list[Binding]] = {}
    for binding in found:
        if binding.symbol is not None and not binding.declaration.parameter.optional:
            given.setdefault(binding.symbol, []).append(binding)
    first: dict[Symbol, Binding] = {}
    for binding in found:
        if binding.symbol is not None and binding.symbol.node is binding.node:
            first.setdefault(binding.symbol, binding)
    tasks = []
    for symbol, binding in first.items():
        needs = frozenset(_length_needs(context, binding)) - {symbol}
        tasks.append(Task(symbol, needs, _typing(context, symbol, binding, given.get(symbol, []))))
    return tasks


def _length_needs(context: Context, binding: Binding) -> Iterable[Symbol]:
    if not isinstance(binding.node, nodes.Extent):
        return ()
    pack = binding.declaration.parameter.pack
    length = pack and pack.length if binding.node.spread else binding.node.expansion and binding.node.expansion.length
    return symbols_in(context.resolution, length)


def _typing(context: Context, symbol: Symbol, binding: Binding, given: list[Binding]) -> Callable[[], None]:
    def run() -> None:
        context.base = binding.declaration.base
        context.symbols[symbol] = _bound(context, symbol, binding, given)

    return run


def _bound(context: Context, symbol: Symbol, binding: Binding, given: list[Binding]) -> Typed:
    optional = not given
    single = Typed(Type(INT, optional), shapes.variable(symbol, symbol.name))
    node = binding.node
    if not isinstance(node, nodes.Extent):
        return single
    if node.spread:
        return Typed(Type(INT, optional, pack_length(context, binding.declaration)))
    if node.expansion is None:
        return single
    length = node.expansion.length
    if length is None:
        return Typed(Type(INT, optional, shapes.variable((symbol, "length"), f"|{symbol.name}|")))
    if peek(context, length).type is None:
        return UNTYPED
    if iscondition_of(context, length):
        return Typed(Type(INT, not _is_always_there(context, given)), single.value)
    return Typed(Type(INT, optional, length_value(context, length)))


def _is_always_there(context: Context, given: list[Binding]) -> bool:
    """Return whether at least one binding of an extent in required inputs exists, for all values of conditions."""
    some: Truth = shapes.FALSE
    for binding in given:
        expansion = binding.node.expansion if isinstance(binding.node, nodes.Extent) else None
        length = expansion.length if expansion is not None else None
        if length is None or not iscondition_of(context, length):
            return True
        some = shapes.or_(some, condition_of(context, length))
    return some is shapes.TRUE


def iscondition_of(context: Context, length: nodes.Expression) -> bool:
    """Return whether a length is a bool, which says whether the item is there (2.6)."""
    type_ = peek(context, length).type
    return type_ is not None and type_.dtype == BOOL and not type_.packed and not type_.tensor


def length_value(context: Context, length: nodes.Expression) -> Integer:
    """Return the number of items that a length expression gives."""
    typed = peek(context, length)
    if typed.type is not None and typed.type.dtype == BOOL:
        return _presence(context, length)
    return typed.value if typed.value is not None else shapes.opaque(written(length))


def pack_length(context: Context, declaration: Declaration) -> Integer:
    """Return the length of a packed parameter; an unknown of its own if the declaration does not name it."""
    pack = declaration.parameter.pack
    if pack is not None and pack.length is not None and not isinstance(pack.length, nodes.Tilde):
        return length_value(context, pack.length)
    symbol = context.symbol(declaration.parameter.name)
    name = declaration.name
    return shapes.variable((symbol, "length"), f"|{name}|" if declaration.block == BlockKind.ATTRIB else f"{name}.size")


def _presence(context: Context, condition: nodes.Node) -> Integer:
    """Return 1 where a condition holds or an optional extent is not null, else 0."""
    return shapes.choose(condition_of(context, condition), 1, 0)


def tensor_shape(context: Context, declaration: Declaration) -> TensorShape:
    """Return the rank and the text of a declared shape; a rank that is not known if the shape is left out."""
    shape = declaration.parameter.shape
    if shape is None:
        symbol = context.symbol(declaration.parameter.name)
        return TensorShape(shapes.variable((symbol, "rank"), f"{declaration.name}.rank"), "..")
    rank = sum((dimensions(context, extent, declaration) for extent in shape.extents), shapes.constant(0))
    return TensorShape(rank, written(shape))


def dimensions(context: Context, extent: nodes.Extent, declaration: Declaration | None = None) -> Integer:
    """Return the number of dimensions of one component of a shape. ``declaration`` is the declaration of the shape."""
    if extent.spread:
        return shapes.constant(1) if extent.expansion is None else shapes.opaque(written(extent))
    if isinstance(extent.value, nodes.Qualified) and not extent.value.text:  # recovery made it up
        return shapes.opaque("dimensions")
    type_ = None if isinstance(extent.value, nodes.Tilde) else peek(context, extent.value).type
    if type_ is not None and type_.optional and _is_given(context, declaration, extent):
        type_ = type_.required()
    if extent.expansion is None:
        if type_ is not None and type_.length is not None:  # reported: it should be expanded
            return type_.length
        return _presence(context, extent.value) if type_ is not None and type_.optional else shapes.constant(1)
    length = extent.expansion.length
    if length is not None:
        return length_value(context, length)
    if type_ is not None and type_.length is not None and not type_.optional:
        return type_.length
    return shapes.opaque(f"|{written(extent.value)}|")


def _is_given(context: Context, declaration: Declaration | None, extent: nodes.Extent) -> bool:
    """Return whether an extent that may be null is not where the tensor at hand, an optional input, is given."""
    symbol = bound_symbol(context.resolution, extent.value)
    if (
        symbol is None
        or declaration is None
        or declaration.block != BlockKind.INPUT
        or not declaration.parameter.optional
    ):
        return False
    node = symbol.node
    length = node.expansion.length if isinstance(node, nodes.Extent) and node.expansion is not None else None
    return length is None or not iscondition_of(context, length)
