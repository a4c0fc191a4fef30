"""Models with one mistake each: snd reports an error exactly where tract does not load the model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from snd_analysis.base import Severity
from snd_analysis.workspace import Workspace
from snd_runtime.files import write_tensor
from snd_server.workspace_files.files import DiskReader
from support.nnef1.running import run_text
from support.nnef1.tract_loading import verdict

if not os.environ.get("CI"):
    pytest.importorskip("tract", reason="tract has no wheel for this platform")

Files = Mapping[str, str | np.ndarray]


def agree(files: Files, folder: Path) -> None:
    """Assert that snd finds errors exactly if tract refuses a model."""
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else write_tensor(content))
    found = Workspace(DiskReader()).snapshot().diagnostics(str(folder / "graph.nnef"))
    errors = [each.message for each in found if each.severity is Severity.ERROR]
    answer = verdict(folder)
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
def test_scans(name: str, count: str, tmp_path: Path):
    text = _SCAN
    changes = _SCANS[name]
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in text
        text = text.replace(old, new, 1)
    agree({"graph.nnef": text.replace("COUNT", count)}, tmp_path)


# ---- other models ----------------------------------------------------------------------------------------------------
_HEAD = """version 1.0;
extension tract_registry tract_core;
extension tract_registry tract_transformers;
extension tract_symbol B;
extension tract_symbol S;
extension tract_symbol T;
"""
_X = "x = tract_core_external(shape = [2, 4, 8], datum_type = 'f32');"
_TWO = """fragment two(x: tensor<scalar>, k: scalar = 1.0) -> (y: tensor<scalar>, z: tensor<scalar>)
{
    y = x * k;
    z = x;
}
"""


def model(statements: str, parameters: str = "x", head: str = _HEAD, declared: str = _X) -> str:
    return f"{head}{_TWO}graph net({parameters}) -> (y)\n{{\n    {declared}\n    {statements}\n}}\n"


def _attention(q: str, k: str, v: str, mask: str = "") -> str:
    shapes = {"q": q, "k": k, "v": v, **({"mask": mask} if mask else {})}
    declared = "".join(
        f"{name} = tract_core_external(shape = {shape}, datum_type = 'f32'); " for name, shape in shapes.items()
    )
    names = ", ".join(shapes)
    types = "datum_type = 'f32', acc_datum_type = 'f32', is_causal = false"
    return model(f"y = tract_transformers_sdpa({names}, {types});", names, declared=declared)


_MODELS = {
    "misspelt registry": model("y = relu(x);", head=_HEAD.replace("tract_core;", "tract_coer;")),
    "registry of nobody": model("y = relu(x);", head=f"{_HEAD}extension tract_registry acme;\n"),
    "range without a step": model("y = tract_core_range(0, 4);"),
    "range": model("y = tract_core_range(0, 4, 2);"),
    "symbol of no line in an input": model("y = relu(x);", declared="x = external(shape = [N]);"),
    "symbol of no line in a slice": model("y = slice(x, axes = [1], begin = [0], end = [N]);"),
    "symbol of no line in a broadcast": model("y = tract_core_broadcast(x, shape = [2, N, 8]);"),
    "symbol of no line in a reshape": model("y = reshape(x, shape = [2, N, 4]);"),
    "attention": _attention("[1, 2, S, 4]", "[1, 2, T, 4]", "[1, 2, T, 4]", "[1, 1, S, T]"),
    "attention without a transposition": _attention("[1, S, 2, 4]", "[1, 2, S, 4]", "[1, 2, S, 4]"),
    "attention of one batch": _attention("[B, 2, S, 4]", "[1, 2, S, 4]", "[1, 2, S, 4]"),
    "attention of other batches": _attention("[B, 2, S, 4]", "[B, 2, S, 4]", "[T, 2, S, 4]"),
    "attention of other lengths": _attention("[1, 2, S, 4]", "[1, 2, S, 4]", "[1, 2, T, 4]"),
    "attention of other extents": _attention("[1, 2, S, 4]", "[1, 2, S, T]", "[1, 2, S, 4]"),
    "attention of any heads": _attention("[1, B, S, 4]", "[1, B, S, 4]", "[1, B, S, 4]"),
    "attention of other values": _attention("[1, 2, S, 4]", "[1, 2, S, 4]", "[1, 2, S, T]"),
    "attention without heads": _attention("[S, 2, 4]", "[2, S, 4]", "[2, S, 4]"),
    "axes twice": model("y = unsqueeze(x, axes = [1, 1]);"),
    "parameter without an external": model("y = relu(x);", parameters="x, z"),
    "one name for two results": model("y = two(x);"),
    "two names for two results": model("y, z = two(x);"),
    "one name for items of an array": model("t = unstack(x, axis = 0); y = x;"),
    "list of one name": model("[y] = relu(x);"),
    "integer in an invocation": model("y, z = two(x, 2);"),
    "string in an invocation": model("y, z = two(x, 'a');"),
    "scalar in an invocation": model("y, z = two(x, 2.0);"),
    "list of integers": model("y = x + [[[1], [2], [3], [4]]];"),
    "integer": model("y = x + 1;"),
    "integers of 64 bits": model("y = x + tract_core_cast([[[1], [2], [3], [4]]], to = 'i64');"),
    "integers of 64 bits by a literal": model("y = x + tract_core_cast([[[1], [2], [3], [4]]], to = 'i64') * 2;"),
    "literal by integers of 64 bits": model("y = x + 2 * tract_core_cast([[[1], [2], [3], [4]]], to = 'i64');"),
    "integers by a list": model("y = x + tract_core_cast([[[1], [2], [3], [4]]], to = 'i64') * [[[2]]];"),
    "sum of lists": model("y = x + ([[[1], [2], [3], [4]]] + [[[1], [2], [3], [4]]]);"),
    "items by axis": model(
        "y = x + tract_core_gather(tract_core_cast([[[1], [2], [3], [4]]], to = 'i64'), [3, 2, 1, 0], axis = 1);"
    ),
    "input of integers": model("y = x + z;", "x, z", declared=f"{_X} z = external<integer>(shape = [2, 4, 8]);"),
    "misspelt operation": model("y = rsqr_t(x);"),
}


@pytest.mark.parametrize("name", _MODELS)
def test_models(name: str, tmp_path: Path):
    agree({"graph.nnef": _MODELS[name]}, tmp_path)


_VARIABLE = "v = variable<scalar>(label = 'v', shape = {shape}); {use}"
_WITH_FILES = {
    "scales": (
        "y = tract_core_resize(x, scales = v, interpolator = 'nearest', coord_transformer = 'asymmetric');",
        np.array([1.0, 1.0, 2.0], np.float32),
    ),
    "shape": ("y = reshape(x, shape = v);", np.array([8, 8])),
    "bias of integers": ("y = x + v;", np.full((1, 1, 8), 3)),
    "bias of logicals": ("y = x + v;", np.ones((1, 4, 8), np.bool_)),
    "bias of a convolution": ("y = conv(x, [[[1.0], [2.0], [3.0], [4.0]]], v);", np.array([[3]])),
    "filter of integers": ("y = conv(x, v);", np.ones((3, 4, 1), np.int64)),
    "choice of integers": ("y = select(x > 0.0, x, v);", np.ones((2, 4, 8), np.int64)),
}  # fmt: skip


@pytest.mark.parametrize("name", _WITH_FILES)
def test_models_with_files(name: str, tmp_path: Path):
    use, array = _WITH_FILES[name]
    text = model(_VARIABLE.format(shape=[*array.shape], use=use))
    agree({"graph.nnef": text, "v.dat": array}, tmp_path)


def test_a_misspelt_label_is_an_error_if_there_are_files(tmp_path: Path):
    text = model(_VARIABLE.format(shape=[1, 1, 8], use="y = x + v;"))
    agree({"graph.nnef": text, "w.dat": np.ones((1, 1, 8), np.float32)}, tmp_path)


# ---- values ----------------------------------------------------------------------------------------------------------
_INTEGERS = "x = tract_core_external(shape = [2, 4, 8], datum_type = 'i64');"


@pytest.mark.parametrize(
    "text",
    [
        model("y = unsqueeze(unsqueeze(x, axes = [0, 0]), axes = [5, 1, 1]);"),
        model("y = squeeze(unsqueeze(x, axes = [2, 3]), axes = [2, 2]);"),
        model("y = x / [[[1], [2], [3], [4]]];"),
        model("y = max(x * [[[2.75], [-1.5], [3.0], [0.5]]], x);", declared=_INTEGERS),
    ],
)
def test_values_are_those_of_tract(text: str, tmp_path: Path):
    import tract

    x = np.random.default_rng(0).integers(-9, 9, (2, 4, 8)).astype(np.int64 if "i64" in text else np.float32)
    (tmp_path / "graph.nnef").write_text(text)
    reader = tract.nnef().with_tract_transformers()
    expected = reader.load(str(tmp_path)).into_runnable().run([x])[0].to_numpy()
    np.testing.assert_allclose(run_text(text, {"x": x})["y"], expected, rtol=1e-6)
