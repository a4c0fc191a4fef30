"""The outcome of a sample. All parts of it can be sent from one process to another."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import Rule
from snd_analysis.compose import Site
from snd_runtime.evaluation.answer import ShownTensor


class Status(StrEnum):
    """Relation between the recorded and the computed results."""

    OK = "ok"
    DIFFERS = "differs"
    """The result differs, is missing because of an error, or the error differs."""
    FAILED = "failed"
    """The sample can't be evaluated, and no error is recorded."""
    AS_EXPECTED = "error as expected"
    UNRECORDED = "nothing recorded"
    INVALID = "invalid"
    """The sample can't be composed, which checking reports."""


class SampleResult(Struct, frozen=True):
    """One output: the line that would record it, without ``# ``, and its difference from the recorded one."""

    name: str
    now: str
    recorded: bool
    difference: str | None = None
    """The difference and its size; None if it agrees, or nothing is recorded."""
    shown: tuple[ShownTensor, ...] = ()
    """Display data of the tensor, or of the tensors of a pack."""
    picture: bytes | None = None
    """A PNG of a single tensor, if pictures are wanted and it can be drawn."""

    @property
    def brief(self) -> str:
        """Return ``now`` without the obvious: that nothing is NaN. Only lines of statistics have no `` = ``."""
        return self.now if " = " in self.now else self.now.replace(" nan=0", "")


class SampleOutcome(Struct, frozen=True):
    """The outcome of one sample."""

    status: Status
    results: tuple[SampleResult, ...] = ()
    rule: Rule | None = None
    """The rule of a failure."""
    message: str | None = None
    """Why it failed."""
    sites: tuple[Site, ...] = ()
    """Place of the failure, and the invocations that led to it."""
    seconds: float = 0.0
