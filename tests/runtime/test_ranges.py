"""Ranges of tensors hold for every run, and precision is what CVM says it is."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from snd_analysis.formats import Range, bits_of, ranges_of
from snd_analysis.ide.hover import hover
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import Execution, execute
from support.memory import snapshot_of
from support.runtime.invoking import invoker
from support.sampling import tries

RANDOM = np.random.default_rng(18)
CVM = {
    "sum{axes=[1]}(x)": (3,), "sum{axes=[0,1], keepdims=true}(x)": (1, 1), "max{axes=[1]}(x)": (3,),
    "broadcast_add(x, y)": (3, 4), "broadcast_sub(x, y)": (3, 4), "broadcast_mul(x, y)": (3, 4),
    "broadcast_max(x, y)": (3, 4), "elemwise_add(x, y)": (3, 4), "elemwise_sub(x, y)": (3, 4), "abs(x)": (3, 4),
    "negative(x)": (3, 4), "Relu(x)": (3, 4), "clip{a_min=-7, a_max=9}(x)": (3, 4), "cvm_clip{precision=5}(x)": (3, 4),
    "cvm_right_shift{precision=9, shift_bit=3}(x)": (3, 4), "cvm_left_shift{precision=12, shift_bit=3}(x)": (3, 4),
    "cvm_precision(x)": (3, 4), "Dense(x, y)": (3, 3), "flatten(x)": (12,), "transpose(x)": (4, 3),
    "repeat{axis=0, repeats=2}(x)": (6, 4), "tile{reps=[2]}(x)": (3, 8), "take{axis=0}(x, i)": (2, 4),
    "cvm_lut(i, x)": (2,), "slice{begin=[1,0], end=[3,2]}(x)": (2, 2),
}  # fmt: skip
TOSA = {
    "add(x, y)": (3, 4), "sub(x, y)": (3, 4), "mul(x, y)": (3, 4), "mul{shift=3}(x, y)": (3, 4), "abs(x)": (3, 4),
    "negate(x)": (3, 4), "negate{in_out_t='int8_t', input1_zp=5, output_zp=-9}(x)": (3, 4), "maximum(x, y)": (3, 4),
    "minimum(x, y)": (3, 4), "bitwise_not(x)": (3, 4), "bitwise_xor(x, y)": (3, 4), "intdiv(x, one)": (3, 4),
    "clamp{min_val=-3, max_val=90}(x)": (3, 4), "reduce_sum{axis=1}(x)": (3, 1), "reduce_max{axis=0}(x)": (1, 4),
    "argmax{axis=1}(x)": (3,), "clz(x)": (3, 4), "cast{out_t='int8_t'}(x)": (3, 4),
    "pad{padding=[0,0,1,0], pad_const=200}(x)": (3, 5), "table(x, t)": (3, 4),
    "rescale{scale32=true, input_zp=3, output_zp=-4, in_t='int8_t'}(x, m, s)": (3, 4),
    "rescale{scale32=true, double_round=true, out_t='int16_t'}(x, m, s)": (3, 4),
    "fully_connected{input_zp=-7, weight_zp=3}(x, y, b)": (3, 3),
}  # fmt: skip
GRAPH = """import {module};
graph g {{
    @input {{ a: int[3,4]; c: int[3,4]; i: int[2]; }}
    @constant {{
        m: int[1] = 1518500249; s: int[1] = 34; b: int[3] = [5, -800, 77]; one: int[1,1] = 3;
        t: int[256] = [-128, 9, 100, 127 ..(253)];
    }}
    @output {{ z: int[{shape}]; }}
    @compose {{
        x = {clip}(a);
        y = {clip}(c);
        z = {module}.{invocation};
    }}
}}
"""


@pytest.mark.parametrize("module", ["cvm", "tosa"])
def test_results_are_in_their_ranges(module: str):
    ends = np.array([-127, 127, 0, -1, 1])
    tight = 0
    cases = CVM if module == "cvm" else TOSA
    clip = "cvm.cvm_clip{precision=8}" if module == "cvm" else "tosa.clamp{min_val=-127, max_val=127}"
    for invocation, shape in cases.items():
        text = GRAPH.format(module=module, invocation=invocation, shape=",".join(map(str, shape)), clip=clip)
        snapshot = snapshot_of({"main.sknd": text})
        name = OperatorName("main.sknd", "g")
        root = snapshot.specialization(name)
        assert root is not None
        assert root.body is not None, [failure.message for failure in root.failures]
        [z] = root.body.outputs.values()
        found = ranges_of(root).of(z)
        assert found is not None, invocation
        least, most = 2**40, -(2**40)
        for _ in range(tries(3, 40)):
            a, c = (
                np.where(RANDOM.random((3, 4)) < 0.7, RANDOM.choice(ends, (3, 4)), RANDOM.integers(-127, 128, (3, 4)))
                for _ in range(2)
            )
            a, c = (a, c) if RANDOM.random() < 0.6 else (np.full((3, 4), RANDOM.choice(ends)),) * 2
            result = execute(snapshot.session(), root, [a, c, np.array([2, 0])], Execution()).outputs["z"]
            assert isinstance(result, np.ndarray)
            least, most = min(least, int(result.min())), max(most, int(result.max()))
        assert found.least <= least, (invocation, found)
        assert most <= found.most, (invocation, found)
        tight += found.magnitude <= 2 * max(abs(least), abs(most)) + 2
    assert tight > len(cases) * 2 // 3, "ranges that say nothing are no use"


LOOPS = {
    "z = with s = x do..(5) cvm.elemwise_add(s, y);": True,
    "z = with s = x do..(200) cvm.elemwise_sub(s, y);": True,
    "z = with s = x do..(200) { d = cvm.elemwise_sub(s, y); e = cvm.cvm_clip{precision=9}(d); yield e; };": True,
    "z = with s = x do..(200) { d = cvm.cvm_right_shift{precision=30, shift_bit=3}(s); "
    "e = cvm.elemwise_add(d, y); yield e; };": True,
    "z = with s = x for p : [x, y, x, y] do cvm.broadcast_max(s, p);": True,
    "z, ~ = with s = x, t = y do..(70) { u = cvm.elemwise_add(t, one); yield t, u; };": True,
    "z = with s = x do..(9) { i = with j = s do..(9) cvm.elemwise_add(j, y); yield i; };": True,
    "z = with s = x while is_small(s, limit) do cvm.elemwise_add(s, one);": False,
    "z = if is_small(x, limit) then cvm.negative(x) else cvm.elemwise_add(x, y);": True,
}
"""Loops and branches, and whether the range of the result is known."""
LOOP_GRAPH = """import cvm;
operator is_small {{
    @input {{ x: int[n]; limit: int[]; }}
    @output {{ y: bool[]; }}
    @lower {{ y[] = true; y[] &= x[i,] < limit[], i < n; }}
}}
graph g {{
    @input {{ a: int[3]; c: int[3]; }}
    @constant {{ one: int[3] = 1; limit: int[] = 100; }}
    @output {{ z: int[3]; }}
    @compose {{
        x = cvm.cvm_clip{{precision=8}}(a);
        y = cvm.cvm_clip{{precision=6}}(c);
        {statements}
    }}
}}
"""


@pytest.mark.parametrize("statements", LOOPS)
def test_results_of_loops_and_branches_are_in_their_ranges(statements: str):
    snapshot = snapshot_of({"main.sknd": LOOP_GRAPH.format(statements=statements)})
    root = snapshot.specialization(OperatorName("main.sknd", "g"))
    assert root is not None
    assert root.body is not None, [failure.message for failure in root.failures]
    found = ranges_of(root).of(root.body.outputs["z"])
    assert (found is not None) == LOOPS[statements]
    for _ in range(tries(4, 40)):
        a, c = RANDOM.choice([-127, 127, 0, 5], 3), RANDOM.choice([-31, 31, 1], 3)
        result = execute(snapshot.session(), root, [a, c], Execution()).outputs["z"]
        assert isinstance(result, np.ndarray)
        if found is not None:
            assert found.least <= int(result.min()) <= int(result.max()) <= found.most


def test_an_operator_knows_nothing_of_its_invocation_before():
    """The second operand has no range, so the sum within the operator has none, either."""
    text = """import cvm;
operator doubled {
    @input { x: int[n]; }
    @output { y: int[n]; }
    @compose { y = cvm.elemwise_add(x, x); }
}
graph g {
    @input { a: int[4]; b: int[4]; }
    @output { y: int[4]; z: int[4]; }
    @compose { x = cvm.cvm_clip{precision=8}(a); y = doubled(x); z = doubled(b); }
}
"""
    root = snapshot_of({"main.sknd": text}).specialization(OperatorName("main.sknd", "g"))
    assert root is not None
    assert root.body is not None
    ranges = ranges_of(root)
    assert ranges.of(root.body.outputs["y"]) == Range(-254, 254)  # type: ignore[arg-type]
    assert ranges.of(root.body.outputs["z"]) is None  # type: ignore[arg-type]


def test_precision_is_that_of_the_text():
    assert [bits_of(Range(-most, most)) for most in (0, 1, 2, 3, 4, 127, 128, 2**31 - 1)] == [1, 2, 3, 3, 4, 8, 9, 32]
    assert bits_of(Range(0, 127)) == 8
    assert bits_of(Range(-128, 0)) == 9, "the least number of 8 bits is none of that precision"


def test_hover_tells_the_precision_of_each_tensor():
    text = """import cvm;
graph g {
    @input { a: int[4]; b: int[4]; }
    @output { y: int[4]; }
    @quantize { a: cvm.cvm_clip{precision=8}; }
    @compose {
        h = cvm.elemwise_add(a, a);
        y = cvm.elemwise_add(h, b);
    }
}
"""
    snapshot = snapshot_of({"main.sknd": text})

    def told(part: str) -> str:
        found = hover(snapshot, "main.sknd", text.index(part))
        assert found is not None
        return found.markdown

    assert "elements from `-254` to `254`: a precision of 9 bits" in told("h = ")
    assert "elements from `-127` to `127`: a precision of 8 bits" in told("a: int")
    assert "of undefined precision" in told("b: int")
    assert "of undefined precision" in told("y = ")


def test_results_do_not_depend_on_the_order_of_evaluation():
    """Sums over permuted terms, batches in another order and statements in another order give the same bits."""
    cvm = invoker("cvm")
    x, w = RANDOM.integers(-(2**15), 2**15, (3, 6, 5, 5)), RANDOM.integers(-(2**9), 2**9, (4, 6, 3, 3))
    boxes = RANDOM.integers(-1, 9, (3, 6, 6))
    for _ in range(tries(2, 10)):
        channels, batch = RANDOM.permutation(6), RANDOM.permutation(3)
        np.testing.assert_array_equal(cvm("Convolution", x, w), cvm("Convolution", x[:, channels], w[:, channels]))
        np.testing.assert_array_equal(cvm("Convolution", x, w)[batch], cvm("Convolution", x[batch], w))
        for name in ("sum", "max"):
            moved = x[:, channels][:, :, ::-1]
            np.testing.assert_array_equal(cvm(name, x, axes=[1, 2]), cvm(name, moved, axes=[1, 2]))
        flat, weights = x.reshape(3, -1), RANDOM.integers(-128, 128, (2, 150))
        order = RANDOM.permutation(150)
        np.testing.assert_array_equal(cvm("Dense", flat, weights), cvm("Dense", flat[:, order], weights[:, order]))
        for name, attributes in (("get_valid_count", {"score_threshold": 3}), ("non_max_suppression", {})):
            inputs = (boxes,) if name == "get_valid_count" else (boxes, np.array([6, 4, 2]))
            first = cvm(name, *inputs, **attributes)
            second = cvm(name, *(each[batch] for each in inputs), **attributes)
            for one, other in zip(
                *(each if isinstance(each, tuple) else (each,) for each in (first, second)), strict=True
            ):
                np.testing.assert_array_equal(one[batch], other)
    statements = ["p = cvm.abs(a);", "q = cvm.negative(a);", "r = cvm.cvm_clip{precision=6}(a);"]
    text = "import cvm;\ngraph g {{ @input {{ a: int[9]; }} @output {{ y: int[9]; }} @compose {{ {0}\n{1}\n{2}\n" + (
        "h = cvm.broadcast_mul(p, q); y = cvm.elemwise_add(h, r); }} }}\n"
    )
    given = RANDOM.integers(-999, 999, 9)
    results = []
    for order in permutations(statements):
        snapshot = snapshot_of({"main.sknd": text.format(*order)})
        root = snapshot.specialization(OperatorName("main.sknd", "g"))
        assert root is not None
        results.append(execute(snapshot.session(), root, [given], Execution()).outputs["y"])
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


@pytest.mark.parametrize(
    ("invocation", "told"),
    [
        ("y = tennis.pooling2d{padding=0, ksize=[1,1,3,3], stride=[1,1,2,2]}(x);", "family `caffe`: 4 × 4"),
        ("y = tennis.conv2d{padding=0, stride=[1,1,2,2]}(x, w);", "family `mx_valid`: 3 × 3"),
    ],
)
def test_hover_on_a_padding_tells_its_family_and_the_sizes_of_others(invocation: str, told: str):
    """The numbers are those of the text for an input of 8, a window of 3 and a stride of 2."""
    head = "import tennis;\ngraph g {\n    @input { x: real[1,1,8,8]; }\n    @variable { w: real[1,1,3,3]; }\n"
    extent = told[-1]
    text = f"{head}    @output {{ y: real[1,1,{extent},{extent}]; }}\n    @compose {{ {invocation} }}\n}}\n"
    found = hover(snapshot_of({"main.sknd": text}), "main.sknd", text.index("padding"))
    assert found is not None
    assert told in found.markdown
    for family, size in {"tf_valid": 3, "tf_same": 4, "caffe": 4, "mx_valid": 3}.items():
        expected = f"`{family}`: {size} × {size}" if f"`{family}`" in told else f"`{family}` {size} × {size}"
        assert expected in found.markdown
