"""Syntax trees of the source files of snd, parsed once for all tests that examine the code."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def syntax_tree(path: Path) -> ast.Module:
    """Return the syntax tree of a Python file. Tests must not change it."""
    return ast.parse(path.read_text(encoding="utf-8"))
