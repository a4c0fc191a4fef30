"""The files of one revision: texts that clients hold open, over texts from a reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import Struct

from snd_analysis.base import NO_SETTINGS, Problem, ProjectSettings, Rule, Source, checkpoint
from snd_analysis.compose import Origin, PlacedProblem
from snd_analysis.db import Database, Input, incremental, query
from snd_analysis.skriptnd.names import ModuleScope, OperatorName, is_library, library_text
from snd_analysis.skriptnd.samples import Sample
from snd_analysis.skriptnd.syntax import Chunk, SyntaxTree, nodes, parse_file
from snd_analysis.symbolic.integers import Integer

if TYPE_CHECKING:
    from snd_analysis.nnef1.elaborate import StoredVariable


class UnreadableText(Exception):  # noqa: N818 - it is an answer of a reader, not a fault
    """A file that is there but is no text: ``rule`` says why, ``offset`` where, in code points, as well as can be."""

    def __init__(self, message: str, rule: Rule, offset: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.rule = rule
        self.offset = offset


class Reader(Protocol):
    """The only way in which the analysis sees files."""

    def read(self, path: str) -> str:
        """Return the text of a file; of a tensor file (``.dat``) the type of its items and its extents: ``real [2,3]``.

        Of ``FOLDER/*.dat`` return the paths of all tensor files below the folder, from there, one a line. Of
        ``FOLDER/*.safetensors`` return a line for each tensor in these files of the folder, and for each that can't be
        read (``snd_analysis.nnef1.elaborate.TensorArchives``).

        Raise FileNotFoundError or UnreadableText.
        """

    def exists(self, path: str) -> bool:
        """Return whether there is a regular file of that path."""


ALL_TENSOR_FILES = "*.dat"
"""Pattern with which a reader is asked for the tensor files in a folder."""
ALL_TENSOR_ARCHIVES = "*.safetensors"
"""Pattern with which a reader is asked for the tensors that share files in a folder."""


class SampleProblem(Struct, frozen=True):
    """A problem of a sample. ``inside`` is the place in a definition of the same file where it occurs."""

    problem: Problem
    inside: PlacedProblem | None = None


class SampleCall(Struct, frozen=True, eq=False):
    """The invocation of a sample, and its problems according to the language of its file."""

    call: nodes.Call
    problems: tuple[Problem, ...] = ()
    inside: tuple[SampleProblem, ...] = ()
    """Problems of the invoked definition."""
    can_run: bool = True


class TreeReader(NamedTuple):
    """The reader of files in another language."""

    tree: Callable[[Database, str], SyntaxTree]
    """The definitions of a file, as a tree of SkriptND."""
    origins: Callable[[Database, OperatorName], Mapping[nodes.Node, tuple[Origin, ...]]]
    """The invocations in whose place statements of these definitions stand."""
    extents: Callable[[Database, OperatorName], Mapping[str, Integer]]
    """Extents that inputs of these definitions name, with facts beyond their names."""
    scope: Callable[[Database, str], ModuleScope]
    """The definitions visible from these definitions."""
    variables: Callable[[Database, str], tuple[StoredVariable, ...]]
    """The variables of a graph, with the labels of their files."""
    tensor_descriptions: Callable[[Database, str], Mapping[str, str]]
    """The reader's descriptions of the tensor files of a graph, by their paths."""
    made_chunk: Callable[[Database, OperatorName], Chunk | None]
    """A chunk with a definition that the tree does not have, since it is made for a sample."""
    sample_call: Callable[[Database, str, Sample], SampleCall | None]
    """The invocation of a sample, if it differs from the one in its text."""


_FRONT_ENDS = {
    "nnef": ("snd_analysis.workspace.nnef1_front_end", "FRONT_END"),
    "quant": ("snd_analysis.workspace.nnef1_front_end", "QUANTIZATION_FRONT_END"),
}
"""Modules and names of front ends, by the endings of files. A start without such files does not load them."""


class File(Struct, frozen=True, eq=False):
    """One version of one file. ``tree`` has its definitions as SkriptND if it is in another language."""

    source: Source
    tree: SyntaxTree
    unreadable: UnreadableText | None = None


@Input
def text(reader: Reader, path: str) -> str | UnreadableText | None:
    """Return the text of a file, or why it has none; None if there is no such file."""
    try:
        return reader.read(path)
    except FileNotFoundError:
        return None
    except UnreadableText as unreadable:
        return unreadable


@Input
def exists(reader: Reader, path: str) -> bool:
    """Return whether there is a file of that path."""
    return reader.exists(path)


@Input
def project_settings(_: Reader) -> ProjectSettings:
    """Return the settings in the configuration."""
    return NO_SETTINGS


@Input
def is_edited(_: Reader) -> bool:
    """Return whether texts will change, so that results are kept for each statement of a long definition."""
    return True


def front_end_of(path: str) -> TreeReader | None:
    """Return the front end of a file in another language; None for a file of SkriptND."""
    place = _FRONT_ENDS.get(path.rpartition(".")[2])
    if place is None:
        return None
    module, name = place
    found: TreeReader = getattr(import_module(module), name)
    return found


def file(db: Database, path: str) -> File | None:
    """Return the file at a path; None if there is none."""
    return _library_file(db, path) if is_library(path) else _file(db, path)


@query(is_constant=True)
def _library_file(db: Database, path: str) -> File | None:
    try:
        found = library_text(path)
    except FileNotFoundError:
        return None
    return File(Source(path, found), parse_file(found))


@incremental
def _file(db: Database, before: File | None, path: str) -> File | None:
    found = text(db, path)
    match found:
        case None:
            return None
        case str() if (front_end := front_end_of(path)) is not None:
            return File(Source(path, found), front_end.tree(db, path))
        case str():
            return File(Source(path, found), parse_file(found, before.tree if before is not None else None))
        case _:
            return File(Source(path, ""), parse_file(""), found)


def source(db: Database, path: str) -> Source:
    """Return the text of a file; an empty one if there is none."""
    found = file(db, path)
    return found.source if found else Source(path, "")


def tree(db: Database, path: str) -> SyntaxTree:
    """Return the tree of a file; an empty one if there is none."""
    found = file(db, path)
    return found.tree if found else parse_file("")


def whole_tree(db: Database, path: str) -> SyntaxTree:
    """Return the tree of a file with every chunk parsed, which takes seconds for many definitions."""
    found = tree(db, path)
    for placed in found.chunks:
        if not placed.chunk.is_parsed:
            checkpoint()
            placed.chunk.document  # noqa: B018 - it is parsed now
    return found
