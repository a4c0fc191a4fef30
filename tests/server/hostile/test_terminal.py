"""Names, texts and messages with control characters, line breaks and commands of CI systems steer nothing."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from snd_server.console.terminal import harmless, json_text, visible_diff
from snd_server.render import FORMATS

ESCAPE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066\x7f\r##[add-path]/tmp##vso[task.setvariable]"
COMMAND = "::set-output name=a::b"
FOLDER = f"x\n  {COMMAND}\n{ESCAPE.replace('/', '|')}"
NAME = FOLDER + ".sknd"

TEXT = f"""
operator f {{@attrib{{a:str='{ESCAPE}';}}@input{{x:real[2];}}@output{{y:real[2];}}@compose{{y=x;}}}}
# {ESCAPE}
  {COMMAND}
graph G {{@input{{x:real[2];}}@output{{y:real[2];z:str[1];}}@compose{{y=f{{a='{ESCAPE}'}}(x);z='{ESCAPE} ##[x]';}}}}
\x1b[1m ##[command]
"""
RUNS = "graph G{@input{x:real[2];}@output{z:str[2];}@constant{c:str[2]=['TEXT','##[x]'];}@compose{z=c;}}\n".replace(
    "TEXT", ESCAPE.replace("\r", "")
)
COMMANDS = [
    *(("check", "--format", name, "-v") for name in FORMATS),
    ("check", "--statistics"), ("check", "--diff", "--unsafe-fixes"), ("check", "--no-such\x1b[2J\n::error::x"),
    ("check", "\x1b[2J\n::error::gone"), ("check", "--select", "no-rule\x1b[2J\n::error::gone"),
    ("fmt", "--check"), ("fmt", "--diff"), ("fmt", "\x1b[2J\n::error::gone"), ("rule", "\x1b[2J\n::error::gone"),
    ("test",), ("test", "--format", "concise"), ("check", "--config", "no\n::error::\x1b[2J.toml"),
]  # fmt: skip


def demand_harmless(text: str) -> None:
    """Fails for what a terminal or a CI system would carry out."""
    wrong = [character for character in text if not character.isprintable() and character != "\n"]
    assert not wrong, text
    assert "##[" not in text
    assert "##vso[" not in text
    assert not re.search(r"^\s*::", text, re.MULTILINE), text


@pytest.fixture
def hostile(project: Path) -> Path:
    (project / NAME).write_text(TEXT)
    (project / FOLDER).mkdir()
    (project / FOLDER / "a.sknd").write_bytes(b"\xff")
    (project / FOLDER / "b.sknd").write_text("import nn;\n# \x1b[2J\x9b31m\u202e ##[x]\n# a\n")
    return project


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: repr(" ".join(command)))
def test_what_is_printed_steers_nothing(hostile: Path, real, command: tuple[str, ...]):
    outcome = real(*command)
    stdout = outcome.stdout
    assert stdout + outcome.stderr
    if "github" in command:  # which is made of commands: ours, one a line
        assert all(re.match(r"::(error|warning|notice) title=snd ", line) for line in stdout.splitlines())
        stdout = re.sub(r"(?m)^::", "", stdout)
    demand_harmless(stdout)
    demand_harmless(outcome.stderr)
    if {"json", "sarif", "gitlab"} & {*command}:
        assert "set-output" in json.dumps(json.loads(outcome.stdout))


@pytest.mark.parametrize("text", ["a = '%s'", "%s = 1", "ignore = ['%s']", "exclude = '%s'", "a = \x1b%s"])
def test_mistakes_in_configurations_steer_nothing(project: Path, real, text: str):
    (project / "a.sknd").write_text("")
    (project / "snd.toml").write_text(text % "\x9b31m\u202e##[x]")
    outcome = real("check")
    assert outcome.status == 2
    assert "snd.toml:1:" in outcome.stderr
    demand_harmless(outcome.stderr)


@pytest.mark.parametrize("format", ["table", "json"])
@pytest.mark.parametrize("command", ["run", "shapes"])
def test_values_steer_nothing(project: Path, real, command: str, format: str):
    (project / "a.sknd").write_text(RUNS)
    outcome = real(command, "a.sknd", "--format", format)
    assert outcome.status == 0
    demand_harmless(outcome.stdout)
    if (command, format) == ("run", "json"):
        written = json.dumps(json.loads(outcome.stdout), ensure_ascii=False)
        assert json.dumps(ESCAPE.replace("\r", ""), ensure_ascii=False)[1:-1] in written
    if command == "run":
        traced = real(command, "a.sknd", "--trace")
        assert "owned" in traced.stdout
        demand_harmless(traced.stdout)


@pytest.mark.parametrize("format", ["dot", "json", "svg"])
def test_drawings_steer_nothing(project: Path, real, format: str):
    (project / "a.sknd").write_text(RUNS)
    outcome = real("graph", "a.sknd", "--format", format)
    assert outcome.status == 0
    demand_harmless(outcome.stdout.replace("##[x]", ""))


def test_diffs_in_files_are_exact(tmp_path: Path):
    diff = "--- a\n+++ a\n@@ -1 +1 @@\n-\ta\x1b\x0c\r\n+b\x1b\u2028 ::x ##[y]\r\n"
    with (tmp_path / "a.diff").open("w") as stream:
        assert visible_diff(diff, stream) == diff
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "w") as stream:
        assert visible_diff(diff, stream) == diff.replace("\x1b", "␛").replace("\x0c", "␌").replace(
            "\u2028", "\ufffd"
        ).replace("##[", "## [")


def test_what_commands_are():
    assert harmless("a ::b\n  ::error::x\n\t::y\na ##[z] ##vso[w] ## [v] #[u]\n") == (
        "a ::b\n  : :error::x\n\t: :y\na ## [z] ## vso[w] ## [v] #[u]\n"
    )


def test_json_holds_what_it_held():
    value = {"\x9b": ["\u202e", "\x7f", "##[a]", "##vso[b]", "\U000e0041", "é世", "\ud800"]}
    text = json_text(value)
    assert json.loads(text) == value
    assert "é世" in text
    demand_harmless(text.replace("\ud800", ""))


def test_everything_is_printed_by_the_one_module():
    root = Path(__file__).parents[3] / "server" / "snd_server"
    allowed = {
        "console/terminal.py", "console/tracebacks.py",
        "render/drawings/drawing_process.py",  # talks to the process that started it
        "render/shapes.py",  # whose tables rich prints into a string
        "commands/watch.py",  # clears the screen
        "lsp/wire/transport.py",  # says where it listens
        "workspace_files/writing.py",  # writes results into a pipe, as the bytes of their format
    }  # fmt: skip
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if re.search(r"click\.s?echo\(|\bprint\(|std(out|err)\.(write|buffer\.write|flush)", path.read_text("utf-8"))
    }
    assert found == allowed
