"""Formulas of ``@lower`` as mathematics: in LaTeX, and as plain text for terminals."""

from snd_analysis.ide.mathematics.formulas import Mathematics, mathematics_of
from snd_analysis.ide.mathematics.notation import LATEX, PLAIN, Notation

__all__ = ["LATEX", "PLAIN", "Mathematics", "Notation", "mathematics_of"]
