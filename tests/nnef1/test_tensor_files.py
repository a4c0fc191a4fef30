"""The rules about tensor files: problems of bytes are reported at the label of the variable, once."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from snd_analysis.workspace import Workspace
from snd_runtime.files import write_tensor
from snd_server.workspace_files.files import DiskReader

GRAPH = """version 1.0;
graph net(x) -> (y)
{
    x = external(shape = [2, 3]);
    w = variable(shape = [2, 3], label = 'w');
    y = mul(x, w);
}
"""
GOOD = write_tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
LENGTH, RANK, EXTENTS, BITS, CODE, PARAMETERS = 4, 8, 12, 44, 48, 52


def _problems(folder: Path, content: bytes | None) -> list[tuple[int, str]]:
    """Return lines and messages of the problems of a graph whose variable has a file of these bytes."""
    (folder / "graph.nnef").write_text(GRAPH, encoding="utf-8")
    if content is not None:
        (folder / "w.dat").write_bytes(content)
    path = str(folder / "graph.nnef")
    snapshot = Workspace(DiskReader()).snapshot()
    source = snapshot.source(path)
    return [(source.position(each.location.span.start).line, each.message) for each in snapshot.diagnostics(path)]


def _with(**fields: tuple[int, str, int | float]) -> bytes:
    """The good file with fields of its header changed: offset, format and value by any name."""
    content = bytearray(GOOD)
    for at, layout, value in fields.values():
        struct.pack_into(f"<{layout}", content, at, value)
    return bytes(content)


def _demand(folder: Path, content: bytes, expected: str) -> None:
    ((line, message),) = _problems(folder, content)
    assert line == 5
    assert expected in message
    assert message.startswith("'w.dat': ")


def test_a_good_file_is_not_reported(tmp_path: Path):
    assert _problems(tmp_path, GOOD) == []


def test_r130_a_missing_file_is_no_mistake_of_the_text(tmp_path: Path):
    assert _problems(tmp_path, None) == []


def test_r130_a_file_that_is_missing_beside_others_is_told(tmp_path: Path):
    (tmp_path / "w.dat").write_bytes(GOOD)
    text = GRAPH.replace(
        "y = mul(x, w);", "v = variable(shape = [2, 3], label = 'v');\n    a = mul(x, w);\n    y = mul(a, v);"
    )
    path = tmp_path / "graph.nnef"
    path.write_text(text, encoding="utf-8")
    snapshot = Workspace(DiskReader()).snapshot()
    ((line, message),) = [
        (snapshot.source(str(path)).position(each.location.span.start).line, each.message)
        for each in snapshot.diagnostics(str(path))
    ]
    assert line == 6
    assert message == "there is no file 'v.dat', although other variables have theirs"


def test_r131_magic_and_version(tmp_path: Path):
    _demand(tmp_path, b"XX" + GOOD[2:], "not a tensor file")
    _demand(tmp_path, b"", "ends within the header")
    _demand(tmp_path, _with(version=(2, "B", 2)), "the version is 2.0")


def test_r132_rank_and_unused_extents(tmp_path: Path):
    _demand(tmp_path, _with(rank=(RANK, "I", 9)), "the rank is 9")
    _demand(tmp_path, _with(extent=(EXTENTS + 8, "I", 1)), "extents must be 0")


@pytest.mark.parametrize(("code", "bits"), [(0, 8), (0, 128), (1, 65), (5, 3), (0, 0)])
def test_r133_bits_of_the_code(tmp_path: Path, code: int, bits: int):
    _demand(tmp_path, _with(code=(CODE, "I", code), bits=(BITS, "I", bits)), "bits")


def test_r134_length_of_the_data(tmp_path: Path):
    _demand(tmp_path, _with(length=(LENGTH, "I", 20)), "the data has 20 bytes")
    _demand(tmp_path, GOOD[:-1], "ends 1 bytes before the end")
    _demand(tmp_path, GOOD + b"\0", "goes on after the end")


def test_r135_vendor_algorithm_and_reserved_bytes(tmp_path: Path):
    _demand(tmp_path, _with(code=(CODE, "H", 7)), "coded by 0x7")
    _demand(tmp_path, _with(vendor=(CODE + 2, "H", 0x1234)), "0x1234")
    _demand(tmp_path, _with(reserved=(100, "B", 1)), "reserved")


def test_r136_least_value_of_logarithmic_items(tmp_path: Path):
    kind = {"code": (CODE + 2, "H", 0x11), "bits": (BITS, "I", 32), "most": (PARAMETERS + 4, "f", 8.0)}
    _demand(tmp_path, _with(**kind, least=(PARAMETERS, "f", -1.0)), "minimum")


def test_r137_extents_of_the_graph(tmp_path: Path):
    other = write_tensor(np.zeros((3, 2), np.float32))
    assert _problems(tmp_path, other) == [(5, "the variable has the extents [2,3], but its file has [3,2]")]
