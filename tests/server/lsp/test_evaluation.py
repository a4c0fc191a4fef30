"""Values of samples in an editor: their freshness, lenses, hovers, commands, and the requests that only we have.

Invariant 17 of ARCHITECTURE.md.
"""

from __future__ import annotations

import ast
import asyncio
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from support.liveness import is_alive
from support.lsp.clients import ALL_EDITORS, EDITORS, SERVER, Editor, begin, change_text, open_text, position, rest
from support.lsp.raw_client import goodbye, running
from support.lsp.shown_values import hints as hints_of
from support.lsp.shown_values import lenses as lenses_of
from support.waiting import FAR_SECONDS, eventually, until

URI = "untitled:samples"

TEXT = """# Doubles.
# >>> double([1.0, 2.0])
operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] + x[i,], i < n; }
}
# >>> triple([1.0, 2.0])
# y: real[2] = [3.0, 6.0]
operator triple {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 3.0 * x[i,], i < n; }
}
"""
FAILING = """# >>> pick([1.0, 2.0], [5])
operator pick {
    @input { x: real[n]; at: int[m]; }
    @output { y: real[m]; }
    @lower { y[i,] = x[at[i,],], i < m; }
}
"""
ENDLESS = """import math;

# >>> endless(1.0)
graph endless {
    @input { x: real[]; }
    @output { y: real[]; }
    @compose { y = with a = x do..(9000000) math.mul(a, 1.0); }
}
"""

# Each goes on for longer than any test waits.
ENDLESS_PARAMS = [
    {"graph": "endless", "inputs": ["x=1"], "timeout": 600},
    {"position": {"line": 2, "character": 3}, "timeout": 600},
]
VALUES_ONLY = {"shapes": False, "attributes": False, "arguments": False, "generics": False, "blockEnds": False}


@pytest_lsp.fixture(config=SERVER, params=EDITORS)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest):
    options = {"snd": {"inlayHints": VALUES_ONLY, "evaluation": {"timeout": 2, "pictures": True}}}
    lsp_client.set_configuration(options)
    await begin(lsp_client, request.param, options=options)
    yield
    await lsp_client.shutdown_session()


async def hints(client: LanguageClient, text: str, uri: str = URI) -> dict[str, str]:
    return await hints_of(client, text, uri)


async def lenses(client: LanguageClient, uri: str = URI) -> list[types.CodeLens]:
    return await lenses_of(client, uri)


async def command(client: LanguageClient, name: str, code: str, uri: str = URI) -> Any:
    argument = {"code": code, "occurrence": 0}
    return await client.workspace_execute_command_async(types.ExecuteCommandParams(name, [uri, argument]))


async def request(client: LanguageClient, method: str, **params: Any) -> Any:
    return await client.protocol.send_request_async(method, {"textDocument": {"uri": URI}, **params})


# ---- freshness -------------------------------------------------------------------------------------------------------
async def test_a_value_that_is_stale_is_never_shown_as_fresh(client: Editor):
    """At once after an edit, whatever the edit is, the old value says that it is stale."""
    open_text(client, URI, TEXT)
    fresh = {"# >>> double([1.0, 2.0])": "y: real[2] = [2.0, 4.0]", "# y: real[2] = [3.0, 6.0]": "✓"}
    await eventually(lambda: hints(client, TEXT), lambda found: found == fresh)
    changed = TEXT.replace("x[i,] + x[i,]", "x[i,] * 4.0")
    change_text(client, URI, changed, 2)
    at_once = await hints(client, changed)
    assert at_once["# >>> double([1.0, 2.0])"] == "stale: y: real[2] = [2.0, 4.0]"
    assert at_once["# y: real[2] = [3.0, 6.0]"] == "✓", "it does not depend on what was changed"
    again = await eventually(lambda: hints(client, changed), lambda found: "4.0, 8.0" in str(found))
    assert again["# >>> double([1.0, 2.0])"] == "y: real[2] = [4.0, 8.0]"
    change_text(client, URI, TEXT.replace("3.0 * x", "4.0 * x"), 3)
    changed = TEXT.replace("3.0 * x", "4.0 * x")
    found = await hints(client, changed)
    assert found["# >>> triple([1.0, 2.0])"].startswith("stale")
    assert "# y: real[2] = [3.0, 6.0]" not in found
    found = await eventually(lambda: hints(client, changed), lambda found: "≠" in str(found))
    assert found["# y: real[2] = [3.0, 6.0]"] == "≠ y: real[2] = [4.0, 8.0]"


async def test_an_edit_of_another_document_makes_values_stale(client: Editor, tmp_path: Any):
    blocks, main = tmp_path / "blocks.sknd", tmp_path / "main.sknd"
    text = "import blocks;\n\n# >>> blocks.double([1.0, 2.0])\ngraph g {\n    @input { x: real[1]; }\n"
    text += "    @output { y: real[1]; }\n    @compose { y = blocks.double(x); }\n}\n"
    uri = main.as_uri()
    open_text(client, blocks.as_uri(), TEXT)
    open_text(client, uri, text)
    await eventually(lambda: hints(client, text, uri), lambda found: "[2.0, 4.0]" in str(found))
    change_text(client, blocks.as_uri(), TEXT.replace("x[i,] + x[i,]", "x[i,] * 4.0"), 2)
    (shown,) = (await hints(client, text, uri)).values()
    assert shown == "stale: y: real[2] = [2.0, 4.0]"
    await eventually(lambda: hints(client, text, uri), lambda found: "[4.0, 8.0]" in str(found))


async def test_what_fails_says_why(client: Editor):
    open_text(client, URI, FAILING)
    found = await eventually(lambda: hints(client, FAILING), lambda found: "✗" in str(found))
    (shown,) = found.values()
    assert re.match(r"✗ .*\b5\b", shown), shown
    assert any(lens.command and lens.command.title == "failed: refresh" for lens in await lenses(client))


async def test_an_endless_loop_is_over_its_limit_and_the_next_works(client: Editor):
    text = ENDLESS + TEXT
    open_text(client, URI, text)
    await eventually(lambda: hints(client, text), lambda found: "[2.0, 4.0]" in str(found))
    assert "endless" not in str(await hints(client, text)), "what may take long waits to be asked for"
    await command(client, "snd.evaluate", "# >>> endless(1.0)")
    found = await eventually(lambda: hints(client, text), lambda found: "over limit" in str(found))
    assert found["# >>> endless(1.0)"].startswith("over limit: ")
    changed = text.replace("x[i,] + x[i,]", "x[i,] * 4.0")
    change_text(client, URI, changed, 2)
    await eventually(lambda: hints(client, changed), lambda found: "[4.0, 8.0]" in str(found))


@pytest.mark.parametrize("client", ALL_EDITORS, indirect=True)
async def test_the_client_is_asked_to_ask_again(client: Editor):
    assert client.capabilities
    assert client.capabilities.workspace
    asked = client.capabilities.workspace
    open_text(client, URI, TEXT)
    await eventually(lambda: hints(client, TEXT), lambda found: "[2.0, 4.0]" in str(found))
    await rest(client)
    expected = set()
    if asked.inlay_hint and asked.inlay_hint.refresh_support:
        expected.add(types.WORKSPACE_INLAY_HINT_REFRESH)
    if asked.code_lens and asked.code_lens.refresh_support:
        expected.add(types.WORKSPACE_CODE_LENS_REFRESH)
    assert expected <= set(client.refreshed)
    count = len(client.refreshed)
    await hints(client, TEXT)
    await lenses(client)
    await rest(client)
    assert len(client.refreshed) == count, "and not again without a reason"


# ---- hovers and lenses -----------------------------------------------------------------------------------------------
async def test_hovers_show_values_in_full(client: Editor):
    text = TEXT.replace("# >>> double([1.0, 2.0])", "# >>> double<>").replace("double<>", "mat([[1.0, 2.0]])")
    text = text.replace("operator double", "operator mat").replace("[n]", "[n,m]").replace("[i,]", "[i,j]")
    text = text.replace("i < n", "i < n, j < m").replace("# >>> triple([1.0, 2.0])\n# y: real[2] = [3.0, 6.0]\n", "")
    document = open_text(client, URI, text)
    await eventually(lambda: hints(client, text), lambda found: "2.0, 4.0" in str(found))
    hover = await client.text_document_hover_async(types.HoverParams(document, position(text, ">>> mat")))
    assert hover
    assert isinstance(hover.contents, types.MarkupContent)
    shown = hover.contents.value
    assert "**fresh**" in shown
    assert "y: real[1,2] n=2 x∈[2, 4]" in shown
    assert "| **0** | 2.0 | 4.0 |" in shown
    assert "![y](data:image/png;base64,iVBORw0KGgo" in shown
    named = await client.text_document_hover_async(types.HoverParams(document, position(text, "mat(")))
    assert named
    assert isinstance(named.contents, types.MarkupContent)
    order = ("**fresh**", "n=2", "![y]", "| **0** |", "operator mat")
    found = [named.contents.value.find(each) for each in order]
    assert -1 not in found
    assert found == sorted(found), "of a long text, clients show the beginning"
    assert "nan=" not in named.contents.value, "that nothing is NaN goes without saying"


async def test_lenses_of_samples_and_definitions(client: Editor):
    open_text(client, URI, TEXT)
    await eventually(lambda: hints(client, TEXT), lambda found: "[2.0, 4.0]" in str(found))
    found = await eventually(lambda: lenses(client), lambda found: str(found).count("title='refresh'") == 2)
    commands = [lens.command for lens in found if lens.command]
    assert len(commands) == len(found), "nothing is left to be asked for where counting is quick"
    counted = [each for each in commands if "reference" in each.title]
    titles = [(lens.range.start.line, lens.command.title) for lens in found if lens.command not in counted]
    assert titles == [(1, "refresh"), (1, "record result"), (7, "refresh")]
    assert [each.title for each in counted] == ["1 reference", "1 reference"]
    first = counted[0]
    places = await client.workspace_execute_command_async(types.ExecuteCommandParams(first.command, first.arguments))
    assert places[0]["range"]["start"]["line"] == 1


# ---- commands --------------------------------------------------------------------------------------------------------
async def test_a_result_is_recorded_where_the_sample_stands_now(client: Editor):
    open_text(client, URI, TEXT)
    await eventually(lambda: hints(client, TEXT), lambda found: "[2.0, 4.0]" in str(found))
    moved = "# A line more.\n\n" + TEXT
    change_text(client, URI, moved, 2)
    await command(client, "snd.record", "# >>> double([1.0, 2.0])")
    (params,) = await eventually(_now(lambda: client.applied), bool)
    if params.edit.document_changes is not None:
        (change,) = params.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == 2
        (edit,) = change.edits
    else:
        (edit,) = params.edit.changes[URI]
    assert edit.range.start == types.Position(3, len("# >>> double([1.0, 2.0])"))
    assert edit.new_text == "\n# y: real[2] = [2.0, 4.0]"


async def test_an_action_records_what_was_never_evaluated(client: Editor):
    text = TEXT.replace("= [3.0, 6.0]", "= [9.0, 9.0]")
    document = open_text(client, URI, text)
    here = position(text, "triple([")
    found = await client.text_document_code_action_async(
        types.CodeActionParams(document, types.Range(here, here), types.CodeActionContext([]))
    )
    (action,) = found or ()
    assert isinstance(action, types.Command), "lsprotocol takes such an action for a command"
    command = ast.literal_eval(action.command)
    await client.workspace_execute_command_async(types.ExecuteCommandParams(command["command"], command["arguments"]))
    (params,) = await eventually(_now(lambda: client.applied), bool)
    assert "# y: real[2] = [3.0, 6.0]" in str(params.edit)


async def test_a_sample_that_is_gone_is_not_recorded(client: Editor):
    open_text(client, URI, TEXT)
    await eventually(lambda: hints(client, TEXT), lambda found: "[2.0, 4.0]" in str(found))
    change_text(client, URI, TEXT.replace("double([1.0", "double([9.0"), 2)
    await command(client, "snd.record", "# >>> double([1.0, 2.0])")
    await rest(client)
    assert not client.applied


async def test_what_is_cancelled_at_once_never_runs(client: Editor):
    """Before the server has even looked what there is to evaluate."""
    open_text(client, URI, ENDLESS)
    await command(client, "snd.evaluate", "# >>> endless(1.0)")
    await command(client, "snd.cancel", "# >>> endless(1.0)")
    await rest(client)
    assert await hints(client, ENDLESS) == {}, "nothing was found, not even that it takes too long"
    code = {"code": "# >>> endless(1.0)", "occurrence": 0}
    evaluate = types.ExecuteCommandParams("snd.evaluate", [URI, code])
    cancel = types.ExecuteCommandParams("snd.cancel", [URI, code])
    begun, ended = client.workspace_execute_command_async(evaluate), client.workspace_execute_command_async(cancel)
    await asyncio.gather(begun, ended)
    await rest(client)
    assert await hints(client, ENDLESS) == {}
    await command(client, "snd.evaluate", "# >>> endless(1.0)")
    await eventually(lambda: hints(client, ENDLESS), lambda found: "over limit" in str(found))


async def test_what_runs_can_be_cancelled(client: Editor):
    settings = {"snd": {"inlayHints": VALUES_ONLY, "evaluation": {"timeout": FAR_SECONDS}}}
    client.set_configuration(settings)
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    await rest(client)
    open_text(client, URI, ENDLESS)
    await command(client, "snd.evaluate", "# >>> endless(1.0)")
    await eventually(lambda: hints(client, ENDLESS), lambda found: "running" in str(found))
    (lens,) = [each.command for each in await lenses(client) if each.command and "running" in each.command.title]
    assert lens.command == "snd.cancel"
    await client.workspace_execute_command_async(types.ExecuteCommandParams(lens.command, lens.arguments))
    assert await hints(client, ENDLESS) == {}


# ---- our own requests ------------------------------------------------------------------------------------------------
async def test_a_sample_evaluated_by_request(client: Editor):
    open_text(client, URI, TEXT)
    found = await request(client, "snd/evaluate", position={"line": 1, "character": 4})
    assert (found.age, found.status) == ("fresh", "nothing recorded")
    assert found.results[0].text == "y: real[2] = [2.0, 4.0]"
    assert found.results[0].tensors[0].values == [2.0, 4.0]


async def test_an_operator_and_a_graph_evaluated_by_request(client: Editor):
    open_text(client, URI, ENDLESS.replace("do..(9000000)", "do..(1)") + TEXT)
    found = await request(client, "snd/evaluate", operator="triple", inputs=["x=[1, 2]"])
    assert found.outputs[0].values == [3.0, 6.0]
    assert found.diagnostics == []
    token = "evaluating"
    found = await request(client, "snd/evaluate", graph="endless", inputs=["x=2"], workDoneToken=token, trace=True)
    assert found.outputs[0].values == 2.0
    shown = [type(each.value).__name__ for each in client.partial if each.token == token]
    assert len(shown) >= 2, "it begins and ends"
    with pytest.raises(JsonRpcException, match="no input 'z'"):
        await request(client, "snd/evaluate", operator="triple", inputs=["z=[1, 2]"])
    with pytest.raises(JsonRpcException, match="no files"):
        await request(client, "snd/evaluate", operator="triple", inputs=["x=@secret.npy"])


async def test_a_request_can_be_cancelled_and_the_next_is_answered(client: Editor):
    open_text(client, URI, ENDLESS + TEXT)
    for token, params in enumerate(ENDLESS_PARAMS):
        asked = {"textDocument": {"uri": URI}, "workDoneToken": token, **params}
        future = client.protocol.send_request("snd/evaluate", asked)
        await eventually(_now(lambda: [each.token for each in client.partial]), lambda told, it=token: it in told)
        (number,) = [key for key, each in client.protocol._request_futures.items() if each is future]
        client.cancel_request(types.CancelParams(number))
        with pytest.raises(JsonRpcException, match="cancel"):
            await asyncio.wait_for(asyncio.wrap_future(future), FAR_SECONDS)
    found = await request(client, "snd/evaluate", operator="triple", inputs=["x=[1, 2]"])
    assert found.outputs[0].values == [3.0, 6.0]


async def test_a_graph_as_a_model(client: Editor):
    open_text(client, URI, ENDLESS)
    found = await request(client, "snd/composedGraph")
    assert found.graph == "endless"
    assert found.inputs[0].shape == []
    (loop,) = found.operations
    assert loop.operator == "do"
    with pytest.raises(JsonRpcException, match="no graph 'other'"):
        await request(client, "snd/composedGraph", graph="other")


async def test_the_tree_of_a_document(client: Editor):
    open_text(client, URI, TEXT)
    found = await request(client, "snd/syntaxTree")
    lines = TEXT.split("\n")
    names: list[str] = []

    def walk(node: Any) -> None:
        if node.kind == "Name":
            start, end = node.range.start, node.range.end
            assert lines[start.line][start.character : end.character] == node.text
            names.append(node.text)
        for child in getattr(node, "children", ()):
            walk(child)

    walk(found)
    assert {"double", "triple", "x", "y", "i", "n"} <= set(names)
    part = {"start": {"line": 9, "character": 0}, "end": {"line": 9, "character": 15}}
    names.clear()
    walk(await request(client, "snd/syntaxTree", range=part))
    assert names == ["triple"]


def _now(value: Callable[[], Any]) -> Callable[[], Awaitable[Any]]:
    async def ask() -> Any:
        return value()

    return ask


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")
async def test_the_death_of_the_worker_costs_its_result_only():
    async with running() as (process, client):
        await client.initialize()
        client.open(URI, ENDLESS + TEXT)
        document = {"textDocument": {"uri": URI}}
        lost = client.ask("snd/evaluate", {**document, **ENDLESS_PARAMS[1]})

        workers: set[int] = set()

        async def killed() -> bool:  # again and again: one that had not begun is replaced
            if lost in client.answers:
                return True
            for thread in Path(f"/proc/{process.pid}/task").glob("*/children"):
                for child in map(int, thread.read_text().split()):
                    workers.add(child)
                    with suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
            return False

        await eventually(killed, bool)
        await until(lambda: not any(map(is_alive, workers)))  # or else one gets the next question
        answer = await client.answer(lost)
        assert answer["result"]["age"] != "fresh"
        assert "signal 9" in answer["result"]["message"]
        line = (ENDLESS + TEXT).split("\n").index("# >>> double([1.0, 2.0])")
        asked = {**document, "position": {"line": line, "character": 3}, "again": True}  # it may have been at it, too
        answer = await client.request("snd/evaluate", asked)
        assert answer["result"]["results"][0]["text"] == "y: real[2] = [2.0, 4.0]"


# ---- the end ---------------------------------------------------------------------------------------------------------
async def test_a_session_ends_at_once_while_something_is_evaluated():
    async with running() as (process, client):
        await client.initialize()
        client.open(URI, ENDLESS)
        for token, params in enumerate(ENDLESS_PARAMS):
            client.ask("snd/evaluate", {"textDocument": {"uri": URI}, "workDoneToken": token, **params})

        def begun() -> bool:
            told = [each["params"]["token"] for each in client.others if each["method"] == "$/progress"]
            return len(told) == len(ENDLESS_PARAMS)

        await until(begun)
        assert await goodbye(process, client) == 0, "long before either evaluation would end"


async def test_a_lens_of_what_is_gone_is_asked_for_again():
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    async with running() as (_, client):
        await client.initialize()
        client.open(URI, TEXT)
        for path in (URI, "untitled:closed"):
            lens = {"range": whole, "data": {"path": path, "name": "gone"}}
            answer = await client.request("codeLens/resolve", lens)
            assert answer["error"]["code"] == -32801
        lens = {"range": whole, "data": {"path": URI, "name": "double"}}
        answer = await client.request("codeLens/resolve", lens)
        assert answer["result"]["command"]["title"] == "1 reference"
