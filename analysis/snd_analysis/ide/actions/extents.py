"""Names for extents that have none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis.ide.actions.action import Action, ActionKind, Request
from snd_analysis.ide.cursor import definition_at, nodes_at
from snd_analysis.skriptnd.syntax import keywords, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

_NAMES = ("n", "m", "k", "l", "p", "q", "r", "s", "t", "u", "v", "w")
_WORD = re.compile(r"[A-Za-z_]\w*")


def name_extents(request: Request) -> Iterator[Action]:
    """Give each ``~`` of an input's shape a name, so that others can refer to it."""
    around = nodes_at(request.tree, request.span.start)
    found = definition_at(request.tree, request.span.start)
    block = next((each.node for each in around if isinstance(each.node, nodes.Block)), None)
    parameter = next((each for each in around if isinstance(each.node, nodes.Parameter)), None)
    if found is None or parameter is None or not isinstance(block, nodes.Block) or block.kind != BlockKind.INPUT:
        return
    assert isinstance(parameter.node, nodes.Parameter)
    shape = parameter.node.shape
    tildes = [
        extent.value for extent in (shape.extents if shape is not None else ())
        if isinstance(extent.value, nodes.Tilde) and extent.expansion is None and not extent.spread
    ]  # fmt: skip
    if not tildes:
        return
    start, definition = found
    taken = {*_WORD.findall(request.text[start + definition.start : start + definition.end]), *keywords()}
    names = _fresh(len(tildes), taken)
    edits = tuple(
        request.edit(tilde.start + parameter.base, tilde.end + parameter.base, name)
        for tilde, name in zip(tildes, names, strict=True)
    )
    title = "name the extent" if len(tildes) == 1 else f"name the {len(tildes)} extents"
    yield Action(f"{title}: {', '.join(names)}", ActionKind.REWRITE, edits)


def _fresh(count: int, taken: set[str]) -> list[str]:
    names = [name for name in _NAMES if name not in taken]
    number = 1
    while len(names) < count:
        if f"n{number}" not in taken:
            names.append(f"n{number}")
        number += 1
    return names[:count]
