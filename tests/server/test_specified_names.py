"""Operators of formats are run by the names of their specifications, without a file."""

from __future__ import annotations

import re

import numpy as np
import pytest

from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import OperatorName, library_names
from snd_server.running.arguments import ArgumentError
from snd_server.running.specified_names import as_declared, declared_name
from support.formats import names
from support.memory import snapshot_of

SIGNATURE = re.compile(r"(\w+)\((.*?)\)(.*)->(.*)")


@pytest.mark.parametrize(("module", "text"), [("tosa", names.TOSA), ("cvm", names.CVM), ("tennis", names.TENNIS)])
def test_names_are_those_of_the_specification(module: str, text: str):
    session = Session(snapshot_of({"main.sknd": f"import {module};\n"}))
    public = [each for each in library_names(module).definitions if not each.startswith("_")]
    found = []
    for operator, *parts in SIGNATURE.findall(text):
        inputs, attributes, outputs = (part.split() for part in parts)
        name = declared_name(operator, public)
        found.append(name)
        template = session.template(OperatorName(f"snd:{module}", name))
        assert template is not None, operator
        if not outputs:
            continue  # the text says nothing but the name
        assert name == (operator.lower() if module == "tosa" else operator.lstrip("_"))
        declared = [member.name for member in (*template.inputs, *template.attributes)]
        for each in (*inputs, *attributes):
            assert each in declared or (each == "type" and "type_" in declared), f"{operator}: {each}"
        assert [member.name for member in template.outputs] == outputs
        tensors = [member.name for member in template.inputs]
        assert [each for each in inputs if each in tensors] == [each for each in tensors if each in inputs], operator
    assert sorted(found) == sorted(public)


def outputs(real, *arguments: str) -> str:
    outcome = real("run", *arguments)
    assert outcome.status == 0, outcome.stderr + outcome.stdout
    return outcome.stdout


def test_run_needs_no_file_for_operators_of_the_library(real, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rescale = ("--operator", "tosa.rescale", "--attrib", "scale32=true", "--attrib", "double_round=false")
    quantized = ("--attrib", "multiplier=[1073741824]", "--input", "shift=[31]", "--attrib", "out_t='int8_t'")
    assert "output: int[2] n=2" in outputs(real, *rescale, *quantized, "--input", "input=[5, -4]")
    np.save("x.npy", np.array([[1.0, -2.0]], np.float32))
    assert "[[1.0, 0.0]]" in outputs(real, "--operator", "nn.relu", "--input", "x=@x.npy")
    zeros = ("--attrib", "input1_zp=0", "--attrib", "output_zp=0")
    assert "[[-1.0, 2.0]]" in outputs(real, "--operator", "tosa.NEGATE", *zeros, "--input", "input1=@x.npy")
    fractions = ("--attrib", "stride=[1,0.5]", "--attrib", "offset=[0,0]", "--attrib", "border=[0,0]")
    mode = ("--attrib", "shift=0", "--attrib", "mode='BILINEAR'", "--input", "input=[[[[1.0],[2.0]]]]")
    assert "x∈[1, 2] μ=1.5" in outputs(real, "--operator", "tosa.resize", *fractions, *mode)


@pytest.mark.parametrize("name", ["tosa.RESCALE", "tennis._transpose", "cvm.convolution"])
def test_doc_takes_the_names_of_the_specification(real, name: str):
    outcome = real("doc", name)
    assert outcome.status == 0, outcome.stderr
    assert f"## {name.lower().replace('_', '')}" in outcome.stdout.lower()


def test_roles_and_forms_are_those_of_the_specification(tmp_path):
    def declared(operator: str, *inputs: str, **attributes: str):
        session = Session(snapshot_of({"main.sknd": ""}))
        template = session.template(OperatorName("snd:tennis" if operator.islower() else "snd:tosa", operator.lower()))
        assert template is not None
        found = as_declared(template, [f"{key}={value}" for key, value in attributes.items()], inputs, 1 << 20)
        return tuple(map(list, found))

    np.save(tmp_path / "padding.npy", np.array([[1, 0], [0, 1]]))
    assert declared("pad", "padding=[[1,0],[0,1]]", "x=[[1.0]]") == (["padding=[1,0,0,1]"], ["x=[[1.0]]"])
    assert declared("pad", f"padding=@{tmp_path / 'padding.npy'}") == (["padding=[1, 0, 0, 1]"], [])
    assert declared("resize2d", "size=[-1,2]", type="0") == (["type_=0", "size=[-1,2]"], [])
    assert declared("MUL", "shift=[1]", "input1=[6]") == (["shift=1"], ["input1=[6]"])
    assert declared("TABLE", "input=[6]", TABLE="[1,2]") == ([], ["table=[1,2]", "Input=[6]"])
    for rows in ("[[1,0,0,1]]", "[[1],[0],[0],[1]]", "[[1,0],[1]]", "[[[1,0],[0,1]]]"):
        with pytest.raises(ArgumentError, match="a row of two numbers for each dimension"):
            declared("pad", f"padding={rows}")
    assert declared("pad", padding="[[1,0],[0,1]]") == (["padding=[1,0,0,1]"], [])
    assert declared("PAD", padding="[[1,0],[0,1]]") == (["padding=[1,0,0,1]"], [])
    assert declared("resize2d", size="[[-1,2]]") == (["size=[[-1,2]]"], []), "no rows: refused as a nested list"
    with pytest.raises(ArgumentError, match="known before the run"):
        declared("pad", "padding=random[2,2]")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'PATH'"),
        (("--operator", "rescale"), "only operators of the library, as nn.relu, need no PATH"),
        (("--operator", "nn.nothing"), "there is no operator 'nn.nothing'"),
        (("--operator", "tosa.abs", "--input", "y=1"), "the operator 'tosa.abs' has no input 'y'; it has 'input1'"),
        (("--operator", "tosa.abs", "--attrib", "y=1"), "has no attribute 'y'"),
        (
            ("--operator", "nn.softmax", "--input", "axes=[1]"),
            "'axes' is an attribute of the operator 'nn.softmax': write --attrib axes=…",
        ),
        (
            ("--operator", "nn.softmax", "--attrib", "input=[1]"),
            "'input' is an input of the operator 'nn.softmax': write --input input=…",
        ),
    ],
)
def test_what_there_is_not_is_said(real, arguments: tuple[str, ...], message: str):
    outcome = real("run", *arguments)
    assert outcome.status != 0
    assert message in outcome.stderr
