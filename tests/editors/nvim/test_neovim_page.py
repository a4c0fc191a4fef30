"""The lines of docs/editors/neovim.md, followed from nothing: an empty home, and `snd` and `nvim` on PATH."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.editors.downloads import REPOSITORY
from support.editors.neovim_programs import OLDEST, Neovim

_SECTION = (REPOSITORY / "docs/editors/neovim.md").read_text(encoding="utf-8")
(_INSTALLING,) = re.findall(r"^```sh\n(.*?)^```", _SECTION, re.MULTILINE | re.DOTALL)
_SETUP, _ENABLE, _LAZY, _BARE = re.findall(r"^```lua\n(.*?)^```", _SECTION, re.MULTILINE | re.DOTALL)

# The view of a user on a file with a mistake.
_LOOK = """
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20)
io.stdout:write(vim.bo.filetype .. ' ' .. (vim.diagnostic.get(0)[1] or {}).code)
vim.cmd('qall!')
"""


def _environment(neovim: Neovim, home: Path) -> dict[str, str]:
    programs = home / "programs"
    programs.mkdir(parents=True)
    (programs / "nvim").symlink_to(neovim.path)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    return {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8"} | neovim.environment


def _seen(environment: dict[str, str], home: Path, lines: str) -> str:
    config = home / ".config/nvim"
    config.mkdir(parents=True)
    (config / "init.lua").write_text(lines, encoding="utf-8")
    (home / "net.sknd").write_text("import nothing_there;\n", encoding="utf-8")
    (home / "look.lua").write_text(_LOOK, encoding="utf-8")
    return _run(["nvim", "--headless", "net.sknd", "-c", "luafile look.lua"], environment, home)


def _run(command: list[str], environment: dict[str, str], folder: Path) -> str:
    done = subprocess.run(
        command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_package(neovim: Neovim, tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = _environment(neovim, home)
    assert "E1" not in _run(["sh", "-ec", _INSTALLING], environment, REPOSITORY)
    assert (home / ".local/share/nvim/site/pack/snd/start/snd/doc/tags").exists()
    lines = _SETUP if neovim.version == OLDEST else _ENABLE
    assert _seen(environment, home, lines) == "skriptnd module-not-found"


def test_without_the_plugin(neovim: Neovim, tmp_path: Path) -> None:
    if neovim.version == OLDEST:
        pytest.skip("Neovim 0.10 does not have vim.lsp.config")
    home = tmp_path / "home"
    assert _seen(_environment(neovim, home), home, _BARE) == "skriptnd module-not-found"


def test_entry_of_lazy(neovim: Neovim, tmp_path: Path) -> None:
    # Do the work of lazy.nvim for such an entry: the folder on 'runtimepath', and setup of `main` with `opts`.
    home = tmp_path / "home"
    environment = _environment(neovim, home)
    (home / "snd").symlink_to(REPOSITORY)
    lines = f"""
        local entry = {_LAZY.strip()}
        vim.opt.rtp:prepend(vim.fn.expand(entry.dir))
        require(entry.main).setup(entry.opts)
    """
    assert _seen(environment, home, lines) == "skriptnd module-not-found"
