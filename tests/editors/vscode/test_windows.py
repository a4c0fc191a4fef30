"""Several windows at once, each with a folder and a server of its own."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from support.editors.scenarios import workspace
from support.editors.vscode_window import OpenWindow


def test_windows_do_not_mind_one_another(open_window: OpenWindow, tmp_path: Path, snd: Path):
    program = {"snd.server.path": str(snd)}
    first = open_window(workspace("folders/first", tmp_path, program))
    first.open_file("wrong.sknd")
    first.sees(".squiggly-error")
    second = open_window(workspace("folders/second", tmp_path, {**program, "snd.warn": ["undefined-name"]}))
    second.open_file("wrong.sknd")
    second.sees(".squiggly-warning")
    expect(first.page.locator(".squiggly-warning")).to_have_count(0)
    expect(second.page.locator(".squiggly-error")).to_have_count(0)
    first.page.context.close()
    second.open_file("main.sknd")
    expect(second.page.locator(".squiggly-warning")).to_have_count(0)
    second.open_file("wrong.sknd")
    second.sees(".squiggly-warning")
