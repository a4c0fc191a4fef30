"""Visibility of names in blocks (2.2, 2.5 to 2.14): every kind of name, tried in every place."""

from __future__ import annotations

import pytest

from support.memory import check, shown

OPERATOR = """\
import layout;

operator op {{
    @dtype {{ T: num; }}
    @attrib {{ a: int; probe_attrib: int = {attrib}; }}
    @input {{ x: real[n, e..(d)]; z: T^(r)[g..(r)]; }}
    @using {{ u = n + 1; probe_using = {using}; later = 2; }}
    @constant {{ c: real[n] = 1.0; probe_constant: real[{constant}] = 1.0; }}
    @variable {{ v: real[n]; probe_variable: real[{variable}]; }}
    @output {{ y: real[n]; probe_output: real[{output}]; }}
    @assert {{ {asserted} > 0; }}
    @lower {{
        with w = i + 1: y[i,] = x[i, 0] + real({lower}), i < n;
        probe_output[j,] = 1.0, j < {bound};
    }}
}}
"""

VISIBLE = {
    "attrib": "a n d r g e x",
    "using": "a n d r g e x u",
    "constant": "a n d r g e x u later",
    "variable": "a n d r g e x u later c",
    "output": "a n d r g e x u later c v",
    "asserted": "a n d r g e x u later c v y",
    "lower": "a n d r g e x u later c v y i w",
    "bound": "a n d r g e x u later c v y",
}
"""The names that each block sees."""

NAMES = {
    **{name: name for name in ["a", "n", "d", "r", "u", "i", "w", "later"]},
    "e": "(e + ..)",
    "g": "(g + ..)",
    **{name: f"{name}.rank" for name in ["x", "c", "v", "y"]},
}
"""Each name in an int expression."""


@pytest.mark.parametrize("block", VISIBLE)
@pytest.mark.parametrize("name", NAMES)
def test_names_in_an_operator(block: str, name: str):
    source = OPERATOR.format(**{**dict.fromkeys(VISIBLE, "1"), block: NAMES[name]})
    found = [item for item in check({"ops.sknd": source})["ops.sknd"] if not item.rule.name.startswith("unused-")]
    about = [item for item in found if f"'{name}'" in item.message]
    if name in VISIBLE[block].split():
        assert about == [], [item.message for item in about]
        return
    assert len(about) == 1, [item.message for item in found]
    assert about[0].rule.name in ("undefined-name", "not-visible", "used-before-definition")
    assert source[about[0].location.span.start : about[0].location.span.end].startswith(name)


GRAPH = """\
import math;

operator small {{
    @attrib {{ k: int; }}
    @input {{ x: real[s..]; }}
    @output {{ y: real[s..]; }}
    @assert {{ k > 0; }}
}}

operator coarse {{
    @attrib {{ k: int; }}
    @input {{ x: real[s..]; }}
    @output {{ y: real[s..]; }}
    @assert {{ k > 0; }}
}}

graph net {{
    @attrib {{ a: int = 1; }}
    @input {{ x: real[4]; }}
    @using {{ u = 2; }}
    @constant {{ c: real[4] = 1.0; }}
    @variable {{ v: real[4]; }}
    @output {{ y: real[4]; z: real[4]; }}
    @compose {{
        t = small{{k = 1}}({before});
        y = label: small{{k = 1}}({middle});
        p = {{
            b = x + 1.0;
            yield b * {inner};
        }};
        q = with s = x do..(i -> 3) {{
            s2 = s + 1.0;
            yield s2;
        }};
        z = small{{k = 1}}({after});
    }}
    @update {{
        o = x + {update};
        v = o + 1.0;
    }}
}}
"""

GRAPH_VISIBLE = {
    "before": "x c v",
    "middle": "x c v t",
    "inner": "x c v t y b",
    "after": "x c v t y p q",
    "update": "x c v t y p q z",
}


@pytest.mark.parametrize("place", GRAPH_VISIBLE)
@pytest.mark.parametrize("name", ["x", "c", "v", "t", "y", "b", "p", "q", "s", "s2", "i", "z", "o", "label"])
def test_tensors_in_a_graph(place: str, name: str):
    source = GRAPH.format(**{**dict.fromkeys(GRAPH_VISIBLE, "x"), place: name})
    found = [item for item in check({"main.sknd": source})["main.sknd"] if not item.rule.name.startswith("unused-")]
    about = [item for item in found if f"'{name}'" in item.message]
    if name in GRAPH_VISIBLE[place].split():
        assert about == [], shown({"main.sknd": about}, {"main.sknd": source})
        return
    assert len(about) == 1, shown({"main.sknd": found}, {"main.sknd": source})
    assert about[0].rule.name in ("undefined-name", "not-visible", "used-before-definition")


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1), (1, 3, 0, 2)])
def test_the_order_of_blocks_means_nothing(order: tuple[int, ...]):
    blocks = [
        "@attrib { a: int = n; }",
        "@input { x: real[n]; }",
        "@using { u = a + 1; }",
        "@output { y: real[u]; }",
    ]
    body = "".join(f"    {blocks[at]}\n" for at in order)
    source = f"operator op {{\n    @lower {{ y[i,] = x[i % n,], i < u; }}\n{body}}}\n"
    assert check({"ops.sknd": source}) == {"ops.sknd": []}


def test_a_block_may_hide_a_name_and_so_may_one_inside_it():
    source = """\
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose {
        t = math.exp(x);
        y = {
            t = math.exp(t);
            u = {
                t = math.exp(t);
                yield t;
            };
            v = math.add(t, u);
            yield v;
        };
    }
}
"""
    assert check({"main.sknd": source}) == {"main.sknd": []}
