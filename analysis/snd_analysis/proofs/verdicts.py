"""What is found out about the conditions of an operator."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.symbolic.integers import Truth


class Verdict(StrEnum):
    """Whether a condition holds for all sizes; of an assertion, whether the others imply it."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    IMPLIED = "implied"
    NOT_IMPLIED = "not implied"


class Candidate(Struct, frozen=True):
    """Sizes that may break a condition, as a sample, and what shows them in words."""

    sample: str
    """An invocation as comments have it, without ``# >>> ``."""
    sizes: str


class Proof(Struct, frozen=True):
    """A condition of an operator: what must hold, where, and whether it does for all sizes."""

    path: str
    operator: str
    span: Span
    """Of what is demanded; from the start of the definition, if ``prove`` says so, else of the file."""
    condition: str
    verdict: Verdict
    reason: str = ""
    """Why nothing is known; where it is refuted, what goes wrong."""
    candidates: tuple[Candidate, ...] = ()
    breaks: tuple[str, ...] = ()
    """The rules that an evaluation breaks where the condition does not hold."""
    mends: tuple[Truth, ...] = ()
    """Conditions on sizes, one of which may mend it; none once it is known what does."""
    assertions: tuple[str, ...] = ()
    """Assertions that mend it together."""
