"""The operators that operations of NNEF 1.0 stand for, by the names of the operations."""

from __future__ import annotations

from functools import cache

from snd_analysis.skriptnd.names import LIBRARY_PREFIX, ModuleScope, OperatorName, library_names

_MODULES = ("nnef1", "tract")
"""Where operations are looked for, in this order: those of the text, and those that only tract has."""


@cache
def operator_of(operation: str) -> OperatorName | None:
    """Return the operator of an operation; None if there is no such operation.

    The operator has the name of the operation, or that with ``_`` behind it where SkriptND does not allow the name.
    """
    for module in _MODULES:
        known = library_names(module).definitions
        name = next((each for each in (operation, f"{operation}_") if each in known), None)
        if name is not None:
            return OperatorName(LIBRARY_PREFIX + module, name)
    return None


class OperationScope(ModuleScope, frozen=True, eq=False):
    """What a graph sees that is made of a file in NNEF 1.0: operations, by their names alone."""

    def operator(self, parts: tuple[str, ...]) -> OperatorName | None:
        """Return the operator of an operation."""
        return operator_of(parts[0]) if len(parts) == 1 else None


OPERATIONS = OperationScope(library_names(_MODULES[0]), {}, {})
