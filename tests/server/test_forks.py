"""``import snd`` in forked processes, as PyTorch's data loaders start them, while threads run models."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snd
from snd_analysis.base import InterruptedByForkError, forks
from snd_analysis.base.forks import Unforkable
from support.sampling import tries

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes can't be forked here"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

NET = """
import layer;
import math;
graph Net {
    @input { x: real[batch|4, 3, 6, 6]; }
    @output { y: real[batch, 2, 6, 6]; }
    @compose {
        a = layer.conv{channels=4, size=[3, 3]}(x);
        b = math.neg(a);
        y = layer.conv{channels=2, size=[3, 3]}(b);
    }
}
"""
X = np.ones((4, 3, 6, 6), np.float32)
_SECONDS = 60.0


@pytest.fixture
def net(tmp_path: Path) -> Path:
    (tmp_path / "main.sknd").write_text(NET, encoding="utf-8")
    return tmp_path


@pytest.fixture
def busy(net: Path) -> Iterator[snd.Model]:
    """A model that another thread runs, while it loads others, too."""
    model = snd.load(net)
    end = threading.Event()
    other = net / "other.sknd"

    def work() -> None:
        while not end.is_set():
            model.run(x=X)
            other.write_text(f"{NET}# {time.monotonic()}\n", encoding="utf-8")
            snd.load(other).run(x=X)

    thread = threading.Thread(target=work)
    thread.start()
    yield model
    end.set()
    thread.join()


def _forked(work: Callable[[], object]) -> int:
    """Return the exit status of a child that does some work; a child that hangs is killed by a signal."""
    child = os.fork()
    if child == 0:
        signal.alarm(int(_SECONDS))
        status = 3
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_children_run_models_while_a_thread_of_the_parent_does(net: Path, busy: snd.Model):
    expected = busy.run(x=X)["y"]

    def work() -> None:
        assert np.array_equal(busy.run(x=X)["y"], expected)  # the model of the parent
        assert np.array_equal(snd.load(net).run(x=X)["y"], expected)  # one of its own
        assert busy.diagnostics == ()

    for _ in range(tries(8, 60)):
        assert _forked(work) == 0
        time.sleep(0.03)


def _item(model: snd.Model, at: int) -> Any:
    return np.asarray(model.run(x=X * at)["y"]).sum()


class Loader:
    """Workers that take the numbers of items from a queue each, as those of ``torch.utils.data.DataLoader`` do."""

    def __init__(self, model: snd.Model, workers: int) -> None:
        context = multiprocessing.get_context("fork")
        self._results = context.Queue()
        self._numbers = [context.Queue() for _ in range(workers)]
        self._workers = [
            context.Process(target=self._work, args=(model, numbers), daemon=True) for numbers in self._numbers
        ]
        for each in self._workers:
            each.start()

    def _work(self, model: snd.Model, numbers: Any) -> None:
        while (at := numbers.get()) is not None:
            self._results.put((at, _item(model, at)))

    def items(self, count: int) -> dict[int, Any]:
        for at in range(count):
            self._numbers[at % len(self._numbers)].put(at)
        found = dict(self._results.get(timeout=_SECONDS) for _ in range(count))
        for numbers in self._numbers:
            numbers.put(None)
        for each in self._workers:
            each.join(_SECONDS)
        return found


def test_the_workers_of_a_data_loader_run_a_model(busy: snd.Model):
    expected = {at: _item(busy, at) for at in range(6)}
    for _ in range(tries(2, 10)):
        assert Loader(busy, 3).items(6) == expected


def test_a_child_has_the_state_between_two_runs(tmp_path: Path):
    """A fork never sees a partial update of variables by a run."""
    (tmp_path / "main.sknd").write_text(
        """import math;
graph Counter {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @variable { a: real[2]; b: real[2]; }
    @compose { y = math.add(x, a); z = math.add(x, b); }
    @update { a = y; b = z; }
}
""",
        encoding="utf-8",
    )
    np.savez(tmp_path / "weights.npz", a=np.zeros(2, np.float32), b=np.zeros(2, np.float32))
    model = snd.load(tmp_path)
    end = threading.Event()

    def work() -> None:
        while not end.is_set():
            model.run(x=[1, 1])

    def same() -> None:
        assert np.array_equal(model.variables["a"], model.variables["b"])
        model.run(x=[1, 1])
        assert np.array_equal(model.variables["a"], model.variables["b"])

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(tries(5, 100)):
            assert _forked(same) == 0
    finally:
        end.set()
        thread.join()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Unforkable]:
    """A thread that works for longer than a fork waits."""
    monkeypatch.setattr(forks, "_PATIENCE_SECONDS", 0.05)
    work = Unforkable()
    begun, end = threading.Event(), threading.Event()

    def hold() -> None:
        with work:
            begun.set()
            end.wait(_SECONDS)

    thread = threading.Thread(target=hold)
    thread.start()
    begun.wait(_SECONDS)
    yield work
    end.set()
    thread.join()


def test_a_child_refuses_to_go_on_with_work_that_was_interrupted(slow: Unforkable):
    def work() -> None:
        for _ in range(2):
            with pytest.raises(InterruptedByForkError, match="'spawn'"), slow:
                raise AssertionError("the state of the other thread is lost")

    assert _forked(work) == 0
    with slow:  # in the parent, all goes on
        pass


def test_who_forks_at_work_goes_on_in_the_child():
    work = Unforkable()

    def again() -> None:
        with work:
            assert threading.active_count() == 1

    with work:
        assert _forked(again) == 0
    assert _forked(again) == 0
