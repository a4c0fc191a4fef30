"""Comments above definitions and parameters are shown as Markdown; code between backquotes stays code."""

from __future__ import annotations

import pytest

from snd_analysis.ide import code, code_block
from snd_analysis.ide.markdown import documentation_text, parameter_text

COMMENT = """Scales a_b and *more*, `a * b`
over two lines.

- `by`, `of`: how much; `signed`: whether
  with a sign.
- `other`: see `nn.conv`; not more.

>>> scale{by=2}([1.0])
y: real[1] = [2.0]

The end <tag>.
snd: ignore[unused-symbol] for a reason
>>> scale([1.0])"""


def test_documentation():
    assert documentation_text(COMMENT) == (
        "Scales a\\_b and \\*more\\*, `a * b`\nover two lines.\n\n"
        "- `by`, `of`: how much; `signed`: whether\n  with a sign.\n- `other`: see `nn.conv`; not more.\n\n"
        "```skriptnd\n>>> scale{by=2}([1.0])\ny: real[1] = [2.0]\n```\n\n"
        "The end \\<tag\\>.\n\n```skriptnd\n>>> scale([1.0])\n```"
    )
    assert ">>>" not in documentation_text(COMMENT, samples=False)
    assert documentation_text("") == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("by", "how much"),
        ("of", "how much"),
        ("signed", "whether with a sign."),
        ("other", "see `nn.conv`; not more."),
        ("nn", ""),
        ("y", ""),
    ],
)
def test_what_is_said_of_parameters(name: str, text: str):
    assert parameter_text(COMMENT, name) == text


def test_code_with_backquotes():
    assert code("a") == "`a`"
    assert code("a\n  b") == "`a b`"
    assert code("a`b") == "`` a`b ``"
    assert code_block("```") == "````skriptnd\n```\n````"
