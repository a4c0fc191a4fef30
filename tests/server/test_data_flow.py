"""``snd graph --cell``: which cells a cell is computed from, and which are computed from it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from support.optional import need

POOL = """\
# >>> pool{size=3, stride=2}(random[1,9])
operator pool {
    @attrib { size: int; stride: int; }
    @input { x: real[b,n]; }
    @output { y: real[b,(n - size) / stride + 1]; }
    @assert { size > 0; stride > 0; n >= size; }
    @lower { y[i,k] >?= x[i,k * stride + l], i < b, k < (n - size) / stride + 1, l < size; }
}
"""
NET = """\
import nn;

graph net {
    @input { x: real[1,1,12,12]; }
    @output { y: real[1,2,3,3]; }
    @variable { f: real[2,1,3,3]; g: real[2,2,3,3]; }
    @compose {
        c = nn.conv{padding=[0,0,0,0]}(x, f);
        a = nn.relu(c);
        b = nn.max_pool{axes=[2,3], size=2, stride=2}(a);
        y = nn.conv{padding=[0,0,0,0]}(b, g);
    }
}
"""


@pytest.fixture
def file(project: Path) -> Path:
    (project / "pool.sknd").write_text(POOL)
    (project / "net.sknd").write_text(NET)
    return project


def flow(real: Any, *arguments: str) -> dict[str, Any]:
    outcome = real("graph", *arguments, "--format", "json")
    assert outcome.status == 0, outcome.stderr
    found: dict[str, Any] = json.loads(outcome.stdout)
    return found


def test_a_cell_of_an_operator_with_the_sizes_of_its_sample(real, file):
    found = flow(real, "pool.sknd", "--operator", "pool", "--cell", "y[0,2]")
    assert found["direction"] == "reads"
    assert found["tensors"] == [{"name": "x", "shape": [1, 9], "cells": [[0, 4], [0, 5], [0, 6]]}]
    assert found["text"] == ["y[0,2] reads x[0,4..6]"]


def test_and_back_with_sizes_that_are_given(real, file):
    given = ("--attrib", "size=3", "--attrib", "stride=1", "--input", "x=1,20")
    found = flow(real, "pool.sknd", "--operator", "pool", "--cell", "x[0,4]", *given)
    assert found["direction"] == "feeds"
    assert found["text"] == ["x[0,4] is read for y[0,2..4]"]


def test_an_operator_of_the_library(real, file):
    given = ("--input", "input=1,2,8,8", "--input", "filter=3,2,3,3", "--attrib", "dilation=[2,2]")
    found = flow(real, "pool.sknd", "--operator", "nn.conv", "--cell", "output[0,0,1,1]", *given)
    assert found["text"] == [
        "output[0,0,1,1] reads input[0,0..1,1/3,1/3]",
        "output[0,0,1,1] reads filter[0,0..1,1..2,1..2]",
    ]


def test_the_receptive_field_of_a_graph(real, file):
    assert flow(real, "net.sknd", "--cell", "y[0,0,1,1]")["text"] == [
        "y[0,0,1,1] reads x[0,0,2..9,2..9]",
        "y[0,0,1,1] reads f[0..1,0,0..2,0..2]",
        "y[0,0,1,1] reads g[0,0..1,0..2,0..2]",
    ]
    assert flow(real, "net.sknd", "--cell", "x[0,0,0,0]")["text"] == ["x[0,0,0,0] is read for y[0,0..1,0,0]"]


def test_fields_of_whole_models(real):
    """Regions are told by their rows and columns; where they are too large for that, it is said without delay."""
    examples = Path(__file__).parents[2] / "examples"
    lenet, alexnet = str(examples / "lenet"), str(examples / "alexnet")
    assert flow(real, lenet, "--cell", "image[0,0,5,5]")["text"] == ["image[0,0,5,5] is read for probabilities[0,0..9]"]
    read = ["probabilities[0,3] reads image[0,0,0..31,0..31]"]
    assert flow(real, lenet, "--cell", "probabilities[0,3]")["text"] == read
    refused = real("graph", alexnet, "--cell", "input[0,0,100,100]", "--format", "json")
    assert refused.status != 0
    assert "there are too many elements on the way; smaller extents have less" in " ".join(refused.stderr.split())


def test_a_picture_has_a_grid_for_each_tensor(real, file):
    outcome = real("graph", "pool.sknd", "--operator", "pool", "--cell", "y[0,2]", "--theme", "dark")
    root = ElementTree.fromstring(outcome.stdout)
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["x[0,4..6] of [1,9]", "y[0,2] of [1,4]"]
    cells = [
        (each.get("class"), each.get("x"), each.get("width")) for each in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert cells[1:] == [("cell", "64", "48"), ("of", "32", "16")]


def test_a_png(real, file):
    need("resvg_py")
    assert real("graph", "pool.sknd", "--operator", "pool", "--cell", "y[0,2]", "-o", "flow.png").status == 0
    assert (file / "flow.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--cell", "y[0,2"), "write a tensor and an index for each dimension, as in y[0,2]"),
        (("--cell", "y[0]"), "'y' has 2 dimensions, but the cell has 1 index"),
        (("--cell", "y[0,4]"), "the index 4 is outside of 'y', whose shape is [1,4]"),
        (("--cell", "z[0]"), "there is no tensor 'z', only 'y', 'x'"),
        (("--cell", "y[0,2]", "--input", "x=1,9"), "'pool' can't be invoked with these attributes and shapes"),
        (("--cell", "y[0,2]", "--attrib", "size=3"), "give the shape of 'x', as in --input x=1,5"),
        (("--cell", "y[0,2]", "--format", "dot"), "--cell draws .svg, .png and .json"),
        ((), "--operator goes with --cell"),
    ],
)
def test_what_there_is_not(real, file, arguments, message):
    outcome = real("graph", "pool.sknd", "--operator", "pool", *arguments)
    assert outcome.status != 0
    assert message in " ".join(outcome.stderr.replace("│", "").split())
