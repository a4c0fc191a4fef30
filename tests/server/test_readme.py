"""The README's commands do what it says."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from support.server import processes

README = (processes.ROOT / "README.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Every command in the README, with the output that is shown below it (none: it is not shown)."""
    shown = "".join(_BLOCK.findall(README))
    return [(command, output) for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", shown, re.MULTILINE)]


def test_there_are_commands():
    assert len(commands()) > 10


@pytest.mark.parametrize(("command", "output"), commands())
def test_command(command, output):
    process = subprocess.run(
        re.sub(r"\bsnd (check|fmt|rule|run|shapes|test)\b", rf"{sys.executable} -m snd_server \1", command),
        shell=True,
        cwd=processes.ROOT,
        env=processes.environment(),
        capture_output=True,
        encoding="utf-8",
    )
    assert process.returncode == 0, process.stdout + process.stderr
    if output:
        assert process.stdout == output


@pytest.mark.parametrize(
    "option", ["--format", "--fix", "--diff", "--unsafe-fixes", "--watch", "--statistics", "--no-cache"]
)
def test_every_important_option_is_mentioned(option):
    assert option in README


def test_the_configuration_shown_is_valid(snd, project):
    from snd_server.config_schema import parse_settings

    section = README.partition("\n## Configuration\n")[2].partition("\n## ")[0]
    (shown,) = re.findall(r"^```toml\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    with_known_rules = shown.replace("unused-import", "odd")
    assert parse_settings(with_known_rules, "README.md", ()) is not None


def test_the_first_mistake_is_what_check_says(real, project):
    """The model at the top of the README, and the message below it."""
    model, message = re.search(r"^```sknd\n(.*?)^```.*?^```text\n(.*?)^```", README, re.MULTILINE | re.DOTALL).groups()
    (project / "classifier.sknd").write_text(model)
    outcome = real("check", "classifier.sknd", "--no-cache")
    assert outcome.status == 1
    assert outcome.stdout.startswith(message.rstrip("\n"))
