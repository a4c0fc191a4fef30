"""Demands on the code of all packages, besides its layers (``test_layers.py``)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from support.sources import syntax_tree

ROOT = Path(__file__).parents[2]
MOST_LINES = 60
LONG_LOOPS = {"automaton.py: advance", "gemm.py: _kernel", "tokens.py: tokenize"}
"""Functions of hot loops: a call in each round would cost as much as the round, or can't be compiled."""
LIMIT = re.compile(r"_?(MOST|LONGEST|DEEPEST)(_\w+)?")


@cache
def _files() -> dict[Path, ast.Module]:
    """The syntax trees of all files that users get."""
    paths = (path for folder in ("analysis", "runtime", "server") for path in (ROOT / folder).rglob("*.py"))
    return {path.relative_to(ROOT): syntax_tree(path) for path in sorted(paths)}


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.stmt | None]]:
    """Names that a module assigns, each with the statement that follows."""
    for node, following in pairwise([*tree.body, None]):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name, following


def _is_text(node: ast.stmt | None) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def test_limits_stand_together():
    """Limits are in ``limits.py`` of their package. How large a format allows something to be is no limit of ours."""
    elsewhere = {
        f"{path}: {name}"
        for path, tree in _files().items()
        for name, _ in _constants(tree)
        if LIMIT.fullmatch(name) and path.name != "limits.py"
    }
    assert elsewhere == set()


def test_a_limit_says_what_users_see():
    limits = [each for path, tree in _files().items() if path.name == "limits.py" for each in _constants(tree)]
    assert len(limits) > 150
    assert [name for name, following in limits if not _is_text(following)] == []


def test_functions_are_short():
    long = {
        f"{path.name}: {node.name}"
        for path, tree in _files().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MOST_LINES
    }
    assert long == LONG_LOOPS


def test_a_test_file_says_which_promise_it_keeps():
    """Its docstring is a sentence, not a topic: six words or more."""
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    assert len(tests) > 300
    headings = {path: (ast.get_docstring(syntax_tree(path)) or "").partition("\n\n")[0] for path in tests}
    assert [str(path.relative_to(ROOT)) for path, heading in headings.items() if len(heading.split()) < 6] == []
