"""``snd/dataFlow``: which cells a cell of a tensor of an open document reads, or is read for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from support.lsp.clients import EDITORS, SERVER, Editor, begin, open_text

URI = "untitled:flow"
TEXT = """# >>> smooth([1.0, 2.0, 3.0, 4.0, 5.0])
operator smooth {
    @input { x: real[n]; }
    @output { y: real[n - 2]; }
    @assert { n >= 2; }
    @lower { y[i,] += x[i + j,], i < n - 2, j < 3; }
}

operator untried {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}

operator wrong {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = smoth(x); }
}

graph net {
    @input { x: real[8]; }
    @output { y: real[4]; }
    @compose { a = smooth(x); y = smooth(a); }
}
"""


@pytest_lsp.fixture(config=SERVER, params=EDITORS[:1])
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest):
    await begin(lsp_client, request.param)
    open_text(lsp_client, URI, TEXT)
    yield
    await lsp_client.shutdown_session()


async def flow(client: Editor, **params: Any) -> Any:
    return await client.protocol.send_request_async("snd/dataFlow", {"textDocument": {"uri": URI}, **params})


async def test_the_operator_at_a_position_has_the_sizes_of_its_sample(client: Editor):
    found = await flow(client, position={"line": 3, "character": 6})
    assert (found.definition, found.sizes) == ("smooth", "in the sample `smooth([1.0, 2.0, 3.0, 4.0, 5.0])`")
    assert (found.direction, found.of.name, found.of.shape, found.of.cells) == ("reads", "y", [3], [[1]])
    assert [(each.name, each.shape, each.cells) for each in found.tensors] == [("x", [5], [[1], [2], [3]])]
    assert found.text == ["y[1,] reads x[1..3,]"]


async def test_a_cell_of_an_input_is_read_for_others(client: Editor):
    found = await flow(client, definition="smooth", cell="x[4]")
    assert found.text == ["x[4,] is read for y[2,]"]
    assert (found.direction, found.tensors[0].shape) == ("feeds", [3])


async def test_a_graph_has_its_own_sizes(client: Editor):
    """Through two operators the receptive field is wider."""
    found = await flow(client, position={"line": 22, "character": 0}, cell="y[0]")
    assert (found.definition, found.text) == ("net", ["y[0,] reads x[0..4,]"])
    assert (await flow(client)).definition == "net"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"definition": "untried"}, "'untried' has no sample that gives its sizes"),
        ({"definition": "wrong"}, "there are mistakes in 'wrong'"),
        ({"definition": "nothing"}, "there is no 'nothing' in this document"),
        ({"definition": "smooth", "cell": "y[3]"}, "the index 3 is outside of 'y', whose shape is [3]"),
        ({"definition": "smooth", "cell": "y["}, "write a tensor and an index for each dimension"),
        ({"definition": 1}, "definition: this must be a string"),
        ({"definition": "net", "position": {"line": 0, "character": 0}}, "can't be given together with 'definition'"),
    ],
)  # fmt: skip
async def test_what_can_not_be_answered(client: Editor, params: dict[str, Any], message: str):
    with pytest.raises(JsonRpcException) as error:
        await flow(client, **params)
    assert message in error.value.message


async def test_the_answer_has_the_keys_that_the_documentation_names(client: Editor):
    """docs/lsp.md: a row of the table for each key, with the kind of its value."""
    page = (Path(__file__).parents[3] / "docs" / "lsp.md").read_text(encoding="utf-8")
    section = page.split("## snd/dataFlow\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    documented = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    parameters = set(re.findall(r"`(\w+)`", section.split("Parameters:")[1].split("The sizes")[0]))
    assert parameters == {"textDocument", "definition", "position", "cell"}
    for cell, direction in (("y[1]", "reads"), ("x[4]", "feeds")):
        found = await flow(client, definition="smooth", cell=cell)
        assert set(found._fields) == documented == {"definition", "sizes", "direction", "of", "tensors", "text"}
        assert found.direction == direction
        assert f"`{direction}`" in section
        assert {*found.of._fields, *found.tensors[0]._fields} == {"name", "shape", "cells"}
        assert all(f"`{key}`" in section for key in found.of._fields)
        assert isinstance(found.text, list)
        assert "`text` | the same in words, as a list of lines" in section
