"""What came of a sample. All of it can be sent from one process to another."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import Rule
from snd_analysis.compose import Site
from snd_runtime.evaluation.answer import ShownTensor


class Status(StrEnum):
    """How what is recorded and what comes out go together."""

    OK = "ok"
    DIFFERS = "differs"
    """There is another result, no result in place of an error, or another error."""
    FAILED = "failed"
    """It can't be evaluated, and nothing says that this is right."""
    AS_EXPECTED = "error as expected"
    UNRECORDED = "nothing recorded"
    INVALID = "invalid"
    """It can't be composed, which checking reports."""


class SampleResult(Struct, frozen=True):
    """One output: the line that would record it, without ``# ``, and how it differs from what is recorded."""

    name: str
    now: str
    recorded: bool
    difference: str | None = None
    """What is different, and by how much; None if it agrees, or nothing is recorded."""
    shown: tuple[ShownTensor, ...] = ()
    """What there is to show of the tensor, or of those of a pack."""
    picture: bytes | None = None
    """A PNG of a single tensor, if pictures are wanted and it can be drawn."""

    @property
    def brief(self) -> str:
        """``now`` without what is obvious: that nothing is NaN. Only lines of statistics have no `` = ``."""
        return self.now if " = " in self.now else self.now.replace(" nan=0", "")


class SampleOutcome(Struct, frozen=True):
    """What came of one sample."""

    status: Status
    results: tuple[SampleResult, ...] = ()
    rule: Rule | None = None
    """The rule of a failure."""
    message: str | None = None
    """Why it failed."""
    sites: tuple[Site, ...] = ()
    """Where it failed, and the invocations that led there."""
    seconds: float = 0.0
