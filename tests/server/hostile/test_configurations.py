"""Configurations that can't be read cost a message that names the file, and status 2; the server goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from snd_server.settings.config import Configurations
from snd_server.workspace_files.config_error import ConfigError

ATTACKS = {
    "deep": ("a=" + "[" * 20_000, "its values are nested too deeply"),
    "deep-tables": ("a=" + "{a=" * 20_000, "its values are nested too deeply"),
    "digits": ("line-width = " + "9" * 5_000, "5000 digits"),
    "dots": ("a." * 100_000 + "a = 1", "there are too many dots in a line"),
    "dots-in-head": ("[" + "a." * 100_000 + "a]", "there are too many dots in a line"),
    "zeros": ("a = 1" + "\0" * 100, "snd.toml:1:"),
    "unknown": ("".join(f"k{at} = 1\n" for at in range(40_000)), "snd.toml:1: unknown key 'k0'"),
    "long-key": ("k" * 300_000 + " = 1", "unknown key 'kkk"),
    "long-rule": ('ignore = ["' + "k" * 300_000 + '"]', "there is no rule 'kkk"),
    "module-paths": ("module-paths = [" + '"a",' * 20_000 + "]", "'module-paths' has 20,000 folders"),
    "targets": ('[targets]\n"\\u001b[2J\\n::error::x" = "y"', ": :error::x', only tosa"),
    "targets-of-lists": ("targets = { tosa = [[]] }", "'tosa' must be"),
    "many-targets": ("[targets]\n" + "".join(f"k{at} = 1\n" for at in range(30_000)), "there is no target 'k0'"),
    "many-rules": ("ignore = [" + '"kk",' * 50_000 + "]", "there is no rule 'kk'"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_message_and_status_2(project: Path, real, attack: str):
    text, message = ATTACKS[attack]
    (project / "snd.toml").write_text(text)
    (project / "a.sknd").write_text("")
    for command in ("check", "fmt", "test"):
        outcome = real(command)
        assert (outcome.status, outcome.stdout) == (2, "")
        assert outcome.stderr.startswith("Error: snd.toml")
        assert message in outcome.stderr
        assert len(outcome.stderr) < 1_000


@pytest.mark.parametrize("attack", ATTACKS)
def test_who_goes_on_has_defaults_and_few_messages(project: Path, attack: str):
    """As the server does."""
    (project / "snd.toml").write_text(ATTACKS[attack][0])
    told: list[ConfigError] = []
    configuration = Configurations(wrong=told.append).of_file("a.sknd")
    assert configuration.settings.line_width == Configurations().of_file("/a.sknd").settings.line_width
    assert 1 <= len(told) <= 10
    assert all(len(str(each)) < 1_000 for each in told)


def test_dots_in_ordinary_files_are_no_attack(project: Path):
    dependencies = ", ".join(f'"package{at}>=1.2.{at}"' for at in range(500))
    (project / "pyproject.toml").write_text(
        f"[project]\ndependencies = [{dependencies}]\n[tool.snd]\nline-width = 50\n"
    )
    assert Configurations().of_file("a.sknd").settings.line_width == 50
