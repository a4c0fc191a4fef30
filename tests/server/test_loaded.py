"""Modules that commands load. What a command does not use, it does not load: loading takes most of a short run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROTOCOL = ("pygls", "lsprotocol", "cattrs", "attrs", "attr", "websockets")

# Loads every module of the server but those of the language server, then names what has been loaded.
LOAD = """
import importlib, pkgutil, sys
import snd, snd_server

for module in pkgutil.walk_packages(snd_server.__path__, "snd_server."):
    if module.name.startswith("snd_server.lsp") or module.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:  # an extra that is not installed here
        assert not error.name.startswith("snd"), error
print(*sys.modules)
"""


def test_no_module_outside_of_the_language_server_loads_its_libraries() -> None:
    found = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in found.stdout.split()}
    assert {"snd_server", "snd_analysis", "click"} <= loaded
    assert loaded.isdisjoint(PROTOCOL), loaded & {*PROTOCOL}


TELLTALE = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.argv = ["snd", *sys.argv[1:]]
from snd_server.cli import main
main()
"""
SOFTMAX = ("run", "--operator", "nn.softmax", "--input", "input=[[1.0, 2.0]]")
WORK = ("snd_analysis.db", "snd_analysis.skriptnd.syntax", "snd_analysis.workspace", "snd_runtime", "numpy")
LATE = {
    **{(name, "--help"): WORK for name in ("check", "doc", "init", "lsp", "mcp", "rule", "run")},
    SOFTMAX: (
        "snd_analysis.nnef1",
        "snd_analysis.proofs.solver",
        "snd_server.running.map_proposal",
        "lark",
        "numba",
        "onnx",
        "rich",
        "tomllib",
        "z3",
    ),
}
"""Modules and packages that a command does without."""


@pytest.mark.parametrize("command", LATE, ids=" ".join)
def test_a_command_loads_what_it_uses(command: tuple[str, ...], tmp_path: Path) -> None:
    started = [sys.executable, "-c", TELLTALE, *command]
    done = subprocess.run(started, cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert "click" in loaded
    assert not {late for late in LATE[command] for name in loaded if f"{name}.".startswith(f"{late}.")}
