"""Hints at the ends of statements: the types and shapes of their results."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis.base import Location
from snd_analysis.ide.declarations import declared
from snd_analysis.ide.inlay_hints.hint import HintKind, InlayHint, LabelPart
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.values import short_type_text, type_text
from snd_analysis.skriptnd.names import OperatorName, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import UNDEFINED

_END = re.compile(r"\s*;")
_REST = re.compile(r"[ \t]*(?:#|$|[\r\n])")


def statement_end(text: str, at: int) -> int | None:
    """Where hints stand of a statement that ends ``at`` an offset: behind its semicolon, if nothing follows there."""
    end = _END.match(text, at)
    return None if end is None or _REST.match(text, end.end()) is None else end.end()


def shape_hints(knowledge: Knowledge, component: nodes.Component, base: int) -> Iterator[InlayHint]:
    """The shapes of the results of a statement, behind its semicolon; nothing if they are written, or not known.

    ``base`` is what the spans of the statement count from, in the file.
    """
    end = _END.match(knowledge.snapshot.source(knowledge.path).text, component.end + base)
    if end is None:
        return
    results = [*_results(knowledge, component, base)]
    if not results:
        return
    parts: list[LabelPart] = []
    for name, type_, location in results:
        separator = ", " if parts else ""
        prefix = f"{name}: " if len(results) > 1 else ""
        parts.append(LabelPart(f"{separator}{prefix}"))
        parts.append(LabelPart(type_, location))
    yield InlayHint(end.end(), HintKind.SHAPE, tuple(part for part in parts if part.text), before=True)


def _results(knowledge: Knowledge, component: nodes.Component, base: int) -> Iterator[tuple[str, str, Location | None]]:
    places = _outputs(knowledge, component)
    for at, result in enumerate(component.results):
        singles = result.items if isinstance(result, nodes.ResultList) else (result,)
        for single in singles:
            if isinstance(single, nodes.Result) and isinstance(single.target, nodes.Name):
                target = knowledge.resolution.targets.get(single.target)
                symbol = target if isinstance(target, Symbol) else None
                value = UNDEFINED if symbol is None else knowledge.value_of(symbol)
                type_ = type_text(value)
                if type_ and not _is_written(knowledge, single, symbol, type_, base):
                    short = short_type_text(value)
                    yield single.target.text, short, places[at] if at < len(places) else None


def _is_written(knowledge: Knowledge, result: nodes.Result, symbol: Symbol | None, type_: str, base: int) -> bool:
    """Whether the statement, or the declaration of the output that it assigns, says the same."""
    type_ = type_.replace(" ", "")
    if result.type is not None:
        written = knowledge.source(result.type, base - knowledge.start).lstrip(":")
        return written.replace(" ", "") == type_
    if symbol is None or not isinstance(symbol.node, nodes.Parameter):
        return False
    declaration = knowledge.source(symbol.node, knowledge.resolution.starts.get(symbol.statement, 0))
    return declaration.partition(":")[2].replace(" ", "") == type_


def _outputs(knowledge: Knowledge, component: nodes.Component) -> list[Location]:
    """Where the outputs of the operator that a statement invokes are declared."""
    value = component.value.value if isinstance(component.value, nodes.Labelled) else component.value
    target = knowledge.resolution.targets.get(value.function) if isinstance(value, nodes.Call) else None
    if not isinstance(target, OperatorName):
        return []
    entries = declared(knowledge.snapshot, target, ("output",))
    return [Location(target.path, entry.name_span) for entry in entries]
