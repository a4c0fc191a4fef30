"""Order of completions: items of the right type first, then near ones; and never invalid ones."""

from __future__ import annotations

import pytest

from snd_analysis.ide.completion import Completion, CompletionKind, completions
from support.memory import snapshot_of

OPERATOR = """operator f {
    @attrib { hidden: int; slope: real = 0.5; mask: bool = true; mode: str = 'a'; sizes: int..(m); %(attrib)s }
    @input { x: real[b, c]; w: int[c]; on: bool[b]; }
    @output { y: real[b, c]; }
    @using { total = hidden + 1; other = mode == 'b'; %(using)s }
    @assert { %(assert)s }
    @lower { %(lower)s }
}
"""
GRAPH = """import math;
operator f {
    @attrib { flag: bool; number: int = 1; sizes: int.. = [1]; }
    @input { x: real[n]; }
    @output { z: real[n]; }
    @lower { z[i,] = x[i,], i < n; }
}
operator scale {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @variable { weight: real[n] = 0.0; }
    @compose { y = inner: math.mul(x, weight); }
}
operator net {
    @attrib { hidden: int; mask: bool = true; mode: str = 'a'; keys: int..(m); }
    @input { x: real[b]; count: int[]; condition: bool[]; xs: real[b]..(q); }
    @output { y: real[b]; }
    @compose { %(compose)s }
    @quantize { %(quantize)s }
}
"""


def offered(template: str, **blocks: str) -> list[Completion]:
    """Return the completions at the bar; the other blocks are empty."""
    empty = dict.fromkeys(("attrib", "using", "assert", "lower", "compose", "quantize"), "")
    text = template % {**empty, **blocks}
    at = text.index("│")
    return [*completions(snapshot_of({"main.sknd": text.replace("│", "")}), "main.sknd", at).items]


def names(template: str, **blocks: str) -> list[str]:
    """Return the completions that the definition declares."""
    return [
        item.label for item in offered(template, **blocks)
        if item.kind in (CompletionKind.NAME, CompletionKind.TENSOR, CompletionKind.VALUE)
    ]  # fmt: skip


# ---- conditions begin with anything ----------------------------------------------------------------------------------
def test_an_assertion_begins_with_what_it_compares():
    labels = names(OPERATOR, **{"assert": "│"})
    assert {labels[0], labels[1]} == {"mask", "other"}
    assert labels.index("hidden") < labels.index("true")
    assert "hidden" in names(OPERATOR, **{"assert": "hid│"})
    assert "hidden" in names(OPERATOR, **{"assert": "slope > 0.0 && hid│"})


def test_the_condition_of_a_branch_begins_with_what_it_compares():
    labels = names(GRAPH, compose="y = if │")
    assert {*labels[:2]} == {"condition", "mask"}
    assert labels.index("hidden") < labels.index("true")
    assert names(GRAPH, compose="y = if k│")[0] == "keys"


def test_an_attribute_begins_with_a_value_of_another_type():
    assert names(GRAPH, compose="y = f{flag=hid│}(x);") == ["hidden"]
    labels = names(GRAPH, compose="y = f{flag=│}(x);")
    assert labels[:3] == ["mask", "true", "false"]
    assert "hidden" in labels
    assert names(GRAPH, compose="y = f{number=│}(x);")[0] != "keys"
    assert names(GRAPH, compose="y = f{sizes=│}(x);")[0] == "keys"


def test_a_loop_runs_as_often_as_a_tensor_says():
    assert names(GRAPH, compose="y = with s = x do..(cou│") == ["count"]
    assert "condition" not in names(GRAPH, compose="y = with s = x do..(│")


# ---- type before nearness --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("written", "fits"),
    [
        ("hidden > │", {"total", "c", "b", "m", "sizes", "hidden"}),
        ("x.shape[0] * │", {"total", "c", "b", "m", "sizes", "hidden"}),
        ("2 + -│", {"total", "c", "b", "m", "sizes", "hidden"}),
        ("slope > │", {"slope", "inf", "pi"}),
        ("mode == │", {"'a'", "'b'", "mode"}),
        ("!│", {"mask", "other", "true", "false"}),
        ("real(hidden) < │", {"slope", "inf", "pi"}),
        ("hidden in │", {"sizes"}),
        ("abs(slope) < │", {"slope", "inf", "pi"}),
    ],
)
def test_beside_an_operator_stands_what_it_takes(written: str, fits: set[str]):
    assert {*names(OPERATOR, **{"assert": written})} == fits


def test_strings_that_are_compared_with_stand_first():
    assert names(OPERATOR, **{"assert": "mode == │"})[:2] == ["'a'", "'b'"]
    assert names(OPERATOR, **{"assert": "mode in [│]"})[:2] == ["'a'", "'b'"]


def test_a_default_does_not_read_what_it_is_of():
    labels = names(OPERATOR, attrib="k: int = │")
    assert "k" not in labels
    assert labels.index("hidden") < labels.index("slope")


def test_a_formula_begins_with_what_has_the_type_of_its_output():
    labels = names(OPERATOR, lower="y[i, j] = │")
    assert labels[0] == "x"
    assert "y" not in labels
    assert labels.index("slope") < labels.index("hidden")
    assert {*names(OPERATOR, lower="y[i, j] = x[i, j] * │")} == {"x", "slope", "inf", "pi"}
    assert names(OPERATOR, lower="y[i, j] = x[│")[0] in ("i", "j")
    assert names(OPERATOR, lower="with t = x[0, 0]: y[i, j] = t│")[0] == "t"
    assert names(OPERATOR, lower="y[i, j] = x[i, j], i < b | │")[0] in ("on", "other", "mask")


def test_no_tensor_stands_in_an_index_of_a_composition():
    for written in ("y = xs[│", "y = x.shape[│"):
        items = offered(GRAPH, compose=written)
        assert not [item.label for item in items if item.kind is CompletionKind.TENSOR]
        assert "hidden" in [item.label for item in items[:7]]
    assert "condition" not in names(GRAPH, compose="y = if mode == │")


# ---- behind complete expressions -------------------------------------------------------------------------------------
@pytest.mark.parametrize("written", ["mask │", "hidden > 0 │", "hidden > 0 │\n    ", "hidden │;"])
def test_behind_an_operand_stand_operators(written: str):
    assert [item.label for item in offered(OPERATOR, **{"assert": written})] == ["in", "is"]


def test_behind_a_formula_stands_no_other():
    assert [item.label for item in offered(OPERATOR, lower="y[i,] = x[i,] │")] == ["in", "is"]
    assert "y" in names(OPERATOR, lower="y[i,] = x[i,]; │")
    assert "y" in names(OPERATOR, lower="y[i,] = x[i,]\n        │")


# ---- scoped names ----------------------------------------------------------------------------------------------------
def test_tensors_below_a_label_are_quantized():
    found = {item.label: item for item in offered(GRAPH, compose="y = s: scale(x);", quantize="s.│")}
    assert found["weight"].kind is CompletionKind.TENSOR
    assert found["weight"].detail == "variable of scale"
    assert found["inner"].kind is CompletionKind.LABEL
    assert "x" not in found, "of an operator that is not public only variables and constants have names"
    assert [item.label for item in offered(GRAPH, compose="y = s: scale(x);", quantize="s.wei│: ")] == ["weight"]
    assert not offered(GRAPH, compose="y = s: scale(x);", quantize="t.│")


def test_what_quantizes_makes_one_tensor_of_another():
    labels = [item.label for item in offered(GRAPH, compose="y = s: scale(x);", quantize="s.weight: │")]
    assert "math.abs" in labels
    assert "math.add" not in labels


def test_bounds_stand_behind_a_formula_and_not_among_local_values():
    assert not offered(OPERATOR, lower="with a = x[i, 0], │")
    assert names(OPERATOR, lower="y[i, j] = x[i, j], │") == ["i", "j"]


# ---- compositions ----------------------------------------------------------------------------------------------------
def test_several_results_are_those_of_an_operator():
    items = offered(GRAPH, compose="y, t = │")
    assert "math.moments" in [item.label for item in items]
    assert not {"x", "hidden", "scale", "math.abs", "abs"} & {item.label for item in items}


def test_nothing_is_computed_with_what_an_operator_gives():
    assert not offered(GRAPH, compose="y = scale(x) │")
    assert [item.label for item in offered(GRAPH, compose="y = if mask then scale(x) │")] == ["elif", "else"]
    assert [item.label for item in offered(GRAPH, compose="y = if mode │")] == ["in", "is", "then"]


def test_types_of_a_generic_operator():
    head = "operator cast { @dtype { T: type; } @input { x: T[n]; } @output { y: T[n]; } @compose { y = x; } }\n"
    labels = [item.label for item in offered(head + GRAPH, compose="y = cast<│")]
    assert labels == ["int", "real", "bool", "str"]
    assert "hidden" in names(head + GRAPH, compose="y = if hidden < │")


@pytest.mark.parametrize(
    ("using", "first"),
    [
        ("k = mask ? slope : │", "slope"), ("k = slope ?? │", "slope"), ("k = [slope, │]", "slope"),
        ("k = sqrt(│", "slope"),
    ],
)  # fmt: skip
def test_values_side_by_side_have_one_type(using: str, first: str):
    labels = names(OPERATOR, using=using)
    assert labels[0] == first
    assert labels.index("slope") < labels.index("hidden")
