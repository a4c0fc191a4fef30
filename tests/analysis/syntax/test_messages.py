"""Messages about broken programs, word by word: ``goldens/*.txt`` hold the snippets and all their messages.

A snippet stands between a line ``=== name`` and a line ``---``; ``--update-goldens`` writes the rest: each problem at
its line and column with its notes and repair, and the resulting tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from snd_analysis.base import Source, Span
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes, parse_file

GOLDENS = sorted((Path(__file__).parent / "goldens").glob("*.txt"))
_SNIPPET = re.compile(r"^=== (.+)\n((?:.*\n)*?)---\n", re.MULTILINE)


def snippets(file: Path) -> list[tuple[str, str]]:
    """Names and texts; a snippet does not end with a line break."""
    found = _SNIPPET.findall(file.read_text(encoding="utf-8"))
    return [(name, text.removesuffix("\n")) for name, text in found]


def described(text: str) -> str:
    tree = parse_file(text)
    source = Source("", text)
    return "\n".join([*_problems(tree, source), *_kept(tree)]) + "\n"


def _problems(tree: SyntaxTree, source: Source) -> Iterator[str]:
    for problem in tree.problems:
        yield f"{_place(source, problem.span)} {problem.rule.name}: {problem.message}"
        for note in problem.notes:
            yield f"    {_place(source, note.span)} {note.message}"
        if problem.repair:
            edits = ", ".join(f"{_place(source, edit.span)} {edit.text!r}" for edit in problem.repair.edits)
            yield f"    {'fix' if problem.repair.safe else 'unsafe fix'} ({problem.repair.title}): {edits}"


def _place(source: Source, span: Span) -> str:
    start, end = source.position(span.start), source.position(span.end)
    return f"{start.line}:{start.column}-{end.line}:{end.column}"


def _kept(tree: SyntaxTree) -> Iterator[str]:
    for placed in tree.chunks:
        for item in placed.chunk.document.items:
            if isinstance(item, nodes.Definition):
                blocks = ", ".join(_block(block) for block in item.blocks)
                yield f"kept: {item.kind} {item.name.text}: {blocks or 'empty'}"
            else:
                yield f"kept: {type(item).__name__}"


def _block(block: nodes.Block | nodes.ErrorBlock) -> str:
    if isinstance(block, nodes.ErrorBlock):
        return "broken block"
    broken = sum(isinstance(entry.statement, nodes.ErrorEntry) for entry in block.entries)
    return f"{block.kind} {len(block.entries) - broken}" + (f" + {broken} broken" if broken else "")


@pytest.mark.parametrize("file", GOLDENS, ids=lambda file: file.stem)
def test_messages(file: Path, golden: Callable[[str, str], None]) -> None:
    parts = [f"=== {name}\n{text}\n---\n{described(text)}" for name, text in snippets(file)]
    assert parts
    golden(file.name, "\n".join(parts))


@pytest.mark.parametrize("file", GOLDENS, ids=lambda file: file.stem)
def test_repairs_work(file: Path) -> None:
    """The offered repair removes the problem, and reveals only problems that it had hidden."""
    for name, text in snippets(file):
        problems = list(parse_file(text).problems)
        for problem in problems:
            if problem.repair:
                repaired = text
                for edit in sorted(problem.repair.edits, key=lambda edit: edit.span, reverse=True):
                    repaired = edit.apply(repaired)
                left = list(parse_file(repaired).problems)
                assert len(left) <= len(problems), (name, problem.repair)
                assert (problem.rule.name, problem.span) not in {(other.rule.name, other.span) for other in left}, name
