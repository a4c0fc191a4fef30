"""Graphs of a text run on arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from snd_analysis.compose import Session, Specialization
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import ComputedTensor, Execution, RunResult, bind_arrays, execute, value_of
from support.memory import snapshot_of

FLOAT64 = np.dtype(np.float64)
R = np.array


def net(inputs: str, outputs: str, compose: str, *, operators: str = "", **blocks: str) -> str:
    """Return a module with an operator ``net``, after others; the extents of a graph would have to be bounded."""
    written = {"input": inputs, "output": outputs, "compose": compose, **blocks}
    text = "".join(f"    @{name} {{ {block} }}\n" for name, block in written.items())
    return f"import layout, math, algo, rand, nn, linalg, quant;\n{operators}\noperator net {{\n{text}}}\n"


def instance_of(
    files: str | Mapping[str, str], inputs: Sequence[Any], graph: str = "net", **attributes: Any
) -> tuple[Session, Specialization]:
    """Return a graph bound to arrays; fail if the program has errors."""
    snapshot = snapshot_of({"model.sknd": files} if isinstance(files, str) else files)
    path = "model.sknd" if isinstance(files, str) else "main.sknd"
    found = [each.message for each in snapshot.diagnostics(path) if each.severity == "error"]
    assert not found, found
    session = Session(snapshot)
    template = session.template(OperatorName(path, graph))
    assert template is not None
    given = {name: value_of(value) for name, value in attributes.items()}
    return session, bind_arrays(session, template, inputs, given)


def outcome_of(
    files: str | Mapping[str, str],
    *inputs: Any,
    request: Execution | None = None,
    graph: str = "net",
    **attributes: Any,
) -> RunResult:
    """Return the outcome of a graph in 64-bit reals; a second run, with fewer and longer steps, must agree."""
    session, specialization = instance_of(files, inputs, graph, **attributes)
    if request is not None:
        return execute(session, specialization, inputs, request)
    first, again = (_attempt(session, specialization, inputs) for _ in range(2))
    assert _facts(first) == _facts(again)
    if isinstance(first, EvaluationFailed):
        raise first
    return first


def _attempt(session: Session, specialization: Specialization, inputs: Sequence[Any]) -> RunResult | EvaluationFailed:
    try:
        return execute(session, specialization, inputs, Execution(real=FLOAT64))
    except EvaluationFailed as failed:
        return failed


def _facts(outcome: RunResult | EvaluationFailed) -> object:
    if isinstance(outcome, EvaluationFailed):
        return outcome.rule, outcome.message, outcome.place, outcome.chain, outcome.related
    return repr(_exact(outcome.outputs)), repr(_exact(outcome.variables)), outcome.drawn, outcome.updated


def _exact(value: Any) -> Any:
    """Return all elements, so that NaN equals NaN."""
    if isinstance(value, Mapping):
        return {name: _exact(each) for name, each in value.items()}
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tolist()
    return value if value is None else [_exact(each) for each in value]


def run(files: str | Mapping[str, str], *inputs: Any, **attributes: Any) -> Any:
    """Return the outputs; a single one is not in a tuple."""
    found = tuple(outcome_of(files, *inputs, **attributes).outputs.values())
    return found[0] if len(found) == 1 else found


def trace_of(files: str | Mapping[str, str], *inputs: Any, **attributes: Any) -> list[ComputedTensor]:
    """Return every tensor in the order of computation."""
    steps: list[ComputedTensor] = []
    outcome_of(files, *inputs, request=Execution(real=FLOAT64, watch=steps.append), **attributes)
    return steps
