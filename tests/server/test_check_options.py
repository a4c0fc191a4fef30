"""Each option of ``snd check``, and the exit statuses (invariant 12)."""

from __future__ import annotations

import fcntl
import io
import json
import os
import signal
import subprocess
import sys
import termios
import threading
import time

import pytest

from snd_server.console.progress import busy
from snd_server.console.terminal import displays, say
from support.server import processes
from support.server.fake_analysis import FakeWorkspace
from support.waiting import FAR_SECONDS


@pytest.fixture
def mixed(project):
    (project / "a.sknd").write_text("wrong odd note maybe\n")
    return project


def rules(outcome) -> list[str]:
    return [f"{found['rule']}:{found['severity']}" for found in json.loads(outcome.stdout)["diagnostics"]]


@pytest.mark.parametrize(
    ("text", "arguments", "status"),
    [
        ("fine", [], 0),
        ("wrong", [], 1),
        ("wrong", ["--exit-zero"], 0),
        ("wrong", ["--warn", "wrong"], 0),
        ("wrong", ["--ignore", "wrong"], 0),
        ("odd", [], 0),
        ("odd", ["--error-on-warning"], 1),
        ("odd", ["--error", "odd"], 1),
        ("note", ["--error-on-warning"], 0),
        ("maybe", ["--error-on-warning", "-v"], 0),
        ("crash", [], 101),
        ("crash", ["--exit-zero", "--ignore", "all"], 101),
        ("fine", ["--frmat", "full"], 2),
        ("fine", ["--format", "yaml"], 2),
        ("fine", ["missing.sknd"], 2),
        ("fine", ["--fix", "--diff"], 2),
        ("fine", ["-q", "-v"], 2),
        ("fine", ["--watch", "--diff"], 2),
        ("fine", ["--config", "missing.toml"], 2),
        ("fine", ["--stdin-filename", "a.sknd", "a.sknd"], 2),
        ("fine", ["--output-file", "missing/report.txt"], 2),
        ("fine", ["--error", "odd", "--warn", "odd"], 2),
    ],
)
def test_exit_status(text, arguments, status, snd, project):
    (project / "a.sknd").write_text(text)
    outcome = snd("check", *arguments)
    assert outcome.status == status
    assert (status == 2) == outcome.stderr.startswith(("Error", "Usage"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["wrong:error", "odd:warning", "note:info", "maybe:hint"]),
        (["--select", "odd,maybe"], ["odd:warning", "maybe:hint"]),
        (["--select", "odd", "--select", "note"], ["odd:warning", "note:info"]),
        (["--select", "all", "--ignore", "odd"], ["wrong:error", "note:info", "maybe:hint"]),
        (["--ignore", "all", "--select", "odd"], ["odd:warning"]),
        (["--ignore", "odd, maybe"], ["wrong:error", "note:info"]),
        (["--warn", "all"], ["wrong:warning", "odd:warning", "note:warning", "maybe:warning"]),
        (["--warn", "all", "--error", "note"], ["wrong:warning", "odd:warning", "note:error", "maybe:warning"]),
        (["--select", "odd", "--error", "wrong"], ["odd:warning"]),
    ],
)
@pytest.mark.usefixtures("mixed")
def test_rules_and_severities(arguments, expected, snd):
    assert rules(snd("check", "--format", "json", *arguments)) == expected


@pytest.mark.parametrize("option", ["--select", "--ignore", "--error", "--warn"])
def test_an_unknown_rule_is_misuse_with_a_suggestion(option, snd, project):
    outcome = snd("check", option, "odd,wrnog")
    assert outcome.status == 2
    assert "there is no rule 'wrnog'; did you mean 'wrong'?" in outcome.stderr


@pytest.mark.usefixtures("mixed")
def test_hints_are_for_programs_and_for_those_who_ask(snd):
    assert "maybe" not in snd("check", "--format", "concise").stdout
    assert "hint[maybe]" in snd("check", "--format", "concise", "-v").stdout
    assert "maybe" in snd("check", "--format", "jsonl").stdout


@pytest.mark.usefixtures("mixed")
def test_quiet_prints_diagnostics_only(snd):
    outcome = snd("check", "-q", "--format", "concise")
    assert len(outcome.stdout.splitlines()) == 3
    assert snd("check", "-q", "--select", "block").stdout == ""


@pytest.mark.usefixtures("mixed")
def test_output_file(snd, mixed):
    outcome = snd("check", "--format", "json", "--output-file", "report.json")
    assert outcome.stdout == ""
    assert len(json.loads((mixed / "report.json").read_text())["diagnostics"]) == 4


def test_standard_input(snd, project):
    (project / "base.sknd").write_text("echo\n")
    text = b"import base\necho wrong\n"
    outcome = snd("check", "--format", "json", "--stdin-filename", "models/x.sknd", "-", stdin=b"import base\n")
    assert rules(outcome) == ["missing-module:error"]
    outcome = snd("check", "--format", "json", "--stdin-filename", "x.sknd", "-", stdin=text)
    assert rules(outcome) == ["echo:error", "wrong:error"]
    assert json.loads(outcome.stdout)["diagnostics"][0]["related"][0]["path"] == "base.sknd"
    assert rules(snd("check", "--format", "json", "--stdin-filename", "x.sknd", stdin=text)) == rules(outcome)
    assert snd("check", "x.sknd", "-").status == 2
    assert "<stdin>:1:1" in snd("check", "-", "--format", "concise", stdin=b"odd").stdout


def test_a_fault_of_ours_costs_one_file(snd, project):
    (project / "a.sknd").write_text("wrong crash\n")
    (project / "b.sknd").write_text("wrong\n")
    outcome = snd("check", "--format", "concise")
    assert outcome.status == 101
    assert "a.sknd:1:1: error[internal-error]" in outcome.stdout
    assert "RuntimeError: the fake analysis" in outcome.stdout
    assert "b.sknd:1:1: error[wrong]" in outcome.stdout
    assert "Traceback" in snd("check", "-v").stderr


def test_a_fault_outside_the_files_is_reported_without_traceback(snd, project, monkeypatch):
    (project / "a.sknd").write_text("fine\n")

    def fail(*arguments):
        raise ZeroDivisionError("by design")

    monkeypatch.setattr("snd_server.commands.check.render", fail)
    outcome = snd("check")
    assert outcome.status == 101
    assert "ZeroDivisionError: by design" in outcome.stderr


def test_version_and_help(snd):
    from snd_server import __version__

    assert snd("--version").stdout == f"snd, version {__version__}\n"
    assert "check" in snd("--help").stdout
    assert "--error-on-warning" in snd("check", "--help").stdout
    assert snd("chekc").status == 2


def test_progress_is_for_terminals(snd, project, monkeypatch):
    for number in range(20):
        (project / f"{number:02}.sknd").write_text("fine\n")
    monkeypatch.setattr("snd_server.console.progress._PATIENCE", -1.0)
    assert snd("check", "--no-cache").stderr == ""
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    outcome = snd("check", "--no-cache")
    assert outcome.stdout == "All 20 files are clean\n"
    assert "Checking" in terminal.getvalue()
    assert len(FakeWorkspace.analysed) == 40


def test_a_spinner_makes_way_for_what_is_printed(monkeypatch, capsys):
    shown = threading.Event()

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            if "Converting" in text:
                shown.set()
            return super().write(text)

    monkeypatch.setattr("snd_server.console.progress._PATIENCE", 0.0)
    with busy("Converting"):
        say("no terminal")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys, "stderr", Terminal())
    with busy("Converting"):
        assert shown.wait(FAR_SECONDS)
        say("half is done")
        shown.clear()
        assert shown.wait(FAR_SECONDS), "it goes on"
    assert capsys.readouterr().out == "half is done\n"
    assert not displays


def test_interruption_is_status_130(project):
    process = subprocess.Popen(
        [sys.executable, "-m", "snd_server", "check", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=processes.environment(),
    )
    process.stdin.write(b"\n")
    process.stdin.flush()
    while any(fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))):  # until it waits for more
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=FAR_SECONDS)
    assert process.returncode == 130
    assert b"Traceback" not in output + errors


def test_a_reader_that_goes_away_is_no_fault(project):
    process = subprocess.Popen(
        [sys.executable, "-m", "snd_server", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**processes.environment(), "PYTHONUNBUFFERED": "1"},
    )
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait(timeout=FAR_SECONDS)
    assert process.returncode == 2
