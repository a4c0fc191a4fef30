"""``snd shapes``: tables and JSON of a composed graph, and what it says to mistakes."""

from __future__ import annotations

import json
from typing import Any

import pytest

MODEL = """\
import nn;

operator dense {
    @attrib { units: int; }
    @input { x: real[b, c]; }
    @variable { w: real[units, c]; }
    @output { y: real[b, units]; }
    @compose { y = nn.linear(x, w); }
}

graph first {
    @attrib { units: int = 5; modes: str..(k) = ['a']; rate: real = 0.5; }
    @input { x: real[n|8, 3]; xs: real[2]..(2); }
    @output { y: real[n, units]; zs: real[2]..(2); }
    @assert { units > 0: "at least one unit: {modes} {rate}"; }
    @compose {
        y = dense{units=units}(x);
        zs = for z : xs do nn.relu(z);
    }
}

graph second {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = nn.relu(x); }
}
"""


@pytest.fixture
def model(project):
    (project / "main.sknd").write_text(MODEL)
    return project


def shapes(real, *arguments: str, status: int = 0) -> dict[str, Any]:
    outcome = real("shapes", ".", "--format", "json", *arguments)
    assert outcome.status == status, outcome.stderr
    return json.loads(outcome.stdout)


def test_json(real, model):
    found = shapes(real)
    assert (found["version"], found["graph"], found["diagnostics"]) == (1, "first", [])
    assert found["attributes"] == {"units": 5, "modes": ["a"], "rate": 0.5}
    assert found["inputs"][0] == {"name": "x", "dtype": "real", "shape": ["n", 3], "bound": [8, 3]}
    assert [item["name"] for item in found["inputs"][1]["items"]] == ["xs[0]", "xs[1]"]
    assert found["outputs"][0] == {"name": "y", "dtype": "real", "shape": ["n", 5], "bound": [8, 5]}
    assert found["variables"] == [{"name": "y.w", "dtype": "real", "shape": [5, 3], "bound": [5, 3]}]
    lines = {tensor["name"]: tensor["line"] for tensor in found["tensors"]}
    assert lines["x"] == 13
    assert lines["y"] == 17
    linear, loop = found["operations"]
    assert (linear["operator"], linear["outputs"]) == ("nn.linear", ["y"])
    assert linear["inputs"][:2] == ["x", "y.w"]
    assert (linear["macs"], linear["macs_bound"]) == (None, 8 * 3 * 5)
    assert loop["operator"] == "do"


def test_graph_attributes_and_decomposition(real, model):
    assert shapes(real, "--graph", "second")["graph"] == "second"
    found = shapes(real, "--attrib", "units=7", "--attrib", "modes=['b', 'c']", "--decompose", "none")
    assert found["attributes"]["modes"] == ["b", "c"]
    assert [operation["operator"] for operation in found["operations"]] == ["dense", "do"]
    assert found["variables"][0]["shape"] == [7, 3]
    assert shapes(real, "--decompose", "dense")["operations"][0]["operator"] == "nn.linear"


def test_table(real, model):
    outcome = real("shapes", ".")
    assert outcome.status == 0
    lines = outcome.stdout.splitlines()
    assert lines[0] == "graph first {units=5, modes=[a], rate=0.5}"
    assert any(line.split()[:4] == ["y", "output", "real[n,5]", "8,5"] for line in lines)
    assert lines[-1].startswith("3 operations, ")
    assert "15 elements in variables (60 bytes)" in lines[-1]


def test_what_fails_is_told_and_the_rest_is_shown(real, model):
    found = shapes(real, "--attrib", "units=0", status=1)
    assert [item["rule"] for item in found["diagnostics"]] == ["assertion-fails"]
    assert {tensor["name"] for tensor in found["tensors"]} >= {"x", "xs"}
    table = real("shapes", ".", "--attrib", "units=0")
    assert table.status == 1
    assert "at least one unit" in table.stdout
    assert "real[n,3]" in table.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.sknd"], "there is no file"),
        ([".", "--graph", "third"], "there is no graph 'third'"),
        ([".", "--attrib", "unit=1"], "no attribute 'unit'"),
        ([".", "--attrib", "units"], "write NAME=VALUE"),
        ([".", "--attrib", "units=1.5"], "'units' is of type 'int', and this is 'real'"),
        ([".", "--attrib", "units=[1, 2]"], "'units' is a single value, of type 'int', not a list"),
        ([".", "--attrib", "units=1 +"], "not one expression: it ends too early"),
        ([".", "--attrib", "units=1 / 0"], "the right side of '/' is 0"),
    ],
)
def test_misuse(real, model, arguments, message):
    outcome = real("shapes", *arguments)
    assert outcome.status == 2
    assert message in outcome.stderr
