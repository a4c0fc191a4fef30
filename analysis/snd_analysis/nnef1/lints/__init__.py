"""Rules of NNEF 1.0 that the tree of a file decides, each with its check; ``subjects.py`` has their subjects."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from snd_analysis.base import Problem
from snd_analysis.nnef1.lints import declarations, documents, files  # noqa: F401 (their checks register themselves)
from snd_analysis.nnef1.lints.extensions import KNOWN_EXTENSIONS
from snd_analysis.nnef1.lints.subjects import File, FileWithArchives, FileWithoutErrors, KhronosFile, TractFile
from snd_analysis.nnef1.lints.tract import ABSENT_IN_TRACT
from snd_analysis.nnef1.syntax import Dialect, Nnef1SyntaxTree
from snd_analysis.rules import problems_of

__all__ = ["ABSENT_IN_TRACT", "KNOWN_EXTENSIONS", "FileWithArchives", "FileWithoutErrors", "check_document"]


def check_document(tree: Nnef1SyntaxTree, operations: Collection[str]) -> Iterator[Problem]:
    """Yield the problems of the items of a file. ``operations`` are the names of the operations of NNEF 1.0."""
    yield from problems_of(File(tree, operations))
    is_khronos = tree.dialect is Dialect.KHRONOS
    yield from problems_of(KhronosFile(tree.document) if is_khronos else TractFile(tree.document))
