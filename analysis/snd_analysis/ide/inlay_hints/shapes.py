"""Hints at the ends of statements: the types and shapes of their results."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis.base import Location
from snd_analysis.ide.inlay_hints.hint import HintKind, InlayHint, LabelPart, callee
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.values import is_known_tensor, short_type_text, type_text
from snd_analysis.skriptnd.names import OperatorName, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import UNDEFINED, Value

_END = re.compile(r"\s*;")
_REST = re.compile(r"[ \t]*(?:#|$|[\r\n])")


def statement_end(text: str, at: int) -> int | None:
    """Return the offset for hints of a statement that ends ``at`` an offset.

    It is after the semicolon; None if more text follows there.
    """
    end = _END.match(text, at)
    return None if end is None or _REST.match(text, end.end()) is None else end.end()


def shape_hints(knowledge: Knowledge, component: nodes.Component, base: int) -> Iterator[InlayHint]:
    """Yield the shapes of the results of a statement, after its semicolon; none if they are written, or not known.

    ``base`` is the offset in the file that the spans of the statement count from.
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
                if is_known_tensor(value) and not _is_written(knowledge, single, symbol, value, base):
                    place = places[at] if at < len(places) else None
                    yield single.target.text, short_type_text(value), place


def _is_written(knowledge: Knowledge, result: nodes.Result, symbol: Symbol | None, value: Value, base: int) -> bool:
    """Return whether the statement, or the declaration of the output that it assigns, says the same."""
    if result.type is not None:
        written = knowledge.source(result.type, base - knowledge.start).lstrip(":")
    elif symbol is not None and isinstance(symbol.node, nodes.Parameter):
        declaration = knowledge.source(symbol.node, knowledge.resolution.starts.get(symbol.statement, 0))
        written = declaration.partition(":")[2]
    else:
        return False
    return written.replace(" ", "") == type_text(value).replace(" ", "")


def _outputs(knowledge: Knowledge, component: nodes.Component) -> tuple[Location, ...]:
    """Return where the outputs of the operator that a statement invokes are declared."""
    value = component.value.value if isinstance(component.value, nodes.Labelled) else component.value
    target = knowledge.resolution.targets.get(value.function) if isinstance(value, nodes.Call) else None
    if not isinstance(target, OperatorName):
        return ()
    return callee(knowledge.snapshot.db, target).outputs
