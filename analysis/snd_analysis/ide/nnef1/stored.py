"""The variables of a file in NNEF 1.0 and their tensor files."""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import dirname, join

from snd_analysis.base import Span
from snd_analysis.ide.nnef1.facts import tensor_names, value_of
from snd_analysis.ide.nnef1.places import use_at
from snd_analysis.nnef1.elaborate import ElaboratedValue, StoredVariable, TensorFile, submodels_in
from snd_analysis.workspace import Snapshot, elaborated, tensor_file, tensor_path

Stored = tuple[StoredVariable, str | None, TensorFile | None]
"""A variable, the path of its file, and the header of that file."""


def stored_at(snapshot: Snapshot, path: str, offset: int) -> Stored | None:
    """Return the variable whose label an offset stands in."""
    for variable in elaborated(snapshot.db, path).variables:
        if variable.span.start <= offset <= variable.span.end and not variable.folder:
            return _stored(snapshot, path, variable)
    return None


def stored_named(snapshot: Snapshot, path: str, value: ElaboratedValue) -> Stored | None:
    """Return the variable that a value is."""
    names = set(tensor_names(value))
    found = (each for each in elaborated(snapshot.db, path).variables if each.name in names)
    variable = next(found, None)
    return None if variable is None or len(names) > 1 else _stored(snapshot, path, variable)


def stored_path(snapshot: Snapshot, path: str, offset: int) -> str | None:
    """Return the path of the tensor file of the variable that is named at an offset, or whose label stands there."""
    found = stored_at(snapshot, path, offset)
    if found is None:
        use = use_at(snapshot, path, offset)
        value = None if use is None else value_of(snapshot, path, use)
        found = None if value is None else stored_named(snapshot, path, value)
    return None if found is None or found[2] is None or found[2].fault is not None else found[1]


def labels(snapshot: Snapshot, path: str) -> Iterable[Stored]:
    """Yield every variable whose label is in the file, with its own file."""
    return (_stored(snapshot, path, each) for each in elaborated(snapshot.db, path).variables if not each.folder)


def submodel_labels(snapshot: Snapshot, path: str) -> Iterable[tuple[Span, str]]:
    """Yield the labels of submodels that are folders, with the paths of their graphs."""
    for use in submodels_in(elaborated(snapshot.db, path)):
        if use.is_own and use.submodel is not None and use.submodel.folder == use.label:
            yield use.span, join(dirname(path), use.submodel.path)


def _stored(snapshot: Snapshot, path: str, variable: StoredVariable) -> Stored:
    return variable, tensor_path(path, variable.label), tensor_file(snapshot.db, path, variable.label)
