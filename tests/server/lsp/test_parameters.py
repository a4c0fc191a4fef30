"""Parameters of our own requests and commands that are wrong: refused by their names, not passed over."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pytest_lsp import LanguageClient

from snd_server.lsp.session.session import ClientSession
from support.lsp.clients import SERVER, begin, open_text

URI = "untitled:parameters"
TEXT = """import math;

# >>> net([1.0, 2.0])
graph net {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @compose { y = math.exp(x); }
}
"""
SAMPLE = {"code": "# >>> net([1.0, 2.0])", "occurrence": 0}
AT = {"line": 2, "character": 4}
WRONG = [
    ("snd/evaluate", {"timeout": "a"}, "timeout: this must be a number of seconds"),
    ("snd/evaluate", {"timeout": -1}, "timeout: this must be a number of seconds"),
    ("snd/evaluate", {"timeout": 0}, "timeout: this must be a number of seconds"),
    ("snd/evaluate", {"timeout": 3601}, "timeout: this must be a number of seconds, above 0 and up to 3600"),
    ("snd/evaluate", {"timeout": True}, "timeout: this must be a number of seconds"),
    ("snd/evaluate", {"timeout": "a", "sample": SAMPLE}, "timeout: this must be a number of seconds"),
    ("snd/evaluate", {"timeout": "a", "chosen": True}, "timeout: this must be a number of seconds"),
    ("snd/evaluate", {"seed": 1.5}, "seed: this must be a whole number from 0"),
    ("snd/evaluate", {"seed": -1}, "seed: this must be a whole number from 0"),
    ("snd/evaluate", {"seed": True}, "seed: this must be a whole number from 0"),
    ("snd/evaluate", {"real": "f16"}, "real: this must be f32 or f64, not 'f16'"),
    ("snd/evaluate", {"real": 32}, "real: this must be a string"),
    ("snd/evaluate", {"trace": 1}, "trace: this must be true or false"),
    ("snd/evaluate", {"chosen": "yes"}, "chosen: this must be true or false"),
    ("snd/evaluate", {"inputs": "x=1"}, "inputs: this must be a list of strings"),
    ("snd/evaluate", {"graph": "net", "operator": "net"}, "operator: this can't be given together with 'graph'"),
    ("snd/evaluate", {"graph": "net", "chosen": True, "seed": 0}, "seed: this can't be given together with 'chosen'"),
    ("snd/evaluate", {"sample": SAMPLE, "graph": "net"}, "graph: this can't be given together with 'sample'"),
    ("snd/evaluate", {"sample": SAMPLE, "position": AT}, "position: this can't be given together with 'sample'"),
    ("snd/evaluate", {"sample": {"code": 1}}, "sample: this must be an object with the code of a sample"),
    ("snd/evaluate", {"sample": {**SAMPLE, "occurrence": -1}}, "sample: this must be an object with the code"),
    ("snd/evaluate", {"sample": SAMPLE, "again": "yes"}, "again: this must be true or false"),
    ("snd/evaluate", {"position": {"line": 1}}, "position: a position has a line and a character"),
    ("snd/evaluate", {"position": {"line": -1, "character": 0}}, "line: this must be a whole number from 0"),
    ("snd/evaluate", {"position": {"line": 5, "character": 0}}, "position: there is no sample"),
    ("snd/composedGraph", {"decompose": 1}, "decompose: this must be true or false"),
    ("snd/composedGraph", {"graph": 1}, "graph: this must be a string"),
    ("snd/graphView", {"inputs": [1]}, "inputs: this must be a list of strings"),
    ("snd/syntaxTree", {"range": {"start": AT}}, "range: it has a start and an end"),
    ("snd/syntaxTree", {"range": {"start": AT, "end": {"line": 1.5, "character": 0}}}, "line: this must be a whole"),
    ("snd/samples", {"position": {"character": 0}}, "position: a position has a line and a character"),
]
WRONG_ARGUMENTS = [
    ("snd.evaluateGraph", [URI, "net", {"inputs": "x=1"}], "inputs: this must be a list of strings"),
    ("snd.evaluateGraph", [URI, "net", {"again": 1}], "again: this must be true or false"),
    ("snd.evaluateGraph", [URI, "net", True], "the third argument must be an object"),
    ("snd.evaluateGraph", [URI], "the name of a graph"),
    ("snd.cancelGraph", [URI, "net", [1]], "the third argument must be an object"),
    ("snd.showGraphValues", [URI, "net", 0], "the third argument says whether values are shown"),
    ("snd.evaluate", [URI, {"code": "# >>> net()", "occurrence": -1}], "the code of a sample"),
    ("snd.chooseSample", [URI, "# >>> net()"], "the code of a sample"),
    ("snd.writeSample", [URI], "the name of a definition"),
    ("snd.refactor", [URI, "extract", 3], "a refactoring, and two offsets"),
    ("snd.references", [URI, 1], "the name of a definition"),
]


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: LanguageClient):
    lsp_client.set_configuration({"snd": {"evaluation": {"automatic": False}}})
    await begin(lsp_client, "visual-studio-code")
    open_text(lsp_client, URI, TEXT)
    yield
    await lsp_client.shutdown_session()


async def asked(client: LanguageClient, method: str, params: dict[str, Any]) -> Any:
    return await client.protocol.send_request_async(method, {"textDocument": {"uri": URI}, **params})


async def test_requests(client: LanguageClient):
    for method, params, message in WRONG:
        with pytest.raises(JsonRpcException) as refused:
            await asked(client, method, params)
        assert refused.value.code == JsonRpcInvalidParams.CODE, (params, refused.value)
        assert refused.value.message.startswith(message), params
    with pytest.raises(JsonRpcException, match="textDocument: the document is missing"):
        await client.protocol.send_request_async("snd/evaluate", {})


async def test_commands(client: LanguageClient):
    for command, arguments, message in WRONG_ARGUMENTS:
        with pytest.raises(JsonRpcException) as refused:
            await client.workspace_execute_command_async(types.ExecuteCommandParams(command, arguments))
        assert refused.value.code == JsonRpcInvalidParams.CODE, (arguments, refused.value)
        assert message in refused.value.message, arguments


async def test_what_is_right(client: LanguageClient):
    given = {"timeout": 600, "seed": 0, "real": "f64", "trace": False, "chosen": False, "operator": None}
    found = await asked(client, "snd/evaluate", {"graph": "net", "inputs": ["x=[0.1, 0.0]"], **given})
    assert found.outputs[0].values[0] == pytest.approx(1.1051709180756477, rel=1e-15), "f64"
    assert (await asked(client, "snd/evaluate", {"sample": SAMPLE, "chosen": False, "timeout": 600})).status
    assert (await asked(client, "snd/evaluate", {"chosen": True, "attributes": [], "timeout": 600})).graph == "net"
    document = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}}
    assert await asked(client, "snd/syntaxTree", document)


async def test_a_response_that_json_cannot_express(client: LanguageClient, monkeypatch: pytest.MonkeyPatch):
    """The request is answered with an error: it would wait for ever otherwise."""
    monkeypatch.setattr(ClientSession, "location", lambda *_: {1, 2})
    with pytest.raises(JsonRpcException, match="snd failed"):
        await client.workspace_execute_command_async(types.ExecuteCommandParams("snd.references", [URI, "net"]))
