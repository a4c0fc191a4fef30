"""The analysis of a set of files: queries of one database (see ``snd_analysis.db``).

One workspace has one writer. ``open``, ``edit``, ``close`` and ``refresh`` make the next revision; an older snapshot
keeps its state. Each module has the queries of one step: files, names, problems of each definition, its composition,
samples, and all of that as diagnostics. ``Snapshot`` has the queries for other packages.
"""

from typing import TYPE_CHECKING

from snd_analysis.base import loaded_when_used
from snd_analysis.workspace.files import File, Reader, UnreadableText
from snd_analysis.workspace.samples import CheckedSample, PlacedSample
from snd_analysis.workspace.snapshot import ReadFiles, Snapshot, Workspace

if TYPE_CHECKING:
    from snd_analysis.workspace.nnef1 import (
        elaborated,
        nnef1_tree,
        operation_names,
        operations_of_dialect,
        quantization_file,
        tensor_file,
        tensor_path,
    )
    from snd_analysis.workspace.reached import reached_definitions, reached_diagnostics
else:
    __getattr__ = loaded_when_used(__name__, "reached", "nnef1")

__all__ = [
    "CheckedSample",
    "File",
    "PlacedSample",
    "ReadFiles",
    "Reader",
    "Snapshot",
    "UnreadableText",
    "Workspace",
    "elaborated",
    "nnef1_tree",
    "operation_names",
    "operations_of_dialect",
    "quantization_file",
    "reached_definitions",
    "reached_diagnostics",
    "tensor_file",
    "tensor_path",
]
