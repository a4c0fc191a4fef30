"""Extents that only the run tells: of inputs, of results, behind branches and loops (2.6.1, 2.10.1, 3.1)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snd_analysis.model import Tensor
from snd_analysis.symbolic.integers import Integer, bounds, evaluate
from snd_analysis.symbolic.values import ItemRun
from support.analysis.composing import composed, flat, shape
from support.sampling import examples

OPERATORS = """\
operator neg {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = -x[i..], i < s; }
}
operator add {
    @input { x: real[s..]; y: real[s..]; }
    @output { z: real[s..]; }
    @lower { z[i..] = x[i..] + y[i..], i < s; }
}
operator twice {
    @input { x: real[n]; }
    @output { y: real[2 * n]; }
    @lower { y[i * n + j,] = x[j,], i < 2, j < n; }
}
operator halve {
    @input { x: real[n,s..]; }
    @output { y: real[(n + 1) / 2,s..]; }
    @lower { y[i,j..] = x[2 * i,j..], i < (n + 1) / 2, j < s; }
}
operator positive {
    @input { x: real[n]; }
    @output { y: real[k|n]; at: int[k|n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; at[k,] = i, i < n | x[i,] > 0.0; }
}
"""


def _net(inputs: str, statements: str, outputs: str = "y: real;") -> str:
    return f"{OPERATORS}graph net {{ @input {{ {inputs} }} @output {{ {outputs} }} @compose {{ {statements} }} }}"


def test_unnamed_extents_differ_and_named_ones_agree():
    inputs = "a: real[~|10]; b: real[s|10]; c: real[s];"
    graph = composed(_net(inputs, "u = add(a, b); y = add(b, c);")).graph
    checks = [operation.checks for operation in graph.operations]
    assert [len(each) for each in checks] == [1, 0]
    assert graph.inputs["a"].bound == (10,)


def test_packs_of_dynamic_extents():
    tensor = flat(_net("x: real[~|10 ..(3)];", "y = neg(x);")).outputs["y"]
    assert tensor.bound == (10, 10, 10)
    assert len({str(extent) for extent in tensor.shape}) == 3


def test_every_invocation_has_dynamic_extents_of_its_own():
    graph = composed(_net("x: real[6];", "a, i = positive(x); b, ~ = positive(x); y = neg(a); u = add(a, b);")).graph
    assert graph.tensors["a"].bound == (6,)
    assert graph.tensors["a"].shape == graph.tensors["i"].shape
    assert graph.tensors["a"].shape != graph.tensors["b"].shape
    assert len(graph.operations[-1].checks) == 1


def test_dynamic_extents_of_inner_operators_differ_between_invocations():
    text = _net("x: real[6];", "a = kept(x); b = kept(x); y = add(a, b);").replace(
        "graph net",
        "operator kept { @input { x: real[n]; } @output { y: real[~|n]; }\n"
        "    @compose { y, ~ = positive(x); } }\ngraph net",
    )
    graph = composed(text).graph
    assert graph.tensors["a"].shape != graph.tensors["b"].shape
    assert graph.tensors["b"].bound == (6,)


def test_dynamic_extents_within_calculations_in_reals_differ_between_invocations():
    inner = """\
operator resized {
    @input { x: real[n]; }
    @output { y: real[int(round(real(n) * 1.5))]; }
}
operator kept {
    @input { x: real[n]; }
    @output { y: real[~|2 * n]; }
    @compose { k, ~ = positive(x); y = resized(k); }
}
"""
    text = _net("x: real[6];", "a = kept(x); b = kept(x); y = add(a, b);").replace("graph net", f"{inner}graph net")
    graph = composed(text).graph
    assert graph.tensors["a"].shape != graph.tensors["b"].shape
    assert len(graph.operations[-1].checks) == 1
    resized = composed(text.replace("real[~|2 * n]", "real[int(round(real(n) * 1.5))]")).graph
    assert resized.tensors["a"].bound == (9,)


def test_branches_that_differ_have_a_bounded_extent():
    graph = flat(_net("c: bool[]; x: real[4];", "y = if c then twice(x) else neg(x);"))
    assert graph.outputs["y"].bound == (8,)
    assert graph.outputs["y"].shape[0].value is None
    (operation,) = graph.operations
    assert operation.construct == "if"
    parts = {name: [each.operator.name for each in part.operations] for name, part in operation.subgraphs.items()}
    assert parts == {"condition": [], "then": ["twice"], "else": ["neg"]}


def test_static_branches_vanish():
    text = _net("x: real[4];", "y = if big then twice(x) else neg(x);").replace(
        "graph net {", "graph net { @attrib { big: bool = true; }"
    )
    graph = flat(text)
    assert [operation.operator.name for operation in graph.operations] == ["twice"]
    assert shape(graph.outputs["y"]) == [8]


def test_scan_outputs_of_a_loop_with_a_condition_are_a_bounded_number():
    text = _net("xs: real[3]..(5); go: bool[];", "ys = for x : xs while go do neg(x);", "ys: real[3]..;")
    value = composed(text).graph.outputs["ys"]
    (run,) = value.segments
    assert isinstance(run, ItemRun)
    assert shape(run.element) == [3]
    assert bounds(run.length) == (0, 5)


def test_every_iteration_has_dynamic_extents_of_its_own():
    text = _net("xs: real[6]..(2);", "us..(2) = for x : xs do { k, ~ = positive(x); yield k; }; y = add(us[0], us[1]);")
    graph = composed(text).graph
    first, second = graph.tensors["us"].items
    assert first.shape != second.shape
    assert (first.bound, second.bound) == ((6,), (6,))
    assert len(graph.operations[-1].checks) == 1


@pytest.mark.parametrize("extent", [1, 2, 5, 9])
def test_a_dynamic_extent_stands_for_every_number(extent: int):
    """Composing with symbols, then putting numbers in their place, is composing with the numbers."""
    statements = "a = halve(x); b = twice(a); c = add(b, b); y = if true then halve(c) else c;"
    symbolic = flat(_net("x: real[s|9];", statements))
    numeric = flat(_net(f"x: real[{extent}];", statements))
    key = next(iter(symbolic.inputs["x"].shape[0].leaves)).key
    for name, tensor in numeric.tensors.items():
        other = symbolic.tensors[name]
        assert isinstance(tensor, Tensor)
        assert [evaluate(each, {key: extent}) for each in other.shape] == shape(tensor)
        assert all(each.value <= most for each, most in zip(tensor.shape, other.bound, strict=True))


STEPS = ("twice({0})", "halve({0})", "neg({0})", "add({0}, {0})")


@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=5), st.integers(1, 7))
@settings(max_examples=examples(25), deadline=None)
def test_any_chain_is_the_same_with_symbols_and_with_numbers(steps: list[str], extent: int):
    names = ["x", *(f"t{at}" for at in range(len(steps) - 1)), "y"]
    statements = " ".join(f"{names[at + 1]} = {step.format(names[at])};" for at, step in enumerate(steps))
    symbolic = flat(_net("x: real[s|7];", statements)).outputs["y"]
    numeric = flat(_net(f"x: real[{extent}];", statements)).outputs["y"]
    (extent_of,) = symbolic.shape
    assert isinstance(extent_of, Integer)
    key = next(iter(extent_of.leaves)).key
    assert [evaluate(extent_of, {key: extent})] == shape(numeric)
    assert numeric.shape[0].value <= symbolic.bound[0]


def test_tensors_that_a_loop_of_unknown_count_collects_have_extents_of_their_own():
    statements = "~, us = with t = x do..(n) { u, ~ = positive(t); yield t, u; };"
    inputs = "x: real[8]; n: int[];"
    graph = composed(_net(inputs, f"{statements} y = add(us[0], us[1]); z = add(us[0], us[0]);")).graph
    tensor = graph.tensors["us"].segments[0].element
    assert tensor.bound == (8,)
    assert graph.tensors["y"].bound == (8,)
    assert [len(operation.checks) for operation in graph.operations] == [0, 1, 0]
    # A result of another loop over the same pack has the same extent, and a change in it concerns each.
    again = composed(_net(inputs, f"{statements} vs = for u : us do neg(u); y = add(us[1], vs[1]);")).graph
    assert [len(operation.checks) for operation in again.operations] == [0, 0, 0]
    twice = composed(_net(inputs, f"{statements} vs = for u : us do twice(u); y = vs[1]; z = add(us[1], y);")).graph
    assert twice.tensors["y"].bound == (16,)
    assert [len(operation.checks) for operation in twice.operations] == [0, 0, 1]


def test_extents_that_change_in_steps_are_called_after_what_they_belong_to():
    text = _net("a: real[2];", "w = with x = a unroll..(k) twice(x);", "w: real;")
    graph = composed(text.replace("graph net {", "graph net { @attrib { k: int; }")).graph
    assert [str(extent) for extent in graph.outputs["w"].shape] == ["w.shape[0]"]
