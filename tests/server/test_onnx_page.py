"""The page that shows a converted model beside its origin: docs/converted.md is what `snd convert` makes today."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.server.processes import ROOT

onnx = pytest.importorskip("onnx", reason="the development package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")

PAGE = ROOT / "docs" / "converted.md"
TEXT = ROOT / "tests" / "support" / "onnx_models" / "small_resnet.txt"
MODELS = ROOT / "tests" / "support" / "onnx_models" / "torch"
HEAD = """# A converted model

This page shows what `snd convert` makes of an ONNX model. [convert.md](convert.md) describes the command.

The model is a small residual network as an exporter writes it: batch and picture sizes are symbols, and the flattened
shape is computed by nodes. In the text form of ONNX, with the weights left out:
"""
CONVERTED = """
`snd convert` finds the block by its structure, names its invocations by what the names of their nodes begin with, folds
the computed shape, and gives the symbols bounds:
"""
BACK = """
`snd export` writes the way back. The block is a function of the file:
"""
NODES = """
Its nodes:
"""
TORCH = """
## From PyTorch

A network in PyTorch:
"""
EXPORTED = """
`torch.onnx.export(…, dynamo=True)` writes 27 nodes and says which module each of them comes from. So the operator has
the name of the class, and variables and results have the names of attributes. The exporter itself makes one convolution
of a convolution and the normalization after it:
"""


def _program() -> str:
    """The classes of the network, without what registers it."""
    script = (MODELS / "generate.py").read_text(encoding="utf-8")
    return script[script.index("class Block(") : script.index('@exported("resnet-dynamo"')].rstrip() + "\n"


def _converted_from_torch(real: Callable[..., Any]) -> str:
    source = MODELS / "resnet-dynamo.onnx"
    assert len(onnx.load(source).graph.node) == 27
    outcome = real("convert", str(source), "-o", "resnet", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    lines = Path("resnet/main.sknd").read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(lines[1:])  # the first one says where the source is


def _model() -> Any:
    model, chance = onnx.parser.parse_model(TEXT.read_text(encoding="utf-8")), np.random.default_rng(1)
    for declared in model.graph.value_info:
        shape = [each.dim_value for each in declared.type.tensor_type.shape.dim]
        array = chance.uniform(0.5, 1.5, shape) / np.sqrt(np.prod(shape[1:]))
        model.graph.initializer.append(onnx.numpy_helper.from_array(array.astype(np.float32), declared.name))
    del model.graph.value_info[:]
    return model


def test_the_page_shows_what_is_converted_today(
    project: Path, real: Callable[..., Any], request: pytest.FixtureRequest
):
    onnx.save(_model(), "small_resnet.onnx")
    commands = [
        ["convert", "small_resnet.onnx", "-o", "small_resnet", "--verify"],
        ["check", "small_resnet"],
        ["fmt", "--check", "small_resnet"],
        ["export", "small_resnet", "-o", "back.onnx", "--verify"],
    ]
    outputs = []
    for command in commands:
        outcome = real(*command)
        assert (outcome.status, outcome.stderr) == (0, ""), command
        outputs.append(f"$ snd {' '.join(command)}\n{outcome.stdout}")
    origin = re.sub(
        r"<float\[.*?>", "<…>", re.sub(r",\n float.*?>\n", ", …>\n", TEXT.read_text(encoding="utf-8"), flags=re.S)
    )
    written = Path("small_resnet/main.sknd").read_text(encoding="utf-8")
    nodes = onnx.load("back.onnx").graph.node
    named = "\n".join(f"{each.op_type}({', '.join(each.input)}) -> {', '.join(each.output)}" for each in nodes)
    text = "".join(
        [
            HEAD, f"\n```text\n{origin}```\n", CONVERTED, f"\n```text\n{''.join(outputs[:3])}```\n",
            f"\n```sknd\n{written}```\n", BACK, f"\n```text\n{outputs[3]}```\n", NODES, f"\n```text\n{named}\n```\n",
                TORCH, f"\n```python\n{_program()}```\n", EXPORTED, f"\n```sknd\n{_converted_from_torch(real)}```\n",
        ]
    )  # fmt: skip
    if request.config.getoption("--update-goldens"):
        PAGE.write_text(text, encoding="utf-8", newline="")
    assert PAGE.read_text(encoding="utf-8") == text
