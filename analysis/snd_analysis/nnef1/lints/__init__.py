"""The rules of NNEF 1.0 whose check needs only the tree of a file."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from snd_analysis.base import Problem
from snd_analysis.nnef1.lints.declarations.fragment_default import check_fragment_defaults
from snd_analysis.nnef1.lints.declarations.fragment_parameter import check_fragment_parameters
from snd_analysis.nnef1.lints.declarations.fragment_result import check_fragment_results
from snd_analysis.nnef1.lints.declarations.generic_fragment import check_generic_fragments
from snd_analysis.nnef1.lints.declarations.source_in_fragment import check_sources_in_fragments
from snd_analysis.nnef1.lints.duplicates import check_duplicates
from snd_analysis.nnef1.lints.extensions.missing_extension import check_missing_extensions
from snd_analysis.nnef1.lints.extensions.unknown_extension import KNOWN as KNOWN_EXTENSIONS
from snd_analysis.nnef1.lints.extensions.unknown_extension import check_unknown_extensions
from snd_analysis.nnef1.lints.files.unread_tensor_file import check_tensor_archives, check_tensor_files
from snd_analysis.nnef1.lints.names import check_order, check_unused_names
from snd_analysis.nnef1.lints.structure import check_structure
from snd_analysis.nnef1.lints.tract.invalid_assertion import check_contradictions
from snd_analysis.nnef1.lints.tract.missing_registry import check_registries
from snd_analysis.nnef1.lints.tract.unsupported_by_tract import ABSENT_IN_TRACT, check_unsupported
from snd_analysis.nnef1.lints.tract.unused_assertion import check_assertions
from snd_analysis.nnef1.syntax import Dialect, SyntaxTree

__all__ = [
    "ABSENT_IN_TRACT",
    "KNOWN_EXTENSIONS",
    "check_document",
    "check_tensor_archives",
    "check_tensor_files",
    "check_unused",
]


def check_document(tree: SyntaxTree, operations: Collection[str]) -> Iterator[Problem]:
    """Yield the problems of the items of a file. ``operations`` are the names of the operations of NNEF 1.0."""
    document, dialect = tree.document, tree.dialect
    yield from check_structure(tree, dialect)
    yield from check_unknown_extensions(document)
    yield from check_duplicates(document, operations if dialect is Dialect.KHRONOS else ())
    if dialect is Dialect.KHRONOS:
        yield from check_missing_extensions(document)
        yield from check_fragment_parameters(document)
        yield from check_fragment_defaults(document)
        yield from check_fragment_results(document)
        yield from check_generic_fragments(document)
        yield from check_sources_in_fragments(document)
        yield from check_order(document)
    else:
        yield from check_registries(document)
        yield from check_unsupported(document)
        yield from check_assertions(document)
        yield from check_contradictions(document)


def check_unused(tree: SyntaxTree) -> Iterator[Problem]:
    """Yield unused names in a file without errors; exporters to tract leave such statements."""
    if tree.dialect is Dialect.KHRONOS:
        yield from check_unused_names(tree.document)
