"""Edits, questions, and long questions that make room for others (invariant 15)."""

from __future__ import annotations

import asyncio
import threading

import pytest

from snd_server.lsp.session import analysis_thread
from snd_server.lsp.session.analysis_thread import AnalysisThread, Interrupted, Question, Urgency
from support.waiting import FAR_SECONDS, until


class _Endless:
    """A question that goes on until it is stopped."""

    def __init__(self) -> None:
        self.running, self.stopped = threading.Event(), threading.Event()

    def __call__(self, question: Question) -> None:
        self.running.set()
        try:
            while True:
                question.checkpoint()
        except Interrupted:
            self.stopped.set()
            raise


@pytest.fixture
def thread():
    thread = AnalysisThread()
    yield thread
    thread.close()


async def test_in_the_order_in_which_it_came(thread: AnalysisThread):
    done: list[int] = []
    await asyncio.gather(*(thread.ask(lambda _, at=at: done.append(at)) for at in range(50)))
    assert done == list(range(50))


async def test_faults_are_those_of_the_question(thread: AnalysisThread):
    def fault(_: Question) -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        await thread.ask(fault)
    assert await thread.ask(lambda _: 1) == 1


async def test_a_background_task_makes_room_and_begins_again(thread: AnalysisThread):
    begun, others = [], []
    running, go_on = threading.Event(), threading.Event()

    def long(question: Question) -> str:
        begun.append(len(others))
        running.set()
        if len(begun) == 1:
            go_on.wait(FAR_SECONDS)
        question.checkpoint()
        return "done"

    answer = asyncio.create_task(thread.ask(long, urgency=Urgency.BACKGROUND))
    await asyncio.to_thread(running.wait, FAR_SECONDS)
    other = asyncio.create_task(thread.ask(lambda _: others.append(1)))
    await asyncio.sleep(0)  # it has been asked
    go_on.set()
    assert await answer == "done"
    await other
    assert begun == [0, 1]


async def test_work_for_a_pause_makes_room_for_background_tasks(thread: AnalysisThread):
    """Begun anew after it, so that two long pieces of work do not take turns, each beginning again and again."""
    done, running, asked = [], threading.Event(), threading.Event()

    def work(question: Question) -> None:
        running.set()
        asked.wait(FAR_SECONDS)
        question.checkpoint()
        done.append("pause")

    pause = asyncio.create_task(thread.ask(work, urgency=Urgency.PAUSE))
    await asyncio.to_thread(running.wait, FAR_SECONDS)
    task = asyncio.create_task(thread.ask(lambda _: done.append("task"), urgency=Urgency.BACKGROUND))
    await asyncio.sleep(0)  # it has been asked
    asked.set()
    await asyncio.wait_for(asyncio.gather(pause, task), FAR_SECONDS)
    assert done == ["task", "pause"]


async def test_a_background_task_goes_on_while_work_for_a_pause_waits(
    thread: AnalysisThread, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(analysis_thread, "MOST_URGENT_SECONDS", 0.0)
    begun, running, asked = [], threading.Event(), threading.Event()

    def work(question: Question) -> None:
        begun.append(1)
        running.set()
        asked.wait(FAR_SECONDS)
        question.checkpoint()

    task = asyncio.create_task(thread.ask(work, urgency=Urgency.BACKGROUND))
    await asyncio.to_thread(running.wait, FAR_SECONDS)
    pause = asyncio.create_task(thread.ask(lambda _: None, urgency=Urgency.PAUSE))
    await asyncio.sleep(0)  # it has been asked
    asked.set()
    await asyncio.wait_for(asyncio.gather(pause, task), FAR_SECONDS)
    assert begun == [1]


async def test_urgent_questions_are_not_put_aside(thread: AnalysisThread, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(analysis_thread, "MOST_URGENT_SECONDS", FAR_SECONDS)
    running, go_on, begun = threading.Event(), threading.Event(), []

    def urgent(question: Question) -> int:
        begun.append(1)
        running.set()
        go_on.wait(FAR_SECONDS)
        question.checkpoint()
        return len(begun)

    answer = asyncio.create_task(thread.ask(urgent))
    await asyncio.to_thread(running.wait, FAR_SECONDS)
    thread.submit(lambda: None)
    go_on.set()
    assert await answer == 1


async def test_a_cancelled_question_stops_at_its_next_checkpoint(thread: AnalysisThread):
    long = _Endless()
    task = asyncio.create_task(thread.ask(long))
    await asyncio.to_thread(long.running.wait, FAR_SECONDS)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(long.stopped.wait, FAR_SECONDS)
    assert await thread.ask(lambda _: 1) == 1


async def test_what_was_cancelled_before_its_turn_is_never_begun(thread: AnalysisThread):
    running, go_on, begun = threading.Event(), threading.Event(), []

    def first(_: Question) -> None:
        running.set()
        go_on.wait(FAR_SECONDS)

    task = asyncio.create_task(thread.ask(first))
    await asyncio.to_thread(running.wait, FAR_SECONDS)
    waiting = [asyncio.create_task(thread.ask(lambda _: begun.append(1))) for _ in range(100)]
    await asyncio.sleep(0)  # all have been asked
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    go_on.set()
    await task
    assert await thread.ask(lambda _: 1) == 1
    assert not begun


async def test_nothing_is_begun_after_the_end():
    thread = AnalysisThread()
    long = _Endless()
    answer = asyncio.create_task(thread.ask(long))
    await asyncio.to_thread(long.running.wait, FAR_SECONDS)
    thread.close()
    with pytest.raises(Interrupted):
        await answer
    assert long.stopped.is_set()


async def test_a_pause_is_told_once(monkeypatch: pytest.MonkeyPatch):
    pauses: list[int] = []
    monkeypatch.setattr(analysis_thread, "_IDLE_SECONDS", 0.05)
    thread = AnalysisThread(lambda: pauses.append(1))
    await asyncio.sleep(0.2)
    assert not pauses, "nothing has been done yet"
    for count in (1, 2):
        await thread.ask(lambda _: None)
        await until(lambda least=count: len(pauses) >= least)
        await asyncio.sleep(0.2)
        assert len(pauses) == count, "once, however long it is"
    thread.close()


async def test_a_question_that_takes_long_lets_others_go_first(thread: AnalysisThread, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(analysis_thread, "MOST_URGENT_SECONDS", 1e-4)
    answered = threading.Event()

    def long(question: Question) -> str:
        while not answered.is_set():
            question.checkpoint()
        return "long"

    first = asyncio.create_task(thread.ask(long))
    await asyncio.sleep(0)
    second = thread.ask(lambda _: answered.set())
    await asyncio.wait_for(second, FAR_SECONDS)
    assert await asyncio.wait_for(first, FAR_SECONDS) == "long"


async def test_two_long_questions_both_end(thread: AnalysisThread, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(analysis_thread, "MOST_URGENT_SECONDS", 1e-4)

    def long(question: Question) -> int:
        for _ in range(2_000):
            question.checkpoint()
        return 1

    both = asyncio.gather(
        thread.ask(long, urgency=Urgency.BACKGROUND), thread.ask(long, urgency=Urgency.BACKGROUND), thread.ask(long)
    )
    assert await asyncio.wait_for(both, FAR_SECONDS) == [1, 1, 1]
