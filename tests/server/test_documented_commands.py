"""Commands, options and targets that the documents name are there."""

from __future__ import annotations

import re

import click

from snd_server.cli.root import snd
from support.server import processes

TEXTS = {
    path.relative_to(processes.ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (
        *processes.ROOT.glob("*.md"),
        *processes.ROOT.glob("docs/**/*.md"),
        processes.ROOT / "vscode-extension/README.md",
        processes.ROOT / "editors/nvim/doc/snd.txt",
    )
}
_COMMAND = re.compile(r"(?:^\$ |^|`|\| )snd ([a-z]+)\b([^`|\n]*)", re.MULTILINE)
_FLAG = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
# Options of other programs that the documents tell to run.
_OF_OTHERS = {
    "--headless",
    "--install-extension",
    "--strict",
    "--exhaustive",
    "--update-goldens",
    "--onnx",
    "--abi",
    "--grammar",
    "--health",
}


def options() -> dict[str, set[str]]:
    """The options of each command."""
    context = click.Context(snd)
    found: dict[str, set[str]] = {}
    for name in snd.list_commands(context):
        command = snd.get_command(context, name)
        assert command is not None
        found[name] = {flag for each in command.params for flag in (*each.opts, *each.secondary_opts)} | {"--help"}
    return found


def test_commands_have_the_options_they_are_shown_with():
    known = options()
    shown = [(path, *command.groups()) for path, text in TEXTS.items() for command in _COMMAND.finditer(text)]
    of_commands = [(path, name, rest) for path, name, rest in shown if name in known]
    assert len(of_commands) > 50
    for path, name, rest in of_commands:
        assert set(_FLAG.findall(rest)) <= known[name], (path, name, rest)


def test_options_named_by_themselves_are_there():
    known = set().union(*options().values()) | {"--version"} | _OF_OTHERS
    for path, text in TEXTS.items():
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= known, path


def test_targets_are_those_of_the_makefile():
    makefile = (processes.ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    told = TEXTS["CONTRIBUTING.md"]
    named = set(re.findall(r"^make ([a-z-]+)", told, re.MULTILINE))
    assert named == targets


def test_snd_is_installed_from_a_checkout_since_no_index_has_it():
    for path, text in TEXTS.items():
        if path != "CHANGELOG.md":
            assert not re.findall(r"pip install '?snd\b|snd(?:-check)?@v\d|rev: v\d", text), path
