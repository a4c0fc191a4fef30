"""Composing the statements of a long body, or adding what was composed of them before an edit."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.compose.body.results import assign
from snd_analysis.compose.body.state import BodyState
from snd_analysis.compose.checks.body_obligations import invokes_obligations
from snd_analysis.compose.composing import Composing
from snd_analysis.compose.reuse.lasting_model import LastingModel, StatementModel, first_name, is_ambiguous, values_of
from snd_analysis.model import TensorValue
from snd_analysis.skriptnd.names import Part
from snd_analysis.skriptnd.syntax import nodes


def begin(state: BodyState, part: Part) -> tuple[nodes.Component, bool]:
    """Go on to a statement of the definition; return the statement, and whether something in it is wrong already."""
    component = part.node
    assert isinstance(component, nodes.Component)
    base = state.template.resolution.starts[component]
    state.begin(base, component)
    return component, state.template.is_wrong(base, component)


def compose_row(composing: Composing, row: Part, lasting: LastingModel) -> None:
    """Composes the statements of a row, or adds what is known of it."""
    state = composing.state
    parts = row.single
    if len(parts) == 1:
        compose_lasting(composing, parts[0], lasting)
        return
    starts = state.template.resolution.starts
    last = parts[-1].node
    lasts = _may_last(composing, row) and not state.template.is_wrong_between(starts[row.node], starts[last] + last.end)
    given = _given(composing, row) if lasts else None
    known = lasting.statements.find(row, given) if lasts else None
    if known is not None:
        _add(composing, known)
        return
    found = [compose_lasting(composing, part, lasting) for part in parts]
    models = [each for each in found if each is not None]
    if lasts and len(models) == len(found):
        lasting.statements.learn(row, given, _together(models))


def compose_lasting(composing: Composing, part: Part, lasting: LastingModel) -> StatementModel | None:
    """Composes a statement of the definition, or adds what is known of it; returns what may be used again."""
    state = composing.state
    component, is_wrong = begin(state, part)
    if is_wrong:
        assign(state, component, None)
        return None
    if not _may_last(composing, part):
        first = len(state.operations)
        composing.statement(component)
        composing.note_obligations(first)
        return None
    given = _given(composing, part)
    known = lasting.statements.find(part, given)
    if known is not None:
        _add(composing, known)
        return known
    failures = len(state.failures)
    composing.made_before = _results(lasting.statements.versions(part))
    known = _composed(composing, component, part)
    composing.made_before = {}
    _add(composing, known)
    if len(state.failures) > failures:
        return None
    lasting.statements.learn(part, given, known)
    return known


def _may_last(composing: Composing, part: Part) -> bool:
    return part.lasting and not is_ambiguous(composing.state.template.resolution.ambiguous, part)


def _given(composing: Composing, part: Part) -> list[object]:
    """What composing a statement or a row depends on."""
    state = composing.state
    given = values_of(state.scope, part)
    for name in part.operators:
        template = composing.callees.template(name)
        given.append(template)
        given.append(None if template is None else composing.callees.reached(template))
    if composing.naming.scopes:
        given.append(
            [composing.naming.key(each.node) for each in part.single if isinstance(each.node, nodes.Component)]
        )
    return given


def _results(versions: tuple[StatementModel, ...]) -> dict[str, list[TensorValue]]:
    """The results of operations, by the names of their first tensors."""
    found: dict[str, list[TensorValue]] = {}
    for version in versions:
        for operation in version.operations:
            for output in operation.outputs:
                found.setdefault(first_name(output), []).append(output)
    return found


def _composed(composing: Composing, component: nodes.Component, part: Part) -> StatementModel:
    """What a statement adds, not added yet."""
    state = composing.state
    values = state.scope.values
    named = (*part.symbols, *part.given)
    before = [values.get(symbol) for symbol in named]
    around = state.operations, state.tensors, state.outputs, state.updated, state.checks, state.dynamic
    state.operations, state.tensors, state.outputs, state.updated, state.checks, state.dynamic = [], {}, {}, {}, [], {}
    try:
        composing.statement(component)
        changed = {
            symbol: values[symbol]
            for symbol, value in zip(named, before, strict=True)
            if symbol in values and values[symbol] is not value
        }
        return StatementModel(
            tuple(state.operations), state.tensors, changed, state.outputs, state.updated,
            tuple(state.checks), state.dynamic, invokes_obligations(state.template, state.operations),
        )  # fmt: skip
    finally:
        state.operations, state.tensors, state.outputs, state.updated, state.checks, state.dynamic = around


def _together(models: Sequence[StatementModel]) -> StatementModel:
    together = StatementModel(
        tuple(operation for each in models for operation in each.operations), {}, {}, {}, {},
        tuple(check for each in models for check in each.checks), {}, any(each.invokes_obligations for each in models),
    )  # fmt: skip
    for each in models:
        together.tensors.update(each.tensors)
        together.values.update(each.values)
        together.outputs.update(each.outputs)
        together.updated.update(each.updated)
        together.dynamic.update(each.dynamic)
    return together


def _add(composing: Composing, known: StatementModel) -> None:
    state = composing.state
    state.operations.extend(known.operations)
    state.tensors.update(known.tensors)
    state.scope.values.update(known.values)
    state.outputs.update(known.outputs)
    state.updated.update(known.updated)
    state.checks.extend(known.checks)
    state.dynamic.update(known.dynamic)
    composing.invokes_obligations = composing.invokes_obligations or known.invokes_obligations
