"""Names that operators of the library have in other frameworks (docs/onnx.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import snd_analysis
from snd_analysis import rules
from snd_analysis.skriptnd.names import foreign_operators
from support.memory import snapshot_of

LIBRARY = Path(snd_analysis.__file__).parent / "libraries" / "std"
GRAPH = """import math, nn;
graph g {{ @input {{ x: real[2,3]; }} @output {{ y: real[2,3]; }} @compose {{ y = {}(x); }} }}
"""


def problem(name: str, more: str = "") -> str:
    found = snapshot_of({"net.sknd": GRAPH.format(name) + more}).diagnostics("net.sknd")
    (message,) = (each.message for each in found if each.rule is rules.UNKNOWN_OPERATOR)
    return message


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("nn.GlobalAveragePool", "math.mean_reduce"),
        ("GlobalAveragePool", "math.mean_reduce"),
        ("nn.Conv2d", "nn.conv"),
        ("nn.conv2d", "nn.conv"),
        ("nn.ReLU", "nn.relu"),
        ("ConvTranspose2d", "nn.deconv"),
        ("nn.layer_norm", "nn.mean_variance_norm"),
        ("nn.LayerNorm", "nn.mean_variance_norm"),
        ("math.cat", "layout.concat"),
        ("permute", "layout.transpose"),
        ("ReduceMean", "math.mean_reduce"),
        ("TopK", "algo.top_k"),
        ("Gemm", "linalg.matmul"),
    ],
)
def test_the_operator_that_is_meant_is_named(name: str, meant: str):
    assert problem(name).endswith(f"did you mean '{meant}'?")


@pytest.mark.parametrize(("name", "meant"), [("nn.sofmax", "nn.softmax"), ("math.ad", "math.add")])
def test_slips_are_slips(name: str, meant: str):
    assert f"did you mean '{meant}'?" in problem(name)


def test_all_of_them_are_in_the_library():
    known = {
        f"{path.stem}.{name}"
        for path in LIBRARY.glob("*.sknd")
        for name in re.findall(r"^(?:public )?operator (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert set(foreign_operators._MEANT.values()) <= known


def test_an_own_operator_of_a_close_name_comes_first():
    own = "operator relu { @input { x: real[a,b]; } @output { y: real[a,b]; } }\n"
    assert "did you mean 'relu'?" in problem("Relu", own)
