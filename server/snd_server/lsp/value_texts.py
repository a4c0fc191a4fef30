"""Values of samples as text: between the lines, and in full as Markdown. Each says its age."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence

from snd_analysis.ide.inlay_hints import HintKind, InlayHint, LabelPart
from snd_analysis.ide.markdown import code, paragraphs, plain
from snd_runtime.evaluation import ShownTensor
from snd_runtime.samples import Result, SampleOutcome, Status
from snd_runtime.values import item_text, value_text
from snd_server.lsp.ages import Age, Aged
from snd_server.lsp.evaluation import AgedSample

_LONGEST = 80
_MOST_ROWS, _MOST_COLUMNS = 20, 12


# ---- between the lines -----------------------------------------------------------------------------------------------
def value_hints(samples: Iterable[AgedSample]) -> Iterator[InlayHint]:
    """What came of samples, at the ends of their lines."""
    for each in samples:
        code_hint = _code_hint(each)
        if code_hint:
            yield _hint(each.sample.code_end, code_hint)
        if each.aged.age is Age.FRESH and each.aged.outcome is not None:
            yield from _result_hints(each, each.aged.outcome)


def _hint(offset: int, text: str) -> InlayHint:
    shortened = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return InlayHint(offset, HintKind.VALUE, (LabelPart(shortened),), before=True)


def _code_hint(each: AgedSample) -> str:
    """Behind the invocation: what stands in no line below it, or why there is nothing."""
    age, outcome = each.aged.age, each.aged.outcome
    if age is Age.NONE or (age is Age.STALE and not each.sample.can_run):
        return "" if age is Age.NONE else "stale"
    if age in (Age.PENDING, Age.RUNNING):
        return f"… {age}"
    assert outcome is not None
    text = _outcome_text(outcome)
    if age is Age.FRESH:
        return text
    label = {Age.STALE: "stale", Age.FAILED: "✗", Age.OVER_LIMIT: "over limit"}[age]
    return f"{label}: {text}" if text and age is not Age.FAILED else f"{label} {text}".strip()


def _outcome_text(outcome: SampleOutcome) -> str:
    if outcome.status is Status.AS_EXPECTED:
        return "✓ it fails as expected"
    if outcome.message is not None:
        return " ".join(outcome.message.split())
    return "; ".join(result.now for result in outcome.results if not result.recorded)


def _result_hints(each: AgedSample, outcome: SampleOutcome) -> Iterator[InlayHint]:
    """Behind recorded results: whether that is what comes out, and what does if not."""
    results = {result.name: result for result in outcome.results}
    for recorded in each.sample.placed.sample.results:
        result = results.get(recorded.name)
        if result is None or not result.recorded:
            continue
        if result.difference is not None:
            text = f"≠ {result.now}"
        elif recorded.value is None and recorded.dtype is not None:
            text = f"✓ {result.now}"
        else:
            text = "✓"
        yield _hint(each.sample.placed.start + recorded.line.end, text)


# ---- in full ---------------------------------------------------------------------------------------------------------
def value_markdown(aged: Aged, *, tables: bool = True) -> str:
    """What came of a sample: age, and each result with statistics and elements. ``tables`` and pictures are Markdown's.

    Nothing for a sample that was never evaluated.
    """
    if aged.age is Age.NONE:
        return ""
    outcome = aged.outcome
    took = f", {outcome.seconds * 1000:.1f} ms" if outcome is not None and aged.settled and outcome.seconds else ""
    head = f"**{aged.age}**{took}"
    if aged.age is Age.STALE:
        head += ": what follows came out before something changed that it depends on"
    if outcome is None:
        return head
    message = "" if outcome.message is None else plain(outcome.message)
    if outcome.status is Status.AS_EXPECTED:
        message = f"It fails as expected: {message}"
    return paragraphs([head, message, *(_result_text(result, tables) for result in outcome.results)])


def _result_text(result: Result, tables: bool) -> str:
    difference = "" if result.difference is None else f"≠ what is recorded: {plain(result.difference)}"
    parts = [_tensor_text(tensor, tables) for tensor in result.shown]
    drawn = ""
    if result.picture is not None and tables:
        drawn = f"![{result.name}](data:image/png;base64,{base64.b64encode(result.picture).decode()})"
    return paragraphs([*parts, difference, drawn])


def _tensor_text(tensor: ShownTensor, tables: bool) -> str:
    if tensor.summary is None:
        return code(f"{tensor.label}: null")
    head = code(f"{tensor.label}: {tensor.summary}")
    if tensor.values is None or not tensor.values.size:
        return head
    values = tensor.values
    if tables and values.ndim == 2 and values.shape[0] <= _MOST_ROWS and values.shape[1] <= _MOST_COLUMNS:
        return paragraphs([head, _table([[_item(item) for item in row] for row in values])])
    if tables and values.ndim == 1 and values.size <= _MOST_COLUMNS:
        return paragraphs([head, _table([[_item(item) for item in values]])])
    return paragraphs([head, f"```\n{value_text(values)}\n```"])


def _table(rows: Sequence[Sequence[str]]) -> str:
    columns = len(rows[0])
    numbered = [["", *map(str, range(columns))], ["---", *["--:"] * columns]]
    numbered += [[f"**{at}**", *row] for at, row in enumerate(rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in numbered)


def _item(item: object) -> str:
    text = item_text(item)
    return code(text).replace("|", "\\|") if isinstance(item, str) else text
