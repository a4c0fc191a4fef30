"""The command over the real analysis: what the fake one cannot show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import snd_analysis
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd import lints
from support.sampling import sample, tries

LIBRARY = Path(snd_analysis.__file__).parent / "libraries" / "std"


def test_every_rule_that_the_command_knows_by_name_exists():
    assert {"invalid-encoding", "unreadable-file", "internal-error"} <= {*catalogue.names()}


def test_the_pages_about_suppressions_show_what_they_say(real, project):
    for rule in (
        lints.UNUSED_SUPPRESSION,
        lints.UNKNOWN_RULE_IN_SUPPRESSION,
        lints.BLANKET_SUPPRESSION,
        lints.UNKNOWN_DIRECTIVE,
    ):
        page = catalogue.page(rule)
        for text, expected in ((page.bad, [rule.name]), (page.good, [])):
            (project / "a.sknd").write_text(text)
            document = json.loads(real("check", "--format", "json").stdout)
            assert [found["rule"] for found in document["diagnostics"]] == expected


def test_the_library_is_clean(real):
    outcome = real("check", *map(str, sample(sorted(LIBRARY.glob("*.sknd")), 4)), "-v", "--format", "concise")
    assert outcome.stdout.endswith("files are clean\n")
    assert outcome.status == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\xef\xbb\xbf",
        b"\0",
        b"\0" * 1000,
        b"graph g {\0}",
        b"\xff\xfe",
        b"operator f {\xc3\x28}",
        b"\xef\xbb\xbfgraph g {\r\n",
        b"graph\rg\r{",
        b"(" * 10_000,
        b"graph g { @compose { y = " + b"(" * 10_000 + b"x" + b")" * 10_000 + b"; } }",
        b"graph g { @compose { y = " + b"[" * 10_000,
        b"operator f { @assert { " + b"! " * 10_000 + b"true; } }",
        b"'" * 999,
        b"'{" * 999,
        b"# snd: ignore\n" * 1000,
    ],
    ids=range(17),
)
def test_no_input_brings_it_down(content, real, project):
    (project / "a.sknd").write_bytes(content)
    outcome = real("check", "--format", "json")
    assert outcome.status in (0, 1)
    assert "internal-error" not in outcome.stdout
    for name in ("full", "sarif", "junit", "gitlab"):
        assert real("check", "--format", name).status == outcome.status


def test_very_many_lines(real, project):
    lines = b"        y = x;\n" * tries(10_000, 100_000)
    (project / "a.sknd").write_bytes(b"graph g {\n    @compose {\n" + lines + b"    }\n}\n")
    outcome = real("check", "--statistics")
    assert outcome.status in (0, 1)
    assert "internal-error" not in outcome.stdout


def test_fixing_leaves_text_that_is_no_worse(real, project):
    (project / "a.sknd").write_text("import math, math;\n\noperator f {\n    @input { x: real[n] }\n}\n")
    before = json.loads(real("check", "--format", "json").stdout)["summary"]
    real("check", "--fix", "--unsafe-fixes")
    after = json.loads(real("check", "--format", "json").stdout)["summary"]
    assert after["errors"] <= before["errors"]
    assert real("check", "--diff", "--unsafe-fixes").stdout == ""


TWICE = """\
import math;
graph g { @input { x: real[2,3]; x: real[3]; } @output { y: real[2,3]; } @compose { y = math.neg(x); } }
"""


def test_a_line_is_printed_once_with_all_its_labels(real, project):
    (project / "a.sknd").write_text(TWICE)
    shown = real("check", "a.sknd").stdout
    assert shown.count("graph g {") == 1
    assert f"\n  | {' ' * 33}^\n  | {' ' * 19}- first declared here\n" in shown
    (project / "a.sknd").write_text(TWICE.replace("x: real[3];", "\n    x: real[3];"))
    shown = real("check", "a.sknd").stdout
    assert shown.count("graph g {") == 1
    assert "note: first declared here\n" in shown, "a note about another line has a frame of its own"


def test_labels_of_a_long_line_that_lie_far_apart_have_frames_of_their_own(real, project):
    (project / "a.sknd").write_text(TWICE.replace("x: real[3];", f"{'z: real[3]; ' * 1}{' ' * 300}x: real[3];"))
    shown = real("check", "a.sknd").stdout
    assert "note: first declared here\n" in shown
    assert all(len(line) <= 130 for line in shown.split("\n"))
