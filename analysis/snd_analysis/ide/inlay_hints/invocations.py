"""Hints inside invocations: names of inputs, and deduced values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from snd_analysis.base import Location
from snd_analysis.ide.declarations import Declared
from snd_analysis.ide.inlay_hints.hint import HintKind, InlayHint, LabelPart, callee
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.limits import LONGEST_HINT
from snd_analysis.ide.values import is_known_tensor, short_type_text, type_text, value_text
from snd_analysis.model import Operation
from snd_analysis.skriptnd.names import OperatorName, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import NULL, UNDEFINED, Value

_MAIN_INPUT = "input"
_USUAL_TYPE = "real"


def invocation_hints(knowledge: Knowledge, call: nodes.Call, base: int, kinds: Set[HintKind]) -> Iterator[InlayHint]:
    """Yield the hints of one invocation. ``base`` is the offset in the file that its spans count from."""
    target = knowledge.resolution.targets.get(call.function)
    if not isinstance(target, OperatorName):
        return
    if HintKind.ARGUMENT in kinds:
        yield from _arguments(knowledge, call, target, base)
    if not kinds & {HintKind.ATTRIBUTE, HintKind.GENERIC}:
        return
    operations = knowledge.operations_of(call, base - knowledge.start)
    if not operations:
        return
    if HintKind.GENERIC in kinds and call.generics is None:
        yield from _generics(knowledge, call, target, operations[0], base)
    if HintKind.ATTRIBUTE in kinds:
        yield from _attributes(knowledge, call, target, operations, base)


def _arguments(knowledge: Knowledge, call: nodes.Call, target: OperatorName, base: int) -> Iterator[InlayHint]:
    """Yield the name of each input before its argument, where the name tells more than the argument.

    A single input, the main one and names of one letter (``x``, ``y`` of ``math.add``) tell nothing.
    """
    inputs = callee(knowledge.snapshot.db, target).inputs
    if len(inputs) < 2:
        return
    for entry, argument in zip(inputs, call.arguments, strict=False):
        if len(entry.name) == 1 or entry.name == _MAIN_INPUT or _says(argument, entry.name):
            continue
        part = LabelPart(f"{entry.name}:", Location(target.path, entry.name_span))
        yield InlayHint(argument.start + base, HintKind.ARGUMENT, (part,), after=True)


def _says(argument: nodes.Node, name: str) -> bool:
    """Return whether an argument is called as the input, or the one name contains the other: ``filter1``."""
    if not isinstance(argument, nodes.Qualified):
        return False
    ours, theirs = (each.replace("_", "").casefold() for each in (argument.parts[-1].text, name))
    return ours in theirs or theirs in ours


def _generics(
    knowledge: Knowledge, call: nodes.Call, target: OperatorName, operation: Operation, base: int
) -> Iterator[InlayHint]:
    """Yield the types that neither the results show nor anybody would expect."""
    called = callee(knowledge.snapshot.db, target)
    entries = [
        entry
        for entry in called.generics
        if entry.name not in called.result_types and operation.dtypes.get(entry.name, _USUAL_TYPE) != _USUAL_TYPE
    ]
    if entries:
        parts = _joined([(operation.dtypes[entry.name], entry) for entry in entries], target)
        yield InlayHint(
            call.function.end + base, HintKind.GENERIC, (LabelPart("<"), *parts, LabelPart(">"))
        )  # fmt: skip


def _attributes(
    knowledge: Knowledge, call: nodes.Call, target: OperatorName, operations: Sequence[Operation], base: int
) -> Iterator[InlayHint]:
    """Yield the values of attributes that are not given, and whose defaults are not constant."""
    given = {item.name.text for item in call.attributes.items} if call.attributes is not None else set[str]()
    deduced: list[tuple[str, Declared]] = []
    for entry in callee(knowledge.snapshot.db, target).deduced:
        if entry.name in given:
            continue
        values = [operation.attributes.get(entry.name, NULL) for operation in operations]
        text = value_text(values[0], LONGEST_HINT)
        if values[0] is not NULL and text and all(value == values[0] for value in values):
            deduced.append((f"{entry.name}={text}", entry))
    if not deduced:
        return
    parts = _joined(deduced, target)
    if call.attributes is None:
        place = call.generics.end if call.generics is not None else call.function.end
        yield InlayHint(place + base, HintKind.ATTRIBUTE, (LabelPart("{"), *parts, LabelPart("}")))
    else:
        separator = (LabelPart(", "),) if call.attributes.items else ()
        yield InlayHint(call.attributes.end - 1 + base, HintKind.ATTRIBUTE, (*separator, *parts))


def _joined(items: Sequence[tuple[str, Declared]], target: OperatorName) -> Iterator[LabelPart]:
    for at, (text, entry) in enumerate(items):
        if at:
            yield LabelPart(", ")
        yield LabelPart(text, Location(target.path, entry.name_span))


# ---- hints at the ends of statements: the types and shapes of their results ------------------------------------------
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
