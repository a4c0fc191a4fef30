"""The samples of a file, evaluated from its text: requests for a worker process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct, field

from snd_analysis.base import NO_SETTINGS, ProjectSettings
from snd_analysis.workspace import Workspace
from snd_runtime.limits import Limits
from snd_runtime.lowering.lowered import FLOAT32
from snd_runtime.samples.evaluation import evaluate_sample
from snd_runtime.samples.outcome import SampleOutcome

SAMPLE_LIMITS = Limits(seconds=5.0, tensor_bytes=1 << 30)


class SampleRequest(Struct, frozen=True):
    """A request about samples: ``texts`` are the texts of the file and of its dependencies, by path."""

    path: str
    texts: Mapping[str, str]
    settings: ProjectSettings = NO_SETTINGS
    numbers: tuple[int, ...] | None = None
    """Indices of samples of the file, from 0; None for all samples."""
    limits: Limits = field(default=SAMPLE_LIMITS)
    """Limits of each sample."""
    real: np.dtype[Any] = field(default=FLOAT32)
    seed: int = 0
    pictures: bool = False
    """True if results are drawn."""
    quantize: bool = False
    """True if graphs are run with the operators of ``@quantize``; samples never are."""


class _Texts:
    """The reader of an analysis that has all texts at hand."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def read(self, path: str) -> str:
        if path not in self._texts:
            raise FileNotFoundError(path)
        return self._texts[path]

    def exists(self, path: str) -> bool:
        return path in self._texts


def evaluate_samples(request: SampleRequest) -> tuple[SampleOutcome, ...]:
    """Evaluate the samples of a file, or some of them, in order."""
    snapshot = Workspace(_Texts(request.texts), request.settings).snapshot()
    samples = [placed.sample for placed in snapshot.samples(request.path)]
    wanted = samples if request.numbers is None else [samples[number] for number in request.numbers]
    checked = (snapshot.checked_sample(request.path, sample) for sample in wanted)
    session = snapshot.session()
    return tuple(
        evaluate_sample(session, each, request.limits, request.real, request.seed, request.pictures) for each in checked
    )
