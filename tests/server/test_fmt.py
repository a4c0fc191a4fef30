"""``snd fmt`` rewrites files in the one style, keeps their modes and links, and leaves broken ones alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]

UGLY = "operator f{@attrib{a:int;}}\n"
NICE = "operator f {\n    @attrib {\n        a: int;\n    }\n}\n"


def test_files_are_rewritten(project: Path, real: Run):
    (project / "a.sknd").write_text(UGLY)
    (project / "b.sknd").write_text(NICE)
    outcome = real("fmt")
    assert outcome.status == 0
    assert outcome.stdout == "1 file reformatted, 1 file left unchanged\n"
    assert (project / "a.sknd").read_text() == NICE
    assert real("fmt").stdout == "2 files left unchanged\n"


def test_check_changes_nothing(project: Path, real: Run):
    (project / "a.sknd").write_text(UGLY)
    outcome = real("fmt", "--check", ".")
    assert outcome.status == 1
    assert outcome.stdout == "Would reformat: a.sknd\n1 file would be reformatted\n"
    assert (project / "a.sknd").read_text() == UGLY


def test_diff(project: Path, real: Run):
    (project / "a.sknd").write_text(UGLY)
    outcome = real("fmt", "--diff")
    assert outcome.status == 1
    assert "-operator f{@attrib{a:int;}}\n+operator f {\n" in outcome.stdout
    assert (project / "a.sknd").read_text() == UGLY


def test_standard_input(project: Path, real: Run):
    assert real("fmt", "-", stdin=UGLY.encode()).stdout == NICE
    assert real("fmt", "--check", "-", stdin=UGLY.encode()).status == 1
    assert real("fmt", "--check", "-", stdin=NICE.encode()).status == 0
    assert real("fmt", "-", stdin=b"\xff\xfe\x00").status == 2


def test_width_comes_from_the_configuration(project: Path, real: Run):
    (project / "snd.toml").write_text("line-width = 30\n")
    (project / "a.sknd").write_text("operator f { @using { a = [first, second, third]; } }\n")
    real("fmt")
    assert "second,\n                third" in (project / "a.sknd").read_text()
    real("fmt", "--width", "100")
    assert "a = [first, second, third];" in (project / "a.sknd").read_text()


def test_broken_files_cost_no_others(project: Path, real: Run):
    (project / "a.sknd").write_text("operator f {\n  @attrib { a:int=1; b: = = 2; }\n}\n")
    (project / "b.sknd").write_text(UGLY)
    (project / "c.sknd").write_bytes(b"\xff")
    outcome = real("fmt")
    assert outcome.status == 2
    assert "a.sknd:2: " in outcome.stderr
    assert "c.sknd: the file is not UTF-8" in outcome.stderr
    assert "1 file with broken syntax, 1 file not readable" in outcome.stdout
    assert (project / "b.sknd").read_text() == NICE
    assert (project / "c.sknd").read_bytes() == b"\xff"


def test_marks_modes_and_links_are_kept(project: Path, real: Run):
    target = project / "a.sknd"
    target.write_bytes(b"\xef\xbb\xbf" + UGLY.replace("\n", "\r\n").encode())
    target.chmod(0o640)
    (project / "link.sknd").symlink_to("a.sknd")
    assert real("fmt", "link.sknd").status == 0
    assert target.read_bytes() == b"\xef\xbb\xbf" + NICE.replace("\n", "\r\n").encode()
    assert target.stat().st_mode & 0o777 == 0o640
    assert (project / "link.sknd").is_symlink()
    assert {path.name for path in project.iterdir()} == {"a.sknd", "link.sknd"}


def test_misuse(project: Path, real: Run):
    assert real("fmt", "nowhere").status == 2
    assert real("fmt", "-", "a.sknd").status == 2
    assert real("fmt", "--width", "0").status == 2
