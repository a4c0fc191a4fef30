"""``-v``: every command has it, before the command and after it, and an internal error shows its traceback then."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import pytest

from snd_server.cli.root import snd as group

COMMANDS = group.list_commands(click.Context(group))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_the_traceback_that_its_message_recommends(
    command: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    from snd_server.cli import main

    def fail(*arguments: object, **options: object) -> int:
        raise ZeroDivisionError("by design")

    found = group.get_command(click.Context(group), command)
    assert found is not None
    monkeypatch.setattr(found, "callback", fail)
    for parameter in found.params:
        monkeypatch.setattr(parameter, "required", False)
    for arguments, shows in (([command], False), (["-v", command], True), ([command, "-v"], True), ([command], False)):
        monkeypatch.setattr(sys, "argv", ["snd", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 101
        shown = capsys.readouterr().err
        assert "-v shows the traceback" in shown
        assert ("Traceback" in shown) == shows


def test_verbose_before_check_is_verbose_of_check(real, project: Path):
    (project / "a.sknd").write_text("import math;\noperator f { @input { x: real[n]; } @output { y: real[n]; } }\n")
    assert real("-v", "check", "a.sknd").stdout == real("check", "-v", "a.sknd").stdout
    assert real("-v", "check", "-q", "a.sknd").status == 2


MODEL = """import math;
graph net { @input { x: real[2]; } @output { y: real[2]; } @compose { y = math.neg(x); } }
"""


@pytest.mark.parametrize(
    "words", ["check --no-cache", "run", "shapes", "graph -o drawn.svg", "export -o net.onnx", "fmt --check"]
)
def test_an_option_after_a_command_changes_no_other_option(words: str, real, project: Path):
    """``--graph`` is an option of some commands, and ``graph`` the name of one."""
    (project / "net.sknd").write_text(MODEL)
    command, *options = words.split()
    before, after = real("-v", command, *options, "net.sknd"), real(command, "-v", *options, "net.sknd")
    assert (after.status, after.stdout, after.stderr) == (before.status, before.stdout, before.stderr)
    assert "verbose" not in after.stderr
    assert after.status == real(command, *options, "net.sknd").status
