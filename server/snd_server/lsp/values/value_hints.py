"""Values of samples and graphs between the lines. Each states its freshness, leads somewhere and has a full text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from snd_analysis.base import Location, Span
from snd_analysis.ide import FrontEnd
from snd_analysis.ide.evaluation import KnownSample, TensorName
from snd_analysis.ide.inlay_hints import HintKind, InlayHint, LabelPart
from snd_server.lsp.limits import LONGEST_HINT, LONGEST_HINT_MESSAGE, MOST_HINT_ELEMENTS
from snd_server.lsp.session.freshness import Freshness
from snd_server.lsp.values.shown_values import ShownGraph, ShownSample

if TYPE_CHECKING:
    from snd_runtime.evaluation import ShownTensor
    from snd_runtime.samples import GraphTrace, SampleOutcome, SampleResult, TracedTensor

_LINE_BREAK = re.compile(r"\n *")


class ValueHint(Struct, frozen=True):
    """A hint about a sample, or about a tensor of a graph; ``tensor`` is None for the graph itself."""

    hint: InlayHint
    subject: ShownSample | ShownGraph
    tensor: TensorName | None = None
    is_old: bool = False
    """True if another evaluation is the only available command."""


# ---- samples ---------------------------------------------------------------------------------------------------------
def sample_hints(samples: Iterable[ShownSample]) -> Iterator[ValueHint]:
    """Yield the outcomes of samples, at the ends of their lines."""
    for each in samples:
        is_old = each.value.freshness not in (Freshness.FRESH, Freshness.PENDING, Freshness.RUNNING)
        code_hint = _code_hint(each)
        if code_hint:
            yield ValueHint(_hint(each.sample.code_end, code_hint), each, is_old=is_old)
        if each.value.freshness is Freshness.FRESH and each.value.outcome is not None:
            for hint in _result_hints(each, each.value.outcome):
                yield ValueHint(hint, each)


def _hint(offset: int, text: str, kind: HintKind = HintKind.VALUE, location: Location | None = None) -> InlayHint:
    return InlayHint(offset, kind, (LabelPart(_shortened(text), location),), before=True)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_HINT_MESSAGE else f"{text[: LONGEST_HINT_MESSAGE - 1]}…"


def _code_hint(each: ShownSample) -> str:
    """Return the hint after the invocation: results without a line below it, or the reason that there are none."""
    freshness, outcome = each.value.freshness, each.value.outcome
    if freshness is Freshness.NONE or (freshness is Freshness.STALE and not each.sample.can_run):
        return "" if freshness is Freshness.NONE else "stale"
    if freshness in (Freshness.PENDING, Freshness.RUNNING):
        return f"… {freshness}"
    assert outcome is not None
    text = _outcome_text(outcome)
    if freshness is Freshness.FRESH:
        return text
    label = {Freshness.STALE: "stale", Freshness.FAILED: "✗", Freshness.OVER_LIMIT: "over limit"}[freshness]
    return f"{label}: {text}" if text and freshness is not Freshness.FAILED else f"{label} {text}".strip()


def _outcome_text(outcome: SampleOutcome) -> str:
    from snd_runtime.samples import Status

    if outcome.status is Status.AS_EXPECTED:
        return "✓ it fails as expected"
    if outcome.message is not None:
        return " ".join(outcome.message.split())
    unrecorded = [result for result in outcome.results if not result.recorded]
    return "; ".join(_result_text(result, LONGEST_HINT // len(unrecorded)) for result in unrecorded)


def _result_text(result: SampleResult, room: int) -> str:
    """Return a result in a number of characters, if it can be said in as few: its statistics, or its elements."""
    if " = " in result.now or len(result.shown) != 1 or result.shown[0].summary is None:
        return result.brief
    head = f"{result.name}: {result.shown[0].summary.type} "
    return f"{head}{result.shown[0].summary.fitting(room - len(head))}".rstrip()


def _result_hints(each: ShownSample, outcome: SampleOutcome) -> Iterator[InlayHint]:
    """Yield the hints after recorded results: agreement, or the actual result."""
    results = {result.name: result for result in outcome.results}
    for recorded in each.sample.placed.sample.results:
        result = results.get(recorded.name)
        if result is None or not result.recorded:
            continue
        if result.difference is not None:
            text = f"≠ {_result_text(result, LONGEST_HINT - 2)}"
        elif recorded.value is None and recorded.dtype is not None:
            text = f"✓ {_result_text(result, LONGEST_HINT - 2)}"
        else:
            text = "✓"
        yield _hint(each.sample.placed.start + recorded.line.end, text)


# ---- graphs ----------------------------------------------------------------------------------------------------------
def graph_hints(
    each: ShownGraph, language: FrontEnd, text: str, shapes: Sequence[InlayHint], within: Span
) -> Iterator[ValueHint]:
    """Yield the values of the tensors of a graph, at the ends of their statements in a part of a text, and its failure.

    ``shapes`` are the hints of shapes that may stand there, too: the values take over their links.
    """
    trace: GraphTrace | None = each.value.outcome
    if each.is_hidden or (trace is None and not each.value.is_awaited):
        return
    places = {hint.offset: hint for hint in shapes if hint.kind is HintKind.SHAPE}
    failed_at = None
    if each.value.settled and trace is not None and trace.message is not None:
        failed_at = _failed_at(each, language, text, trace)
        yield ValueHint(_failure_hint(each, failed_at, trace.message), each, is_old=True)
    for _, end, tensors in language.tensor_statements(each.graph.snapshot, each.key.path, each.graph, within):
        values = {} if trace is None else trace.values
        known = [(name, values[name]) for name in tensors if name in values]
        if end is None or end == failed_at or not tensors:
            continue
        if len(tensors) == len(known):
            yield ValueHint(_tensor_hint(each, end, known, places.get(end)), each, known[0][0], not each.value.settled)
        elif each.value.is_awaited:
            yield ValueHint(_hint(end, f"… {each.value.freshness}", HintKind.GRAPH_VALUE), each, tensors[0])


def _failed_at(each: ShownGraph, language: FrontEnd, text: str, trace: GraphTrace) -> int:
    """After the statement that failed, or the one around it where nothing can stand there; else after the head."""
    if trace.failed_at is not None:
        inner = each.graph.tensors.statements[trace.failed_at].span.shifted(each.graph.start)
        statements = language.tensor_statements(each.graph.snapshot, each.key.path, each.graph, inner)
        around = [(span, end) for span, end, _ in statements if span.start <= inner.start and inner.end <= span.end]
        for _, end in sorted(around, key=lambda found: found[0].end - found[0].start):
            if end is not None:
                return end
    return _line_end(text, each.graph.head.end)


def replaced_shapes(values: Iterable[ValueHint], shapes: Iterable[InlayHint]) -> list[InlayHint]:
    """Return the hints without shapes that a value at the same place repeats."""
    said = {each.hint.offset: each.hint.text for each in values if each.hint.kind is HintKind.GRAPH_VALUE}
    return [
        hint
        for hint in shapes
        if hint.kind is not HintKind.SHAPE or not all(part in said.get(hint.offset, "") for part in _types_in(hint))
    ]


def _types_in(hint: InlayHint) -> list[str]:
    return [part.text for part in hint.parts if "[" in part.text]


def _line_end(text: str, at: int) -> int:
    ends = [found for found in (text.find(mark, at) for mark in "\r\n#") if found >= 0]
    end = min(ends, default=len(text))
    return at + len(text[at:end].rstrip())


def _failure_hint(each: ShownGraph, offset: int, message: str) -> InlayHint:
    label = "over limit:" if each.value.freshness is Freshness.OVER_LIMIT else "✗"
    return _hint(offset, f"{label} {' '.join(message.split())}", HintKind.GRAPH_VALUE)


def _tensor_hint(
    each: ShownGraph, offset: int, known: Sequence[tuple[TensorName, TracedTensor]], shape: InlayHint | None
) -> InlayHint:
    locations = {part.text: part.location for part in (shape.parts if shape is not None else ())}
    way = None
    if each.value.settled and isinstance(each.choice, KnownSample):
        way = Location(each.key.path, each.choice.span)
    freshness = f"{Freshness.STALE}, {each.value.freshness}" if each.value.is_awaited else Freshness.STALE
    parts = [] if each.value.settled else [LabelPart(f"{freshness}: ")]
    names = [f"{name.name}: " if len(known) > 1 else "" for name, _ in known]
    prefixes = [f"; {name}" if at else name for at, name in enumerate(names)]
    types = [_type(traced) for _, traced in known]
    room = LONGEST_HINT - sum(map(len, [*(part.text for part in parts), *prefixes, *types]))
    for at, (prefix, type_, (_, traced)) in enumerate(zip(prefixes, types, known, strict=True)):
        value = _value(traced, room // (len(known) - at))
        room -= len(value)
        parts += [LabelPart(prefix), LabelPart(type_, locations.get(type_)), LabelPart(value, way)]
    found = tuple(part for part in parts if part.text)
    return InlayHint(offset, HintKind.GRAPH_VALUE, found, before=True)


def _type(traced: TracedTensor) -> str:
    first = traced.shown[0]
    types = {_type_of(tensor) for tensor in traced.shown}
    if first.item is None or first.summary is None:
        return types.pop()
    return f"{types.pop() if len(types) == 1 else '…'}..({len(traced.shown)})"


def _type_of(tensor: ShownTensor) -> str:
    return "" if tensor.summary is None else tensor.summary.type


def _value(traced: TracedTensor, room: int) -> str:
    """Return the value in a number of characters: all elements if they fit, else the statistics that do.

    The values of a pack are shown as elements only.
    """
    last = "".join(f" #{number}" for number in traced.iterations)
    first = traced.shown[0]
    if first.summary is None:
        return f"{last}{'[]' if first.is_pack else 'null'}"
    elements = [_elements(tensor) for tensor in traced.shown]
    text = None if None in elements else ", ".join(each for each in elements if each is not None)
    text = text if text is None or first.item is None else f"[{text}]"
    if text is not None and len(f"{last} = {text}") <= room:
        return f"{last} = {text}"
    return f"{last} {first.summary.fitting(room - len(last) - 1)}".rstrip() if first.item is None else last


def _elements(tensor: ShownTensor) -> str | None:
    """Return the elements of a small tensor in one line; None for a larger one."""
    if tensor.values is None or not 0 < tensor.values.size <= MOST_HINT_ELEMENTS:
        return None
    from snd_runtime.values import value_text

    return _LINE_BREAK.sub(" ", value_text(tensor.values))


def name_content(hint: ValueHint) -> dict[str, Any]:
    """Return the subject of a hint, as plain data that a client returns to get more."""
    key = hint.subject.key
    if isinstance(hint.subject, ShownSample):
        sample = hint.subject.sample.name
        return {"path": key.path, "code": sample.code, "occurrence": sample.occurrence}
    graph = {"path": key.path, "graph": hint.subject.graph.name.name}
    tensor = hint.tensor
    if tensor is None:
        return graph
    return {**graph, "tensor": tensor.name, "occurrence": tensor.occurrence, "updated": tensor.updated}
