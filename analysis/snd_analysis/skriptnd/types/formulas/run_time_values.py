"""Parts of a formula that must be known when composing, but depend on indices or elements of tensors (2.4, 2.12)."""

from __future__ import annotations

from collections.abc import Iterator, Set

from snd_analysis import rules
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.expectations import check_int_width
from snd_analysis.skriptnd.types.formulas.counting import counted_symbols
from snd_analysis.skriptnd.types.type import BOOL, STR, UNTYPED
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict


def check_run_time_values(context: Context, formula: nodes.Lowering) -> None:
    """Report the first part of a typed formula that depends on an index or an element, but must be known earlier."""
    running = run_time_symbols(context, formula)
    for node in nodes.descendants(formula):
        for part, what in _demanded(context, node):
            if is_run_time(context, part, running):
                message = rules.formulas.known_at_run_time(written(part), what)
                context.report(rules.RUN_TIME_VALUE, part, message)
                return
        if (
            isinstance(node, nodes.Select)
            and is_run_time(context, node.condition, running)
            and _lengths_differ(context, node)
        ):
            return


def _demanded(context: Context, node: nodes.Node) -> Iterator[tuple[nodes.Node, str]]:
    """Yield the parts of a node that must be known when composing, and their names in messages."""
    match node:
        case nodes.Field(value=value):
            yield value, "a value in a string"
        case nodes.Expansion(length=length) if length is not None:
            yield length, "the length of a pack"
        case nodes.Range(first=first, last=last, step=step):
            yield from ((bound, "a bound of a range") for bound in (first, last) if bound is not None)
            if step is not None:
                yield step, "the step of a range"
        case nodes.Subscript(target=target, index=nodes.Index(items=[part])) if not isinstance(part, nodes.Range):
            indexed, index = (context.expressions.get(each, UNTYPED).type for each in (target, part))
            if indexed is not None and not indexed.packed and indexed.dtype == STR and not indexed.tensor:
                yield part, "the index of a string"
            elif index is not None and index.packed and index.dtype == BOOL:
                yield part, "a mask"
        case nodes.Select(condition=condition, consequent=consequent, alternative=alternative):
            if isinstance(consequent, nodes.Bounded) or isinstance(alternative, nodes.Bounded):
                yield condition, "the choice of a guarded index"


def run_time_symbols(context: Context, formula: nodes.Lowering) -> Set[Symbol]:
    """Return the indices, counted extents and local values of a formula whose values only the run knows."""
    running = set(counted_symbols(context))
    running |= {symbol for bound in formula.bounds if (symbol := context.symbol(bound.name)) is not None}
    for local in formula.locals:
        symbol = context.symbol(local.name)
        if symbol is not None and is_run_time(context, local.value, running):
            running.add(symbol)
    return running


def is_run_time(context: Context, node: nodes.Node, running: Set[Symbol]) -> bool:
    """Return whether the value of an expression is not known when composing."""
    match node:
        case nodes.Binary(operator=nodes.Operator(text="is")):
            return False
        case nodes.Unary(operator=nodes.Operator(text="?"), operand=operand):
            # An element is null only if its tensor is; a branch without an alternative, if its condition is false.
            found = (operand, *nodes.descendants(operand))
            branches = (each for each in found if isinstance(each, nodes.Select) and each.alternative is None)
            return any(is_run_time(context, each.condition, running) for each in branches)
        case nodes.Qualified():
            symbol = context.symbol(node)
            return symbol is not None and (symbol in running or symbol.is_tensor)
    return any(is_run_time(context, child, running) for child in nodes.children(node))


def _lengths_differ(context: Context, node: nodes.Select) -> bool:
    """Report branches whose lengths differ, if only the run chooses one of them."""
    if node.alternative is None:
        return False
    consequent, alternative = (
        context.expressions.get(each, UNTYPED).type for each in (node.consequent, node.alternative)
    )
    first = None if consequent is None else consequent.length
    second = None if alternative is None else alternative.length
    if first is None or second is None or shapes.decide_equal(first, second) is not EqualityVerdict.DIFFERENT:
        return False
    message = (
        f"'{written(node.condition)}' is known only at run time, so both packs must have one length, "
        f"but these have {first} and {second}"
    )
    context.report(rules.LENGTH_MISMATCH, node, message)
    return True


# ---- known ints, which become indices and elements of 64 bits ------------------------------------------------------
def check_ints(context: Context, formula: nodes.Lowering) -> None:
    """Report the first known int that a typed formula takes into its computation, and that does not fit."""
    running = run_time_symbols(context, formula)
    parts = (
        *(bound.bound for bound in formula.bounds), *(local.value for local in formula.locals), *formula.target.indices,
        formula.value, formula.condition,
    )  # fmt: skip
    operands = (each for part in parts if part is not None for each in _known_operands(context, part, running))
    all(check_int_width(context, each) for each in operands)


def _known_operands(context: Context, node: nodes.Node, running: Set[Symbol]) -> Iterator[nodes.Node]:
    """Yield the greatest parts of an expression that are known when composing."""
    if not isinstance(node, nodes.Index) and not is_run_time(context, node, running):
        yield node
        return
    for child in nodes.children(node):
        yield from _known_operands(context, child, running)
