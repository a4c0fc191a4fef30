"""Rules about the tensor files of a model."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath

from snd_analysis import rules
from snd_analysis.base import Problem, Rule, Severity, counted
from snd_analysis.nnef1.limits import MOST_LISTED_FILES
from snd_analysis.nnef1.lints.subjects import FileWithArchives, FileWithoutErrors, definitions
from snd_analysis.rules import check_of

UNREAD_TENSOR_FILE = Rule("unread-tensor-file", section="tool", severity=Severity.WARNING)


@check_of(FileWithoutErrors)
def _unread_tensor_file(file: FileWithoutErrors) -> Iterator[Problem]:
    """Yield the tensor files of a model that none of its variables reads.

    Nothing is reported for a model that reads no file: it is a text without its weights. A label that the text spells
    may belong to a variable of a fragment that nothing invokes. Names are compared without case, since some file
    systems ignore it.
    """
    tree, files = file.tree, file.files
    known = {normpath(each).lower() for each in file.read}
    unread = sorted(each for each in files if each.lower() not in known)
    if len(unread) == len(files):
        return
    unread = [each for each in unread if not _spells(tree.text, each.removesuffix(".dat"))]
    graph = next(definitions(tree.document, "graph"), None)
    if unread and graph is not None:
        listed = ", ".join(f"'{each}'" for each in unread[:MOST_LISTED_FILES])
        more = (
            f" and {counted(len(unread) - MOST_LISTED_FILES, 'other file')}" if len(unread) > MOST_LISTED_FILES else ""
        )
        message = f"no variable of the graph reads {listed}{more}"
        yield Problem(UNREAD_TENSOR_FILE, graph.head.name.span.shifted(graph.start), message)


@check_of(FileWithArchives)
def _tensor_archives(file: FileWithArchives) -> Iterator[Problem]:
    """Yield the faults of files that hold several tensors."""
    tree, faults = file.tree, file.faults
    graph = next(definitions(tree.document, "graph"), None)
    if faults and graph is not None:
        yield Problem(rules.INVALID_TENSOR_FILE, graph.head.name.span.shifted(graph.start), "; ".join(faults))


def _spells(text: str, label: str) -> bool:
    return any(f"{quote}{slash}{label}{quote}" in text for quote in "'\"" for slash in ("", "/"))
