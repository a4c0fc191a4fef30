"""Values of samples and graphs in full, as Markdown. Each states its freshness."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from snd_analysis.ide import code, code_block, paragraphs, plain
from snd_analysis.ide.evaluation import KnownSample, TensorName
from snd_server.lsp.session.freshness import Freshness, ShownValue
from snd_server.lsp.values.shown_values import ShownGraph

if TYPE_CHECKING:
    from snd_runtime.evaluation import ShownTensor
    from snd_runtime.execution import QuantizedTensor
    from snd_runtime.samples import GraphTrace, SampleOutcome, SampleResult, TracedTensor

_SETTING = "the setting `evaluation.quantize` is off"
_MOST_ROWS, _MOST_COLUMNS = 20, 12


def value_markdown(value: ShownValue[SampleOutcome], *, tables: bool = True) -> str:
    """Return the outcome of a sample: freshness, and each result with statistics and elements.

    ``tables`` and pictures are Markdown's. Empty for a sample that was never evaluated.
    """
    if value.freshness is Freshness.NONE:
        return ""
    outcome, head = value.outcome, _head(value)
    if outcome is None:
        return head
    from snd_runtime.samples import Status

    message = "" if outcome.message is None else plain(outcome.message)
    if outcome.status is Status.AS_EXPECTED:
        message = f"It fails as expected: {message}"
    return paragraphs([head, message, *(_result_text(result, tables) for result in outcome.results)])


def _head(value: ShownValue[Any]) -> str:
    outcome = value.outcome
    took = f", {outcome.seconds * 1000:.1f} ms" if outcome is not None and value.settled and outcome.seconds else ""
    head = f"**{value.freshness}**{took}"
    if outcome is not None and not value.settled:
        head += ": what follows came out before something changed that it depends on"
    return head


# ---- graphs ----------------------------------------------------------------------------------------------------------
def tensor_markdown(each: ShownGraph, name: TensorName, *, tables: bool = True) -> str:
    """Return the value of one tensor of a graph, or the reason that there is none; empty if never evaluated."""
    if each.value.freshness is Freshness.NONE or each.is_hidden:
        return ""
    trace: GraphTrace | None = each.value.outcome
    if trace is None:
        return _head(each.value)
    traced = trace.values.get(each.graph.tensors.origin(name))
    if traced is not None:
        return paragraphs([_head(each.value), _traced_text(name.name, traced, tables), _origin_text(each, trace, name)])
    if not each.value.settled:
        return ""
    if trace.message is not None:
        why = f"not computed: {plain(trace.message)}"
    elif trace.left_out:
        why = f"not looked at: there are {trace.left_out:,} tensors too many"
    else:
        why = "not computed: a branch that was not taken, a loop without iterations, or nothing that needs it"
    return paragraphs([_head(each.value), why])


def graph_markdown(each: ShownGraph) -> str:
    """Return how a graph was run, and why it failed."""
    if each.value.freshness is Freshness.NONE or each.is_hidden:
        return ""
    trace: GraphTrace | None = each.value.outcome
    if trace is None:
        return _head(each.value)
    message = "" if trace.message is None else plain(trace.message)
    left_out = f"{trace.left_out:,} tensors were not looked at" if trace.left_out else ""
    drawn = f"{len(trace.drawn):,} variables were drawn at random" if trace.drawn else ""
    return paragraphs([_head(each.value), message, _choice_text(each, trace), drawn, _quantization(trace), left_out])


def _quantization(trace: GraphTrace) -> str:
    applied = sum(each.change is not None for each in trace.quantized)
    if not applied:
        return f"quantization was not applied: {_SETTING}" if trace.quantized else ""
    return f"{applied:,} tensors were quantized" if applied > 1 else "1 tensor was quantized"


def _choice_text(each: ShownGraph, trace: GraphTrace) -> str:
    if isinstance(each.choice, KnownSample):
        return f"run by the sample\n{code_block(each.choice.name.code, '')}"
    given = (*each.choice.attributes, *each.choice.types, *each.choice.inputs)
    made = ", ".join(map(code, trace.made))
    return "; ".join(
        filter(None, [f"run with {', '.join(map(code, given))}" if given else "", made and f"{made} random"])
    )


def _origin_text(each: ShownGraph, trace: GraphTrace, name: TensorName) -> str:
    quantized = "; ".join(_quantized_text(found) for found in trace.quantized if found.name == name.name)
    if name.updated:
        origin = "what the variable is from the next run on"
    elif name.occurrence == 0 and name.name in trace.made:
        origin = "made at random, since nothing was given"
    else:
        origin = "drawn at random" if name.occurrence == 0 and name.name in trace.drawn else ""
    return "; ".join(filter(None, (origin, quantized)))


def _quantized_text(tensor: QuantizedTensor) -> str:
    operator = code(tensor.operator)
    if tensor.change is None:
        return f"not quantized by {operator}: {_SETTING}"
    return f"quantized by {operator}: no element changes by more than {tensor.change:.3g}"


def _traced_text(name: str, traced: TracedTensor, tables: bool) -> str:
    last = "".join(f"#{number}" for number in traced.iterations)
    picture = _picture(name, traced.picture, tables)
    # A copy has the name that it is asked for by.
    parts = [_tensor_text(replace(tensor, name=name), picture, tables) for tensor in traced.shown]
    return paragraphs([f"in the last iteration, {last}" if last else "", *parts])


# ---- tensors ---------------------------------------------------------------------------------------------------------
def _result_text(result: SampleResult, tables: bool) -> str:
    difference = "" if result.difference is None else f"≠ what is recorded: {plain(result.difference)}"
    picture = _picture(result.name, result.picture, tables)
    return paragraphs([difference, *(_tensor_text(tensor, picture, tables) for tensor in result.shown)])


def _picture(name: str, picture: bytes | None, tables: bool) -> str:
    if picture is None or not tables:
        return ""
    return f"![{plain(name)}](data:image/png;base64,{base64.b64encode(picture).decode()})"


def _tensor_text(tensor: ShownTensor, picture: str, tables: bool) -> str:
    """Return statistics, the picture (single tensors only), and last the possibly long values.

    A single element alone.
    """
    if tensor.values is not None and tensor.values.size == 1 and tensor.summary is not None:
        from snd_runtime.values import value_text

        return code(f"{tensor.label}: {tensor.summary.brief.partition(' ')[0]} = {value_text(tensor.values)}")
    head = code(f"{tensor.label}: {'null' if tensor.summary is None else tensor.summary.brief}")
    return paragraphs([head, picture, _elements_text(tensor, tables)])


def _elements_text(tensor: ShownTensor, tables: bool) -> str:
    values = tensor.values
    if values is None or not values.size:
        return ""
    if tables and values.ndim == 2 and values.shape[0] <= _MOST_ROWS and values.shape[1] <= _MOST_COLUMNS:
        return _table([[_item(item) for item in row] for row in values])
    if tables and values.ndim == 1 and values.size <= _MOST_COLUMNS:
        return _table([[_item(item) for item in values]])
    from snd_runtime.values import value_text

    return code_block(value_text(values), "")


def _table(rows: Sequence[Sequence[str]]) -> str:
    columns = len(rows[0])
    numbered = [["", *map(str, range(columns))], ["---", *["--:"] * columns]]
    numbered += [[f"**{at}**", *row] for at, row in enumerate(rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in numbered)


def _item(item: object) -> str:
    from snd_runtime.values import item_text

    text = item_text(item)
    return code(text).replace("|", "\\|") if isinstance(item, str) else text
