"""Mutations of formulas (2.12): assignments, indices, bounds, local values, accesses."""

from __future__ import annotations

from collections.abc import Iterator

from generators.mutations.mutation import Mutation, Verdict, mutation, without
from generators.mutations.subject import Subject
from snd_analysis.base import Span
from snd_analysis.skriptnd.names import SymbolKind
from snd_analysis.skriptnd.syntax import nodes

_NUMERIC = ("+=", "*=", "<?=", ">?=")


def formulas_of(subject: Subject) -> list[nodes.Lowering]:
    """Return the formulas in order."""
    return [entry.statement for entry in subject.entries("lower") if isinstance(entry.statement, nodes.Lowering)]


def assignments(subject: Subject) -> Iterator[Mutation]:
    """Other operators between the sides, formulas dropped, repeated and swapped."""
    formulas = formulas_of(subject)
    for formula in formulas:
        symbol = subject.symbol(formula.target.name)
        type_ = None if symbol is None else subject.context.typed(symbol).type
        if type_ is None:
            continue
        others = [each for each in formulas if each is not formula and subject.symbol(each.target.name) is symbol]
        operator, span = formula.operator.text, subject.span(formula.operator)
        yield mutation("== in formula", Verdict.MUST, (span, "=="))
        if operator == "=":
            yield mutation("= to :=", Verdict.MUST, (span, ":="))
            numeric = type_.dtype.name in ("int", "real") or type_.dtype.base == "num"
            yield mutation("= to +=", Verdict.MUST if others or not numeric else Verdict.MAY, (span, "+="))
            yield mutation(
                "= to &=", Verdict.MUST if others or type_.dtype.name != "bool" else Verdict.MAY, (span, "&="), places=2
            )
        else:
            yield mutation("accumulation to =", Verdict.MUST if others else Verdict.MAY, (span, "="))
            if operator in _NUMERIC:
                yield mutation("accumulation to &=", Verdict.MUST, (span, "&="))
            elif operator in ("&=", "|="):
                yield mutation("accumulation to +=", Verdict.MUST, (span, "+="))
            if operator != ":=" and not others:
                yield mutation("accumulation to :=", Verdict.MUST, (span, ":="))
        entry = subject.above(formula)
        assert entry is not None
        whole = subject.span(entry)
        initial = any(each.operator.text == ":=" for each in others)
        yield mutation("drop formula", Verdict.MUST if not others or initial else Verdict.MAY, (whole, ""))
        yield mutation("formula twice", Verdict.MUST, (whole, f"{subject.spelled(entry)} {subject.spelled(entry)}"))
        if others and operator == "=":
            other = subject.above(others[0])
            assert other is not None
            swapped = (whole, subject.spelled(other)), (subject.span(other), subject.spelled(entry))
            yield mutation("swap formulas", Verdict.MUST, *swapped)


def sides(subject: Subject) -> Iterator[Mutation]:
    """Yield formulas with values that can't be assigned, or with targets that can't be assigned to."""
    for formula in formulas_of(subject):
        type_ = subject.type_of(formula.value)
        name = subject.span(formula.target.name)
        for symbol in subject.resolution.symbols:
            if symbol.kind in (SymbolKind.INPUT, SymbolKind.ATTRIBUTE, SymbolKind.EXTENT) and symbol.name:
                yield mutation("left side no output", Verdict.MUST, (name, symbol.name), places=2)
                break
        if type_ is not None:
            other = "'a'" if type_.dtype.name != "str" else "1"
            yield mutation("right side of other type", Verdict.MUST, (subject.span(formula.value), other))
            other = "1" if type_.dtype.name == "real" else "1.5"
            generic = type_.dtype.is_generic
            yield mutation(
                "right side of other type",
                Verdict.MAY if generic else Verdict.MUST,
                (subject.span(formula.value), other),
            )
        if formula.condition is not None:
            yield mutation("condition no bool", Verdict.MUST, (subject.span(formula.condition), "1"))
        elif formula.bounds:
            end = subject.span(formula).end
            yield mutation("condition no bool", Verdict.MUST, (Span(end, end), " | 1"))


def bounds(subject: Subject) -> Iterator[Mutation]:
    """Index symbols that nothing declares, or that are declared twice."""
    for formula in formulas_of(subject):
        spans = [subject.span(bound) for bound in formula.bounds]
        for at, bound in enumerate(formula.bounds):
            symbol = subject.symbol(bound.name)
            uses = [] if symbol is None else subject.uses(symbol)
            verdict = Verdict.MUST if uses else Verdict.MAY
            change = without(spans, at) if len(spans) > 1 else (_with_comma(subject, formula, spans[0]), "")
            yield mutation("drop index bound", verdict, change)
            text = subject.spelled(bound)
            yield mutation("index bound twice", Verdict.MUST, (spans[at], f"{text}, {text}"))
            yield mutation("real index bound", Verdict.MUST, (subject.span(bound.bound), "1.5"))
            for use in uses:
                above = subject.above(use)
                if isinstance(above, nodes.Binary):
                    yield mutation("guard inside", Verdict.MUST, (subject.span(use), f"|{subject.spelled(use)}|"))
                yield mutation("real index", Verdict.MUST, (subject.span(use), f"real({subject.spelled(use)})"))


def _with_comma(subject: Subject, formula: nodes.Lowering, span: Span) -> Span:
    return Span(subject.span(formula.value).end, span.end)


def local_values(subject: Subject) -> Iterator[Mutation]:
    """Local values that are not there, not yet there, or there twice."""
    for formula in formulas_of(subject):
        spans = [subject.span(local) for local in formula.locals]
        for at, local in enumerate(formula.locals):
            text = subject.spelled(local)
            yield mutation("local twice", Verdict.MUST, (spans[at], f"{text}, {text}"))
            symbol = subject.symbol(local.name)
            if len(spans) > 1 and symbol is not None and subject.uses(symbol):
                yield mutation("drop local", Verdict.MUST, without(spans, at))
            if at + 1 < len(spans) and symbol is not None:
                behind = formula.locals[at + 1]
                needs = any(subject.symbol(node) is symbol for node in nodes.descendants(behind.value))
                swapped = (spans[at], subject.spelled(behind)), (spans[at + 1], text)
                yield mutation("swap locals", Verdict.MUST if needs else Verdict.LEGAL, *swapped)


def accesses(subject: Subject) -> Iterator[Mutation]:
    """Yield accesses with more or fewer indices, without their comma, or not expanded."""
    for node in subject.every(nodes.Subscript, nodes.Access):
        if isinstance(node, nodes.Subscript):
            target = subject.type_of(node.target)
            if subject.block_of(node) != "lower" or target is None or not target.tensor:
                continue
            index = node.index
            if len(index.items) == 1 and not index.trailing_comma and not isinstance(index.items[0], nodes.Expanded):
                continue  # an item of a pack of tensors
            yield mutation("tensor not accessed", Verdict.MUST, (subject.span(index), ""))
            yield from _item_changes(subject, index)
            type_, end = subject.type_of(node), subject.span(node).end
            if type_ is not None and not type_.packed:
                yield mutation("access of an element", Verdict.MUST, (Span(end, end), "[0]"))
        elif isinstance(node, nodes.Access):
            yield from _item_changes(subject, node.indices[-1])


def _item_changes(subject: Subject, index: nodes.Index) -> Iterator[Mutation]:
    span = subject.span(index)
    loose = any(isinstance(item, nodes.Expanded | nodes.Range) for item in index.items)
    spans = [subject.span(item) for item in index.items]
    if index.trailing_comma:
        yield mutation("no comma", Verdict.MUST, (Span(spans[-1].end, span.end - 1), ""))
        yield mutation("one index more", Verdict.MUST, (Span(spans[-1].end, span.end - 1), ", 0"))
    elif index.items:
        yield mutation("one index more", Verdict.MUST, (Span(span.end - 1, span.end - 1), ", 0"))
    else:
        yield mutation("one index more", Verdict.MUST, (Span(span.end - 1, span.end - 1), "0,"))
    for at, item in enumerate(index.items):
        if len(index.items) > 1 and not isinstance(item, nodes.Expanded):
            yield mutation("one index less", Verdict.MUST, without(spans, at))
        if isinstance(item, nodes.Expanded):
            on_left = isinstance(subject.above(index), nodes.Access)
            yield mutation(
                "index not expanded",
                Verdict.MAY if on_left or loose else Verdict.MUST,
                (subject.span(item.expansion), ""),
            )
            continue
        type_ = subject.type_of(item)
        if isinstance(item, nodes.Qualified) and type_ is not None and not type_.packed:
            yield mutation("single index expanded", Verdict.MUST, (Span(spans[at].end, spans[at].end), ".."))
            yield mutation("index of other type", Verdict.MUST, (spans[at], "'a'"))


def outside(subject: Subject) -> Iterator[Mutation]:
    """Yield reads of elements where only shapes are known, and computations with tensors."""
    inputs = [symbol for symbol in subject.resolution.symbols if symbol.kind is SymbolKind.INPUT and symbol.name]
    using = next((block for block in subject.blocks() if block.kind == "using"), None)
    if not inputs or using is None:
        return
    end = subject.span(using).end - 1
    for symbol in inputs[:2]:
        type_ = subject.context.typed(symbol).type
        if type_ is None or type_.shape is None:
            continue
        yield mutation("tensor in using", Verdict.MUST, (Span(end, end), f" zz = {symbol.name} + 1; "))
        if not type_.packed:
            yield mutation("access in using", Verdict.MUST, (Span(end, end), f" zz = {symbol.name}[0,]; "))


OPERATORS = (assignments, sides, bounds, local_values, accesses, outside)
