"""A window of VS Code, driven as a user does it: by keys, by the mouse, and by the visible page.

VS Code may replace elements at any moment, and may not listen yet to a key or a click. So each action here is repeated
until its effect is visible.
"""

from __future__ import annotations

import json
import re
import time
import urllib.parse
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from playwright.sync_api import Error, Locator, Page, Position, TimeoutError, expect

from support.editors.traces import OUTPUT

# Seconds for anything to be seen, on a machine however busy.
PATIENCE = 90
expect.set_options(timeout=PATIENCE * 1000)
# Milliseconds until something is tried again whose effect could not be seen, time after time.
_ATTEMPTS_MS = (4_000, 8_000, 16_000, 32_000)
T = TypeVar("T")

# The click and the check of the row are one step: a row changes as soon as the list does.
_CLICK_ROW = """
([text, title]) => {
  const widget = document.querySelector(".quick-input-widget");
  if (text !== null && widget?.querySelector("input[type=text]")?.value !== text) return false;
  const label = (row) => (row.querySelector(".label-name")?.textContent ?? "").replace(/\\s+/g, " ");
  const rows = [...(widget?.querySelectorAll(".quick-input-list .monaco-list-row") ?? [])];
  const row = rows.find((each) => label(each).endsWith(title));
  row?.click();
  return row !== undefined;
}
"""
# In one go, too: lines that are asked for one after the other may be gone.
_TEXT = """
(editor) => [...editor.querySelectorAll(".view-line")]
  .sort((one, other) => one.getBoundingClientRect().y - other.getBoundingClientRect().y)
  .map((line) => line.textContent.replaceAll("\\u00a0", " "))
  .join("\\n")
"""
_CURSOR_IS_IN = """
(word) => {
  const cursor = word.closest(".monaco-editor").querySelector(".cursor")?.getBoundingClientRect();
  const box = word.getBoundingClientRect();
  return cursor !== undefined && cursor.x >= box.x - 2 && cursor.x <= box.right + 2
    && cursor.y < box.bottom && cursor.bottom > box.y;
}
"""


class Window:
    """A page that shows VS Code with a folder or a workspace file."""

    def __init__(self, page: Page, screenshots: Path = OUTPUT) -> None:
        self.page = page
        self._screenshots = screenshots
        self._folder = Path()
        page.set_default_timeout(PATIENCE * 1000)

    def open(self, address: str, workspace: Path, payload: dict[str, str] | None = None) -> None:
        """Open a folder, or the workspace file, and waits until there is a workbench."""
        self._folder = workspace
        kind = "workspace" if workspace.suffix == ".code-workspace" else "folder"
        query = {kind: str(workspace)} | ({"payload": json.dumps([*payload.items()])} if payload else {})
        self.page.goto(f"http://{address}/?{urllib.parse.urlencode(query, quote_via=urllib.parse.quote)}")
        self.page.locator(".monaco-workbench .part.statusbar").wait_for()

    def command(self, title: str) -> None:
        """Run a command by its title in the palette, or the end of its title."""
        self._choose("F1", f">{title}", title)

    def open_file(self, name: str) -> None:
        """Show a file of the workspace in the active editor.

        It is named by its path: to search for it, VS Code would need a program that has to be downloaded.
        """
        tab = self.tab(Path(name).name)

        def show() -> None:
            self._choose("Control+P", str(self._folder / name), Path(name).name)

        self.do(show, tab.is_visible, f"the tab of {name}")
        self.editor.locator(".view-line").first.wait_for()

    def _choose(self, key: str, text: str, title: str) -> None:
        """Write into the box that a key opens, and clicks on the first row whose label ends with the title."""
        box = self.page.locator(".quick-input-widget")

        def choose(patience: int) -> None:
            box.locator("input[type=text]").fill(text, timeout=patience)
            self.page.wait_for_function(_CLICK_ROW, arg=[text, title], timeout=patience, polling=50)

        self._in_box(key, choose)

    def pick(self, title: str) -> None:
        """Click on the first row, of the open list, whose label ends with the title."""
        self.page.wait_for_function(_CLICK_ROW, arg=[None, title], polling=50)

    def _in_box(self, key: str, act: Callable[[int], None]) -> None:
        """Act, within the milliseconds it is given, in the box that a key opens.

        Try again with more patience after a failure: a page that opens takes the focus, which closes the box; and text
        written before VS Code has filled the box is overwritten.
        """
        for patience in _ATTEMPTS_MS:
            self.page.keyboard.press(key)
            with suppress(TimeoutError):
                act(patience)
                return
            self.page.keyboard.press("Escape")
        raise AssertionError(f"{key} opened no box in which this could be done")

    def do(self, act: Callable[[], object], done: Callable[[], object], what: str) -> None:
        """Act until the effect is visible: again, unless that is visible after some seconds."""
        for patience in _ATTEMPTS_MS:
            with suppress(TimeoutError):
                act()
            with suppress(AssertionError):
                self.until(done, what, patience / 1000)
                return
        raise AssertionError(f"tried {len(_ATTEMPTS_MS)} times for {what}")

    def close_all(self) -> None:
        """Close all editors, and the panel below them, without saving."""
        panel, tabs = self.page.locator(".part.panel"), self.page.locator(".tabs-container .tab")
        lose = self.page.locator(".monaco-dialog-box").get_by_role("button", name="Don't Save").first
        self.page.keyboard.press("Escape")
        if panel.is_visible():
            self.do(lambda: self.page.keyboard.press("Control+J"), lambda: not panel.is_visible(), "no panel")

        def are_closed() -> bool:
            if lose.is_visible():
                with suppress(TimeoutError):
                    lose.click(timeout=1000)
            return tabs.count() == 0

        self.do(lambda: self.command("View: Close All Editors"), are_closed, "no editors")

    def tab(self, name: str) -> Locator:
        return self.page.locator(f".tabs-container .tab.active[data-resource-name='{name}']")

    @property
    def editor(self) -> Locator:
        """The editor that has the focus, else the one of the active group."""
        return self.page.locator(".editor-group-container.active .monaco-editor").first

    def line(self, text: str) -> Locator:
        """Return the line of the editor that holds a text, with the hints beside it."""
        return self.editor.locator(".view-line").filter(has_text=_shown(text)).first

    def word(self, text: str, within: str | None = None) -> Locator:
        """Return the coloured token that equals this text (a name, a keyword), in the line that holds `within`."""
        span = self.line(within or text).locator("span span")
        return span.filter(has_text=re.compile(rf"^\s*{re.escape(text)}\s*$")).first

    def put_cursor(self, text: str, within: str | None = None) -> None:
        word = self.word(text, within)
        is_in = partial(word.evaluate, _CURSOR_IS_IN, timeout=1000)
        self.do(partial(word.click, timeout=5000), is_in, f"the cursor in {text}")

    def go_to(self, line: int, column: int = 1) -> None:
        box = self.page.locator(".quick-input-widget")

        def go(patience: int) -> None:
            box.locator("input[type=text]").fill(f":{line}:{column}", timeout=patience)
            self.page.keyboard.press("Enter")
            box.wait_for(state="hidden", timeout=patience)

        self.do(lambda: self._in_box("Control+G", go), lambda: self.cursor == (line, column), f"line {line}")

    @property
    def cursor(self) -> tuple[int, int]:
        """The line and column of the cursor, as the status bar says it."""
        item = self.page.locator(".statusbar-item[id='status.editor.selection']")
        found = re.search(r"Ln (\d+), Col (\d+)", " ".join(item.all_text_contents()))
        return (int(found[1]), int(found[2])) if found else (0, 0)

    def write_line(self, below: int, text: str) -> None:
        """Write a line below another, as at once as an input method does it, so that nothing is completed."""
        self.go_to(below)
        self.page.keyboard.press("End")
        self.page.keyboard.press("Enter")
        self.page.keyboard.insert_text(text)
        self.until(lambda: text in self.text(), f"the line {text}")

    def hover(self, place: Locator, shown: Locator, at: tuple[int, int] | None = None) -> None:
        """Move the mouse to a place, or to a point in it, from elsewhere, until something is shown."""
        position = Position(x=at[0], y=at[1]) if at is not None else None

        def move() -> None:
            self.page.mouse.move(2, 2)
            place.hover(position=position, timeout=5000)

        self.do(move, shown.first.is_visible, "what the mouse shows")

    def text(self) -> str:
        """Return the visible text, with uniform spaces in its indentation."""
        return str(self.editor.evaluate(_TEXT, timeout=10_000))

    def sees(self, selector: str, text: str | re.Pattern[str] | None = None, seconds: float = PATIENCE) -> Locator:
        """Wait until something can be seen, with a text in it if one is given (however it is spaced)."""
        found = self.page.locator(selector)
        text = _shown(text) if isinstance(text, str) else text
        found = found.filter(has_text=text).first if text is not None else found.first
        expect(found).to_be_visible(timeout=seconds * 1000)
        return found

    def until(self, ask: Callable[[], T], what: str, seconds: float = PATIENCE) -> T:
        """Ask again and again, until the answer counts as true; an element that disappears meanwhile does not."""
        problem = ""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if answer := ask():
                    return answer
            except Error as error:
                problem = f"; at last: {error}"
            self.page.wait_for_timeout(100)
        raise AssertionError(f"waited {seconds} s for {what}{problem}")

    def screenshot(self, name: str) -> Path:
        """Keep a screenshot as `name`.png among the output of tests."""
        path = self._screenshots / f"{name}.png"
        self.page.screenshot(path=path, animations="disabled")
        return path


OpenWindow = Callable[..., Window]


def _shown(text: str) -> re.Pattern[str]:
    """Return a pattern for a text in an editor, which shows spaces as non-breaking ones."""
    return re.compile(r"\s*".join(map(re.escape, text.split())))
