"""Loops over packs that are too long to be written out when they are composed: their bodies are composed once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.stepwise import long_loops
from support.runtime.executing import R, net, run

LONG = 1500
X = np.random.default_rng(3).standard_normal((LONG, 2))
UNSTACKED = "xs..(n) = layout.unstack{axis=0}(x);"


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_sums(exclusive: bool, reverse: bool):
    attributes = f"axis=0, exclusive={str(exclusive).lower()}, reverse={str(reverse).lower()}"
    found = run(net("x: real[n, m];", "y: real[n, m];", f"y = math.cumsum{{{attributes}}}(x);"), X)
    x = X[::-1] if reverse else X
    expected = np.cumsum(x, 0) - (x if exclusive else 0)
    np.testing.assert_allclose(found, expected[::-1] if reverse else expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("compose", "expected"),
    [
        # Captured tensors, constants and nested loops.
        ("c = math.neg(z); ys..(n) = for x : xs do { a = math.mul(x, c); b = math.add(a, 1.0); yield b; };",
         lambda x, z: 1 - x * z),
        ("ys..(n) = for x : xs do { a = with s = x do..(2) math.mul(s, z); yield a; };", lambda x, z: x * z * z),
        # Collected results of an inner loop are only examined: so are later ones, if all are composed once.
        ("ys..(n) = for x : xs do { e, ns.. = with s = x unroll..(0) { t = math.neg(s); yield t, s; }; "
         "a = math.mul(e, z); b = math.add(a, z); yield b; };",
         lambda x, z: x * z + z),
        ("ys..(n) = for x : xs do { a = if math.gt(z, 0.0) then math.neg(x) else math.add(x, z); yield a; };",
         lambda x, z: -x),
    ],
)  # fmt: skip
def test_bodies(at_once: bool, compose: str, expected: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(long_loops, "_LONG", 16 if at_once else 1 << 30)
    text = net("x: real[n]; z: real[];", "y: real[n];", f"{UNSTACKED} {compose} y = layout.stack{{axis=0}}(ys);")
    x = X[:1100, 0]
    np.testing.assert_allclose(run(text, x, R(0.5)), expected(x, 0.5), rtol=1e-9)


def test_indices_and_failures_say_where():
    body = "ys..(n) = for x : xs do..(i ->) { a = math.add(x, i); yield a; };"
    text = net("x: int[n];", "y: int[n];", f"{UNSTACKED} {body} y = layout.stack{{axis=0}}(ys);")
    x = np.arange(1100)
    assert (run(text, x) == 2 * x).all()
    x[1050] = (1 << 63) - 1
    with pytest.raises(EvaluationFailed) as caught:
        run(text, x)
    assert caught.value.rule.name == "int-overflow"
    assert caught.value.chain[-1].place.definition == "net"
