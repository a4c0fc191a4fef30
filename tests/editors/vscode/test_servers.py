"""What users see where the language server is missing, is installed by the extension, or crashes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect
from scenarios import workspace
from vscode_window import OpenWindow, Window

INSTALLING = 90
# After 1, 2, 4 and 8 seconds it is started again; the fifth crash is the last.
CRASHING = 60


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
    missing.page.wait_for_timeout(1000)
    expect(toasts(missing)).to_have_count(1)
    missing.sees(".statusbar-item[id*='snd.server'] .codicon-error")
    missing.screenshot("missing-server")


def test_the_extension_installs_the_server_that_it_carries(missing: Window):
    toasts(missing).get_by_text("Create Environment").click()
    missing.open_file("broken.sknd")
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


def toasts(window: Window) -> Locator:
    return window.page.locator(".notification-toast")
