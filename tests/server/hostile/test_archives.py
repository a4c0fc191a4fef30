"""Archives with false statements about their members, and tensor files with false statements about their items."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import struct
import tarfile
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from snd_analysis.workspace import UnreadableText
from snd_runtime.files import InvalidFileError, read_npz, read_safetensors, read_tensor, write_npy, write_tensor
from snd_server.workspace_files import archives, files
from snd_server.workspace_files.archive_paths import GRAPH
from snd_server.workspace_files.archives import read_members
from snd_server.workspace_files.files import DiskReader
from support.sampling import sample, tries

_GRAPH = b"version 1.0;\ngraph net(x) -> (y) { x = external<scalar>(shape = [1]); y = relu(x); }\n"


def _member(name: str, content: bytes = b"", **fields: object) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in fields.items():
        setattr(info, key, value)
    return info.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)


_END = bytes(1024)
_WHOLE = _member(GRAPH, _GRAPH)
_LINKS = [
    (_member("a.dat", type=tarfile.SYMTYPE, linkname="/etc/passwd"), "'a.dat' is a symbolic link to '/etc/passwd'"),
    (_member("b.dat", type=tarfile.SYMTYPE, linkname="../../secret"), "'b.dat' is a symbolic link to '../../secret'"),
    (_member("c.dat", type=tarfile.LNKTYPE, linkname=GRAPH), "'c.dat' is a hard link to 'graph.nnef'"),
    (_member("d.dat", type=tarfile.CHRTYPE, devmajor=1, devminor=5), "'d.dat' is a device or a pipe"),
    (_member("e.dat", type=tarfile.FIFOTYPE), "'e.dat' is a device or a pipe"),
    (_member("../g.dat", b"x"), "'../g.dat' lies outside of the archive"),
    (_member("/h.dat", b"x"), "'/h.dat' lies outside of the archive"),
    (_member("i/../../j.dat", b"x"), "'i/../../j.dat' lies outside of the archive"),
    (_member("m.nnef.tgz", type=tarfile.SYMTYPE, linkname="n"), "'m.nnef.tgz' is a symbolic link to 'n'"),
]
_NOT_THERE = [
    _member("f.dat", type=tarfile.DIRTYPE),
    _member(".k/l.dat", b"x"),
    _member("._w.dat", b"x"),
]


def _write(tmp_path: Path, content: bytes, name: str = "model.nnef.tgz") -> str:
    (tmp_path / name).write_bytes(content)
    return str(tmp_path / name)


def _names(path: str) -> list[str]:
    return [*read_members(path, lambda name: 0 if name.endswith("README") else 1 << 20, 1 << 30)]


def test_hidden_members_are_not_there(tmp_path: Path):
    assert _names(_write(tmp_path, b"".join(_NOT_THERE) + _WHOLE + _END)) == [GRAPH]


@pytest.mark.parametrize(("member", "message"), _LINKS, ids=[message.split("'")[1] for _, message in _LINKS])
def test_links_devices_and_ways_out_are_refused(tmp_path: Path, member: bytes, message: str):
    """Programs take different bytes for them, or those of a file outside."""
    with pytest.raises(OSError, match=f"the member {message}"):
        _names(_write(tmp_path, _WHOLE + member + _END))


def test_links_that_nothing_reads_are_accepted(tmp_path: Path):
    members = _member("README", type=tarfile.SYMTYPE, linkname="docs/README") + _member("/etc/motd", b"x")
    assert DiskReader().read(f"{_write(tmp_path, members + _WHOLE + members + _END)}/{GRAPH}") == _GRAPH.decode()


@pytest.mark.parametrize("name", [GRAPH, f"./{GRAPH}", f".//./{GRAPH}"])
def test_two_members_of_one_name_are_refused(tmp_path: Path, name: str):
    """``tar`` takes the last of them, others the first."""
    with pytest.raises(OSError, match=f"two of its members have the name '{GRAPH}'"):
        _names(_write(tmp_path, _WHOLE + _member(name, b"other") + _END))


def test_names_that_differ_in_case_are_two_names(tmp_path: Path):
    assert _names(_write(tmp_path, _WHOLE + _member("w.dat", b"x") + _member("W.dat", b"x") + _END)) == [
        GRAPH, "w.dat", "W.dat",
    ]  # fmt: skip


_MODEL = b"""version 1.0;
graph net(x) -> (y)
{
    x = external<scalar>(shape = [2]);
    w = variable<scalar>(shape = [2], label = 'w');
    y = add(x, w);
}
"""
_TENSOR = write_tensor(np.ones(2, np.float32))
_TWICE = {
    "a link": (_member("w.dat", type=tarfile.SYMTYPE, linkname="v.dat"), "the member 'w.dat' is a symbolic link"),
    "one name": (_member("w.dat", _TENSOR) + _member("./w.dat", _TENSOR), "two of its members have the name 'w.dat'"),
}


@pytest.mark.parametrize("suffix", ["tgz", "tar"])
@pytest.mark.parametrize("kind", _TWICE)
@pytest.mark.parametrize("command", [("check",), ("run",), ("convert", "-o", "new")])
@pytest.mark.usefixtures("evaluated_here")
def test_all_commands_refuse_the_same_archives(
    tmp_path: Path, real, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], kind: str, suffix: str
):
    monkeypatch.chdir(tmp_path)
    members, message = _TWICE[kind]
    content = _member(GRAPH, _MODEL) + _member("v.dat", _TENSOR) + members + _END
    path = _write(tmp_path, gzip.compress(content) if suffix == "tgz" else content, f"model.nnef.{suffix}")
    outcome = real(command[0], path, *command[1:])
    assert outcome.status in (1, 2)
    assert message in outcome.stdout + outcome.stderr


def _flipped(content: bytes, at: int) -> bytes:
    changed = bytearray(content)
    changed[at] ^= 1
    return bytes(changed)


_COMPLETE = _member(GRAPH, _MODEL) + _member("w.dat", _TENSOR) + _END
_SECOND = len(_member(GRAPH, _MODEL))
_LONGER = "goes on after the blocks of zeros that end an archive"
_CUT = "ends after the member 'graph.nnef', without the blocks of zeros"
_DAMAGED = {
    "a bit in the header of the graph": (_flipped(_COMPLETE, 3), "does not begin with the header of a tar archive"),
    "a bit in a header": (_flipped(_COMPLETE, _SECOND + 3), "the header after the member 'graph.nnef' is damaged"),
    "a bit in the zeros at the end": (_flipped(_COMPLETE, len(_COMPLETE) - 1), _LONGER),
    "cut after a member": (_COMPLETE[:_SECOND], _CUT),
    "cut within a header": (_COMPLETE[: _SECOND + 200], "ends within the header after the member 'graph.nnef'"),
    "zeros in the middle": (_COMPLETE[:_SECOND] + bytes(512) + _COMPLETE[_SECOND:], _LONGER),
    "two in one": (_COMPLETE[:_SECOND] + _END + _COMPLETE[_SECOND:], _LONGER),
    "a long name without a member": (
        _COMPLETE[:_SECOND] + _member("././@LongLink", b"w.dat\0", type=tarfile.GNUTYPE_LONGNAME) + _END, "broken",
    ),
}  # fmt: skip


@pytest.mark.parametrize("suffix", ["tgz", "tar"])
@pytest.mark.parametrize("kind", _DAMAGED)
@pytest.mark.usefixtures("evaluated_here")
def test_a_damaged_archive_does_not_lose_its_other_members(
    tmp_path: Path, real, monkeypatch: pytest.MonkeyPatch, kind: str, suffix: str
):
    """``tarfile`` takes each of them for the end of the archive: weights after it were drawn at random."""
    monkeypatch.chdir(tmp_path)
    content, message = _DAMAGED[kind]
    path = _write(tmp_path, gzip.compress(content) if suffix == "tgz" else content, f"model.nnef.{suffix}")
    for command, *options in (("check",), ("run",), ("convert", "-o", "new")):
        outcome = real(command, path, *options)
        assert outcome.status in (1, 2)
        assert message in outcome.stdout + outcome.stderr
    assert not (tmp_path / "new").exists()


def test_no_flipped_bit_of_a_header_loses_a_member(tmp_path: Path):
    headers = [*range(512), *range(_SECOND, _SECOND + 512), *range(len(_COMPLETE) - 1024, len(_COMPLETE))]
    for at in sample(headers, 150):
        with pytest.raises(OSError, match="the archive is broken"):
            _names(_write(tmp_path, _flipped(_COMPLETE, at)))


@pytest.mark.parametrize("end", [bytes(512), _END, bytes(10240)])
def test_archives_may_end_with_any_number_of_zeros(tmp_path: Path, end: bytes):
    assert _names(_write(tmp_path, _WHOLE + end)) == [GRAPH]
    assert _names(_write(tmp_path, gzip.compress(_WHOLE + end))) == [GRAPH]


def test_the_sum_of_a_compressed_archive_is_checked(tmp_path: Path):
    packed = gzip.compress(_WHOLE + bytes(100_000))
    for broken in (_flipped(packed, len(packed) - 8), packed[:-4], packed + b"more"):
        with pytest.raises(OSError, match="the archive is broken"):
            _names(_write(tmp_path, broken))


def test_archives_that_other_programs_packed_are_named(tmp_path: Path):
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr(GRAPH, _GRAPH)
    packed = {"bzip2": bz2.compress(_WHOLE), "xz": lzma.compress(_WHOLE), "zip": zipped.getvalue()}
    for program, content in packed.items():
        with pytest.raises(OSError, match=f"it is packed by {program}: snd reads tar archives"):
            _names(_write(tmp_path, content))


def _record(text: bytes) -> bytes:
    """A record of a pax header, which begins with its own length."""
    return next(each for length in range(9_999) if len(each := b"%d %s\n" % (length, text)) == length)


def _pax(*records: bytes) -> bytes:
    return _member("pax", b"".join(map(_record, records)), type=tarfile.XHDTYPE)


LIES = {
    "a size beyond the end": _WHOLE + _member("w.dat", size=1 << 40),
    "the graph beyond the end": _member(GRAPH, size=1 << 40) + _GRAPH,
    "a negative size": _WHOLE + _member("w.dat", size=-(1 << 40)) + _END,
    "a long name without end": _member("././@LongLink", size=1 << 40, type=tarfile.GNUTYPE_LONGNAME),
    "a pax size": _pax(b"size=99999999999999") + _WHOLE,
    "a pax size that is none": _pax(b"size=-1") + _WHOLE + _END,
    "a pax number that is none": _pax(b"size=one") + _WHOLE + _END,
    "a sparse file": _pax(b"GNU.sparse.size=99999999999999") + _WHOLE + _END,
    "half a header": _WHOLE + _WHOLE[:100],
    "half a member": _WHOLE[:530],
    "nothing": b"",
    "zeros": bytes(1 << 20),
}


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("name", LIES)
def test_lies_cost_a_message_or_the_rest(tmp_path: Path, name: str, is_packed: bool):
    path = _write(tmp_path, gzip.compress(LIES[name]) if is_packed else LIES[name])
    members = {}
    with suppress(OSError):
        members = read_members(path, lambda name: 1 << 20, 1 << 20)
    assert all(len(member.start) <= len(_GRAPH) for member in members.values())


def test_bytes_that_flipped_cost_a_message(tmp_path: Path):
    noise = np.random.default_rng(0).bytes(100_000)
    packed = gzip.compress(_member(GRAPH, _GRAPH * 500) + _member("w.dat", noise) + _END)
    chance = random.Random(1)
    reasons = set()
    for _ in range(tries(60, 1_000)):
        flipped = bytearray(packed)
        flipped[chance.randrange(20, len(packed))] ^= chance.randrange(1, 256)
        try:
            _names(_write(tmp_path, flipped))
        except OSError as error:
            reasons.add(str(error.strerror).partition(" (")[0])
    assert reasons == {"the archive is broken"}


@pytest.mark.parametrize(
    "arguments", [("shapes",), ("run",), ("graph", "-o", "graph.dot"), ("check",), ("convert", "-o", "new")]
)
def test_commands_say_why_an_archive_cannot_be_read(
    tmp_path: Path, real, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    path = _write(tmp_path, gzip.compress(_WHOLE + _END)[:60])
    outcome = real(arguments[0], path, *arguments[1:])
    assert outcome.status in (1, 2)
    assert "the archive is broken" in outcome.stdout + outcome.stderr


def test_an_archive_may_not_unfold_to_much_more_than_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(archives, "LEAST_UNFOLDED_BYTES", 1 << 20)
    path = _write(tmp_path, gzip.compress(_WHOLE + _member("w.dat", bytes(4 << 20)) + _END))
    with pytest.raises(OSError, match="unfolds to more than the 1,048,576 bytes"):
        _names(path)
    noise = np.random.default_rng(0).bytes(2 << 20)
    assert _names(_write(tmp_path, gzip.compress(_WHOLE + _member("w.dat", noise) + _END))) == [GRAPH, "w.dat"]


@pytest.mark.parametrize("type_", [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE])
def test_many_members_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_: bytes):
    monkeypatch.setattr(archives, "MOST_ARCHIVE_MEMBERS", 100)
    with pytest.raises(OSError, match="more than 100 members"):
        _names(_write(tmp_path, b"".join(_member(f"{at}/README", type=type_) for at in range(200)) + _END))


_KEYWORDS = b"".join(b"%d k%04d=a\n" % (11, at) for at in range(9_000))
HEADERS = {
    "a long name": _member("././@LongLink", bytes(10 << 20), type=tarfile.GNUTYPE_LONGNAME),
    "long names in a row": _member("././@LongLink", b"abc\0", type=tarfile.GNUTYPE_LONGNAME) * 5_000,
    "pax headers in a row": _pax(b"path=a") * 5_000,
    "a long pax header": _member("pax", b"%d path=%s\n" % (10 << 20, b"a" * (10 << 20)), type=tarfile.XHDTYPE),
    "many keywords": _member("pax", _KEYWORDS * 100, type=tarfile.XGLTYPE),
    "a sparse map": _pax(b"GNU.sparse.major=1", b"GNU.sparse.minor=0")
    + _member("s.dat", b"4000000\n" + b"1\n" * 4_000_000),
}


@pytest.mark.parametrize("suffix", ["tgz", "tar"])
def test_archives_in_an_archive_share_its_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str):
    """Each submodel keeps the limits for itself, all of them together do not."""
    monkeypatch.setattr(archives, "LEAST_UNFOLDED_BYTES", 1 << 20)
    monkeypatch.setattr(archives, "MOST_ARCHIVE_MEMBERS", 100)
    monkeypatch.setattr(archives, "MOST_ARCHIVE_BYTES", 4 << 20)

    def packed(content: bytes) -> bytes:
        return gzip.compress(content) if suffix == "tgz" else content

    members = b"".join(_member(f"{at}.dat") for at in range(30))
    many = [_member(f"{at}.nnef.{suffix}", packed(members + _END)) for at in range(4)]
    with pytest.raises(OSError, match="it has more than 100 members"):
        _names(_write(tmp_path, b"".join(many) + _END))
    large = [_member(f"{at}.nnef.tgz", gzip.compress(_member("a.dat", bytes(900_000)) + _END)) for at in range(6)]
    with pytest.raises(OSError, match="unfolds to more than"):
        _names(_write(tmp_path, b"".join(large) + _END))


def test_archives_in_archives_are_read_to_a_depth(tmp_path: Path):
    content = _WHOLE + _END
    for _ in range(6):
        content = _member("m.nnef.tgz", gzip.compress(content)) + _WHOLE + _END
    names = _names(_write(tmp_path, content))
    assert names[-1] == GRAPH
    assert max(each.count("/") for each in names) == 4
    inside = [each for each in names if each.endswith(GRAPH)]
    assert len(inside) == 5


def test_a_broken_archive_in_an_archive_costs_a_message(tmp_path: Path):
    broken = _member("m.nnef.tgz", gzip.compress(_WHOLE + _END)[:-20])
    with pytest.raises(OSError, match="the archive is broken"):
        _names(_write(tmp_path, broken + _WHOLE + _END))


@pytest.mark.parametrize("name", HEADERS)
def test_headers_are_short(tmp_path: Path, name: str):
    path = _write(tmp_path, gzip.compress(HEADERS[name] + _WHOLE + _END))
    with pytest.raises(OSError, match="a member has a header of more than 131,072 bytes"):
        _names(path)


def test_headers_of_all_members_are_not_kept(tmp_path: Path):
    """A global header is part of every header after it."""
    everywhere = _member("pax", _KEYWORDS, type=tarfile.XGLTYPE)
    path = _write(tmp_path, everywhere + b"".join(_member(f"{at}.dat") for at in range(500)) + _WHOLE + _END)
    tracemalloc.start()
    try:
        assert len(_names(path)) == 501
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_an_archive_of_texts_is_not_kept(tmp_path: Path, real, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files, "MOST_ARCHIVE_TEXT_BYTES", 1 << 20)
    text = b"#" * (100 << 10)
    path = _write(tmp_path, _WHOLE + b"".join(_member(f"{at}/graph.nnef", text) for at in range(20)) + _END)
    outcome = real("check", path, "--format", "concise")
    assert outcome.status == 2
    assert outcome.stdout.count("what snd reads of it has more than the 1,048,576 bytes allowed") == 1


def test_weights_of_an_archive_are_not_unfolded_beyond_memory(tmp_path: Path, real):
    variables = [f"w{at} = variable<scalar>(shape = [262144], label = 'w{at}'); " for at in range(8)]
    graph = f"version 1.0;\ngraph net(x) -> (y) {{ x = external<scalar>(shape = [1]); {''.join(variables)}"
    graph += f"s = add_n([{', '.join(f'w{at}' for at in range(8))}]); y = add(x, mean_reduce(s, axes = [0])); }}\n"
    tensor = write_tensor(np.zeros(262144, np.float32))
    members = b"".join(_member(f"w{at}.dat", tensor) for at in range(8))
    path = _write(tmp_path, gzip.compress(_member(GRAPH, graph.encode()) + members + _END))
    outcome = real("run", path, "--memory", "4")
    assert outcome.status == 2
    assert "what snd reads of it has more than the 4,194,304 bytes allowed" in outcome.stderr


def test_models_in_an_archive_are_told_apart_in_linear_time(tmp_path: Path):
    models = b"".join(_member(f"{at}/{GRAPH}") + _member(f"x{at}.dat") for at in range(tries(2_000, 40_000)))
    path = _write(tmp_path, _WHOLE + models + _END)
    listed = DiskReader().read(f"{path}/*.dat").split("\n")
    assert len(listed) == tries(2_000, 40_000)


_NO_FILES: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to(path.name),
    "nowhere": lambda path: path.symlink_to("/nowhere/at/all"),
    "up": lambda path: path.symlink_to(".."),
}
_COMMANDS = (
    ("check",), ("shapes",), ("run",), ("graph", "-o", "graph.dot"), ("fmt", "--check"), ("test",),
    ("convert", "-o", "new"),
)  # fmt: skip


@pytest.mark.parametrize("where", ["graph.nnef", "w.dat", "graph.quant", "w.safetensors"])
@pytest.mark.parametrize("attack", sample(_NO_FILES, 3))
@pytest.mark.usefixtures("evaluated_here")
def test_models_whose_files_are_no_files(
    tmp_path: Path, real, attack: str, where: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / GRAPH).write_text(
        "version 1.0;\ngraph net(x) -> (y)\n{\n    x = external<scalar>(shape = [1]);\n"
        "    w = variable<scalar>(shape = [1], label = 'w');\n    y = add(x, w);\n}\n"
    )
    (folder / where).unlink(missing_ok=True)
    _NO_FILES[attack](folder / where)
    for command, *options in _COMMANDS:
        outcome = real(command, str(folder), *options)
        assert outcome.status in (0, 1, 2), command
        assert "fault of snd" not in outcome.stdout + outcome.stderr, command
        assert "Errno" not in outcome.stdout + outcome.stderr, command
        if where == GRAPH and command in ("shapes", "run", "graph", "convert"):
            assert "graph.nnef" in outcome.stdout + outcome.stderr, command


# ---- files of several tensors ----------------------------------------------------------------------------------------
def test_two_arrays_of_one_name_are_refused(tmp_path: Path):
    """NumPy takes the last of them."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the second name
        for value in (1, 2):
            archive.writestr("gain.npy", write_npy(np.full(2, value)))
    with pytest.raises(InvalidFileError, match="two of its arrays have the name 'gain'"):
        read_npz(content.getvalue())


@pytest.mark.parametrize("other", ["gain", "bias"])
def test_two_tensors_of_one_name_are_refused(other: str):
    """JSON does not say which of them counts."""
    entries = (
        f'"{name}":{{"dtype":"F32","shape":[1],"data_offsets":[{at},{at + 4}]}}'
        for at, name in ((0, "gain"), (4, other))
    )
    header = f"{{{','.join(entries)}}}".encode()
    content = len(header).to_bytes(8, "little") + header + bytes(8)
    if other == "bias":
        assert read_safetensors(content).keys() == {"gain", "bias"}
        return
    with pytest.raises(InvalidFileError, match="two of its tensors have the name 'gain'"):
        read_safetensors(content)


# ---- tensor files ----------------------------------------------------------------------------------------------------
def _header(items: int = 24, rank: int = 1, extents: tuple[int, ...] = (6,), bits: int = 32) -> bytes:
    padded = (*extents, *[0] * 8)[:8]
    head = struct.pack("<2s2BII8I3I", b"\x4e\xef", 1, 0, items & 0xFFFFFFFF, rank, *padded, bits, 0, 0)
    return head.ljust(128, b"\0")


@pytest.mark.parametrize(
    "content",
    [
        _header(rank=0xFFFFFFFF),
        _header(rank=9, extents=(1,) * 8),
        _header(extents=(0xFFFFFFFF,) * 8, rank=8),
        _header(items=0xFFFFFFFF, extents=(0x3FFFFFFF,)),
        _header(items=0),
        _header(bits=0xFFFFFFFF),
        _header(bits=0),
        _header()[:60],
        write_tensor(np.zeros(6, np.float32))[:-1],
    ],
    ids=["rank", "rank 9", "extents", "items", "no items", "bits", "no bits", "half a header", "half of the items"],
)
def test_tensor_files_that_lie(tmp_path: Path, content: bytes):
    body = content if len(content) < 128 else content.ljust(128 + 23, b"\0")
    with pytest.raises(InvalidFileError):
        read_tensor(body)
    path = _write(tmp_path, body, "w.dat")
    with suppress(UnreadableText):
        assert len(DiskReader().read(path)) < 2_000
