"""The edit that adds assertions to an operator."""

from __future__ import annotations

import re

from snd_analysis.base import Edit, Span
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

_RELATION = re.compile(r"(.+?) (<=|<|>=|>|==|!=) (.+)")
_SAYS = {
    "<=": "must be at most",
    "<": "must be less than",
    ">=": "must be at least",
    ">": "must be greater than",
    "==": "must be",
    "!=": "must not be",
}
_BEFORE = (BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.USING, BlockKind.OUTPUT)


def new_assertion(text: str, start: int, definition: nodes.Definition, *assertions: str) -> Edit | None:
    """Return the edit of a file that adds assertions to a definition; None if it has no block to put them at.

    The chunk of the definition begins at ``start``. Assertions get messages where all others have one.
    """
    others = nodes.entries_of(definition, BlockKind.ASSERT, nodes.Assertion)
    if others and all(each.message is not None for _, each in others):
        assertions = tuple(map(_with_message, assertions))
    blocks = [each for each in definition.blocks if isinstance(each, nodes.Block)]
    for block in blocks:
        if block.kind is BlockKind.ASSERT:
            inside = text[: start + block.end - 1].rstrip()
            row = text[text.rfind("\n", 0, len(inside)) + 1 : len(inside)]
            if "@assert" in row:  # the block stands in one line
                return Edit(Span(len(inside), len(inside)), "".join(f" {each};" for each in assertions))
            indent = row[: len(row) - len(row.lstrip())]
            return Edit(Span(len(inside), len(inside)), "".join(f"\n{indent}{each};" for each in assertions))
    before = [block for block in blocks if block.kind in _BEFORE]
    if not before:
        return None
    end = start + max(block.end for block in before)
    lines = "".join(f"\n        {each};" for each in assertions)
    return Edit(Span(end, end), f"\n    @assert {{{lines}\n    }}")


def _with_message(assertion: str) -> str:
    """Return an assertion with a message in the words of the library, and the values of its names."""
    names = ", ".join(dict.fromkeys(re.findall(r"\b[a-zA-Z_]\w*", assertion)))
    return f'{assertion}: "{_message(assertion)}", {names}'


def _message(assertion: str) -> str:
    parts = assertion.split(" && ")
    relations = [match for match in map(_RELATION.fullmatch, parts) if match is not None]
    if "||" in assertion or len(relations) < len(parts) or any(each[1] != relations[0][1] for each in relations):
        return f"'{assertion}' must hold"
    subject = relations[0][1]
    divided = re.fullmatch(r"(.+) % (.+)", subject)
    if divided is not None and assertion.endswith(" == 0"):
        return f"{_quoted(divided[1])} must be a multiple of {_quoted(divided[2])}"
    if assertion == f"{subject} > 0":
        return f"'{subject}' must be positive"
    if assertion == f"{subject} >= 0":
        return f"'{subject}' must not be negative"
    said = [f"{_SAYS[each[2]]} {_quoted(each[3])}" for each in relations]
    return f"{_quoted(subject)} {' and '.join([said[0], *(each.removeprefix('must be ') for each in said[1:])])}"


def _quoted(value: str) -> str:
    if re.fullmatch(r"\([^()]*\)", value):
        value = value[1:-1]
    return value if value.isdigit() else f"'{value}'"
