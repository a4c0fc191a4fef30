"""``snd shapes`` on branches, loops and updates: their contents are listed, with their reads and costs."""

from __future__ import annotations

import pytest

from support.server.shapes_output import read

HEAD = """\
import nn;
import math;
import layer;

operator scaled {
    @input { x: real[b, c]; }
    @variable { w: real[c, c]; }
    @output { y: real[b, c]; }
    @compose { y = nn.linear(x, w); }
}

graph part {
    @input { z: real; }
    @output { w: real; }
    @compose { u = nn.relu(z); w = math.add(u, z); }
}
"""
INPUTS = "x: real[2, 4]; c: bool[]; k: int[]; n: int[]; xs: real[2, 4]..(3); wide: real[s|10, 4];"


@pytest.fixture
def shapes(project, real):
    """The output for a graph with these statements."""

    def run(compose: str, outputs: str = "y: real;", update: str = "", *arguments: str):
        update = f"    @update {{ {update} }}\n" if update else ""
        (project / "main.sknd").write_text(
            f"{HEAD}\ngraph net {{\n    @input {{ {INPUTS} }}\n    @variable {{ v: real[4, 4]; }}\n"
            f"    @output {{ {outputs} }}\n    @compose {{ {compose} }}\n{update}}}\n"
        )
        decomposed = () if "--decompose" in arguments else ("--decompose", "all")
        outcome = real("shapes", ".", "--graph", "net", "--format", "json", *decomposed, *arguments)
        assert outcome.status == 0, outcome.stderr + outcome.stdout
        return read(outcome.stdout)

    return run


def _names(tensors):
    return [tensor["name"] for tensor in tensors]


def _costs(operation):
    return operation["macs"], operation.get("macs_bound")


def test_branches(shapes):
    found = shapes("y = if c then scaled(x) else { t = nn.relu(x); r = math.add(t, 1.0); yield r; };")
    (operation,) = found["operations"]
    assert (operation["operator"], operation["inputs"]) == ("if", ["c", "x", "y.then.w"])
    assert (operation["outputs"], _costs(operation)) == (["y"], (None, 2 * 4 * 4))
    condition, then, other = (operation["subgraphs"][name] for name in ("condition", "then", "else"))
    assert (_names(condition["outputs"]), condition["operations"]) == (["c"], [])
    assert [each["operator"] for each in then["operations"]] == ["nn.linear"]
    assert then["outputs"][0]["shape"] == [2, 4]
    assert [each["operator"] for each in other["operations"]] == ["nn.relu", "math.add"]
    assert other["operations"][1]["inputs"] == ["y.else.t", {"value": 1.0}]
    assert _names(other["tensors"]) == ["y.else.t", "y.else.r"]
    assert not {"y.t", "y.r"} & set(_names(found["tensors"]))
    assert _names(found["variables"]) == ["v", "y.then.w"]


def test_a_branch_costs_what_the_dearest_case_does(shapes):
    found = shapes(
        "d = math.gt(k, n); y = if c then nn.relu(x) elif d then scaled(x) else "
        "{ a = nn.linear(x, v); r = nn.linear(a, v); yield r; };"
    )
    operation = found["operations"][1]
    assert list(operation["subgraphs"]) == ["condition1", "then1", "condition2", "then2", "else"]
    assert operation["inputs"] == ["c", "x", "d", "y.then[1].w", "v"]
    assert _costs(operation) == (None, 2 * 2 * 4 * 4)
    same = shapes("y = if c then scaled(x) else { a = nn.linear(x, v); yield a; };")["operations"][0]
    assert _costs(same) == (2 * 4 * 4, None)


def test_a_branch_by_a_graph(shapes):
    (operation,) = shapes("y = if c then part(x) else x;")["operations"]
    then, other = operation["subgraphs"]["then"], operation["subgraphs"]["else"]
    assert [each["operator"] for each in then["operations"]] == ["nn.relu", "math.add"]
    assert then["operations"][1]["inputs"] == ["part.u", "x"]
    assert (other["operations"], _names(other["outputs"])) == ([], ["x"])
    whole = shapes("y = if c then part(x) else x;", "y: real;", "", "--decompose", "none")
    (kept,) = whole["operations"][0]["subgraphs"]["then"]["operations"]
    assert (kept["operator"], kept["inputs"]) == ("part", ["x"])


@pytest.mark.parametrize(
    ("loop", "costs", "inputs"),
    [
        ("with a = x do..(5) nn.linear(a, v)", (5 * 32, None), ["x", "v"]),
        ("with a = x for e : xs do nn.linear(a, v)", (3 * 32, None), ["x", ["xs[0]", "xs[1]", "xs[2]"], "v"]),
        ("with a = x for e : xs do..(k) nn.linear(a, v)", (None, 3 * 32), ["x", ["xs[0]", "xs[1]", "xs[2]"], "k", "v"]),
        ("with a = x do..(k) nn.linear(a, v)", (None, None), ["x", "k", "v"]),
        ("with a = x, g = c while g do..(7) { u = nn.linear(a, v); yield u, g; }", (None, 7 * 32), ["x", "c", "v"]),
        ("with a = x, g = c do..(7) { u = nn.linear(a, v); yield u, g; } while g", (None, 7 * 32), ["x", "c", "v"]),
        ("with a = x do..(2) { b = with q = a do..(3) nn.linear(q, v); yield b; }", (6 * 32, None), ["x", "v"]),
    ],
)
def test_loops(shapes, loop, costs, inputs):
    results = "[y, ~]" if "yield u, g" in loop else "y"
    found = shapes(f"{results.strip('[]')} = {loop};")
    (operation,) = found["operations"]
    assert (operation["operator"], operation["inputs"], _costs(operation)) == ("do", inputs, costs)
    body = operation["subgraphs"]["body"]
    assert _names(body["inputs"])[0] == "a"
    assert body["operations"][-1]["operator"] in ("nn.linear", "do")
    total = found["operations"]
    assert len(total) == 1


def test_a_dynamic_extent_in_a_loop_is_bounded(shapes):
    (operation,) = shapes("y = with a = wide do..(5) nn.linear(a, v);")["operations"]
    assert (_costs(operation), operation["attributes"]) == ((None, 5 * 10 * 16), {"count": 5})


def test_the_index_of_a_loop(shapes):
    (operation,) = shapes("y.. = do..(i -> 3) { t = math.add(i, k); yield t; };", "y: int..;")["operations"]
    body = operation["subgraphs"]["body"]
    assert (operation["inputs"], _names(body["inputs"])) == (["k"], ["i"])
    assert body["operations"][0]["inputs"] == ["i", "k"]
    assert operation["outputs"] == [["y[0]", "y[1]", "y[2]"]]


def test_what_is_captured_is_read_by_all_that_is_around(shapes):
    loop = "with q = x do..(2) { r = if c then nn.linear(q, v) else q; yield r; }"
    (operation,) = shapes(f"y = if c then {{ b = {loop}; yield b; }} else x;")["operations"]
    assert operation["inputs"] == ["c", "x", "v"]
    (inner,) = operation["subgraphs"]["then"]["operations"]
    assert inner["inputs"] == ["x", "c", "v"]
    (innermost,) = inner["subgraphs"]["body"]["operations"]
    assert innermost["inputs"] == ["c", "q", "v"]


def test_results_without_names_are_listed(shapes):
    found = shapes("~ = nn.relu(x); y = x;")
    (name,) = found["operations"][0]["outputs"]
    assert name in _names(found["tensors"])


# ---- updates ---------------------------------------------------------------------------------------------------------
def test_updates(shapes):
    found = shapes("y = nn.relu(x);", update="d = math.mul(v, 0.5); v = math.add(d, v);")
    last = found["operations"][1:]
    assert [(each["operator"], each["inputs"], each["outputs"], each["update"]) for each in last] == [
        ("math.mul", ["v", {"value": 0.5}], ["d"], True),
        ("math.add", ["d", "v"], ["v"], True),
    ]
    assert found["updates"] == [{"variable": "v", "value": "v"}]
    assert "update" not in found["operations"][0]
    assert shapes("y = x;", update="v = v;")["updates"] == [{"variable": "v", "value": "v"}]


def test_updates_of_operators(shapes):
    statement = "r = layer.batch_norm{momentum=0.1}(x); y = nn.relu(r);"
    found = shapes(statement)
    updates = {each["variable"]: each["value"] for each in found["updates"]}
    assert sorted(updates) == ["r.running_mean", "r.running_variance"]
    stored = [name for each in found["operations"] if each.get("update") for name in each["outputs"]]
    assert set(updates.values()) <= set(stored)
    whole = shapes(statement, "y: real;", "", "--decompose", "none")
    assert [each["operator"] for each in whole["operations"]] == ["layer.batch_norm", "nn.relu"]
    assert "updates" not in whole
    (branch,) = shapes("y = if c then layer.batch_norm{momentum=0.1}(x) else x;")["operations"]
    assert len(branch["subgraphs"]["then"]["updates"]) == 2


# ---- tables ----------------------------------------------------------------------------------------------------------
def test_the_table_is_indented(shapes, real):
    shapes("y = if c then scaled(x) else x;", update="d = math.mul(v, 0.5); v = math.add(d, v);")
    lines = [line.split() for line in real("shapes", ".", "--graph", "net", "--decompose", "all").stdout.splitlines()]
    assert ["if", "y,", "then"] in lines
    assert ["if", "y", "c,", "x,", "y.w", "y", "at", "most", "32"] in lines
    assert ["then"] in lines
    assert ["nn.linear", "y.y", "x,", "y.w", "y", "32"] in lines
    assert ["update"] in lines
    text = real("shapes", ".", "--graph", "net", "--decompose", "all").stdout
    assert "\n  then\n    nn.linear" in text
    assert text.endswith("; at most 32 multiply-adds\n")


def test_totals_are_honest(shapes, real):
    shapes("t = nn.linear(x, v); y = with a = t do..(k) nn.linear(a, v);")
    assert real("shapes", ".", "--graph", "net", "--decompose", "all").stdout.endswith("; at least 32 multiply-adds\n")
    shapes("t = nn.linear(x, v); y = with a = t do..(2) nn.linear(a, v);")
    assert real("shapes", ".", "--graph", "net", "--decompose", "all").stdout.endswith("; 96 multiply-adds\n")
    shapes("t = nn.relu(x); y = with a = t do..(k) nn.linear(a, v);")
    text = real("shapes", ".", "--graph", "net", "--decompose", "all").stdout
    assert text.endswith("; an unknown number of multiply-adds\n"), text


def test_narrow_terminals(shapes, project):
    from snd_server.commands.shapes import ShapesRequest, run_shapes

    shapes("long_name_of_a_result = nn.linear(x, v); y = if c then scaled(long_name_of_a_result) else x;")
    for width in (40, 60, 80):
        text, _ = run_shapes(ShapesRequest("main.sknd", "net", (), (), (), "all", "table", None, width=width))
        tables = text.rpartition("\n\n")[0]
        assert max(map(len, tables.splitlines())) <= width
        assert "multiply" in text
