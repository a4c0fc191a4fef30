"""The rules of ``@lower`` (2.12), formula by formula and then for each output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Edit, Note, Problem, Repair
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax import written as written_text
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.expressions.access import accessed, is_packed_access, report_tensor, separate_indices
from snd_analysis.skriptnd.types.expressions.functions import expect
from snd_analysis.skriptnd.types.expressions.inference import infer, infer_index_part
from snd_analysis.skriptnd.types.expressions.packs import infer_items
from snd_analysis.skriptnd.types.fixes import as_real
from snd_analysis.skriptnd.types.formulas.bounds_check import check_reach
from snd_analysis.skriptnd.types.formulas.counting import (
    check_counting,
    check_ints,
    check_overwriting,
    check_run_time_values,
)
from snd_analysis.skriptnd.types.type import BOOL, INT, UNTYPED, Type, Typed, described, is_numeric
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict

_NUMERIC_ASSIGNMENTS = frozenset({"+=", "*=", "<?=", ">?="})
_LOGICAL_ASSIGNMENTS = frozenset({"&=", "|="})


def check_lowering(context: Context) -> None:
    """Type every formula of ``@lower``; report their problems, and outputs that none of them writes."""
    blocks = [
        block for block in context.definition.blocks if isinstance(block, nodes.Block) and block.kind == BlockKind.LOWER
    ]
    if not blocks:
        return
    written: dict[Symbol, list[tuple[int, nodes.Lowering]]] = {}
    astray = False
    entries = list(entries_of(context.definition, BlockKind.LOWER, nodes.Lowering))
    targets = Counter(context.symbol(formula.target.name) for _, formula in entries)
    with context.at(Stage.LOWER):
        for base, formula in entries:
            context.base = base
            symbol = context.symbol(formula.target.name)
            before, first = len(context.problems), symbol not in written
            _check_formula(context, formula, symbol, first)
            value = context.expressions.get(formula.value, UNTYPED)
            is_right = len(context.problems) == before and value.type is not None
            if is_right and first and symbol is not None and symbol.kind is SymbolKind.OUTPUT:
                check_overwriting(context, formula, symbol, is_alone=targets[symbol] == 1)
            _keep_first(context, before)
            if symbol is not None and symbol.kind is SymbolKind.OUTPUT:
                written.setdefault(symbol, []).append((base, formula))
            else:
                astray = True  # a formula that is meant for some output
    for symbol, formulas in written.items():
        if symbol not in context.resolution.ambiguous:
            _check_formulas(context, formulas, complete=not astray)
    broken = astray or any(isinstance(entry.statement, nodes.ErrorEntry) for block in blocks for entry in block.entries)
    if not broken:
        _check_order(context, written)
    for symbol in context.resolution.symbols:
        if symbol.kind is not SymbolKind.OUTPUT or not symbol.name or symbol in context.resolution.ambiguous:
            continue
        if symbol not in written and not broken:
            message = f"no formula in '@lower' writes the output '{symbol.name}'"
            context.problems.append(Problem(rules.OUTPUT_NOT_ASSIGNED, context.resolution.span(symbol), message))


def _keep_first(context: Context, before: int) -> None:
    """Keep one of the problems that both sides of a formula share: the indices are the same, so one repair suffices."""
    common = (rules.TWO_PACKED_INDICES, rules.EXPANSION_WITHOUT_LENGTH, rules.INDEX_COUNT, rules.MISSING_COMMA)
    found: list[Problem] = []
    for problem in context.problems[before:]:
        at = next((at for at, each in enumerate(found) if problem.rule in common and _is_same(each, problem)), None)
        if at is None:
            found.append(problem)
            continue
        first, other = found[at].repair, problem.repair
        if first is not None and other is not None:
            found[at] = replace(found[at], repair=replace(first, edits=(*first.edits, *other.edits)))
    context.problems[before:] = found


def _is_same(problem: Problem, other: Problem) -> bool:
    """Return whether two problems of a formula are one mistake: they say the same, or are mended in the same way."""
    if problem.rule is not other.rule:
        return False
    return problem.message == other.message or (problem.repair is not None and other.repair is not None)


def _check_formula(context: Context, formula: nodes.Lowering, symbol: Symbol | None, first: bool) -> None:
    reported = len(context.problems)
    if formula.unroll is not None:
        count = expect(context, formula.unroll.count, INT, "the number of unrolled steps", packed=False)
        if count.accesses:
            context.report(
                rules.RUN_TIME_COUNT, formula.unroll.count, "the number of unrolled steps must be known at compile time"
            )
        elif count.value is not None and shapes.is_negative(count.value):
            context.report(rules.LOOP_COUNT, formula.unroll.count, rules.control_flow.negative_count(count.value))
        if formula.unroll.name is not None:
            _declare(context, formula.unroll.name, Typed(Type(INT), shapes.opaque(formula.unroll.name.text)))
    for bound in formula.bounds:
        _check_unrolled_once(context, formula, bound)
        _declare_index(context, bound)
    for local in formula.locals:
        value = infer_index_part(context, local.value)
        if value.type is not None and value.type.tensor:
            report_tensor(context, local.value, value.type)
            value = UNTYPED
        _declare(context, local.name, value)
    target = _target(context, formula.target, symbol)
    before = len(context.problems)
    with context.written(True):
        value = infer(context, formula.value)
    _explain_folds(context, formula, before)
    _check_operator(context, formula)
    if formula.operator.text == "=" and first and symbol is not None and symbol.kind is SymbolKind.OUTPUT:
        _check_reads(context, formula, symbol)
    if formula.condition is not None:
        expect(context, formula.condition, BOOL, "the condition of a formula", packed=False)
    _check_value(context, formula, target, value)
    if len(context.problems) == reported and symbol is not None:
        check_counting(context, formula, symbol)
    if len(context.problems) == reported:
        check_run_time_values(context, formula)
    if len(context.problems) == reported:
        check_ints(context, formula)
    if len(context.problems) == reported:
        check_reach(context, formula)


def _explain_folds(context: Context, formula: nodes.Lowering, before: int) -> None:
    """Say how a fold of elements is written that is only a part of the right side."""
    whole = context.span(formula.value)
    context.problems[before:] = [
        replace(each, message=rules.formulas.within_expression())
        if each.rule is rules.FOLD_OF_ACCESS and each.span != whole
        else each
        for each in context.problems[before:]
    ]


def _check_unrolled_once(context: Context, formula: nodes.Lowering, bound: nodes.IndexBound) -> None:
    """Report an index bound for the count of an unrolled formula, which has its values already."""
    counted = None if formula.unroll is None else formula.unroll.name
    if counted is None or not bound.name.text or counted.text != bound.name.text:
        return
    message = f"the index '{bound.name.text}' is declared before, as the count of 'unroll'"
    note = context.note(counted, "first declared here")
    context.report(rules.DUPLICATE_DEFINITION, bound.name, message, (note,))


def _check_reads(context: Context, formula: nodes.Lowering, output: Symbol) -> None:
    """Report reads of the output in its initialization: it has no values yet."""
    for read, access in _reads(context, formula):
        if read is output:
            message = (
                f"this initialization of '{output.name}' reads '{output.name}', which has no values yet; "
                "':=' updates it"
            )
            context.report(rules.READS_OWN_OUTPUT, access, message)
            return


def _check_order(context: Context, written: dict[Symbol, list[tuple[int, nodes.Lowering]]]) -> None:
    """Report reads of outputs that only later formulas write: formulas are evaluated in their order."""
    formulas = [(base, formula, symbol) for symbol, found in written.items() for base, formula in found]
    formulas.sort(key=lambda each: each[0] + each[1].span.start)
    later = {symbol: found[0] for symbol, found in written.items() if symbol not in context.resolution.ambiguous}
    for base, formula, symbol in formulas:
        later.pop(symbol, None)
        context.base = base
        for read, access in _reads(context, formula):
            if read in later:
                first_base, first = later[read]
                note = Note(first.target.span.shifted(first_base), f"'{read.name}' gets its values here")
                message = (
                    f"'{read.name}' has no values yet: its formula stands below this one, and formulas are evaluated "
                    "in order"
                )
                context.report(rules.READS_OWN_OUTPUT, access, message, (note,))
                break


def _reads(context: Context, formula: nodes.Lowering) -> Iterator[tuple[Symbol, nodes.Node]]:
    """Yield the outputs that a formula reads, with the access."""
    whole: dict[nodes.Node, nodes.Node] = {}
    """Accesses by the item of a pack of tensors that they are about: ``ys[0][i,]`` by ``ys[0]``."""
    for part in (*(local.value for local in formula.locals), formula.value, formula.condition):
        for node in nodes.descendants(part) if part is not None else ():
            if not isinstance(node, nodes.Subscript):
                continue
            whole[node.target] = node
            symbol = context.symbol(node.target)
            if symbol is not None and symbol.kind is SymbolKind.OUTPUT and symbol not in context.resolution.ambiguous:
                yield symbol, whole.get(node, node)


def _declare(context: Context, name: nodes.Name, typed: Typed) -> None:
    symbol = context.symbol(name)
    if symbol is not None:
        context.symbols[symbol] = typed


def _declare_index(context: Context, bound: nodes.IndexBound) -> None:
    typed = expect(context, bound.bound, INT, "the bound of an index")
    if typed.type is None:
        _declare(context, bound.name, UNTYPED)
        return
    value = None if typed.type.packed else shapes.opaque(bound.name.text)
    _declare(context, bound.name, Typed(Type(INT, length=typed.type.length), value))


def _target(context: Context, target: nodes.Access, symbol: Symbol | None) -> Typed:
    """Return the type of the left side: the part that is written at once."""
    if symbol is None:
        _infer_indices(context, target)
        return UNTYPED
    if symbol.kind is not SymbolKind.OUTPUT:
        message = f"only outputs can stand on the left side of a formula, but '{symbol.name}' is {symbol.kind.article}"
        context.report(rules.LEFT_SIDE, target.name, message, (context.declared(symbol),))
        _infer_indices(context, target)
        return UNTYPED
    type_ = context.typed(symbol).type
    if type_ is None:
        _infer_indices(context, target)
        return UNTYPED
    *selections, last = target.indices
    if selections and not type_.packed and separate_indices(context, target):
        return UNTYPED
    if len(selections) > 1 or (selections and not type_.packed):
        message = f"'{symbol.name}' is a single tensor of type '{type_}': it has one pair of brackets"
        if type_.packed:
            message = f"'{symbol.name}' is a pack of tensors: it has at most two pairs of brackets"
        context.report(rules.INDEX_COUNT, target, message, (context.declared(symbol),))
        return UNTYPED
    if selections:
        type_ = _selected(context, selections[0], type_)
        if type_ is None:
            return UNTYPED
    return accessed(context, target, last, type_)


def _infer_indices(context: Context, target: nodes.Access) -> None:
    for index in target.indices:
        infer_items(context, index)


def _selected(context: Context, index: nodes.Index, type_: Type) -> Type | None:
    if len(index.items) != 1 or isinstance(index.items[0], nodes.Expanded | nodes.Zip | nodes.Range):
        context.report(rules.LEFT_SIDE, index, "one item of a pack of outputs is chosen by one index")
        return None
    typed = expect(context, index.items[0], INT, "the index of a pack of tensors", packed=False)
    return None if typed.type is None else type_.item()


def _check_operator(context: Context, formula: nodes.Lowering) -> None:
    if formula.operator.text == "==":
        repair = Repair("write '='", (Edit(context.span(formula.operator), "="),))
        message = "'==' compares; a formula assigns with '=', ':=', '+=', '*=', '&=', '|=', '<?=' or '>?='"
        context.report(rules.ASSIGNMENT_OPERATOR, formula.operator, message, repair=repair)


def _check_value(context: Context, formula: nodes.Lowering, target: Typed, value: Typed) -> None:
    operator, type_ = formula.operator.text, value.type
    if type_ is None:
        return
    if type_.tensor:
        report_tensor(context, formula.value, type_)
        return
    if type_.optional:
        message = rules.expressions.may_be_null("the right side of a formula", type_)
        context.report(rules.NULL_NOT_ALLOWED, formula.value, message)
        context.presume(formula.value)
        return
    if target.type is None:
        return
    written = target.type.dtype
    if type_.dtype != written:
        symbol = context.symbol(formula.target.name)
        notes = () if symbol is None else (context.declared(symbol),)
        message = f"'{formula.target.name.text}' has the type '{written}', but the right side is '{type_}'"
        repair = as_real(context, formula.value, written, type_.dtype)
        context.report(rules.TYPE_MISMATCH, formula.value, message, notes, repair)
        return
    if operator in _NUMERIC_ASSIGNMENTS and not is_numeric(written):
        context.report(
            rules.OPERAND_TYPE,
            formula.operator,
            f"'{operator}' accumulates int or real, but the output is {described(written)}",
        )
        return
    if operator in _LOGICAL_ASSIGNMENTS and written != BOOL:
        context.report(
            rules.OPERAND_TYPE,
            formula.operator,
            f"'{operator}' accumulates bool, but the output is {described(written)}",
        )
        return
    if type_.length is None:
        return
    if target.type.length is None:
        message = f"the right side is a pack of type '{type_}', but the left side is a single element"
        packed = next((each for each in nodes.descendants(formula.value) if is_packed_access(context, each)), None)
        if isinstance(packed, nodes.Subscript):
            name = written_text(packed.index.items[0])
            message += f": '{name}' is a pack of indices, and '{written_text(packed.target)}[{name}..]' is one element"
        note = context.note(formula.target, "this is one element")
        context.report(rules.UNEXPECTED_PACK, formula.value, message, (note,))
        return
    if shapes.decide_equal(type_.length, target.type.length) is EqualityVerdict.DIFFERENT:
        message = f"the left side is a pack of length {target.type.length}, the right side one of length {type_.length}"
        context.report(rules.LENGTH_MISMATCH, formula.value, message, (context.note(formula.target, "written here"),))


def _check_formulas(context: Context, formulas: list[tuple[int, nodes.Lowering]], complete: bool) -> None:
    """Demand at most two formulas per output: an initialization by ``=``, then one by another operator.

    Unless ``complete``, there are formulas for unknown outputs, and one may be an initialization.
    """
    first_base, first = formulas[0]
    name = first.target.name.text
    initialized = False
    accumulated: tuple[int, nodes.Lowering] | None = None
    for base, formula in formulas:
        context.base = base
        operator = formula.operator.text
        if operator == "==":
            return  # reported; which assignment is meant is not known
        if operator == "=":
            if accumulated is not None or initialized:
                what = "a second initialization" if initialized else "initialized after it is accumulated"
                earlier = accumulated or (first_base, first)
                _report_second(context, formula, name, what, earlier)
                return
            initialized = True
            continue
        if accumulated is not None:
            _report_second(context, formula, name, "accumulated a second time", accumulated)
            return
        if operator == ":=" and not initialized and complete:
            message = f"':=' updates '{name}', which has no value yet: initialize it with '=' first"
            context.report(rules.UPDATE_WITHOUT_INITIAL, formula.operator, message)
            return
        accumulated = (base, formula)


def _report_second(
    context: Context, formula: nodes.Lowering, name: str, what: str, earlier: tuple[int, nodes.Lowering]
) -> None:
    base, first = earlier
    note = Note(first.target.span.shifted(base), "the earlier formula is here")
    message = f"'{name}' gets {what}" if what.startswith("a ") else f"'{name}' is {what}"
    message += ": an output has one formula with '=' and then one with another operator"
    context.report(rules.TOO_MANY_FORMULAS, formula.target, message, (note,))
