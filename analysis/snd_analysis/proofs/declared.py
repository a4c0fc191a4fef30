"""The conditions of the declarations of an operator: no divisor is zero, no extent and no length negative."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.compose import Failure, Member, Specialization, Template
from snd_analysis.model import TensorValue, tensors_of
from snd_analysis.proofs.goal import FALSE, UNDECIDED, Expression, Gap, Goal, Posed, all_of, equal, implies, negation
from snd_analysis.proofs.limits import MOST_CONDITIONS
from snd_analysis.proofs.logic import Logic
from snd_analysis.proofs.partial_operations import defined_goals, text_of_failure
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Extremum, Integer, Junction, Quotient, Truth
from snd_analysis.symbolic.values import ItemRun


def is_refused(template: Template, failure: Failure) -> bool:
    """Return whether declarations of attributes and inputs, or assertions, refuse the case."""
    sites = failure.related or failure.sites
    if not sites or sites[0].place.path != template.name.path or failure.rule == rules.ASSERTION_FAILS:
        return True
    start = sites[0].place.span.start
    return any(
        isinstance(block, nodes.Block)
        and block.kind in (BlockKind.ATTRIB, BlockKind.INPUT)
        and block.start <= start < block.end
        for block in template.definition.blocks
    )


def failing_goals(specialization: Specialization, facts: tuple[Expression, ...]) -> Iterator[Posed]:
    """Yield the failures and open questions of composition; nothing if the operator does not allow the case."""
    template = specialization.template
    if any(is_refused(template, each) for each in specialization.failures if each.rule not in UNDECIDED):
        return
    for failure in specialization.failures:
        if failure.rule in UNDECIDED:
            yield Gap(failure.message)
            continue
        span = (failure.related or failure.sites)[0].place.span
        text = _text_of_extent(template, failure.rule, span.start)
        text = text or text_of_failure(failure.rule)
        breaks = (failure.rule.name,)
        yield Goal(0, nodes.Tilde(span.start, span.end), text, facts, FALSE, failure.message, breaks=breaks)
    if not specialization.failures and not specialization.valid:
        yield Gap("what is declared can't be told for all sizes")


def _text_of_extent(template: Template, rule: Rule, start: int) -> str | None:
    """Return the text of the condition about the declared tensor whose shape begins at an offset."""
    declared = (*template.outputs, *template.constants, *template.variables)
    at_start = (each for each in declared if each.node.shape and each.base + each.node.shape.start == start)
    member = next(at_start, None) if rule == rules.NEGATIVE_EXTENT else None
    return None if member is None else _extent_text(member)


def _extent_text(member: Member) -> str:
    return f"no extent of '{member.name}' is negative"


def input_facts(specialization: Specialization, logic: Logic) -> tuple[Expression, ...]:
    """Return the facts about the extents of given tensors. Counterexamples have values of these extents."""
    found = []
    for _, _, extent in _extents(_inputs(specialization)):
        size, low = logic.integer(extent), shapes.bounds(extent)[0]
        if low is None or low < 0:
            found.append(size >= 0)
    return tuple(found)


def check_facts(specialization: Specialization, logic: Logic) -> Iterator[Expression]:
    """Yield that assertions hold where they have a value. A quotient by zero is any number, so it must tell nothing."""
    for check in specialization.checks:
        divisors = logic.once(check.condition, _guarded_divisors)
        defined = [
            implies(all_of(*map(logic.truth, guards)), negation(equal(logic.integer(divisor), 0)))
            for guards, divisor in divisors
        ]
        # Divisors that cancel, as in n % n, are no part of the condition.
        start = check.place.span.start
        for base, assertion in specialization.template.assertions:
            node = assertion.condition
            if node.start + base <= start < node.end + base:
                for goal in _evaluated_goals(specialization, base, node, logic):
                    defined.extend(holding(goal) or _never(goal))
        yield implies(all_of(*defined), logic.truth(check.condition))


def divisors_of_inputs(specialization: Specialization, logic: Logic) -> Iterator[Goal]:
    """Yield that no divisor in an extent of an input is zero."""
    for member, shape, extent in _extents(_inputs(specialization)):
        yield from nonzero_divisors(extent, member.base, shape, logic)


def divisors_of_checks(specialization: Specialization, logic: Logic) -> Iterator[Goal]:
    """Yield the conditions that no divisor is zero in the checks of extents."""
    for check in specialization.checks:
        span = check.place.span
        yield from nonzero_divisors(check.condition, 0, nodes.Tilde(span.start, span.end), logic)


def declared_goals(
    specialization: Specialization, logic: Logic, facts: tuple[Expression, ...]
) -> tuple[list[Goal], tuple[Expression, ...]]:
    """Return the conditions of declarations, and the facts if all of them hold. Each has those before it as facts."""
    found = []
    for goal in _demands(specialization, logic):
        found.append(goal if goal.holds else replace(goal, facts=(*facts, *goal.facts)))
        facts = (*facts, *holding(goal))
    return found, facts


def _evaluated_goals(specialization: Specialization, base: int, node: nodes.Node, logic: Logic) -> Iterator[Goal]:
    """Yield the conditions under which an expression, and each helper symbol that it needs, has a value."""
    template = specialization.template
    yield from defined_goals(specialization.scope, base, node, logic)
    pending, seen = [node], set[nodes.Node]()
    while pending:
        named = template.symbols(pending.pop())
        for start, using in template.using:
            if using not in seen and not named.isdisjoint(template.symbols(using.target)):
                seen.add(using)
                pending.append(using.value)
                yield from defined_goals(specialization.scope, start, using.value, logic)


def _never(goal: Goal) -> tuple[Expression, ...]:
    """Return that nothing is known to have a value if it is not known when an operation has one."""
    return () if goal.holds else (FALSE,)


def holding(goal: Goal) -> tuple[Expression, ...]:
    """Return the fact that a goal adds if it holds."""
    return () if goal.goal is None or goal.holds else (implies(all_of(*goal.facts), goal.goal),)


def _demands(specialization: Specialization, logic: Logic) -> Iterator[Goal]:
    template, scope = specialization.template, specialization.scope
    yield from divisors_of_inputs(specialization, logic)
    # In the order of composition: a condition has the verdict of the failure that composition meets first.
    for base, using in template.using:
        yield from defined_goals(scope, base, using.value, logic)
    for base, assertion in template.assertions:
        yield from defined_goals(scope, base, assertion.condition, logic)
    yield from divisors_of_checks(specialization, logic)
    declared: tuple[tuple[Member, TensorValue], ...] = (
        *((member, specialization.constants[member.name]) for member in template.constants),
        *((member, specialization.variables[member.name]) for member in template.variables),
        *zip(template.outputs, specialization.outputs, strict=True),
    )
    for member, value in declared:
        yield from _of_repeated_extents(member, value)
    for member, _ in declared:
        for node in (member.node.shape, member.node.pack):
            if node is not None:
                yield from defined_goals(scope, member.base, node, logic)
    for member, shape, extent in _extents(declared):
        yield _not_negative(extent, member, shape, logic)


def _of_repeated_extents(member: Member, value: TensorValue) -> Iterator[Goal]:
    """Yield that extents of unknown number are not negative; it is not known unless they are extents of inputs."""
    shape = member.node.shape
    segments = () if shape is None else (each for tensor in tensors_of(value) for each in tensor.shape or ())
    for each in segments:
        if not isinstance(each, Integer) and shape is not None:
            element = each.element if isinstance(each, ItemRun) else None
            is_plain = isinstance(element, Integer) and element.value is None and len(element.terms) == 1
            low = shapes.bounds(element)[0] if isinstance(element, Integer) and is_plain else None
            text = _extent_text(member)
            holds = low is not None and low >= 0
            yield Goal(member.base, shape, text, holds=holds, reason="the number of extents is not known")


def _inputs(specialization: Specialization) -> Iterator[tuple[Member, TensorValue]]:
    """Yield the inputs; none if the operator does not allow the case."""
    return zip(specialization.template.inputs, specialization.inputs, strict=False)


def _extents(declared: Iterable[tuple[Member, TensorValue]]) -> Iterator[tuple[Member, nodes.Shape, Integer]]:
    for member, value in declared:
        shape = member.node.shape
        if shape is not None:
            extents = (each for tensor in tensors_of(value) for each in tensor.shape or ())
            yield from ((member, shape, each) for each in extents if isinstance(each, Integer))


def _not_negative(extent: Integer, member: Member, shape: nodes.Shape, logic: Logic) -> Goal:
    text = _extent_text(member)
    low = shapes.bounds(extent)[0]
    if low is not None and low >= 0:
        return Goal(member.base, shape, text, holds=True)
    goal, mends = logic.integer(extent) >= 0, (shapes.compare(">=", extent, 0),)
    return Goal(member.base, shape, text, (), goal, mends=mends, breaks=(rules.NEGATIVE_EXTENT.name,))


def nonzero_divisors(
    value: Integer | Truth, base: int, node: nodes.Node, logic: Logic, facts: tuple[Expression, ...] | None = None
) -> Iterator[Goal]:
    """Yield that no divisor in a value is zero where the conditions around hold.

    Without ``facts`` it is one for all that comes after it, and not asked again.
    """
    for guards, divisor in logic.once(value, _guarded_divisors):
        if (guards, divisor) in logic.nonzero or shapes.compare("!=", divisor, 0) is TRUE:
            yield Goal(base, node, "no divisor is zero", holds=True)
            continue
        if facts is None:
            logic.nonzero.add((guards, divisor))
        holding = (*(facts or ()), *(logic.truth(each) for each in guards))
        yield from _nonzero(divisor, holding, base, node, logic)


def _nonzero(
    divisor: Integer, facts: tuple[Expression, ...], base: int, node: nodes.Node, logic: Logic
) -> Iterator[Goal]:
    if shapes.compare("!=", divisor, 0) is TRUE:
        return
    goal = negation(equal(logic.integer(divisor), 0))
    mends = (shapes.compare(">", divisor, 0), shapes.compare("!=", divisor, 0))
    breaks = (rules.DIVISION_BY_ZERO.name,)
    yield Goal(base, node, "no divisor is zero", facts, goal, mends=mends, breaks=breaks)


def _guarded_divisors(value: Integer | Truth) -> tuple[_Guarded, ...]:
    return tuple(_divisors(value, ()))


_Guarded = tuple[tuple[Truth, ...], Integer]
"""A divisor, and the conditions under which something is divided by it."""


def _divisors(value: Integer | Truth, guards: tuple[Truth, ...]) -> Iterator[_Guarded]:
    match value:
        case Junction():
            # Later operands have a value only where the operands before do not decide.
            for operand in value.operands:
                yield from _divisors(operand, guards)
                guards = (*guards, operand if value.conjunction else shapes.not_(operand))
        case Truth():
            for part in value.parts:
                if isinstance(part, Integer):
                    yield from _divisors(part, guards)
        case Integer():
            conditions = shapes.indicators(value)
            if conditions and len(guards) < MOST_CONDITIONS:
                statement = shapes.statement_of(conditions[0])
                yield from _divisors(statement, guards)
                for holds, guard in ((True, statement), (False, shapes.not_(statement))):
                    yield from _divisors(shapes.where(value, conditions[0], holds), (*guards, guard))
                return
            for atom in value.atoms():
                for part in atom.candidates if isinstance(atom, Extremum) else atom.parts:
                    if isinstance(part, Integer):
                        yield from _divisors(part, guards)
                if isinstance(atom, Quotient) and atom.parts[1].value is None:
                    yield guards, atom.parts[1]
