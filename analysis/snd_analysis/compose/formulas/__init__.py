"""The formulas of ``@lower`` with everything bound, in terms of positions and elements (2.12).

``elaborate`` takes the formulas of a specialization apart. Composing reports the formulas that it can't elaborate, and
no run computes them, so a formula means the same to both.
"""

from snd_analysis.compose.formulas import forms as _forms  # noqa: F401 - fills the table of ``Expressions``
from snd_analysis.compose.formulas.affine import AffineIndex, Analysis, colliding_axes
from snd_analysis.compose.formulas.elaboration import (
    constant_formula,
    elaborate,
    elaborate_constant,
    elaborate_formula,
)
from snd_analysis.compose.formulas.flow import (
    Cells,
    CellWrite,
    points_reading,
    points_writing,
    read_for,
    writes_of,
    written_from,
)
from snd_analysis.compose.formulas.formula import (
    LIMIT_EXCEEDED,
    UNKNOWN_VALUE,
    Formula,
    FormulaFailed,
    OutOfBoundsError,
    PointBudget,
    Write,
    outside_of_tensor,
    point_text,
    skips_points,
)
from snd_analysis.compose.formulas.operands import LATE, scalar_of
from snd_analysis.compose.formulas.separable_flow import FlowCell
from snd_analysis.compose.formulas.tensors import FormulaTensors
from snd_analysis.compose.formulas.terms import (
    IN_PACK,
    SHORT_CIRCUITING,
    Apply,
    AxisPosition,
    Bounds,
    Constant,
    ConstantItem,
    IndexTerm,
    Next,
    OpenPack,
    OpenValue,
    Read,
    Slot,
    Term,
    subterms,
    unconditional,
)
from snd_analysis.compose.formulas.walking import (
    Elements,
    Point,
    check_formula,
    computed_elements,
    is_within_bounds,
    written_elements,
)
from snd_analysis.symbolic.integers import INT_MAX, INT_MIN

__all__ = [
    "INT_MAX",
    "INT_MIN",
    "IN_PACK",
    "LATE",
    "LIMIT_EXCEEDED",
    "SHORT_CIRCUITING",
    "UNKNOWN_VALUE",
    "AffineIndex",
    "Analysis",
    "Apply",
    "AxisPosition",
    "Bounds",
    "CellWrite",
    "Cells",
    "Constant",
    "ConstantItem",
    "Elements",
    "FlowCell",
    "Formula",
    "FormulaFailed",
    "FormulaTensors",
    "IndexTerm",
    "Next",
    "OpenPack",
    "OpenValue",
    "OutOfBoundsError",
    "Point",
    "PointBudget",
    "Read",
    "Slot",
    "Term",
    "Write",
    "check_formula",
    "colliding_axes",
    "computed_elements",
    "constant_formula",
    "elaborate",
    "elaborate_constant",
    "elaborate_formula",
    "is_within_bounds",
    "outside_of_tensor",
    "point_text",
    "points_reading",
    "points_writing",
    "read_for",
    "scalar_of",
    "skips_points",
    "subterms",
    "unconditional",
    "writes_of",
    "written_elements",
    "written_from",
]
