"""The precision that CVM demands of elements: 32 bits at most, so that -2147483648 is no element."""

from __future__ import annotations

from snd_analysis.skriptnd.names import library_names
from snd_runtime.conditions.condition import Conditions, OperatorRun, Violation, outside

_GREATEST = 2**31 - 1
_DEMANDED = f"a precision of 32 bits ends at {-_GREATEST} and {_GREATEST}"


def _precise(call: OperatorRun) -> Violation | None:
    """Return the first element of a tensor that takes more than 32 bits; before the run, of an input."""
    checked = (outside(array, -_GREATEST, _GREATEST, name, _DEMANDED) for name, array in call.arrays())
    return next((found for found in checked if found is not None), None)


CONDITIONS: dict[str, Conditions] = {
    name: Conditions((_precise,), (_precise,)) for name in library_names("cvm").definitions if not name.startswith("_")
}
