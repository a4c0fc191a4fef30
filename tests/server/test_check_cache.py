"""Results are remembered by content, and nothing that happens to the cache disturbs a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.server.fake_analysis import FakeWorkspace


@pytest.fixture
def cache() -> Path:
    return Path(os.environ["SND_CACHE_DIR"])


@pytest.fixture
def analysed(snd):
    """Run a check; returns the files that were analysed for it. A file is analysed again to try its fixes."""

    def run(*arguments: str) -> list[str]:
        FakeWorkspace.analysed = []
        snd("check", *arguments)
        return [*dict.fromkeys(FakeWorkspace.analysed)]

    return run


def entries(cache: Path) -> list[Path]:
    return sorted(file for file in cache.glob("??/*") if file.is_file())


def test_what_has_not_changed_is_not_analysed_again(analysed, snd, project):
    (project / "a.sknd").write_text("wrong odd maybe echo begin\nend\n")
    (project / "b.sknd").write_text("import a\necho # snd: ignore[odd]\n")
    first = snd("check", "--format", "json")
    assert analysed() == []
    assert snd("check", "--format", "json") == first
    assert analysed("--select", "odd") == []
    assert analysed("--no-cache") == ["a.sknd", "b.sknd"]
    (project / "b.sknd").write_text("echo\n")
    assert analysed() == ["b.sknd"]


def test_a_changed_import_counts(analysed, project):
    (project / "a.sknd").write_text("import b\n")
    (project / "b.sknd").write_text("import c\n")
    (project / "c.sknd").write_text("fine\n")
    (project / "d.sknd").write_text("fine\n")
    analysed()
    (project / "c.sknd").write_text("echo\n")
    assert analysed() == ["a.sknd", "b.sknd", "c.sknd"]
    (project / "c.sknd").unlink()
    assert analysed() == ["a.sknd", "b.sknd"]


def test_a_file_that_appears_where_one_was_missing_counts(analysed, project):
    (project / "a.sknd").write_text("import shared\n")
    (project / "z.sknd").write_text("fine\n")
    (project / "modules").mkdir()
    (project / "modules/shared.sknd").write_text("fine\n")
    (project / "snd.toml").write_text('module-paths = ["modules"]\n')
    analysed()
    assert analysed() == []
    (project / "shared.sknd").write_text("fine\n")
    assert analysed() == ["a.sknd", "shared.sknd"]


def test_a_main_module_that_appears_or_vanishes_counts(real, project):
    """It decides the root of the model, where modules are looked for."""
    (project / "sub").mkdir()
    (project / "sub/x.sknd").write_text(
        "import math;\n\noperator f {\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n"
        "    @compose { y = math.sqrt(x); }\n}\n"
    )
    (project / "math.sknd").write_text(
        "operator other {\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n    @compose { y = x; }\n}\n"
    )
    main = project / "main.sknd"

    def outcomes() -> tuple[str, str]:
        command = ("check", "sub/x.sknd", "--format", "concise")
        return real(*command).stdout, real(*command, "--no-cache").stdout

    for _ in range(2):
        cached, fresh = outcomes()
        assert cached == fresh == "1 file is clean\n"
        main.write_text(
            "graph g {\n    @input { x: real[1]; }\n    @output { y: real[1]; }\n    @compose { y = x; }\n}\n"
        )
        cached, fresh = outcomes()
        assert cached == fresh
        assert "unknown-operator" in fresh
        main.unlink()


def test_other_module_paths_are_other_results(analysed, project):
    (project / "a.sknd").write_text("import shared\n")
    analysed()
    (project / "modules").mkdir()
    (project / "modules/shared.sknd").write_text("fine\n")
    (project / "snd.toml").write_text('module-paths = ["modules"]\n')
    assert "a.sknd" in analysed()


def test_a_fault_is_not_remembered(analysed, project):
    (project / "a.sknd").write_text("crash\n")
    analysed()
    assert analysed() == ["a.sknd"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-3],
        lambda content: content.replace(b"odd", b"ood"),
        lambda content: b"\xff" + content,
        lambda content: b"[1]\n[1]",
    ],
)
def test_a_damaged_entry_is_a_miss(damage, analysed, snd, project, cache):
    (project / "a.sknd").write_text("odd\n")
    before = snd("check")
    for file in entries(cache):
        file.write_bytes(damage(file.read_bytes()))
    assert analysed() == ["a.sknd"]
    assert snd("check") == before


def test_a_well_formed_entry_of_another_shape_is_a_miss(analysed, project, cache):
    from snd_server.checking.cache import text_digest

    (project / "a.sknd").write_text("odd\n")
    analysed()
    for payload in (
        '{"dependencies":[],"looked for":{},"diagnostics":[]}',
        "null",
        '{"dependencies":{},"diagnostics":[]}',
    ):
        for file in entries(cache):
            file.write_text(f"{text_digest(payload)}\n{payload}")
        assert analysed() == ["a.sknd"]


def test_a_cache_that_cannot_be_written(snd, project, tmp_path, monkeypatch):
    (project / "a.sknd").write_text("odd\n")
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", "/proc/nothing"):
        monkeypatch.setenv("SND_CACHE_DIR", str(place))
        outcome = snd("check", "--format", "concise")
        assert (outcome.status, outcome.stderr) == (0, "")
        assert "warning[odd]" in outcome.stdout


def test_old_entries_are_swept_and_foreign_files_are_not(snd, project, cache):
    old = (1, 1)
    (cache / "ab").mkdir()
    ours, foreign = cache / "ab" / ("0" * 62), cache / "ab" / "notes.txt"
    for file in (ours, foreign):
        file.write_text("")
        os.utime(file, old)
    (project / "a.sknd").write_text("fine\n")
    snd("check")
    assert not ours.exists()
    assert foreign.exists()
