"""Quantized evaluation: the operators of ``@quantize`` applied to the tensors that they name (2.14)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import ComputedTensor, Execution, RunResult, StatefulGraph
from support.runtime.executing import FLOAT64, R, instance_of, net, outcome_of

# Values in steps of 0.25; not idempotent on purpose in `half`, so that quantizing twice would show.
OPERATORS = """
operator grid { @attrib { step: real = 0.25; } @input { x: real[s..]; } @output { y: real[s..]; }
    @lower { y[i..] = round(x[i..] / step) * step, i < s; } }
operator half { @input { x: real[s..]; } @output { y: real[s..]; } @lower { y[i..] = x[i..] / 2.0, i < s; } }
operator scale { @input { x: real[n]; } @variable { w: real[n]; } @output { y: real[n]; }
    @compose { y = math.mul(x, w); } }
operator by_formula { @input { x: real[n]; } @variable { w: real[n]; } @output { y: real[n]; }
    @lower { y[i,] = x[i,] * w[i,], i < n; } }
public operator inner { @input { x: real[n]; } @output { y: real[n]; }
    @compose { h = math.mul(x, 3.0); y = math.add(h, 1.0); } }
operator positive { @input { x: real[n]; } @output { y: real[k | n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; } }
"""
QUANTIZE = Execution(real=FLOAT64, quantize=True)


def quantized(text: str, *inputs: Any, **variables: Any) -> RunResult:
    given = {name.replace("__", "."): R(value) for name, value in variables.items()}
    return outcome_of(text, *inputs, request=Execution(real=FLOAT64, quantize=True, variables=given))


def module(inputs: str, outputs: str, compose: str, quantize: str, **blocks: str) -> str:
    return net(inputs, outputs, compose, operators=OPERATORS, quantize=quantize, **blocks)


def test_without_being_asked_nothing_is_quantized_and_the_outcome_names_what_would_be():
    text = module("x: real[n];", "y: real[n];", "a = math.mul(x, 3.0); y = math.mul(a, 1.0);", "a: grid; x: half;")
    outcome = outcome_of(text, R([0.1, 0.7]))
    assert outcome.outputs["y"].tolist() == pytest.approx([0.3, 2.1])
    assert [(each.name, each.operator, each.change) for each in outcome.quantized] == [
        ("a", "grid", None),
        ("x", "half", None),
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x", [0.0 * 3 + 0.1, 0.75 * 3 + 0.1]),
        ("a", [0.25 + 0.1, 2.0 + 0.1]),
        ("y", [0.5, 2.25]),
    ],
)
def test_inputs_results_and_outputs_are_quantized_as_soon_as_they_are_computed(name: str, expected: list[float]):
    text = module("x: real[n];", "y: real[n];", "a = math.mul(x, 3.0); y = math.add(a, 0.1);", f"{name}: grid;")
    outcome = quantized(text, R([0.1, 0.7]))
    assert outcome.outputs["y"].tolist() == pytest.approx(expected)


def test_the_error_against_the_unquantized_run_is_that_of_each_tensor():
    text = module(
        "x: real[n];", "y: real[n];", "a = math.mul(x, 3.0); b = math.mul(a, 2.0); y = math.add(b, 0.1);",
        "a: grid; b: grid{step=0.5};",
    )  # fmt: skip
    x = np.linspace(-1, 1, 41)

    def tensors(execution: bool) -> dict[str, Any]:
        steps: dict[str, Any] = {}

        def watch(step: ComputedTensor) -> None:
            steps[step.name] = step.value

        outcome = outcome_of(text, x, request=Execution(real=FLOAT64, quantize=execution, watch=watch))
        assert {each.name for each in outcome.quantized} == {"a", "b"}
        return steps

    plain, rounded = tensors(False), tensors(True)
    assert rounded["a"].tolist() == (np.round(plain["a"] / 0.25 + 1e-12 * np.sign(x)) * 0.25).tolist()
    errors = {name: np.abs(rounded[name] - plain[name]).max() for name in plain}
    assert 0 < errors["a"] <= 0.125 + 1e-9  # half a step
    assert 0 < errors["b"] <= 2 * errors["a"] + 0.25 + 1e-9  # what it inherits, and half a step of its own
    assert errors["y"] == pytest.approx(errors["b"])


def test_the_largest_change_of_each_tensor_is_told():
    text = module("x: real[n];", "y: real[n];", "a = math.mul(x, 1.0); y = math.mul(a, 1.0);", "a: grid; y: half;")
    changes = {each.name: each.change for each in quantized(text, R([0.1, 0.5, 0.8])).quantized}
    assert changes == {"a": pytest.approx(0.1), "y": pytest.approx(0.375)}


def test_variables_are_quantized_and_stay_exact_outside():
    text = module(
        "x: real[n];", "y: real[n]; z: real[n];", "y = scale(x); z = other: by_formula(x);", "y.w: grid; other.w: half;"
    )
    outcome = quantized(text, np.ones(2), y__w=[0.3, 0.9], other__w=[0.3, 0.9])
    assert outcome.outputs["y"].tolist() == [0.25, 1.0]
    assert outcome.outputs["z"].tolist() == [0.15, 0.45]
    assert outcome.variables["y.w"].tolist() == [0.3, 0.9]


def test_the_new_value_of_a_variable_is_quantized_when_it_is_computed():
    text = module(
        "x: real[n];", "y: real[n];", "y = math.add(x, v);", "v: grid;", variable="v: real[n];",
        update="v = math.add(v, 0.3);",
    )  # fmt: skip
    session, specialization = instance_of(text, [np.zeros(1)])
    graph = StatefulGraph(session, specialization, Execution(real=FLOAT64, quantize=True, variables={"v": R([0.3])}))
    assert [graph.run([np.zeros(1)])["y"].tolist() for _ in range(3)] == [[0.25], [0.5], [0.75]]
    assert graph.variables["v"].tolist() == [1.0]


def test_constants_are_quantized():
    text = module(
        "x: real[n];", "y: real[n];", "y = math.mul(x, c);", "c: grid;", constant="c: real[n] = 0.3 * real(i), i < n;"
    )
    assert quantized(text, np.ones(3)).outputs["y"].tolist() == [0.0, 0.25, 0.5]


@pytest.mark.parametrize(("name", "expected"), [("y.x", 2.5), ("y.h", 2.5), ("y.y", 2.0)])
def test_tensors_of_public_operators_are_quantized_by_scoped_names(name: str, expected: float):
    text = module("x: real[n];", "y: real[n];", "y = inner(x);", f"{name}: half;")
    assert quantized(text, R([1.0])).outputs["y"].tolist() == [expected]


def test_definitions_bring_their_own_quantizations_and_those_around_have_priority():
    operators = (
        OPERATORS
        + """
operator own { @input { x: real[n]; } @variable { w: real[n]; } @output { y: real[n]; }
    @compose { y = math.mul(x, w); } @quantize { w: half; } }
operator formula { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = x[i,], i < n; }
    @quantize { y: half; } }
"""
    )
    text = net(
        "x: real[n];", "a: real[n]; b: real[n]; c: real[n];", "a = own(x); b = own(x); c = formula(x);",
        operators=operators, quantize="b.w: grid;",
    )  # fmt: skip
    outcome = quantized(text, np.ones(1), a__w=[0.3], b__w=[0.3])
    assert [outcome.outputs[name].tolist() for name in "abc"] == [[0.15], [0.25], [0.5]]
    assert {each.name for each in outcome.quantized} == {"a.w", "b.w", "c.y"}


def test_all_tensors_of_a_pack_are_quantized():
    text = module("xs: real[n]..(2);", "y: real[n];", "y = math.add(xs[0], xs[1]);", "xs: half;")
    assert quantized(text, (R([1.0]), R([3.0]))).outputs["y"].tolist() == [2.0]


def test_copies_are_the_tensor_that_they_are_a_copy_of():
    text = module("x: real[n];", "y: real[n];", "a = math.mul(x, 1.0); b = a; y = math.mul(b, 1.0);", "b: half;")
    assert quantized(text, R([1.0])).outputs["y"].tolist() == [0.5]


BRANCH = "y = if c then math.mul(x, 1.0) else inner(x);"


@pytest.mark.parametrize("first", ["", "p = positive(x); "], ids=["program", "statement by statement"])
@pytest.mark.parametrize(
    ("inputs", "statement", "quantize", "expected"),
    [
        ("x: real[n]; c: bool[];", BRANCH, "y: half;", 0.5),
        ("x: real[n];", "y = with h = x do..(3) math.mul(h, 1.0);", "h: half;", 0.125),
        ("x: real[n];", "y = with h = x do..(3) math.mul(h, 1.0);", "y: half;", 0.125),
        ("x: real[n];", "y = with h = x do..(3) { t = math.mul(h, 1.0); yield t; };", "y.t: half;", 0.125),
        ("x: real[n];", "y = with h = x do..(3) { t = math.mul(h, 1.0); yield t; };", "t: half;", 0.125),
        ("x: real[n];", "a..(2) = for i : [0, 1] do math.mul(x, 1.0); y = math.add(a[0], a[1]);", "a: half;", 1.0),
        ("x: real[n];", "y = lab: { t = math.mul(x, 1.0); yield t; };", "lab.t: half;", 0.5),
    ],
)
def test_control_flow(first: str, inputs: str, statement: str, quantize: str, expected: float):
    text = module(inputs, "y: real[n];", first + statement, quantize)
    given = [R([1.0]), np.array(True)] if "bool" in inputs else [R([1.0])]
    assert quantized(text, *given).outputs["y"].tolist() == [expected]


def test_a_quantizer_that_fails_says_which_tensor_it_was_applied_to():
    operators = (
        OPERATORS
        + """
operator choosy { @attrib { k: int = 4; } @input { x: real[n]; } @output { y: real[n]; }
    @assert { n < k: "too long"; } @lower { y[i,] = x[i,], i < n; } }
"""
    )
    text = net("x: real[n];", "y: real[n];", "p = positive(x); y = math.mul(x, 1.0);", operators=operators,
               quantize="p: choosy;")  # fmt: skip
    with pytest.raises(EvaluationFailed) as caught:
        quantized(text, np.ones(5))
    assert "too long" in caught.value.message
    assert "'choosy' quantizes 'p' here" in [site.message for site in (*caught.value.chain, *caught.value.related)]


def test_names_that_nothing_computes_are_told():
    text = module("x: real[n]; c: bool[];", "y: real[n];", "y = if c then t: inner(x) else x;", "t.h: half;")
    outcome = quantized(text, R([1.0]), np.array(False))
    assert [(each.name, each.change) for each in outcome.quantized] == [("t.h", None)]


def test_a_composition_is_run_where_its_tensors_are_quantized_though_there_are_formulas():
    operators = (
        OPERATORS
        + """
public operator two { @input { x: real[n]; } @output { y: real[n]; }
    @compose { h = math.mul(x, 3.0); y = math.add(h, 1.0); } @lower { y[i,] = x[i,] * 3.0 + 1.0, i < n; } }
"""
    )
    text = net("x: real[n];", "y: real[n]; z: real[n];", "y = two(x); z = two(x);", operators=operators,
               quantize="y.h: half;")  # fmt: skip
    request = Execution(real=FLOAT64, quantize=True, compare=True)
    outcome = outcome_of(text, R([1.0]), request=request)
    assert [value.tolist() for value in outcome.outputs.values()] == [[2.5], [4.0]]


@pytest.mark.parametrize(
    ("given", "scale", "expected"),
    [
        (R(0.7), "0.5", 0.5),
        (R([0.7, 0.7]), "0.5", [0.5, 0.5]),
        (R([0.7, 0.7]), "[0.5, 1.0]", [0.5, 1.0]),
    ],
)
def test_without_a_channel_axis_a_tensor_of_a_low_rank_has_its_items_as_channels(given: Any, scale: str, expected: Any):
    quantize = f"x: quant.zero_point_linear_quantize{{zero_point=0, scale={scale}, bits=8}};"
    text = module("x: real[s..];", "y: real[s..];", "y = math.mul(x, 1.0);", quantize)
    assert quantized(text, given).outputs["y"].tolist() == expected
