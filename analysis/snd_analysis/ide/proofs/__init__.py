"""Verdicts of the prover on operators, as editors show them.

Callers supply the verdicts: to find them takes seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.base import loaded_when_used

if TYPE_CHECKING:
    from snd_analysis.ide.proofs.conditions import Provable, conditions_hover, provable, refutations
else:
    __getattr__ = loaded_when_used(__name__, "conditions")

__all__ = ["Provable", "conditions_hover", "provable", "refutations"]
