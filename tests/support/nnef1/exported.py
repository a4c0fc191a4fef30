"""Graphs and operators exported as NNEF 1.0, in tract and in snd's own reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from msgspec import Struct

from snd_analysis.compose import Session, Specialization
from snd_analysis.model import Tensor
from snd_analysis.nnef1.syntax import Dialect
from snd_analysis.symbolic.values import NULL
from snd_runtime.lowering.lowered import Argument
from snd_server.exchange.export_comparison import Chosen
from snd_server.exchange.nnef1_export import write_model
from snd_server.exchange.nnef1_export.acceptance import accept
from snd_server.exchange.nnef1_export.exported_file import FileInSnd, FileInTract
from snd_server.exchange.nnef1_export.tract_inference import TractInference


class Written(Struct, frozen=True):
    """A model that was written, the reason if it is not accepted, and its outputs by engine."""

    text: str
    refusal: str | None
    results: Mapping[str, Sequence[Any]]


@contextmanager
def engine() -> Iterator[TractInference]:
    """Yield the process of tract and of the parser of Khronos."""
    with TractInference(None) as inference:
        yield inference


def run_written(
    session: Session,
    specialization: Specialization,
    variables: Mapping[str, Argument],
    inputs: Sequence[Argument],
    dialect: Dialect,
    inference: TractInference,
    *,
    flat: bool = False,
) -> Written:
    """Write a graph or operator, and run it. Raise NotExportable, and InferenceError from an engine."""
    model = write_model(specialization, variables, dialect, flat=flat)
    with TemporaryDirectory() as folder:
        found = accept(folder, model, inference)
        if found.refusal is not None:
            return Written(model.text, found.refusal, {})
        given = zip(model.inputs, _given(specialization, inputs), strict=True)
        feed = {name: value for name, value in given if value is not None}
        chosen = Chosen(session, specialization.template, specialization, {}, {})
        files: list[Any] = [FileInSnd(model, chosen, variables, str(Path(folder)))]
        if dialect is Dialect.TRACT:
            files.append(FileInTract(model, chosen, variables, folder, inference))
        results = {}
        for each in files:
            outputs = each.run(feed)
            results[each.engine] = [outputs[name] for name in model.outputs]
        return Written(model.text, None, results)


def _given(specialization: Specialization, inputs: Sequence[Argument]) -> list[Any]:
    found: list[Any] = []
    for value, formal in zip(inputs, specialization.inputs, strict=False):
        if formal is NULL or (isinstance(formal, Tensor) and formal.value is not None):
            continue
        found += [value] if value is None or isinstance(value, np.ndarray) else list(value)
    return found
