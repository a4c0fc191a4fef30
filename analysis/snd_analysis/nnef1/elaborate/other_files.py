"""Submodels that tract's graphs invoke: each is elaborated at its invocation, as a fragment is.

The graph of a submodel stands in another file, and its problems are reported there. Here all its nodes have the place
of the invocation, which gets at most one message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Problem, Severity, Span
from snd_analysis.nnef1.elaborate import flat_graph
from snd_analysis.nnef1.elaborate.context import NamesOfFile, Record, SubmodelUse
from snd_analysis.nnef1.elaborate.evaluation import BodyEvaluator, Source
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.operators import OperationParameter
from snd_analysis.nnef1.elaborate.tensor_files import Submodel
from snd_analysis.nnef1.elaborate.values import UNKNOWN, ElaboratedValue, GraphTensor, ItemList, has_unknown
from snd_analysis.nnef1.limits import MOST_DIGITS, MOST_ITEMS
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import EqualityVerdict, Integer

_EXTERNAL = ("external", "tract_core_external")


def _submodel(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    context, label, given_inputs = evaluator.context, given["label"], given["input"]
    if not isinstance(label.value, str):
        return evaluator.report(rules.TYPE_MISMATCH, label.span, "a label is a string")
    found = context.submodel(evaluator.frame, label.value, label.span)
    if found is None:
        places = f"'{label.value}/graph.nnef', '{label.value}.nnef.tgz' and '{label.value}.nnef.tar'"
        message = f"there is no submodel '{label.value}': tract looks for {places} beside the graph"
        return evaluator.report(rules.INVALID_SUBMODEL, label.span, message)
    definitions = [each for each in found.tree.document.items if isinstance(each, nodes.Definition)]
    graph = next((each for each in definitions if each.head.kind == "graph" and each.body), None)
    wrong = found.fault or _first_error(found.tree.problems) or ("it has no graph" if graph is None else None)
    if wrong is not None or graph is None:
        return evaluator.report(rules.INVALID_SUBMODEL, label.span, f"'{found.path}': {wrong}")
    values = given_inputs.value.values if isinstance(given_inputs.value, ItemList) else (given_inputs.value,)
    if any(map(has_unknown, values)):
        return UNKNOWN
    names = [each.name.text for each in graph.head.parameters]
    if len(values) != len(names):
        message = f"'{found.path}' takes {_count(len(names), 'input')}, but gets {len(values)}"
        return evaluator.report(rules.INVALID_SUBMODEL, given_inputs.span, message)
    unproven: list[Integer] = []
    symbols = _symbols(found, graph, dict(zip(names, values, strict=True)), unproven)
    if isinstance(symbols, str):
        return evaluator.report(rules.INVALID_SUBMODEL, given_inputs.span, f"'{found.path}' {symbols}")
    if symbols is None:
        return UNKNOWN
    context.note_unproven(evaluator.frame, call.function, unproven)
    place, base = call.function.span, evaluator.frame.base
    inputs = {name: Given(value, given_inputs.span) for name, value in zip(names, values, strict=True)}
    body = _relocated_fragment(graph, place, base, found.path)
    others = {each.head.name.text: _relocated_fragment(each, place, base) for each in definitions if each is not graph}
    with_names = NamesOfFile(others, (), {}, (), frozenset(), frozenset())
    with context.within(found.folder, with_names, symbols):
        before, fragments = [*map(len, _told(context.record))], set(context.record.fragments)
        value = evaluator.invoke_fragment(call, body, inputs, target)
        wrong = _first_error(problem for problem, _ in context.record.problems[before[0] :])
        for kept, told in zip(before, _told(context.record), strict=True):
            del told[kept:]
        context.record.fragments = fragments
    return value if wrong is None else evaluator.report(rules.INVALID_SUBMODEL, label.span, f"'{found.path}': {wrong}")


def _told(record: Record) -> tuple[list[Any], ...]:
    """Return the lists of a record that are reported for a submodel in its own file."""
    return record.problems, record.bodies, record.calls, record.unproven


def _first_error(problems: Iterable[Problem]) -> str | None:
    return next((each.message for each in problems if each.rule.severity is Severity.ERROR), None)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


# ---- its inputs ------------------------------------------------------------------------------------------------------
def _symbols(
    found: Submodel, graph: nodes.Definition, inputs: Mapping[str, ElaboratedValue], unproven: list[Integer]
) -> dict[str, Integer] | str | None:
    """Return the symbols of a submodel for its inputs, or the reason that the inputs do not fit; None if unknown.

    Equations that the fit needs and that are not certain are added to ``unproven``.
    """
    placed = (each.item for each in found.tree.document.items if isinstance(each, nodes.Placed))
    declared = {each.text for each in placed if isinstance(each, nodes.Extension) and each.name.text == "tract_symbol"}
    bound: dict[str, Integer] = {}
    for name, shape in _declared_shapes(graph):
        value = inputs.get(name)
        tensor = value.tensor if isinstance(value, GraphTensor) else None
        if tensor is None or tensor.shape is None:
            return None
        extents = [each for each in tensor.shape if isinstance(each, Integer)]
        if len(extents) != len(tensor.shape):
            return None
        if len(extents) != len(shape):
            return f"takes {_count(len(shape), 'dimension')} for '{name}', but this has {len(extents)}"
        for at, (node, extent) in enumerate(zip(shape, extents, strict=True)):
            wanted = _extent(node, bound, extent)
            if wanted is None:
                return None
            verdict = integers.decide_equal(extent, wanted)
            if verdict is EqualityVerdict.UNKNOWN:
                unproven.append(extent - wanted)
            elif verdict is EqualityVerdict.DIFFERENT:
                return f"takes the extent {wanted} in dimension {at} of '{name}', but this has {extent}"
    return bound if declared <= bound.keys() else None


def _extent(node: nodes.Expression, bound: dict[str, Integer], given: Integer) -> Integer | None:
    """Return an extent that a submodel declares. A symbol is bound to its first given value."""
    match node:
        case nodes.Number(text=text) if text.isdigit():
            return integers.constant(int(text))
        case nodes.Identifier(text=name):
            return bound.setdefault(name, given)
    return None


def _declared_shapes(graph: nodes.Definition) -> Iterator[tuple[str, Sequence[nodes.Expression]]]:
    for entry in graph.body or ():
        for statement in entry.statements:
            match statement:
                case nodes.Assignment(target=nodes.Identifier(text=name), value=nodes.Call() as call) if (
                    call.function.text in _EXTERNAL
                ):
                    for argument in call.arguments:
                        if isinstance(argument.value, nodes.Array):
                            yield name, argument.value.items


# ---- its graph, at the invocation ------------------------------------------------------------------------------------
def _relocated_fragment(each: nodes.Definition, place: Span, base: int, name: str | None = None) -> nodes.Definition:
    """Return a definition with all nodes at ``place``; a graph becomes a fragment called ``name`` without inputs."""
    head = flat_graph.placed(each.head, place)
    if name is not None:
        head = replace(head, kind="fragment", name=nodes.Identifier(place.start, place.end, name))
    body = None
    if each.body is not None:
        body = tuple(
            nodes.Entry(base, tuple(flat_graph.placed(statement, place) for statement in entry.statements))
            for entry in each.body
            if name is None or not _is_external(entry)
        )
    return nodes.Definition(base, base, head, body)


def _is_external(entry: nodes.Entry) -> bool:
    values = [each.value for each in entry.statements if isinstance(each, nodes.Assignment)]
    return any(isinstance(value, nodes.Call) and value.function.text in _EXTERNAL for value in values)


# ---- all of a graph --------------------------------------------------------------------------------------------------
def check_submodels(uses: Iterable[SubmodelUse]) -> Iterator[Problem]:
    """Yield the labels of submodels that are invoked twice: for tract, labels are names of nodes."""
    seen: set[tuple[str, str]] = set()
    told: set[Span] = set()
    for use in uses:
        if use.submodel is not None and (use.folder, use.label) in seen and use.span not in told:
            message = f"tract does not load this: the submodel '{use.label}' is invoked already"
            yield Problem(rules.INVALID_SUBMODEL, use.span, message)
            told.add(use.span)
        seen.add((use.folder, use.label))


SUBMODELS: Mapping[str, tuple[tuple[OperationParameter, ...], Source]] = {
    "tract_core_submodel": (
        (OperationParameter("input", True, True, True), OperationParameter("label", False, False, True)),
        _submodel,
    )
}


# ---- values that tract takes from JSON files beside a graph ----------------------------------------------------------
_STEP = re.compile(r"""\.(?P<name>\w+)|\[(?P<at>\d{1,9})\]|\['(?P<single>[^']*)'\]|\["(?P<double>[^"]*)"\]""")


def _resource(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    """Return the value of a key. Nothing is known of a missing file, since programs may provide others."""
    label, key = given["label"].value, given["key"].value
    for name, each in (("label", label), ("key", key)):
        if not isinstance(each, str):
            return evaluator.report(rules.TYPE_MISMATCH, given[name].span, f"'{name}' is a string")
    assert isinstance(label, str)
    assert isinstance(key, str)
    text = evaluator.context.resource(label)
    if text is None or not key.startswith("$") or _STEP.sub("", key[1:]):
        return UNKNOWN
    try:
        found = json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError):
        return evaluator.report(rules.UNREADABLE_FILE, given["label"].span, f"'{label}.json' is no JSON")
    for step in _STEP.finditer(key):
        found = _item(found, step)
    if isinstance(found, dict) or found is None:
        what = "no value" if found is None else "an object"
        return evaluator.report(rules.UNDEFINED_NAME, given["key"].span, f"'{label}.json' has {what} at '{key}'")
    value = _value(found)
    return UNKNOWN if value is None else value


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(digits)
    return int(digits)


def _item(value: Any, step: re.Match[str]) -> Any:
    """Return the value at one step of a key; None if there is none."""
    if step["at"] is not None:
        at = int(step["at"])
        return value[at] if isinstance(value, list) and at < len(value) else None
    name = next(each for each in (step["name"], step["single"], step["double"]) if each is not None)
    return value.get(name) if isinstance(value, dict) else None


def _value(found: Any) -> ElaboratedValue | None:
    """Return a value of JSON; None if graphs have no such value."""
    match found:
        case bool():
            return integers.truth(found)
        case int():
            return integers.constant(found)
        case float() | str():
            return found
        case list() if len(found) <= MOST_ITEMS:
            items = [_value(each) for each in found]
            return None if None in items else ItemList(tuple(each for each in items if each is not None))
    return None


def _attribute(name: str) -> OperationParameter:
    return OperationParameter(name, False, False, True)


RESOURCES: Mapping[str, tuple[tuple[OperationParameter, ...], Source]] = {
    "tract_resource_get": ((_attribute("label"), _attribute("key")), _resource)
}
