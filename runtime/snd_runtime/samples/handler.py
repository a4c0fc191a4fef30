"""What a worker process does with samples: keeps the texts it was told, and evaluates one sample after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from snd_runtime.evaluation.handler import KnownFiles
from snd_runtime.evaluation.request import Texts
from snd_runtime.limits import Limits
from snd_runtime.samples.evaluation import evaluate_sample
from snd_runtime.samples.outcome import SampleOutcome


@dataclass(frozen=True, slots=True)
class SampleOrder:
    """One sample of a file: the ``number``-th, from 0. ``texts`` is what has changed since the last order."""

    texts: Texts
    path: str
    number: int
    limits: Limits
    real: np.dtype[Any]
    seed: int
    pictures: bool = False


def make() -> Callable[[SampleOrder, Callable[[Any], None]], SampleOutcome]:
    """The handler of a worker, see ``snd_runtime.worker.child``."""
    files = KnownFiles()

    def handle(order: SampleOrder, note: Callable[[Any], None]) -> SampleOutcome:
        snapshot = files.snapshot(order.texts)
        sample = snapshot.samples(order.path)[order.number].sample
        checked = snapshot.checked_sample(order.path, sample)
        return evaluate_sample(snapshot.session(), checked, order.limits, order.real, order.seed, order.pictures)

    return handle
