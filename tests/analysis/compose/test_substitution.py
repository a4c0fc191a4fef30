"""Composing with symbols, then putting numbers in their place, is composing with the numbers: control flow (2.10.1)."""

from __future__ import annotations

import time
from collections.abc import Hashable
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snd_analysis.compose.dynamic import Dynamic
from snd_analysis.model import Graph, Tensor
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import substitute
from support.analysis.composing import NEG, TWICE, composed, shape
from support.sampling import examples

_OWN = """\
operator halve {
    @input { x: real[n]; }
    @output { y: real[(n + 1) / 2]; }
    @lower { y[i,] = x[2 * i,], i < (n + 1) / 2; }
}
operator pad {
    @attrib { by: int; }
    @input { x: real[n]; }
    @output { y: real[n + by]; }
    @lower { y[i,] = 0.0, i < n + by; }
}
operator add {
    @input { x: real[n]; y: real[n]; }
    @output { z: real[n]; }
    @lower { z[i,] = x[i,] + y[i,], i < n; }
}
"""
OPERATORS = NEG + TWICE + _OWN


def _net(attributes: str, extent: str, statements: str) -> Graph:
    text = (
        f"{OPERATORS}graph net {{ @attrib {{ {attributes} }} @input {{ x: real[{extent}]; c: bool[]; }} "
        f"@output {{ y: real; }} @compose {{ {statements} }} }}"
    )
    composition = composed(text)
    assert not composition.failures, [failure.message for failure in composition.failures]
    assert composition.graph is not None
    return composition.graph


def _leaves(graph: Graph) -> dict[str, Hashable]:
    """The symbols of a graph by name, but for those that only the run tells."""
    tensors = [tensor for tensor in graph.tensors.values() if isinstance(tensor, Tensor)]
    return {
        leaf.name: leaf.key
        for tensor in tensors
        for extent in tensor.shape or ()
        for leaf in extent.leaves
        if not isinstance(leaf.key, Dynamic)
    }


def _agrees(symbolic: Graph, numeric: Graph, numbers: dict[str, int], exactly: bool = False) -> None:
    """Assert that each extent is the expected number; a dynamic one may be any within its bounds."""
    values = {key: numbers[name] for name, key in _leaves(symbolic).items() if name in numbers}
    for name, tensor in numeric.tensors.items():
        if not isinstance(tensor, Tensor) or name not in symbolic.tensors:
            continue
        other = symbolic.tensors[name]
        assert isinstance(other, Tensor)
        if other.shape is None and not exactly:
            continue
        assert tensor.shape is not None
        assert other.shape is not None
        assert len(tensor.shape) == len(other.shape)
        for found, wanted in zip(other.shape, tensor.shape, strict=True):
            put_in = substitute(found, values)
            if exactly and wanted.value is not None and not any(isinstance(leaf.key, Dynamic) for leaf in found.leaves):
                assert put_in == wanted, (name, str(found), str(wanted))
            low, high = shapes.bounds(put_in)
            for value in _some_values(wanted):
                assert low is None or low <= max(value, 0), (name, str(found), str(wanted))
                assert high is None or value <= high, (name, str(found), str(wanted))


def _some_values(extent: Integer) -> list[int]:
    """Return the values of an extent for some numbers of its symbols: its bounds may be wider than these."""
    rows = [
        range(max(leaf.low if leaf.low is not None else -3, -3), min(leaf.high or 9, 9) + 1) for leaf in extent.leaves
    ]
    keys = [leaf.key for leaf in extent.leaves]
    found = (shapes.evaluate(extent, dict(zip(keys, numbers, strict=True))) for numbers in product(*rows))
    return list(islice(found, 500))


STEPS = ("twice({0})", "halve({0})", "neg({0})", "pad{{by=S}}({0})", "pad{{by=3}}({0})")
CONDITIONS = ("S > 1", "S == 2", "S is 2", "S % 2 == 0", "x.shape[0] > 3", "S < x.shape[0]", "S > 0 && S < 3")


@st.composite
def _branch(draw: st.DrawFn) -> str:
    step = st.sampled_from(STEPS)
    cases = draw(st.lists(st.tuples(st.sampled_from(CONDITIONS), step), min_size=1, max_size=2))
    written = " elif ".join(f"{condition} then {value}" for condition, value in cases)
    return f"if {written} else {draw(step)}"


@given(
    st.lists(st.one_of(_branch(), st.sampled_from(STEPS)), min_size=1, max_size=3), st.integers(0, 3), st.integers(1, 6)
)
@settings(max_examples=examples(30), deadline=None)
def test_branches_by_compile_time_conditions(steps: list[str], number: int, extent: int):
    names = ["x", *(f"t{at}" for at in range(len(steps) - 1)), "y"]
    statements = " ".join(f"{names[at + 1]} = {step.format(names[at])};" for at, step in enumerate(steps))
    symbolic = _net("S: int;", "s|6", statements)
    _agrees(symbolic, _net(f"S: int = {number};", str(extent), statements), {"S": number, "s": extent}, exactly=True)
    _agrees(symbolic, _net("S: int;", str(extent), statements), {"s": extent})


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_a_branch_that_only_the_run_decides_among_others(number: int):
    statements = "y = if S > 2 then twice(x) elif c then halve(x) elif S == 1 then x else neg(x);"
    symbolic = _net("S: int;", "5", statements)
    assert symbolic.outputs["y"].bound == (10,)
    _agrees(symbolic, _net(f"S: int = {number};", "5", statements), {"S": number}, exactly=True)


def test_many_branches_one_after_the_other_are_quick():
    chain = " ".join(f"t{at + 1} = if S > {at} then pad{{by=S}}(t{at}) else halve(t{at});" for at in range(40))
    start = time.process_time()
    graph = _net("S: int;", "5", f"t0 = x; {chain} y = t40;")
    assert len(shape(graph.outputs["y"])) == 1
    assert time.process_time() - start < 60


def _unrolled(count: str, steps: list[str], index: str = "") -> str:
    names = ["z", *(f"t{at}" for at in range(len(steps)))]
    body = " ".join(f"{names[at + 1]} = {step.format(names[at])};" for at, step in enumerate(steps))
    return f"y = with z = x unroll{index}..({count}) {{ {body} yield {names[-1]}; }};"


@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=3), st.integers(0, 4), st.integers(1, 5))
@settings(max_examples=examples(30), deadline=None)
def test_unrolled_loops_of_a_symbolic_count(steps: list[str], number: int, extent: int):
    statements = _unrolled("S", steps)
    symbolic = _net("S: int;", "s|6", statements)
    affine = all(not step.startswith(("twice", "halve")) for step in steps)
    numeric = _net(f"S: int = {number};", str(extent), statements)
    _agrees(symbolic, numeric, {"S": number, "s": extent}, exactly=affine)
    if affine:
        assert not any(isinstance(leaf.key, Dynamic) for leaf in symbolic.outputs["y"].shape[0].leaves)


@pytest.mark.parametrize("number", [0, 1, 3])
def test_an_extent_that_grows_by_a_constant_has_a_closed_form(number: int):
    statements = "y, ~ = with z = x, w = x unroll..(S) { a = pad{by=2}(z); b = add(w, w); yield a, b; };"
    symbolic = _net("S: int;", "s|6", statements)
    _agrees(symbolic, _net(f"S: int = {number};", "4", statements), {"S": number, "s": 4}, exactly=True)


def test_an_extent_that_another_changing_one_is_added_to_is_unknown():
    statements = "y, ~ = with z = x, w = x unroll..(S) { a = pad{by=w.shape[0]}(z); b = pad{by=1}(w); yield a, b; };"
    symbolic = _net("S: int;", "4", statements)
    (extent,) = symbolic.outputs["y"].shape
    assert any(isinstance(leaf.key, Dynamic) for leaf in extent.leaves)
    for number in (0, 1, 3):
        _agrees(symbolic, _net(f"S: int = {number};", "4", statements), {"S": number})
