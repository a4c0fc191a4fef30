"""Output of ``snd shapes`` as JSON, checked against its schema, and for references to unlisted names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).parents[3] / "docs" / "shapes.schema.json"
VALIDATOR = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def read(text: str) -> dict[str, Any]:
    """Return the output as an object, after the checks that hold for every graph."""
    found = json.loads(text)
    problems = [f"{error.json_path}: {error.message}"[:300] for error in VALIDATOR.iter_errors(found)]
    assert not problems
    _check_names(found, frozenset())
    return found


def _check_names(level: dict[str, Any], around: frozenset[str]) -> None:
    """Check that every tensor read or returned is listed in its graph or around it, and that names are unique."""
    listed = [name for tensor in level["tensors"] for name in _names(tensor)]
    own = {tensor["name"] for tensor in level["tensors"]}
    assert len(own) == len(level["tensors"])
    known = around | frozenset(listed)
    for tensor in (*level["inputs"], *level["outputs"]):
        assert set(_names(tensor)) <= known
    for operation in level["operations"]:
        used = {name for each in (*operation["inputs"], *operation["outputs"]) for name in _references(each)}
        assert used <= known, used - known
        for part in operation.get("subgraphs", {}).values():
            _check_names(part, known)
            inside = frozenset(name for tensor in part["tensors"] for name in _names(tensor))
            captured = _read(part) - inside
            assert captured <= {name for each in operation["inputs"] for name in _references(each)}
    for update in level.get("updates", ()):
        assert set(_references(update["value"])) <= known


def _read(level: dict[str, Any]) -> set[str]:
    return {name for operation in level["operations"] for each in operation["inputs"] for name in _references(each)}


def _names(tensor: dict[str, Any]) -> Iterator[str]:
    items = tensor.get("items")
    if items is None:
        yield tensor["name"]
    for item in items or ():
        yield from _names(item)


def _references(reference: Any) -> Iterator[str]:
    if isinstance(reference, str):
        yield reference
    elif isinstance(reference, list):
        for each in reference:
            yield from _references(each)
