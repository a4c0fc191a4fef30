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
