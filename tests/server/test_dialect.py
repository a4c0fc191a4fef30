"""The dialect of NNEF 1.0 that a configuration names holds instead of what a file tells."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

PLAIN = """version 1.0;

graph net(x) -> (y)
{
    x = external(shape = [1, 4]);
    y = square(x);
}
"""
"""``square`` is an operation of tract alone, but by its name nothing tells that."""
OF_TRACT = """version 1.0;

extension tract_symbol B;

graph net(x) -> (y)
{
    x = external(shape = [1, 4]);
    y = constant(shape = [], value = [1.0]);
}
"""
"""``constant`` is an operation of the text alone."""


def _rules(real: Run, *arguments: str) -> list[str]:
    found = json.loads(real("check", "graph.nnef", "--format", "json", *arguments).stdout)
    return [each["rule"] for each in found["diagnostics"]]


@pytest.mark.parametrize(
    ("text", "dialect", "wrong"),
    [
        (PLAIN, None, "unknown-operator"),
        (PLAIN, "khronos", "unknown-operator"),
        (PLAIN, "tract", None),
        (OF_TRACT, None, "unsupported-by-tract"),
        (OF_TRACT, "tract", "unsupported-by-tract"),
    ],
)
def test_the_configured_dialect_holds(real: Run, project: Path, text: str, dialect: str | None, wrong: str | None):
    (project / "graph.nnef").write_text(text)
    for _ in range(2):  # the second answer may come from the cache
        if dialect is not None:
            (project / "snd.toml").write_text(f'dialect = "{dialect}"\n')
        found = _rules(real)
        assert found == [] if wrong is None else wrong in found, found


def test_the_other_dialect_holds_after_a_change_of_the_configuration(real: Run, project: Path):
    (project / "graph.nnef").write_text(PLAIN)
    for dialect, is_wrong in (("khronos", True), ("tract", False), ("khronos", True)):
        (project / "snd.toml").write_text(f'dialect = "{dialect}"\n')
        assert bool(_rules(real)) is is_wrong


def test_values_are_those_of_the_configured_dialect(real: Run, project: Path):
    (project / "graph.nnef").write_text(PLAIN)
    (project / "snd.toml").write_text('dialect = "tract"\n')
    outcome = real("run", "graph.nnef", "--input", "x=[[1.0, 2.0, 3.0, 4.0]]", "--format", "json")
    assert outcome.status == 0, outcome.stdout + outcome.stderr
    assert "16.0" in outcome.stdout


def test_a_dialect_that_there_is_not_is_refused(real: Run, project: Path):
    (project / "graph.nnef").write_text(PLAIN)
    (project / "snd.toml").write_text('dialect = "onnx"\n')
    outcome = real("check", "graph.nnef")
    assert outcome.status == 2
    assert "snd.toml:1: 'dialect' must be 'khronos' or 'tract'" in outcome.stderr
