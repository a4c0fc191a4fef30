"""Modules that ``snd check`` has loaded at its end: start-up dominates the time to check a small file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TELLTALE = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.argv = ["snd", "check", *sys.argv[1:], "main.sknd"]
from snd_server.cli import main
main()
"""
CLEAN = "import math;\ngraph g { @input { x: real[2]; } @output { y: real[2]; } @compose { y = math.exp(x); } }\n"

LATE = {
    "difflib": "for fixes and names that are nearly right",
    "importlib.resources": "the table of the grammar and the library are read without it",
    "pathlib": "for the sweep of the cache",
    "shutil": "for files that are written",
    "snd_analysis.nnef1": "for files in the other language",
    "snd_server.workspace_files.writing": "for --fix and --output-file",
    "tomllib": "for configurations",
}


ANALYSIS = ("compose", "db", "model", "symbolic", "workspace")
"""Packages that nothing needs where all results are known; of ``skriptnd`` the width of lines is."""


def _loaded(folder: Path, *options: str) -> list[str]:
    (folder / "main.sknd").write_text(CLEAN, encoding="utf-8")
    command = [sys.executable, "-c", TELLTALE, *options]
    around = {**os.environ, "SND_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(command, cwd=folder, env=around, capture_output=True, encoding="utf-8", check=True)
    return done.stderr.split()


def test_check_loads_what_a_valid_file_needs(tmp_path: Path) -> None:
    loaded = _loaded(tmp_path, "--no-cache")
    assert "snd_analysis.workspace" in loaded, loaded
    assert [name for name in LATE if name in loaded] == []


def test_check_from_the_cache_loads_no_analysis(tmp_path: Path) -> None:
    (tmp_path / "snd.toml").write_text("line-width = 90\n", encoding="utf-8")
    _loaded(tmp_path)
    loaded = _loaded(tmp_path)
    assert "snd_server.checking.cache" in loaded, loaded
    parts = [name.split(".") for name in loaded if name.startswith("snd_analysis.")]
    assert [part for part in parts if part[1] in ANALYSIS or part[1:3] == ["skriptnd", "syntax"]] == []
