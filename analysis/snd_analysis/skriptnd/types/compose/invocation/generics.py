"""Generic types of an invoked operator: given in ``<>``, deduced from attributes and inputs, or by default (2.13)."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.compose.typing_state import TypingState
from snd_analysis.skriptnd.types.context import dtype_of
from snd_analysis.skriptnd.types.fixes import as_real
from snd_analysis.skriptnd.types.signature import GenericType, Signature, elsewhere
from snd_analysis.skriptnd.types.type import ABSTRACT, Dtype, described

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
                message = f"'{dtype}' stands for several types: '{generic.name}' must be one of them"
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
            self._bound[generic.name] = _Bound(actual, f"by {by}", node)
            return True
        if known.dtype == actual:
            return True
        before = "" if known.dtype is None else described(known.dtype)
        first = f"{known.by} {before}" if known.by.startswith("is") else f"is {before} {known.by}"
        message = rules.invocations.conflicting_type(self._name.name, generic.name, first, by, described(actual))
        notes = [elsewhere(self._name, f"'{generic.name}' is declared here", generic.name)]
        if known.node is not None:
            notes.insert(0, self._work.context.note(known.node, f"'{generic.name}' is {before} by this"))
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
