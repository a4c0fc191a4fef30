"""Definitions and their parameters as text: the parts that a reader at another place needs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.ide.knowledge import one_line
from snd_analysis.ide.markdown import parameter_text
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import Chunk, documentation, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_BLOCKS = (BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.VARIABLE, BlockKind.OUTPUT)
_WIDTH = 88
# Definitions whose declarations are kept: all that a screen names, and more.
_REMEMBERED = 512
_INDENT = "    "
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Declared(Struct, frozen=True):
    """An entry of a block of a definition; ``text`` is on one line, without ``;``."""

    block: BlockKind
    name: str
    node: nodes.Parameter | nodes.DtypeDeclaration
    text: str
    span: Span
    """Place in the file of the definition."""
    name_span: Span


def declared(snapshot: Snapshot, name: OperatorName, blocks: Sequence[BlockKind] = _BLOCKS) -> list[Declared]:
    """Return the declarations in these blocks of a definition, in the order of ``blocks``."""
    found = snapshot.definitions(name.path).get(name.name)
    if found is None:
        return []
    entries = _entries(found.chunk, found.definition, found.start)
    return [entry for kind in blocks for entry in entries if entry.block == kind]


@lru_cache(maxsize=_REMEMBERED)
def _entries(chunk: Chunk, definition: nodes.Definition, start: int) -> tuple[Declared, ...]:
    """Return all declarations of a definition in a chunk that starts there."""
    found: list[Declared] = []
    for block in definition.blocks:
        if not isinstance(block, nodes.Block) or block.kind not in _BLOCKS:
            continue
        for entry in block.entries:
            node = entry.statement
            if isinstance(node, nodes.Parameter | nodes.DtypeDeclaration):
                span = node.span.shifted(entry.start)
                text = one_line(chunk, span)
                name_span = node.name.span.shifted(entry.start + start)
                found.append(Declared(block.kind, node.name.text, node, text, span.shifted(start), name_span))
    return tuple(found)


def signature_text(snapshot: Snapshot, name: OperatorName) -> str:
    """Return a definition without its body, in the notation of the language."""
    definition = snapshot.definition(name)
    if definition is None:
        return ""
    public = "public " if definition.public else ""
    lines = [f"{public}{definition.kind} {definition.name.text} {{"]
    entries = declared(snapshot, name)
    for kind in _BLOCKS:
        texts = [entry.text for entry in entries if entry.block == kind]
        if not texts:
            continue
        whole = f"{_INDENT}@{kind} {{ {' '.join(f'{text};' for text in texts)} }}"
        if len(whole) <= _WIDTH:
            lines.append(whole)
        else:
            lines += [f"{_INDENT}@{kind} {{", *(f"{2 * _INDENT}{text};" for text in texts), f"{_INDENT}}}"]
    return "\n".join([*lines, "}"])


def call_text(snapshot: Snapshot, name: OperatorName, module: str) -> str:
    """Return the form of an invocation on one line, ``nn.relu(x: real[s..]) → y: real[s..]``.

    ``module`` is put before the name. Types are left out if the line would be too long, then attributes with defaults.
    """
    entries = declared(snapshot, name)
    parts = {kind: [each for each in entries if each.block == kind] for kind in _BLOCKS}
    head = f"{module}.{name.name}" if module else name.name
    required = [each for each in parts[BlockKind.ATTRIB] if not _may_be_omitted(each)]

    def names(shown: Sequence[Declared], typed: bool) -> list[str]:
        return [each.text if typed else each.name + "?" * _may_be_omitted(each) for each in shown]

    def line(attributes: Sequence[Declared], more: str, typed: bool) -> str:
        given = [*names(attributes, typed), *([more] if more else [])]
        inputs, outputs = (names(parts[kind], typed) for kind in (BlockKind.INPUT, BlockKind.OUTPUT))
        braces = f"{{{', '.join(given)}}}" if given else ""
        return f"{head}{braces}({', '.join(inputs)}) → {', '.join(outputs)}"

    every = parts[BlockKind.ATTRIB]
    some = "…" if len(every) > len(required) else ""
    forms = (line(every, "", True), line(required, some, True), line(every, "", False), line(required, some, False))
    return next((form for form in forms if len(form) <= _WIDTH), forms[-1])


def _may_be_omitted(entry: Declared) -> bool:
    return isinstance(entry.node, nodes.Parameter) and (entry.node.optional or entry.node.default is not None)


def comment_of(snapshot: Snapshot, name: OperatorName) -> str:
    """Return the comment above a definition, without its ``#``."""
    found = snapshot.definitions(name.path).get(name.name)
    return "" if found is None else documentation(snapshot.source(name.path).text, found.start + found.definition.start)


def parameter_comment(snapshot: Snapshot, name: OperatorName, parameter: str) -> str:
    """Return the part of the comment above a definition about one of its parameters, as Markdown."""
    return parameter_text(comment_of(snapshot, name), parameter)


def module_comment(snapshot: Snapshot, path: str) -> str:
    """Return the comment at the head of a module, without its ``#``; none if it belongs to the first definition."""
    tree = snapshot.tree(path)
    if not tree.chunks:
        return ""
    first = tree.chunks[0].chunk
    if first.is_comment and len(tree.chunks) > 1:
        return ""
    lines: list[str] = []
    for line in _LINE_BREAK.split(first.text):
        stripped = line.strip()
        if not stripped.startswith("#"):
            break
        lines.append(stripped[1:].removeprefix(" "))
    return "\n".join(lines)
