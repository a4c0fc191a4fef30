"""What only the run can decide about shapes of results is noted in the model (2.6.1), and what follows relies on it."""

from __future__ import annotations

import pytest

from support.analysis.composing import composed, flat, shape

OPERATORS = """\
operator pos {
    @input { x: real[n]; }
    @output { y: real[k|n]; at: int[k|n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; at[k,] = i, i < n | x[i,] > 0.0; }
}
operator neg {
    @input { x: real[s..(d)]; }
    @output { y: real[s..]; }
    @lower { y[i..] = -x[i..], i < s; }
}
operator add {
    @input { x: real[s..(d)]; y: real[s..]; }
    @output { z: real[s..]; }
    @lower { z[i..] = x[i..] + y[i..], i < s; }
}
operator same { @input { x: real[n]; } @output { y: real[n]; } @compose { y, ~ = pos(x); } }
"""
NET = (
    """graph net {{
    @attrib {{ n: int; m: int; }}
    @input {{ a: real[4]; b: real[s|4]; c: real[t|4]; p: bool[u|3]; q: bool[]; count: int[]; as: real[4]..(n);
              bs: real[4]..(m); cs: real[4]..(3); }}
    @output {{ y: real[4]; z: real[~|4]; }}
    @variable {{ v: real[4]; }}
    @compose {{ {0} }}
    @update {{ {1} }}
}}
""".replace("as:", "first:")
    .replace("bs:", "second:")
    .replace("cs:", "third:")
)

CHECKS = {
    "y, ~ = pos(a); z = neg(y);": "k == 4",
    "y = neg(b); z = b;": "s == 4",
    "y = b; z = b;": "s == 4",
    "r: real[4], ~ = pos(a); z = neg(r); y = a;": "k == 4",
    "r: real[4] = if q then neg(b) else a; z = neg(r); y = a;": "r.shape[0] == 4",
    "z = with x = a do..(2) { r, ~ = pos(x); yield r; }; y = a;": "k == 4",
    "z = with x: real[4] = b do..(2) neg(x); y = a;": "s == 4",
    "z = with x = b do..(2) neg(c); y = a;": "s == t",
    "z = if p then neg(a) else a; y = a;": "u == 1",
    "z = with x = a while p do neg(x); y = a;": "u == 1",
    "r..(n) = for x : third do..(n) neg(x); z = a; y = a;": "n >= 0, n < 4",
    "r.. = for x : third do..(count) neg(x); z = a; y = a;": "count < 4",
    "r..(n) = for x : first, w : second do add(x, w); z = a; y = a;": "m == n",
    "r..(n) = for x : second do neg(x); z = a; y = a;": "m == n",
}


@pytest.mark.parametrize("statements", CHECKS)
def test_undecided_checks_are_noted_once_at_their_place(statements: str):
    text = OPERATORS + NET.format(statements, "v = a;")
    composition = composed(text)
    assert not composition.failures
    checks = composition.graph.checks
    assert ", ".join(str(check.condition) for check in checks) == CHECKS[statements]
    assert all(check.place.definition == "net" and check.message for check in checks)
    if "p then" not in statements:
        assert shape(composition.graph.outputs["y"]) == ([4] if statements != "y = b; z = b;" else ["s"])
    for name in ("r", "z"):
        if "4]" in CHECKS[statements]:
            assert shape(composition.graph.tensors[name]) == [4]


def test_what_follows_a_declared_extent_has_it():
    graph = composed(OPERATORS + NET.format("r: real[4], ~ = pos(a); z = neg(r); y = r;", "v = a;")).graph
    assert [shape(graph.tensors[name]) for name in ("r", "z", "y")] == [[4]] * 3
    produced = {id(output) for operation in graph.operations for output in operation.outputs}
    assert all(id(tensor) in produced for name, tensor in graph.tensors.items() if name in ("r", "z", "y"))
    looping = composed(OPERATORS + NET.format("z = with x: real[4] = b do..(2) neg(x); y = z;", "v = a;")).graph
    assert shape(looping.outputs["z"]) == [4]


def test_updates_and_outputs_of_operators_are_checked():
    graph = composed(OPERATORS + NET.format("y = same(a); z = y;", "v = b;")).graph
    assert [str(check.condition) for check in graph.checks] == ["s == 4"]
    assert shape(graph.outputs["y"]) == [4]
    (check,) = graph.operations[0].body.checks
    assert (str(check.condition), check.place.definition) == ("k == 4", "same")
    everything = flat(OPERATORS + NET.format("y = same(a); z = y;", "v = b;"))
    assert [str(check.condition) for check in everything.checks] == ["s == 4", "k == 4"]


def test_declared_bounds_leave_extents_as_they_are():
    graph = composed(OPERATORS + NET.format("y = a; z = neg(b);", "v = a;")).graph
    assert shape(graph.outputs["z"]) == ["s"]
    assert not graph.checks


def test_trials_of_a_body_note_nothing():
    statements = "y = a; z = with x = a unroll..(n) { r: real[4], ~ = pos(x); yield r; };"
    checks = composed(OPERATORS + NET.format(statements, "v = a;")).graph.checks
    assert [str(check.condition) for check in checks] == ["n >= 0", "k == 4"]
