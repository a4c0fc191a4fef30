"""Types and shapes written after results and carried variables: ``y: real[a,b]`` (2.10, 2.10.1)."""

from __future__ import annotations

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.compose.typing_state import UNKNOWN, TypedValue, TypingState
from snd_analysis.skriptnd.types.context import Stage, dtype_of
from snd_analysis.skriptnd.types.declarations.attributes import check_element_type
from snd_analysis.skriptnd.types.expressions.dimensions import differing, dimensions, extents_of
from snd_analysis.skriptnd.types.expressions.expectations import expect
from snd_analysis.skriptnd.types.type import ABSTRACT, INT, Extents, TensorShape, Type, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer


def typed_result(
    work: TypingState, annotation: nodes.ResultType | None, place: nodes.Node, value: TypedValue
) -> TypedValue:
    """Return a result with the type written after its name. New names in that type are bound to the extents."""
    if annotation is None:
        return value
    _declare_extents(work, annotation.shape, value)
    declared = written_type(work, annotation)
    if declared is None:
        return value
    type_, extents = declared
    if value.type is None:
        return replace(value, type=None)
    # A scalar denotes a tensor with that value throughout.
    uniform = value.compile_time and not value.type.packed
    result = replace(
        value,
        compile_time=False,
        scalar=None,
        type=replace(type_, length=value.type.length, optional=value.type.optional),
    )
    if type_.dtype != value.type.dtype:
        message = f"the result is declared as '{type_}', but this is '{value}'"
        origin = () if value.place is None else (work.context.note(annotation, "the type is declared here"),)
        work.context.report(rules.TYPE_MISMATCH, value.place or annotation, message, origin)
        return UNKNOWN
    if not uniform and disagreement(work, type_, extents, value):
        message = f"the result is declared as '{type_}', but this is '{value}'"
        notes = () if value.place is None else (work.context.note(value.place, f"this is '{value}'"),)
        work.context.report(rules.RESULT_SHAPE, annotation, message, notes)
        return UNKNOWN
    return replace(result, extents=value.extents if value.extents is not None and not uniform else extents)


def disagreement(work: TypingState, type_: Type, extents: Extents | None, value: TypedValue) -> bool:
    """Return whether a value certainly has another rank or other extents than a declared type says."""
    if not work.shapes_certain or type_.shape is None or value.rank is None:
        return False
    if shapes.decide_equal(type_.shape.rank, value.rank) is EqualityVerdict.DIFFERENT:
        return True
    return differing(extents, value.extents)


def written_type(work: TypingState, annotation: nodes.ResultType) -> tuple[Type, Extents | None] | None:
    """Return the tensor type of an annotation, and its extents as far as they are known."""
    context = work.context
    dtype = dtype_of(context, annotation.type)
    check_element_type(context, annotation.type)
    _check_extents(work, annotation.shape)
    if dtype is None or dtype.name in ABSTRACT:
        return None
    parts = dimensions(context, annotation.shape)
    rank = shapes.constant(0)
    for part in parts:
        rank = rank + part.count
    return Type(dtype, shape=TensorShape(rank, written(annotation.shape))), extents_of(parts)


def _check_extents(work: TypingState, shape: nodes.Shape) -> None:
    context = work.context
    with context.at(Stage.COMPILE_TIME):
        for extent in shape.extents:
            if not isinstance(extent.value, nodes.Tilde):
                expect(context, extent.value, INT, "an extent", optional=True)


def _declare_extents(work: TypingState, shape: nodes.Shape, value: TypedValue) -> None:
    """Bind new names in a written shape to the extents of the result (2.16)."""
    known = value.extents
    aligned = known is not None and len(known) == len(shape.extents)
    for at, extent in enumerate(shape.extents):
        symbol = _new_symbol(work, extent)
        if symbol is None:
            continue
        single = known[at] if aligned and known is not None else None
        work.context.symbols[symbol] = _extent(work, symbol, extent, single, value if len(shape.extents) == 1 else None)


def _new_symbol(work: TypingState, extent: nodes.Extent) -> Symbol | None:
    """Return the symbol that an extent declares here, if it does."""
    if not isinstance(extent.value, nodes.Qualified):
        return None
    symbol = work.context.symbol(extent.value.parts[0]) or work.context.symbol(extent.value)
    is_new = symbol is not None and symbol.kind is SymbolKind.EXTENT and symbol not in work.context.symbols
    return symbol if is_new and symbol is not None and symbol.node is extent else None


def _extent(
    work: TypingState, symbol: Symbol, extent: nodes.Extent, single: Integer | None, whole: TypedValue | None
) -> Typed:
    if extent.expansion is None:
        return Typed(Type(INT), single if single is not None else shapes.variable(symbol, symbol.name))
    length: Integer = shapes.variable((symbol, "length"), f"|{symbol.name}|")
    if extent.expansion.length is not None:
        typed = expect(work.context, extent.expansion.length, INT, "a number of dimensions", packed=False)
        length = typed.value if typed.value is not None else length
    elif whole is not None and whole.rank is not None:
        length = whole.rank
    return Typed(Type(INT, length=length), items=whole.extents if whole is not None else None)
