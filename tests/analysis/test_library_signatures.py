"""The standard library has the operators of chapter 4, with their signatures, and says what each of them does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from snd_analysis.skriptnd.names import library_modules, library_names, library_text
from snd_analysis.skriptnd.syntax import Chunk, documentation, nodes, parse_file

SIGNATURES = Path(__file__).parent / "library_signatures"
MODULES = sorted(path.stem for path in SIGNATURES.glob("*.json"))
_SYMBOL = re.compile(r"\s*([^\w\s'])\s*")
_BLOCKS = {"dtype": "dtypes", "attrib": "attributes", "input": "inputs", "output": "outputs"}


def _signatures(module: str) -> list[dict[str, object]]:
    """The signatures as the source declares them, in the form of the recorded ones."""
    tree = parse_file(library_text(f"snd:{module}"))
    return [_signature(placed.chunk, definition) for placed in tree.chunks for definition in placed.chunk.definitions]


def _signature(chunk: Chunk, definition: nodes.Definition) -> dict[str, object]:
    found: dict[str, object] = {"name": definition.name.text, **{name: [] for name in _BLOCKS.values()}}
    for block in definition.blocks:
        assert isinstance(block, nodes.Block)
        if block.kind in _BLOCKS:
            found[_BLOCKS[block.kind]] = [_declaration(chunk, block.kind, entry) for entry in block.entries]
    return found


def _declaration(chunk: Chunk, kind: str, entry: nodes.Entry) -> dict[str, str | None]:
    """Name, type and default of a declaration, each as it is written."""
    head, _, value = chunk.text[entry.start : entry.end].rstrip("; \n").partition(" = ")
    name, _, type_ = head.partition(":")
    default = _normalized(value) or None
    if kind == "dtype":
        return {"name": name.strip(), "base": _normalized(type_), "default": default}
    declared: dict[str, str | None] = {"name": name.strip(), "type": _normalized(type_)}
    return declared if kind == "output" else {**declared, "default": default}


def _normalized(text: str) -> str:
    """Without white space that means nothing; texts of the draft and of the library differ in that only."""
    return _SYMBOL.sub(r"\1", " ".join(text.split()))


def test_every_module_has_its_list():
    assert list(library_modules()) == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_signatures(module: str):
    recorded = json.loads((SIGNATURES / f"{module}.json").read_text(encoding="utf-8"))
    for signature in recorded:
        for name in _BLOCKS.values():
            for declared in signature[name]:
                for key in ("type", "base", "default"):
                    if declared.get(key):
                        declared[key] = _normalized(declared[key])
    found = _signatures(module)
    assert [item["name"] for item in found] == [item["name"] for item in recorded]
    for is_, should in zip(found, recorded, strict=True):
        assert is_ == should


@pytest.mark.parametrize("module", MODULES)
def test_every_operator_says_what_it_does(module: str):
    tree = parse_file(library_text(f"snd:{module}"))
    for start, definition in tree.definitions:
        text = documentation(tree.text, start + definition.start)
        assert len(text) > 40, f"{module}.{definition.name.text}"
        prose = text.partition(">>>")[0]
        assert re.search(r"[.:`]$", prose.rstrip()), f"{module}.{definition.name.text}: not a sentence"
        assert definition.kind == "operator", "a library has no graphs"


@pytest.mark.parametrize("module", MODULES)
def test_documentation_names_what_is_declared(module: str):
    """Each attribute is explained by its name, in backquotes."""
    tree = parse_file(library_text(f"snd:{module}"))
    for start, definition in tree.definitions:
        text = documentation(tree.text, start + definition.start)
        for block in definition.blocks:
            if isinstance(block, nodes.Block) and block.kind == "attrib":
                for entry in block.entries:
                    assert isinstance(entry.statement, nodes.Parameter)
                    name = entry.statement.name.text
                    assert f"`{name}`" in text, f"{module}.{definition.name.text}: {name}"


@pytest.mark.parametrize("module", MODULES)
def test_names_without_parsing_are_those_of_the_tree(module: str):
    tree = parse_file(library_text(f"snd:{module}"))
    parsed = {definition.name.text: definition.kind for _, definition in tree.definitions}
    assert dict(library_names(module).definitions) == parsed
