"""Loops that end before the packs that they scan, and packs without tensors (2.10.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_runtime.errors import EvaluationFailed
from support.memory import snapshot_of
from support.runtime.executing import R, net, run

XS = tuple(R(float(at)) for at in range(1, 4))
PARTIAL = "for x : xs do..(c) math.neg(x);"
WHILE = "with a: real[] = 0.0 for x : xs while math.lt(a, 2.0) do { b = math.add(a, x); yield b, b; };"


@pytest.mark.parametrize("count", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("output", "compose"),
    [
        ("y: real[m | k];", f"ys..(m) = {PARTIAL} y = layout.stack{{axis=0}}(ys);"),
        ("y: real[m | k];", f"ys.. = {PARTIAL} y = layout.stack{{axis=0}}(ys);"),
    ],
)
def test_a_tensor_says_how_many_are_collected(output: str, compose: str, count: int):
    found = run(net("xs: real[]..(k); c: int[];", output, compose), XS, R(count))
    assert [float(item) for item in found] == [-1, -2, -3][:count]


def test_what_is_collected_declares_no_name_for_its_length():
    text = net("xs: real[]..(k); c: int[];", "y: real[k];", f"ys..(m) = {PARTIAL} y = layout.stack{{axis=0}}(xs);")
    found = [each for each in snapshot_of({"model.sknd": text}).diagnostics("model.sknd") if each.severity == "error"]
    assert [(each.rule.name, each.message) for each in found] == [("undefined-name", "there is no name 'm' here")]


@pytest.mark.parametrize("count", [0, 2, 3])
@pytest.mark.parametrize("length", ["~", "~|3"])
def test_a_graph_may_have_as_many_outputs_as_there_were_iterations(length: str, count: int):
    text = net("xs: real[]..(3); c: int[];", f"ys: real[]..({length});", f"ys.. = {PARTIAL}")
    found = run(text.replace("operator net", "graph net"), XS, R(count))
    assert [float(item) for item in found] == [-1, -2, -3][:count]


def test_a_condition_says_how_many_are_collected():
    text = net(
        "xs: real[]..(k);", "y: real[m | k]; a: real[];", f"a, ys..(m) = {WHILE} y = layout.stack{{axis=0}}(ys);"
    )
    y, a = run(text, XS)
    assert (y.tolist(), float(a)) == ([1, 3], 3)


@pytest.mark.parametrize("compose", [f"ys..(k) = {PARTIAL}", f"~, ys..(k) = {WHILE}"])
def test_a_length_that_is_known_before_is_demanded(compose: str):
    text = net("xs: real[]..(k); c: int[];", "ys: real[]..(k);", compose)
    with pytest.raises(EvaluationFailed) as caught:
        run(text, XS, R(2))
    assert "'ys' is declared as a pack of 3 tensors, but this result has 2" in caught.value.message


def test_a_length_that_is_known_before_may_come_out():
    text = net("xs: real[]..(k); c: int[];", "ys: real[]..(k);", f"ys..(k) = {PARTIAL}")
    assert [float(item) for item in run(text, XS, R(3))] == [-1, -2, -3]


@pytest.mark.parametrize(
    "blocks",
    [
        {"compose": "y = with sum: real[n] = 0.0 for x : xs do math.add(sum, x);"},
        {"lower": "y[i,] += xs[j][i,], j < k, i < n;"},
    ],
)
def test_extents_of_an_empty_pack_are_not_known(blocks: dict[str, str]):
    inputs, outputs = "xs: real[n]..(k);", "y: real[n];"
    text = net(inputs, outputs, blocks.pop("compose", ""), **blocks).replace("    @compose {  }\n", "")
    with pytest.raises(EvaluationFailed) as caught:
        run(text, ())
    assert caught.value.rule.name == "unknown-value"
    assert caught.value.message == "the pack 'xs' is empty, so nothing tells what 'n' is"
    both: Any = run(text.replace(inputs, "xs: real[n]..(k); b: real[n];"), (), np.zeros(4))
    assert both.tolist() == [0] * 4
