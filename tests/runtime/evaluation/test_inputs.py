"""Inputs of an evaluation, and the inputs it generates if none are given."""

from __future__ import annotations

import numpy as np
import pytest

from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic import integers
from snd_runtime.evaluation import EvaluationAnswer, EvaluationRequest, LiteralInput, ShownStep
from snd_runtime.evaluation.binding import FoundShapes
from snd_runtime.evaluation.handler import KnownFiles, evaluate
from snd_runtime.evaluation.request import Texts
from snd_runtime.evaluation.shape_demands import Demands
from snd_runtime.generators import Generator
from support.memory import snapshot_of

PROGRAM = """\
import layout;
import nn;
import math;

operator keep {
    @dtype { T: type; }
    @input { x: T[s..]; }
    @output { y: T[s..]; }
    @lower { y[i..] = x[i..], i < s; }
}

operator tall {
    @input { x: real[h, w]; }
    @assert { h > w: "it must be higher than it is wide"; }
    @output { y: real[h, w]; }
    @lower { y[i, j] = x[i, j], i < h, j < w; }
}

operator exact {
    @input { x: real[a, b, c]; }
    @assert { a == 7: "seven"; b == 48: "forty-eight"; c >= 2 && c % 2 == 0: "even"; }
    @output { y: real[a, b, c]; }
    @lower { y[i, j, k] = x[i, j, k], i < a, j < b, k < c; }
}

operator never {
    @input { x: real[n]; }
    @assert { n * n == 2: "no square is 2"; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}

operator paired {
    @input { x: real[n, m]; y: real[m, 2 * n]; }
    @output { z: real[n, m]; }
    @lower { z[i, j] = x[i, j], i < n, j < m; }
}

operator lenient {
    @input { x: real[n]; bias: optional real[n]; scale: real[n] = 3.0; }
    @output { z: real[n]; }
    @lower { z[i,] = scale[i,] * x[i,] + (bias[i,] ?? 0.5), i < n; }
}

operator packed {
    @input { xs: real[n]..(k); }
    @output { y: real[n]; }
    @lower { y[i,] += xs[j][i,], i < n, j < k; }
}

operator demanding {
    @input { x: real[n, m]; y: real[k]; }
    @assert { 40 - n / 5 == 8 && n % 4 == 3: "between 160 and 164"; m + n == 16000: "long"; k > m: "longer"; }
    @output { z: real[n, m]; }
    @lower { z[i, j] = x[i, j], i < n, j < m; }
}

operator divided {
    @input { x: int[n]; y: int[n]; }
    @output { q: int[n]; }
    @lower { q[i,] = x[i,] / y[i,], i < n; }
}

operator divided_by_none {
    @input { x: int[n]; y: int[n]; }
    @output { q: int[n]; }
    @lower { q[i,] = x[i,] / (y[i,] - y[i,]), i < n; }
}

graph dividing {
    @input { x: int[9]; y: int[9]; }
    @output { q: int[9]; }
    @compose {
        copy = keep(x);
        q = divided(copy, y);
    }
}

operator flat {
    @input { x: real[1, 8, n]; }
    @output { y: real[1, 5, 80]; }
    @compose { y = layout.reshape{shape=[1, 5, 80]}(x); }
}

graph windows {
    @input { x: real[1, t|99999]; }
    @variable { filter: real[8, 1, 10]; }
    @output { y: real[1, 5, 80]; }
    @compose {
        channel = layout.unsqueeze{axes=[1]}(x);
        found = nn.conv{stride=5, padding=0}(channel, filter);
        y = flat(found);
    }
}

graph bounded {
    @input { x: real[n|8, 3]; }
    @output { y: real[n, 3]; }
    @compose { y = nn.relu(x); }
}
"""


def run(name: str, *, attributes=None, **options) -> EvaluationAnswer:
    snapshot = snapshot_of({"main.sknd": PROGRAM})
    found = [each.message for each in snapshot.diagnostics("main.sknd") if each.severity == "error"]
    assert not found
    path, _, name = name.rpartition("/")
    request = EvaluationRequest(OperatorName(path or "main.sknd", name), attributes or {}, keep=True, **options)
    return evaluate(snapshot, request, lambda note: None)


def shapes(answer: EvaluationAnswer) -> dict[str, tuple[int, ...]]:
    assert not answer.failures, answer.failures[0].message
    return {tensor.label: tensor.summary.shape for tensor in answer.inputs if tensor.summary}


def output(answer: EvaluationAnswer):
    assert not answer.failures, answer.failures[0].message
    (value,) = answer.arrays.values()
    return value


def failure(answer: EvaluationAnswer) -> tuple[str, str]:
    assert answer.arrays is None
    return answer.failures[0].rule.name, answer.failures[0].message


# ---- what does not fit -----------------------------------------------------------------------------------------------
def test_a_number_that_no_real_holds():
    one = {"x": LiteralInput([1.0, 1e300])}
    message = "the input 'x': 1e+300 does not fit into a real of 32 bits"
    assert failure(run("lenient", inputs=one)) == ("argument-value", message)
    assert output(run("lenient", inputs=one, double=True)).tolist() == [3.5, 3e300]
    assert output(run("lenient", inputs={"x": np.array([1.0, 1e300])})).tolist() == [3.5, np.inf]


@pytest.mark.parametrize(
    "value", [np.zeros((1,) * 33), Generator("ones", (1,) * 33), LiteralInput(np.zeros((1,) * 33).tolist())]
)
def test_more_dimensions_than_there_may_be(value):
    rule, message = failure(run("keep", inputs={"x": value}))
    assert rule in ("argument-value", "limit-exceeded")
    assert "32" in message
    assert output(run("keep", inputs={"x": np.ones((1,) * 32)})).ndim == 32


# ---- shapes ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("keep", {"x": (2, 2)}),
        ("tall", {"x": (2, 1)}),
        ("paired", {"x": (2, 2), "y": (2, 4)}),
        ("lenient", {"x": (2,)}),
        ("packed", {"xs[0]": (2,), "xs[1]": (2,)}),
        ("bounded", {"x": (2, 3)}),
        ("snd:linalg/matmul", {"A": (2, 2, 2, 2), "B": (2, 2, 2, 2)}),
        ("snd:nn/conv", {"input": (2, 2, 2, 2), "filter": (2, 2, 2, 2)}),
        ("snd:nn/batch_norm", {"input": (2, 2), "mean": (2,), "variance": (2,)}),
        ("snd:math/select", {"c": (2, 2), "x": (2, 2), "y": (2, 2)}),
    ],
)
def test_the_smallest_shapes_that_bind(name, found):
    assert shapes(run(name)) == found


def test_shapes_that_others_decide():
    assert shapes(run("paired", inputs={"y": Generator("ones", (5, 6))})) == {"x": (3, 5)}
    assert shapes(run("packed", inputs={"xs": {2: LiteralInput([1, 2, 3, 4])}})) == {
        "xs[0]": (4,), "xs[1]": (4,),
    }  # fmt: skip


def test_shapes_found_by_trying():
    extents = shapes(run("exact"))["x"]
    assert extents[:2] == (7, 48)
    assert extents[2] % 2 == 0


def test_shapes_that_assertions_tell():
    """However large they are, and whichever of them lead to which others."""
    assert shapes(run("demanding")) == {"x": (163, 15837), "y": (15838,)}


def test_shapes_that_the_operators_within_demand():
    assert shapes(run("windows")) == {"x": (1, 255)}


def test_extents_that_depend_on_what_nobody_knows_are_as_wanted():
    t = integers.variable("t", "t")
    unknown = integers.function("each", t, minimum=0)
    (leaf,) = t.leaves
    equal, greater = (integers.compare("==", unknown, t), integers.compare(">", t, integers.constant(9)))
    assert Demands([equal]).fitting(leaf, 5, {}) == 5
    assert Demands([equal, greater]).fitting(leaf, 5, {}) == 10


def test_shapes_that_were_found_are_those_of_a_fresh_search():
    """Also after an edit, whatever was found before it."""
    files, found = KnownFiles(), FoundShapes()
    request = EvaluationRequest(OperatorName("main.sknd", "tall"))
    text = PROGRAM.replace("h > w:", "h > w + LEAST:")
    for least in (3, 0, 3, 3):
        texts = {"main.sknd": text.replace("LEAST", str(least))}
        kept = evaluate(files.snapshot(Texts(texts)), request, lambda note: None, found)
        assert shapes(kept) == shapes(evaluate(snapshot_of(texts), request, lambda note: None))


def test_shapes_that_there_are_not():
    rule, message = failure(run("never"))
    assert rule == "argument-value"
    assert "no shape was found for 'x'" in message
    assert "no square is 2" in message


def test_every_operator_of_the_library_that_needs_no_attribute_is_evaluated_with_made_up_inputs():
    """Attributes without a default are the only thing that somebody has to give."""
    from snd_analysis.skriptnd.names import library_modules, library_names

    snapshot = snapshot_of({"main.sknd": ""})
    refused = {}
    for module in library_modules():
        for name in library_names(module).definitions:
            answer = evaluate(snapshot, EvaluationRequest(OperatorName(f"snd:{module}", name)), lambda note: None)
            if answer.failures and answer.failures[0].rule.name != "missing-attribute":
                refused[f"{module}.{name}"] = answer.failures[0].message
    assert refused == {}


# ---- values ----------------------------------------------------------------------------------------------------------
def test_types():
    assert output(run("keep", inputs={"x": LiteralInput([1, 2])})).dtype == np.int64
    assert output(run("keep", inputs={"x": LiteralInput([[1, 2.5]])})).dtype == np.float32
    assert output(run("keep", inputs={"x": LiteralInput([True])})).dtype == bool
    assert output(run("keep", inputs={"x": LiteralInput(["a"])})).tolist() == ["a"]
    assert output(run("keep", dtypes={"T": "int"})).dtype == np.int64
    assert output(run("keep", dtypes={"T": "str"})).tolist() == [["", ""], ["", ""]]
    assert output(run("keep", inputs={"x": np.array([2], np.uint8)})).dtype == np.int64
    assert output(run("keep", double=True)).dtype == np.float64
    assert output(run("tall", inputs={"x": LiteralInput([[1], [2]])})).dtype == np.float32


def test_ints_that_are_divided_by_are_not_0():
    """Unless they are given, or others would be no better; the notifications are of one run."""
    told: list[object] = []
    request = EvaluationRequest(OperatorName("main.sknd", "dividing"), inputs={"x": LiteralInput([6] * 9)}, trace=True)
    answer = evaluate(snapshot_of({"main.sknd": PROGRAM}), request, told.append)
    assert not answer.failures
    assert answer.inputs[0].summary.least == 1
    assert answer.inputs[0].summary.greatest == 2
    assert len([each for each in told if isinstance(each, ShownStep)]) == 2
    for failing in (
        run("divided", inputs={"y": LiteralInput([0, 2])}),
        run("divided", inputs={"x": LiteralInput([0, 2]), "y": LiteralInput([0, 2])}),
        run("divided_by_none"),
    ):
        assert failure(failing)[0] == "division-by-zero"


def test_optional_inputs_and_defaults():
    assert output(run("lenient", inputs={"x": LiteralInput([1, 2])})).tolist() == [3.5, 6.5]
    given = {"x": LiteralInput([1, 2]), "bias": LiteralInput([0, 1]), "scale": LiteralInput([1, 10])}
    assert output(run("lenient", inputs=given)).tolist() == [1, 21]
    assert output(run("lenient", inputs={**given, "bias": None})).tolist() == [1.5, 20.5]


def test_packs():
    nested = LiteralInput([[1, 2], [3, 4], [5, 6]])
    assert output(run("packed", inputs={"xs": nested})).tolist() == [9, 12]
    assert output(run("packed", inputs={"xs": (np.ones(2), LiteralInput([1, 1]))})).tolist() == [2, 2]


def test_what_is_random_depends_on_the_seed_and_nothing_else():
    first, again, other = (output(run("tall", seed=seed)).tolist() for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize(
    ("name", "inputs", "message"),
    [
        ("tall", {"x": LiteralInput([[1, 2]])}, "higher than it is wide"),
        ("tall", {"x": LiteralInput([1])}, "needs rank 2"),
        ("tall", {"x": LiteralInput([["a"]])}, "'a' is no real"),
        ("tall", {"x": LiteralInput([[1], [2, 3]])}, "has 2 items"),
        ("tall", {"x": np.array([["a"]])}, "not 'real'"),
        ("tall", {"x": None}, "not optional"),
        ("tall", {"x": (np.ones((2, 1)),)}, "one tensor, not a pack"),
        ("packed", {"xs": np.ones(2)}, "a pack of tensors: give them by position"),
        ("packed", {"xs": {10**6: LiteralInput([1])}}, "would have 1000001 tensors"),
        ("packed", {"xs": LiteralInput([[1], [1, 2]])}, "the tensors differ in dimension 0: 1 and 2"),
        ("keep", {"x": Generator("iota", (10**6, 10**6))}, "'iota[1000000,1000000]' takes 4,000,000,000,000 bytes"),
        ("paired", {"x": LiteralInput([[1, 2]]), "y": LiteralInput([[1], [2]])}, "'2 * n'"),
    ],
)
def test_inputs_that_do_not_fit(name, inputs, message):
    assert message in failure(run(name, inputs=inputs))[1]


def test_attributes():
    answer = run("snd:layout/concat", attributes={"axis": 0}, inputs={"inputs": (np.ones(2), np.zeros(1))})
    assert output(answer).tolist() == [1, 1, 0]
    rule, message = failure(run("snd:layout/concat"))
    assert (rule, message) == (
        "missing-attribute", "the attribute 'axis' of 'layout.concat' has no default: give it a value",
    )  # fmt: skip
    attributes = {"axes": (1,), "size": 2, "stride": (1,), "padding": (0, 0)}
    assert failure(run("snd:nn/max_pool", attributes={**attributes, "size": "two"}))


DEFERRED = """
operator extent { @attrib { a: int = n; } @input { x: real[a]; z: real[n]; } @output { y: real[a]; }
    @lower { y[i,] = x[i,], i < a; } }
operator affine { @attrib { a: int = n; } @input { x: real[a + 1]; z: real[n]; } @output { y: real[a]; }
    @lower { y[i,] = z[i,], i < a; } }
operator rank { @attrib { a: int = n; } @input { x: real[s..(a)]; z: real[n]; } @output { y: real[a]; }
    @lower { y[i,] = z[i,], i < a; } }
operator chain { @attrib { a: int = b + 1; b: int = n; } @input { x: real[a]; w: real[b]; z: real[n]; }
    @output { y: real[a]; } @lower { y[i,] = x[i,], i < a; } }
operator circle { @attrib { a: int = n; } @input { x: real[a]; z: real[n + a]; } @output { y: real[a]; }
    @lower { y[i,] = x[i,], i < a; } }
"""


@pytest.mark.parametrize("name", ["extent", "affine", "rank", "chain"])
def test_an_input_that_the_default_of_an_attribute_sizes_is_made(name):
    snapshot = snapshot_of({"operators.sknd": DEFERRED})
    answer = evaluate(snapshot, EvaluationRequest(OperatorName("operators.sknd", name)), lambda _: None)
    assert answer.failures == ()


def test_a_default_that_only_its_own_uses_decide_asks_for_a_shape():
    snapshot = snapshot_of({"operators.sknd": DEFERRED})
    answer = evaluate(snapshot, EvaluationRequest(OperatorName("operators.sknd", "circle")), lambda _: None)
    assert [each.rule.name for each in answer.failures] == ["argument-value"]


def test_a_single_value_is_no_pack_of_any_length():
    snapshot = snapshot_of({"main.sknd": "import nn;"})
    request = EvaluationRequest(OperatorName("snd:nn", "l1_norm"), {"axes": -1})
    (failure,) = evaluate(snapshot, request, lambda _: None).failures
    assert failure.rule.name == "uniform-length"
    assert failure.message == "the attribute 'axes' of 'nn.l1_norm' is a pack of any length: give it a list"
