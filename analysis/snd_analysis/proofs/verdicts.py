"""Findings about the conditions of an operator."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.proofs.limits import LONGEST_OPERAND

if TYPE_CHECKING:
    from snd_analysis.symbolic.integers import Truth


class Verdict(StrEnum):
    """The answer about a condition for all sizes; for an assertion, ``IMPLIED`` and ``NOT_IMPLIED`` by the others."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    IMPLIED = "implied"
    NOT_IMPLIED = "not implied"


class Candidate(Struct, frozen=True):
    """Sizes that may break a condition, as a sample, and in words."""

    sample: str
    """An invocation as comments have it, without ``# >>> ``."""
    sizes: str


class Proof(Struct, frozen=True):
    """A condition of an operator, its place, and its verdict for all sizes."""

    path: str
    operator: str
    span: Span
    """The span of the condition, counted from the start of the definition in results of ``prove``, else of the file."""
    condition: str
    verdict: Verdict
    reason: str = ""
    """The reason for an unknown verdict, or the failure that refutes the condition."""
    candidates: tuple[Candidate, ...] = ()
    breaks: tuple[str, ...] = ()
    """The rules that an evaluation breaks where the condition does not hold."""
    mends: tuple[Truth, ...] = ()
    """Conditions on sizes; a single one may mend it. Empty once ``assertions`` are known."""
    assertions: tuple[str, ...] = ()
    """Assertions that mend it together."""


def condition_text(proof: Proof, text: str) -> str:
    """Return the condition with its operand, unless it names one; ``text`` is what the span of the proof counts in."""
    operand = " ".join(text[proof.span.start : proof.span.end].split())
    is_named = "'" in proof.condition or not operand or len(operand) > LONGEST_OPERAND
    return proof.condition if is_named else f"{proof.condition} (in '{operand}')"
