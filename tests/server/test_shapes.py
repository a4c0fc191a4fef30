"""``snd shapes``: tables and JSON of a composed graph, and what it says to mistakes."""

from __future__ import annotations

from typing import Any

import pytest

from support.server.shapes_output import read

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
    return read(outcome.stdout)


def test_json(real, model):
    found = shapes(real, "--decompose", "all")
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
    found = shapes(real, "--attrib", "units=7", "--attrib", "modes=['b', 'c']")
    assert found["attributes"]["modes"] == ["b", "c"]
    assert [operation["operator"] for operation in found["operations"]] == ["dense", "do"]
    assert found["variables"][0]["shape"] == [7, 3]
    assert shapes(real, "--decompose", "dense")["operations"][0]["operator"] == "nn.linear"


def test_table(real, model):
    outcome = real("shapes", ".")
    assert outcome.status == 0
    lines = outcome.stdout.splitlines()
    assert lines[0] == "graph first {units=5, modes=[a], rate=0.5}"
    assert any(line.split()[:4] == ["y", "output", "real[n,5]", "[8,5]"] for line in lines)
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


# ---- which graph, and what counts ------------------------------------------------------------------------------------
SEVERAL = """\
import nn;
import helpers;
import missing;

graph part {
    @input { z: real[~ ..]; }
    @output { w: real; }
    @compose { w = nn.relu(z); }
}

graph net {
    @input { x: real[2, 4]; c: bool[]; }
    @output { y: real; }
    @compose { y = if c then part(x) else x; }
}

operator wrong {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = nn.relu(nowhere); }
}

graph broken {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = wrong(x); }
}

graph far {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = helpers.wrong(x); }
}

graph lost {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = missing.one(x); }
}

graph small {
    @attrib { n: int = 0; }
    @input { x: real[4]; }
    @output { y: real[4]; }
    @assert { n > 0; }
    @compose { y = nn.relu(x); } # snd: ignore[unused-symbol] nothing to suppress
}
"""
HELPERS = """\
operator wrong {
    @input { x: real[n]; }
    @output { y: real[m]; }
    @lower { y[i,] = x[i,], i < n; }
}
"""


@pytest.fixture
def several(project):
    (project / "main.sknd").write_text(SEVERAL)
    (project / "helpers.sknd").write_text(HELPERS)
    return project


def _found(output: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["path"], item["rule"]) for item in output["diagnostics"]]


def test_the_primary_graph_is_the_first_that_no_other_invokes(real, several):
    found = shapes(real)
    assert (found["graph"], found["diagnostics"]) == ("net", [])
    assert real("check", "main.sknd").stdout.count("unbounded-extent") == 0


def test_a_graph_that_is_chosen_is_a_main_one(real, several):
    found = shapes(real, "--graph", "part", status=1)
    assert _found(found) == [("./main.sknd", "unbounded-extent")]
    assert shapes(real, "--graph", "part", "--input", "z=2,3")["outputs"][0]["shape"] == [2, 3]


def test_only_mistakes_that_the_graph_reaches_count(real, several):
    assert _found(shapes(real, "--graph", "broken", status=1)) == [("./main.sknd", "undefined-name")]
    assert {path for path, _ in _found(shapes(real, "--graph", "far", status=1))} == {"helpers.sknd"}
    assert _found(shapes(real, "--graph", "lost", status=1)) == [("./main.sknd", "module-not-found")]


def test_a_graph_is_judged_with_the_attributes_that_are_given(real, several):
    assert _found(shapes(real, "--graph", "small", status=1)) == [("./main.sknd", "assertion-fails")]
    assert _found(shapes(real, "--graph", "small", "--attrib", "n=1")) == []


def test_suppressed_mistakes_are_silent(real, project):
    text = "import nn;\n\ngraph g {\n    @attrib { n: int = 0; }\n    @input { x: real[4]; }\n"
    text += "    @output { y: real[4]; }\n    @assert { n > 0; } # snd: ignore[assertion-fails] for a test\n"
    (project / "main.sknd").write_text(text + "    @compose { y = nn.relu(x); }\n}\n")
    assert _found(shapes(real)) == []


def test_a_graph_that_could_not_be_composed_is_no_success(real, project):
    text = "import nn;\n\ngraph g {\n    @attrib { p: optional int..; }\n    @input { x: real[4]; }\n"
    text += "    @output { y: real[4]; }\n"
    text += "    @compose { y = nn.softmax{axes=p}(x); } # snd: ignore[null-not-allowed] hidden\n}\n"
    (project / "main.sknd").write_text(text)
    outcome = real("shapes", ".")
    assert outcome.status == 1
    assert "'g' could not be composed: nothing is known of 'y'" in outcome.stderr


def test_inputs_that_are_wrong_are_shown_as_unknown(real, project):
    (project / "main.sknd").write_text(
        "import nn;\n\ngraph g {\n    @input { x: real[4]; z: real[q]; }\n    @output { y: real[4]; }\n"
        "    @compose { y = nn.relu(x); }\n}\n"
    )
    found = shapes(real, status=1)
    assert [(item["name"], item["shape"]) for item in found["inputs"]] == [("x", [4]), ("z", None)]
    lines = [line.split() for line in real("shapes", ".").stdout.splitlines()]
    assert ["z", "input", "unknown"] in lines


def test_operators_of_other_files_bear_the_names_of_their_modules(real, project):
    (project / "main.sknd").write_text(
        "import blocks;\n\ngraph g {\n    @input { x: real[4]; }\n    @output { y: real[4]; }\n"
        "    @compose { y = blocks.same(x); }\n}\n"
    )
    (project / "blocks.sknd").write_text(
        "operator same {\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n"
        "    @lower { y[i,] = x[i,], i < n; }\n}\n"
    )
    (operation,) = shapes(real, "--decompose", "blocks.same")["operations"]
    assert (operation["operator"], operation["line"]) == ("blocks.same", 6)
