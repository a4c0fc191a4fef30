"""Files are replaced as a whole or left as they are: full disks, edits made meanwhile, links, owners."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from snd_server.workspace_files import writing
from snd_server.workspace_files.writing import ChangedMeanwhileError, replace_text, write_file

UGLY = "operator f{@attrib{a:int;}}\n"
NICE = "operator f {\n    @attrib {\n        a: int;\n    }\n}\n"
FIXABLE = "import nn;\n" + NICE


only_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root alone gives files away")


def full_disk(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """Makes a call of the operating system fail as it does when the disk is full."""

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


@pytest.mark.parametrize("arguments", [("fmt",), ("check", "--output-file", "a.sknd"), ("graph", "-o", "a.json")])
def test_where_no_file_can_be_made_none_is_overwritten(project: Path, real, monkeypatch, arguments):
    """A disk without room for another name: ``open`` with O_CREAT fails, opening what is there doesn't."""
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
