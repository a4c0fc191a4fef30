"""Models in NNEF 1.0 whose bytes are anything: texts, tensor files and archives."""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from snd_analysis.nnef1.syntax import parse_file
from snd_analysis.workspace import Workspace
from snd_runtime.files import write_tensor
from snd_server.workspace_files.archive_paths import GRAPH
from snd_server.workspace_files.archives import read_members
from snd_server.workspace_files.files import DiskReader
from support.memory import MemoryReader

_SEEDS = [
    "version 1.0;\ngraph net(x) -> (y)\n{\n    x = external<scalar>(shape = [1, 3, 8, 8]);\n"
    '    f = variable<scalar>(shape = [4, 3, 3, 3], label = "block/w");\n'
    "    c = conv(x, f, 0.0, padding = [(1, 1), (1, 1)], stride = [2, 2]);\n    y = relu(c + 1.0);\n}\n",
    "version 1.0;\nextension KHR_enable_fragment_definitions;\nextension KHR_enable_operator_expressions;\n"
    "fragment twice(x: tensor<scalar>, n: integer = 2) -> (y: tensor<scalar>)\n{\n"
    "    y = x * 2.0 if n == 0 else twice(x, n = n - 1);\n}\n"
    "fragment parts(x: tensor<scalar>, sizes: integer[]) -> (ys: tensor<scalar>[])\n{\n"
    "    ys = [for i in range_of(sizes), s in sizes yield slice(x, axes = [1], begin = [i], end = [i + s])];\n}\n"
    "graph net(x) -> (y)\n{\n    x = external<scalar>(shape = [1, 4]);\n    [a, b] = parts(x, sizes = [1] * 2);\n"
    "    y = concat([twice(a), twice(b, n = 3)], axis = 1);\n}\n",
    "version 1.0;\nextension tract_registry tract_core;\nextension tract_symbol S;\ngraph net(x) -> (y)\n{\n"
    "    x = tract_core_external(shape = [S, 4], datum_type = 'f32');\n"
    "    y = tract_core_cast(softmax(x, axes = [1]), to = 'f16');\n}\n",
]


def texts() -> Sequence[bytes]:
    """Texts in both dialects in which all is right."""
    return [text.encode() for text in _SEEDS]


def attack_text(content: bytes) -> None:
    """Raise if a text is an internal error, is read in another way after edits, or is not whole in its tree."""
    text = content.decode(errors="replace")
    assert parse_file(text).text == text
    reader = MemoryReader({GRAPH: text})
    found = Workspace(reader).snapshot().diagnostics(GRAPH)
    workspace = Workspace(MemoryReader({GRAPH: _SEEDS[len(content) % len(_SEEDS)]}))
    workspace.snapshot().diagnostics(GRAPH)
    workspace.open(GRAPH, text)
    assert workspace.snapshot().diagnostics(GRAPH) == found


def archives() -> Sequence[bytes]:
    """Return archives with a graph and a variable, compressed and not."""
    found = []
    tensor = write_tensor(np.zeros((4, 3, 3, 3), np.float32))
    for mode, form in (("w", tarfile.USTAR_FORMAT), ("w", tarfile.PAX_FORMAT), ("w:gz", tarfile.GNU_FORMAT)):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode=mode, format=form) as archive:
            for name, content in ((GRAPH, _SEEDS[0].encode()), ("block/w.dat", tensor)):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        found.append(stream.getvalue()[:6_000])
    return [*found, tensor]


def attack_archive(content: bytes) -> None:
    """Raise if an archive is anything but its members, or an error with a reason."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.nnef.tgz")
        path.write_bytes(content)
        with suppress(OSError):
            for name, member in read_members(str(path), lambda name: 1 << 20, 1 << 24).items():
                assert ".." not in name.split("/")
                assert len(member.start) <= member.size
        Path(folder, "block").mkdir()
        Path(folder, "block", "w.dat").write_bytes(content)
        Path(folder, GRAPH).write_bytes(_SEEDS[0].encode())
        for graph in (f"{path}/{GRAPH}", str(Path(folder, GRAPH))):
            Workspace(DiskReader()).snapshot().diagnostics(graph)
