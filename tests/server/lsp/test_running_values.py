"""Long evaluations: notifications about them, tasks that wait for them, and how they end (invariant 17)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from support.lsp.raw_client import RawClient, running
from support.waiting import eventually, until

URI, OTHER = "untitled:long", "untitled:other"
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
SAMPLES = """import math;

# >>> endless(1.0)
# >>> endless(2.0)
graph endless {
    @input { x: real[]; }
    @output { y: real[]; }
    @compose {
        a = math.add(x, 0.0);
        y = with b = a while math.lt(b, 1.0e30) do math.mul(b, 1.0);
    }
}
"""
QUICK = """# >>> double(1.0)
operator double {
    @input { x: real[]; }
    @output { y: real[]; }
    @lower { y[] = x[] * 2.0; }
}
"""
LARGE = """# >>> grid{n=3000}(1.0)
operator grid {
    @attrib { n: int; }
    @input { x: real[]; }
    @output { y: real[n, n]; }
    @lower { y[i,j] = x[], i < n, j < n; }
}
"""


@asynccontextmanager
async def client_of(capabilities: object = None, **evaluation: Any) -> AsyncIterator[RawClient]:
    """A session whose client is configured to evaluate like this."""
    async with running() as (_, client):
        settings = {"snd": {"evaluation": evaluation}}
        await client.initialize(initializationOptions=settings, capabilities=capabilities or {})
        yield client


async def hints(client: RawClient, uri: str = URI) -> list[tuple[int, str]]:
    """The lines of hints, and what they say."""
    answer = await client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": WHOLE})
    found = answer.get("result") or []
    return [(each["position"]["line"], "".join(part["value"] for part in each["label"])) for each in found]


def evaluate(client: RawClient, line: int, **more: Any) -> int:
    """Ask for the evaluation of the sample at a line of the long document."""
    params = {"textDocument": {"uri": URI}, "position": {"line": line, "character": 3}, "timeout": 600, **more}
    return client.ask("snd/evaluate", params)


def whole(text: str) -> dict[str, str]:
    return {"text": text}


def order(client: RawClient, command: str, *arguments: object) -> int:
    return client.ask("workspace/executeCommand", {"command": command, "arguments": [URI, *arguments]})


async def runs(client: RawClient, line: int = 2) -> None:
    await eventually(lambda: hints(client), lambda found: (line, "… running") in found)


async def test_one_document_leaves_a_process_to_the_others():
    async with client_of() as client:
        client.open(URI, SAMPLES)
        client.open(OTHER, QUICK)
        await eventually(lambda: hints(client, OTHER), lambda found: "= 2.0" in str(found))
        asked = [evaluate(client, 2), evaluate(client, 3)]
        await eventually(lambda: hints(client), lambda found: "running" in str(found) and "pending" in str(found))
        client.change(OTHER, 2, whole(QUICK.replace("2.0;", "3.0;")))
        await eventually(
            lambda: hints(client, OTHER), lambda found: "= 3.0" in str(found) and "stale" not in str(found)
        )
        assert not client.answers.keys() & {*asked}, "it was evaluated beside them"
        assert "pending" in str(await hints(client))


async def test_what_runs_tells_its_age_at_each_statement():
    async with client_of(automatic=False, timeout=600) as client:
        text = SAMPLES.replace("1.0e30", "0.0")
        client.open(URI, text)
        order(client, "snd.evaluateGraph", "endless")
        first = await eventually(lambda: hints(client), lambda found: "= 1.0" in str(found))
        assert not any("running" in hint or "pending" in hint for _, hint in first), "what is quick does not flicker"
        assert (8, "real[] = 1.0") in first
        client.change(URI, 2, whole(SAMPLES.replace("y = with", "n = math.neg(a);\n        y = with")))
        order(client, "snd.evaluateGraph", "endless")
        found = await eventually(lambda: hints(client), lambda found: "running" in str(found))
        assert (8, "stale, running: real[] = 1.0") in found
        assert (9, "… running") in found
        order(client, "snd.cancelGraph", "endless")
        found = await eventually(lambda: hints(client), lambda found: "running" not in str(found))
        assert (8, "stale: real[] = 1.0") in found


async def test_what_was_never_evaluated_says_that_it_runs():
    async with client_of(automatic=False, timeout=600) as client:
        client.open(URI, SAMPLES)
        order(client, "snd.evaluateGraph", "endless")
        found = await eventually(lambda: hints(client), lambda found: "running" in str(found))
        assert {line for line, hint in found if hint == "… running"} == {8, 9}
        order(client, "snd.cancelGraph", "endless")
        await eventually(lambda: hints(client), lambda found: "running" not in str(found))


async def test_an_edit_ends_what_nothing_replaces():
    """Nothing is evaluated of what the document says then: so no other evaluation ends the one that runs."""
    async with client_of(automatic=False) as client:
        client.open(URI, SAMPLES)
        asked = evaluate(client, 2)
        await runs(client)
        client.change(URI, 2, whole(SAMPLES.replace("1.0e30", "1.0e29")))
        answer = await client.answer(asked)
        assert answer["error"]["code"] == -32801


async def test_who_cancels_is_not_told_that_the_text_has_changed():
    async with client_of(automatic=False) as client:
        client.open(URI, SAMPLES)
        sample = {"code": "# >>> endless(1.0)", "occurrence": 0}
        order(client, "snd.evaluate", sample)
        await runs(client)
        order(client, "snd.cancel", sample)
        await until(lambda: "was cancelled" in json.dumps(client.others))
        assert "has changed" not in json.dumps(client.others)


async def test_a_request_that_somebody_else_cancels_says_so():
    async with client_of(automatic=False) as client:
        client.open(URI, SAMPLES)
        asked = evaluate(client, 2)
        await runs(client)
        order(client, "snd.cancel", {"code": "# >>> endless(1.0)", "occurrence": 0})
        error = (await client.answer(asked))["error"]
        assert (error["code"], error["message"]) == (-32800, "the evaluation was cancelled")


@pytest.mark.parametrize("command", [("snd.cancelGraph",), ("snd.showGraphValues", False)])
async def test_a_graph_is_given_up_before_it_is_known_which_one_was_chosen(command: tuple[str, *tuple[bool, ...]]):
    async with client_of(automatic=False, timeout=600) as client:
        client.open(URI, SAMPLES)
        for _ in range(5):
            order(client, "snd.chooseSample", {"code": "# >>> endless(1.0)", "occurrence": 0})
            order(client, command[0], "endless", *command[1:])
        await until(lambda: json.dumps(client.others).count("was cancelled") == 5)
        found = await hints(client)
        assert not any("running" in hint or "pending" in hint for _, hint in found)


@pytest.mark.parametrize("params", [{}, {"position": None, "graph": "endless", "inputs": ["x=1"]}])
async def test_progress_can_be_cancelled(params: dict[str, Any]):
    async with client_of({"workspace": {}, "experimental": {"evaluationStatus": True}}, automatic=False) as client:
        client.open(URI, SAMPLES)
        asked = evaluate(client, 2, workDoneToken="work", **params)
        begun = {
            "token": "work",
            "value": {"kind": "begin", "title": "Evaluating", "cancellable": True, "percentage": 0},
        }
        await until(lambda: any(each.get("params") == begun for each in client.others))
        if not params:  # evaluations without visible values are not reported
            runs = {"running": 1, "pending": 0}
            await until(lambda: any(each.get("params") == runs for each in client.others))
        client.send("window/workDoneProgress/cancel", {"token": "work"})
        answer = await client.answer(asked)
        assert answer["error"]["code"] == -32800
        ended = {"token": "work", "value": {"kind": "end"}}
        await until(lambda: any(each.get("params") == ended for each in client.others))


async def test_the_memory_that_is_allowed_can_be_changed():
    async with client_of(memory=8, timeout=600) as client:
        client.open(URI, LARGE)
        refused = await client.answer(evaluate(client, 0))
        assert refused["result"]["age"] == "over limit", refused
        assert "8,388,608" in refused["result"]["message"]
        settings = {"snd": {"evaluation": {"memory": 512, "timeout": 600}}}
        client.send("workspace/didChangeConfiguration", {"settings": settings})
        await eventually(lambda: hints(client), lambda found: "stale" in str(found))
        allowed = await client.answer(evaluate(client, 0))
        assert allowed["result"]["age"] == "fresh"
