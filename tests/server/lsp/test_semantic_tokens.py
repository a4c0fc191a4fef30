"""Semantic tokens for clients that have a grammar of the language themselves."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_analysis.base import Edit, Span
from snd_analysis.ide import SemanticToken, front_end
from snd_analysis.workspace import Workspace
from snd_server.lsp.features.semantic_tokens import _Encoder, encoded
from snd_server.lsp.wire.positions import Converter
from support.benchmarks.programs import chain
from support.lsp.clients import SERVER, capabilities, open_text
from support.memory import MemoryReader, snapshot_of
from support.sampling import sample

URI = "untitled:colours"
TEXT = """import math;

# >>> double([1.0])
operator double {  # snd: ignore[unused-symbol] why not
    @attrib { by: real = 2.0; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { n > 0: "got {n}"; }
    @lower { y[i,] = x[i,] * sqrt(4.0), i < n; }
}
"""


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: LanguageClient):
    offered = capabilities("visual-studio-code")
    offered.experimental = {"grammar": True}
    lsp_client.told = await lsp_client.initialize_session(types.InitializeParams(capabilities=offered))
    yield
    await lsp_client.shutdown_session()


async def test_only_what_no_grammar_knows_is_told(client: LanguageClient):
    document = open_text(client, URI, TEXT)
    legend = client.told.capabilities.semantic_tokens_provider.legend.token_types
    full = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    ranged = await client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(document, whole))
    assert full is not None
    assert ranged is not None
    assert [*ranged.data] == [*full.data]

    lines, line, character, found = TEXT.split("\n"), 0, 0, []
    for down, right, length, kind, _ in zip(*[iter(full.data)] * 5, strict=True):
        line, character = line + down, right if down else character + right
        found.append((lines[line][character : character + length], legend[kind]))
    assert found == [
        ("math", "namespace"),
        ("double", "function"),
        ("by", "property"),
        ("x", "parameter"), ("n", "enumMember"),
        ("y", "parameter"), ("n", "enumMember"),
        ("n", "enumMember"), ("n", "enumMember"),
        ("y", "parameter"), ("i", "variable"), ("x", "parameter"), ("i", "variable"), ("sqrt", "function"),
        ("i", "variable"), ("n", "enumMember"),
    ]  # fmt: skip


CHUNKS = """# of the module: 𝕏
import math;

# 𝕏 >>> twice([1.0])
# >>> twice([1.0])
# y: real[1] = [2.0]
operator twice {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = "𝕏" ?? 2.0 * x[i,], i < n; }
}

graph main {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = twice(math.neg(x)); }
}
# the end"""
EDITS = [
    ("2.0 * x", "3.0 * x"), ("import math;\n", "import math;\n\n\n"), ("twice(math", "thrice(math"), ("\n\n\n\n", "\n"),
    ("operator twice", "operator thrice"), ("# 𝕏", "# é"), ("graph main", "operator main"), ("# the end", ""),
    ("# >>> twice([1.0])", "# >>> thrice([1.0])"), ("}\n\noperator main", "} operator main"), ("import math;", "\"a\n"),
]  # fmt: skip
FRAGMENTS = """version 1.0;
# 𝕏
graph g( a ) -> ( b )
{
    a = external(shape = [1, 8]); # 𝕏
    c = relu(a); d = relu(c); # two
    b = relu(d);
}
"""
FRAGMENT_EDITS = [
    ("c = relu(a);", "c = tanh(a);"), ("    a =", "a ="), ("two", ""), ("version 1.0;\n", "version 1.0; "), ("𝕏", "é")
]  # fmt: skip
LONG_EDITS = [
    ("c30 =", "q30 ="), ("nn.relu(c31)", "nn.relu(c31"), ("nn.relu(c31", "nn.relu(c31)"), ("\n        r32", " r32"),
    ("r40 = nn.relu(c40);", 'r40 = nn.relu(c40);  # "𝕏"'), ("    k20: real[64, 64, 3, 3];\n", ""),
    ("k44: real", "k44: 𝕏"), ("a50 = math.add(r50, x);", "a50 = if true then r50 else x;"),
    ("graph net {", "# 𝕏\ngraph net {"), ("𝕏", '"'),
]  # fmt: skip
PROGRAMS = {
    "a.sknd": (CHUNKS, EDITS), "a.nnef": (FRAGMENTS, FRAGMENT_EDITS), "long.sknd": (chain(240), LONG_EDITS)
}  # fmt: skip


@pytest.mark.parametrize(("encoding", "path"), sample(product(types.PositionEncodingKind, PROGRAMS), 5))
def test_what_is_kept_of_pieces_is_what_is_encoded_anew(encoding: types.PositionEncodingKind, path: str):
    session: Any = SimpleNamespace(converter=Converter(encoding), capabilities=types.ClientCapabilities())
    workspace, encoder = Workspace(MemoryReader({})), _Encoder()
    text, edits = PROGRAMS[path]
    workspace.open(path, text)
    for old, new in [("", ""), *edits]:
        at = text.index(old)
        text = text[:at] + new + text[at + len(old) :]
        workspace.edit(path, [Edit(Span(at, at + len(old)), new)])
        now, fresh = workspace.snapshot(), snapshot_of({path: text})
        tokens = [
            SemanticToken(token.span.shifted(group.start), token.type, token.modifiers)
            for group in front_end(path).tokens(fresh, path, None)
            for token in group.tokens
        ]
        expected = encoded(session.converter, fresh.source(path), tokens)
        assert encoder.whole(session, now, path).tolist() == expected, text
        assert encoder.whole(session, now, path).tolist() == expected, "again"
