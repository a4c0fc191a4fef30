"""Files are replaced as a whole or left as they are: full disks, edits made meanwhile, links, owners."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from snd_runtime.files import read_safetensors, write_safetensors
from snd_server.workspace_files import writing
from snd_server.workspace_files.writing import ChangedMeanwhileError, replace_text, write_file

UGLY = "operator f{@attrib{a:int;}}\n"
NICE = "operator f {\n    @attrib {\n        a: int;\n    }\n}\n"
FIXABLE = """import nn;
operator f { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = x[i,], i < n; } }
"""


only_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root alone gives files away")


def full_disk(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """Make a call of the operating system fail as it does when the disk is full."""

    def fail(*arguments: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writing.os, call, fail)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_text(project: Path, real, monkeypatch, call: str):
    target = project / "a.sknd"
    target.write_text(UGLY)
    full_disk(monkeypatch, call)
    outcome = real("fmt", "a.sknd")
    monkeypatch.undo()
    assert outcome.status == 2
    assert "No space left on device" in outcome.stderr
    assert target.read_text() == UGLY
    assert [*project.iterdir()] == [target]


@pytest.mark.parametrize("arguments", [("fmt",), ("check", "--output-file", "a.json"), ("graph", "-o", "a.json")])
def test_where_no_file_can_be_made_none_is_overwritten(project: Path, real, monkeypatch, arguments):
    """A disk without room for another name: ``open`` with O_CREAT fails, opening an existing file doesn't."""
    for name in ("a.sknd", "a.json"):
        (project / name).write_text(UGLY)
    there = writing.os.open

    def open_(path: str, flags: int, *more: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        return there(path, flags, *more)

    monkeypatch.setattr(writing.os, "open", open_)
    (project / "g.sknd").write_text("graph G { @input { x: real[2]; } @output { y: real[2]; } @compose { y = x; } }\n")
    outcome = real(*arguments, *(["g.sknd"] if arguments[0] != "fmt" else []))
    monkeypatch.undo()
    assert outcome.status == 2
    assert "nothing can be written beside it: No space left on device" in outcome.stderr
    assert (project / "a.sknd").read_text() == (project / "a.json").read_text() == UGLY


def test_edits_made_while_formatting_are_kept(project: Path, real, monkeypatch):
    """The text is exchanged when snd has read it: what the user has written in the meantime stays."""
    import snd_server.commands.format

    (project / "a.sknd").write_text(UGLY)
    (project / "b.sknd").write_text(UGLY)
    there = snd_server.commands.format._in_style

    def edit_and_format(text: str, *arguments: object) -> tuple[str, object]:
        if (project / "a.sknd").read_text() == UGLY:
            (project / "a.sknd").write_text("# mine\n")
        return there(text, *arguments)

    monkeypatch.setattr(snd_server.commands.format, "_in_style", edit_and_format)
    outcome = real("fmt")
    assert outcome.status == 2
    assert outcome.stderr == "a.sknd: it has changed since snd read it, and was left as it is\n"
    assert outcome.stdout == "1 file reformatted, 1 file changed meanwhile\n"
    assert (project / "a.sknd").read_text() == "# mine\n"
    assert (project / "b.sknd").read_text() == NICE


def test_edits_made_while_fixing_are_kept(project: Path, real, monkeypatch):
    import snd_server.checking.fixing

    target = project / "a.sknd"
    target.write_text(FIXABLE)
    assert real("check", "--fix", "--exit-zero").status == 0
    assert target.read_text() != FIXABLE  # there is something to fix
    target.write_text(FIXABLE)
    there = snd_server.checking.fixing.fix_text

    def edit_and_fix(*arguments: object) -> object:
        target.write_text("# mine\n")
        return there(*arguments)

    monkeypatch.setattr(snd_server.checking.fixing, "fix_text", edit_and_fix)
    outcome = real("check", "--fix")
    assert outcome.status == 2
    assert "it has changed since snd read it" in outcome.stderr
    assert target.read_text() == "# mine\n"


def test_an_edit_just_before_the_file_is_replaced_is_kept(tmp_path: Path, monkeypatch):
    """The last that is done before the renaming is to compare."""
    target = tmp_path / "a.sknd"
    target.write_text("old\n")
    there = writing.os.fsync

    def edit(handle: int) -> None:
        target.write_text("mine\n")
        there(handle)

    monkeypatch.setattr(writing.os, "fsync", edit)
    with pytest.raises(ChangedMeanwhileError):
        replace_text(str(target), "old\n", "new\n")
    assert target.read_text() == "mine\n"
    assert [*tmp_path.iterdir()] == [target]


def test_a_file_that_vanished_is_not_made_again(tmp_path: Path):
    with pytest.raises(ChangedMeanwhileError):
        replace_text(str(tmp_path / "a.sknd"), "old\n", "new\n")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_the_mode_is_kept(tmp_path: Path, mode: int):
    target = tmp_path / "a.sknd"
    target.write_bytes(b"\xef\xbb\xbfold\r\n")
    target.chmod(mode)
    assert replace_text(str(target), "old\r\n", "new\r\n") == []
    assert target.stat().st_mode & 0o777 == mode
    assert target.read_bytes() == b"\xef\xbb\xbfnew\r\n"


@only_root
def test_the_owner_is_kept(tmp_path: Path):
    target = tmp_path / "a.sknd"
    target.write_text("old\n")
    os.chown(target, 12_345, 23_456)
    assert replace_text(str(target), "old\n", "new\n") == []
    assert (target.stat().st_uid, target.stat().st_gid) == (12_345, 23_456)


@only_root
def test_an_owner_that_cannot_be_kept_is_said_and_opens_nothing(tmp_path: Path, monkeypatch):
    """The new group is another one: it may do no more than anybody."""
    target = tmp_path / "a.sknd"
    target.write_text("old\n")
    target.chmod(0o664)
    os.chown(target, 12_345, -1)

    def refuse(*arguments: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(writing.os, "chown", refuse)
    assert replace_text(str(target), "old\n", "new\n") == ["it belongs to another user or group now"]
    monkeypatch.undo()
    assert target.stat().st_mode & 0o777 == 0o644


def test_hard_links_that_lead_elsewhere_afterwards_are_said(project: Path, real):
    (project / "a.sknd").write_text(UGLY)
    os.link(project / "a.sknd", project / "copy.txt")
    outcome = real("fmt", "a.sknd")
    assert outcome.status == 0
    assert outcome.stderr == "warning: a.sknd: other hard links to it (1) keep the old text\n"
    assert (project / "a.sknd").read_text() == NICE
    assert (project / "copy.txt").read_text() == UGLY


def test_symbolic_links_stay(tmp_path: Path):
    (tmp_path / "a.sknd").write_text("old\n")
    (tmp_path / "link.sknd").symlink_to("a.sknd")
    replace_text(str(tmp_path / "link.sknd"), "old\n", "new\n")
    assert (tmp_path / "link.sknd").is_symlink()
    assert (tmp_path / "a.sknd").read_text() == "new\n"


def test_new_files_are_readable_as_those_of_other_programs(tmp_path: Path):
    (tmp_path / "other").write_text("")
    write_file(tmp_path / "new", b"content")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode
    write_file(tmp_path / "new", b"more")
    assert (tmp_path / "new").read_bytes() == b"more"


def test_devices_that_are_named_are_written_to(tmp_path: Path, project: Path, real):
    (project / "a.sknd").write_text(NICE)
    assert real("check", "--output-file", "/dev/null", "--exit-zero").status == 0
    assert not Path("/dev/null").is_file()


# ---- a stream or a file ----------------------------------------------------------------------------------------------
COUNTER = """import math;
graph Counter {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @variable { total: real[2]; }
    @compose { y = math.add(x, total); }
    @update { total = y; }
}
"""
RUN = ("run", "main.sknd", "--input", "x=[1.0, 2.0]")
WRITERS = {
    "state": (*RUN, "--state", "{}.safetensors"),
    "save-weights": (*RUN, "--save-weights", "{}.npz"),
    "export": ("export", "main.sknd", "-o", "{}.onnx"),
    "graph": ("graph", "main.sknd", "-o", "{}.json"),
    "output-file": ("check", "main.sknd", "--output-file", "{}.txt"),
}


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder whose files are regular files, though it is below ``/dev``."""
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("there is no /dev/shm")
    import tempfile

    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


@pytest.mark.usefixtures("evaluated_here")
@pytest.mark.parametrize("writer", WRITERS)
def test_files_below_dev_are_replaced_as_a_whole(memory: Path, project: Path, real, monkeypatch, writer: str):
    """A full disk leaves them: nothing is written over existing contents."""
    if writer == "export":
        pytest.importorskip("onnx")
    (project / "main.sknd").write_text(COUNTER)
    arguments = [each.format(memory / "file") for each in WRITERS[writer]]
    target = Path(next(each for each in arguments if each.startswith(str(memory))))
    assert real(*arguments).status == 0
    content, number = target.read_bytes(), target.stat().st_ino
    full_disk(monkeypatch, "fsync")
    outcome = real(*arguments)
    monkeypatch.undo()
    assert outcome.status == 2
    assert outcome.stderr == f"Error: {target}: No space left on device\n"
    assert (target.read_bytes(), target.stat().st_ino) == (content, number)
    assert [*memory.iterdir()] == [target]


@pytest.mark.usefixtures("evaluated_here")
def test_outputs_are_replaced_together(project: Path, real, monkeypatch):
    (project / "main.sknd").write_text(
        "graph g { @input { x: real[2]; } @output { a: real[2]; b: real[2]; } @compose { a = x; b = x; } }\n"
    )
    there, calls = writing.os.fsync, 0

    def full(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        there(handle)

    monkeypatch.setattr(writing.os, "fsync", full)
    outcome = real("run", "main.sknd", "--input", "x=[1.0, 2.0]", "--output", "out")
    monkeypatch.undo()
    assert outcome.status == 2
    assert outcome.stderr.endswith("/out/b.npy: No space left on device\n")
    assert not (project / "out").exists()  # the run made it


def test_a_converted_model_is_replaced_as_a_whole(project: Path, real):
    """The text stays that of the weights: a limit of the size of files stops the second of them."""
    tensor = write_tensor_of(4096)
    (project / "graph.nnef").write_text(
        "version 1.0;\ngraph net(x) -> (y)\n{\n    x = external<scalar>(shape = [4096]);\n"
        "    w = variable<scalar>(shape = [4096], label = 'w');\n    y = add(x, w);\n}\n"
    )
    (project / "w.dat").write_bytes(tensor)
    (project / "new").mkdir()
    (project / "new/main.sknd").write_text("# mine\n")
    outcome = limited(project, 8192, "convert", "graph.nnef", "-o", "new", "--force")
    assert outcome.returncode == 2
    assert "File too large" in outcome.stderr
    assert (project / "new/main.sknd").read_text() == "# mine\n"
    assert [each.name for each in (project / "new").rglob("*") if each.is_file()] == ["main.sknd"]


def write_tensor_of(count: int) -> bytes:
    from snd_runtime.files import write_tensor

    return write_tensor(np.zeros(count, np.float32))


def limited(folder: Path, most_bytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run snd in a process whose files have at most so many bytes."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    return subprocess.run(
        [sys.executable, "-m", "snd_server", *arguments], cwd=folder, preexec_fn=limit, text=True,
        capture_output=True, check=False, timeout=120,
    )  # fmt: skip


@pytest.mark.usefixtures("evaluated_here")
def test_pipes_and_devices_are_written_to_as_they_are(project: Path, real):
    (project / "main.sknd").write_text(COUNTER)
    os.mkfifo(project / "pipe.npz")
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append((project / "pipe.npz").read_bytes()))
    reader.start()
    assert real(*RUN, "--save-weights", "pipe.npz").status == 0
    reader.join(60)
    assert found[0].startswith(b"PK")
    assert stat.S_ISFIFO((project / "pipe.npz").stat().st_mode)
    assert real("graph", "main.sknd", "--format", "json", "-o", "/dev/null").status == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    outcome = real("graph", "main.sknd", "--format", "json", "-o", "/dev/full")
    assert outcome.status == 2
    assert "No space left on device" in outcome.stderr
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_standard_output_is_gone_on_with(project: Path, name: str, kind: str):
    """The shell has opened it: ``{ echo first; snd check --output-file /dev/stdout; echo last; } > file``."""
    (project / "main.sknd").write_text(COUNTER)
    (project / "link").symlink_to("/dev/stdout")
    into = "> file; cat file" if kind == "file" else "| cat"
    command = f"'{sys.executable}' -m snd_server check main.sknd --output-file {name}"
    outcome = subprocess.run(
        ["sh", "-c", f"{{ echo first; {command}; echo last; }} {into}"], cwd=project, text=True, capture_output=True,
        check=True, timeout=120,
    )  # fmt: skip
    assert outcome.stderr == ""
    assert outcome.stdout == "first\n1 file is clean\nlast\n"


# ---- the same file by two processes ----------------------------------------------------------------------------------
def test_one_of_two_runs_with_one_state_fails(project: Path):
    """No update is lost: as many as said that they went well are in the file."""
    (project / "main.sknd").write_text(COUNTER)
    (project / "s.safetensors").write_bytes(write_safetensors({"total": np.zeros(2, np.float32)}))
    command = [sys.executable, "-m", "snd_server", *RUN, "--state", "s.safetensors"]
    runs = [subprocess.Popen(command, cwd=project, text=True, stderr=subprocess.PIPE) for _ in range(3)]
    messages = [each.communicate(timeout=240)[1] for each in runs]
    done = [each.returncode for each in runs].count(0)
    assert read_safetensors((project / "s.safetensors").read_bytes())["total"].tolist() == [done, 2 * done]
    assert [each.returncode for each in runs].count(2) == len(runs) - done
    for each, message in zip(runs, messages, strict=True):
        assert each.returncode == 0 or "another run has changed this file since this run read it" in message


@pytest.mark.usefixtures("evaluated_here")
@pytest.mark.parametrize("exists", [True, False])
def test_a_state_that_another_run_wrote_meanwhile_stays(project: Path, real, monkeypatch, exists: bool):
    import snd_server.running.evaluate as running

    (project / "main.sknd").write_text(COUNTER)
    state, other = project / "s.safetensors", write_safetensors({"total": np.full(2, 7, np.float32)})
    if exists:
        state.write_bytes(write_safetensors({"total": np.zeros(2, np.float32)}))
    there = running.answer_of

    def write_and_run(*arguments: object) -> object:
        state.write_bytes(other)
        return there(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "answer_of", write_and_run)
    outcome = real(*RUN, "--state", "s.safetensors", "--output", "out")
    assert outcome.status == 2
    assert "--state s.safetensors: another run has changed this file since this run read it" in outcome.stderr
    assert state.read_bytes() == other
    assert not (project / "out").exists()


def test_a_model_is_begun_as_a_whole(project: Path, real, monkeypatch):
    full_disk(monkeypatch, "fsync")
    outcome = real("init", ".")
    monkeypatch.undo()
    assert outcome.status == 2
    assert "No space left on device" in outcome.stderr
    assert [*project.iterdir()] == []


def test_a_model_is_not_begun_where_a_link_leads(project: Path, real):
    (project / "snd.toml").symlink_to(project.parent / "elsewhere")
    outcome = real("init", ".")
    assert outcome.status == 2
    assert "snd.toml exists already: snd wrote nothing" in outcome.stderr
    assert not (project.parent / "elsewhere").exists()


@pytest.mark.parametrize("command", ["init a\0b", "check --config a\0b", "export m.sknd -o a\0b", "run --map a\0b"])
def test_a_null_character_costs_a_message(project: Path, real, command: str):
    outcome = real(*command.split(" "))
    assert outcome.status == 2
    assert "an argument contains a null character" in outcome.stderr
