"""A gate before the evaluations of servers in this process: an evaluation runs until a test has seen it."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from snd_server.lsp.values.evaluation_queue import EvaluationQueue, Job
from support.waiting import FAR_SECONDS


class Gate:
    """A gate that stops evaluations as if they took long, unless it is open; it is open at first."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.jobs: list[Job] = []
        """Everything that was to be evaluated."""
        self._opened = threading.Event()
        self._opened.set()
        add = EvaluationQueue.add

        def held(queue: EvaluationQueue, job: Job) -> Job:
            work = job.work

            def behind_the_gate(evaluator: Any) -> Any:
                self._opened.wait(FAR_SECONDS)
                return work(evaluator)

            job.work = behind_the_gate
            self.jobs.append(job)
            return add(queue, job)

        monkeypatch.setattr(EvaluationQueue, "add", held)

    def open(self) -> None:
        """Release waiting and later arrivals."""
        self._opened.set()

    def close(self) -> None:
        """Hold further evaluations."""
        self._opened.clear()
