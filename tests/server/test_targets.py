"""`[targets]` of the configuration switches on the rules of a profile of TOSA."""

from __future__ import annotations

from pathlib import Path

import pytest

GRAPH = """import tosa, math;

graph main {
    @input {
        x: real[4];
    }
    @output {
        y: real[4];
    }
    @compose {
        h = math.add(x, x);
        y = tosa.exp(h);
    }
}
"""
RULES = {"base-inference": 2, "main-inference": 1, "main-training": 1, None: 0}


@pytest.mark.parametrize("profile", RULES)
def test_a_profile_switches_on_its_rules(real, project: Path, profile: str | None):
    (project / "main.sknd").write_text(GRAPH)
    if profile is not None:
        (project / "snd.toml").write_text(f'[targets]\ntosa = "{profile}"\n')
    outcome = real("check", "--format", "concise", "--no-cache", ".")
    assert outcome.stdout.count("warning[tosa-operator]") == RULES[profile], outcome.stdout
    assert ("'math.add' is no operator of TOSA: write it with tosa.add" in outcome.stdout) == (profile is not None)


def test_the_fix_writes_the_counterpart(real, project: Path):
    (project / "main.sknd").write_text(GRAPH)
    (project / "snd.toml").write_text('[targets]\ntosa = "main-inference"\n')
    assert real("check", "--fix", "--unsafe-fixes", "--no-cache", ".").status == 0
    assert (project / "main.sknd").read_text() == GRAPH.replace("math.add", "tosa.add").replace("tosa, math", "tosa")


def test_what_there_is_not_is_refused(real, project: Path):
    (project / "main.sknd").write_text(GRAPH)
    for text, message in (
        ('tosa = "base"', "'tosa' must be 'base-inference' or 'main-inference' or 'main-training'"),
        ('onnx = "1"', "'targets': there is no target 'onnx', only tosa"),
    ):
        (project / "snd.toml").write_text(f"[targets]\n{text}\n")
        outcome = real("check", ".")
        assert outcome.status == 2
        assert message in outcome.stderr


LIBRARY = """import tosa, math, layout, nn, linalg;

graph main {
    @input {
        x: real[2,3];
        m: real[1,2,3];
        o: real[1,3,2];
    }
    @variable {
        g: real[2,3];
        b: real[2];
    }
    @output {
        r: real[2,1];
        t: real[3,2];
        u: real[3,2];
        v: real[1,6];
        c: real[2,6];
        d: real[4,3];
        s: real[1,2];
        p: real[3,3];
        a: int[3];
        l: real[2,2];
        k: real[1,2,2];
        n: real[2,3];
        w: real[3];
        z: real[2,3];
    }
    @compose {
        r = math.sum_reduce{axes=[-1]}(x);
        t = layout.transpose(x);
        u = layout.reshape{shape=[3,-1]}(x);
        f = layout.flatten(x);
        v = layout.unsqueeze{axes=[0]}(f);
        c = layout.concat{axis=-1}([x, x]);
        d = layout.tile{repeats=[2,1]}(x);
        s = layout.slice{axes=[1,0], begin=[1,1], end=[3,2]}(x);
        p = layout.pad{axes=[-2], padding=[0,1]}(x);
        a = math.argmax{axis=0, squeeze=true}(x);
        l = nn.linear(x, g, b);
        k = linalg.matmul(m, o);
        n = nn.relu{max=0.5}(x);
        w = math.sum_reduce{axes=[0], squeeze=true}(x);
        z = tosa.abs(x);
    }
}
"""


def test_invocations_with_attributes_are_written_with_tosa(real, project: Path):
    """The values stay; a reduction that drops its dimension has no counterpart, so it has no fix."""
    (project / "main.sknd").write_text(LIBRARY)
    inputs = ("x=[[1.5,-2,3],[0,4,-1]]", "m=iota[1,2,3]", "o=iota[1,3,2]")
    given = [part for each in inputs for part in ("--input", each)]
    before = real("run", "main.sknd", *given)
    assert before.status == 0, before.stderr
    (project / "snd.toml").write_text('[targets]\ntosa = "main-inference"\n')
    assert real("check", "--fix", "--unsafe-fixes", "--no-cache", ".").status == 0
    written = (project / "main.sknd").read_text()
    for invocation in (
        "tosa.reduce_sum{axis=1}(x)", "tosa.transpose{perms=[1,0]}(x)", "tosa.reshape{new_shape=[3,2]}(x)",
        "tosa.reshape{new_shape=[6]}(x)",
        "tosa.reshape{new_shape=[1,6]}(f)", "tosa.concat{axis=1}([x, x])",
        "tosa.tile{multiples=[2,1]}(x)", "tosa.slice{start=[1,1], size=[1,2]}(x)", "tosa.pad{padding=[0,1,0,0]}(x)",
        "tosa.argmax{axis=0}(x)", "tosa.fully_connected(x, g, b)", "tosa.matmul(m, o)",
        "tosa.clamp{min_val=0.0, max_val=0.5}(x)", "math.sum_reduce{axes=[0], squeeze=true}(x)",
    ):  # fmt: skip
        assert f"= {invocation};" in written, invocation
    assert real("run", "main.sknd", *given).stdout == before.stdout
