"""What a loop without iterations collects has no tensors, but what these would be is known."""

from __future__ import annotations

import pytest

from support.analysis.composing import composed, shape

TEXT = """
import layout, math;
operator all {{ @input {{ xs: real[m]..(k); }} @output {{ ys: real[m]..(k); }}
    @compose {{ ys..(k) = for x : xs do math.neg(x); }} }}
graph net {{
    @attrib {{ n: int = {count}; }}
    @input {{ x: real[3]; xs: real[3]..(0); }}
    @output {{ y: real[~|9, 3]; }}
    @compose {{ {statements} y = layout.stack{{axis=0}}(ys); }}
}}
"""

STATEMENTS = {
    "do": "~, ys..(n) = with t = x do..(n) {{ u = math.neg(t); yield u, u; }};",
    "unroll": "~, ys..(n) = with t = x unroll..(n) {{ u = math.neg(t); yield u, u; }};",
    "one after the other": "~, us..(n) = with t = x do..(n) {{ u = math.neg(t); yield u, u; }};"
    " ys..(n) = for u : us do math.neg(u);",
    "through an operator": "~, us..(n) = with t = x do..(n) {{ u = math.neg(t); yield u, u; }}; ys..(n) = all(us);",
}


@pytest.mark.parametrize("name", STATEMENTS)
@pytest.mark.parametrize("count", [0, 2])
def test_stacks_of_what_is_collected(name: str, count: int) -> None:
    statements = STATEMENTS[name].replace("{{", "{").replace("}}", "}")
    composition = composed(TEXT.format(count=count, statements=statements))
    assert not composition.failures, composition.failures[0].message
    assert composition.graph is not None
    assert shape(composition.graph.outputs["y"]) == [count, 3]


@pytest.mark.parametrize("statements", ["ys..(0) = for t : xs do math.neg(t);", "ys..(0) = all(xs);", "ys..(0) = xs;"])
def test_a_pack_that_is_declared_empty(statements: str) -> None:
    composition = composed(TEXT.format(count=0, statements=statements))
    assert not composition.failures, composition.failures[0].message
    assert composition.graph is not None
    assert shape(composition.graph.outputs["y"]) == [0, 3]
