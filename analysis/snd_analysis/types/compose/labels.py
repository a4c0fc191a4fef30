"""Labels of invocations and blocks, written and generated (2.10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis.names.resolve import entries_of
from snd_analysis.names.symbols import OperatorName, SymbolKind
from snd_analysis.syntax import nodes
from snd_analysis.syntax.problem import Note
from snd_analysis.types.compose.composition import Composition
from snd_analysis.types.compose.recursion import invocations
from snd_analysis.types.context import Context

Placed = tuple[int, nodes.Component]


def add_label(work: Composition, label: nodes.Name) -> None:
    """Notes a label; two of one name in one scope are reported."""
    if not label.text:
        return
    earlier = work.labels.get(label.text)
    if earlier is not None:
        message = f"the label '{label.text}' is given a second time here: names of tensors below it would be ambiguous"
        work.context.report("duplicate-label", label, message, (Note(earlier, "first given here"),))
        return
    work.labels[label.text] = work.context.span(label)


def check_generated_labels(context: Context) -> None:
    """A label must not be the one that another statement has from its result, if both lead to tensors."""
    for block in ("compose", "update"):
        _check_scope(context, entries_of(context.definition, block, nodes.Component))


def _check_scope(context: Context, components: Sequence[Placed]) -> None:
    generated = {
        result.text: (base, component, result, call)
        for base, component in components
        for result, call in _generated(component)
        if result.text
    }
    for base, component in components:
        for node in nodes.descendants(component.value):
            if isinstance(node, nodes.Region):
                _check_scope(context, [(base, item) for item in node.items if isinstance(item, nodes.Component)])
        for label, call in _written(component):
            found = generated.get(label.text)
            if found is None or found[1] is component:
                continue
            other_base, _, result, other = found
            if _leads_to_tensors(context, call) and _leads_to_tensors(context, other):
                context.base = base
                message = f"the label '{label.text}' is also that of the invocation whose result is '{label.text}'"
                note = Note(
                    result.span.shifted(other_base), "without a label of its own this is labelled by its result"
                )
                context.report(
                    "duplicate-label", label, f"{message}: names of tensors below would be ambiguous", (note,)
                )


def _generated(component: nodes.Component) -> Iterator[tuple[nodes.Name, nodes.Call]]:
    """The single result of an invocation without a label."""
    if len(component.results) == 1 and isinstance(component.value, nodes.Call):
        result = component.results[0]
        if isinstance(result, nodes.Result) and isinstance(result.target, nodes.Name):
            yield result.target, component.value


def _written(component: nodes.Component) -> Iterator[tuple[nodes.Name, nodes.Call]]:
    """The labels of the invocations of a statement itself."""
    value = component.value
    if isinstance(value, nodes.Branch):
        values = [part for case in value.cases for part in (case.condition, case.consequent)] + [value.alternative]
    elif isinstance(value, nodes.Loop):
        values = [value.body, *(each.condition for each in value.conditions)]
    else:
        values = [value]
    for each in values:
        if isinstance(each, nodes.Labelled) and isinstance(each.value, nodes.Call):
            yield each.label, each.value


def _leads_to_tensors(context: Context, call: nodes.Call) -> bool:
    """Whether an operator has tensors, of its own or of what it invokes, that can be named from outside."""
    target = context.target(call.function)
    pending, seen = [target], set[object]()
    while pending:
        name = pending.pop()
        if not isinstance(name, OperatorName) or name in seen:
            continue
        seen.add(name)
        definition, resolution = context.facts.body(name), context.facts.resolution(name)
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
