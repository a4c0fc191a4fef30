"""Attributes that an invocation lacks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from snd_analysis import rules
from snd_analysis.ide.actions.action import Action, ActionKind, Command, Request
from snd_analysis.ide.completion.expected import signature_named
from snd_analysis.ide.cursor import PlacedNode, definition_at, nodes_at
from snd_analysis.ide.evaluation import sample_names
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import keywords, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types import AttributeParameter
from snd_analysis.workspace import Snapshot

_VALUES = {"int": "1", "real": "1.0", "bool": "false", "str": "''"}


def missing_attributes(request: Request) -> Iterator[Action]:
    """Give an invocation all the attributes that it needs, with values to be replaced."""
    placed = call_at(request, request.span.start)
    if placed is None or not isinstance(placed.node, nodes.Call | nodes.Quantization):
        return
    call = placed.node
    found = signature_named(request.snapshot, request.path, _called(call))
    if found is None:
        return
    given = {item.name.text for item in call.attributes.items} if call.attributes is not None else set()
    missing = [each for name, each in found[1].attributes.items() if each.required and name not in given]
    if not missing or given - found[1].attributes.keys():
        return
    text = ", ".join(f"{each.symbol.name}={_value(each)}" for each in missing)
    names = ", ".join(f"'{each.symbol.name}'" for each in missing)
    if call.attributes is None:
        at, text = (call.generics or _called(call)).end, f"{{{text}}}"
    elif call.attributes.items:
        at, text = call.attributes.items[-1].end, f", {text}"
    else:
        at = call.attributes.start + 1
    place = at + placed.base
    resolved = tuple(each for each in request.here if each.rule == rules.MISSING_ATTRIBUTE)
    title = f"add the attribute{'s' if len(missing) > 1 else ''} {names}"
    yield Action(title, ActionKind.QUICK_FIX, (request.edit(place, place, text),), resolved, bool(resolved))


def call_at(request: Request, offset: int) -> PlacedNode | None:
    """Return the innermost invocation whose name or attributes an offset touches."""
    for placed in reversed(nodes_at(request.tree, offset)):
        node = placed.node
        if isinstance(node, nodes.Call | nodes.Quantization):
            end = (node.attributes or _called(node)).end + placed.base
            return placed if offset <= end else None
    return None


def _called(call: nodes.Call | nodes.Quantization) -> nodes.Qualified:
    return call.function if isinstance(call, nodes.Call) else call.algorithm


def _value(parameter: AttributeParameter) -> str:
    type_ = parameter.type
    if type_ is None:
        return "1"
    value = _VALUES.get(type_.dtype.name, "1.0")
    return f"[{value}]" if type_.packed and not parameter.has_length else value


# ---- names for extents that have none --------------------------------------------------------------------------------
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


# ---- samples to write or refresh, which a server does that can evaluate them -----------------------------------------
WRITE_SAMPLE, REFRESH_SAMPLE = "snd.writeSample", "snd.refreshSample"


def sample_actions(request: Request, commands: Collection[str]) -> Iterator[Action]:
    """Yield a new sample of the definition whose head is here, if it has none, and the results of the sample here."""
    if REFRESH_SAMPLE in commands:
        for name, placed in sample_names(request.snapshot, request.path):
            span = placed.sample.span.shifted(placed.start)
            if request.touches(span) and placed.sample.invocation is not None:
                command = Command(REFRESH_SAMPLE, (name.code, name.occurrence))
                yield Action("record the results of this sample", ActionKind.SAMPLE, command=command)
    found = definition_at(request.tree, request.span.start) if WRITE_SAMPLE in commands else None
    if found is None or not request.touches(found[1].name.span.shifted(found[0])):
        return
    written = found[1].name.text
    if written and not has_sample(request.snapshot, OperatorName(request.path, written)):
        command = Command(WRITE_SAMPLE, (written,))
        yield Action(f"write a sample of '{written}'", ActionKind.SAMPLE, command=command)


def has_sample(snapshot: Snapshot, name: OperatorName) -> bool:
    """Return whether a definition has a sample in its own file."""
    placed = snapshot.samples(name.path)
    return any(snapshot.named_sample(name.path, each.sample).target == name for each in placed)
