"""Mutations of operators, selects and null handling."""

from __future__ import annotations

from collections.abc import Iterator

from generators.mutations.mutation import Mutation, Verdict, mutation
from generators.mutations.subject import Subject
from snd_analysis.skriptnd.syntax import nodes

_ARITHMETIC = ("+", "-", "*", "/", "\\", "%", "**", "<?", ">?")
_LOGICAL = ("&&", "||", "^", "=>")
_COMPARISON = ("<", "<=", ">", ">=", "==", "!=")
_STRICT = (nodes.Binary, nodes.Unary, nodes.Parenthesized, nodes.Call, nodes.Cast)
_NO_PARENTHESES = (
    nodes.Component, nodes.Labelled, nodes.Case, nodes.Branch, nodes.Loop, nodes.While, nodes.Yield, nodes.Quantization,
    nodes.ResultType, nodes.Region,
)  # fmt: skip


def swap_operators(subject: Subject) -> Iterator[Mutation]:
    """Yield operators replaced by others of their class or of another."""
    for node in subject.every(nodes.Binary):
        operator = node.operator.text
        span = subject.span(node.operator)
        left, right = subject.type_of(node.left), subject.type_of(node.right)
        if left is None or right is None:
            continue
        if operator in _ARITHMETIC:
            yield mutation("arithmetic to logical", Verdict.MUST, (span, "&&"))
            yield mutation("arithmetic to comparison", Verdict.MAY, (span, "<"))
        elif operator in _LOGICAL:
            yield mutation("logical to arithmetic", Verdict.MUST, (span, "+"))
            yield mutation("logical to remainder", Verdict.MUST, (span, "%"))
        elif operator in _COMPARISON:
            wanted = is_condition(subject, node) or left.dtype.name in ("str", "bool")
            yield mutation("comparison to arithmetic", Verdict.MUST if wanted else Verdict.MAY, (span, "+"))
            if left.dtype.name != "bool":
                yield mutation("comparison to logical", Verdict.MUST, (span, "&&"))
        if left.dtype.name == "real" and operator in _ARITHMETIC:
            yield mutation("remainder of reals", Verdict.MUST, (span, "%"))


def swap_folds(subject: Subject) -> Iterator[Mutation]:
    """Yield the same for folds."""
    for node in subject.every(nodes.Fold):
        type_ = subject.type_of(node.operand)
        if type_ is None:
            continue
        span = subject.span(node.operator)
        operator = node.operator.text
        if operator in ("+", "*", "<?", ">?"):
            yield mutation("fold to logical", Verdict.MUST, (span, "&&"))
        if operator in ("&&", "||"):
            yield mutation("fold to arithmetic", Verdict.MUST, (span, "+"))
        if operator in _COMPARISON:
            text = subject.spelled(node)
            yield mutation("cumulative comparison", Verdict.MUST, (subject.span(node), text + "."))
        if isinstance(node.operand, nodes.Qualified):
            yield mutation(
                "fold of a single value", Verdict.MUST, (subject.span(node.operand), _single(type_.dtype.name))
            )


def _single(dtype: str) -> str:
    return {"int": "1", "real": "1.0", "bool": "true", "str": "'a'"}.get(dtype, "1")


def swap_unary(subject: Subject) -> Iterator[Mutation]:
    """``!``, ``-`` and ``?`` for one another."""
    for node in subject.every(nodes.Unary):
        type_ = subject.type_of(node.operand)
        span = subject.span(node.operator)
        if type_ is None or subject.type_of(node) is None:
            continue
        if node.operator.text == "!":
            yield mutation("not to minus", Verdict.MUST, (span, "-"))
        elif node.operator.text in "+-":
            yield mutation("minus to not", Verdict.MUST, (span, "!"))
        elif type_.dtype.name != "bool":
            yield mutation("null test to not", Verdict.MUST, (span, "!"), places=9)
            if is_condition(subject, node):
                yield mutation("no null test", Verdict.MUST, (span, ""), places=9)


def is_condition(subject: Subject, node: nodes.Node) -> bool:
    """Return whether only a bool can stand in place of ``node``, regardless of precedence."""
    above = subject.above(node)
    if isinstance(above, nodes.Parenthesized):
        return is_condition(subject, above)
    if isinstance(above, nodes.Select):
        return above.condition is node
    if isinstance(above, nodes.Assertion):
        return above.condition is node
    if isinstance(above, nodes.Lowering):
        return above.condition is node
    return isinstance(above, nodes.Case) or (isinstance(above, nodes.Binary) and above.operator.text in _LOGICAL)


def null_handling(subject: Subject) -> Iterator[Mutation]:
    """Yield fallbacks and alternatives removed, or added where nothing is null."""
    for node in subject.every(nodes.Coalesce):
        verdict = Verdict.MUST if is_needed(subject, node) else Verdict.MAY
        yield mutation("no fallback", verdict, (subject.span(node), subject.spelled(node.value)))
        fallback = subject.type_of(node.fallback)
        if fallback is not None:
            swapped = f"(({subject.spelled(node.fallback)}) ?? ({subject.spelled(node.value)}))"
            bounded = any(isinstance(item, nodes.Bounded) for item in nodes.descendants(node))
            if not bounded:
                yield mutation("fallback first", Verdict.MUST, (subject.span(node), swapped), places=2)
    for node in subject.every(nodes.Select):
        if node.alternative is None or subject.type_of(node) is None:
            continue
        verdict = Verdict.MUST if is_needed(subject, node) else Verdict.MAY
        text = subject.text[subject.span(node).start : subject.span(node.consequent).end]
        yield mutation("no alternative", verdict, (subject.span(node), f"({text})"))
    for node in subject.every(nodes.Qualified):
        type_ = subject.type_of(node)
        above = subject.above(node)
        if type_ is None or type_.optional or type_.tensor or not isinstance(above, nodes.Binary | nodes.Select):
            continue
        yield mutation("needless fallback", Verdict.MUST, (subject.span(node), f"({node.text} ?? {node.text})"))


def is_needed(subject: Subject, node: nodes.Node) -> bool:
    """Return whether a null there makes the right side of a formula null."""
    for below, above in subject.chain(node):
        if isinstance(above, nodes.Lowering):
            return above.value is below
        if not isinstance(above, _STRICT):
            return False
    return False


def parenthesize(subject: Subject) -> Iterator[Mutation]:
    """Yield brackets around an expression, which change nothing."""
    for node in subject.every(nodes.Qualified, nodes.Binary, nodes.Literal):
        above = subject.above(node)
        if isinstance(above, _NO_PARENTHESES) or (isinstance(above, nodes.Call) and node is above.function):
            continue
        if isinstance(above, nodes.Extent) and above.bound is not None:
            continue  # a name there may be a declaration
        if isinstance(above, nodes.Extent) and subject.block_of(node) in ("compose", "update"):
            continue
        if subject.type_of(node) is None or (isinstance(above, nodes.Subscript) and above.target is node):
            continue
        yield mutation("parentheses", Verdict.LEGAL, (subject.span(node), f"({subject.spelled(node)})"))


OPERATORS = (swap_operators, swap_folds, swap_unary, null_handling, parenthesize)
