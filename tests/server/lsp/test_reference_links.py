"""Editors lead to the site that ``SND_DOCS_URL`` names: from hovers to operators, from diagnostics to rules."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from snd_server.lsp.features.hover import _reference
from snd_server.lsp.session.abilities import diagnostic_abilities
from snd_server.lsp.wire.protocol import converter
from support.memory import snapshot_of

NET = """import nn;
graph g {
    @input { x: real[2,3]; }
    @output { y: real[2,3]; }
    @compose { a = nn.relu(x); y = own(a); }
}
operator own { @input { x: real[2,3]; } @output { y: real[2,3]; } @lower { y[i,j] = x[i,j], i < 2, j < 3; } }
"""


def link(word: str) -> str:
    return _reference(snapshot_of({"net.sknd": NET}), "net.sknd", NET.index(word))


def test_operators_of_the_library_lead_to_their_entry(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SND_DOCS_URL", "https://docs.example/snd/")
    assert link("relu(") == "[nn.relu in the reference](https://docs.example/snd/library/nn/#nnrelu)"
    assert link("own(") == ""
    assert link("a = ") == ""


def test_without_a_site_there_is_no_link(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SND_DOCS_URL", raising=False)
    assert link("relu(") == ""


@pytest.mark.parametrize(
    ("experimental", "site", "page"),
    [
        ({"rulePage": "pages:/{rule}.md"}, "https://docs.example", "pages:/{rule}.md"),
        ({}, "https://docs.example", "https://docs.example/rules/#{rule}"),
        ({}, "", ""),
    ],
)
def test_diagnostics_lead_to_the_pages_of_rules(
    monkeypatch: pytest.MonkeyPatch, experimental: Any, site: str, page: str
):
    monkeypatch.setenv("SND_DOCS_URL", site)
    content = {"textDocument": {"publishDiagnostics": {"codeDescriptionSupport": True}}, "experimental": experimental}
    capabilities = converter().structure(content, types.ClientCapabilities)
    assert diagnostic_abilities(capabilities).rule_page == page
