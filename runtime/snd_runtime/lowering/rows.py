"""Detection of formulas that compute each row of the output from one row of an input, so that rows can be batched."""

from __future__ import annotations

from collections.abc import Hashable

from snd_analysis.compose.formulas import Apply, AxisPosition, Constant, Formula, IndexTerm, Read, Slot, Term
from snd_runtime.lowering.lowered import Lowered


def are_alike_by_row(one: Lowered, other: Lowered, at: int) -> bool:
    """Return whether two operators compute rows of their only output alike, each from a row of the input ``at``."""
    try:
        return _described(one, at) == _described(other, at)
    except _OtherRowsError:
        return False


class _OtherRowsError(Exception):
    """A row may depend on others, on its position, or on how many there are."""


def _described(lowered: Lowered, at: int) -> Hashable:
    """Return the description of the computation of a row. Raise _OtherRowsError."""
    template = lowered.specialization.template
    rows = lowered.tensors.values[template.inputs[at].symbol]
    if template.constants or len(template.outputs) != 1 or not isinstance(rows, Slot):
        raise _OtherRowsError
    output = lowered.tensors.values[template.outputs[0].symbol]
    return tuple(_RowOf(formula, rows, output).described() for formula in lowered.formulas)


class _RowOf:
    """A formula, as far as one row is concerned; an axis of it goes along the rows."""

    def __init__(self, formula: Formula, rows: Slot, output: object) -> None:
        self._formula, self._rows = formula, rows
        self._write = write = formula.writes[0]
        is_plain = len(formula.writes) == 1 and formula.condition is None and not formula.counters
        if not is_plain or write.slot is not output or not write.places or next(formula.own_reads(), None) is not None:
            raise _OtherRowsError
        first = write.places[0].index
        if not isinstance(first, AxisPosition) or write.slot.shape[0] != rows.shape[0]:
            raise _OtherRowsError
        self._axis = first.axis

    def described(self) -> Hashable:
        extents = [axis.extent for axis in self._formula.axes]
        along = extents[self._axis]
        if not isinstance(along, Constant) or along.value != self._rows.shape[0]:
            raise _OtherRowsError
        others = tuple(self._term(extent) for axis, extent in enumerate(extents) if axis != self._axis)
        places = tuple(map(self._place, self._write.places[1:]))
        return self._axis, self._formula.operator, others, places, self._term(self._write.value)

    def _term(self, term: Term) -> Hashable:
        match term:
            case Constant():
                return term.dtype, repr(term.value)
            case AxisPosition() if term.axis != self._axis:
                return ("position", term.axis)
            case Read() if term.slot is self._rows:
                first = term.places[0].index
                if not isinstance(first, AxisPosition) or first.axis != self._axis:
                    raise _OtherRowsError
                return ("row", *map(self._place, term.places[1:]))
            case Read() if not term.slot.items:
                return (term.slot.name, *map(self._place, term.places))
            case Apply():
                return (term.operation, term.dtype, *map(self._term, term.operands))
        raise _OtherRowsError

    def _place(self, place: IndexTerm) -> Hashable:
        return (place.bounds, *map(self._term, place.terms))
