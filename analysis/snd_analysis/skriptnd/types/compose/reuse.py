"""Typing the statements of ``@compose`` and ``@update``, as a pass over them."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import islice
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Edit, Problem, Repair, Span, checkpoint
from snd_analysis.skriptnd.names import OperatorName, StatementPart, Symbol, is_ambiguous
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.compose.branches import branch
from snd_analysis.skriptnd.types.compose.invocation.invocations import invoke
from snd_analysis.skriptnd.types.compose.loops import loop
from snd_analysis.skriptnd.types.compose.recursion import add_label
from snd_analysis.skriptnd.types.compose.results import assign
from snd_analysis.skriptnd.types.compose.typing_state import UNKNOWN, Located, TypedValue, TypingState
from snd_analysis.skriptnd.types.fixes import as_invocation
from snd_analysis.skriptnd.types.type import Extents, Typed


# ---- statements of ``@compose``, ``@update`` and of blocks within them (2.10, 2.10.1, 2.11) --------------------------
def statement(work: TypingState, component: nodes.Component) -> None:
    """Type one statement: its right side, then the names on its left side."""
    assign(work, component, _right_side(work, component.value))


def _right_side(work: TypingState, value: nodes.Branch | nodes.Loop | nodes.Callable) -> list[TypedValue] | None:
    match value:
        case nodes.Branch():
            return branch(work, value, run)
        case nodes.Loop():
            return loop(work, value, run)
        case _:
            return run(work, value)


def run(work: TypingState, value: nodes.Callable) -> list[TypedValue] | None:
    """Return the results of an invocation, a block or an expression; None if even their number is not known."""
    match value:
        case nodes.Labelled():
            add_label(work, value.label)
            return run(work, value.value)
        case nodes.Region():
            return _region(work, value)
        case nodes.Call() if _is_invocation(work, value):
            return invoke(work, value)
        case _:
            return [_expression(work, value)]


def _expression(work: TypingState, value: nodes.Expression) -> TypedValue:
    """Return the single result of an expression; if it computes with tensors, report that operators must be invoked."""
    problems = work.context.problems
    before = len(problems)
    typed = work.value(value)
    found = problems[before:]
    if isinstance(value, nodes.Select) and [problem.span for problem in found] == [work.context.span(value.condition)]:
        problems[before:] = [_as_branch(work, value, found[0])]
        typed = typed if value.alternative is not None else UNKNOWN
    elif found and all(problem.rule is rules.TENSOR_IN_EXPRESSION for problem in found):
        repair = as_invocation(work.context, value, found)
        problems[before:] = [replace(problem, repair=repair) for problem in found]
    return typed


def _as_branch(work: TypingState, value: nodes.Select, problem: Problem) -> Problem:
    """Return the problem with a proposal to write a branch, if a tensor decides between two values."""
    if problem.rule is not rules.TENSOR_IN_EXPRESSION:
        return problem
    message = f"'{written(value.condition)}' is a tensor, and '? :' decides at compile time: write 'if … then … else …'"
    if value.alternative is None:
        return replace(problem, message=message)
    condition, consequent, alternative = map(work.context.span, (value.condition, value.consequent, value.alternative))
    edits = (
        Edit(Span(condition.start, condition.start), "if "),
        Edit(Span(condition.end, consequent.start), " then "),
        Edit(Span(consequent.end, alternative.start), " else "),
    )
    return replace(problem, message=message, repair=Repair("write 'if'", edits))


def _is_invocation(work: TypingState, call: nodes.Call) -> bool:
    """Return whether a call without parentheses is an invocation (2.4), not a cast to a generic type."""
    target = work.context.target(call.function)
    return target is None or isinstance(target, OperatorName)


def _region(work: TypingState, region: nodes.Region) -> list[TypedValue] | None:
    """Return the results of a block: of its own statements, then of its 'yield'."""
    results: list[TypedValue] | None = None
    after: nodes.Yield | None = None
    reported = False
    labels, work.labels = work.labels, {}
    with work.inside():
        for item in region.items:
            if after is not None and not reported:
                reported = True
                note = work.context.note(after, "the block yields its results here")
                message = "'yield' must be the last statement of its block: nothing after it is computed"
                work.context.report(rules.YIELD_NOT_LAST, item, message, (note,))
            if isinstance(item, nodes.Component):
                statement(work, item)
            elif isinstance(item, nodes.Yield):
                yielded = [_yielded(work, value) for value in item.values]
                if after is None:
                    after, results = item, yielded
            else:
                after, reported = None, True
    work.labels = labels
    if results is None and not any(isinstance(item, nodes.ErrorEntry) for item in region.items):
        opening = nodes.Operator(region.start, region.start + 1, "{")
        work.context.report(
            rules.MISSING_YIELD, opening, "this block yields nothing: end it with 'yield' and its results"
        )
    return results


def _yielded(work: TypingState, node: nodes.Expression) -> TypedValue:
    return work.not_null(work.value(node), node, "what a block yields")


# ---- typing the statements of ``@compose`` and ``@update``, as a pass over them --------------------------------------
_Key = TypeVar("_Key")


class StatementTypes(Struct, frozen=True):
    """The additions from typing a statement or a row of statements without problems."""

    symbols: dict[Symbol, Typed]
    extents: dict[Symbol, Extents | None]
    labels: dict[str, Located]
    updated: dict[Symbol, Located]
    changed: Set[Symbol]


class TypingOfStatements:
    """The typing of statements that reuses earlier results."""

    def __init__(self, work: TypingState) -> None:
        self._work = work

    def may_last(self, part: StatementPart) -> bool:
        """Return whether no name is ambiguous."""
        return part.lasting and not self._work.context.resolution.ambiguous

    def given(self, part: StatementPart) -> object | None:
        """Return the types and extents of the symbols that are named, and the signatures that are invoked."""
        work, context = self._work, self._work.context
        if not part.lasting or is_ambiguous(context.resolution, part):
            return None
        return (
            [(context.typed(symbol), work.extents_of_symbol(symbol)) for symbol in part.given],
            [context.invoked_signature(name) for name in part.operators],
        )

    def add(self, known: StatementTypes) -> bool:
        """Add types that are known, unless a label is there already, or a variable updated."""
        work = self._work
        if not (known.labels.keys().isdisjoint(work.labels) and known.updated.keys().isdisjoint(work.updated)):
            return False
        work.context.symbols.add(known.symbols)
        work.extents.add(known.extents)
        work.labels.update(known.labels)
        work.updated.update(known.updated)
        return True

    def run(self, part: StatementPart) -> None:
        """Type a statement."""
        work = self._work
        checkpoint()
        work.begin(part.node)
        statement(work, work.component)

    def work_out(self, part: StatementPart, versions: tuple[StatementTypes, ...]) -> tuple[StatementTypes, bool]:
        """Type a statement, and return its additions."""
        work, context = self._work, self._work.context
        named = (*part.symbols, *part.given)
        before = [(context.symbols.get(symbol), work.extents.get(symbol)) for symbol in named]
        labels, updated, said, unsure = len(work.labels), len(work.updated), context.amount_said(), context.unsure
        self.run(part)
        symbols, extents = {}, {}
        for symbol, (type_before, extents_before) in zip(named, before, strict=True):
            type_ = context.symbols.get(symbol)
            if type_ is not None and type_ is not type_before:
                symbols[symbol] = type_
            if symbol in work.extents and (type_before is None or work.extents[symbol] is not extents_before):
                extents[symbol] = work.extents[symbol]
        found = StatementTypes(
            symbols, extents, _added(work.labels, labels), _added(work.updated, updated),
            {*symbols, *(context.unsure - unsure)},
        )  # fmt: skip
        return found, context.amount_said() == said

    def together(self, found: Sequence[StatementTypes]) -> StatementTypes:
        """Return the types of a row."""
        together = StatementTypes({}, {}, {}, {}, set())
        for each in found:
            together.symbols.update(each.symbols)
            together.extents.update(each.extents)
            together.labels.update(each.labels)
            together.updated.update(each.updated)
        return together


def _added(located: dict[_Key, Located], before: int) -> dict[_Key, Located]:
    """Return the entries added to a table after its first ``before`` entries, without iterating over the latter."""
    return dict(reversed([*islice(reversed(located.items()), len(located) - before)]))
