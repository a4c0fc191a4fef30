"""Scans of tract over a dimension that is a symbol: loops, with values for every extent."""

from __future__ import annotations

import numpy as np
import pytest

from snd_analysis.convert import convert_nnef1
from snd_analysis.workspace import Workspace
from snd_server.workspace_files.files import DiskReader
from support.nnef1.running import run_text

TEXT = """version 1.0;
extension tract_registry tract_core;
extension tract_symbol S;

fragment turn(total: tensor<scalar>, item: tensor<scalar>, gain: tensor<scalar>)
    -> (next: tensor<scalar>, twice: tensor<scalar>)
{
    next = total * gain + item;
    twice = add(next, next);
}

graph net(x) -> (all, last, doubled)
{
    x = tract_core_external(shape = [2, S, 3], datum_type = 'f32');
    zero = [[[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]];
    (all, last, doubled) = tract_core_scan(body = "turn", scan = [("item", x, 1, 1)], full = [("gain", 0.5)],
        state = [("total", zero, "next")],
        output = [("next", "full", 1, 1), ("next", "last", 1, 1), ("twice", "full", 1, 1)], skip = 0);
}
"""


def _expected(x: np.ndarray) -> np.ndarray:
    total, found = np.zeros_like(x[:, :1]), []
    for at in range(x.shape[1]):
        total = total * 0.5 + x[:, at : at + 1]
        found.append(total)
    return np.concatenate(found, 1)


@pytest.mark.parametrize("length", [1, 4])
def test_a_scan_over_a_symbol_has_values(length: int):
    x = np.random.default_rng(0).standard_normal((2, length, 3)).astype(np.float32)
    found = run_text(TEXT, {"x": x})
    expected = _expected(x)
    np.testing.assert_allclose(found["all"], expected, rtol=1e-5)
    np.testing.assert_allclose(found["last"], expected[:, -1:], rtol=1e-5)
    np.testing.assert_allclose(found["doubled"], 2 * expected, rtol=1e-5)


def test_it_is_the_same_as_that_of_a_number():
    x = np.random.default_rng(1).standard_normal((2, 5, 3)).astype(np.float32)
    symbolic, counted = run_text(TEXT, {"x": x}), run_text(TEXT.replace("[2, S, 3]", "[2, 5, 3]"), {"x": x})
    for name, array in counted.items():
        np.testing.assert_allclose(symbolic[name], array, rtol=1e-6)


def test_it_is_converted_to_a_loop():
    reader = DiskReader()
    reader.provide("/m/graph.nnef", TEXT.encode())
    text = convert_nnef1(Workspace(reader).snapshot(), "/m/graph.nnef", "m/graph.nnef").text
    reader.provide("/c/main.sknd", text.encode())
    assert not Workspace(reader).snapshot().diagnostics("/c/main.sknd"), text
    assert "= with total = " in text
    assert " do {" in text
    assert "tract." not in text


def test_what_is_wrong_in_the_body_is_told_once_in_the_body():
    reader = DiskReader()
    reader.provide("/m/graph.nnef", TEXT.replace("add(next, next)", "add(next, nowhere)").encode())
    snapshot = Workspace(reader).snapshot()
    (found,) = [each for each in snapshot.diagnostics("/m/graph.nnef") if "nowhere" in each.message]
    assert snapshot.source("/m/graph.nnef").position(found.location.span.start).line == 9


BACKWARDS = TEXT.replace("x, 1, 1)", "x, 1, -1)").replace('"full", 1, 1)', '"full", 1, -1)')


@pytest.mark.parametrize("length", [1, 4])
def test_a_scan_goes_backwards(length: int):
    x = np.random.default_rng(2).standard_normal((2, length, 3)).astype(np.float32)
    found = run_text(BACKWARDS, {"x": x})
    expected = _expected(x[:, ::-1])
    np.testing.assert_allclose(found["all"], expected[:, ::-1], rtol=1e-5)
    np.testing.assert_allclose(found["last"], expected[:, -1:], rtol=1e-5)
    np.testing.assert_allclose(found["doubled"], 2 * expected[:, ::-1], rtol=1e-5)


def test_results_have_their_names_where_the_body_has_the_same():
    text = TEXT.replace("(all, last, doubled)", "(all, total, item)")
    found = run_text(text, {"x": np.ones((2, 3, 3), np.float32)})
    assert list(found) == ["all", "total", "item"]
