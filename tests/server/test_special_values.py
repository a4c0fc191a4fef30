"""NaN and infinities: exports and conversions name the nodes that differ there, and ``--verify`` finds other ones."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the development package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")

import onnxruntime

import snd
from snd_server.exchange import special_values
from snd_server.running.deviation import difference, special_difference
from support.onnx_models.onnx_cases import DIFFERENT, NodeCase, cases, evaluate, plain
from support.sampling import sample

POOLED = """
import math, nn;
graph G {
    @input { x: real[1, 1, 5, 5]; }
    @output { y: real[1, 1, 3, 3]; }
    @compose {
        a = math.mul(x, 2.0);
        b = nn.max_pool{axes=[2, 3], size=[3, 3], padding=[0, 0, 0, 0]}(a);
        y = math.neg(b);
    }
}
"""
FRACTION = """
operator fraction { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = frac(x[i,]), i < n; } }
graph G { @input { x: real[9]; } @output { y: real[9]; } @compose { y = fraction(x); } }
"""
NOTE = "note: for NaN or infinities, {} may have other results in onnxruntime than in snd (docs/export.md)"
WARNING = "warning: for NaN and infinities among the inputs"


@pytest.mark.usefixtures("evaluated_here")
def test_an_export_names_nodes_that_differ_for_nan(project: Path, real: Any):
    (project / "main.sknd").write_text(POOLED)
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout.splitlines()[1:] == [
        NOTE.format("MaxPool"), "onnxruntime computes the same outputs on random inputs",
    ]  # fmt: skip
    (project / "main.sknd").write_text(FRACTION.replace("frac(x[i,])", "x[i,] + 1.0"))
    assert "note" not in real("export", ".", "-o", "m.onnx", "--verify").stdout


@pytest.mark.usefixtures("evaluated_here")
def test_a_conversion_names_nodes_that_differ_for_nan(project: Path, real: Any):
    (project / "main.sknd").write_text(POOLED)
    assert real("export", ".", "-o", "m.onnx").status == 0
    outcome = real("convert", "m.onnx", "-o", "new", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout.splitlines()[1] == NOTE.format("MaxPool")


@pytest.mark.parametrize("flags", [(), ("--flat",)])
@pytest.mark.usefixtures("evaluated_here")
def test_other_differences_for_nan_are_a_warning(
    project: Path, real: Any, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
):
    monkeypatch.setattr(special_values, "KINDS", frozenset[str]())
    (project / "main.sknd").write_text(POOLED)
    outcome = real("export", ".", "-o", "m.onnx", "--verify", *flags)
    assert outcome.status == 0
    assert outcome.stderr.startswith(f"{WARNING}, 'y' differs: ")
    assert ", and 'b' before it (onnxruntime and snd)" in outcome.stderr
    outcome = real("convert", "m.onnx", "-o", "new", "--verify")
    assert (outcome.status, "note" in outcome.stdout) == (0, False)
    assert outcome.stderr.startswith(f"{WARNING}, 'y' differs: ")


def test_the_fraction_of_infinity_is_zero_in_the_file_too(project: Path):
    """As ``modf`` of C and Python."""
    (project / "main.sknd").write_text(FRACTION)
    model = snd.load(project)
    model.export(project / "m.onnx")
    x = np.array([np.inf, -np.inf, np.nan, -0.0, 2.5, -1.25, 7, 1e30, 0.1], np.float32)
    session = onnxruntime.InferenceSession(project / "m.onnx", providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"x": x})
    np.testing.assert_array_equal(found, model.run(x=x)["y"])
    assert found[:2].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ([np.nan, 1], [np.nan, 1], None),
        ([np.inf, 1], [np.inf, 1], None),
        ([np.nan, np.nan], [1, 1], "NaN and 1 at [0]"),
        ([1, np.inf], [1, 2], "inf and 2 at [1]"),
        ([np.inf], [-np.inf], "inf and -inf at [0]"),
        ([np.nan], [np.inf], "NaN and inf at [0]"),
        ([1e308], [-1e308], "by inf"),
        ([1.0, 2.0], [1.0, 2.5], "by 0.5"),
    ],
)
def test_differences_of_special_values_have_words(one: list[float], other: list[float], words: str | None):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert difference(np.array(one), np.array(other)) == words


_VALUES = (np.nan, np.inf, -np.inf)


def _is_alike(case: NodeCase) -> bool:
    return len(case.model.graph.node) == 1 and case.name not in DIFFERENT and case.kinds[0] not in special_values.KINDS


@pytest.mark.parametrize("part", range(4))
def test_nodes_of_other_kinds_do_not_differ(part: int):
    for case in sample(filter(_is_alike, cases()), 40)[part::4]:
        _demand_no_difference(case)


def _demand_no_difference(case: NodeCase) -> None:
    """Compare the results of the published data of a node, with one NaN or infinity in each tensor of reals."""
    arrays = [plain(each) for each in case.data[0][0]]
    for at, value in enumerate(_VALUES):
        given = [None if each is None else np.array(each) for each in arrays]
        for each in given:
            if each is not None and each.dtype == np.float32 and each.size:
                each.reshape(-1)[(7 * at) % each.size] = value
        for own, other in _both(case, given):
            if own is not None and isinstance(other, np.ndarray) and other.dtype.kind == "f":
                assert special_difference(own, other) is None, (case.name, value)


def _both(case: NodeCase, given: list[Any]) -> list[tuple[Any, Any]]:
    """Return the outputs of snd and onnxruntime; none where one of them refuses the model or its inputs."""
    try:
        found, _ = evaluate(case.model, given, np.dtype(np.float32))
        session = onnxruntime.InferenceSession(case.model.SerializeToString(), providers=["CPUExecutionProvider"])
        expected = session.run(None, dict(zip((each.name for each in case.model.graph.input), given, strict=True)))
    except Exception:  # the classes of onnxruntime are not public
        return []
    return [*zip(found, expected, strict=True)]
