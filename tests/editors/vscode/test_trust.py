"""In a workspace that is not trusted, nothing runs that the workspace names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from support.editors.downloads import UnavailableError, skip
from support.editors.packaged_extension import packaged
from support.editors.scenarios import workspace
from support.editors.vscode_programs import vscode_server
from support.editors.vscode_server import VSCode, running
from support.editors.vscode_window import Window


@pytest.fixture
def cautious(tmp_path: Path) -> Iterator[VSCode]:
    """A server whose windows are restricted until the user trusts what is in them."""
    try:
        program, vsix = vscode_server(), packaged()
    except UnavailableError as reason:
        skip(reason)
    folder = tmp_path / "vscode-cautious"
    folder.mkdir()
    with running(program, vsix, folder, os.defpath, trusts=False) as server:
        yield server


def test_a_python_of_the_workspace_is_run_once_it_is_trusted(
    cautious: VSCode, browser: Browser, tmp_path: Path, snd: Path
):
    ran = tmp_path / "ran"
    folder = workspace("language", tmp_path, {})
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\ntouch "{ran}"\nexec "{snd.parent}/python" "$@"\n')
    python.chmod(0o755)
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    window = Window(context.new_page())
    window.open(cautious.address, folder)
    refuse = window.page.locator(".monaco-dialog-box").get_by_role("button", name=re.compile("don't trust")).first
    window.do(lambda: refuse.click(timeout=30_000), lambda: not refuse.is_visible(), "the question to be answered")
    window.open_file("broken.sknd")
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
    context.close()
