"""Limits of a run: time, memory, nesting. Each ends with its message, and the next run works."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import Execution, execute
from snd_runtime.limits import Limits
from support.runtime.executing import FLOAT64, R, instance_of, net, outcome_of, run

CHAIN = net("x: real[n];", "y: real[n];", """a = math.add(x, 1.0); b = math.add(a, 1.0); c = math.add(b, 1.0);
    d = math.add(c, 1.0); y = math.add(d, 1.0);""")  # fmt: skip


def failure(text: str, *inputs: Any, limits: Limits) -> EvaluationFailed:
    with pytest.raises(EvaluationFailed) as caught:
        outcome_of(text, *inputs, request=Execution(limits=limits))
    assert caught.value.rule.name == "limit-exceeded"
    assert caught.value.place is not None
    assert run(CHAIN, R([1.0])).tolist() == [6]
    return caught.value


@pytest.mark.parametrize("collects", [False, True])
def test_an_endless_loop(collects: bool):
    if collects:
        text = net(
            "x: real[];",
            "y: real[]; n: int[1];",
            """y, ys = with s = x while math.ge(s, s) do
            { t = math.add(s, 0.0); u = math.neg(t); yield t, u; };
            all = layout.stack{axis=0}(ys); n = layout.shape(all);""",
        )
    else:
        text = net("x: real[];", "y: real[];", "y = with s = x while math.ge(s, s) do math.add(s, 0.0);")
    found = failure(text, R(1.0), limits=Limits(seconds=0.3))
    assert found.message == "this takes longer than the 0.3 seconds that are allowed"
    assert found.place is not None
    assert [found.place, *(site.place for site in found.chain)][-1].definition == "net"


def test_what_an_endless_loop_collects_runs_out_of_memory():
    text = net("x: real[n];", "y: real[n]; m: int[2];", """
        y, ys = with s = x
            while { c = layout.slice{axes=[0], begin=0, end=1}(s); k = math.ge(c, c); yield k; }
            do { t = math.add(s, 0.0); u = math.neg(t); yield t, u; };
        all = layout.stack{axis=0}(ys); m = layout.shape(all);""")  # fmt: skip
    found = failure(text, np.zeros(1000), limits=Limits(seconds=60, tensor_bytes=1_000_000))
    assert "bytes" in found.message


@pytest.mark.parametrize("where", ["result", "constant", "uniform", "carried", "variable"])
def test_a_tensor_of_a_million_million_elements(where: str):
    text = {
        "result": net("", "y: real[];", "a = layout.uniform{shape=[1000000, 1000000]}(1.0); y = first(a);"),
        "constant": net(
            "", "y: real[];", "y = first(c);",
            constant="c: real[1000000, 1000000] = real(i), i < 1000000, j < 1000000;",
        ),
        "uniform": net("", "y: real[];", "c: real[1000000, 1000000] = 1.0; y = first(c);"),
        "carried": net("", "y: real[];", "b = with a: real[1000000, 1000000] = 0.0 do..(1) math.neg(a); y = first(b);"),
        "variable": net("", "y: real[];", "y = first(v);", variable="v: real[1000000, 1000000];"),
    }[where]  # fmt: skip
    text = text.replace("operator net", "operator first { @input { x: real[n, m]; } @output { y: real[]; }\n"
                        "    @lower { y[] = x[0, 0]; } }\noperator net")  # fmt: skip
    found = failure(text, limits=Limits(seconds=10))
    assert "bytes" in found.message


def test_memory_is_free_again_when_nothing_reads_a_tensor():
    x = np.zeros(1000, np.float32)
    held = Limits(tensor_bytes=3 * x.nbytes)
    outcome_of(CHAIN, x, request=Execution(limits=held))
    loop = net(
        "x: real[n];", "y: real[n];", "y = with s = x do..(100) { t = math.add(s, 1.0); u = math.neg(t); yield u; };"
    )
    outcome_of(loop, x, request=Execution(limits=Limits(tensor_bytes=6 * x.nbytes)))
    failure(CHAIN, x, limits=Limits(tensor_bytes=x.nbytes))


POSITIVE = "operator positive { @input { x: real[n]; } @output { y: real[k | n]; }\n" \
    "    @lower { y[k,] = x[i,], i < n | x[i,] > -1.0; } }"  # fmt: skip
DYNAMIC = net("x: real[n];", "y: real[~|n];", """a = positive(x); b = math.add(a, 1.0); s = b; c = math.add(b, 1.0);
    d = math.add(c, 1.0); e = math.add(d, 1.0); y = math.add(e, 1.0);""", operators=POSITIVE)  # fmt: skip


def test_memory_is_free_again_where_the_run_tells_the_shapes():
    x = np.zeros(1 << 16)
    outcome_of(DYNAMIC, x, request=Execution(real=FLOAT64, limits=Limits(tensor_bytes=4 * x.nbytes)))
    failure(DYNAMIC, x, limits=Limits(tensor_bytes=x.nbytes // 4))


def test_arrays_themselves_are_let_go():
    x = np.zeros(1 << 18)
    session, specialization = instance_of(CHAIN, [x])
    request = Execution(real=np.dtype(np.float64))
    execute(session, specialization, [x], request)
    tracemalloc.start()
    execute(session, specialization, [x], request)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3.5 * x.nbytes


def test_deeply_nested_invocations():
    operators = "operator f0 { @input { x: real[]; } @output { y: real[]; } @compose { y = math.neg(x); } }\n"
    for at in range(1, 60):
        operators += (
            f"operator f{at} {{ @input {{ x: real[]; }} @output {{ y: real[]; }} @compose {{ y = f{at - 1}(x); }} }}\n"
        )
    assert run(net("x: real[];", "y: real[];", "y = f59(x);", operators=operators), R(2.0)) == -2


def test_integers_that_overflow_say_where():
    text = net("x: int[];", "y: int[];", "y = with s = x do..(100) math.mul(s, 10);")
    with pytest.raises(EvaluationFailed) as caught:
        run(text, R(1))
    assert caught.value.rule.name == "int-overflow"
    assert caught.value.chain[-1].place.definition == "net"


@pytest.mark.parametrize(
    ("blocks", "place"),
    [
        ({"compose": "y = math.add(x, 2 ** n);"}, "2 ** n"),
        ({"compose": "y = math.add(x, c);", "constant": "c: int[] = 2 ** n;"}, "2 ** n"),
        ({"compose": "y = math.add(x, c);", "constant": "c: int[3] = 2 ** n;"}, "2 ** n"),
        ({"compose": "y = with s = x do..(2) math.add(s, 2 ** n);"}, "2 ** n"),
    ],
)
def test_integers_known_before_that_are_too_wide(blocks: dict[str, str], place: str):
    rank = "3" if "[3]" in blocks.get("constant", "") else ""
    text = net(f"x: int[{rank}];", f"y: int[{rank}];", attrib="n: int = 64;", **blocks)
    with pytest.raises(EvaluationFailed) as caught:
        run(text, np.zeros((3,) if rank else (), np.int64))
    found = caught.value
    assert found.rule.name == "int-overflow"
    assert found.place is not None
    blamed = text[text.index("operator net") :][found.place.span.start : found.place.span.end]
    assert place in blamed


@pytest.mark.parametrize(
    ("blocks", "number"),
    [
        ({"outputs": "y: real[n];", "compose": "y = math.cumsum{axis=0}(x);"}, "65,537 tensors"),
        ({"outputs": "y: int[];", "compose": "y = math.add(s, 1);", "using": "p = [0:n]; s = (p * p + ..);"},
         "65,537 items"),
        ({"outputs": "y: int[];", "compose": "y = math.add(s, 1);", "using": "p = [0:n]; s = (p * p >? ..);"},
         "65,537 items"),
    ],
)  # fmt: skip
def test_packs_that_are_too_long(blocks: dict[str, str], number: str):
    text = net("x: real[n];", **blocks)
    with pytest.raises(EvaluationFailed) as caught:
        run(text, np.zeros(65_537))
    found = caught.value
    assert found.rule.name == "value-too-large"
    assert number in found.message
    assert "65,536" in found.message
    assert found.place is not None
    assert found.place.definition == ("net" if "using" in blocks else "cumsum")
