"""The values of samples with their ages: a value is fresh only for the very state of the texts that it was found for.

Whoever shows a value says for which state: the ``digest`` of all that it depends on. What is kept decides nothing by
itself, so that no edit, however it came about, can leave a stale value looking fresh (DESIGN, invariant 12).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from snd_analysis.ide.samples import SampleName
from snd_runtime.samples import SampleOutcome, Status

OVER_LIMIT = "limit-exceeded"
"""The rule of evaluations that were ended."""


class Age(StrEnum):
    """What is known of a value, for one state of the texts."""

    NONE = "none"
    """It was never asked for."""
    PENDING = "pending"
    RUNNING = "running"
    FRESH = "fresh"
    STALE = "stale"
    """It was found for another state."""
    FAILED = "failed"
    """As fresh as can be: there is no value."""
    OVER_LIMIT = "over limit"
    """The same: the evaluation took more than it may."""


@dataclass(frozen=True, slots=True)
class Aged:
    """The age of a value, and what was found last; that is of the same state if the age is one of ``settled``."""

    age: Age
    outcome: SampleOutcome | None = None

    @property
    def settled(self) -> bool:
        """Whether the outcome is that of this state."""
        return self.age in (Age.FRESH, Age.FAILED, Age.OVER_LIMIT)


@dataclass(frozen=True, slots=True)
class SampleKey:
    """A sample of a document."""

    path: str
    name: SampleName


@dataclass(frozen=True, slots=True)
class _Found:
    digest: str
    outcome: SampleOutcome
    seconds: float


class Values:
    """What was found for samples, and what is being found. Written by one thread; ``of`` may be asked on any."""

    def __init__(self) -> None:
        self._found: dict[SampleKey, _Found] = {}
        self._pending: dict[SampleKey, str] = {}
        self._running: tuple[SampleKey, str] | None = None

    def of(self, key: SampleKey, digest: str) -> Aged:
        """The value of a sample as it is to be shown for a state of the texts."""
        found = self._found.get(key)
        outcome = None if found is None else found.outcome
        if self._running == (key, digest):
            return Aged(Age.RUNNING, outcome)
        if self._pending.get(key) == digest:
            return Aged(Age.PENDING, outcome)
        if found is None:
            return Aged(Age.NONE)
        return Aged(age_of(found.outcome) if found.digest == digest else Age.STALE, outcome)

    def seconds(self, key: SampleKey) -> float | None:
        """How long its last evaluation took; None if there was none."""
        found = self._found.get(key)
        return None if found is None else found.seconds

    def wait(self, key: SampleKey, digest: str) -> None:
        """An evaluation is asked for, for this state alone."""
        self._pending[key] = digest

    def begin(self, key: SampleKey, digest: str) -> None:
        """The evaluation begins."""
        self._drop_pending(key, digest)
        self._running = key, digest

    def end(self, key: SampleKey, digest: str, outcome: SampleOutcome, seconds: float) -> None:
        """The evaluation came to something, whether the texts are still those or not."""
        self._running = None
        self._found[key] = _Found(digest, outcome, seconds)

    def give_up(self, key: SampleKey, digest: str) -> None:
        """The evaluation will not come to anything, or will not begin."""
        self._drop_pending(key, digest)
        if self._running == (key, digest):
            self._running = None

    def keep(self, path: str, names: Collection[SampleName]) -> None:
        """Forgets the other samples of a document."""
        for kept in (self._found, self._pending):
            for key in [key for key in kept if key.path == path and key.name not in names]:
                del kept[key]

    def _drop_pending(self, key: SampleKey, digest: str) -> None:
        if self._pending.get(key) == digest:
            del self._pending[key]


def age_of(outcome: SampleOutcome) -> Age:
    """The age of a value that was found for the state that it is shown for."""
    if outcome.rule == OVER_LIMIT and outcome.status is not Status.AS_EXPECTED:
        return Age.OVER_LIMIT
    if outcome.status in (Status.FAILED, Status.INVALID):
        return Age.FAILED
    if outcome.status is Status.DIFFERS and outcome.message is not None:
        return Age.FAILED
    return Age.FRESH
