"""Counterparts in ONNX, PyTorch and NNEF 1.0 that the reference of the library names."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from functools import reduce
from pathlib import Path

import pytest

from snd_analysis.ide import operator_names
from snd_analysis.skriptnd.names import counterparts, library_modules
from snd_analysis.workspace import Workspace
from snd_server.workspace_files.files import DiskReader

COMPARISON = Path(__file__).parents[2] / "docs" / "onnx.md"
SNAPSHOT = Workspace(DiskReader()).snapshot()
OPERATORS = [f"{module}.{name.name}" for module in library_modules() for name in operator_names(SNAPSHOT, module)]
NAMED = [(operator, *found) for operator in OPERATORS for found in counterparts(operator)]
# Counterparts by their meaning, which `snd convert` and `snd export` write with other operators or nodes.
REVIEWED = {
    ("image.max_roi_pool", "MaxRoiPool"),
    ("image.rescale", "Resize"),
    ("layout.stack", "ConcatFromSequence"),
    ("layout.tensor", "Constant"),
    ("layout.uniform", "ConstantOfShape"),
    ("math.clamp", "Clip"),
    ("nn.mean_variance_norm", "LayerNormalization"),
    ("quant.zero_point_linear_quantize", "DequantizeLinear"),
    ("quant.zero_point_linear_quantize", "QuantizeLinear"),
    ("rand.bernoulli", "Bernoulli"),
}


def named(where: str) -> list[tuple[str, str]]:
    return [(operator, name) for operator, each, names in NAMED if each == where for name in names]


def test_most_operators_have_a_counterpart():
    assert len({operator for operator, _, names in NAMED if names}) > 0.85 * len(OPERATORS)


def test_nodes_of_onnx_are_translated_to_the_operator_or_written_for_it():
    defs = pytest.importorskip("onnx.defs")
    from snd_server.exchange.onnx_export import counterparts as _  # noqa: F401 - it fills the table
    from snd_server.exchange.onnx_export.registry import COUNTERPARTS

    rows = re.findall(r"^\| (\w+) \| (.*?) \|", COMPARISON.read_text(encoding="utf-8"), re.MULTILINE)
    translated = {(operator, kind) for kind, cell in rows for operator in re.findall(r"`(.*?)`", cell)}
    for operator, kind in named("ONNX"):
        assert defs.has(kind), (operator, kind)
        write = COUNTERPARTS.get(operator)
        writes = write is not None and f'"{kind}"' in inspect.getsource(sys.modules[write.__module__])
        assert ((operator, kind) in translated or writes) == ((operator, kind) not in REVIEWED), (operator, kind)


def test_operations_of_nnef1_are_in_its_library():
    known = {each.name for each in operator_names(SNAPSHOT, "nnef1")}
    for operator, name in named("NNEF 1.0"):
        assert name in known, (operator, name)


def test_functions_of_pytorch_exist():
    pytest.importorskip("torch")
    places = {"torch": "torch", "F": "torch.nn.functional", "nn": "torch.nn", "Tensor": "torch.Tensor"}
    for operator, name in named("PyTorch"):
        place, *path = name.split(".")
        root = importlib.import_module("torch")
        full = [*places[place].split(".")[1:], *path]
        assert callable(reduce(getattr, full, root)), (operator, name)
