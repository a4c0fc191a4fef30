"""What may last of the types in a definition when that is edited."""

from __future__ import annotations

from snd_analysis.skriptnd.names import Known, Resolution
from snd_analysis.skriptnd.types.compose.reuse import StatementTypes
from snd_analysis.skriptnd.types.reuse import DeclarationTypes


class LastingTypes:
    """Types of declarations and statements, by what they depend on."""

    __slots__ = ("declared", "statements")

    def __init__(self) -> None:
        self.declared: Known[DeclarationTypes] = Known()
        self.statements: Known[StatementTypes] = Known()

    def forget(self, resolution: Resolution) -> None:
        """Lets go of most of what a definition does not have any more."""
        self.declared.forget(resolution)
        self.statements.forget(resolution)
