"""What may last of the types in a long definition when that is edited."""

from __future__ import annotations

from snd_analysis.memo import Memo
from snd_analysis.types.compose.reuse import StatementTypes
from snd_analysis.types.reuse import DeclarationTypes


class LastingTypes:
    """Types of declarations and statements, by what they depend on; it begins with those ``before`` an edit."""

    __slots__ = ("declared", "statements")

    def __init__(self, before: LastingTypes | None = None) -> None:
        self.declared: Memo[DeclarationTypes] = Memo(None if before is None else before.declared)
        self.statements: Memo[StatementTypes] = Memo(None if before is None else before.statements)
