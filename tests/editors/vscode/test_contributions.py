"""Contributions of the extension to menus, to the palette, and to colours, as users see them.

The rest is tested by the API (`vscode-extension/test/suite/language/contributions.test.ts`), which demands a test of
every kind.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from support.editors.packaged_extension import SOURCES
from support.editors.scenarios import workspace
from support.editors.vscode_programs import vscode_server
from support.editors.vscode_window import Window

PACKAGE: dict[str, Any] = json.loads((SOURCES / "package.json").read_text(encoding="utf-8"))
CONTRIBUTED = PACKAGE["contributes"]
TITLES = {each["command"]: each["title"] for each in CONTRIBUTED["commands"]}
FENCED = "# Title\n\nwords\n\n```skriptnd\ngraph fenced {\n}\n```\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, snd: Path) -> Path:
    settings = {"snd.server.path": str(snd), "editor.semanticHighlighting.enabled": False}
    folder = workspace("language", tmp_path_factory.mktemp("contributions"), settings)
    (folder / "notes.md").write_text(FENCED, encoding="utf-8")
    return folder


def offered(window: Window, count: int) -> list[str]:
    """The titles in the palette, once there are as many as there should be; it holds no rows that are out of sight."""
    rows = window.page.locator(".quick-input-list .monaco-list-row .label-name")
    seen: set[str] = set()

    def are_all_seen() -> bool:
        seen.update(each for each in rows.all_text_contents() if each.startswith("SkriptND: "))
        window.page.keyboard.press("PageDown")
        return len(seen) == count

    def ask() -> None:
        seen.clear()
        window.page.keyboard.press("Escape")
        window.page.keyboard.press("F1")
        window.page.locator(".quick-input-widget input[type=text]").fill(">SkriptND:", timeout=5000)

    window.do(ask, are_all_seen, f"{count} commands in the palette")
    return sorted(seen)


def test_the_palette_has_the_commands_that_are_of_use(window: Window):
    window.open_file("main.sknd")
    every = sorted(f"SkriptND: {title}" for title in TITLES.values())
    assert offered(window, len(every)) == every
    window.screenshot("palette")
    window.page.keyboard.press("Escape")
    window.close_all()
    window.open_file("notes.md")
    hidden = {each["command"] for each in CONTRIBUTED["menus"]["commandPalette"]}
    others = sorted(f"SkriptND: {title}" for command, title in TITLES.items() if command not in hidden)
    assert offered(window, len(others)) == others
    window.page.keyboard.press("Escape")


def test_the_title_of_the_editor_has_its_commands_with_icons(window: Window):
    window.open_file("main.sknd")
    actions = window.page.locator(".editor-group-container.active .editor-actions .action-label")
    items = CONTRIBUTED["menus"]["editor/title"]
    named, rest = (
        [TITLES[each["command"]] for each in items if each["group"].startswith("navigation") is seen]
        for seen in (True, False)
    )
    assert len(named) == 2
    for title in named:
        button = actions.and_(window.page.locator(f"[aria-label^='{title}']"))
        expect(button).to_be_visible()
        glyph = "element => getComputedStyle(element, '::before').content"
        assert len(button.evaluate(glyph).strip('"')) == 1, "a sign of the icon font"
    rest = [
        TITLES[each["command"]] for each in CONTRIBUTED["menus"]["editor/title"] if "navigation" not in each["group"]
    ]
    more = actions.and_(window.page.locator("[aria-label^='More Actions']"))
    menu = window.page.locator(".monaco-menu")
    window.do(lambda: more.click(timeout=5000), menu.is_visible, "the menu")
    for title in rest:
        expect(entry(menu, title)).to_be_visible()
    window.page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    window.open_file("notes.md")
    expect(actions.and_(window.page.locator(f"[aria-label^='{named[0]}']"))).to_have_count(0)


def test_the_menu_of_the_editor_has_the_commands(window: Window):
    window.open_file("main.sknd")
    menus, word = window.page.locator(".monaco-menu"), window.word("image", "channels=4")
    (submenu,) = CONTRIBUTED["submenus"]
    ours = entry(menus.first, submenu["label"])

    def open_menu() -> None:
        window.page.keyboard.press("Escape")
        word.click(button="right", timeout=5000)

    window.do(open_menu, ours.is_visible, "our entry in the menu")
    window.do(lambda: ours.click(timeout=5000), lambda: menus.count() == 2, "the menu behind our entry")
    for item in CONTRIBUTED["menus"][submenu["id"]]:
        expect(entry(menus.last, TITLES[item["command"]])).to_be_visible()
    window.screenshot("menu")
    entry(menus.last, TITLES["snd.showSyntaxTree"]).click()
    window.sees(".tab.active", "main.sknd (syntax tree)")


def entry(menu: Locator, title: str) -> Locator:
    return menu.locator(".action-label").filter(has_text=re.compile(rf"^{re.escape(title)}$"))


def test_icons_are_ones_of_vs_code():
    workbench = vscode_server().script.parent / "vs/code/browser/workbench/workbench.js"
    known = set(re.findall(r'"([a-z][a-z-]*)",\d{5}\b', workbench.read_text(encoding="utf-8")))
    sources = [SOURCES / "package.json", *(SOURCES / "src").rglob("*.ts")]
    named = {icon for file in sources for icon in re.findall(r"\$\(([a-z-]+)", file.read_text(encoding="utf-8"))}
    assert {"type-hierarchy", "table"} <= named
    # Variants of another one, which need no sign of their own.
    assert named - known <= {"loading"}


def colours(line: Locator) -> dict[str, str]:
    """The words of a line with their colours."""
    colour_of = "each => [each.textContent.trim(), getComputedStyle(each).color]"
    listed = line.evaluate(f"line => [...line.querySelectorAll('span span')].map({colour_of})")
    return {word: colour for word, colour in listed if word}


def test_code_is_coloured_by_the_grammars(window: Window):
    window.open_file("main.sknd")
    window.until(lambda: len(set(colours(window.line("graph small_net")).values())) > 2, "keyword, name and bracket")
    comment = window.until(lambda: colours(window.line("# A small network")), "the comment")
    assert len(set(comment.values())) == 1
    window.open_file("notes.md")
    plain = window.until(lambda: set(colours(window.line("words")).values()), "words outside of the code")
    window.until(lambda: set(colours(window.line("graph fenced")).values()) - plain, "colours in the fence")
    window.screenshot("fenced")


def test_a_mistake_in_snd_toml_is_told(window: Window, folder: Path):
    """VS Code itself knows no TOML: the schema is for extensions that do, the server marks mistakes in any case."""
    window.open_file("main.sknd")
    window.sees(".view-line", "real[1, 4, 16, 16]")
    (folder / "snd.toml").write_text('line-width = "wide"\n', encoding="utf-8")
    try:
        window.open_file("snd.toml")
        expect(window.page.locator(".statusbar-item[id='status.editor.mode']")).to_have_text("Plain Text")
        window.sees(".squiggly-error")
        assert not window.page.locator(".notification-toast").filter(has_text="line-width").count()
        window.screenshot("snd-toml")
    finally:
        (folder / "snd.toml").unlink()
