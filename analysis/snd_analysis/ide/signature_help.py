"""Parameters of an invocation while it is typed: generic types, attributes, arguments, and the active one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.ide.declarations import Declared, comment_of, declared, parameter_comment
from snd_analysis.ide.hover.expressions import function_text
from snd_analysis.ide.markdown import documentation_text
from snd_analysis.ide.open_invocation import OpenInvocation, Section, invocation_at, operator_named
from snd_analysis.skriptnd.names import BUILT_INS, OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_SECTIONS = ((BlockKind.DTYPE, "<", ">"), (BlockKind.ATTRIB, "{", "}"), (BlockKind.INPUT, "(", ")"))


class ParameterHelp(Struct, frozen=True):
    """One parameter: its span in the label, and its documentation, in Markdown."""

    span: Span
    name: str
    documentation: str


class SignatureHelp(Struct, frozen=True):
    """A signature on one line; ``active`` is the parameter, by its position, that is being written."""

    label: str
    documentation: str
    parameters: tuple[ParameterHelp, ...]
    active: int | None


def signature_help(snapshot: Snapshot, path: str, offset: int) -> SignatureHelp | None:
    """Return the signature of the innermost invocation around an offset, inside of its ``<…>``, ``{…}`` or ``(…)``."""
    opened = invocation_at(snapshot, path, offset)
    while opened is not None:
        name = operator_named(snapshot, path, opened.name)
        if name is not None:
            return _signature(snapshot, name, opened)
        if opened.name in BUILT_INS and opened.section is Section.ARGUMENTS:
            return _function(opened.name)
        opened = invocation_at(snapshot, path, opened.place)
    return None


# ---- the signature ---------------------------------------------------------------------------------------------------
def _signature(snapshot: Snapshot, name: OperatorName, opened: OpenInvocation) -> SignatureHelp:
    entries = declared(snapshot, name, (BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.OUTPUT))
    label = opened.name
    parameters: list[ParameterHelp] = []
    positions: dict[tuple[str, str], int] = {}
    for block, opening, closing in _SECTIONS:
        chosen = [entry for entry in entries if entry.block == block]
        if not chosen and block is not BlockKind.INPUT:
            continue
        label += opening
        for at, entry in enumerate(chosen):
            label += ", " if at else ""
            span = Span(len(label), len(label) + len(entry.text))
            label += entry.text
            positions[block, entry.name] = len(parameters)
            parameters.append(ParameterHelp(span, entry.name, parameter_comment(snapshot, name, entry.name)))
        label += closing
    outputs = ", ".join(entry.text for entry in entries if entry.block == BlockKind.OUTPUT)
    label += f" → {outputs}" if outputs else ""
    active = _active(entries, opened)
    documentation = documentation_text(comment_of(snapshot, name), samples=False).partition("\n\n")[0]
    return SignatureHelp(label, documentation, tuple(parameters), None if active is None else positions.get(active))


def _active(entries: Sequence[Declared], opened: OpenInvocation) -> tuple[str, str] | None:
    if opened.section is Section.ATTRIBUTES:
        return _active_attribute([entry for entry in entries if entry.block == BlockKind.ATTRIB], opened)
    block = BlockKind.DTYPE if opened.section is Section.GENERICS else BlockKind.INPUT
    chosen = [entry for entry in entries if entry.block == block]
    at = len(opened.items) - 1
    return (block, chosen[at].name) if at < len(chosen) else None


def _active_attribute(entries: Sequence[Declared], opened: OpenInvocation) -> tuple[str, str] | None:
    """Return the attribute whose value is typed; before its name exists, the next required or possible one."""
    item = opened.items[-1]
    missing = [entry for entry in entries if entry.name not in opened.given]
    if item and item[0].kind == "ID":
        exact = next((entry for entry in entries if entry.name == opened.written), None)
        if exact is not None or len(item) > 1:
            return None if exact is None else (BlockKind.ATTRIB, exact.name)
        missing = [entry for entry in missing if entry.name.startswith(opened.written)]
    required = [entry for entry in missing if _is_required(entry)]
    best = next(iter([*required, *missing]), None)
    return None if best is None else (BlockKind.ATTRIB, best.name)


def _is_required(entry: Declared) -> bool:
    node = entry.node
    return isinstance(node, nodes.Parameter) and node.default is None and not node.optional


def _function(name: str) -> SignatureHelp:
    argument = "x: int or real" if name in ("abs", "sign") else "x: real"
    label = f"{name}({argument})"
    span = Span(len(name) + 1, len(label) - 1)
    text = function_text(name).partition("\n\n")[2].partition("\n\n")[0]
    return SignatureHelp(label, text, (ParameterHelp(span, "x", ""),), 0)
