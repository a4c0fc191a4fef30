"""Runs of Neovim on files of tests in Lua: one process for a file, one result for each test in it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from support.editors.downloads import REPOSITORY
from support.editors.neovim_programs import Neovim

PLUGIN = REPOSITORY / "editors/nvim"
HERE = Path(__file__).parents[2] / "editors/nvim"
SECONDS = 120
"""For one process; they take a few seconds."""

# Ways in which users set the plugin up.
STARTS = {
    "setup": "require('snd').setup({ settings = { evaluation = { timeout = 20 } } })",
    "enable": "vim.g.snd = { settings = { evaluation = { timeout = 20 } } } vim.lsp.enable('snd')",
    "nothing": "",
}


def names_in(file: Path) -> list[str]:
    """Return the names of the tests in a file, without running it."""
    return re.findall(r'^test\("(.+)", function', file.read_text(encoding="utf-8"), re.MULTILINE)


def home(folder: Path) -> dict[str, str]:
    """Return the environment of a user who has only the plugin, installed as a package (`:help packages`)."""
    data = folder / "data"
    package = data / "nvim/site/pack/snd/start"
    package.mkdir(parents=True, exist_ok=True)
    # A copy: `:helptags` writes into it.
    shutil.copytree(PLUGIN, package / "snd", dirs_exist_ok=True)
    kept = {name: os.environ[name] for name in ("LANG", "SND_CACHE_DIR", "OPENBLAS_NUM_THREADS") if name in os.environ}
    programs = Path(sys.executable).parent
    return kept | {
        "HOME": str(folder),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(data),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_RUNTIME_DIR": str(folder),
        "TERM": "xterm-256color",
    }


def run_lua(
    neovim: Neovim, file: Path, start: str, folder: Path, given: Mapping[str, object] | None = None
) -> dict[str, str]:
    """Return the errors of the tests of a file, by name: an empty text if it passed.

    The tests find `given` as `GIVEN`.
    """
    (folder / "workspace").mkdir(parents=True)
    (folder / "init.lua").write_text(STARTS[start], encoding="utf-8")
    (folder / "given.json").write_text(json.dumps(given or {}), encoding="utf-8")
    results = folder / "results.json"
    environment = home(folder) | neovim.environment
    environment |= {
        "SND_TESTS": str(HERE / "lua"),
        "SND_RESULTS": str(results),
        "SND_GIVEN": str(folder / "given.json"),
        "SND_INIT": str(folder / "init.lua"),
        "SND_REPOSITORY": str(REPOSITORY),
    }
    command = [neovim.path, "--headless", "-u", folder / "init.lua", "-i", "NONE", "-n"]
    command += ["--cmd", f"luafile {HERE / 'lua/harness.lua'}", "-c", f"lua run_tests([[{file}]])"]
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder / "workspace",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(SECONDS)
        finally:
            _end(process)
    said = (folder / "output.txt").read_text(encoding="utf-8", errors="replace")[-4000:]
    if not results.exists():
        return dict.fromkeys(names_in(file), f"Neovim ended without a result:\n{said}")
    problems = json.loads(results.read_text(encoding="utf-8"))
    return {name: problems.get(name, f"the test was not run:\n{said}") for name in names_in(file)}


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all processes that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
