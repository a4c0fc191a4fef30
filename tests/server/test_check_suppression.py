"""``snd check`` obeys suppression comments, and its fixes remove the unused ones."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def found(snd, project):
    """Check a text; return the diagnostics, as LINE:RULE."""

    def check(text: str) -> list[str]:
        (project / "a.sknd").write_text(text)
        document = json.loads(snd("check", "--format", "json", "a.sknd").stdout)
        return [f"{each['range']['start']['line']}:{each['rule']}" for each in document["diagnostics"]]

    return check


@pytest.fixture
def fixed(snd, project):
    def fix(text: str, *arguments: str) -> str:
        (project / "a.sknd").write_text(text, newline="")
        snd(
            "check",
            "--fix",
            "--select",
            "unused-suppression,blanket-suppression,unknown-rule-in-suppression,unknown-directive",
            *arguments,
        )
        return (project / "a.sknd").read_bytes().decode()

    return fix


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wrong # snd: ignore[wrong] for a reason\n", []),
        ("wrong #snd:ignore[wrong]", []),
        ("# snd: ignore[wrong]\nwrong\nwrong\n", ["3:wrong"]),
        ("# snd: ignore[wrong]\n# another comment\n  # one more\nwrong\n", []),
        ("# snd: ignore[wrong]\n# snd: ignore[odd]\nwrong odd\n", []),
        ("wrong odd # snd: ignore[wrong, odd]\n", []),
        ("wrong odd # snd: ignore[wrong]\n", ["1:odd"]),
        ("fine # snd: ignore[wrong]\nwrong\n", ["1:unused-suppression", "2:wrong"]),
        ("# snd: ignore[wrong]\n\nwrong\n", ["1:unused-suppression", "3:wrong"]),
        ("# snd: ignore[wrong]", ["1:unused-suppression"]),
        ("# snd: ignore[sample-differs] of a tool\nfine\n", []),
        ("begin # snd: ignore[block]\nend\n", []),
        ("begin\nend # snd: ignore[block]\n", ["1:block", "2:unused-suppression"]),
        ("# snd: ignore-file[wrong] generated\nwrong\n\nodd wrong\n", ["4:odd"]),
        ("# about\n\n# snd: ignore-file[wrong]\nwrong\n", []),
        ("wrong\n# snd: ignore-file[wrong]\n", ["1:wrong", "2:unused-suppression"]),
        ("wrong # snd: ignore\n", ["1:blanket-suppression"]),
        ("wrong # snd: ignore[]\n", ["1:blanket-suppression"]),
        ("# snd: ignore-file\nwrong\nodd\n", ["1:blanket-suppression"]),
        ("fine # snd: ignore\n", ["1:unused-suppression"]),
        ("wrong # snd: ignore[wrnog]\n", ["1:wrong", "1:unknown-rule-in-suppression"]),
        ("wrong # snd: ignore[wrong, wrnog]\n", ["1:unknown-rule-in-suppression"]),
        ("wrong # snd: ignored[wrong]\n", ["1:wrong", "1:unknown-directive"]),
        ("wrong #snd:ignoer[wrong]\n", ["1:wrong", "1:unknown-directive"]),
        ("# snd: Ignore-File[wrong]\nfine\n", ["1:unknown-directive"]),
        ("# snd:\nfine\n", ["1:unknown-directive"]),
        ("# snd: ignore-file[unknown-directive]\nfine # snd: noqa\n", []),
        ("fine # the paths of the library begin with snd: and a colon\n", []),
        ("fine # snd:math is a path\n", []),
        ("wrong # see snd: ignore[wrong]\n", ["1:wrong"]),
        ("# snd: ignore-file[unused-suppression]\nfine # snd: ignore[odd]\n", []),
        ("fine # snd: ignore[odd, unused-suppression]\n", []),
        ("# snd: ignore-file[blanket-suppression]\nodd # snd: ignore\n", []),
        ("# snd: ignore-file[unused-suppression]\nodd\n", ["1:unused-suppression", "2:odd"]),
    ],
)
def test_what_remains(text, expected, found):
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fine  # snd: ignore[wrong] why\nx\n", "fine\nx\n"),
        ("a\r\n  # snd: ignore[wrong] why\r\nb\r\n", "a\r\nb\r\n"),
        ("a\n# snd: ignore[wrong]", "a\n"),
        ("odd # snd: ignore[wrong, odd] why\n", "odd # snd: ignore[odd] why\n"),
        ("odd # snd: ignore[odd, wrong, note]\n", "odd # snd: ignore[odd]\n"),
        ("odd wrong # snd: ignore why\n", "odd wrong # snd: ignore[odd, wrong] why\n"),
        ("odd # snd: ignore [] why\n", "odd # snd: ignore[odd] why\n"),
        ("wrong # snd: ignore[wrnog]\n", "wrong # snd: ignore[wrnog]\n"),
        ("wrong # snd: ignoer[wrong]\n", "wrong # snd: ignoer[wrong]\n"),
    ],
)
def test_safe_fixes(text, expected, fixed):
    assert fixed(text) == expected


def test_a_guess_is_an_unsafe_fix(fixed):
    assert fixed("wrong # snd: ignore[wrnog]\n", "--unsafe-fixes") == "wrong # snd: ignore[wrong]\n"
    assert fixed("wrong # snd: ignoer[wrong]\n", "--unsafe-fixes") == "wrong # snd: ignore[wrong]\n"


def test_rules_that_are_off_keep_their_suppressions_in_use(snd, project):
    (project / "a.sknd").write_text("wrong # snd: ignore[wrong]\n")
    assert snd("check", "--ignore", "wrong", "--error-on-warning").status == 0
