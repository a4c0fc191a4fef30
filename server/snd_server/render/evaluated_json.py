"""The outcome of an evaluation, as one JSON object. See docs/run.md."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.evaluation import ShownStep, ShownTensor
from snd_runtime.execution import QuantizedTensor
from snd_runtime.execution.plain import plain
from snd_runtime.summary import Summary
from snd_server.checking.report import Report
from snd_server.console.terminal import json_text
from snd_server.render.evaluated import Evaluated
from snd_server.render.reports.records import record

Array: TypeAlias = np.ndarray[Any, Any]


def evaluated_json(evaluated: Evaluated, report: Report) -> str:
    """Return the document, indented."""
    return json_text(evaluated_content(evaluated, report), 2)


def evaluated_content(evaluated: Evaluated, report: Report) -> dict[str, Any]:
    """Return the object. JSON has no NaN and no infinity: they are the strings nan, inf and -inf."""
    answer = evaluated.answer
    content: dict[str, Any] = {
        "version": 1,
        evaluated.kind: evaluated.name,
        "attributes": {name: plain(value) for name, value in evaluated.attributes.items()},
        "seed": evaluated.seed,
        "real": "f64" if evaluated.double else "f32",
        "outputs": [] if answer is None else tensors_content(answer.outputs),
        "random": {
            "inputs": [] if answer is None else tensors_content(answer.inputs),
            "variables": [] if answer is None else list(answer.drawn),
        },
        "unused": [] if answer is None else list(answer.unused),
        "suggestions": {} if answer is None else dict(answer.suggestions),
        "notes": list(evaluated.notes),
        "equal": list(evaluated.equal),
        "differing": list(evaluated.differing),
        "quantized": [] if answer is None else [_quantized(each) for each in answer.quantized],
    }
    if evaluated.trace:
        content["trace"] = [_step(step) for step in evaluated.trace]
    if answer is not None:
        content["seconds"] = {
            "composing": round(answer.composing_seconds, 6),
            "running": round(answer.running_seconds, 6),
        }
    content["diagnostics"] = [record(each, report) for each in evaluated.diagnostics]
    return content


def _step(step: ShownStep) -> dict[str, Any]:
    (tensor,) = tensors_content(step.tensors)
    return {**tensor, "iterations": list(step.iterations)} if step.iterations else tensor


def _quantized(tensor: QuantizedTensor) -> dict[str, Any]:
    return {"name": tensor.name, "operator": tensor.operator, "change": _values(tensor.change)}


def tensors_content(tensors: Iterable[ShownTensor]) -> list[dict[str, Any]]:
    """Return the entries of tensors. A pack is one entry with its tensors as ``items``."""
    found = []
    for name, group in groupby(tensors, key=lambda tensor: tensor.name):
        items = list(group)
        if items[0].is_pack:
            found.append({"name": name, "items": []})
        elif items[0].item is None:
            found.append(_tensor(items[0]))
        else:
            found.append({"name": name, "items": [_tensor(item) for item in items]})
    return found


def _tensor(tensor: ShownTensor) -> dict[str, Any]:
    summary = tensor.summary
    if summary is None:
        return {"name": tensor.label, "dtype": None, "shape": None, "statistics": None, "values": None}
    return {
        "name": tensor.label,
        "dtype": summary.dtype,
        "shape": list(summary.shape),
        "statistics": _statistics(summary),
        "values": None if tensor.values is None else _values(_shortest(tensor.values).tolist()),
    }


def _statistics(summary: Summary) -> dict[str, Any]:
    measures = {
        "min": summary.least, "max": summary.greatest, "mean": summary.mean, "std": summary.deviation,
        "nan": summary.nan, "inf": summary.infinite, "true": summary.true, "distinct": summary.distinct,
    }  # fmt: skip
    return {"n": summary.count, **{name: _values(value) for name, value in measures.items() if value is not None}}


def _shortest(array: Array) -> Array:
    """Return 32-bit reals as the 64-bit reals with the fewest distinguishing digits, as in the table."""
    return array.astype(str).astype(np.float64) if array.dtype == np.float32 else array


def _values(value: Any) -> Any:
    if isinstance(value, list):
        return [_values(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
