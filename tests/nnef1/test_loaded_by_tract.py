"""Models with one mistake each: snd reports an error exactly where tract does not load the model."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
import pytest

from snd_analysis.base import Severity
from snd_analysis.workspace import Workspace
from snd_runtime.files import write_tensor
from snd_server.workspace_files.files import DiskReader
from support.nnef1.tract_loading import verdict

if not os.environ.get("CI"):
    pytest.importorskip("tract", reason="tract has no wheel for this platform")

Files = Mapping[str, str | np.ndarray]


def _errors(files: Files) -> list[str]:
    reader = DiskReader()
    for name, content in files.items():
        is_text = isinstance(content, str)
        reader.provide(f"/m/{name}", content.encode() if isinstance(content, str) else write_tensor(content))
        assert is_text or name.endswith(".dat")
    found = Workspace(reader).snapshot().diagnostics("/m/graph.nnef")
    return [each.message for each in found if each.severity is Severity.ERROR]


def agree(files: Files) -> None:
    """Assert that snd finds errors exactly if tract refuses a model."""
    errors, answer = _errors(files), verdict(files)
    assert bool(errors) is not answer.is_loaded, f"tract: {answer.text}\nsnd: {errors}"


# ---- scans -----------------------------------------------------------------------------------------------------------
_SCAN = """version 1.0;
extension tract_registry tract_core;
extension tract_symbol B;
extension tract_symbol S;
fragment turn(x_t: tensor<scalar>, h: tensor<scalar>) -> (y_t: tensor<scalar>, h_next: tensor<scalar>)
{
    h_next = tanh(x_t + h);
    y_t = h_next * 2.0;
}
graph net(x) -> (y)
{
    x = tract_core_external(datum_type = 'f32', shape = [2, COUNT, 3]);
    h0 = [[[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]];
    (y, last) = tract_core_scan(body = "turn", scan = [("x_t", x, 1, 1)], full = [], state = [("h", h0, "h_next")],
        output = [("y_t", "full", 1, 1), ("h_next", "last", 1, 1)], skip = 0);
}
"""
_SCANS = {
    "right": ("", ""),
    "output that the body does not give": ('("h_next", "last"', '("h_last", "last"'),
    "mode that does not exist": ('"last"', '"lst"'),
    "state of no result": ('h0, "h_next"', 'h0, "h"'),
    "piece for no parameter": ('("x_t", x', '("x_u", x'),
    "state for no parameter": ('("h", h0', '("g", h0'),
    "value for no parameter": ("full = []", 'full = [("k", 1.0)]'),
    "axis of a piece": ("x, 1, 1", "x, 3, 1"),
    "negative axis of a piece": ("x, 1, 1", "x, -1, 1"),
    "axis of an output": ('"full", 1', '"full", 3'),
    "axis of a last value": ('"last", 1', '"last", 9'),
    "other axis of an output": ('"full", 1', '"full", 2'),
    "step of 0": ("x, 1, 1", "x, 1, 0"),
    "backwards": ('"full", 1, 1', '"full", 1, -1'),
    "three parts": ('"full", 1, 1', '"full", 1'),
    "two parts": ('"full", 1, 1', '"full"'),
    "list for a tuple": ('("x_t", x, 1, 1)', '["x_t", x, 1, 1]'),
    "no outputs": ('("y_t", "full", 1, 1), ("h_next", "last", 1, 1)', ""),
    "output twice": ('("h_next", "last"', '("y_t", "full"'),
    "result in both modes": ('("y_t", "full"', '("h_next", "full"'),
    "output twice with one name": ("(y, last)", "y", '("h_next", "last"', '("y_t", "full"'),
    "spare output with one name": ("(y, last)", "y", '("h_next", "last"', '("h_last", "last"'),
    "too many names": ("(y, last)", "(y, last, z)"),
    "state of fewer extents": ("h0 = [[[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]]", "h0 = [[[0.0, 0.0, 0.0]]]"),
    "state of other extents": ("h0 = [[[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]]", "h0 = [[[0.0, 0.0]], [[0.0, 0.0]]]"),
    "state of another rank": ("h0 = [[[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]]", "h0 = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]"),
    "state of integers": ("h0 = [[[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]]", "h0 = [[[0, 0, 0]], [[0, 0, 0]]]"),
    "number as a state": ('("h", h0', '("h", 0.0'),
    "state of a baked extent": ("[2, COUNT, 3]", "[B, COUNT, 3]"),
    "state of two values": ('"h_next")]', '"h_next"), ("h", h0, "h_next")]'),
    "result of two states": ('"h_next")]', '"h_next"), ("x_t", h0, "h_next")]', '("x_t", x, 1, 1)', '("k", x, 1, 1)'),
    "unknown body": ('body = "turn"', 'body = "turns"'),
}


@pytest.mark.parametrize("count", ["5", "S"])
@pytest.mark.parametrize("name", _SCANS)
def test_scans(name: str, count: str):
    text = _SCAN
    changes = _SCANS[name]
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in text
        text = text.replace(old, new, 1)
    agree({"graph.nnef": text.replace("COUNT", count)})
