"""Output of each format, byte by byte; the goldens are rewritten with ``pytest --update-goldens``."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from support.server.processes import ROOT

FORMATS = ["full", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit"]
SUFFIXES = {"full": "txt", "concise": "txt", "github": "txt", "junit": "xml"}


@pytest.fixture
def mistakes(project: Path) -> Path:
    (project / "models").mkdir()
    (project / "models/base.sknd").write_text("fine\n\techo here\n")
    (project / "models/main.sknd").write_text(
        "import base\n"
        "some wrong and wrong again\n"
        "\todd behind a tab, note too # maybe in a comment\n"
        "写 wrong 𝔘 odd\n"
        "echo begin one\n"
        "  two\n"
        "  three\n"
        "  four\n"
        "  five end maybe\n"
        f"{'x' * 300} wrong {'y' * 300}\n"
        "a control \x1b[31m wrong, 100%, a::b\n"
        "tangle",
        encoding="utf-8",
    )
    (project / "clean.sknd").write_text("fine\n")
    return project


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.usefixtures("mistakes")
def test_format(name, snd, golden):
    outcome = snd("check", "--format", name)
    assert outcome.status == 1
    assert outcome.stderr == ""
    golden(f"{name}.{SUFFIXES.get(name, 'json')}", outcome.stdout)


@pytest.mark.parametrize("name", FORMATS)
def test_format_of_a_clean_run(name, snd, golden, project):
    (project / "a.sknd").write_text("fine\n")
    (project / "b.sknd").write_text("fine\n")
    outcome = snd("check", "--format", name)
    assert outcome.status == 0
    golden(f"{name}-clean.{SUFFIXES.get(name, 'json')}", outcome.stdout)


@pytest.mark.usefixtures("mistakes")
def test_json_has_the_documented_shape(snd):
    document = json.loads(snd("check", "--format", "json").stdout)
    assert document.keys() == {"version", "diagnostics", "summary"}
    assert document["version"] == 1
    assert document["summary"] == {"files": 3, "errors": 9, "warnings": 2}
    astral = next(d for d in document["diagnostics"] if d["rule"] == "odd" and d["range"]["start"]["line"] == 4)
    assert astral["range"]["start"] == {"line": 4, "column": 11}
    for diagnostic in document["diagnostics"]:
        assert list(diagnostic) == ["path", "rule", "severity", "message", "range", "related", "fix", "url"]
        assert diagnostic["url"] == f"docs/rules.md#{diagnostic['rule']}"


@pytest.mark.usefixtures("mistakes")
def test_jsonl_says_the_same_as_json(snd):
    lines = snd("check", "--format", "jsonl").stdout.splitlines()
    document = json.loads(snd("check", "--format", "json").stdout)
    assert [json.loads(line) for line in lines] == document["diagnostics"]


@pytest.mark.usefixtures("mistakes")
def test_sarif_validates_against_its_schema(snd):
    from jsonschema import Draft7Validator

    schema = json.loads(Path(__file__).with_name("sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    log = json.loads(snd("check", "--format", "sarif").stdout)
    assert list(Draft7Validator(schema).iter_errors(log)) == []
    run = log["runs"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert list(Draft7Validator(schema).iter_errors(log)) != []


@pytest.mark.usefixtures("mistakes")
def test_gitlab_fingerprints_survive_lines_added_above(snd, mistakes):
    def fingerprints() -> list[str]:
        return [issue["fingerprint"] for issue in json.loads(snd("check", "--format", "gitlab").stdout)]

    before = fingerprints()
    main = mistakes / "models/main.sknd"
    main.write_text("new\n\n" + main.read_text(encoding="utf-8"), encoding="utf-8")
    assert fingerprints() == before
    assert len(set(before)) == len(before)


def test_gitlab_paths_are_relative_to_the_project(snd, project, monkeypatch):
    (project / "a.sknd").write_text("wrong\n")
    monkeypatch.setenv("CI_PROJECT_DIR", str(project.parent))
    issues = json.loads(snd("check", str(project / "a.sknd"), "--format", "gitlab").stdout)
    assert issues[0]["location"]["path"] == "project/a.sknd"


def test_github_escapes_what_its_syntax_uses(snd, project):
    (project / "a,b:c%.sknd").write_text("wrong")
    line = snd("check", "--format", "github").stdout
    assert line.startswith("::error title=snd (wrong),file=a%2Cb%3Ac%25.sknd,line=1,col=1,endLine=1,endColumn=6::")
    assert line.count("\n") == 1


@pytest.mark.usefixtures("mistakes")
def test_junit_is_well_formed_and_counts_failures(snd):
    root = ElementTree.fromstring(snd("check", "--format", "junit").stdout.encode())
    assert root.get("failures") == "9"
    root = ElementTree.fromstring(snd("check", "--format", "junit", "--error-on-warning").stdout.encode())
    assert root.get("failures") == "11"


def test_full_is_coloured_on_request_of_the_environment(snd, project, monkeypatch, golden):
    (project / "a.sknd").write_text("wrong\n")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("COLORTERM", raising=False)
    coloured = snd("check").stdout
    golden("full-coloured.txt", coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" in coloured
    assert "\x1b" not in snd("check").stdout


def test_no_format_lets_a_file_steer_the_terminal(snd, project):
    (project / "evil\x1b[2J.sknd").write_text("wrong \x1b[31m\u202e\n")
    for name in ("full", "concise"):
        outcome = snd("check", "--format", name)
        assert "\x1b" not in outcome.stdout
        assert "\u202e" not in outcome.stdout


@pytest.mark.usefixtures("mistakes")
def test_statistics(snd):
    outcome = snd("check", "--statistics")
    assert outcome.stdout.splitlines()[0].split() == ["5", "error", "wrong", "[*]"]
    rows = json.loads(snd("check", "--statistics", "--format", "json").stdout)
    assert rows[0] == {"rule": "wrong", "severity": "error", "count": 5, "fixable": 5}
    assert snd("check", "--statistics", "--format", "sarif").status == 2


@pytest.mark.parametrize("background", ["#000000", "#1e1e1e", "#ffffff", "#fdf6e3"])
def test_colours_can_be_read_on_light_and_dark_backgrounds(background):
    from rich.color import Color

    from snd_server.console.colours import READABLE

    behind = _luminance(*bytes.fromhex(background[1:]))
    for name, exact in READABLE.items():
        lighter, darker = sorted((_luminance(*Color.parse(exact).get_truecolor()), behind), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 3, (name, background)  # WCAG 2.2, for bold text and symbols


def _luminance(*channels: int) -> float:
    def linear(channel: int) -> float:
        part = channel / 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    return sum(weight * linear(each) for weight, each in zip((0.2126, 0.7152, 0.0722), channels, strict=True))


def test_styles_are_made_of_readable_colours():
    """No renderer has a colour that nobody looked at."""
    from snd_server.console.colours import READABLE

    folder = ROOT / "server" / "snd_server"
    names = "black|red|green|yellow|blue|magenta|cyan|white|grey|dim|bright_\\w+"
    rooms = ("render", "commands", "console")
    texts = [path.read_text(encoding="utf-8") for room in rooms for path in (folder / room).rglob("*.py")]
    used = {word for text in texts for word in re.findall(rf'"(?:bold )?({names})"', text)}
    assert {"red", "green"} <= used <= READABLE.keys()


@pytest.mark.parametrize(
    ("option", "variable", "coloured"),
    [
        ("auto", None, False),
        ("auto", "FORCE_COLOR", True),
        ("auto", "NO_COLOR", False),
        ("always", None, True),
        ("always", "NO_COLOR", True),
        ("never", "FORCE_COLOR", False),
    ],
)
def test_color_outweighs_the_environment(snd, project, monkeypatch, option, variable, coloured):
    (project / "a.sknd").write_text("wrong\n")
    monkeypatch.setenv("TERM", "dumb" if option == "always" else "xterm-256color")
    if variable is not None:
        monkeypatch.setenv(variable, "1")
    assert ("\x1b[" in snd("check", "--color", option).stdout) is coloured
