"""The commands that evaluate a sample again, and that end running evaluations."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.lsp.clients import EDITORS, SERVER, begin, open_text, rest
from support.lsp.gate import Gate
from support.lsp.shown_values import lenses
from support.waiting import FAR_SECONDS, eventually

URI = "untitled:samples"
CODE = "# >>> more(1.0)"
TEXT = """import math;

# >>> more(1.0)
graph more {
    @input { x: real[]; }
    @output { y: real[]; }
    @compose { y = math.add(x, 1.0); }
}
"""


@pytest_lsp.fixture(config=SERVER, params=EDITORS)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest):
    options = {"snd": {"evaluation": {"automatic": False, "timeout": FAR_SECONDS}}}
    lsp_client.set_configuration(options)
    await begin(lsp_client, request.param, options=options)
    yield
    await lsp_client.shutdown_session()


async def _titles(client: LanguageClient) -> list[str]:
    return [each.command.title for each in await lenses(client, URI) if each.command]


async def _command(client: LanguageClient, name: str) -> Any:
    arguments = [URI, {"code": CODE, "occurrence": 0}]
    return await client.workspace_execute_command_async(types.ExecuteCommandParams(name, arguments))


async def _shows(client: LanguageClient, what: str) -> None:
    await eventually(lambda: _titles(client), lambda titles: any(what in title for title in titles))


async def test_a_value_is_found_again_when_it_is_asked_for(client: LanguageClient, gate: Gate):
    open_text(client, URI, TEXT)
    await _shows(client, "evaluate")
    gate.close()
    assert await _command(client, "snd.evaluate") is None
    await _shows(client, "cancel")
    gate.open()
    await _shows(client, "refresh")
    assert await _command(client, "snd.evaluate") is None
    await rest(client)
    assert len(gate.jobs) == 1, "a fresh value is not evaluated again"
    gate.close()
    assert await _command(client, "snd.refresh") is None
    await _shows(client, "cancel")
    gate.open()
    await _shows(client, "refresh")
    assert len(gate.jobs) == 2


async def test_what_is_cancelled_leaves_what_was_there(client: LanguageClient, gate: Gate):
    open_text(client, URI, TEXT)
    gate.close()
    await _command(client, "snd.evaluate")
    await _shows(client, "cancel")
    await _command(client, "snd.cancel")
    await eventually(lambda: _titles(client), lambda titles: "evaluate" in titles)
    gate.open()
    await _command(client, "snd.evaluate")
    await _shows(client, "refresh")
    gate.close()
    await _command(client, "snd.refresh")
    await _shows(client, "cancel")
    await _command(client, "snd.cancel")
    await eventually(lambda: _titles(client), lambda titles: "refresh" in titles)
    gate.open()
    assert await _command(client, "snd.cancel") is None, "there is nothing to cancel"


PICK = """{}
operator pick {{
    @input {{ x: real[n]; at: int[m]; }}
    @output {{ y: real[m]; }}
    @lower {{ y[i,] = x[at[i,],], i < m; }}
}}
"""


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        ("# >>> pick([2.0], [0])\n# y: real[1] = [2.0]", "what is recorded is what comes out"),
        ("# >>> pick([2.0], [1])\n# error: outside", "what is recorded is what comes out"),
        ("# >>> pick([2.0], [1])", "a failure that nobody expects is to be looked at"),
        ("# >>> pick(nothing)", "what is wrong with the sample is to be mended first"),
    ],
)
async def test_what_there_is_nothing_to_record_of(client: LanguageClient, sample: str, why: str):
    open_text(client, URI, PICK.format(sample))
    arguments = [URI, {"code": sample.split("\n")[0], "occurrence": 0}]
    await client.workspace_execute_command_async(types.ExecuteCommandParams("snd.record", arguments))
    await rest(client)
    assert [each.message for each in client.messages] == [f"there is nothing to record: {why}"]
