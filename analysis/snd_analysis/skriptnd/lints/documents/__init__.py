"""Rules about a file as a whole: the order of its parts, and the names of its definitions."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem
from snd_analysis.skriptnd.lints.documents import (
    duplicate_operator,
    duplicate_version,
    main_without_graph,
    malformed_version,
    misplaced_header,
    missing_space,
)
from snd_analysis.skriptnd.syntax import Chunk, SyntaxTree


def check_items(tree: SyntaxTree) -> Iterator[Problem]:
    """Report problems of the parts of a document and their order."""
    yield from malformed_version.check(tree)
    yield from duplicate_version.check(tree)
    yield from misplaced_header.check(tree)


def check_definitions(path: str, tree: SyntaxTree) -> Iterator[Problem]:
    """Report problems of the definitions of a file, taken together."""
    yield from duplicate_operator.check(tree)
    yield from main_without_graph.check(path, tree)


def check_chunk(chunk: Chunk) -> Iterator[Problem]:
    """Report problems that the tokens of a chunk show. Spans count from the chunk."""
    yield from missing_space.check(chunk)
