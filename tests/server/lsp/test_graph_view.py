"""``snd/graphView``: what there is to draw of a graph of an open document."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_lsp
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from support.lsp.clients import EDITORS, SERVER, Editor, begin, change_text, open_text

URI = "untitled:graph"
UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}

TEXT = """import nn;

operator twice {
    @attrib { name: str = ''; }
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @compose { z = nn.relu(x); y = nn.relu(z); }
}

graph net {
    @input { x: real[n|8, 3]; }
    @output { y: real[n, 3]; }
    @compose { a = twice{name='𝔘𝔫𝔦'}(x); y = twice(a); }
}

graph other {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = nn.relu(x); }
}
"""


@pytest_lsp.fixture(config=SERVER, params=EDITORS)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest):
    initialized = await begin(lsp_client, request.param)
    lsp_client.encoding = getattr(getattr(initialized, "capabilities", None), "position_encoding", None)
    yield
    await lsp_client.shutdown_session()


async def view(client: Editor, uri: str = URI, **params: Any) -> Any:
    return await client.protocol.send_request_async("snd/graphView", {"textDocument": {"uri": uri}, **params})


def source_of(place: Any, text: str, encoding: str) -> str:
    """Return the text at a place of one line."""
    name, size = UNITS[encoding]
    line = text.split("\n")[place.range.start.line].encode(name)
    return line[place.range.start.character * size : place.range.end.character * size].decode(name)


async def test_places_are_in_the_encoding_of_the_client(client: Editor):
    open_text(client, URI, TEXT)
    found = await view(client)
    assert (found.graph, found.diagnostics) == ("net", [])
    body = found.bodies[0]
    first, second = (node for node in body.nodes if node.kind == "operation")
    encoding = client.encoding or "utf-16"
    assert first.location.uri == second.location.uri == URI
    assert source_of(second.location, TEXT, encoding) == "twice"
    assert source_of(second.statement, TEXT, encoding) == "y = twice(a)"
    assert source_of(first.definition, TEXT, encoding) == "twice"
    assert source_of(found.location, TEXT, encoding) == "net"
    inner = found.bodies[first.body].nodes
    relu = next(node for node in inner if node.title == "nn.relu")
    assert relu.definition.uri.endswith("nn.sknd")


async def test_another_graph_and_what_is_given(client: Editor):
    open_text(client, URI, TEXT)
    found = await view(client, graph="other")
    assert [node.kind for node in found.bodies[0].nodes] == ["input", "operation", "output"]
    found = await view(client, inputs=["x=2,3"])
    assert found.bodies[0].tensors[0].shape == [2, 3]
    with pytest.raises(JsonRpcException, match="no graph 'third'"):
        await view(client, graph="third")
    with pytest.raises(JsonRpcException, match="must be a string"):
        await view(client, graph=3)


async def test_it_follows_edits_also_while_the_text_is_broken(client: Editor):
    open_text(client, URI, TEXT)
    names = [node.name for node in (await view(client)).bodies[0].nodes]
    longer = TEXT.replace("y = twice(a);", "b = nn.relu(a); y = twice(b);")
    change_text(client, URI, longer, 2)
    found = await view(client)
    assert {*names, "b"} == {node.name for node in found.bodies[0].nodes}
    change_text(client, URI, TEXT.replace("y = twice(a);", "b = nn.relu(; y = twice(a);"), 3)
    found = await view(client)
    assert [each.severity for each in found.diagnostics] == ["error"]
    assert "a" in {node.name for node in found.bodies[0].nodes}
