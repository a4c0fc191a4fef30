"""The view of users where the language server is missing, is installed by the extension, or crashes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from support.editors.scenarios import workspace
from support.editors.vscode_server import VSCode
from support.editors.vscode_window import OpenWindow, Window

# Seconds, on a machine however busy: packages are downloaded, and compiled by Python.
INSTALLING = 300
# After 1, 2, 4 and 8 seconds it is started again; the fifth crash is the last.
CRASHING = 120


@pytest.fixture(scope="module")
def crashing(open_window: OpenWindow, tmp_path_factory: pytest.TempPathFactory, snd: Path) -> Window:
    """A window whose server tells its version, and crashes whenever it is to serve."""
    folder = tmp_path_factory.mktemp("crashing")
    program = folder / "snd"
    program.write_text(f'#!/bin/sh\ncase "$*" in *lsp*) exit 3 ;; esac\nexec "{snd}" "$@"\n')
    program.chmod(0o755)
    window = open_window(workspace("language", folder, {"snd.server.path": str(program)}))
    window.open_file("main.sknd")
    return window


@pytest.fixture(scope="module")
def missing(open_window: OpenWindow, tmp_path_factory: pytest.TempPathFactory) -> Window:
    """A window that finds no server anywhere."""
    return open_window(workspace("language", tmp_path_factory.mktemp("missing"), {}))


# The first test opens both windows, so that what takes long in one goes on while the other is looked at.
def test_a_missing_server_is_told_once_with_what_helps(crashing: Window, missing: Window):
    missing.open_file("broken.sknd")
    message = missing.sees(".notification-toast", re.compile("not installed"))
    for button in ("Create Environment", "Choose Path…", "Show Output"):
        expect(message.get_by_text(button)).to_be_visible()
    missing.open_file("main.sknd")
    missing.command("SkriptND: Show Composed Shapes")
    panel = missing.page.frame_locator("iframe.webview.ready").last.frame_locator("iframe#active-frame")
    expect(panel.get_by_text("The server is not running.")).to_be_visible()
    expect(toasts(missing)).to_have_count(1)
    missing.sees(".statusbar-item[id*='snd.server'] .codicon-error")
    missing.screenshot("missing-server")


def test_the_extension_installs_the_server_that_it_carries(missing: Window):
    missing.open_file("broken.sknd")
    button = toasts(missing).get_by_text("Create Environment")
    missing.do(lambda: button.click(timeout=30_000), lambda: button.count() == 0, "the button to be clicked")
    missing.sees(".squiggly-error", seconds=INSTALLING)
    item = missing.sees(".statusbar-item[id*='snd.server']", re.compile(r"snd \d"))
    expect(item).to_have_attribute("aria-label", re.compile("environment"))
    missing.screenshot("private-environment")


def test_a_server_that_crashes_again_and_again_is_told_once(crashing: Window):
    message = crashing.sees(".notification-toast", re.compile("crashed five times"), seconds=CRASHING)
    expect(message.get_by_text("Restart Server")).to_be_visible()
    expect(toasts(crashing)).to_have_count(1)
    crashing.sees(".statusbar-item[id*='snd.server'] .codicon-error")
    crashing.screenshot("crashed")


def test_the_path_of_a_server_is_chosen(open_window: OpenWindow, tmp_path: Path, snd: Path, vscode: VSCode):
    """In the setting of the machine, which the windows of other tests share: so it is taken back."""
    window = open_window(workspace("language", tmp_path, {}))
    window.open_file("broken.sknd")
    box = window.page.locator(".quick-input-widget")
    window.command("SkriptND: Choose Path of Server…")
    window.sees(".quick-input-title", "The command snd, or a Python that has it")

    def choose() -> None:
        box.locator("input[type=text]").fill(str(snd), timeout=5000)
        window.screenshot("choose-path")
        box.get_by_text("Use as Server").click(timeout=5000)

    try:
        # The list of files is read meanwhile, and fills the box with its folder.
        window.do(choose, lambda: not box.is_visible(), "the list to be left")
        window.sees(".squiggly-error")
        item = window.sees(".statusbar-item[id*='snd.server']", re.compile(r"snd \d"))
        expect(item).to_have_attribute("aria-label", re.compile("setting"))
    finally:
        for settings in (vscode.extensions.parent / "data").glob("*/settings.json"):
            kept = {key: value for key, value in json.loads(settings.read_text()).items() if key != "snd.server.path"}
            settings.write_text(json.dumps(kept, indent=2))


def toasts(window: Window) -> Locator:
    return window.page.locator(".notification-toast")
