"""``if … then … elif … then … else …`` (2.10.1, Branching)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.compose.body.interpreter import Interpreter, add_operation, call, part
from snd_analysis.compose.body.outputs import check_alternatives
from snd_analysis.compose.body.results import Targets
from snd_analysis.compose.body.state import BodyState, ResultValues
from snd_analysis.compose.limits import MOST_JOINED_CONDITIONS
from snd_analysis.compose.specialization import tensor_text
from snd_analysis.model import Branch, Case, Condition, Graph, Place, Shape, Tensor, TensorKind, TensorValue
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, EqualityVerdict, Integer, Truth
from snd_analysis.symbolic.values import NULL, UNDEFINED, ItemRun, Maybe, Pack, Undefined


# ---- tensors that are one of several (2.10.1): their common shape, and its dependence on conditions ------------------
class Joining(Struct, frozen=True):
    """The joined results of branches: of the first branch whose condition holds, or else of the last.

    Each branch but the last has a condition: a ``Truth`` if extents and attributes decide, any other value if only the
    run can decide.
    """

    state: BodyState
    targets: Targets
    place: Place
    conditions: Sequence[Condition]

    def joined(self, values: Sequence[TensorValue], at: int) -> TensorValue:
        """Return result ``at`` of a branch: one of several alternative tensors or packs."""
        packs = [value for value in values if isinstance(value, Pack)]
        if packs:
            return self._packs(packs, at) if len(packs) == len(values) else UNDEFINED
        return self._tensors(values, self.state.scoped(self.targets.name(at) or "result"))

    def _tensors(self, values: Sequence[TensorValue], name: str) -> TensorValue:
        tensors = [value for value in values if isinstance(value, Tensor)]
        if len(tensors) != len(values) or any(isinstance(value, Maybe) for value in values):
            return UNDEFINED
        dtypes = {tensor.dtype for tensor in tensors}
        shape = common_shape([tensor.shape for tensor in tensors], name, self.state, self.conditions)
        if shape is None or len(dtypes) != 1:
            return UNDEFINED
        return Tensor(name, tensors[0].dtype, shape, TensorKind.RESULT, self.place)

    def _packs(self, packs: Sequence[Pack], at: int) -> TensorValue:
        first = packs[0]
        if any(pack.length != first.length for pack in packs) or any(pack.items is None for pack in packs):
            return UNDEFINED
        items = []
        for number, row in enumerate(zip(*(pack.items or () for pack in packs), strict=True)):
            name = self.targets.item_name(at, number) or f"result[{number}]"
            items.append(self._tensors(row, self.state.scoped(name)))
        return UNDEFINED if UNDEFINED in items else Pack(items, dtype=first.dtype)


def common_shape(
    found: Sequence[Shape | None], name: str, state: BodyState, conditions: Sequence[Condition] = ()
) -> Shape | None:
    """Return the shape of one of several tensors, selected by ``conditions`` as far as these are compile-time ones.

    There is a condition for each tensor but the last. An extent is dynamic if nothing decides between different ones.
    None if the shape is not known.
    """
    known = [shape for shape in found if shape is not None]
    if len(known) != len(found) or not known:
        return None
    if all(shape == known[0] for shape in known[1:]):
        return known[0]
    if any(len(shape) != len(known[0]) or any(isinstance(part, ItemRun) for part in shape) for shape in known):
        return None
    return tuple(
        _common_extent([shape[at] for shape in known], f"{name}.shape[{at}]", state, conditions)
        for at in range(len(known[0]))
    )


def _common_extent(
    extents: Sequence[Integer | ItemRun], name: str, state: BodyState, conditions: Sequence[Condition]
) -> Integer:
    *others, last = [extent for extent in extents if isinstance(extent, Integer)]
    open_ = [last]
    for at in reversed(range(len(others))):
        condition = conditions[at] if at < len(conditions) else None
        if not isinstance(condition, Truth):
            open_.append(others[at])
            continue
        selected = shapes.choose(condition, others[at], one_of(open_, name, state))
        open_ = [selected] if _number_of_conditions(selected) <= MOST_JOINED_CONDITIONS else [others[at], *open_]
    return one_of(open_, name, state)


def _number_of_conditions(extent: Integer) -> int:
    """Return how many conditions an extent depends on, at any depth."""
    found: set[object] = set()
    pending: list[object] = list(extent.atoms())
    while pending:
        part = pending.pop()
        if part in found:
            continue
        found.add(part)
        pending.extend(part.atoms() if isinstance(part, Integer) else getattr(part, "parts", ()))
    return sum(isinstance(part, Truth) for part in found)


def one_of(extents: Sequence[Integer], name: str, state: BodyState) -> Integer:
    """Return one of several extents, chosen at run time: a dynamic extent if they are not the same."""
    first = extents[0]
    if all(extent == first for extent in extents[1:]):
        return first
    limits = [shapes.bounds(extent) for extent in extents]
    low = min(max(low or 0, 0) for low, _ in limits)
    highs = [high for _, high in limits]
    high = None if None in highs else max(each for each in highs if each is not None)
    return state.dynamic_extent(name, low, high)


# ---- tensors as conditions of branches and loops: the known part of their shape when composing (2.10.1) --------------
def check_condition(state: BodyState, node: nodes.Callable, values: ResultValues | None) -> None:
    """Report a condition that certainly has not exactly one element; its type is checked before composing."""
    tensor = values[0] if values is not None and len(values) == 1 else None
    if not isinstance(tensor, Tensor) or tensor.shape is None:
        return
    volume = shapes.constant(1)
    for extent in tensor.shape:
        if not isinstance(extent, Integer):
            return
        volume = volume * extent
    verdict = shapes.decide_equal(volume, 1)
    if verdict is EqualityVerdict.UNKNOWN:
        state.check(shapes.compare("==", volume, 1), f"a condition is one bool, not {volume} of them", node)
    elif verdict is EqualityVerdict.DIFFERENT:
        message = f"a condition is one bool, but this is '{tensor_text(tensor)}', which has {volume} elements"
        state.fail(rules.CONDITION_SHAPE, node, message)


# ---- ``if … then … elif … then … else …`` (2.10.1, Branching) --------------------------------------------------------
_Alternative: TypeAlias = "tuple[nodes.Node, ResultValues | None]"


def branch(interpreter: Interpreter, node: nodes.Branch, targets: Targets) -> ResultValues | None:
    """Compose the branches that may be taken: one, if compile-time conditions decide which.

    Raise EvaluationError if a condition has no value.
    """
    cases: list[Case] = []
    alternatives: list[_Alternative] = []
    otherwise: Truth = TRUE
    """Condition under which none of the compile-time conditions so far holds."""
    scope = interpreter.state.scope
    scopes = scopes_of_branch(interpreter, node, targets)
    for case, (of_condition, of_consequent) in zip(node.cases, scopes, strict=False):
        with scope.assuming(otherwise):
            static = static_condition(interpreter.state, case.condition)
        if static is FALSE:
            continue
        if static is TRUE:
            with scope.assuming(otherwise):
                return _finish(interpreter, node, case.consequent, cases, alternatives, targets, of_consequent)
        decided: Condition
        if static is not None:
            decided = static
        else:
            condition, decided = part(interpreter, "condition", case.condition, of_condition)
            check_condition(interpreter.state, case.condition, condition)
            if condition is None:
                alternatives.append((case, None))
        holds = static if isinstance(static, Truth) else TRUE
        with scope.assuming(shapes.and_(otherwise, holds)):
            values, graph = part(interpreter, "then", case.consequent, of_consequent)
        if isinstance(static, Truth):
            otherwise = shapes.and_(otherwise, shapes.not_(static))
        cases.append(Case(decided, graph))
        alternatives.append((case.consequent, values))
    with scope.assuming(otherwise):
        return _finish(interpreter, node, node.alternative, cases, alternatives, targets, scopes[-1][-1])


def scopes_of_branch(interpreter: Interpreter, node: nodes.Branch, targets: Targets) -> list[tuple[Targets, Targets]]:
    """Return the targets of the condition and the consequent of each case, and last of the alternative.

    If compile-time conditions reduce the branch to one part, or only one part needs the label, that part has the label
    of the whole; otherwise each part has a scope of its own in it (2.10, Labelling).
    """
    unnamed = targets.without_results()
    parts = [part for case in node.cases for part in (case.condition, case.consequent)]
    parts.append(node.alternative)
    if not any(is_dynamic(interpreter.state, case.condition) for case in node.cases):
        return [(unnamed, targets)] * (len(node.cases) + 1)

    def scope(part: nodes.Callable, keyword: str, at: int, around: Targets) -> Targets:
        others = [each for each in parts if each is not part]
        return interpreter.naming.part(part, f"{keyword}[{at}]" if at else keyword, others, around)

    found = [
        (scope(case.condition, "if", at, unnamed), scope(case.consequent, "then", at, targets))
        for at, case in enumerate(node.cases)
    ]
    return [*found, (unnamed, scope(node.alternative, "else", 0, targets))]


def is_dynamic(state: BodyState, condition: nodes.Callable) -> bool:
    """Return whether a condition can be decided only at run time."""
    try:
        return static_condition(state, condition) is None
    except EvaluationError:
        return False


def static_condition(state: BodyState, condition: nodes.Callable) -> Truth | Undefined | None:
    """Return the value of a compile-time condition, not known if it is UNDEFINED; None for a tensor.

    A conjunction tests a value before it uses it (2.10.1, Promotion of optional values): one false term makes it false,
    though others are null then. Raise EvaluationError for a condition that is null otherwise.
    """
    if isinstance(condition, nodes.Region | nodes.Labelled) or state.invokes(condition):
        return None
    value = state.scope.evaluate(condition)
    if value is NULL:
        if any(state.scope.evaluate(term) is FALSE for term in _conjuncts(condition)):
            return FALSE
        message = "a condition can't be null, but this is: test for null before, or write '??' behind it"
        raise EvaluationError(condition, rules.NULL_NOT_ALLOWED, message)
    if isinstance(value, Maybe):
        return shapes.and_(value.present, value.value) if isinstance(value.value, Truth) else UNDEFINED
    return value if isinstance(value, Truth) or value is UNDEFINED else None


def _conjuncts(condition: nodes.Expression) -> Iterator[nodes.Expression]:
    match condition:
        case nodes.Parenthesized(inner=inner):
            yield from _conjuncts(inner)
        case nodes.Binary(left=left, operator=operator, right=right) if operator.text == "&&":
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield condition


def _finish(
    interpreter: Interpreter,
    node: nodes.Branch,
    last: nodes.Callable,
    cases: list[Case],
    alternatives: list[_Alternative],
    targets: Targets,
    of_last: Targets,
) -> ResultValues | None:
    """Return the result, with ``last`` as the branch that is taken if no earlier one is."""
    if not alternatives:
        return call(interpreter, last, of_last)
    values, graph = part(interpreter, "else", last, of_last)
    alternatives.append((last, values))
    results = _common(interpreter, [case.condition for case in cases], alternatives, targets, node)
    if results is not None and all(isinstance(case.condition, Graph) for case in cases):
        for at, result in enumerate(results):
            parts = [(part, values[at]) for part, values in alternatives if values is not None]
            check_alternatives(interpreter.state, targets.plain_name(at), result, parts)
    add_operation(interpreter.state, Branch(tuple(cases), graph), node, (), results, targets)
    return results


def _common(
    interpreter: Interpreter,
    conditions: Sequence[Condition],
    alternatives: list[_Alternative],
    targets: Targets,
    node: nodes.Branch,
) -> ResultValues | None:
    known = [values for _, values in alternatives if values is not None]
    if len(known) != len(alternatives) or any(len(values) != len(known[0]) for values in known):
        return None
    joining = Joining(interpreter.state, targets, interpreter.state.place(node), conditions)
    return [joining.joined([values[at] for values in known], at) for at in range(len(known[0]))]
