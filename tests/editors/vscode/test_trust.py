"""In a workspace that is not trusted, nothing runs that the workspace names."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from support.editors.downloads import UnavailableError, skip
from support.editors.packaged_extension import packaged
from support.editors.scenarios import workspace
from support.editors.vscode_programs import vscode_server
from support.editors.vscode_server import VSCode, running
from support.editors.vscode_window import Window


@pytest.fixture
def cautious(tmp_path: Path) -> Iterator[VSCode]:
    """Yield a server whose windows are restricted until the user trusts their contents."""
    try:
        program, vsix = vscode_server(), packaged()
    except UnavailableError as reason:
        skip(reason)
    folder = tmp_path / "vscode-cautious"
    folder.mkdir()
    with running(program, vsix, folder, os.defpath, trusts=False) as server:
        yield server


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


def _program(path: Path, ran: Path, instead_of: Path) -> None:
    """A program that leaves a mark when it runs."""
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\ntouch "{ran}"\nexec "{instead_of}" "$@"\n')
    path.chmod(0o755)


def _opened_without_trust(page: Page, server: VSCode, folder: Path) -> Window:
    window = Window(page)
    window.open(server.address, folder)
    refuse = page.locator(".monaco-dialog-box").get_by_role("button", name=re.compile("don't trust")).first
    window.do(lambda: refuse.click(timeout=30_000), lambda: not refuse.is_visible(), "the question to be answered")
    window.open_file("broken.sknd")
    return window


@pytest.mark.parametrize("written", ["tools/snd", "${workspaceFolder}/tools/snd", "LINK"])
def test_a_server_below_a_workspace_that_is_not_trusted_is_not_run(
    written: str, cautious: VSCode, page: Page, tmp_path: Path, snd: Path
):
    """A setting of the user names it: what counts is where the program lies, not where the setting stands."""
    ran, folder = tmp_path / "ran", workspace("language", tmp_path, {})
    _program(folder / "tools/snd", ran, snd)
    link = tmp_path / "elsewhere"
    link.symlink_to(folder / "tools/snd")
    settings = cautious.extensions.parent / "data/Machine/settings.json"
    given = json.loads(settings.read_text()) if settings.exists() else {}
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps(given | {"snd.server.path": str(link) if written == "LINK" else written}))
    window = _opened_without_trust(page, cautious, folder)
    window.sees(".notification-toast", re.compile("not trusted"))
    assert not ran.exists()


def test_a_python_of_the_workspace_is_run_once_it_is_trusted(cautious: VSCode, page: Page, tmp_path: Path, snd: Path):
    ran, folder = tmp_path / "ran", workspace("language", tmp_path, {})
    _program(folder / ".venv/bin/python", ran, snd.parent / "python")
    window = _opened_without_trust(page, cautious, folder)
    window.sees(".notification-toast", re.compile("not installed"))
    assert not ran.exists()
    window.screenshot("untrusted")
    window.command("Workspaces: Manage Workspace Trust")
    trust = window.page.get_by_role("button", name="Trust", exact=True)
    trusted = window.page.get_by_text("You trust this folder")
    window.do(lambda: trust.click(timeout=5000), trusted.is_visible, "the workspace to be trusted")
    window.open_file("broken.sknd")
    window.sees(".squiggly-error")
    assert ran.exists()
