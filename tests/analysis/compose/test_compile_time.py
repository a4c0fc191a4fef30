"""Attributes that have no value yet: compile time decides what is asked of them, so nothing is decided now (2.4)."""

from __future__ import annotations

import pytest

from support.analysis.composing import NEG, TWICE, composed, shape

_OWN = """\
operator fixed {
    @input { x: real[static n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
operator chosen {
    @attrib { n: int; m: int; s: str; ks: int..(d); }
    @input { x: real[4]; z: real[t..(d)]; }
    @output { y: real[~|8]; }
    @compose { y = if %s then twice(x) else neg(x); }
}
"""
OPERATORS = NEG + TWICE + _OWN
DIRECT = """\
graph net {
    @attrib { n: int; m: int; s: str; ks: int..(2); }
    @input { x: real[4]; z: real[~|9 ..(2)]; }
    @output { y: real[~|8]; }
    @compose { y = if %s then twice(x) else neg(x); }
}
"""
INVOKED = """\
graph net {
    @attrib { n: int; m: int; s: str; ks: int..(2); }
    @input { x: real[4]; z: real[~|9 ..(2)]; }
    @output { y: real[~|8]; }
    @compose { y = chosen{n=n, m=m, s=s, ks=ks}(x, z); }
}
"""
OPEN = (
    "n is 1", "n == 1", "2 * n is m + 1", "ks[0] is ks[1]", "s is 'a'", "(ks := ..) is 2", "n is x.shape[0]",
    "((ks := ..) ?? 0) is 2", "real(n) is 1.0", "n / 2 is m", "(ks * ..) is 6", "'{n}' is '1'",
)  # fmt: skip
DECIDED = ("z.shape[0] is z.shape[1]", "z.shape[0] is 3", "?(z.shape := ..)")


@pytest.mark.parametrize("net", [DIRECT, INVOKED], ids=["direct", "invoked"])
@pytest.mark.parametrize("condition", OPEN)
def test_identity_of_attributes_without_a_value_is_open(condition: str, net: str):
    text = (OPERATORS % (condition if net is INVOKED else "true")) + (net % condition if net is DIRECT else net)
    composition = composed(text)
    assert not composition.failures
    (extent,) = composition.graph.outputs["y"].shape
    assert extent.value is None
    assert composition.graph.outputs["y"].bound == (8,)


@pytest.mark.parametrize("condition", DECIDED)
def test_identity_of_what_only_the_run_tells_is_decided(condition: str):
    text = (OPERATORS % "true") + DIRECT % condition
    assert shape(composed(text).graph.outputs["y"]) == [4]


@pytest.mark.parametrize("value", ["", " = 3"])
def test_an_attribute_without_a_value_is_static(value: str):
    text = (OPERATORS % "true") + (
        "graph net { @attrib { n: int%s; } @input { x: real[n]; } @output { y: real[n]; } @compose { y = fixed(x); } }"
    )
    assert not composed(text % value).failures
