"""Who imports whom (invariant 1)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
LAZY = {"lark"}
"""What the analysis may import inside of functions only: it is not loaded at start-up."""
OUTSIDE_WORLD = {"os", "io", "time", "datetime", "socket", "subprocess", "threading", "multiprocessing", "random"}


def _imports(package: str) -> Iterator[tuple[Path, str, bool]]:
    """File, module and whether the import stands outside of any function, for each import of a package."""
    for path in sorted((ROOT / package).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inner = {
            node for function in ast.walk(tree) if isinstance(function, ast.FunctionDef) for node in ast.walk(function)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield path.relative_to(ROOT), alias.name, node not in inner
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: imports are absolute"
                yield path.relative_to(ROOT), node.module or "", node not in inner


def _violations(package: str, *forbidden: str) -> list[str]:
    return [f"{path}: {name}" for path, name, _ in _imports(package) if name.partition(".")[0] in forbidden]


def test_there_is_something_to_look_at():
    assert len(list(_imports("analysis/snd_analysis"))) > 100


def test_analysis_imports_the_standard_library_only():
    for path, name, is_outside in _imports("analysis/snd_analysis"):
        top = name.partition(".")[0]
        if top in LAZY:
            assert not is_outside, f"{path}: {name} is to be imported where it is needed"
        else:
            assert top == "snd_analysis" or top in sys.stdlib_module_names, f"{path}: {name}"


def test_analysis_has_no_files_no_clock_and_no_chance():
    assert _violations("analysis/snd_analysis", *OUTSIDE_WORLD) == []


def test_analysis_opens_no_files():
    """Its own grammar and library come through ``importlib.resources``."""
    calls = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "analysis").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("open", "print", "input")
    ]
    assert calls == []


def test_runtime_does_not_import_the_server():
    assert _violations("runtime", "snd_server", "pygls", "lsprotocol") == []


def test_only_the_language_server_knows_lsp():
    lsp = Path("server/snd_server/lsp")
    for path, name, _ in _imports("server"):
        if name.partition(".")[0] in ("lsprotocol", "pygls"):
            assert lsp in path.parents, f"{path}: {name}"
