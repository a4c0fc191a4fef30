"""Where failures of composing are reported, and what they say of symbols and bounds (2.6, 2.9)."""

from __future__ import annotations

import pytest

from support.analysis.composing import MAIN, composed
from support.memory import snapshot_of

OPERATORS = """\
import layout; import math; import nn;
operator least {
    @attrib { m: int = 1; }
    @input { x: real[n]; z: real[o]; }
    @output { y: real[n]; }
    @using { more = 2 * n; }
    @assert { n > 2: "too small {n}"; more > 4 * m: "{more} for {m}", m; o >= n; }
    @lower { y[i,] = x[i,], i < n; }
}
operator same { @input { x: real[s]; y: real[s]; } @output { z: real[s]; } @lower { z[i,] = x[i,], i < s; } }
operator neg { @input { x: real[s..(d)]; } @output { y: real[s..]; } @lower { y[i..] = -x[i..], i < s; } }
operator twice { @input { x: real[n]; } @output { y: real[2 * n]; } @lower { y[i,] = x[0,], i < 2 * n; } }
operator grow {
    @attrib { by: int; } @input { x: real[n]; } @output { y: real[n + by]; } @lower { y[i,] = x[0,], i < n + by; }
}
"""


def _found(attributes: str, inputs: str, statement: str) -> list[tuple[str, str, str]]:
    text = (
        f"{OPERATORS}graph net {{ @attrib {{ {attributes} }} @input {{ {inputs} }} @output {{ r: real; }} "
        f"@compose {{ r = {statement}; }} }}"
    )
    found = []
    for each in snapshot_of({MAIN: text}).diagnostics(MAIN):
        if each.severity != "hint":
            span = each.location.span
            found.append((each.rule, text[span.start : span.end], each.message))
    return found


FAILURES = {
    ("", "a: real[s|2]; b: real[9];", "least(a, b)"): (
        "assertion-fails", "a", "too small s (s ≤ 2), as 'least' demands",
    ),
    ("", "a: real[2]; b: real[9];", "least(a, b)"): ("assertion-fails", "a", "too small 2, as 'least' demands"),
    ("", "a: real[3]; b: real[9];", "least{m = 7}(a, b)"): (
        "assertion-fails", "m = 7", "6 for 7 (m = 7), as 'least' demands",
    ),
    ("", "a: real[3]; b: real[2];", "least(a, b)"): (
        "assertion-fails", "least", "'o >= n' does not hold (o = 2, n = 3), as 'least' demands",
    ),
    ("", "a: real[s|4,7,5]; b: real[6];", "math.mul(a, b)"): (
        "assertion-fails", "math.mul", "'x' and 'y' cannot be broadcast together: their shapes [s, 7, 5] and [6] ",
    ),
    ("", "a: real[1,1,4,4];", "nn.max_pool{size = [7, 7], padding = 0}(a)"): (
        "assertion-fails", "a", "the padded input must not be smaller than the dilated window",
    ),
    ("", "a: real[7]; b: real[s|5];", "same(a, b)"): (
        "argument-shape", "b", "the extent 's' of 'y', which is 7 by the input 'x', but this is 'real[s]', "
        "with 's' of 'b', which is at most 5,",
    ),
    ("", "a: real[2,3]; b: real[3,4];", "layout.concat{axis = 0}([a, b])"): ("argument-shape", "b", "with 4 there"),
    ("k: int = -4;", "a: real[s|k];", "neg(a)"): ("negative-extent", "k", "can't be negative, but 'k' is -4"),
    ("k: int = -4;", "a: real[~|k];", "neg(a)"): ("negative-extent", "k", "can't be negative, but 'k' is -4"),
    ("k: int = -4;", "a: real[~|3 ..(k)];", "neg(a)"): ("negative-extent", "k", "can't be negative, but 'k' is -4"),
    ("", "a: real[2];", "grow{by = -9}(a)"): ("negative-extent", "by = -9", "comes to [-7]"),
    ("k: int = -2;", "a: real[2];", "with x = a do..(k) neg(x)"): ("loop-count", "k", "but this is -2"),
    ("k: int = -2;", "a: real[2];", "with x = a unroll..(k) neg(x)"): ("loop-count", "k", "but this is -2"),
    ("", "a: real[2];", "with x = a unroll..(a.shape[0] - 4) neg(x)"): ("loop-count", "a.shape[0] - 4", "is -2"),
}  # fmt: skip


@pytest.mark.parametrize("program", FAILURES)
def test_one_failure_at_what_is_responsible(program: tuple[str, str, str]):
    rule, place, message = FAILURES[program]
    (found,) = _found(*program)
    assert found[:2] == (rule, place)
    assert message in found[2]


def test_bounds_are_named_only_where_they_decide():
    ((_, _, message),) = _found("", "a: real[s|2]; b: real[s];", "least{m = 0}(a, b)")
    assert "s ≤ 2" in message
    ((_, _, message),) = _found("", "a: real[s + 3|9]; b: real[s];", "least(a, b)")
    assert "≤" not in message


def test_extents_that_change_in_steps_are_called_after_what_they_belong_to():
    text = (
        f"{OPERATORS}graph net {{ @attrib {{ k: int; }} @input {{ a: real[2]; }} @output {{ w: real; }} "
        "@compose { w = with x = a unroll..(k) twice(x); } }"
    )
    assert [str(extent) for extent in composed(text).graph.outputs["w"].shape] == ["w.shape[0]"]
