"""Entries of the cache decide about diagnostics: so a folder that others can write to is not used."""

from __future__ import annotations

import json
import os
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from snd_analysis.base import NO_SETTINGS, Diagnostic
from snd_server.checking.cache import Cache, is_private

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="rights of folders are others")


def _cache(folder: Path) -> Cache:
    return Cache(str(folder), lambda name: f"digest of {name}", lambda place: True)


def _stored(folder: Path) -> tuple[Diagnostic, ...] | None:
    _cache(folder).store("a.sknd", NO_SETTINGS, (), ["a.sknd"], {})
    return _cache(folder).load("a.sknd", NO_SETTINGS)


def test_the_folder_is_private(tmp_path: Path):
    folder = tmp_path / "cache"
    assert _stored(folder) == ()
    assert all(path.stat().st_mode & 0o077 == 0 for path in (folder, *folder.glob("??")))


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path, mode: int):
    folder = tmp_path / "cache"
    assert _stored(folder) == ()
    folder.chmod(mode)
    assert _cache(folder).load("a.sknd", NO_SETTINGS) is None
    assert _stored(tmp_path / "cache") is None


def test_a_folder_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert is_private(str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert not is_private(str(tmp_path))


def test_a_file_is_no_folder(tmp_path: Path):
    (tmp_path / "cache").write_text("")
    assert _stored(tmp_path / "cache") is None


_ENTRIES = [
    "[" * 100_000, "{}", "[]", "null", "1", '{"dependencies": [], "looked for": {}, "diagnostics": []}',
    *(json.dumps({"dependencies": {}, "looked for": {}, "diagnostics": each}) for each in (
        None, 7, [None], [[]], [["no-such-rule", 1, "m", ["a", 0, 1], [], None, False]],
        [["undefined-name", "x", "m", ["a", 0, 1], [], None, False]],
        [["undefined-name", "error", 7, ["a", "b", {}], [], None, False]],
        [["undefined-name", "error", "m", ["a", -5, 10 ** 30], [], None, False]],
        [["undefined-name", "error", "m", ["a", 0, 1], 7, [1, 2], 3]],
    )),
]  # fmt: skip


@pytest.mark.parametrize("entry", _ENTRIES)
def test_an_entry_that_is_none_is_not_used(tmp_path: Path, entry: str):
    folder = tmp_path / "cache"
    assert _stored(folder) == ()
    (file,) = folder.glob("??/*")
    file.write_text(f"{sha256(entry.encode()).hexdigest()}\n{entry}")
    assert _cache(folder).load("a.sknd", NO_SETTINGS) is None


def test_an_entry_that_is_no_file(tmp_path: Path):
    folder = tmp_path / "cache"
    assert _stored(folder) == ()
    (file,) = folder.glob("??/*")
    file.unlink()
    os.mkfifo(file)
    assert _cache(folder).load("a.sknd", NO_SETTINGS) is None
