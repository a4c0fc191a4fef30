"""Comments that name rules without end are reported shortly."""

from __future__ import annotations

from pathlib import Path


def test_many_unknown_rules_take_few_words(project: Path, real):
    (project / "a.sknd").write_text(f"# snd: ignore[{','.join(f'r{at}' for at in range(200_000))}]\n")
    outcome = real("check", "--format", "concise")
    assert outcome.stdout.count("there is no rule 'r") == 20
    assert "This comment names 199,980 more that do not exist" in outcome.stdout
    assert len(outcome.stdout) < 10_000


def test_a_long_unknown_rule_takes_few_words(project: Path, real):
    (project / "a.sknd").write_text(f"# snd: ignore[{'r' * 1_000_000}]\n")
    assert len(real("check", "--format", "concise").stdout) < 1_000
