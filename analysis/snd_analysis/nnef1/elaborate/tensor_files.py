"""The files of variables, by their headers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from posixpath import dirname, join
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.nnef1.elaborate.values import ElaboratedValue
from snd_analysis.nnef1.syntax import Nnef1SyntaxTree
from snd_analysis.symbolic import integers

_REMEMBERED = 4096
_DESCRIPTION = re.compile(
    r"(?P<dtype>real|int|bool|str) \[(?P<extents>[\d,]*)\](?: of (?P<narrow>[iu]\d+))?(?P<blocks> in blocks)?"
    r"(?: = (?P<items>.*))?"
)


class TensorFile(Struct, frozen=True):
    """The type of the items of a file, and its extents; or why the file can't be used."""

    dtype: str
    shape: tuple[int, ...]
    in_blocks: bool = False
    """True if items are stored in blocks: the extents then describe a matrix."""
    fault: str | None = None
    items: tuple[ElaboratedValue, ...] = ()
    """All items of a small tensor; empty for a larger one."""
    narrow: str | None = None
    """The type of integers of 8 or 16 bits, as tract calls it."""
    archive: str | None = None
    """The file that the tensor lies in together with others; None for one of its own."""


class TensorArchives(Struct, frozen=True):
    """The tensors that share a file, by name, and the faults of such files."""

    tensors: Mapping[str, TensorFile]
    faults: tuple[str, ...]

    @classmethod
    def of(cls, listing: str) -> TensorArchives:
        """Parse a listing: lines ``FILE:real [2,3]:NAME``, and ``FILE::FAULT``."""
        tensors: dict[str, TensorFile] = {}
        faults: list[str] = []
        for line in listing.splitlines():
            file, what, name = line.split(":", 2)
            found = described(what)
            if found is None:
                faults.append(f"'{file}': {name}")
            else:
                tensors.setdefault(name, replace(found, archive=file))
        return cls(tensors, tuple(faults))


NO_ARCHIVES = TensorArchives({}, ())


class Submodel(Struct, frozen=True):
    """A model beside a graph, which the graph invokes."""

    path: str
    """Path of its graph, from the folder of the invoking graph."""
    tree: Nnef1SyntaxTree
    fault: str | None = None
    """Why it can't be read."""

    @property
    def folder(self) -> str:
        """The folder or archive that its labels count from."""
        return dirname(self.path)


class TensorFiles(Protocol):
    """The files of variables, by their labels, and other models beside."""

    def tensor_file(self, label: str) -> TensorFile | None:
        """Return the tensor file of a label; None if there is none."""

    def listing(self) -> Collection[str]:
        """Return the names of the tensor files in the folder of the graph, if no other graph may use them."""

    def resource(self, label: str) -> str | None:
        """Return the text of the JSON file of a label; None if there is none."""

    def submodel(self, folder: str, label: str) -> Submodel | None:
        """Return the model of a label beside a graph, or beside a submodel in a folder; None if there is none."""


@lru_cache(maxsize=_REMEMBERED)
def described(text: str) -> TensorFile | None:
    """Return the tensor file in a description; None if it is not valid."""
    match = _DESCRIPTION.fullmatch(text.strip())
    if match is None:
        return None
    extents = tuple(map(int, filter(None, match["extents"].split(","))))
    items = tuple(_item(match["dtype"], each) for each in (match["items"] or "").split())
    return TensorFile(match["dtype"], extents, match["blocks"] is not None, None, items, match["narrow"])


def _item(dtype: str, text: str) -> ElaboratedValue:
    match dtype:
        case "int":
            return integers.constant(int(text))
        case "bool":
            return integers.truth(text == "True")
        case _:
            return float(text)


@lru_cache(maxsize=_REMEMBERED)
def file_of(label: str, suffix: str = ".dat") -> str | None:
    """Return the path of the file of a label, from the folder of the graph; None if the path would lead out of it."""
    path = f"{label.lstrip('/')}{suffix}"
    parts = path.replace("\\", "/").split("/")
    return None if ".." in parts or ":" in parts[0] else path


_GRAPH = "graph.nnef"
_ARCHIVES = (".nnef.tgz", ".nnef.tar")


def _is_folder_within(folder: str) -> bool:
    return bool(folder) and not folder.endswith(_ARCHIVES)


def is_read_by_tract(folder: str, label: str) -> bool:
    """Return whether tract looks where the file of a label is: it reads no folders in that of a submodel."""
    return "/" not in label.lstrip("/") or not _is_folder_within(folder)


def submodel_paths(folder: str, label: str) -> Iterator[str]:
    """Yield where the graph of a submodel may be, in the order in which tract takes them, from the folder of the graph.

    ``folder`` is that of the submodel in which the label stands. tract looks for folders in the folder or archive that
    it is given, and in archives within, but not in a folder within.
    """
    if file_of(label) is None or not label:
        return
    if "/" not in label and not _is_folder_within(folder):
        yield join(folder, label, _GRAPH)
    yield from (join(folder, f"{label}{suffix}", _GRAPH) for suffix in _ARCHIVES)
