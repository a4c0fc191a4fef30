"""``snd graph``: the view model as JSON, DOT, SVG and pages, and what it says to mistakes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support.optional import need
from support.sampling import sample, tries
from support.server.processes import ROOT
from support.waiting import FAR_SECONDS

VALIDATOR = Draft202012Validator(json.loads((ROOT / "docs" / "graph.schema.json").read_text(encoding="utf-8")))
GOLDENS = Path(__file__).parent / "goldens" / "graph"
EXAMPLES = sorted(path.parent.name for path in (ROOT / "examples").glob("*/main.sknd") if path.parent.name != "broken")
FLOWS = sorted((ROOT / "tests" / "fixtures" / "valid").glob("2_1[01]_*.sknd"))
SVG = "{http://www.w3.org/2000/svg}"

MODEL = """\
import math, nn;

operator dense {
    @attrib { units: int; slope: real = 0.0; }
    @input { x: real[b, c]; }
    @variable { w: real[units, c]; }
    @output { y: real[b, units]; }
    @compose {
        z = nn.linear(x, w);
        y = nn.elu{alpha=0.5}(z);
    }
}

graph net {
    @attrib { units: int = 5; }
    @input { x: real[n|8, 3]; flag: bool[]; }
    @output { y: real[n, units]; }
    @compose {
        first = dense{units=units}(x);
        second = dense{units=units}(x);
        sum = math.add(first, second);
        y = if flag then math.mul(sum, 2.0) else sum;
    }
}
"""


@pytest.fixture
def model(project):
    (project / "main.sknd").write_text(MODEL)
    return project


def read(text: str) -> dict[str, Any]:
    """A view, after everything about it was checked that holds for all."""
    view = json.loads(text)
    problems = [f"{error.json_path}: {error.message}"[:300] for error in VALIDATOR.iter_errors(view)]
    assert not problems
    for body in view["bodies"]:
        check_body(body, len(view["bodies"]))
    return view


def check_body(body: dict[str, Any], bodies: int) -> None:
    """Names are unique, edges lead from results to arguments with the same tensors, and no argument is without one."""
    nodes = body["nodes"]
    assert len({node["name"] for node in nodes}) == len(nodes)
    carried: dict[tuple[int, int], set[int]] = {}
    for edge in body["edges"]:
        source, target = (nodes[edge[end][0]] for end in ("source", "target"))
        assert set(edge["tensors"]) <= set(source["outputs"][edge["source"][1]]["tensors"])
        assert set(edge["tensors"]) <= set(target["inputs"][edge["target"][1]]["tensors"])
        carried.setdefault(tuple(edge["target"]), set()).update(edge["tensors"])
    for at, node in enumerate(nodes):
        assert node.get("body", 0) < bodies
        for number, port in enumerate(node["inputs"]):
            assert carried.get((at, number), set()) == set(port["tensors"]), (node["name"], number)
    given = {tensor for node in nodes for port in node["outputs"] for tensor in port["tensors"]}
    assert given == set(range(len(body["tensors"])))


def view_of(real, *arguments: str) -> dict[str, Any]:
    outcome = real("graph", *arguments, "--format", "json")
    assert outcome.status == 0, outcome.stderr
    return read(outcome.stdout)


def same_as_golden(name: str, text: str) -> None:
    golden = GOLDENS / name
    if not golden.exists():
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
        pytest.fail(f"{golden} was not there: look at what was written, and commit it")
    assert text == golden.read_text(encoding="utf-8")


# ---- the view --------------------------------------------------------------------------------------------------------
def test_json_of_a_small_net(real, model):
    outcome = real("graph", ".", "--format", "json")
    read(outcome.stdout)
    content = re.sub(r'"path": "[^"]*main\.sknd"', '"path": "main.sknd"', outcome.stdout)
    same_as_golden("net.json", content)


def test_what_is_composed_alike_is_there_once(real, model):
    view = view_of(real, ".")
    first, second = (node for node in view["bodies"][0]["nodes"] if node["title"] == "dense")
    assert first["body"] == second["body"]
    assert (first["scope"], second["scope"]) == ("first", "second")
    inner = view["bodies"][first["body"]]
    assert [(node["kind"], node["title"]) for node in inner["nodes"]] == [
        ("input", "x"), ("variable", "w"), ("operation", "nn.linear"), ("operation", "nn.elu"), ("output", "y"),
    ]  # fmt: skip
    relu = inner["nodes"][3]
    assert relu["attributes"] == [{"name": "alpha", "value": 0.5, "text": "0.5", "default": False}]
    assert {each["name"]: each["default"] for each in first["attributes"]} == {"units": False, "slope": True}


def test_places_and_bounds(real, model):
    view = view_of(real, ".")
    x, *_ = view["bodies"][0]["tensors"]
    assert (x["shape"], x["bound"]) == (["n", 3], [8, 3])
    add = next(node for node in view["bodies"][0]["nodes"] if node["title"] == "math.add")
    line = MODEL.splitlines()[add["location"]["range"]["start"]["line"] - 1]
    assert "sum = math.add" in line
    assert add["definition"]["path"] == "snd:math"


def test_what_may_be_one_of_two_tensors_comes_from_both(real, project):
    (project / "main.sknd").write_text(
        "import math;\n"
        "graph net { @input { x: real[4]; o: optional real[4]; c: bool[]; } @output { y: real; }\n"
        "@compose { a = o ?? x; b = math.exp(a); y = if c then math.neg(a) else b; } }\n"
    )
    body = view_of(real, ".")["bodies"][0]
    read_names = {
        node["name"]: [body["tensors"][tensor]["name"] for port in node["inputs"] for tensor in port["tensors"]]
        for node in body["nodes"]
    }
    assert (read_names["b"], read_names["y"]) == (["o", "x"], ["c", "o", "x", "b"])


def test_attributes_and_inputs_are_given(real, model):
    view = view_of(real, ".", "--attrib", "units=7", "--input", "x=2,3")
    shapes = {tensor["name"]: tensor["shape"] for tensor in view["bodies"][0]["tensors"]}
    assert (shapes["x"], shapes["y"]) == ([2, 3], [2, 7])


@pytest.mark.parametrize("example", sample(EXAMPLES, 5))
def test_every_tensor_of_the_examples_has_its_edges(real, example):
    view = view_of(real, str(ROOT / "examples" / example))
    shapes = json.loads(
        real("shapes", str(ROOT / "examples" / example), "--decompose", "none", "--format", "json").stdout
    )
    drawn = {tensor["name"] for tensor in view["bodies"][0]["tensors"]}
    outside = [each for each in shapes["tensors"] if "." not in each["name"]]
    assert {name for tensor in outside for name in names(tensor)} <= drawn
    invoked = [node["title"] for node in view["bodies"][0]["nodes"] if node["kind"] in ("operation", "branch", "loop")]
    assert sorted(invoked) == sorted(each["operator"] for each in shapes["operations"])


def names(tensor: dict[str, Any]) -> Iterator[str]:
    if "items" not in tensor:
        yield tensor["name"]
    for item in tensor.get("items", ()):
        yield from names(item)


@pytest.mark.parametrize("path", FLOWS, ids=lambda path: path.stem)
def test_control_flow_and_updates(real, path):
    outcome = real("graph", str(path), "--format", "json")
    if "there is no graph" not in outcome.stderr:
        read(outcome.stdout)


def test_a_network_of_thousands_of_operations_stays_small(real, project):
    count = tries(500, 2000)
    lines = [f"t{at} = dense{{units=3}}({f't{at - 1}' if at else 'x'});" for at in range(count)]
    graph = "graph g { @input { x: real[1, 3]; } @output { y: real[1, 3]; } @compose { %s y = nn.relu(t%d); } }"
    (project / "main.sknd").write_text(MODEL.partition("graph net")[0] + graph % ("\n".join(lines), count - 1))
    view = view_of(real, ".")
    assert len(view["bodies"]) < 5
    assert len(view["bodies"][0]["nodes"]) == count + 3


# ---- drawings --------------------------------------------------------------------------------------------------------
def test_dot_of_a_small_net(real, model):
    outcome = real("graph", ".", "--format", "dot", "--open", "1")
    same_as_golden("net.dot", outcome.stdout)
    dot = shutil.which("dot")
    if dot is not None:
        drawn = subprocess.run(
            [dot, "-Tsvg"], input=outcome.stdout.encode(), capture_output=True, timeout=FAR_SECONDS, check=True
        )
        assert not drawn.stderr
        assert b"nn.linear" in drawn.stdout


@pytest.mark.parametrize("format", ["dot", "svg"])
def test_a_level_opens_operators_of_the_model_and_all_those_of_the_library(real, project, format):
    if format == "svg":
        pytest.importorskip("py_mini_racer", reason="drawings need mini-racer, the extra snd[svg]")
    (project / "main.sknd").write_text(
        "import layer;\n"
        "operator block { @input { x: real[b, c]; } @output { y: real[b, 4]; }\n"
        "    @compose { y = layer.linear{channels=4}(x); } }\n"
        "graph net { @input { x: real[2, 3]; } @output { y: real[2, 4]; } @compose { y = block(x); } }\n"
    )

    def drawn(levels: str) -> str:
        outcome = real("graph", ".", "--format", format, "--open", levels)
        assert outcome.status == 0
        return outcome.stdout

    closed, first, every = (drawn(levels) for levels in ("0", "2", "all"))
    assert ("layer.linear" in closed, "layer.linear" in first) == (False, True)
    assert ("nn.linear" in first, "nn.linear" in every) == (False, True)


@pytest.mark.parametrize(
    ("example", "levels"),
    sample([("lenet", "all"), ("detection", "all"), ("lstm", "all"), ("resnet50", "1"), ("transformer", "1")], 3),
)
def test_no_nodes_of_a_drawing_overlap(real, example, levels):
    need("py_mini_racer")
    outcome = real("graph", str(ROOT / "examples" / example), "--open", levels)
    assert outcome.status == 0, outcome.stderr
    boxes = dict(boxes_of(outcome.stdout))
    assert len(boxes) > 5
    for path, box in boxes.items():
        for other_path, other in boxes.items():
            if path >= other_path:
                continue
            if other_path.startswith(f"{path}/"):
                assert inside(other, box), (path, other_path)
            elif not path.startswith(f"{other_path}/"):
                assert apart(box, other), (path, other_path)


def boxes_of(svg: str) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    root = ElementTree.fromstring(svg)
    for group in root.iter(f"{SVG}g"):
        if "data-path" in group.attrib:
            x, y = map(float, re.findall(r"[-\d.]+", group.attrib["transform"]))
            rectangle = group.find(f"{SVG}rect")
            assert rectangle is not None
            yield (
                group.attrib["data-path"],
                (x, y, x + float(rectangle.attrib["width"]), y + float(rectangle.attrib["height"])),
            )


def inside(box: tuple[float, ...], around: tuple[float, ...]) -> bool:
    return box[0] >= around[0] and box[1] >= around[1] and box[2] <= around[2] and box[3] <= around[3]


def apart(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_a_drawing_has_an_edge_for_all_that_the_graph_has(real, model):
    need("py_mini_racer")
    outcome = real("graph", ".")
    view = view_of(real, ".")
    root = ElementTree.fromstring(outcome.stdout)
    drawn = {group.attrib["data-edge"] for group in root.iter(f"{SVG}g") if "data-edge" in group.attrib}
    assert drawn == {str(at) for at in range(len(view["bodies"][0]["edges"]))}
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert {"dense", "math.add", "units ", "5", "n", "if"} <= texts
    assert "dynamic" in {text.attrib.get("class") for text in root.iter(f"{SVG}text")}


def test_a_png_is_the_drawing_in_pixels(real, model):
    need("py_mini_racer")
    need("resvg_py")
    assert real("graph", ".", "-o", "net.png").status == 0
    assert real("graph", ".", "-o", "net.svg").status == 0
    picture = (model / "net.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    root = ElementTree.fromstring((model / "net.svg").read_text(encoding="utf-8"))
    assert struct.unpack(">II", picture[16:24]) == tuple(2 * int(root.attrib[each]) for each in ("width", "height"))


def test_a_page_runs_its_own_script_alone(real, model):
    assert real("graph", ".", "-o", "net.html").status == 0
    page = (model / "net.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert page.count("</script>") == 3
    script = page.rpartition("</script>")[0].rpartition("<script>")[2]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy
    inlined = page.partition('id="model">')[2].partition("</script>")[0]
    assert read(inlined)["graph"] == "net"
    assert "://" not in page.partition('id="engine"')[0], "nothing is loaded"


def test_hostile_texts_are_only_texts(real, project):
    name = '</script><script>alert(1)</script>\\u202e\\"&quot;]]>{}'
    text = name.replace("\\u202e", "\u202e").replace("{", "\\{").replace("}", "\\}").replace('\\"', '"')
    (project / "main.sknd").write_text(
        "operator o { @attrib { s: str; } @input { x: real[]; } @output { y: real[]; } @lower { y[] = x[]; } }\n"
        f"graph g {{ @input {{ x: real[]; }} @output {{ y: real[]; }} @compose {{ y = o{{s='{text}'}}(x); }} }}\n"
    )
    page = real("graph", ".", "--format", "html").stdout
    assert page.count("<script") - page.count("<script>alert") == page.count("</script>")
    assert "<script>alert" not in page
    dot = real("graph", ".", "--format", "dot").stdout
    assert "\u202e" not in dot
    if shutil.which("dot") is not None:
        subprocess.run(["dot", "-Tsvg"], input=dot.encode(), capture_output=True, timeout=FAR_SECONDS, check=True)
    need("py_mini_racer")
    svg = real("graph", ".").stdout
    root = ElementTree.fromstring(svg)
    assert not list(root.iter(f"{SVG}script"))
    assert "\u202e" not in svg


# ---- mistakes --------------------------------------------------------------------------------------------------------
QUANTIZED = """\
import math;

operator grid { @attrib { step: real = 1.0; } @input { x: real[n]; } @output { y: real[n]; }
    @lower { y[i,] = round(x[i,] / step) * step, i < n; } }
operator scaled { @input { x: real[n]; } @variable { w: real[n]; } @output { y: real[n]; }
    @compose { t = math.mul(x, w); y = math.neg(t); } }
graph net {
    @input { x: real[2]; }
    @variable { v: real[2]; }
    @output { y: real[2]; }
    @compose { a = math.mul(x, v); b = scaled(a); c = math.neg(b); y = math.neg(c); }
    @quantize { x: grid; a: grid{step=0.5}; v: grid; b.w: grid; }
}
"""


def test_drawings_mark_what_is_quantized(real, project):
    (project / "main.sknd").write_text(QUANTIZED)
    drawn = ElementTree.fromstring(real("graph", ".", "-o", "-", "--format", "svg").stdout)
    marked = {
        title.text: len(node.findall(f"{SVG}circle"))
        for node in drawn.iter(f"{SVG}g")
        if node.get("class") == "node" and (title := node.find(f"{SVG}title")) is not None and title.text
    }
    assert {text.split()[0]: count for text, count in marked.items()} == {
        "x": 1, "math.mul": 1, "scaled": 1, "math.neg": 0, "y": 0,
    }  # fmt: skip
    (product,) = (text for text in marked if text.startswith("math.mul"))
    assert "a is quantized by grid{step=0.5}" in product
    assert "v is quantized by grid{}" in product
    dot = real("graph", ".", "-o", "-", "--format", "dot").stdout
    assert dot.count("is quantized by grid") == 4
    assert "scaled b\\nb.w is quantized by grid" in dot


def test_the_suffix_tells_the_format(real, model):
    outcome = real("graph", ".", "-o", "net.pdf")
    assert outcome.status == 2
    assert "suffix must be .svg, .png, .html, .dot or .json" in outcome.stderr
    assert real("graph", ".", "-o", "net.pdf", "--format", "dot").status == 0
    assert (model / "net.pdf").read_text(encoding="utf-8").startswith("digraph")


def test_what_there_is_not(real, model):
    assert "there is no graph 'other'" in real("graph", ".", "--graph", "other").stderr
    assert "there is no file" in real("graph", "nowhere.sknd").stderr
    assert "--open some" in real("graph", ".", "--open", "some").stderr
    assert real("graph", ".", "--attrib", "unit=5").status == 2
    assert real("graph", ".", "--format", "dot", "-o", "nowhere/net.dot").status == 2


def test_a_graph_with_mistakes_is_drawn_as_far_as_it_is_known(real, project):
    (project / "main.sknd").write_text(MODEL.replace("math.add(first, second)", "math.ad(first, second)"))
    outcome = real("graph", ".", "--format", "json")
    assert outcome.status == 1
    assert "math.ad" in outcome.stderr
    view = json.loads(outcome.stdout)
    assert "dense" in {node["title"] for node in view["bodies"][0]["nodes"]}
    assert view["diagnostics"][0]["severity"] == "error"
    (project / "main.sknd").write_text("graph g { @input {{{ ")
    broken = real("graph", ".", "--format", "dot")
    assert broken.status == 1
    assert broken.stdout.startswith("digraph")


def test_without_the_engine_it_says_what_to_do(real, model, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "py_mini_racer", None)
    outcome = real("graph", ".", "-o", "net.svg")
    assert outcome.status == 2
    assert "pip install mini-racer" in outcome.stderr
    assert not (model / "net.svg").exists()
    for suffix in ("html", "dot", "json"):
        assert real("graph", ".", "-o", f"net.{suffix}").status == 0
        assert (model / f"net.{suffix}").exists()


def test_what_invoked_operators_quantize_is_drawn(real, project):
    (project / "main.sknd").write_text(
        "import math;\n"
        "public operator layer { @input { x: real[n]; } @variable { w: real[n]; } @output { y: real[n]; }\n"
        "    @compose { h = math.neg(x); y = math.mul(h, w); } @quantize { h: math.neg; w: math.neg; } }\n"
        "public operator two { @input { x: real[n]; } @output { y: real[n]; }\n"
        "    @compose { a = layer(x); y = layer(a); } }\n"
        "graph net { @input { x: real[3]; c: bool[]; } @output { y: real; z: real; u: real; }\n"
        "    @compose { y = layer(x); z = two(y); u = if c then layer(x) else x; } @quantize { y.w: math.abs; } }\n"
    )
    outcome = real("graph", ".", "--format", "json")
    assert outcome.status == 0, outcome.stderr
    expected = dict.fromkeys(("y.h", "z.a.h", "z.a.w", "z.y.h", "z.y.w", "u.h", "u.w"), "neg{}")
    assert json.loads(outcome.stdout)["quantizations"] == {"y.w": "abs{}", **expected}
