"""What drives a real VS Code: the server of the npm package code-server, and an installed Chromium."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from downloads import UnavailableError, locked, once, run

# Carries VS Code 1.100.3, which runs on Node 20.
CODE_SERVER = "4.100.3"
OLDEST_NODE = 20
LOGGER = Path(__file__).parent / "spdlog.js"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")


def vscode_server() -> Path:
    """The script that Node runs as the server of VS Code. Raises `UnavailableError`."""
    node = run(["node", "--version"]).strip().removeprefix("v")
    if int(node.split(".")[0]) < OLDEST_NODE:
        raise UnavailableError(f"Node {node} is older than {OLDEST_NODE}")
    return once(f"code-server-{CODE_SERVER}-{_recipe()}", _install) / "package/lib/vscode/out/server-main.js"


def browser() -> Path:
    """A Chromium: the one that `SND_CHROMIUM` names, an installed one, or one that apt installs.

    Raises `UnavailableError`.
    """
    if chosen := os.environ.get("SND_CHROMIUM"):
        return Path(chosen)
    with locked("chromium"):
        if (found := _installed_browser()) is None:
            _install_browser()
            found = _installed_browser()
    if found is None:
        raise UnavailableError("the package chromium brought no chromium")
    return found


def _install(folder: Path) -> None:
    archive = run(["npm", "pack", f"code-server@{CODE_SERVER}", "--silent"], folder).split()[-1]
    run(["tar", "xzf", archive, "package/lib/vscode"], folder)
    (folder / archive).unlink()
    # What would have to be compiled is for terminals, which no test needs, and for logs.
    command = ["npm", "install", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--silent"]
    run(command, folder / "package/lib/vscode")
    run(command, folder / "package/lib/vscode/extensions")
    shutil.copy(LOGGER, folder / "package/lib/vscode/node_modules/@vscode/spdlog/index.js")


def _recipe() -> str:
    """Changes with what is put into the installation."""
    return hashlib.sha256(LOGGER.read_bytes()).hexdigest()[:8]


def _installed_browser() -> Path | None:
    return next((Path(found) for name in BROWSERS if (found := shutil.which(name))), None)


def _install_browser() -> None:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise UnavailableError("there is no Chromium, and only root can install one (or SND_CHROMIUM names one)")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "-qq", "update"], environment=quiet)
    # The fonts are for the screenshots: signs of mathematics, arrows and ticks.
    packages = ["chromium", "fonts-dejavu-core", "fonts-liberation"]
    run(["apt-get", "-qq", "-y", "--no-install-recommends", "install", *packages], environment=quiet)
