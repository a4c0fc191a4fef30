"""Composition of whole graphs with given arguments, or of an operator for any invocation (chapter 3)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.bind.declarations import evaluate_declarations
from snd_analysis.compose.bind.root_binding import AS_DECLARED, GivenInput, InputShapes, RootBinder
from snd_analysis.compose.budget import OverBudgetError
from snd_analysis.compose.checks.counterexamples import counterexamples
from snd_analysis.compose.checks.formula_values import failing_formula_value
from snd_analysis.compose.checks.known_elements import failing_known_elements
from snd_analysis.compose.checks.name_clashes import name_clash
from snd_analysis.compose.checks.omitted_inputs import Omissions, failures_by_omission
from snd_analysis.compose.failure import BindingFailed, Failure, Site, Unbindable
from snd_analysis.compose.limits import MOST_LEVELS
from snd_analysis.compose.reuse.lasting_model import LastingModel
from snd_analysis.compose.session import Session
from snd_analysis.compose.specialization import Specialization, impossible
from snd_analysis.compose.specializations import compose_body
from snd_analysis.compose.template import Template
from snd_analysis.model import Graph, Tensor, TensorKind, tensors_of
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import UNDEFINED, Pack, Value, substitute


class Composition(Struct, frozen=True):
    """A composed graph, and its failures. ``graph`` is None if nothing could be composed."""

    graph: Graph | None
    attributes: Mapping[str, Value]
    dtypes: Mapping[str, str]
    failures: tuple[Failure, ...]

    def bounds_input(self, name: str) -> bool:
        """Return whether the extents of an input are known, or their upper bounds are."""
        value = UNDEFINED if self.graph is None else self.graph.inputs.get(name, UNDEFINED)
        return value is not UNDEFINED and all(
            tensor.bound is not None and None not in tensor.bound for tensor in tensors_of(value)
        )


def compose_graph(
    session: Session,
    name: OperatorName,
    attributes: Mapping[str, Value] | None = None,
    dtypes: Mapping[str, str] | None = None,
    inputs: Mapping[str, InputShapes] | None = None,
) -> Composition:
    """Compose a graph with these attributes, generic types and shapes of inputs.

    Other attributes have their defaults, other inputs their declared shapes; values that are unknown then are symbolic.
    """
    attributes, dtypes = attributes or {}, dtypes or {}
    template = session.template(name)
    if template is None:
        return Composition(None, {}, {}, ())
    specialization = compose_root(session, template, attributes, dtypes, inputs or {})
    warnings = warnings_of_root(session, specialization, attributes, dtypes)
    omitted = errors_by_omission(session, specialization, attributes, dtypes, inputs or {})
    known = failing_known_elements(specialization)
    failures = (*specialization.failures, *known, *warnings, *omitted)
    graph = _unknown(template) if specialization.body is None and template.is_graph else specialization.body
    return Composition(graph, specialization.attributes, specialization.scope.dtypes, failures)


def compose_root(
    session: Session,
    template: Template,
    attributes: Mapping[str, Value],
    dtypes: Mapping[str, str],
    inputs: Mapping[str, GivenInput] | None = None,
    lasting: LastingModel | None = None,
) -> Specialization:
    """Compose a definition with these attributes and shapes of inputs; open values are symbolic. Never fails.

    If ``session.composing`` is false, defaults don't count either: it is an operator for any invocation. ``lasting``
    has reusable results of an earlier version of the definition with the same arguments, and learns the new ones.
    Warnings that need a counterexample are not among the failures: see ``warnings_of_root``.
    """
    return session.within_budget(
        template,
        lambda own: _composed(own, template, attributes, dtypes, inputs or {}, lasting if own is session else None),
    )


def declare_root(
    session: Session,
    template: Template,
    attributes: Mapping[str, Value],
    dtypes: Mapping[str, str],
    inputs: Mapping[str, GivenInput],
) -> Specialization:
    """Do the same as ``compose_root`` without a body: evaluate the declarations only."""
    if template.has_unreadable_declarations:
        return impossible(template)
    return _if_bindable(template, lambda: _declared_for(session, template, attributes, dtypes, inputs, None))


def _composed(
    session: Session,
    template: Template,
    attributes: Mapping[str, Value],
    dtypes: Mapping[str, str],
    inputs: Mapping[str, GivenInput],
    lasting: LastingModel | None,
) -> Specialization:
    if template.has_unreadable_declarations:
        return impossible(template)
    levels = session.levels(template)
    if levels > MOST_LEVELS:
        # The definitions of more levels invoke this one.
        return impossible(template, *([_too_many_levels(template)] if levels == MOST_LEVELS + 1 else []))

    def work() -> Specialization:
        return _with_body(session, _declared_for(session, template, attributes, dtypes, inputs, lasting), lasting)

    return _if_bindable(template, work)


def _with_body(session: Session, declared: Specialization, lasting: LastingModel | None) -> Specialization:
    failure = failing_formula_value(declared) if declared.valid and declared.template.is_graph else None
    if failure is not None:
        declared = replace(declared, failures=(*declared.failures, failure))
    own = _broken_assertions(declared)
    specialization = compose_body(session, declared, lasting)
    clash = name_clash(session, specialization)
    if clash is not None:
        specialization = replace(specialization, failures=(*specialization.failures, clash))
    # With attributes that are not meant for it anything may fail.
    return replace(specialization, failures=own) if own else specialization


def warnings_of_root(
    session: Session, specialization: Specialization, attributes: Mapping[str, Value], dtypes: Mapping[str, str]
) -> list[Failure]:
    """Return the failures of a composed graph that occur for some sizes only, each with such sizes.

    The graph is composed once more for each choice of sizes that is tried.
    """
    if not session.composing or _broken_assertions(specialization):
        return []

    def composed(values: Mapping[Hashable, int]) -> Sequence[Failure]:
        given = {**attributes, **_attributes_for(specialization, values)}
        inputs = _inputs_for(specialization, values)
        try:
            return compose_root(session, specialization.template, given, dtypes, inputs).failures
        except OverBudgetError:
            return ()

    with session.limited(specialization.template):
        return counterexamples(specialization, composed)


def errors_by_omission(
    session: Session,
    specialization: Specialization,
    attributes: Mapping[str, Value] | None = None,
    dtypes: Mapping[str, str] | None = None,
    inputs: Mapping[str, GivenInput] | None = None,
) -> list[Failure]:
    """Return the failures of a composed graph that occur only if some optional inputs are given, or omitted.

    The graph is composed once more for each choice.
    """
    if not session.composing or _broken_assertions(specialization):
        return []
    given = inputs or {}

    def composed(omitted: Omissions) -> Specialization:
        chosen = {name: None if is_omitted else AS_DECLARED for name, is_omitted in omitted.items()}
        try:
            return compose_root(session, specialization.template, attributes or {}, dtypes or {}, {**given, **chosen})
        except OverBudgetError:
            return specialization

    with session.limited(specialization.template):
        return failures_by_omission(specialization, composed)


def _unknown(template: Template) -> Graph:
    """Return the graph of a definition that could not be composed: its inputs and outputs are unknown tensors."""
    made = {
        kind: {
            member.name: Tensor(member.name, None, None, kind, template.declared(member.symbol)) for member in members
        }
        for kind, members in ((TensorKind.INPUT, template.inputs), (TensorKind.RESULT, template.outputs))
    }
    inputs, outputs = made[TensorKind.INPUT], made[TensorKind.RESULT]
    return Graph(template.name.name, inputs, outputs, {}, {}, {**inputs, **outputs}, ())


def _broken_assertions(specialization: Specialization) -> tuple[Failure, ...]:
    return tuple(failure for failure in specialization.failures if failure.rule == rules.ASSERTION_FAILS)


def _declared_for(
    session: Session,
    template: Template,
    attributes: Mapping[str, Value],
    dtypes: Mapping[str, str],
    inputs: Mapping[str, GivenInput],
    lasting: LastingModel | None,
) -> Specialization:
    """Evaluate the declarations for the arguments. Raise BindingFailed and Unbindable."""
    if attributes or dtypes or inputs:
        return _declared(RootBinder(template, attributes, dtypes, inputs, session.composing), lasting)
    return _declared_by_itself(session, template, lasting)


def _if_bindable(template: Template, work: Callable[[], Specialization]) -> Specialization:
    """Return the result of work on a definition; a specialization without inputs if its declarations can't be bound."""
    try:
        return work()
    except BindingFailed as failed:
        return impossible(template, _at_declaration(failed.failure))
    except Unbindable:
        return impossible(template)


def _declared_by_itself(session: Session, template: Template, lasting: LastingModel | None) -> Specialization:
    """Do the same as ``_declared`` without arguments, evaluated once."""
    key, known = (
        ("by itself", session.composing, *template.extents.items()),
        session.specializations(template).declarations,
    )
    declared = known.find(template, key)
    if declared is None:
        declared = _declared(RootBinder(template, {}, {}, {}, session.composing), lasting)
        known.learn(key, declared)
    return declared


def _declared(binder: RootBinder, lasting: LastingModel | None) -> Specialization:
    """Return the evaluated declarations of a definition. Raise BindingFailed and Unbindable."""
    binding, template = binder.bind(), binder.template
    if lasting is not None:
        for at, member in enumerate(template.inputs):
            binding.inputs[at] = binding.scope.values[member.symbol] = lasting.input(member, binding.inputs[at])
    assume = not binder.scope.composing
    declared = evaluate_declarations(binding, tuple(binding.inputs), assume=assume, go_on=True, lasting=lasting)
    failures = tuple(map(_at_declaration, declared.failures))
    if binder.impossible:
        # The origin of a negative extent of an input makes dependent extents negative, too: keep the first failure.
        others = (failure for failure in failures if failure.rule != rules.NEGATIVE_EXTENT)
        failures = (*others, binder.impossible[0])
    return replace(declared, failures=failures)


def _attributes_for(specialization: Specialization, values: Mapping[Hashable, int]) -> dict[str, Value]:
    """Return the attributes of a composed graph with numbers in place of unknowns."""
    known = {name: value for name, value in specialization.attributes.items() if value is not UNDEFINED}
    return {name: substitute(value, values) for name, value in known.items()}


def _inputs_for(specialization: Specialization, values: Mapping[Hashable, int]) -> dict[str, InputShapes]:
    """Return the shapes of the inputs of a composed graph with numbers in place of unknowns, where they are rows."""
    found: dict[str, InputShapes] = {}
    for member, value in zip(specialization.template.inputs, specialization.inputs, strict=True):
        tensors = [value] if isinstance(value, Tensor) else value.items if isinstance(value, Pack) else None
        rows = []
        for tensor in tensors or ():
            shape = tensor.shape if isinstance(tensor, Tensor) else None
            rows.append(tuple(extent for extent in shape or (UNDEFINED,) if isinstance(extent, Integer)))
            if shape is None or len(rows[-1]) != len(shape):
                break
        else:
            if rows:
                found[member.name] = tuple(tuple(shapes.substitute(each, values) for each in row) for row in rows)
    return found


def _too_many_levels(template: Template) -> Failure:
    message = (
        f"'{template.shown}' is composed of operators that are composed of others, in more than {MOST_LEVELS} levels: "
        "more than snd can handle"
    )
    return Failure(
        rules.NESTING_TOO_DEEP, message, (Site(template.place(0, template.definition.name), "this is composed here"),)
    )


def _at_declaration(failure: Failure) -> Failure:
    if failure.sites:
        return failure
    return replace(failure, sites=failure.related[:1], related=failure.related[1:])
