"""Corpus of NNEF 1.0 models and of invalid files, and the judgement of snd on each.

Models that torch_to_nnef wrote contain fragments of that package, so they are read beside the checkout where they
exist (`../shared/nnef1`), and are not part of the repository.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from snd_analysis.base import OperatorName, Severity
from snd_analysis.model import Tensor
from snd_analysis.workspace import Snapshot, Workspace
from snd_runtime.evaluation import EvaluationRequest
from snd_runtime.evaluation.handler import evaluate
from snd_server.checking.checker import Checker
from snd_server.running.arguments import ArgumentError
from snd_server.running.weights import stored_weights
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings
from snd_server.workspace_files.files import DiskReader

CORPUS = Path(__file__).parents[2] / "fixtures" / "nnef1_models"
_BESIDE = Path(__file__).parents[4] / "shared" / "nnef1"
_MOST_BYTES = 1 << 30
_TOLERANCE = 2e-3


class Judged(Struct):
    """The result for one model. None marks a step that was not tried, or has no expected value."""

    name: str
    parsed: bool = False
    clean: bool = False
    shapes: bool | None = None
    values: bool | None = None
    why: str = ""


def models() -> list[str]:
    """Return the names of the models, in order."""
    return sorted({path.parent.name for root in (CORPUS, _BESIDE) for path in root.glob("*/graph.nnef")})


def folder_of(name: str) -> Path:
    """Return the folder of a model."""
    return next(root / name for root in (CORPUS, _BESIDE) if (root / name).is_dir())


def judge(name: str) -> Judged:
    """Check, compose and run one model."""
    path, meta = str(folder_of(name) / "graph.nnef"), _meta(folder_of(name) / "meta.json")
    snapshot = Workspace(DiskReader()).snapshot()
    judged = Judged(name)
    problems = [each for each in snapshot.diagnostics(path) if each.severity is Severity.ERROR]
    judged.parsed = not any(each.rule.name in ("syntax-error", "unclosed-bracket") for each in problems)
    judged.clean = not problems
    if problems:
        line = snapshot.source(path).position(problems[0].location.span.start).line
        judged.why = f"{len(problems)} errors, first in line {line}: {problems[0].message}"
        return judged
    graph = OperatorName(path, snapshot.main_graphs(path)[0].name.text)
    wanted = {each["name"]: tuple(each["shape"]) for each in meta.get("outputs", ())}
    if wanted:
        judged.shapes = _shapes_agree(snapshot, graph, meta, wanted, judged)
    if judged.shapes and (folder_of(name) / "io.npz").exists():
        judged.values = _values_agree(snapshot, graph, meta, judged)
    return judged


def _meta(path: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _shapes_agree(
    snapshot: Snapshot,
    graph: OperatorName,
    meta: Mapping[str, Any],
    wanted: Mapping[str, tuple[int, ...]],
    judged: Judged,
) -> bool:
    inputs = {plain_name(each["name"]): (tuple(each["shape"]),) for each in meta["inputs"]}
    composed = snapshot.compose(graph, inputs=inputs).graph
    assert composed is not None
    wanted = {**{name: tuple(shape) for name, shape in meta.get("khronos_shapes", {}).items()}, **wanted}
    for name, shape in wanted.items():
        found = composed.tensors.get(plain_name(name))
        if isinstance(found, Tensor) and _numbers(found) != shape:
            judged.why = f"'{name}' is [{','.join(map(str, found.shape or ('?',)))}], not {list(shape)}"
            return False
    return True


def _numbers(tensor: Tensor) -> tuple[int | None, ...]:
    return tuple(getattr(extent, "value", None) for extent in tensor.shape or ())


def _values_agree(snapshot: Snapshot, graph: OperatorName, meta: Mapping[str, Any], judged: Judged) -> bool | None:
    stored = np.load(folder_of(judged.name) / "io.npz", allow_pickle=False)
    inputs = {plain_name(each["name"]): stored[f"in.{each['name']}"] for each in meta["inputs"]}
    try:
        weights = stored_weights(snapshot, graph.path, _MOST_BYTES)
    except ArgumentError as error:
        judged.why = str(error)
        return False
    if len(weights) < len(snapshot.stored_variables(graph.path)):
        return None
    request = EvaluationRequest(graph, inputs=inputs, weights=dict(weights), keep=True)
    answer = evaluate(snapshot, request, lambda note: None)
    if answer.failures:
        judged.why = answer.failures[0].message
        return False
    for name, witness, expected in _expected(stored, meta):
        found = (answer.arrays or {}).get(plain_name(name))
        if found is None or np.shape(found) != expected.shape:
            judged.why = f"'{name}' has the shape {np.shape(found)}, not {expected.shape} as {witness} has it"
            return False
        wanted, actual = expected.astype(np.float64), np.asarray(found, np.float64)
        scale = max(float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)), 1.0)
        if not np.allclose(actual, wanted, rtol=0, atol=_TOLERANCE * scale, equal_nan=True):
            with np.errstate(invalid="ignore"):
                judged.why = f"'{name}' differs by {np.nanmax(np.abs(actual - wanted)):.3g} from {witness}"
            return False
    return True


def _expected(stored: Any, meta: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield the trusted values of each output, with their witness."""
    trusted = meta.get("trusted", {})
    # The result of tract counts if exporters are wrong.
    order = ["out", "ref"] if meta.get("verdict") == "tract-differs" else ["ref", "out"]
    for each in meta["outputs"]:
        name = each["name"]
        witnesses = [trusted[name]] if name in trusted else order
        found = next((witness for witness in witnesses if f"{witness}.{name}" in stored.files), None)
        if found is not None:
            yield name, found, np.asarray(stored[f"{found}.{name}"])


def plain_name(name: str) -> str:
    """Return the identifier without the notation of extended ones."""
    return name[2:-1] if name.startswith(('i"', "i'")) else name


# ---- invalid files ---------------------------------------------------------------------------------------------------
class Rejected(Struct):
    """The result for one invalid file: whether a message is at its line, and all messages."""

    name: str
    at_line: bool
    lines: tuple[int, ...]
    messages: tuple[str, ...]
    wanted: int


def invalid() -> list[Rejected]:
    """Every invalid file, and every folder with one."""
    root = CORPUS / "invalid"
    return [_rejected(path) for path in sorted((*root.glob("*.json"), *root.glob("*/expect.json")))]


def _rejected(path: Path) -> Rejected:
    expected = _meta(path)
    graph = path.parent / "graph.nnef" if path.name == "expect.json" else path.with_suffix(".nnef")
    snapshot = Workspace(DiskReader()).snapshot()
    files = (str(graph), *Checker(Configurations(), RuleSettings()).companions(str(graph)))
    found = [each for file in files for each in snapshot.diagnostics(file)]
    found = [each for each in found if each.severity in (Severity.ERROR, Severity.WARNING)]
    lines = tuple(snapshot.source(each.location.path).position(each.location.span.start).line for each in found)
    accepted = {expected["expected_line"], *expected.get("also_accept_lines", ())}
    messages = tuple(each.message for each in found)
    name = path.parent.name if path.name == "expect.json" else path.stem
    return Rejected(name, any(line in accepted for line in lines), lines, messages, expected["expected_line"])
