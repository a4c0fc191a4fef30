"""Files that exist in memory only, and the results of the analysis of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from snd_analysis.base import NO_SETTINGS, Diagnostic, ProjectSettings
from snd_analysis.skriptnd.lints import apply_suppressions
from snd_analysis.workspace import Snapshot, UnreadableText, Workspace
from snd_analysis.workspace.files import ALL_TENSOR_FILES

_FILE_LINE = re.compile(r"^# file: *(\S+)[ \t]*\n", re.MULTILINE)
_NNEF1 = re.compile(r"^(?:graph|fragment)\s+\w+\s*[(<]", re.MULTILINE)
_GRAPH = re.compile(r"^[ \t]*(?:public\s+)?graph\b", re.MULTILINE)


class MemoryReader:
    """The reader that the analysis is given (``snd_analysis.workspace.Reader``), over texts by path."""

    def __init__(self, files: Mapping[str, str | UnreadableText]) -> None:
        self.files = dict(files)

    def read(self, path: str) -> str:
        if path.endswith(ALL_TENSOR_FILES):
            return self._tensor_files(path.removesuffix(ALL_TENSOR_FILES))
        if path not in self.files:
            raise FileNotFoundError(path)
        text = self.files[path]
        if isinstance(text, UnreadableText):
            raise text
        return text

    def exists(self, path: str) -> bool:
        return path in self.files

    def _tensor_files(self, folder: str) -> str:
        models = tuple(each.removesuffix("graph.nnef") for each in self.files if each.endswith("/graph.nnef"))
        inside = tuple(each for each in models if each.startswith(folder) and each != folder)
        found = (each for each in self.files if each.endswith(".dat") and not each.startswith(inside))
        return "\n".join(each.removeprefix(folder) for each in found if each.startswith(folder))


def split_files(text: str) -> dict[str, str]:
    """Return the files of an example, separated by lines ``# file: NAME.sknd``.

    The part before the first such line is ``graph.nnef`` if it is NNEF 1.0, ``main.sknd`` if it holds a graph, else a
    module ``operators.sknd``: the main module of a model has a graph. A file ``NAME.dat`` is described by the type of
    its items and its extents.
    """
    first, *others = _FILE_LINE.split(text)
    files = {}
    if first or not others:
        main = "main.sknd" if _GRAPH.search(first) else "operators.sknd"
        files["graph.nnef" if _NNEF1.search(first) else main] = first
    files.update(zip(others[::2], others[1::2], strict=True))
    return files


def read_program(path: Path) -> dict[str, str]:
    """Return the files of a program on disk: a folder unchanged, or a single file as the main module of a folder."""
    if path.is_file():
        return {"main.sknd": _text(path)}
    return {file.relative_to(path).as_posix(): _text(file) for file in sorted(path.rglob("*.sknd"))}


def _text(path: Path) -> str:
    return path.read_bytes().decode()  # read_text would change line breaks


def snapshot_of(files: Mapping[str, str | UnreadableText], settings: ProjectSettings = NO_SETTINGS) -> Snapshot:
    """Return a fresh snapshot of these files.

    A `snd.toml` among them belongs to an example of a rule that it enables.
    """
    if "snd.toml" in files:
        settings = ProjectSettings(tosa_profile=tomllib.loads(str(files["snd.toml"]))["targets"]["tosa"])
    return Workspace(MemoryReader(files), settings).snapshot()


def check(
    files: Mapping[str, str | UnreadableText], settings: ProjectSettings = NO_SETTINGS
) -> dict[str, list[Diagnostic]]:
    """Return the diagnostics of every file, after suppression, as ``snd check`` shows them."""
    snapshot = snapshot_of(files, settings)
    return {path: [] if path.endswith((".dat", ".toml")) else unsuppressed(snapshot, path) for path in files}


def unsuppressed(snapshot: Snapshot, path: str) -> list[Diagnostic]:
    """Return the diagnostics of a file that no comment suppresses."""
    return [*apply_suppressions(snapshot.diagnostics(path), snapshot.source(path), snapshot.comments(path))]


def fixed(files: Mapping[str, str], diagnostic: Diagnostic) -> dict[str, str]:
    """Return the files after the fix of a diagnostic."""
    assert diagnostic.fix is not None
    after = dict(files)
    edits = sorted(diagnostic.fix.edits, key=lambda edit: edit.location.span, reverse=True)
    for edit in edits:
        path, span = edit.location.path, edit.location.span
        after[path] = after[path][: span.start] + edit.text + after[path][span.end :]
    return after


def shown(found: Mapping[str, list[Diagnostic]], files: Mapping[str, str]) -> str:
    """Return diagnostics as lines for the message of a failing test."""
    lines = []
    for path, diagnostics in found.items():
        text = files[path]
        for item in diagnostics:
            line = text.count("\n", 0, item.location.span.start) + 1
            lines.append(f"{path}:{line}: {item.severity}[{item.rule.name}]: {item.message}")
    return "\n".join(lines)
