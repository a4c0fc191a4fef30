"""What ``snd check`` has loaded at its end: a start is most of the time that it takes to check a small file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TELLTALE = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.argv = ["snd", "check", "--no-cache", "main.sknd"]
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
    "snd_analysis.rules.names": "for the rules that are broken",
    "snd_server.writing": "for --fix and --output-file",
    "tomllib": "for configurations",
}


def test_check_loads_what_a_valid_file_needs(tmp_path: Path) -> None:
    (tmp_path / "main.sknd").write_text(CLEAN, encoding="utf-8")
    command = [sys.executable, "-c", TELLTALE]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    loaded = done.stderr.split()
    assert "snd_analysis.workspace" in loaded, done.stderr
    assert [name for name in LATE if name in loaded] == []
