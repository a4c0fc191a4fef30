"""Extents that formulas count: as many as points satisfy a condition (2.12, Data dependent output shapes)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from snd_analysis import rules
from snd_analysis.base import Edit, Repair
from snd_analysis.skriptnd.names import Symbol, symbols_in
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.functions import check_int_width
from snd_analysis.skriptnd.types.formulas.fixed_indices import fixed_indices
from snd_analysis.skriptnd.types.type import BOOL, STR, UNTYPED, is_numeric
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict


def counted_symbols(context: Context) -> frozenset[Symbol]:
    """Return the symbols of the dynamic extents that the outputs declare."""
    bounded = {
        extent
        for _, output in entries_of(context.definition, BlockKind.OUTPUT, nodes.Parameter)
        for extent in (output.shape.extents if output.shape is not None else ())
        if extent.bound is not None
    }
    found = (context.symbol(extent.value) for extent in bounded)
    return frozenset(each for each in found if each is not None and each.node in bounded)


def check_counting(context: Context, formula: nodes.Lowering, output: Symbol) -> None:
    """Report the first dynamic extent that a formula doesn't count, or takes for a number that is known."""
    shape = output.node.shape if isinstance(output.node, nodes.Parameter) else None
    dynamic = counted_symbols(context)
    index = formula.target.indices[-1]
    if any(isinstance(item, nodes.Qualified) and context.target(item) is None for item in index.items):
        return  # the name of an index is reported
    counted = {context.symbol(item) for item in index.items if isinstance(item, nodes.Qualified)} & dynamic
    for extent in shape.extents if shape is not None else ():
        symbol = context.symbol(extent.value)
        if symbol is not None and symbol in dynamic:
            if symbol in counted:
                continue
            message = (
                f"nothing counts the extent '{symbol.name}' of '{output.name}' here: "
                f"write '{symbol.name}' alone as the index of its dimension"
            )
        elif isinstance(extent.value, nodes.Tilde) or dynamic & symbols_in(context.resolution, extent).keys():
            message = (
                f"a counted extent needs a name, but '{output.name}' has '{written(extent.value)}': "
                "write a name with an upper bound, as in 'k|n'"
            )
        else:
            continue
        context.report(rules.UNCOUNTED_EXTENT, index, message, (context.declared(output),))
        return
    for name, place in _named(context, formula):
        symbol = context.symbol(name)
        if symbol is not None and symbol in dynamic and (place is not None or symbol not in counted):
            why = (
                f"'{output.name}' is not indexed by it"
                if place is None
                else f"{place} decides what '{symbol.name}' counts"
            )
            message = f"'{symbol.name}' has no value here: {why}"
            context.report(rules.UNCOUNTED_EXTENT, name, message, (context.declared(symbol),))
            return


def _named(context: Context, formula: nodes.Lowering) -> Iterator[tuple[nodes.Node, str | None]]:
    """Yield the names in a formula behind its left side; with the place, where nothing is counted yet."""
    parts: list[tuple[nodes.Node | None, str | None]] = [
        (None if formula.unroll is None else formula.unroll.count, "the number of unrolled steps"),
        *((bound.bound, "the bound of an index") for bound in formula.bounds),
        (formula.condition, "the condition"),
        *((local.value, None) for local in formula.locals),
        (formula.value, None),
    ]
    for part, place in parts:
        for node in nodes.descendants(part) if part is not None else ():
            if isinstance(node, nodes.Qualified):
                yield node, place


# Indices of an initialization that its left side lacks: each iteration overwrites the elements of the last one.
def check_overwriting(context: Context, formula: nodes.Lowering, output: Symbol, is_alone: bool) -> None:
    """Report the first index that affects the value written by ``=``, but not the place or the condition (2.12).

    ``is_alone`` is True if no other formula writes the output, so that the formula may accumulate.
    """
    names = (node for node in nodes.descendants(formula.target) if isinstance(node, nodes.Qualified))
    if formula.operator.text != "=" or any(context.symbol(name) is None for name in names):
        return
    locals_ = {context.symbol(local.name): _symbols(context, [local.value]) for local in formula.locals}
    where = _with_locals(_symbols(context, [formula.target]), locals_)
    if where & counted_symbols(context):
        return  # each element that is counted has a place of its own
    whether = _with_locals(_symbols(context, [formula.condition] if formula.condition is not None else []), locals_)
    what = _with_locals(_symbols(context, [formula.value]), locals_)
    missing = [
        (name, symbol)
        for name, bound in _indices(formula)
        if (symbol := context.symbol(name)) is not None and symbol in what - where and not _is_one(bound)
    ]
    fixed = fixed_indices(context, formula, {symbol for _, symbol in missing})
    for name, symbol in sorted(missing, key=lambda each: each[1] in whether):
        if symbol in fixed:
            continue
        rule, message = rules.OVERWRITTEN_OUTPUT, f"'{name.text}' is not on the left, so each of its iterations"
        if symbol in whether:
            rule, message = rules.UNFIXED_INDEX, f"{message} for which the condition holds"
        message = f"{message} overwrites '{output.name}'"
        type_, repair = context.typed(output).type, None
        if is_alone and type_ is not None and is_numeric(type_.dtype):
            message = f"{message}: write '+=' to sum over it"
            repair = Repair("write +=", (Edit(context.span(formula.operator), "+="),), safe=False)
        elif is_alone and type_ is not None and type_.dtype == BOOL:
            message = f"{message}: write '|=' for any of them, or '&=' for all"
        context.report(rule, name, message, repair=repair)
        return


def _indices(formula: nodes.Lowering) -> list[tuple[nodes.Name, nodes.Expression]]:
    unrolled = formula.unroll
    counted = [] if unrolled is None or unrolled.name is None else [(unrolled.name, unrolled.count)]
    return [*counted, *((bound.name, bound.bound) for bound in formula.bounds)]


def _is_one(bound: nodes.Expression) -> bool:
    return isinstance(bound, nodes.Literal) and bound.value == 1


def _symbols(context: Context, parts: Iterable[nodes.Node]) -> set[Symbol]:
    found = (context.symbol(node) for part in parts for node in nodes.descendants(part))
    return {symbol for symbol in found if symbol is not None}


def _with_locals(symbols: set[Symbol], locals_: dict[Symbol | None, set[Symbol]]) -> set[Symbol]:
    """Return the symbols and the symbols that local names among them depend on."""
    found, waiting = set(symbols), list(symbols)
    while waiting:
        further = locals_.get(waiting.pop(), set()) - found
        found |= further
        waiting += further
    return found


# ---- parts of a formula that must be known when composing, but depend on indices or elements of tensors (2.4, 2.12) --
# Parts of a formula that must be known at compile time, but depend on indices or elements of tensors (2.4, 2.12).
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
    """Yield the parts of a node that must be known at compile time, and their names in messages."""
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
