"""Workers that are copies of their parent, as of ``snd run``. A process without other threads tries each property."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from snd_runtime.worker.forked import can_fork
from support.liveness import is_alive
from support.waiting import FAR_SECONDS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")

PROGRAM = """
import json, os, sys, threading
from snd_analysis.base import checked_by
from snd_runtime.worker import ProcessLimits, Worker, WorkerFailed

TARGET = "support.runtime.worker_targets:make"
loaded_before = "numpy" in sys.modules

def failure(*request, seconds=None):
    try:
        return ["answered", worker.call(request, seconds=seconds)]
    except WorkerFailed as failed:
        return [failed.reason, worker.generation]

def refuse():
    raise RuntimeError("the checkpoint of the parent")

sys.stdout.write("once ")  # stays in the buffer while the process is copied
found = {}
with Worker(TARGET, ProcessLimits(memory_bytes=300 << 20, threads=1), forks=True) as worker:
    worker.start()
    found["waits for the first request"] = worker.generation == 0
    with checked_by(refuse):
        found["echo"] = worker.call(("echo", [1, 2]))
    found["facts"] = worker.call(("facts", None))
    found["kept"] = [worker.call(("count", None)), worker.call(("count", None))]
    found["loop"] = failure("loop", None, seconds=0.3)
    found["memory"] = failure("allocate", 1 << 40)
    found["fault"] = failure("raise", "not today")
    found["exit"] = failure("exit", 7)
    found["again"] = worker.call(("echo", "still there"))
    last = worker.call(("facts", None))["pid"]
assert not loaded_before and "numpy" not in sys.modules
found["last"] = last
with Worker("support.runtime.worker_targets:fail_to_start", forks=True) as worker:
    found["no start"] = failure("echo", 0)
print(json.dumps(found))
"""


def _run(program: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(path for path in sys.path if path)
    command = [sys.executable, "-c", program]
    around = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, env=around, capture_output=True, text=True, timeout=FAR_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done


def _ends(process: int) -> bool:
    end = time.monotonic() + FAR_SECONDS
    while is_alive(process) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_alive(process)


def test_a_copy_serves_as_a_fresh_process_does() -> None:
    done = _run(PROGRAM)
    assert done.stdout.startswith("once {")
    found = json.loads(done.stdout.removeprefix("once "))
    facts = found["facts"]
    assert facts == {**facts, "stdin": "", "threads": "1", "interrupts": True, "leads its session": True}
    expected = {
        "waits for the first request": True,
        "echo": [1, 2],
        "kept": [3, 4],
        "loop": ["time", 1],
        "memory": ["memory", 2],
        "fault": ["fault", 3],
        "exit": ["died", 3],
        "again": "still there",
        "no start": ["died", 1],
    }
    assert found == {**found, **expected}
    assert "not today" in done.stderr
    assert _ends(found["last"])


ORPHAN = """
import os
from snd_runtime.worker import Worker
worker = Worker("support.runtime.worker_targets:make", forks=True)
print(worker.call(("facts", None))["pid"], flush=True)
os._exit(0)
"""


def test_a_copy_ends_with_its_parent() -> None:
    assert _ends(int(_run(ORPHAN).stdout))


def test_a_process_with_other_threads_is_not_copied() -> None:
    import threading

    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        assert not can_fork()
    finally:
        end.set()
        thread.join()
