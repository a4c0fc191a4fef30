"""Worker processes: killed at any moment, replaced, and nothing lost but the result that was asked for.

Invariant 14 of ARCHITECTURE.md.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from snd_runtime.worker import ProcessLimits, Worker, WorkerFailed
from support.liveness import is_alive
from support.waiting import FAR_SECONDS

TARGET = "support.runtime.worker_targets:make"
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and process groups")


@pytest.fixture(scope="module")
def shared() -> Iterator[Worker]:
    with Worker(TARGET, ProcessLimits(memory_bytes=300 << 20, threads=1)) as worker:
        yield worker


@pytest.fixture
def worker(shared: Worker) -> Iterator[Worker]:
    yield shared
    assert shared.call(("echo", "still there"), seconds=30) == "still there"


def failure(worker: Worker, *request, seconds: float = FAR_SECONDS) -> WorkerFailed:
    with pytest.raises(WorkerFailed) as failed:
        worker.call(request, seconds=seconds)
    return failed.value


def eventually(holds) -> bool:
    end = time.monotonic() + FAR_SECONDS
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.01)
    return False


def test_answers(worker):
    array = np.arange(100_000.0)
    assert (worker.call(("echo", array)) == array).all()
    before = worker.call(("count", None))
    assert worker.call(("count", None)) == before + 1  # the handler stays


def test_notes_come_before_the_answer_and_in_order(worker):
    notes: list[int] = []
    assert worker.call(("notes", 50), note=notes.append) == "done"
    assert notes == [*range(50)]


def test_the_surroundings(worker, capfd):
    facts = worker.call(("facts", None))
    assert facts["pid"] != os.getpid()
    assert facts == {**facts, "stdin": "", "threads": "1", "interrupts": True, "leads its session": True}
    assert capfd.readouterr().out == ""


def test_an_endless_loop_is_killed_in_time(worker):
    worker.call(("echo", 0))
    generation = worker.generation
    begin = time.monotonic()
    failed = failure(worker, "loop", None, seconds=0.3)
    assert (failed.reason, failed.message) == ("time", "it takes longer than the 0.3 seconds that are allowed")
    assert time.monotonic() - begin < FAR_SECONDS  # without the kill it would never end; machines are noisy
    assert worker.call(("count", None)) == 1
    assert worker.generation == generation + 1


def test_a_fault_costs_one_result_and_not_the_process(worker):
    generation, number = worker.generation, worker.call(("count", None))
    failed = failure(worker, "raise", "oh")
    assert failed.reason == "fault"
    assert "RuntimeError: oh" in failed.message
    assert "Traceback" in failed.detail
    assert worker.call(("count", None)) == number + 2
    assert worker.generation == generation


def test_a_crash_costs_one_result(worker):
    failed = failure(worker, "exit", 7)
    assert (failed.reason, failed.detail) == ("died", "exit status 7")
    assert worker.call(("count", None)) == 1


@POSIX
def test_a_signal_costs_one_result(worker):
    assert failure(worker, "signal", int(signal.SIGSEGV)).detail == f"signal {int(signal.SIGSEGV)}"


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel has no such limit")
@pytest.mark.parametrize("count", [1 << 30, 10**12])
def test_too_much_memory_is_refused(worker, count):
    failed = failure(worker, "allocate", count)
    assert (failed.reason, failed.message) == ("memory", "it takes more memory than the 300 MB that are allowed")


def test_what_is_allowed_is_there(worker):
    assert worker.call(("allocate", 250 << 20)) == 1


def test_stopped_in_the_middle_by_another_thread(worker):
    begun = threading.Event()
    found: list[WorkerFailed] = []

    def ask() -> None:
        try:
            worker.call(("loop", None), note=lambda _: begun.set())
        except WorkerFailed as failed:
            found.append(failed)

    thread = threading.Thread(target=ask)
    thread.start()
    assert begun.wait(FAR_SECONDS)
    worker.stop()
    thread.join(FAR_SECONDS)
    assert [failed.reason for failed in found] == ["stopped"]


@POSIX
def test_killed_by_somebody_else_while_it_is_idle(worker):
    pid = worker.call(("facts", None))["pid"]
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert worker.call(("count", None)) == 1


def test_what_the_caller_raises_ends_the_request(worker):
    def impatient(content) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        worker.call(("loop", None), note=impatient)


def test_calls_from_many_threads(worker):
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda each=each: results.append(worker.call(("echo", each)))) for each in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(FAR_SECONDS)
    assert sorted(results) == [*range(20)]


def test_a_request_may_depend_on_what_the_process_knows(worker):
    generation = worker.call(lambda generation: ("echo", generation))
    failure(worker, "exit", 1)
    assert worker.call(lambda generation: ("echo", generation)) == generation + 1


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_process_stays():
    with Worker(TARGET, keep_ready=True) as worker:
        first = worker.call(("facts", None))["pid"]
        failure(worker, "loop", None, seconds=0.05)
        assert not os.path.exists(f"/proc/{first}")
        second = worker.call(("facts", None))["pid"]
    assert not os.path.exists(f"/proc/{second}")
    assert failure(worker, "echo", 1).reason == "stopped"


def test_a_target_that_does_not_start():
    with Worker("support.runtime.worker_targets:fail_to_start") as worker:
        assert failure(worker, "echo", 1).reason == "died"


_PARENT = """
import sys
from snd_runtime.worker import Worker

worker = Worker("support.runtime.worker_targets:make")
print(worker.call(("facts", None))["pid"], flush=True)
worker.call(("loop", None), note=lambda note: print(note, flush=True))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_the_end_of_the_parent_ends_it(how):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folder for folder in sys.path if folder)}
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert parent.stdout.readline() == "begun\n"
        assert is_alive(pid)
        parent.send_signal(how)
    assert eventually(lambda: not is_alive(pid))
