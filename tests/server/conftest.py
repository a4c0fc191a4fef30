from __future__ import annotations

import gc
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import snd_analysis.workspace
from snd_analysis.rules import catalogue
from support.server.in_process import InProcessWorker


@dataclass(frozen=True)
class Outcome:
    status: int
    stdout: str
    stderr: str


Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("SND_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    for name in ("NO_COLOR", "FORCE_COLOR", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def evaluated_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluate in this process instead of a worker, which loads NumPy and the library anew for each command.

    Tests with the mark ``worker_process`` keep the worker: they are about its limits and its end.
    """
    if request.node.get_closest_marker("worker_process") is None:
        monkeypatch.setattr("snd_runtime.evaluation.evaluator.Worker", InProcessWorker)
        monkeypatch.setattr("snd_runtime.samples.evaluator.Worker", InProcessWorker)


@pytest.fixture
def real(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``snd ARGUMENT…`` in this process, with the real analysis.

    onnxruntime has a process of its own in tests with the mark ``worker_process`` only.
    """
    if request.node.get_closest_marker("worker_process") is None:
        monkeypatch.setattr("snd_server.exchange.engine_process.Worker", InProcessWorker)

    def run(*arguments: str, stdin: bytes = b"") -> Outcome:
        from snd_server.cli import main

        monkeypatch.setattr(sys, "argv", ["snd", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main()
        gc.unfreeze()  # a process that ends leaves its heap as it is
        gc.enable()
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err or "-v" in arguments
        return Outcome(int(exit_.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def snd(real: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``snd ARGUMENT…`` in this process, with the fake analysis."""
    from support.server.fake_analysis import FakeWorkspace, fake_page, fake_rules

    FakeWorkspace.analysed = []
    monkeypatch.setattr(snd_analysis.workspace, "Workspace", FakeWorkspace)
    known = fake_rules()
    monkeypatch.setattr(catalogue, "names", lambda: tuple(sorted(known)))
    monkeypatch.setattr(catalogue, "rule", known.__getitem__)
    monkeypatch.setattr(catalogue, "rules", lambda: dict(sorted(known.items())))
    monkeypatch.setattr(catalogue, "page", fake_page)
    return real
