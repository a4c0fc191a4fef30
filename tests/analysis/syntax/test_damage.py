"""A single mistake costs one statement: any character of the library may be deleted without losing another definition.

The suite tries a sample of deletions, ``--all-damage`` every one of two files.

Invariant 2 of ARCHITECTURE.md.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from snd_analysis.base import Edit, Span
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes, parse_file
from support.analysis.trees import ROOT, dump
from support.sampling import tries

STDLIB = ROOT / "analysis" / "snd_analysis" / "libraries" / "std"
FILES = [STDLIB / "nn.sknd", STDLIB / "layout.sknd"]
SAMPLE = tries(150, 400)
SURVIVAL = 0.999


@dataclass
class Loss:
    """Cost of deletions."""

    deletions: int = 0
    others: int = 0
    others_lost: int = 0


def statements(definition: nodes.Definition) -> list[tuple[str, tuple[object, ...]]]:
    """Every statement with its block; spans inside count from its start, so that it may have moved."""
    return [
        (block.kind, tuple(dump(entry.statement)))
        for block in definition.blocks
        if isinstance(block, nodes.Block)
        for entry in block.entries
    ]


def heads(tree: SyntaxTree) -> list[tuple[str, str]]:
    return [(definition.kind, definition.name.text) for _, definition in tree.definitions]


def delete(text: str, tree: SyntaxTree, at: int, known: dict[int, list[object]], loss: Loss) -> None:
    damaged = parse_file(Edit(Span(at, at + 1), "").apply(text), tree)
    chunk = max(index for index, placed in enumerate(tree.chunks) if placed.start <= at)
    chunk += tree.chunks[chunk].chunk.is_comment
    lost = {(name, kind) for kind, name in heads(tree)} - {(name, kind) for kind, name in heads(damaged)}
    inside = {item.name.text for item in tree.chunks[chunk].chunk.definitions}
    # A comment above a definition may have joined or left its chunk: then its neighbour is part of the damage.
    assert {name for name, _ in lost} <= inside, (at, lost)
    definitions = list(tree.chunks[chunk].chunk.definitions)
    if not definitions:
        return
    definition = definitions[0]
    before = known.setdefault(chunk, statements(definition))
    others = {name for _, name in heads(tree)} - inside  # its name may be what was damaged
    after = [item for _, other in damaged.definitions if other.name.text not in others for item in statements(other)]
    offset = at - tree.chunks[chunk].start
    hit = {
        index
        for index, entry in enumerate(
            entry for block in definition.blocks if isinstance(block, nodes.Block) for entry in block.entries
        )
        if entry.start <= offset <= entry.end
    }
    loss.deletions += 1
    remaining = list(after)
    for index, statement in enumerate(before):
        if index in hit:
            continue
        loss.others += 1
        if statement in remaining:
            remaining.remove(statement)
        else:
            loss.others_lost += 1


def comments_out(text: str, at: int) -> bool:
    """Return whether a deletion extends a comment over the head of a definition, which leaves the program then."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return text[at] == "\n" and line.startswith("#") and text.startswith(("operator ", "public ", "graph "), at + 1)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_deletions_cost_one_statement(
    file: object, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    text = file.read_text(encoding="utf-8")
    tree = parse_file(text)
    complete = request.config.getoption("--all-damage")
    places = range(len(text)) if complete else random.Random(file.name).sample(range(len(text)), SAMPLE)
    loss, known = Loss(), {}
    for at in places:
        if not comments_out(text, at):
            delete(text, tree, at, known, loss)
    survival = 1 - loss.others_lost / loss.others
    with capsys.disabled():
        if complete:
            print(f"\n{file.name}: {loss.deletions} deletions, {survival:.4%} of the other statements survive")
    assert survival >= SURVIVAL
