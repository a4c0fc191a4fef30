"""Snippets: whole statements and definitions, offered where they can stand, with names that are in scope."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from msgspec import Struct

from snd_analysis.ide.completion.item import Completion, CompletionKind
from snd_analysis.ide.completion.names import readable_tensors, unassigned
from snd_analysis.ide.completion.place import CompletionPlace
from snd_analysis.ide.completion.stack import OpenBracket
from snd_analysis.ide.completion.visible import Visible
from snd_analysis.skriptnd.names import SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of

_GROUP = 7
_HOLE = re.compile(r"\b(OUTPUT|TENSOR|OTHER|PACK|ATTRIBUTE|INDICES|BOUNDS|NAME)\b|\bLEFT")
_INDICES = "ijklmn"
_COMPOSED = (BlockKind.COMPOSE, BlockKind.UPDATE)
_BLOCKS = {BlockKind.ASSERT: "assert", BlockKind.LOWER: "lower", BlockKind.QUANTIZE: "quantize"}


class Snippet(Struct, frozen=True):
    """An entry of ``snippets.toml``."""

    label: str
    says: str
    text: str
    typed: str = ""


@cache
def snippets() -> Mapping[str, tuple[Snippet, ...]]:
    """Return the entries of ``snippets.toml`` by the place where they are offered."""
    text = files("snd_analysis").joinpath("ide", "completion", "snippets.toml").read_text(encoding="utf-8")
    return {place: tuple(Snippet(**each) for each in entries) for place, entries in tomllib.loads(text).items()}


def of_document() -> Iterator[Completion]:
    """Yield the snippets outside of definitions."""
    yield from _completions("document", {})


def of_comment(name: str) -> Iterator[Completion]:
    """Yield the snippets in a comment above the definition ``name``."""
    yield from _completions("comment", {"NAME": name})


def of_statement(place: CompletionPlace, visible: Visible) -> Iterator[Completion]:
    """Yield the snippets for the statement that begins at a place, or for the rest of it after ``=``."""
    if place.block is None or place.qualifier or place.following not in ("", "}") or place.in_sample:
        return
    stack = place.stack
    begins = len(stack.symbols) == stack.statement
    if place.block in _COMPOSED and stack.frame in (OpenBracket.BLOCK, OpenBracket.REGION):
        if begins:
            yield from _completions("compose", {**_names(place, visible), "LEFT": "${1:OUTPUT} = "})
        elif stack.symbols[-2:] == ("_results", "ASSIGN"):
            yield from _completions("compose", {**_names(place, visible), "LEFT": ""})
    elif place.block in _BLOCKS and begins and stack.frame is OpenBracket.BLOCK:
        yield from _completions(_BLOCKS[place.block], _names(place, visible))


def _completions(place: str, names: Mapping[str, str]) -> Iterator[Completion]:
    """Yield the snippets of a place with names in its holes."""

    def filled(hole: re.Match[str]) -> str:
        return _HOLE.sub(filled, names.get(hole[0], hole[0].lower()))

    for each in snippets()[place]:
        text = _HOLE.sub(filled, each.text.removeprefix("\n")).replace("[i]", "[i,]")  # not an item of a pack
        yield Completion(
            each.label, CompletionKind.SNIPPET, _GROUP, text=text, is_snippet=True, filter=each.typed, detail=each.says
        )


def _names(place: CompletionPlace, visible: Visible) -> dict[str, str]:
    """Return the names for the holes of a statement. The tensor that was computed last is the first to be read."""
    outputs = [each.name for each in unassigned(place, visible)]
    read = readable_tensors(place, visible)
    packs = [each.name for each in read if (known := visible.typed(each).type) is not None and known.packed]
    tensors = [each.name for each in read if each.name not in packs]
    attributes = [each.name for each in visible.all if each.kind is SymbolKind.ATTRIBUTE]
    indices, bounds = _indices(place, outputs[0] if outputs else "")
    return {
        "OUTPUT": (outputs or ["y"])[0],
        "TENSOR": (tensors or ["x"])[0],
        "OTHER": (tensors[1:] or tensors or ["z"])[0],
        "PACK": (packs or ["xs"])[0],
        "ATTRIBUTE": (attributes or ["size"])[0],
        "INDICES": indices,
        "BOUNDS": bounds,
    }


def _indices(place: CompletionPlace, output: str) -> tuple[str, str]:
    """Return an index for each extent of an output, and its bounds."""
    assert place.definition is not None
    declared = entries_of(place.definition, BlockKind.OUTPUT, nodes.Parameter)
    base, shape = next(((base, each.shape) for base, each in declared if each.name.text == output), (0, None))
    if shape is None or not 0 < len(shape.extents) <= len(_INDICES):
        return "i", "i < n"
    indices: list[str] = []
    bounds: list[str] = []
    for index, extent in zip(_INDICES, shape.extents, strict=False):
        value = place.chunk.chunk.text[base + extent.value.start : base + extent.value.end]
        indices.append(f"{index}.." if extent.expansion is not None else index)
        bounds.append(f"{index} < {value}")
    return ", ".join(indices), ", ".join(bounds)
