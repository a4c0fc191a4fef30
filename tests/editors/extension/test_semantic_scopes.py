"""The scopes of semantic tokens are there for all that the server sends, and are those of the grammar."""

from __future__ import annotations

import json
import re

import pytest
from lsprotocol import types

from snd_server.lsp.features.semantic_tokens import LEGEND
from support.editors.packaged_extension import SOURCES

CONTRIBUTIONS = json.loads((SOURCES / "package.json").read_text("utf-8"))["contributes"]
LANGUAGES = ("skriptnd", "nnef")
# Scopes that the analysis knows and the grammars don't. In NNEF 1.0 all operations look alike, there are neither blocks
# nor labels, and a graph has one name.
ONLY_MEANT = {
    "variable.other.constant.skriptnd",
    "variable.other.constant.property.skriptnd",
    "variable.other.enummember.skriptnd",
    "variable.other.constant.nnef",
    "variable.other.constant.property.nnef",
    "variable.other.enummember.nnef",
    "keyword.control.block.nnef",
}


def _scopes(language: str) -> dict[str, list[str]]:
    (mapping,) = (each for each in CONTRIBUTIONS["semanticTokenScopes"] if each["language"] == language)
    return mapping["scopes"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_type_of_the_legend_has_scopes(language: str):
    assert {selector.partition(".")[0] for selector in _scopes(language)} == set(LEGEND.token_types)


@pytest.mark.parametrize("language", LANGUAGES)
def test_modifiers_are_those_of_the_legend(language: str):
    modifiers = {modifier for selector in _scopes(language) for modifier in selector.split(".")[1:]}
    assert modifiers <= set(LEGEND.token_modifiers)


def test_types_and_modifiers_need_no_declaration():
    """Types and modifiers of the protocol are known to every editor; others would have to be contributed."""
    own_types = {each["id"] for each in CONTRIBUTIONS.get("semanticTokenTypes", [])}
    own_modifiers = {each["id"] for each in CONTRIBUTIONS.get("semanticTokenModifiers", [])}
    assert set(LEGEND.token_types) - {each.value for each in types.SemanticTokenTypes} == own_types
    assert set(LEGEND.token_modifiers) - {each.value for each in types.SemanticTokenModifiers} == own_modifiers


@pytest.mark.parametrize("language", LANGUAGES)
def test_scopes_are_those_of_the_grammar(language: str):
    """So that colours do not change when the server has answered."""
    grammar = (SOURCES / f"syntaxes/{language}.tmLanguage.json").read_text("utf-8")
    for scopes in _scopes(language).values():
        for scope in set(scopes) - ONLY_MEANT:
            family = re.escape(scope.removesuffix(language))
            assert re.search(rf'["\s]{family}(?:[a-z.-]+\.)?{language}[" ]', grammar), scope
