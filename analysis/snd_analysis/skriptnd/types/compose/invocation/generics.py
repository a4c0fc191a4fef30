"""Generic types of an invoked operator: given in ``<>``, deduced from attributes and inputs, or by default (2.13)."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.skriptnd.names import OperatorName, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.compose.typing_state import UNKNOWN, TypedValue, TypingState
from snd_analysis.skriptnd.types.context import Stage, dtype_of
from snd_analysis.skriptnd.types.declarations.attributes import check_element_type
from snd_analysis.skriptnd.types.expressions.dimensions import differing, dimensions, extents_of
from snd_analysis.skriptnd.types.expressions.functions import expect
from snd_analysis.skriptnd.types.fixes import as_real
from snd_analysis.skriptnd.types.signature import GenericType, Signature, elsewhere
from snd_analysis.skriptnd.types.type import ABSTRACT, INT, Dtype, Extents, TensorShape, Type, Typed, described
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer

_CONTAINED = {
    "type": frozenset({"int", "real", "bool", "str", "type", "arith", "num"}),
    "arith": frozenset({"int", "real", "bool", "arith", "num"}),
    "num": frozenset({"int", "real", "num"}),
}


def is_within(dtype: Dtype, base: str) -> bool:
    """Return whether every type that ``dtype`` may be bound to belongs to an abstract base."""
    return (dtype.base or dtype.name) in _CONTAINED[base]


class _Bound(Struct, frozen=True):
    dtype: Dtype | None
    """The bound type; None if the value that binds it could not be typed."""
    by: str
    node: nodes.Node | None = None
    """The node that determines the type, in the current entry."""


class TypeBinding:
    """The bindings of the generic types of an operator in one invocation."""

    def __init__(self, work: TypingState, signature: Signature, name: OperatorName) -> None:
        self._work = work
        self._signature = signature
        self._name = name
        self._bound: dict[str, _Bound] = {}

    def give(self, generics: nodes.Generics) -> None:
        """Bind the types written in ``<>``, in the order of their declaration."""
        context, declared = self._work.context, self._signature.generics
        if len(generics.items) > len(declared):
            extra = generics.items[len(declared)]
            has = f"has {counted(len(declared), 'generic type')}" if declared else "is not generic"
            message = f"'{self._name.name}' {has}, but {counted(len(generics.items), 'type')} are given"
            if len(generics.items) == 1:
                message = f"'{self._name.name}' {has}, but a type is given"
            note = elsewhere(self._name, f"'{self._name.name}' is defined here")
            if all(item.is_keyword or context.target(item) is not None for item in generics.items):
                self._work.report_between(rules.GENERIC_COUNT, extra, generics.items[-1], message, (note,))
            self._bound = {generic.name: _Bound(None, "") for generic in declared}  # which are meant is not known
            return
        for generic, item in zip(declared, generics.items, strict=False):
            dtype = dtype_of(context, item)
            if dtype is not None and not dtype.is_generic and dtype.name in ABSTRACT:
                message = f"'{generic.name}' needs one type, but '{dtype}' means any of several"
                context.report(rules.GENERIC_OUTSIDE_BASE, item, message)
                dtype = None
            if dtype is not None and not self._fits(dtype, generic.base):
                self._report_base(item, generic.name, generic.base, dtype, "it is given as")
                dtype = None
            self._bound[generic.name] = _Bound(dtype, "is given here as", item)

    def deduce(self, formal: Dtype, actual: Dtype | None, node: nodes.Node, by: str) -> bool:
        """Bind a parameter's generic type by a value; ``by`` names the parameter.

        Return False after reporting a conflict.
        """
        generic = next((item for item in self._signature.generics if item.name == formal.name), None)
        if generic is None or not formal.is_generic:
            return True
        known = self._bound.get(generic.name)
        if actual is None or (known is not None and known.dtype is None):
            self._bound.setdefault(generic.name, _Bound(None, by))
            return True
        if known is None:
            if not self._fits(actual, generic.base):
                self._report_base(node, generic.name, generic.base, actual, f"{by} is")
                self._bound[generic.name] = _Bound(None, by)
                return False
            self._bound[generic.name] = _Bound(actual, f"because of {by}", node)
            return True
        if known.dtype == actual:
            return True
        before = "" if known.dtype is None else described(known.dtype)
        first = f"{known.by} {before}" if known.by.startswith("is") else f"is {before} {known.by}"
        message = rules.invocations.conflicting_type(self._name.name, generic.name, first, by, described(actual))
        notes = [elsewhere(self._name, f"'{generic.name}' is declared here", generic.name)]
        if known.node is not None:
            notes.insert(0, self._work.context.note(known.node, f"'{generic.name}' is {before} because of this"))
        repair = as_real(self._work.context, node, known.dtype, actual) if isinstance(node, nodes.Literal) else None
        if repair is None and isinstance(known.node, nodes.Literal):
            repair = as_real(self._work.context, known.node, actual, known.dtype)
        self._work.context.report(rules.GENERIC_CONFLICT, node, message, tuple(notes), repair)
        self._bound[generic.name] = _Bound(None, by)
        return False

    def forget(self, formal: Dtype) -> None:
        """Mark a generic type as unknown: a value that would determine it is missing, which is reported already."""
        self._bound.setdefault(formal.name, _Bound(None, ""))

    def finish(self, place: nodes.Node) -> None:
        """Give the remaining types their defaults; report undetermined ones."""
        for at, generic in enumerate(self._signature.generics):
            if generic.name in self._bound:
                continue
            self._bound[generic.name] = _Bound(generic.default, "by default")
            if not generic.has_default and self._types_are_known():
                types = ", ".join(self._example(each) for each in self._signature.generics[: at + 1])
                message = (
                    f"nothing determines the type '{generic.name}' of '{self._name.name}': "
                    f"write it after the name, as in '{written(place)}<{types}>'"
                )
                note = elsewhere(self._name, f"'{generic.name}' is declared here", generic.name)
                self._work.context.report(rules.GENERIC_NOT_DEDUCIBLE, place, message, (note,))

    def _types_are_known(self) -> bool:
        """Return whether every parameter has a known type; an unknown one might have determined a generic type."""
        attributes, inputs = self._signature.attributes.values(), self._signature.inputs
        return None not in (*(each.type for each in attributes), *(each.type for each in inputs))

    def dtype(self, formal: Dtype) -> Dtype | None:
        """Return the type that a parameter's type is bound to; None if unknown."""
        if not formal.is_generic:
            return formal
        bound = self._bound.get(formal.name)
        return None if bound is None else bound.dtype

    def _example(self, generic: GenericType) -> str:
        """Return a type to write for a generic one: its known type, or an allowed one."""
        bound = self._bound.get(generic.name)
        known = generic.default if bound is None else bound.dtype
        return "real" if known is None else str(known)

    def _fits(self, dtype: Dtype, base: str) -> bool:
        return base not in _CONTAINED or is_within(dtype, base)

    def _report_base(self, node: nodes.Node, generic: str, base: str, dtype: Dtype, how: str) -> None:
        message = rules.invocations.type_outside_base(self._name.name, generic, base, how, described(dtype))
        note = elsewhere(self._name, f"'{generic}' is declared here", generic)
        self._work.context.report(rules.GENERIC_OUTSIDE_BASE, node, message, (note,))


# ---- types and shapes written after results and carried variables: ``y: real[a,b]`` (2.10, 2.10.1) -------------------
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
