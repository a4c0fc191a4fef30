"""What CVM demands of elements: a precision of 32 bits at most, so that -2147483648 is no element."""

from __future__ import annotations

import numpy as np

from snd_analysis.skriptnd.names import library_names
from snd_runtime.conditions.condition import Call, Conditions, Violation, outside

_GREATEST = 2**31 - 1


def _precise(call: Call) -> Violation | None:
    for name in ("Y", "valid_count"):
        value = call.tensors.get(name)
        if isinstance(value, np.ndarray):
            found = outside(
                value, -_GREATEST, _GREATEST, name, f"a precision of 32 bits ends at {-_GREATEST} and {_GREATEST}"
            )
            if found is not None:
                return found
    return None


CONDITIONS: dict[str, Conditions] = {
    name: Conditions(after=(_precise,)) for name in library_names("cvm").definitions if not name.startswith("_")
}
