"""A window of VS Code, driven as a user does it: by keys, by the mouse, and by what can be seen."""

from __future__ import annotations

import json
import re
import urllib.parse
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import pytest
from downloads import REPOSITORY
from playwright.sync_api import Locator, Page, TimeoutError, expect

# Screenshots and logs that tests leave, to be looked at.
OUTPUT = REPOSITORY / "test-output" / "editors"
# Seconds for anything to be seen, on a machine however busy.
PATIENCE = 60
expect.set_options(timeout=PATIENCE * 1000)
# Milliseconds until a key is pressed again whose box did not serve, time after time.
_BOX_MS = (4_000, 8_000, 16_000, 32_000)
FAILED = pytest.StashKey[bool]()
T = TypeVar("T")


class Window:
    """A page that shows VS Code with a folder or a workspace file."""

    def __init__(self, page: Page, screenshots: Path) -> None:
        self.page = page
        self._screenshots = screenshots
        self._folder = Path()
        page.set_default_timeout(PATIENCE * 1000)

    def open(self, address: str, workspace: Path, payload: dict[str, str] | None = None) -> None:
        """Opens a folder, or the workspace file, and waits until there is a workbench."""
        self._folder = workspace
        kind = "workspace" if workspace.suffix == ".code-workspace" else "folder"
        query = {kind: str(workspace)} | ({"payload": json.dumps([*payload.items()])} if payload else {})
        self.page.goto(f"http://{address}/?{urllib.parse.urlencode(query, quote_via=urllib.parse.quote)}")
        self.page.locator(".monaco-workbench .part.statusbar").wait_for()

    def command(self, title: str) -> None:
        """Runs a command by its title in the palette."""
        self._choose("F1", f">{title}", title)

    def open_file(self, name: str) -> None:
        """Shows a file of the workspace in the active editor.

        It is named by its path: to search for it, VS Code would need a program that has to be downloaded.
        """
        self._choose("Control+P", str(self._folder / name), Path(name).name)
        self.tab(Path(name).name).wait_for()
        self.editor.locator(".view-line").first.wait_for()
        self.page.locator(".quick-input-widget").wait_for(state="hidden")

    def _choose(self, key: str, text: str, title: str) -> None:
        """Writes into the box that a key opens, and clicks on the first row that holds the title."""
        row = self.page.locator(".quick-input-list .monaco-list-row").filter(has_text=title).first

        def choose(patience: int) -> None:
            self.page.locator(".quick-input-widget input").fill(text, timeout=patience)
            row.click(timeout=patience)

        self._in_box(key, choose)

    def _in_box(self, key: str, act: Callable[[int], None]) -> None:
        """Acts, within the milliseconds it is told, in the box that a key opens.

        Again with more patience when it fails: a page that opens takes the focus, which closes the box; and what
        is written before VS Code has filled the box is overwritten.
        """
        for patience in _BOX_MS:
            self.page.keyboard.press(key)
            with suppress(TimeoutError):
                act(patience)
                return
            self.page.keyboard.press("Escape")
        raise AssertionError(f"{key} opened no box in which this could be done")

    def close_all(self) -> None:
        """Closes all editors, and the panel below them; what is not saved is lost."""
        self.page.keyboard.press("Escape")
        if self.page.locator(".part.panel").is_visible():
            self.page.keyboard.press("Control+J")
        self.command("View: Close All Editors")
        tabs, dialog = self.page.locator(".tabs-container .tab"), self.page.locator(".monaco-dialog-box")
        for _ in range(100):
            if dialog.is_visible():
                dialog.get_by_text("Don't Save").click()
            if tabs.count() == 0:
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("the editors did not close")

    def tab(self, name: str) -> Locator:
        return self.page.locator(f".tabs-container .tab.active[data-resource-name='{name}']")

    @property
    def editor(self) -> Locator:
        """The editor that has the focus, else the one of the active group."""
        return self.page.locator(".editor-group-container.active .monaco-editor").first

    def line(self, text: str) -> Locator:
        """The line of the editor that holds a text, with what is shown beside it."""
        return self.editor.locator(".view-line").filter(has_text=_shown(text)).first

    def word(self, text: str, within: str | None = None) -> Locator:
        """What is coloured as a whole and is this text (a name, a keyword), in the line that holds `within`."""
        span = self.line(within or text).locator("span span")
        return span.filter(has_text=re.compile(rf"^\s*{re.escape(text)}\s*$")).first

    def put_cursor(self, text: str, within: str | None = None) -> None:
        self.word(text, within).click()
        self.editor.locator(".cursor").first.wait_for()

    def go_to(self, line: int, column: int = 1) -> None:
        box = self.page.locator(".quick-input-widget")

        def go(patience: int) -> None:
            box.locator("input").fill(f":{line}:{column}", timeout=patience)
            self.page.keyboard.press("Enter")
            box.wait_for(state="hidden", timeout=patience)

        self._in_box("Control+G", go)

    def text(self) -> str:
        """What can be seen of the text, without its indentation being of one kind of space or another."""
        lines = self.editor.locator(".view-line").all()
        placed = sorted(lines, key=lambda line: (line.bounding_box() or {"y": 0})["y"])
        return "\n".join((line.text_content() or "").replace("\u00a0", " ") for line in placed)

    def sees(self, selector: str, text: str | re.Pattern[str] | None = None, seconds: float = PATIENCE) -> Locator:
        """Waits until something can be seen, with a text in it if one is given (however it is spaced)."""
        found = self.page.locator(selector)
        text = _shown(text) if isinstance(text, str) else text
        found = found.filter(has_text=text).first if text is not None else found.first
        expect(found).to_be_visible(timeout=seconds * 1000)
        return found

    def until(self, ask: Callable[[], T], what: str, seconds: float = PATIENCE) -> T:
        """Asks again and again, until the answer counts as true."""
        for _ in range(int(seconds * 10)):
            if answer := ask():
                return answer
            self.page.wait_for_timeout(100)
        raise AssertionError(f"waited {seconds} s for {what}")

    def screenshot(self, name: str) -> Path:
        """Keeps what can be seen, as `name`.png among the output of tests."""
        path = self._screenshots / f"{name}.png"
        self.page.screenshot(path=path, animations="disabled")
        return path


OpenWindow = Callable[..., Window]


def _shown(text: str) -> re.Pattern[str]:
    """Editors show spaces as ones that do not break."""
    return re.compile(r"\s*".join(map(re.escape, text.split())))
