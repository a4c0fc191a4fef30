"""What others install and run snd by: the wheel, the hooks of pre-commit, the action, the problem matcher."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import click
import pytest

from snd_analysis.skriptnd.names import format_modules, library_modules

ROOT = Path(__file__).parents[2]


def commands_in(text: str) -> list[str]:
    return re.findall(r"\bsnd ((?:check|fmt|test)\b[^\n\"`]*)", text)


@pytest.mark.parametrize("name", [".pre-commit-hooks.yaml", "action.yml", "docs/ci.md"])
def test_commands_exist_with_their_options(name):
    from snd_server.cli.root import snd

    context = click.Context(snd)
    found = commands_in((ROOT / name).read_text(encoding="utf-8"))
    assert found
    for command in found:
        subcommand, *words = command.split()
        known = {
            option
            for each in snd.get_command(context, subcommand).params
            for option in (*each.opts, *each.secondary_opts)
        }
        assert {word for word in words if word.startswith("--")} <= known, command


def test_problem_matcher_reads_a_concise_line(real, project):
    (project / "wrong.sknd").write_text("graph main {\n    @input { x: reel[2]; }\n}\n")
    lines = real("check", "--format", "concise", "wrong.sknd").stdout.splitlines()
    package = json.loads((ROOT / "vscode-extension" / "package.json").read_text(encoding="utf-8"))
    (matcher,) = package["contributes"]["problemMatchers"]
    pattern = re.compile(matcher["pattern"]["regexp"])
    matches = [pattern.match(line) for line in lines if line.startswith("wrong.sknd")]
    assert matches
    assert all(matches)
    assert matches[0][matcher["pattern"]["file"]] == "wrong.sknd"
    assert [int(each[matcher["pattern"]["line"]]) for each in matches] == sorted(
        int(line.split(":")[1]) for line in lines if line.startswith("wrong.sknd")
    )


@pytest.mark.exhaustive
def test_wheel_has_all_that_is_needed_and_runs_by_itself(tmp_path):
    """Built and installed in an environment of its own; pip gets what it depends on from where it always does."""
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path), str(ROOT)], check=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for package in ("snd", "snd_analysis", "snd_runtime", "snd_server"):
        assert f"{package}/py.typed" in names
    for module in (*library_modules(), *format_modules()):
        assert any(name.endswith(f"/{module}.sknd") for name in names), module
    assert not any(name.startswith("tests/") or name.endswith(".pyc") for name in names)
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = environment / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    command = [str(environment / "bin" / "snd"), "init", str(tmp_path / "net")]
    subprocess.run(command, check=True)
    for subcommand in ("check", "test", "run"):
        subprocess.run([command[0], subcommand, str(tmp_path / "net")], check=True)
