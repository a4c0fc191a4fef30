"""The scopes of semantic tokens are there for all that the server sends, and are those of the grammar."""

from __future__ import annotations

import json
import re

from lsprotocol import types

from snd_server.lsp.semantic_tokens import LEGEND
from support.editors.packaged_extension import SOURCES

CONTRIBUTIONS = json.loads((SOURCES / "package.json").read_text("utf-8"))["contributes"]
GRAMMAR = (SOURCES / "syntaxes/skriptnd.tmLanguage.json").read_text("utf-8")
# What the analysis knows and the grammar doesn't.
ONLY_MEANT = {
    "variable.other.constant.skriptnd",
    "variable.other.constant.property.skriptnd",
    "variable.other.enummember.skriptnd",
}


def _scopes() -> dict[str, list[str]]:
    (mapping,) = CONTRIBUTIONS["semanticTokenScopes"]
    assert mapping["language"] == "skriptnd"
    return mapping["scopes"]


def test_every_type_of_the_legend_has_scopes():
    assert {selector.partition(".")[0] for selector in _scopes()} == set(LEGEND.token_types)


def test_modifiers_are_those_of_the_legend():
    modifiers = {modifier for selector in _scopes() for modifier in selector.split(".")[1:]}
    assert modifiers <= set(LEGEND.token_modifiers)


def test_types_and_modifiers_need_no_declaration():
    """Those of the protocol are known to every editor; others would have to be contributed."""
    own_types = {each["id"] for each in CONTRIBUTIONS.get("semanticTokenTypes", [])}
    own_modifiers = {each["id"] for each in CONTRIBUTIONS.get("semanticTokenModifiers", [])}
    assert set(LEGEND.token_types) - {each.value for each in types.SemanticTokenTypes} == own_types
    assert set(LEGEND.token_modifiers) - {each.value for each in types.SemanticTokenModifiers} == own_modifiers


def test_scopes_are_those_of_the_grammar():
    """So that colours do not change when the server has answered."""
    for scopes in _scopes().values():
        for scope in set(scopes) - ONLY_MEANT:
            family = re.escape(scope.removesuffix("skriptnd"))
            assert re.search(rf'"{family}(?:[a-z.-]+\.)?skriptnd"', GRAMMAR), scope
