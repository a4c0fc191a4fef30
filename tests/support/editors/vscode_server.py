"""A server of VS Code with the extension installed, and nothing of it left when the tests end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from support.editors.downloads import run
from support.editors.traces import keep_logs
from support.editors.vscode_programs import ServerProgram

START_SECONDS = 60
# Settings that remove overlays of the code, and requests to other machines.
SETTINGS = {
    "chat.commandCenter.enabled": False,
    "editor.minimap.enabled": False,
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "git.enabled": False,
    "json.schemaDownload.enable": False,
    "npm.fetchOnlinePackageInfo": False,
    "security.workspace.trust.startupPrompt": "never",
    "telemetry.telemetryLevel": "off",
    "typescript.disableAutomaticTypeAcquisition": True,
    "workbench.enableExperiments": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.welcomePage.walkthroughs.openOnInstall": False,
}


@dataclass(frozen=True, slots=True)
class VSCode:
    """A running server. Its windows are pages of a browser; each has an extension host of its own."""

    address: str
    process: int
    extensions: Path
    log: Path


@contextmanager
def running(
    program: ServerProgram, vsix: Path, folder: Path, search_path: str, *, trusts: bool = True
) -> Iterator[VSCode]:
    """Run a server with fresh data below `folder`, which finds programs by `search_path` as its PATH.

    Unless it `trusts`, its windows are restricted until the user trusts a workspace. All processes that it starts end
    with the block, also those of language servers.
    """
    node, script = program.node, program.script
    (folder / "data/Machine").mkdir(parents=True)
    (folder / "data/Machine/settings.json").write_text(json.dumps(SETTINGS, indent=2), encoding="utf-8")
    home = folder / "home"
    home.mkdir()
    places = [f"--{name}-dir={folder / place}" for name, place in PLACES.items()]
    run([node, script, *places, "--install-extension", vsix, "--accept-server-license-terms"])
    port = _free_port()
    command = [node, script, *places, "--host=127.0.0.1", f"--port={port}", *OPTIONS]
    if trusts:
        command.append("--disable-workspace-trust")
    log = folder / "server.log"
    # Windows of VS Code must not see that they are driven from within one, nor the environment of the tests.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("VSCODE_", "VIRTUAL_ENV"))}
    environment = kept | _settings_of_pip() | {"PATH": search_path, "HOME": str(home)}
    with log.open("w") as output:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        address = f"127.0.0.1:{port}"
        _wait_until_it_answers(address, process, log)
        yield VSCode(address, process.pid, folder / "extensions", log)
    finally:
        _end_session(process)
        keep_logs(folder.name, folder / "data/logs", log)


def _settings_of_pip() -> dict[str, str]:
    """Return the settings that pip would find in the home folder: it installs the server of the extension."""
    files = (Path.home() / ".config/pip/pip.conf", Path.home() / ".pip/pip.conf")
    found = next((str(file) for file in files if file.exists()), None)
    settings = {"PIP_CACHE_DIR": str(Path.home() / ".cache/pip")}
    return settings | ({"PIP_CONFIG_FILE": found} if found is not None else {})


PLACES = {"user-data": "data", "server-data": "server-data", "extensions": "extensions"}
# Not "--enable-smoke-test-driver": newer versions then show neither messages nor dialogs.
OPTIONS = ("--without-connection-token", "--accept-server-license-terms", "--telemetry-level=off")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_it_answers(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"http://{address}/version", timeout=5):
            return
        time.sleep(0.05)
    raise AssertionError(f"the server of VS Code did not start:\n{log.read_text(errors='replace')[-2000:]}")


def _end_session(process: subprocess.Popen[bytes]) -> None:
    """End the server and all processes of its session, also those in process groups of their own."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        for each in {process.pid, *processes(process.pid)}:
            with suppress(ProcessLookupError):
                os.kill(each, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        time.sleep(0.2)


def processes(session: int) -> dict[int, str]:
    """Return the command lines of the running processes of a session, by number."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # Behind the name, which is in parentheses: state, parent, group, session.
            state, _, _, of, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(of) == session and state != "Z":
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found
