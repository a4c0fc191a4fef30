"""Only ``snd lsp`` loads the libraries of the language server, which take longer than a check of a file."""

from __future__ import annotations

import subprocess
import sys

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
