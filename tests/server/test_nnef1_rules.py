"""Rules of NNEF 1.0 on the command line: fixes of plain files, and pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snd_analysis.rules import catalogue

Run = Callable[..., Any]

PLAIN = """version 1.0;
graph net(x) -> (y)
{
    x = external(shape = [2]);
    y = INVOCATION;
}
"""
RULES = [name for name, rule in catalogue.rules().items() if catalogue.page(rule).bad.startswith("version 1.0;")]


@pytest.mark.parametrize(
    ("invocation", "rule", "line"),
    [
        ("tract_core_erf(x)", "missing-registry", "extension tract_registry tract_core;"),
        ("x + 1.0", "missing-extension", "extension KHR_enable_operator_expressions;"),
    ],
)
def test_the_missing_line_is_added(real: Run, project: Path, invocation: str, rule: str, line: str):
    file = project / "model.nnef"
    text = PLAIN.replace("INVOCATION", invocation)
    file.write_text(text)
    before = real("check", "model.nnef", "--format", "concise")
    assert before.status == 1
    assert rule in before.stdout
    fixed = real("check", "model.nnef", "--fix")
    assert fixed.status == 0, fixed.stdout + fixed.stderr
    assert file.read_text() == text.replace("version 1.0;\n", f"version 1.0;\n{line}\n")
    assert real("check", "model.nnef").status == 0


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_explained_with_its_example(real: Run, rule: str):
    outcome = real("rule", rule)
    assert outcome.status == 0
    assert rule in outcome.stdout.splitlines()[0]
    assert "version 1.0;" in outcome.stdout


def test_rules_of_each_kind_are_among_those():
    assert {"missing-registry", "missing-extension", "unread-tensor-file", "invalid-tensor-file"} <= {*RULES}
