"""Which elements a formula reads for one element that it writes, with the sizes of a sample (2.12)."""

from __future__ import annotations

from itertools import product
from math import prod

from snd_analysis.compose import Specialization
from snd_analysis.compose.formulas import (
    Analysis,
    Bounds,
    Constant,
    Formula,
    FormulaFailed,
    FormulaTensors,
    Read,
    Write,
    elaborate_formula,
    subterms,
)
from snd_analysis.ide.limits import MOST_POINTS_OF_FLOW
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.syntax import nodes


def flow_text(specialization: Specialization, access: nodes.Subscript) -> str:
    """Return ``y[0,2] reads x[0,1..3]`` for an element in the middle; empty if data decide, or the sizes are unknown or
    too large."""
    found = _formula_around(specialization, access)
    if found is None:
        return ""
    try:
        tensors = FormulaTensors(specialization)
        formulas = list(elaborate_formula(specialization, tensors, *found))
    except (EvaluationError, FormulaFailed):
        return ""
    for formula in formulas:
        for write in formula.writes:
            reads = [term for term in subterms(write.value) if isinstance(term, Read) and term.node is access]
            text = _flow(formula, write, reads[0]) if reads else ""
            if text:
                return text
    return ""


def _formula_around(specialization: Specialization, access: nodes.Subscript) -> tuple[int, nodes.Lowering] | None:
    for base, node in specialization.template.formulas:
        if any(each is access for each in nodes.descendants(node)):
            return base, node
    return None


def _flow(formula: Formula, write: Write, read: Read) -> str:
    extents = [int(axis.extent.value) for axis in formula.axes if isinstance(axis.extent, Constant)]
    if len(extents) < len(formula.axes) or not 0 < prod(extents) <= MOST_POINTS_OF_FLOW:
        return ""
    analysis = Analysis(extents)
    written, forms = analysis.affine_places(write.places), [analysis.affine(place.index) for place in read.places]
    if written is None or None in forms or any(place.bounds is Bounds.REMAPPED for place in read.places):
        return ""
    cell = tuple(form.at([extent // 2 for extent in extents]) for form in written)
    reached: set[tuple[int, ...]] = set()
    for point in product(*map(range, extents)):
        if tuple(form.at(point) for form in written) == cell:
            place = tuple(form.at(point) for form in forms if form is not None)
            if all(extent is not None and 0 <= at < extent for at, extent in zip(place, read.slot.shape, strict=True)):
                reached.add(place)
    if not reached:
        return ""
    columns = [sorted(set(column)) for column in zip(*reached, strict=True)]
    what = f"{read.slot.name}{_index([_range(column) for column in columns])}"
    return f"{write.slot.name}{_index([str(at) for at in cell])} reads {what}"


def _range(column: list[int]) -> str:
    """``1..3``, ``0..6 by 2``, or the numbers if they have no step."""
    if len(column) < 2:
        return str(column[0])
    step = column[1] - column[0]
    if column != list(range(column[0], column[-1] + 1, step)):
        return "/".join(map(str, column)) if len(column) <= 8 else f"{column[0]}..{column[-1]}, not all"
    return f"{column[0]}..{column[-1]}" + (f" by {step}" if step > 1 else "")


def _index(parts: list[str]) -> str:
    return f"[{','.join(parts)}{',' if len(parts) == 1 else ''}]"
