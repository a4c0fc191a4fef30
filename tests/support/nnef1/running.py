"""Running NNEF 1.0 texts, and single operations of them, in this process."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from snd_analysis.base import OperatorName, Severity
from snd_analysis.workspace import Snapshot
from snd_runtime.evaluation import EvaluationRequest
from snd_runtime.evaluation.handler import evaluate
from support.memory import snapshot_of

PATH = "graph.nnef"
_REGISTRIES = ("tract_core", "tract_onnx", "tract_pulse", "tract_extra", "tract_transformers")
_LEFT_SIDE = re.compile(r"[\w, \[\]]+ = ")


def run_text(text: str, inputs: Mapping[str, Any], weights: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the outputs of the graph of a text by name. Fail if it has problems."""
    return run_graph(snapshot_of({PATH: text}), PATH, inputs, weights or {})


def run_graph(snapshot: Snapshot, path: str, inputs: Mapping[str, Any], weights: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outputs of the graph of a file by name. Fail if it has problems other than hints."""
    problems = [each.message for each in snapshot.diagnostics(path) if each.severity is not Severity.HINT]
    assert not problems, problems
    graph = snapshot.main_graphs(path)[0].name.text
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    request = EvaluationRequest(OperatorName(path, graph), inputs=arrays, weights=dict(weights), keep=True)
    answer = evaluate(snapshot, request, lambda note: None)
    assert not answer.failures, answer.failures
    return dict(answer.arrays or {})


def run_tract_operation(call: str, **inputs: Any) -> Any:
    """Return the results of one invocation in tract's dialect, else as ``run_operation``."""
    return run_operation(call, "\n".join(f"extension tract_registry {each};" for each in _REGISTRIES), **inputs)


def run_operation(call: str, extension: str = "extension KHR_enable_operator_expressions;", /, **inputs: Any) -> Any:
    """Return the results of one invocation, as written in a graph, of inputs by name.

    A single result is not in a tuple. A left side in ``call`` names several results: ``a, b = moments(x, axes = [1])``.
    """
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    statement = call if _LEFT_SIDE.match(call) else f"result = {call}"
    results = re.findall(r"\w+", statement.partition("=")[0])
    types = {"b": "<logical>", "i": "<integer>", "u": "<integer>"}
    lines = [
        f"    {name} = external{types.get(array.dtype.kind, '')}(shape = {list(array.shape)});"
        for name, array in arrays.items()
    ]
    text = "\n".join(
        [
            "version 1.0;",
            extension,
            f"graph g({', '.join(arrays)}) -> ({', '.join(results)})",
            "{",
            *lines,
            f"    {statement};",
            "}",
            "",
        ]
    )
    outputs = run_text(text, arrays)
    return outputs[results[0]] if len(results) == 1 else tuple(outputs[name] for name in results)
