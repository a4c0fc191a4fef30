"""The tree-sitter grammars of editors/, generated and compiled once per run by the CLI of tree-sitter."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.editors.downloads import REPOSITORY, needed
from support.editors.neovim_programs import unpacked

ABI = "14"
"""ABI version of the parsers: the one that Neovim 0.10 loads."""
_SECONDS = 120
_NODE = re.compile(r"\((ERROR|MISSING [^)]*?) ?\[(\d+), \d+\]")


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar and its parser; ``home`` is the cache of the CLI."""

    cli: Path
    language: str
    folder: Path
    parser: Path
    home: Path

    def run(self, *arguments: str | Path) -> str:
        """Return the output of the CLI in the folder of the grammar."""
        return _run(self.cli, arguments, self.folder, self.home)

    def broken(self, paths: Sequence[Path]) -> dict[Path, str]:
        """Return the files that the grammar does not parse, and the first error in each."""
        listed = self.home / "paths.txt"
        listed.write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
        lines = self.run("parse", "-q", "--paths", listed).splitlines()
        found = (line for line in lines if _NODE.search(line))
        return {Path(line.split("\t")[0].strip()): line.split("\t")[-1] for line in found}

    def captures(self, query: Path, paths: Iterable[Path]) -> list[tuple[str, int, str]]:
        """Return name, line (from 0) and text of the captures of a query, in the order of the text."""
        said = self.run("query", "--captures", query, *paths)
        pattern = r"capture: \d+ - ([\w.]+), start: \((\d+), \d+\), end: \(\d+, \d+\), text: `([^`]*)`"
        return [(name, int(line), text) for name, line, text in re.findall(pattern, said)]


def grammar(language: str, home: Path) -> Grammar:
    """Generate and compile a grammar below ``home``. Raise `UnavailableError` where there are no tools for it."""
    needed("cc")
    cli = _cli()
    folder = home / f"editors/tree-sitter-{language}"
    shutil.copytree(REPOSITORY / f"editors/tree-sitter-{language}", folder, ignore=shutil.ignore_patterns("src"))
    shutil.copytree(REPOSITORY / "editors/nvim/queries", home / "editors/nvim/queries", dirs_exist_ok=True)
    parser = home / f"parser/{language}.so"
    parser.parent.mkdir(exist_ok=True)
    _run(cli, ["generate", "--abi", ABI], folder, home)
    command = ["cc", "-shared", "-fPIC", "-O1", "-I", folder / "src", "-o", parser, folder / "src/parser.c"]
    subprocess.run(command, check=True, timeout=_SECONDS)
    return Grammar(cli, language, folder, parser, home)


def _cli() -> Path:
    """Return the CLI that ``SND_TREE_SITTER`` names, that is on PATH, or Debian's."""
    found = os.environ.get("SND_TREE_SITTER") or shutil.which("tree-sitter")
    return (
        Path(found) if found else unpacked("trixie", "tree-sitter-cli", "usr/bin/tree-sitter") / "usr/bin/tree-sitter"
    )


def _run(cli: Path, arguments: Iterable[str | Path], folder: Path, home: Path) -> str:
    environment = os.environ | {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    done = subprocess.run(
        [cli, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=_SECONDS
    )
    assert not re.search("panicked|Error", done.stderr), done.stderr
    return done.stdout
