"""Fixtures that start a real VS Code, once for all tests, and open windows of it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from support.editors.downloads import UnavailableError, skip
from support.editors.packaged_extension import packaged
from support.editors.traces import BROWSERS, trace_failure
from support.editors.vscode_programs import browser as installed_browser
from support.editors.vscode_programs import vscode_server
from support.editors.vscode_server import VSCode, running
from support.editors.vscode_window import OpenWindow, Window

# Sandboxes need what containers do not have; the rest keeps the browser off the network.
BROWSER_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZE = {"width": 1280, "height": 800}


def pytest_configure() -> None:
    """Whoever ends the tests by a signal finds nothing left: fixtures are torn down as after Ctrl+C."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session")
def vscode(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VSCode]:
    """Yield a server with the extension as users install it; it finds no `snd` on its own."""
    try:
        program, vsix = vscode_server(), packaged()
    except UnavailableError as reason:
        skip(reason)
    folder = tmp_path_factory.mktemp("vscode")
    with running(program, vsix, folder, _path_without("snd")) as server:
        yield server


# Not for the session: as long as Playwright runs, tests with an event loop of their own can't.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        path = installed_browser()
    except UnavailableError as reason:
        skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=BROWSER_OPTIONS)
        BROWSERS.append(browser)
        yield browser
        BROWSERS.remove(browser)
        browser.close()


@pytest.fixture(scope="module")
def open_window(browser: Browser, vscode: VSCode) -> Iterator[OpenWindow]:
    """Open a window for a workspace; each has a browser profile of its own, and is closed when the module ends."""
    contexts = []

    def open_window(workspace: Path, payload: dict[str, str] | None = None) -> Window:
        context = browser.new_context(viewport=SIZE, permissions=["clipboard-read", "clipboard-write"])
        contexts.append(context)
        window = Window(context.new_page())
        window.open(vscode.address, workspace, payload)
        return window

    yield open_window
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def shared(open_window: OpenWindow, folder: Path) -> Window:
    """Open the window of a module's tests, which override ``folder`` to choose its contents."""
    return open_window(folder)


@pytest.fixture
def window(shared: Window) -> Iterator[Window]:
    """Yield the same, left with nothing open."""
    yield shared
    shared.close_all()


@pytest.fixture(scope="session")
def snd() -> Path:
    """Return the command `snd` of the environment that the tests run in."""
    return Path(sys.executable).parent / "snd"


def _path_without(program: str) -> str:
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if not (Path(folder) / program).exists())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Leave traces of what failed, as long as its windows are open."""
    report = yield
    if report.failed:
        trace_failure(item, report)
    return report
