"""Evaluations given up at a moment that no client can choose: between leaving the queue and beginning."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any, cast

from snd_analysis.ide.evaluation import SampleName
from snd_server.lsp.server import SndServer
from snd_server.lsp.session.freshness import Freshness, FreshValues, ValueKey
from snd_server.lsp.values.evaluation_queue import EvaluationQueue, Job

KEY = ValueKey("/m.sknd", SampleName("# >>> f(1.0)", 0))


async def test_what_is_given_up_before_it_begins_neither_runs_nor_looks_as_if_it_did():
    tasks: list[asyncio.Task[None]] = []

    def begin(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        tasks.append(asyncio.ensure_future(work))
        return tasks[-1]

    session = SimpleNamespace(documents={KEY.path: None})
    server = cast(SndServer, SimpleNamespace(begin=begin, session=session))
    values, ran = FreshValues(), []
    queue = EvaluationQueue(server, values, lambda: None)
    try:
        queue.add(Job(KEY, "state", ran.append, lambda message: message, 1 << 20, wanted=True))
        assert values.of(KEY, "state").freshness is Freshness.RUNNING
        queue.give_up(lambda job: True, "the user did")  # no task has run since
        await asyncio.gather(*tasks)
        assert values.of(KEY, "state").freshness is Freshness.NONE
        assert not ran
        assert queue.load == (0, 0)
    finally:
        queue.stop()
