"""Models in NNEF 1.0 over the wire: a graph in a folder with its tensor files."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_runtime.files import write_tensor
from support.lsp.clients import Editor, change_text, codes, open_text, position, rest
from support.waiting import eventually

GRAPH = """version 1.0;

graph net(x) -> (y)
{
    x = external(shape = [1, 3, 8, 8]);
    w = variable(shape = [4, 3, 3, 3], label = 'conv/filter');
    c = conv(x, w, stride = [2, 2]);
    y = relu(c);
}
"""


@pytest.fixture
def files() -> dict[str, str]:
    return {"graph.nnef": GRAPH}


@pytest.fixture
def model(folder: Path) -> Path:
    """The folder of the model, with its tensor file."""
    (folder / "conv").mkdir()
    weights = np.linspace(-1.0, 2.0, 108, dtype=np.float32).reshape(4, 3, 3, 3)
    weights[0, 0, 0, 0] = np.nan
    (folder / "conv" / "filter.dat").write_bytes(write_tensor(weights))
    return folder


async def shown(client: LanguageClient, document: types.TextDocumentIdentifier, snippet: str) -> str:
    found = await client.text_document_hover_async(types.HoverParams(document, position(GRAPH, snippet)))
    assert found
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


async def test_a_mistake_is_told_while_it_is_typed(client: LanguageClient, model: Path):
    uri = (model / "graph.nnef").as_uri()
    open_text(client, uri, GRAPH)
    assert await codes(client, uri) == []
    change_text(client, uri, GRAPH.replace("relu(c)", "relu(d)"), 2)
    assert await codes(client, uri) == ["undefined-name"]
    change_text(client, uri, GRAPH.replace("[4, 3, 3, 3]", "[4, 3, 3, 2]"), 3)
    assert "invalid-tensor-file" in await codes(client, uri)


async def test_a_tensor_file_that_changes_on_disk_is_looked_at_again(client: LanguageClient, model: Path):
    uri = (model / "graph.nnef").as_uri()
    open_text(client, uri, GRAPH)
    assert await codes(client, uri) == []
    file = model / "conv" / "filter.dat"
    file.write_bytes(write_tensor(np.zeros((4, 3, 3, 1), np.float32)))
    change = types.FileEvent(file.as_uri(), types.FileChangeType.Changed)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    assert await codes(client, uri) == ["invalid-tensor-file"]


async def test_shapes_stand_behind_statements(client: LanguageClient, model: Path):
    document = open_text(client, (model / "graph.nnef").as_uri(), GRAPH)
    whole = types.Range(types.Position(0, 0), types.Position(10, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    assert hints
    texts = {hint.position.line: "".join(part.value for part in hint.label) for hint in hints}
    assert texts[6].startswith("real[1,4,4,4]")
    assert texts[7].startswith("real[1,4,4,4]")


async def test_the_hover_of_a_variable_looks_into_its_file(client: LanguageClient, model: Path):
    document = open_text(client, (model / "graph.nnef").as_uri(), GRAPH)
    for snippet in ("w = variable", "conv/filter"):
        text = await shown(client, document, snippet)
        assert "conv/filter.dat" in text
        assert "nan=1" in text
        assert "x∈[-0.972, 2]" in text
        assert "data:image/png" in text


async def test_the_hover_of_an_operation_tells_the_padding(client: LanguageClient, model: Path):
    document = open_text(client, (model / "graph.nnef").as_uri(), GRAPH)
    text = await shown(client, document, "conv(x")
    assert "real[1,4,4,4]" in text
    assert "padding: `[(0, 1), (0, 1)]`" in text
    assert "nn.conv" in text


async def test_values_of_the_graph_stand_behind_statements(client: LanguageClient, model: Path):
    uri = (model / "graph.nnef").as_uri()
    document = open_text(client, uri, GRAPH)
    await rest(client)
    whole = types.Range(types.Position(0, 0), types.Position(10, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    assert hints
    texts = {hint.position.line: "".join(part.value for part in hint.label) for hint in hints}
    assert "x∈" in texts[7], texts
    assert "x∈" in await shown(client, document, "c = conv")


async def test_the_drawing_stands_beside_the_source(client: LanguageClient, model: Path):
    uri = (model / "graph.nnef").as_uri()
    open_text(client, uri, GRAPH)
    found = await client.protocol.send_request_async("snd/graphView", {"textDocument": {"uri": uri}})
    assert found.graph == "net"
    operations = [node for node in found.bodies[0].nodes if node.kind == "operation"]
    assert [node.title.rpartition(".")[2] for node in operations] == ["conv", "relu"]
    lines = [node.location.range.start.line for node in operations]
    assert lines == [6, 7], "places are those of the text"
    composed = await client.protocol.send_request_async("snd/composedGraph", {"textDocument": {"uri": uri}})
    assert composed is not None


async def test_lenses_evaluate_the_graph(client: LanguageClient, model: Path):
    document = open_text(client, (model / "graph.nnef").as_uri(), GRAPH)
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
    commands = [lens.command.command for lens in lenses or () if lens.command]
    assert "snd.evaluateGraph" in commands


async def test_what_a_text_looks_like(client: LanguageClient, model: Path):
    document = open_text(client, (model / "graph.nnef").as_uri(), GRAPH)
    tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert tokens
    assert len(tokens.data) > 100
    ranges = await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert ranges
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert symbols
    assert symbols[0].name == "net"
    links = await client.text_document_document_link_async(types.DocumentLinkParams(document))
    assert links
    assert links[0].target == (model / "conv" / "filter.dat").as_uri()


async def test_a_definition_of_an_operation_opens_the_library(client: LanguageClient, model: Path):
    document = open_text(client, (model / "graph.nnef").as_uri(), GRAPH)
    found = await client.text_document_definition_async(types.DefinitionParams(document, position(GRAPH, "conv(x")))
    assert found
    first = found[0]
    uri = first.target_uri if isinstance(first, types.LocationLink) else first.uri
    assert uri.endswith("libraries/nnef1/nnef1.sknd")


async def test_a_file_of_quantizations_is_checked_with_its_graph(client: LanguageClient, model: Path):
    open_text(client, (model / "graph.nnef").as_uri(), GRAPH)
    uri = (model / "graph.quant").as_uri()
    text = '"c": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n'
    open_text(client, uri, text)
    assert await codes(client, uri) == []
    change_text(client, uri, text.replace('"c"', '"d"'), 2)
    assert await codes(client, uri) == ["unknown-quantized-tensor"]


async def test_a_rename_reaches_the_file_of_quantizations(client: LanguageClient, model: Path):
    (model / "graph.quant").write_text('"c": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n', encoding="utf-8")
    document = open_text(client, (model / "graph.nnef").as_uri(), GRAPH)
    found = await client.text_document_rename_async(types.RenameParams(document, position(GRAPH, "c = conv"), "h"))
    assert found
    changed = {each.text_document.uri for each in found.document_changes or ()} | set(found.changes or ())
    assert changed == {document.uri, (model / "graph.quant").as_uri()}


async def test_the_results_of_a_sample_are_recorded(client: Editor, model: Path):
    text = GRAPH.replace("graph net", "# >>> relu([1.0, -2.0])\n# y: real[2] = [1.0, 3.0]\ngraph net")
    document = open_text(client, (model / "graph.nnef").as_uri(), text)
    await rest(client)
    here = position(text, ">>> relu")
    found = await client.text_document_code_action_async(
        types.CodeActionParams(document, types.Range(here, here), types.CodeActionContext([]))
    )
    (action,) = [each for each in found or () if "record the results" in each.title]
    command: Any = action.command
    if isinstance(command, str):  # lsprotocol takes such an action for a command
        command = types.Command(**ast.literal_eval(command))
    await client.workspace_execute_command_async(types.ExecuteCommandParams(command.command, command.arguments))

    async def applied() -> list[types.ApplyWorkspaceEditParams]:
        return client.applied

    (params,) = await eventually(applied, bool)
    changes = params.edit.document_changes
    (edit,) = changes[0].edits if changes is not None else params.edit.changes[document.uri]
    assert "[1.0, 0.0]" in edit.new_text or edit.new_text == "0.0"


async def test_a_sample_of_a_fragment_shows_its_values(client: LanguageClient, model: Path):
    fragment = (
        "# >>> twice([3.0])\nfragment twice(x: tensor<scalar>) -> (y: tensor<scalar>)\n{\n    y = x * 2.0;\n}\n\n"
    )
    extensions = "extension KHR_enable_fragment_definitions;\nextension KHR_enable_operator_expressions;\n\n"
    text = GRAPH.replace("graph net", f"{extensions}{fragment}graph net")
    document = open_text(client, (model / "graph.nnef").as_uri(), text)
    await rest(client)
    whole = types.Range(types.Position(0, 0), types.Position(20, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    line = position(text, "# >>> twice").line
    (value,) = ["".join(part.value for part in hint.label) for hint in hints or () if hint.position.line == line]
    assert "6.0" in value
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
    commands = [each.command.command for each in lenses or () if each.range.start.line == line and each.command]
    assert commands == ["snd.refresh", "snd.record"]
