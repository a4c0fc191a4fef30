"""Operations on single elements, as text for a compiler."""

from __future__ import annotations

from snd_analysis.compose.formulas import INT_MAX, INT_MIN, Analysis, Apply, Constant
from snd_runtime.lowering.compiled.functions import SINGLE

_REAL = {
    "+": "({} + {})",
    "-": "({} - {})",
    "*": "({} * {})",
    "/": "({} / {})",
    "negate": "(-{})",
    "abs": "abs({})",
    "sqrt": "np.sqrt({})",
    "floor": "np.floor({})",
    "ceil": "np.ceil({})",
    "<?": "({0} if {0} < {1} or {0} != {0} else {1})",
    ">?": "({0} if {0} > {1} or {0} != {0} else {1})",
}
"""Operations on reals whose results equal NumPy's bit by bit."""
_LIMITED = {"<?": "({1} if {0} >= {1} else {0})", ">?": "({1} if {0} <= {1} else {0})"}
"""The same where the second operand is a number: one comparison is enough, for NaN in the first one, too."""
_INT = {"+": "({} + {})", "-": "({} - {})", "*": "({} * {})", "negate": "(-{})"}
_BOOL = {
    "&&": "({} & {})",
    "||": "({} | {})",
    "^": "({} != {})",
    "=>": "((not {}) | {})",
    "all": "({} & {})",
    "any": "({} | {})",
    "not": "(not {})",
}
_CASTS = {
    ("int", "real"): "as_real({})",
    ("bool", "real"): "as_real({})",
    ("bool", "int"): "int({})",
    ("int", "bool"): "({} != 0)",
    ("real", "bool"): "({} != 0)",
}
"""The casts that have a value for every element, by the types from and to which they lead."""
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


def form_of(term: Apply, analysis: Analysis) -> str | None:
    """Return an operation as text with places for its operands; None if a loop can't do it."""
    dtypes = {each.dtype for each in term.operands}
    if term.operation in ("select", "pick"):
        is_alike = term.operands[1].dtype == term.operands[2].dtype == term.dtype
        return "({1} if {0} else {2})" if is_alike and term.operands[0].dtype == "bool" else None
    if term.operation in _COMPARISONS and len(dtypes) == 1 and dtypes <= {"real", "int"}:
        return f"({{}} {term.operation} {{}})"
    if term.operation in ("real", "int", "bool"):
        return _CASTS.get((term.operands[0].dtype, term.dtype))
    if dtypes == {"bool"}:
        return _BOOL.get(term.operation)
    if dtypes == {"real"} and term.dtype == "real":
        limit = term.operands[-1]
        if term.operation in _LIMITED and isinstance(limit, Constant) and limit.value == limit.value:
            return _LIMITED[term.operation]
        return f"{term.operation}({{}})" if term.operation in SINGLE else _REAL.get(term.operation)
    if dtypes == {"int"} and term.dtype == "int" and term.operation in _INT:
        low, high = analysis.interval(term)
        return _INT[term.operation] if low >= INT_MIN and high <= INT_MAX else None
    return None
