"""Refactorings in an editor: an edit is applied if evaluation agrees, else a message tells why not."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_server.lsp.features import refactoring
from support.lsp.clients import SERVER, Editor, begin, change_text, open_text, position, rest
from support.lsp.gate import Gate
from support.waiting import eventually

URI = "untitled:refactoring"
TEXT = """import math, nn;

operator twice {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @compose {
        a = nn.relu(x);
        y = math.add(a, a);
    }
}

operator shifted {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { n < 0; }
    @compose { y = nn.relu(x); }
}

operator user {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = twice(x); }
}
"""


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: LanguageClient):
    await begin(lsp_client, "visual-studio-code")
    yield
    await lsp_client.shutdown_session()


async def offered(
    client: LanguageClient, first: str, last: str, text: str = TEXT, uri: str = URI
) -> list[types.Command]:
    start, end = position(text, first), position(text, last)
    found = await client.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(uri),
            types.Range(start, types.Position(end.line, end.character + len(last))),
            types.CodeActionContext([], [types.CodeActionKind.Refactor]),
        )
    )
    commands: list[Any] = [each.command for each in found or ()]
    # lsprotocol takes such an action for a command
    commands = [types.Command(**ast.literal_eval(each)) if isinstance(each, str) else each for each in commands]
    return [each for each in commands if each is not None and each.command == "snd.refactor"]


async def run(client: LanguageClient, command: types.Command) -> None:
    await client.workspace_execute_command_async(types.ExecuteCommandParams(command.command, command.arguments))


async def test_an_operator_is_extracted_and_the_number_of_evaluations_told(client: Editor):
    open_text(client, URI, TEXT)
    assert not await offered(client, "@input { x: real[s..]", "y: real[s..]")
    (command,) = await offered(client, "a = nn.relu(x)", "nn.relu(x);")
    assert command.title == "extract an operator from 1 statement"
    await run(client, command)
    (params,) = await eventually(lambda: _given(client.applied), bool)
    head, body = sorted(params.edit.document_changes[0].edits, key=lambda each: each.range.start.line)
    assert head.new_text.startswith("operator extracted {")
    assert body.new_text == "a = extracted(x);"
    messages = await eventually(lambda: _given(client.messages), bool)
    assert messages[-1].message.startswith("extracted the operator 'extracted': equal on ")
    assert params.label == messages[-1].message


async def test_an_operator_is_inlined(client: Editor):
    open_text(client, URI, TEXT)
    (command,) = [each for each in await offered(client, "twice(x)", "twice(x)") if "inline" in each.title]
    assert command.title == "inline the operator 'twice'"
    await run(client, command)
    (params,) = await eventually(lambda: _given(client.applied), bool)
    (edit,) = params.edit.document_changes[0].edits
    assert edit.new_text == "a = nn.relu(x);\n    y = math.add(a, a);"
    assert params.label.startswith("inlined the operator 'twice': equal on ")


CHANNELS = """import nn;
graph net {
    @input { x: real[1,2,5,4]; f: real[3,2,3,3]; }
    @output { y: real[1,3,5,4]; }
    @compose { y = nn.conv{padding=1}(x, f); }
}
"""


async def test_statements_are_switched_to_channel_last(client: Editor):
    open_text(client, URI, CHANNELS)
    commands = await offered(client, "y = nn.conv", "(x, f);", CHANNELS)
    (command,) = [each for each in commands if each.title == "switch to channel-last"]
    await run(client, command)
    (params,) = await eventually(lambda: _given(client.applied), bool)
    texts = [each.new_text for each in params.edit.document_changes[0].edits]
    assert "data_format='NXC', " in texts
    assert params.label.startswith("switched to channel-last: equal on ")


LONG = f"""import nn;

graph net {{
    @input {{
        {"x" * 50}: real[1, 2];
    }}
    @output {{
        {"y" * 50}: real[1, 2];
    }}
    @compose {{
        {"y" * 50} =
                nn.relu({"x" * 50});
    }}
}}
"""


async def test_lines_that_become_too_long_are_broken(client: Editor):
    open_text(client, URI, LONG)
    commands = await offered(client, "yyy =", "x);", LONG)
    (command,) = [each for each in commands if each.title.startswith("extract")]
    await run(client, command)
    (params,) = await eventually(lambda: _given(client.applied), bool)
    lines = [line for each in params.edit.document_changes[0].edits for line in each.new_text.splitlines()]
    assert max(map(len, lines)) < 100


async def test_what_can_not_be_evaluated_is_not_applied(client: Editor):
    open_text(client, URI, TEXT)
    (command,) = await offered(client, "y = nn.relu(x)", "nn.relu(x); }")
    await run(client, command)
    (message,) = await eventually(lambda: _given(client.messages), bool)
    assert message.message.startswith("nothing was changed: 'shifted' can't be evaluated: ")
    assert not client.applied


async def test_offsets_of_another_text_are_refused(client: Editor):
    open_text(client, URI, TEXT)
    (command,) = await offered(client, "a = nn.relu(x)", "nn.relu(x);")
    change_text(client, URI, "import nn;\n", 2)
    await run(client, command)
    (message,) = await eventually(lambda: _given(client.messages), bool)
    assert message.message == "nothing was changed: select statements of one '@compose' block"


async def _given(value: Any) -> Any:
    return value


FORMULAS = """operator positive {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] >? 0.0, i < n; }
}

operator odd {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = sin(x[i,]) * exp(x[i,]), i < n; }
}
"""


async def test_a_formula_is_replaced_by_an_operator_of_the_library_or_nothing_is_changed(client: Editor):
    open_text(client, URI, FORMULAS)
    _, command = await offered(client, "x[i,] >? 0.0", "x[i,] >? 0.0", FORMULAS)
    assert command.title == "replace the formula by an operator of the library"
    await run(client, command)
    (params,) = await eventually(lambda: _given(client.applied), bool)
    assert any("y = nn.relu(x);" in each.new_text for each in params.edit.document_changes[0].edits)
    assert params.label.startswith("replaced the formula by 'nn.relu': equal on ")
    (command,) = await offered(client, "sin(x", "sin(x", FORMULAS)
    known = len(client.messages)
    await run(client, command)
    messages = await eventually(lambda: _given(client.messages), lambda each: len(each) > known)
    assert "of the library that fit 'odd' computes the same" in messages[-1].message


NAMED = """operator turned {
    @attrib { k: int; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[(i + k) % n,], i < n; }
}
"""


async def test_an_expression_gets_a_name_and_an_unused_operator_goes(client: Editor):
    open_text(client, URI, NAMED)
    command, _ = await offered(client, "(i + k) % n", "(i + k) % n", NAMED)
    assert command.title == "introduce a name for this expression"
    assert command.arguments is not None
    await run(client, types.Command(command.title, command.command, arguments=[*command.arguments, {"name": "j"}]))
    (params,) = await eventually(lambda: _given(client.applied), bool)
    texts = [each.new_text for each in params.edit.document_changes[0].edits]
    assert sorted(texts) == ["j", "with j = (i + k) % n: "]
    assert params.label.startswith("introduced the local value 'j': equal on ")
    _, command = await offered(client, "turned", "turned", NAMED)
    assert command.title == "delete 'turned', which nothing names"
    await run(client, command)
    applied = await eventually(lambda: _given(client.applied), lambda each: len(each) > 1)
    assert applied[-1].edit.document_changes[0].edits[0].new_text == ""


async def test_an_operator_moves_to_a_new_file_and_to_another(client: Editor, tmp_path: Path):
    here, there = (tmp_path / "a.sknd").as_uri(), (tmp_path / "b.sknd").as_uri()
    open_text(client, here, NAMED)
    open_text(client, there, "import a;\n\noperator other {\n    @output { y: real[0]; }\n}\n")
    commands = {each.title: each for each in await offered(client, "turned", "turned", NAMED, here)}
    titles = ["move 'turned' to b.sknd", "move 'turned' to a new file turned.sknd"]
    assert [each for each in commands if each.startswith("move")] == titles
    await run(client, commands[titles[1]])
    (params,) = await eventually(lambda: _given(client.applied), bool)
    created, *others = params.edit.document_changes
    assert (created.kind, created.uri) == ("create", (tmp_path / "turned.sknd").as_uri())
    texts = {each.text_document.uri: [edit.new_text for edit in each.edits] for each in others}
    assert texts == {here: [""], created.uri: [NAMED]}
    assert params.label.startswith("moved 'turned' to turned.sknd: equal on ")
    await run(client, commands[titles[0]])
    applied = await eventually(lambda: _given(client.applied), lambda each: len(each) > 1)
    assert {each.text_document.uri for each in applied[-1].edit.document_changes} == {here, there}


async def test_nothing_waits_for_a_refactoring_which_can_be_cancelled(client: Editor, gate: Gate):
    open_text(client, URI, TEXT)
    (command,) = await offered(client, "a = nn.relu(x)", "nn.relu(x);")
    gate.close()
    await run(client, command)
    here = (types.TextDocumentIdentifier(URI), position(TEXT, "twice {"))
    assert await client.text_document_hover_async(types.HoverParams(*here)) is not None
    assert await client.text_document_completion_async(types.CompletionParams(*here)) is not None
    renamed = await client.text_document_rename_async(types.RenameParams(*here, new_name="doubled"))
    assert renamed is not None
    (begun,) = await eventually(lambda: _given(client.partial), bool)
    assert begun.value == {"kind": "begin", "title": "Refactoring", "cancellable": True, "percentage": 0}
    client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(begun.token))
    _, ended = await eventually(lambda: _given(client.partial), lambda each: len(each) > 1)
    assert (ended.token, ended.value) == (begun.token, {"kind": "end"})
    gate.open()
    await rest(client)
    assert not client.applied
    assert "the refactoring was cancelled" in [each.message for each in client.log_messages]


async def test_a_refactoring_has_seconds_only(client: Editor, gate: Gate, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(refactoring, "MOST_REFACTORING_SECONDS", 1e-9)
    open_text(client, URI, TEXT)
    (command,) = await offered(client, "a = nn.relu(x)", "nn.relu(x);")
    await run(client, command)
    (message,) = await eventually(lambda: _given(client.messages), bool)
    assert message.message == "nothing was changed: the refactoring takes longer than 1e-09 s"
