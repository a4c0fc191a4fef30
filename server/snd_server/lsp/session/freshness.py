"""The values of samples and graphs with their freshness: a value is fresh only for the exact state it was computed for.

A reader of a value names the state: the ``digest`` of everything that the value depends on. Stored values decide
nothing by themselves, so no edit, of whatever kind, can make a stale value look fresh (invariant 17).
"""

from __future__ import annotations

import time
from collections.abc import Collection
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from msgspec import Struct

from snd_analysis.ide.evaluation import GraphName, SampleName
from snd_server.lsp.limits import MOST_EVALUATIONS_OVER_LIMIT

if TYPE_CHECKING:
    from snd_runtime.samples import GraphTrace, SampleOutcome

Outcome: TypeAlias = "SampleOutcome | GraphTrace"
"""Outcome of a sample, or of the tensors of a graph."""
_Outcome = TypeVar("_Outcome", "SampleOutcome", "GraphTrace", Any)


NOTICEABLE_SECONDS = 0.3
"""Duration after which a pending or running evaluation is shown beside the code; earlier it would flicker."""


class Freshness(StrEnum):
    """State of a value, for one state of the texts."""

    NONE = "none"
    """The value was never requested."""
    PENDING = "pending"
    RUNNING = "running"
    FRESH = "fresh"
    STALE = "stale"
    """The value was computed for another state."""
    FAILED = "failed"
    """The evaluation of the current state failed: there is no value."""
    OVER_LIMIT = "over limit"
    """The evaluation of the current state exceeded its limits: there is no value."""


class ShownValue(Struct, Generic[_Outcome], frozen=True):
    """The freshness of a value, and the last outcome; that is of the same state if the value is ``settled``."""

    freshness: Freshness
    outcome: _Outcome | None = None
    since: float | None = None
    """Time of the request for the pending or running evaluation, by the monotonic clock."""

    @property
    def is_awaited(self) -> bool:
        """Return whether the evaluation is pending or running for so long that it is noticed."""
        return self.since is not None and time.monotonic() - self.since >= NOTICEABLE_SECONDS

    @property
    def settled(self) -> bool:
        """Return whether the outcome is that of this state."""
        return self.freshness in (Freshness.FRESH, Freshness.FAILED, Freshness.OVER_LIMIT)


class ValueKey(Struct, frozen=True):
    """A sample or a graph of a document."""

    path: str
    name: SampleName | GraphName


class _Found(Struct, frozen=True):
    digest: str
    outcome: Outcome
    seconds: float


class FreshValues:
    """Computed and pending values. Written by one thread; ``of`` may be called on any."""

    def __init__(self) -> None:
        self._found: dict[ValueKey, _Found] = {}
        self._pending: dict[ValueKey, str] = {}
        self._running: dict[ValueKey, str] = {}
        self._since: dict[ValueKey, float] = {}
        """Time of the last request for each evaluation."""
        self._overs: dict[ValueKey, int] = {}
        """Number of consecutive evaluations that exceeded their limits."""

    def of(self, key: ValueKey, digest: str) -> ShownValue[Any]:
        """Return the value of a sample or graph to show for a state of the texts."""
        found = self._found.get(key)
        outcome = None if found is None else found.outcome
        if self._running.get(key) == digest:
            return ShownValue(Freshness.RUNNING, outcome, self._since.get(key))
        if self._pending.get(key) == digest:
            return ShownValue(Freshness.PENDING, outcome, self._since.get(key))
        if found is None:
            return ShownValue(Freshness.NONE)
        return ShownValue(freshness_of(found.outcome) if found.digest == digest else Freshness.STALE, outcome)

    def seconds(self, key: ValueKey) -> float | None:
        """Return how long its last evaluation took; None if there was none."""
        found = self._found.get(key)
        return None if found is None else found.seconds

    def deserves_another_try(self, key: ValueKey) -> bool:
        """Return whether its last evaluation took more than it may, but not again and again."""
        return 0 < self._overs.get(key, 0) <= MOST_EVALUATIONS_OVER_LIMIT

    def wait(self, key: ValueKey, digest: str) -> None:
        """Note that an evaluation is requested, for this state alone."""
        self._pending[key] = digest
        self._since[key] = time.monotonic()

    def begin(self, key: ValueKey, digest: str) -> None:
        """Note that the evaluation begins."""
        self._drop(self._pending, key, digest)
        self._running[key] = digest

    def end(self, key: ValueKey, digest: str, outcome: Outcome, seconds: float) -> None:
        """Note the outcome of the evaluation, whether or not the texts have changed since."""
        self._drop(self._running, key, digest)
        self._found[key] = _Found(digest, outcome, seconds)
        self._overs[key] = self._overs.get(key, 0) + 1 if freshness_of(outcome) is Freshness.OVER_LIMIT else 0

    def give_up(self, key: ValueKey, digest: str) -> None:
        """Note that the evaluation will not finish, or not begin."""
        self._drop(self._pending, key, digest)
        self._drop(self._running, key, digest)

    def keep(self, path: str, names: Collection[SampleName | GraphName]) -> None:
        """Forget the other samples and graphs of a document."""
        for kept in (self._found, self._pending, self._since, self._overs):
            for key in [key for key in kept if key.path == path and key.name not in names]:
                del kept[key]

    @staticmethod
    def _drop(states: dict[ValueKey, str], key: ValueKey, digest: str) -> None:
        if states.get(key) == digest:
            del states[key]


def freshness_of(outcome: Outcome) -> Freshness:
    """Return the freshness of a value that was found for the state that it is shown for."""
    from snd_runtime.rules import LIMIT_EXCEEDED
    from snd_runtime.samples import GraphTrace, Status

    if isinstance(outcome, GraphTrace):
        if outcome.rule is None:
            return Freshness.FRESH
        return Freshness.OVER_LIMIT if outcome.rule == LIMIT_EXCEEDED else Freshness.FAILED
    if outcome.rule == LIMIT_EXCEEDED and outcome.status is not Status.AS_EXPECTED:
        return Freshness.OVER_LIMIT
    if outcome.status in (Status.FAILED, Status.INVALID):
        return Freshness.FAILED
    if outcome.status is Status.DIFFERS and outcome.message is not None:
        return Freshness.FAILED
    return Freshness.FRESH
