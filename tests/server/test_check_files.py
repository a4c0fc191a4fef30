"""Found files, and the treatment of files that are not proper texts."""

from __future__ import annotations

import json
import os

import pytest

from snd_server.workspace_files import files


def checked(outcome) -> list[str]:
    """The files of a run over files with one `odd` each."""
    return [found["path"] for found in json.loads(outcome.stdout)["diagnostics"]]


def put(root, *paths: str, text: str = "odd\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def test_folders_are_searched_and_paths_are_as_given(snd, project):
    put(project, "b.sknd", "a/z.sknd", "a/m/y.sknd", "a/other.txt", "named.txt")
    assert checked(snd("check", "--format", "json")) == ["a/m/y.sknd", "a/z.sknd", "b.sknd"]
    assert checked(snd("check", "--format", "json", "./a")) == ["./a/m/y.sknd", "./a/z.sknd"]
    absolute = str(project / "a/z.sknd")
    assert checked(snd("check", "--format", "json", absolute)) == [absolute]
    assert checked(snd("check", "--format", "json", "named.txt")) == ["named.txt"]


def test_no_file_is_checked_twice(snd, project):
    put(project, "a/x.sknd")
    assert checked(snd("check", "--format", "json", "a/x.sknd", "a", ".", "./a/x.sknd")) == ["a/x.sknd"]


def test_nothing_to_check_is_a_warning(snd, project):
    outcome = snd("check")
    assert outcome.status == 0
    assert outcome.stdout == ""
    assert "no files in SkriptND (*.sknd) or NNEF 1.0 (*.nnef)" in outcome.stderr
    assert json.loads(snd("check", "--format", "json").stdout)["summary"]["files"] == 0


def test_a_missing_path_is_misuse(snd, project):
    put(project, "a.sknd")
    outcome = snd("check", "a.sknd", "gone")
    assert outcome.status == 2
    assert "gone: no such file or folder" in outcome.stderr
    assert outcome.stdout == ""


def test_gitignore_holds_at_every_level(snd, project):
    (project / ".git/info").mkdir(parents=True)
    (project / ".git/info/exclude").write_text("local.sknd\n")
    (project / ".gitignore").write_text("build/\n*.gen.sknd\n/top.sknd\n[broken\n")
    (project / "models").mkdir()
    (project / "models/.gitignore").write_text("draft_*\n!keep.gen.sknd\n")
    ignored = [
        "build/a.sknd",
        "models/build/b.sknd",
        "models/x.gen.sknd",
        "top.sknd",
        "models/draft_1.sknd",
        "local.sknd",
    ]
    kept = ["models/keep.gen.sknd", "models/top.sknd", "models/x.sknd"]
    put(project, *ignored, *kept)
    assert checked(snd("check", "--format", "json")) == kept
    assert checked(snd("check", "--format", "json", "models")) == kept


def test_gitignore_above_the_folder_that_is_named_counts_up_to_the_repository(snd, project, monkeypatch):
    (project / ".gitignore").write_text("*.sknd\n")
    repository = project / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / ".gitignore").write_text("no.sknd\n")
    put(repository, "models/no.sknd", "models/yes.sknd")
    monkeypatch.chdir(repository / "models")
    assert checked(snd("check", "--format", "json")) == ["yes.sknd"]


def test_what_is_named_is_checked_although_ignored(snd, project):
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("build/\nx.sknd\n")
    put(project, "build/a.sknd", "x.sknd")
    assert checked(snd("check", "--format", "json", "build", "x.sknd")) == ["build/a.sknd", "x.sknd"]


def test_a_folder_may_be_called_like_a_file(snd, project):
    put(project, "x.sknd/y.sknd")
    assert checked(snd("check", "--format", "json")) == ["x.sknd/y.sknd"]
    assert checked(snd("check", "--format", "json", "x.sknd")) == ["x.sknd/y.sknd"]
    put(project, "importer.sknd", text="import x")
    assert snd("check", "importer.sknd").status == 1


def test_symlink_loops_end(snd, project):
    put(project, "a/x.sknd")
    (project / "a/up").symlink_to(project, target_is_directory=True)
    (project / "a/self.sknd").symlink_to("self.sknd")
    (project / "dangling.sknd").symlink_to("nowhere.sknd")
    outcome = snd("check", "--format", "concise")
    assert outcome.status == 2
    assert [line.split(" ")[0:2] for line in outcome.stdout.splitlines()[:-1]] == [
        ["a/self.sknd:1:1:", "error[unreadable-file]"],
        ["a/x.sknd:1:1:", "warning[odd]"],
        ["dangling.sknd:1:1:", "error[unreadable-file]"],
    ]
    for path in ("a/self.sknd", "dangling.sknd"):
        outcome = snd("check", path)
        assert outcome.status == 2
        assert "leads nowhere" in outcome.stderr


def test_a_link_that_leads_up_is_not_followed(snd, project):
    put(project, "model/x.sknd", "beside/y.sknd")
    (project / "model" / "up").symlink_to("..")
    (project / "model" / "root").symlink_to("/")
    assert checked(snd("check", "--format", "json", "model")) == ["model/x.sknd"]


def test_a_symlinked_folder_is_searched_once(snd, project):
    put(project, "real/x.sknd")
    (project / "alias").symlink_to("real", target_is_directory=True)
    assert len(checked(snd("check", "--format", "json"))) == 1


def test_pipes_and_devices_are_not_read(snd, project):
    os.mkfifo(project / "pipe.sknd")
    put(project, "a.sknd")
    outcome = snd("check", "--format", "concise")
    assert outcome.status == 2
    assert (
        "pipe.sknd:1:1: error[unreadable-file] it cannot be read: it is neither a file nor a folder" in outcome.stdout
    )
    assert "a.sknd:1:1: warning[odd]" in outcome.stdout
    assert "neither a file nor a folder" in snd("check", "pipe.sknd").stderr
    assert snd("check", "pipe.sknd").status == 2


def test_locks_of_editors_are_no_files(snd, project):
    put(project, "a.sknd")
    (project / ".#a.sknd").symlink_to("somebody@somewhere.4711")
    assert checked(snd("check", "--format", "json")) == ["a.sknd"]


def test_a_folder_that_may_not_be_searched_is_a_diagnostic(snd, project, monkeypatch):
    put(project, "a.sknd", "closed/b.sknd")
    scan = os.scandir

    def refuse(path):
        if os.path.basename(path) == "closed":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    outcome = snd("check", "--format", "concise")
    assert outcome.status == 2
    assert "closed:1:1: error[unreadable-file] it cannot be read: Permission denied" in outcome.stdout
    assert "a.sknd:1:1: warning[odd]" in outcome.stdout


def test_text_that_is_not_utf8(snd, project):
    (project / "a.sknd").write_bytes("é\nfine ".encode() + b"\xff wrong")
    (project / "b.sknd").write_bytes("wrong".encode("utf-16"))
    (project / "c.sknd").write_text("wrong")
    outcome = snd("check", "--format", "concise")
    assert outcome.status == 1
    lines = outcome.stdout.splitlines()
    assert "a.sknd:2:6: error[invalid-encoding] the file is not UTF-8: byte 0xFF at offset 8" in lines[0]
    assert "UTF-16" in lines[1]
    assert "error[wrong]" in lines[2]
    for name in ("full", "json", "sarif", "github", "gitlab", "junit"):
        assert snd("check", "--format", name).status == 1


def test_a_byte_order_mark_is_no_column_and_survives_a_fix(snd, project):
    (project / "a.sknd").write_bytes(b"\xef\xbb\xbfwrong\r\n")
    assert "a.sknd:1:1:" in snd("check", "--format", "concise").stdout
    assert snd("check", "--fix").status == 0
    assert (project / "a.sknd").read_bytes() == b"\xef\xbb\xbfright\r\n"


def test_line_breaks_of_every_kind(snd, project):
    (project / "a.sknd").write_bytes(b"fine\r\nwrong\rwrong\nx\x0cy\xe2\x80\xa8z wrong")
    places = [line.split(" ")[0] for line in snd("check", "--format", "concise").stdout.splitlines()]
    assert places[:3] == ["a.sknd:2:1:", "a.sknd:3:1:", "a.sknd:4:7:"]
    assert "wrong" in snd("check").stdout


def test_nul_bytes_and_empty_files(snd, project):
    (project / "a.sknd").write_bytes(b"\0\0 wrong \0")
    (project / "b.sknd").write_bytes(b"")
    assert snd("check").status == 1
    assert "a.sknd:1:4:" in snd("check", "--format", "concise").stdout
    assert "␀␀ wrong ␀" in snd("check").stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_and_folder(snd, project):
    put(project, "a.sknd", "closed/b.sknd")
    (project / "a.sknd").chmod(0)
    (project / "closed").chmod(0)
    try:
        outcome = snd("check", "--format", "concise")
    finally:
        (project / "closed").chmod(0o755)
    assert outcome.status == 2
    assert "a.sknd:1:1: error[unreadable-file]" in outcome.stdout
    assert "closed:1:1: error[unreadable-file]" in outcome.stdout


def test_a_file_that_cannot_be_read_is_a_diagnostic(snd, project, monkeypatch):
    read = files.read_file

    def refuse(path: str, most_bytes: int) -> bytes:
        if path == "a.sknd":
            raise PermissionError(13, "Permission denied", path)
        return read(path, most_bytes)

    put(project, "a.sknd", "b.sknd")
    monkeypatch.setattr(files, "read_file", refuse)
    outcome = snd("check", "--format", "concise")
    assert "a.sknd:1:1: error[unreadable-file] it cannot be read: Permission denied" in outcome.stdout
    assert outcome.status == 2
    assert "b.sknd:1:1: warning[odd]" in outcome.stdout


def test_names_that_are_no_text(snd, project):
    try:
        (project / os.fsdecode(b"\xff.sknd")).write_text("wrong\n")
    except OSError:
        pytest.skip("the file system wants UTF-8 names")
    for name in ("full", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit"):
        assert snd("check", "--format", name).status == 1
