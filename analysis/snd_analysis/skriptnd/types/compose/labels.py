"""Labels of invocations and blocks, written and generated (2.10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from snd_analysis import rules
from snd_analysis.base import Note
from snd_analysis.skriptnd.names import OperatorName, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.compose.recursion import invocations
from snd_analysis.skriptnd.types.compose.typing_state import TypingState
from snd_analysis.skriptnd.types.context import Context

Placed = tuple[int, nodes.Component]


def add_label(work: TypingState, label: nodes.Name) -> None:
    """Note a label; two of one name in one scope are reported."""
    if not label.text:
        return
    earlier = work.labels.get(label.text)
    if earlier is not None:
        message = f"the label '{label.text}' is given a second time here: names of tensors below it would be ambiguous"
        work.context.report(rules.DUPLICATE_LABEL, label, message, (work.note(earlier, "first given here"),))
        return
    work.labels[label.text] = work.located(label)


def check_generated_labels(context: Context) -> None:
    """Report a label that equals the label another statement has from its result, if both lead to tensors."""
    rows = [*chain.from_iterable(context.resolution.rows.values())]
    labels = set(chain.from_iterable(row.labels for row in rows))
    if all(labels.isdisjoint(row.results) for row in rows):
        return
    for block in (BlockKind.COMPOSE, BlockKind.UPDATE):
        _check_scope(context, entries_of(context.definition, block, nodes.Component))


def _check_scope(context: Context, components: Sequence[Placed]) -> None:
    generated = {
        result.text: (base, component, result) for base, component in components for result in _generated(component)
    }
    for base, component in components:
        for value in component.parts:
            inner = value.value if isinstance(value, nodes.Labelled) else value
            if isinstance(inner, nodes.Region):
                _check_scope(context, [(base, item) for item in inner.components])
            elif isinstance(value, nodes.Labelled) and value.label.text in generated:
                context.base = base
                _check_label(context, component, value, *generated[value.label.text])


def _check_label(
    context: Context, component: nodes.Component, labelled: nodes.Labelled,
    base: int, other: nodes.Component, result: nodes.Name,
) -> None:  # fmt: skip
    label = labelled.label
    if other is component or not isinstance(labelled.value, nodes.Call):
        return
    if _leads_to_tensors(context, labelled.value) and any(_leads_to_tensors(context, part) for part in other.parts):
        message = (
            f"the label '{label.text}' is also that of the invocation whose result is '{label.text}': names of tensors "
            "below it would be ambiguous"
        )
        note = Note(result.span.shifted(base), "without a label of its own, this is labelled by its result")
        context.report(rules.DUPLICATE_LABEL, label, message, (note,))


def _generated(component: nodes.Component) -> Iterator[nodes.Name]:
    """Yield the results that label a statement: a single one, or the list that names the iterations of a loop."""
    if len(component.results) != 1:
        return
    result, value = component.results[0], component.value
    unrolled = isinstance(value, nodes.Loop) and value.keyword.text == "unroll" and not value.carries
    for item in result.items if isinstance(result, nodes.ResultList) and unrolled else (result,):
        if isinstance(item, nodes.Result) and isinstance(item.target, nodes.Name) and item.target.text:
            yield item.target


def _leads_to_tensors(context: Context, call: nodes.Callable) -> bool:
    """Return whether an operator has tensors, of its own or of invoked ones, that can be named from outside.

    A part with a label of its own contributes none to the statement.
    """
    if isinstance(call, nodes.Region):
        return any(_leads_to_tensors(context, part) for item in call.components for part in item.parts)
    if not isinstance(call, nodes.Call):
        return False
    target = context.target(call.function)
    pending, seen = [target], set[object]()
    while pending:
        name = pending.pop()
        if not isinstance(name, OperatorName) or name in seen:
            continue
        seen.add(name)
        definition, resolution = context.others.definition(name), context.others.resolution(name)
        if definition is None or resolution is None:
            continue
        if definition.kind == "graph" and name == target:
            return False  # a graph is the root of its own names
        if definition.public or any(_is_stored(symbol.kind) for symbol in resolution.symbols):
            return True
        pending += [invoked for _, _, invoked in invocations(definition, resolution)]
    return False


def _is_stored(kind: SymbolKind) -> bool:
    return kind in (SymbolKind.VARIABLE, SymbolKind.CONSTANT)
