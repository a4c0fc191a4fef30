"""Drawings of large graphs: no edge is lost, and the layout stays within bounds, whatever reads whatever."""

from __future__ import annotations

import json
import random
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from snd_server.render.drawings import graph_svg
from snd_server.render.drawings.graph_svg import DrawingError
from support.optional import need
from support.sampling import sample, tries
from support.server.processes import ROOT

need("py_mini_racer")

SVG = "{http://www.w3.org/2000/svg}"
OPERATIONS = tries(320, 2000)


def chain(count: int) -> Iterator[str]:
    for at in range(count):
        yield f"t{at} = nn.relu({before(at)});"


def wide(count: int) -> Iterator[str]:
    for at in range(count):
        yield f"t{at} = nn.relu(x);"


def residual(count: int) -> Iterator[str]:
    for at in range(count):
        yield f"t{at} = nn.relu({before(at)});" if at % 2 == 0 else f"t{at} = math.add(t{at - 1}, {before(at - 1)});"


def shared(count: int) -> Iterator[str]:
    """Every operation reads one tensor."""
    for at in range(count):
        yield f"t{at} = math.add({before(at)}, m);"


def skips(count: int) -> Iterator[str]:
    """As in a U-Net: what comes late reads what came early."""
    for at in range(count):
        yield (
            f"t{at} = nn.relu({before(at)});" if at < count / 2 else f"t{at} = math.add(t{at - 1}, t{count - 1 - at});"
        )


def local(count: int) -> Iterator[str]:
    chosen = random.Random(2)
    for at in range(count):
        yield f"t{at} = math.add({before(at)}, {before(chosen.randint(max(0, at - 12), at))});"


def dense(count: int) -> Iterator[str]:
    chosen = random.Random(1)
    for at in range(count):
        yield f"t{at} = math.add({before(chosen.randint(max(0, at - 30), at))}, {before(chosen.randint(0, at))});"


def before(at: int) -> str:
    return f"t{at - 1}" if at else "x"


FAMILIES = [chain, wide, residual, shared, skips, local, dense]


def graph_of(family: Callable[[int], Iterator[str]], count: int) -> str:
    body = "\n".join(family(count))
    head = "import math, nn;\ngraph g { @input { x: real[1,8]; m: real[1,8]; } @output { y: real[1,8]; } @compose {"
    return f"{head}\n{body}\ny = math.mul(t{count - 1}, m);\n}} }}\n"


@pytest.mark.parametrize("family", sample(FAMILIES, 2), ids=lambda family: family.__name__)
def test_many_operations_are_laid_out_within_bounds(real, project, family):
    (project / "main.sknd").write_text(graph_of(family, OPERATIONS))
    drawn = real("graph", ".", "-o", "g.svg")
    assert drawn.status == 0, drawn.stderr
    body = json.loads(real("graph", ".", "--format", "json").stdout)["bodies"][0]
    lines, told = edges_of((project / "g.svg").read_text(encoding="utf-8"))
    assert lines | set(told) == set(range(len(body["edges"])))
    assert not lines & set(told)
    assert all(count == 2 for count in told.values()), "told at the reader and where it comes from"
    layers = layers_of(body)
    length = sum(layers[edge["target"][0]] - layers[edge["source"][0]] for edge in (body["edges"][at] for at in lines))
    assert length <= 5 * OPERATIONS, "each layer that a line passes is laid out as if it were a node"
    assert {body["edges"][at]["target"][0] for at in lines} >= {
        at for at, node in enumerate(body["nodes"]) if node["kind"] == "operation"
    }, "each operation keeps a line to it"


@pytest.mark.exhaustive
def test_a_chain_that_is_too_long_for_recursion_is_drawn(real, project):
    (project / "main.sknd").write_text(graph_of(chain, 7000))
    drawn = real("graph", ".", "-o", "g.svg")
    assert drawn.status == 0, drawn.stderr
    assert len(edges_of((project / "g.svg").read_text(encoding="utf-8"))[0]) == 7003


@pytest.mark.parametrize("example", sample(["unet", "transformer", "resnet50", "detection", "lstm"], 2))
def test_networks_as_people_write_them_have_lines_alone(real, example):
    outcome = real("graph", str(ROOT / "examples" / example), "--open", "1")
    assert not edges_of(outcome.stdout)[1]


def edges_of(svg: str) -> tuple[set[int], dict[int, int]]:
    """Edges with lines, and how often the others are told."""
    lines: set[int] = set()
    told: dict[int, int] = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if "data-edge" in group.attrib:
            lines.add(int(group.attrib["data-edge"]))
        for at in group.attrib.get("data-edges", "").split():
            told[int(at)] = told.get(int(at), 0) + 1
    return lines, told


def layers_of(body: dict[str, Any]) -> list[int]:
    """The earliest layer of each node; the nodes are in an order of execution."""
    layers = [0] * len(body["nodes"])
    for edge in sorted(body["edges"], key=lambda edge: edge["target"][0]):
        layers[edge["target"][0]] = max(layers[edge["target"][0]], layers[edge["source"][0]] + 1)
    return layers


# ---- limits ----------------------------------------------------------------------------------------------------------
def test_a_drawing_that_takes_too_long_is_given_up(real, project):
    (project / "main.sknd").write_text(graph_of(local, 300))
    outcome = real("graph", ".", "-o", "g.svg", "--time-limit", "0.05")
    assert outcome.status == 2
    assert re.search(r"took longer than 0\.05 s \(--time-limit\): leave more operators closed", outcome.stderr)
    assert not (project / "g.svg").exists()


def test_a_drawing_that_takes_too_much_memory_is_given_up(real, project):
    (project / "main.sknd").write_text(graph_of(chain, 1500))
    view = json.loads(real("graph", ".", "--format", "json").stdout)
    with pytest.raises(DrawingError, match=r"more than 25 MB of memory: leave more operators closed"):
        graph_svg.graph_svg(view, 0, "auto", megabytes=25)


def test_a_limit_of_address_space_is_not_called_use_of_memory(monkeypatch):
    """The engine reserves far more than it uses, and ends where it may not."""
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(graph_svg, "engine", lambda: "throw new Error('unused')")
    monkeypatch.setattr(resource, "getrlimit", lambda which: (6 << 30, 6 << 30))
    monkeypatch.setattr(
        graph_svg.subprocess, "run", lambda *given, **more: subprocess.CompletedProcess(given, -5, b"", b"")
    )
    with pytest.raises(DrawingError, match=r"more address space than the 6,144 MB .* \(ulimit -v unlimited\)"):
        graph_svg.graph_svg({}, 0, "auto")


def test_the_end_of_the_engine_by_a_signal_is_no_end_of_the_command(monkeypatch):
    """The engine without memory, where it does not even notice."""
    monkeypatch.setattr(
        graph_svg, "engine", lambda: "const all = []; for (;;) all.push(new Array(1e6).fill(all.length))"
    )
    with pytest.raises(DrawingError, match="MB of memory"):
        graph_svg.graph_svg({}, 0, "auto", megabytes=50)
