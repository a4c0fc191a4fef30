"""The files in editors/ say what snd and the grammars say; the programs that read them need not be there."""

from __future__ import annotations

import json
import re
import tomllib
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from support.editors.downloads import REPOSITORY

EDITORS = REPOSITORY / "editors"
PAGES = REPOSITORY / "docs" / "editors"
VSCODE = json.loads((REPOSITORY / "vscode-extension/package.json").read_text(encoding="utf-8"))["contributes"]
LANGUAGES = {"skriptnd": ".sknd", "nnef": ".nnef"}


def _keywords() -> set[str]:
    grammar = (REPOSITORY / "analysis/snd_analysis/skriptnd/syntax/grammar.lark").read_text(encoding="utf-8")
    return set(re.findall(r'^[A-Z]+: "([a-z]+)"$', grammar, re.MULTILINE))


def _toml(path: str) -> dict[str, Any]:
    return tomllib.loads((EDITORS / path).read_text(encoding="utf-8"))


def _shown(page: str) -> Any:
    """Return the JSON that a page tells to write."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return json.loads(block)


def test_languages_are_those_of_the_extension():
    assert LANGUAGES.items() <= {
        (each["id"], ext) for each in VSCODE["languages"] for ext in each.get("extensions", ())
    }


@pytest.mark.parametrize(
    "path",
    ["emacs/skriptnd-mode.el", "kate/skriptnd.xml", "sublime/SkriptND.sublime-syntax", "nvim/syntax/skriptnd.vim"],
)
def test_every_keyword_is_coloured(path: str):
    """A keyword that the grammar gets is missed here."""
    words = set(re.findall(r"[a-z]+", (EDITORS / path).read_text(encoding="utf-8")))
    assert len(_keywords()) > 20
    assert _keywords() - {"as"} <= words


def test_zed_extension():
    extension = _toml("zed/extension.toml")
    assert extension["language_servers"]["snd"]["languages"] == ["SkriptND", "NNEF 1.0"]
    for name, suffix in LANGUAGES.items():
        language = _toml(f"zed/languages/{name}/config.toml")
        assert language["path_suffixes"] == [suffix.removeprefix(".")]
        assert language["name"] in extension["language_servers"]["snd"]["languages"]
        assert (REPOSITORY / extension["grammars"][language["grammar"]]["path"] / "grammar.js").is_file()
    assert 'args: vec!["lsp".into()]' in (EDITORS / "zed/src/lib.rs").read_text(encoding="utf-8")
    for copied in re.findall(r"editors/nvim/\S+", (PAGES / "zed.md").read_text(encoding="utf-8")):
        assert (REPOSITORY / copied).is_file(), copied


def test_jetbrains_template():
    """Its keys are those of the templates of LSP4IJ."""
    template = json.loads((EDITORS / "jetbrains/snd/template.json").read_text(encoding="utf-8"))
    assert template.keys() == {"id", "name", "programArgs", "fileTypeMappings"}
    assert template["programArgs"]["default"] == "snd lsp"
    mapped = {each["languageId"]: each["fileType"]["patterns"] for each in template["fileTypeMappings"]}
    assert mapped == {name: [f"*{suffix}"] for name, suffix in LANGUAGES.items()}


def test_sublime_settings_are_those_of_the_page():
    settings = json.loads((EDITORS / "sublime/LSP.sublime-settings").read_text(encoding="utf-8"))
    (shown,) = re.findall(
        r"^```json\n(.*?)^```", (PAGES / "sublime.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert json.loads(shown) == settings
    assert settings["clients"]["snd"]["command"] == ["snd", "lsp"]


def test_kate_servers_are_for_the_modes_of_its_files():
    (shown,) = re.findall(
        r"^```json\n(.*?)^```", (PAGES / "kate.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    servers = json.loads(shown)["servers"]
    names = {ElementTree.parse(path).getroot().attrib["name"] for path in (EDITORS / "kate").glob("*.xml")}
    assert all(each["command"] == ["snd", "lsp"] for each in servers.values())
    assert all(any(re.search(each["highlightingModeRegex"], name) for name in names) for each in servers.values())


def test_every_editor_has_a_page_that_the_index_names():
    index = (REPOSITORY / "docs/editors.md").read_text(encoding="utf-8")
    assert {path.name for path in PAGES.glob("*.md")} == set(re.findall(r"\(editors/(\w+\.md)\)", index))
