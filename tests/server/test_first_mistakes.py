"""Mistakes that stopped readers in their first half hour: the message, and the applied fix."""

from __future__ import annotations

from pathlib import Path

import pytest

NESTED = """\
import nn, layout;

graph g {
    @input { x: real[1,8]; }
    @output { y: real[1,8]; }
    @variable { w: real[4,8]; }
    @compose {
        relu = nn.relu(x);
        y = layout.concat{axis=1}([nn.relu{alpha=0.1}(nn.linear(x, w)), nn.linear(relu, w)]);
    }
}
"""
HOISTED = """\
        relu = nn.relu(x);
        linear = nn.linear(x, w);
        relu_2 = nn.relu{alpha=0.1}(linear);
        linear_2 = nn.linear(relu, w);
        y = layout.concat{axis=1}([relu_2, linear_2]);
"""
BRANCH = """\
import math;

graph g {
    @attrib { b: bool = true; }
    @input { x: real[2]; }
    @output { y: real[2]; }
    @compose { y = if b then math.neg(math.neg(x)) else x; }
}
"""
TYPES = """\
operator f {
    @attrib { a: float = 1.0; b: Boolean = true; c: size_t = 1; }
    @input { x: float[2]; y: float32[2]; k: int64[2]; }
    @output { z: float[2]; }
    @lower { z[i,] = b ? x[i,] + y[i,] * a : float(k[i,] + c), i < 2; }
}
"""
REAL = """\
operator f {
    @attrib { a: real = 1.0; b: bool = true; c: int = 1; }
    @input { x: real[2]; y: real[2]; k: int[2]; }
    @output { z: real[2]; }
    @lower { z[i,] = b ? x[i,] + y[i,] * a : real(k[i,] + c), i < 2; }
}
"""
AGAIN = """\
import math;

graph g {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @compose {
        a = math.neg(x);
        a = math.neg(a);
        a = math.neg(a);
        a = math.neg(a);
        y = math.neg(a);
        y = math.neg(x);
        y = math.neg(x);
    }
}
"""


def test_nested_invocations_are_assigned_to_tensors_first(real, project: Path):
    (project / "g.sknd").write_text(NESTED)
    outcome = real("check", "g.sknd", "--fix", "--unsafe-fixes")
    assert outcome.status == 0, outcome.stdout
    assert HOISTED in (project / "g.sknd").read_text()


def test_what_is_computed_in_a_branch_stays_there(real, project: Path):
    (project / "g.sknd").write_text(BRANCH)
    outcome = real("check", "g.sknd", "--fix", "--unsafe-fixes", "--format", "concise")
    assert outcome.stdout.count("[nested-invocation]") == 1
    assert (project / "g.sknd").read_text() == BRANCH


def test_types_of_other_languages_are_written_as_here_at_all_places(real, project: Path):
    (project / "f.sknd").write_text(TYPES)
    outcome = real("check", "f.sknd", "--fix", "--unsafe-fixes")
    assert outcome.status == 0, outcome.stdout
    assert (project / "f.sknd").read_text() == REAL


@pytest.mark.parametrize("shape", ["[..]", "[...]", "[2,..]", "[..,2]"])
def test_a_shape_of_any_rank_needs_a_name(real, project: Path, shape: str):
    text = f"operator f {{\n    @input {{ x: real{shape}; }}\n    @output {{ y: real[2]; }}\n}}\n"
    (project / "f.sknd").write_text(text)
    said = real("check", "f.sknd", "--format", "concise").stdout
    assert "a shape of any rank has a name before the dots, as in 'real[s..]'" in said
    assert said.count("error[syntax-error]") == 1


def test_a_name_that_is_assigned_again_and_again_is_one_mistake(real, project: Path):
    (project / "g.sknd").write_text(AGAIN)
    outcome = real("check", "g.sknd")
    assert outcome.stdout.count("error[assigned-twice]") == 2
    assert outcome.stdout.count("and assigned again here") == 3


@pytest.mark.parametrize("command", ["run", "shapes", "graph", "check", "test"])
def test_a_folder_with_an_onnx_model_alone_is_to_be_converted_first(real, project: Path, command: str):
    folder = project / "net"
    folder.mkdir()
    (folder / "b.onnx").write_bytes(b"\x08\x08")
    outcome = real(command, "net")
    said = " ".join((outcome.stdout + outcome.stderr).split())
    assert "net/b.onnx is an ONNX model: 'snd convert net/b.onnx -o FOLDER' writes it in SkriptND" in said
    assert "snd init" not in said
