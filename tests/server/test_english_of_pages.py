"""Pages, messages, settings and help texts are plain English, as docstrings are (``tests/analysis/test_english.py``).

A clause with "what" may be an object ("the hover says what happened"), and a question may name a column or a section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from snd_server.cli.root import snd

ROOT = Path(__file__).parents[2]
OPENINGS = "What|Whether|Those|Which|How|Where|When|By|Of|Something|None"
PHRASES = (
    "of which|is to be|are to be|comes? to|came to|stands? for|stood for|is told of|in the place of|nothing else than"
)
OPENING = re.compile(rf"[\s>*\-\d.]*(?:{OPENINGS})\b")
PHRASE = re.compile(rf"\b(?i:{PHRASES})\b")
_FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*|#>]|\d+\.) ?)")
HISTORY = {"CHANGELOG.md"}
"""Pages that record former words."""


def pages() -> list[Path]:
    """Return all pages: documents, pages beside rules, and pages of the editors' plugins."""
    folders = ("docs", "analysis/snd_analysis", "editors", "vscode-extension", "templates")
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.md") if "node_modules" not in path.parts)
    return sorted({*found, *ROOT.glob("*.md")})


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs, headings, list items and table rows of a page, without code and quotations."""
    for each in _PARAGRAPH.split(_FENCED.sub("", text)):
        yield " ".join(_QUOTED.sub("`…`", each).split())


def is_plain(paragraph: str) -> bool:
    """Return whether a paragraph keeps the rules; a heading or a row of a table may begin with a question."""
    opens_badly = not paragraph.startswith(("#", "|")) and OPENING.match(paragraph)
    return not opens_badly and PHRASE.search(paragraph) is None


def helps(command: click.Command, name: str = "snd") -> Iterator[tuple[str, str]]:
    """Yield the help texts of a command, of its options, and of its subcommands."""
    yield name, command.help or ""
    for each in command.params:
        if isinstance(each, click.Option):
            yield f"{name} {each.opts[-1]}", each.help or ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each_name in command.list_commands(context):
            found = command.get_command(context, each_name)
            assert found is not None
            yield from helps(found, f"{name} {each_name}")


def test_pages_are_plain():
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in pages()}
    found = {name: [each for each in paragraphs(text) if not is_plain(each)] for name, text in texts.items()}
    assert {name: each for name, each in found.items() if each and name not in HISTORY} == {}
    assert len(texts) > 200  # the pages of rules are among them


def test_messages_are_plain():
    text = (ROOT / "tests" / "analysis" / "goldens" / "messages.txt").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if not is_plain(line.strip())] == []


def test_settings_and_commands_are_plain():
    text = (ROOT / "vscode-extension" / "package.json").read_text(encoding="utf-8")
    found = re.findall(r'"(?:title|description|markdownDescription)": "([^"]*)"', text)
    assert [each for each in found if each.startswith("Whether") or not is_plain(each)] == []
    assert len(found) > 40


def test_help_begins_with_a_sentence():
    found = dict(helps(snd))
    lines = {name: re.split(r"\n\s*\n", text)[0].strip() for name, text in found.items()}
    assert [name for name, line in lines.items() if not re.match(r"[A-Z]", line)] == []
    assert [name for name, text in found.items() if OPENING.match(text) or PHRASE.search(text)] == []
    assert len(found) > 100


@pytest.mark.parametrize(
    "text",
    [
        "What is refuted is a warning.",
        "- Of several, the first.",
        "A tensor of which all\nelements are zero.",
        "| `*` | stands for a part |",
        "1. By how much they differ.",
    ],
)
def test_what_is_not_plain(text: str):
    assert not all(map(is_plain, paragraphs(text)))


@pytest.mark.parametrize(
    "text",
    ["## What is left out", "The hover says what is wrong.", "```sknd\n# stands for\n```", '"stands for" is not used.'],
)
def test_what_is_plain(text: str):
    assert all(map(is_plain, paragraphs(text)))
