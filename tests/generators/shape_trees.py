"""Expressions as plain trees, built and evaluated without any simplification, as references for shapes.

A tree is ``(operator, operand, ...)``; integers are ``("number", n)`` and ``("variable", name)``, conditions are
``("proposition", name)`` and trees of comparisons and connectives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import DivisionByZero, Integer, NegativeExponent, Truth

Tree = tuple[Any, ...]


@dataclass(frozen=True)
class Bounds:
    """Bounds of the values of a variable."""

    low: int | None
    high: int | None

    def values(self) -> st.SearchStrategy[int]:
        low = self.low if self.low is not None else (-12 if self.high is None else self.high - 12)
        high = self.high if self.high is not None else low + 12
        return st.integers(low, high)


VARIABLES = {
    "d": Bounds(0, None),
    "k": Bounds(1, None),
    "n": Bounds(None, None),
    "p": Bounds(0, 3),
    "m": Bounds(None, -1),
    "s": Bounds(1, None),
    "q": Bounds(-2, 2),
}
PROPOSITIONS = ("c", "e")

ARITHMETIC = ("+", "-", "*")
DIVISIONS = ("/", "\\", "%")
EXTREMES = ("<?", ">?")
RELATIONS = ("<", "<=", ">", ">=", "==", "!=")
CONNECTIVES = ("&&", "||", "^", "=>")


def numbers() -> st.SearchStrategy[Tree]:
    return st.integers(-6, 6).map(lambda number: ("number", number))


def leaves() -> st.SearchStrategy[Tree]:
    return st.one_of(numbers(), st.sampled_from(sorted(VARIABLES)).map(lambda name: ("variable", name)))


def _larger(integers: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    conditions = condition_trees(integers)
    return st.one_of(
        st.tuples(st.sampled_from(ARITHMETIC), integers, integers),
        st.tuples(st.sampled_from(ARITHMETIC), integers, integers),
        st.tuples(st.sampled_from(DIVISIONS), integers, integers),
        st.tuples(st.sampled_from(DIVISIONS), integers, numbers()),
        st.tuples(st.sampled_from(EXTREMES), integers, integers),
        st.tuples(st.sampled_from(("abs", "sign", "negate")), integers),
        st.tuples(st.just("**"), integers, st.integers(0, 3).map(lambda number: ("number", number))),
        st.tuples(st.just("**"), leaves(), leaves()),
        st.tuples(st.just("?"), conditions, integers, integers),
    )


def condition_trees(integers: st.SearchStrategy[Tree] | None = None) -> st.SearchStrategy[Tree]:
    operands = integers if integers is not None else integer_trees(6)
    single = st.one_of(
        st.sampled_from(PROPOSITIONS).map(lambda name: ("proposition", name)),
        st.tuples(st.sampled_from(RELATIONS), operands, operands),
    )
    pairs = st.tuples(st.sampled_from(CONNECTIVES), single, single)
    return st.one_of(single, single, st.tuples(st.just("!"), single), pairs, st.tuples(st.just("||"), pairs, pairs))


def integer_trees(max_leaves: int = 10) -> st.SearchStrategy[Tree]:
    return st.recursive(leaves(), _larger, max_leaves=max_leaves)


def polynomial_trees(max_leaves: int = 8) -> st.SearchStrategy[Tree]:
    """Return a strategy for sums, products and quotients."""
    return st.recursive(
        leaves(),
        lambda inner: st.one_of(
            st.tuples(st.sampled_from(ARITHMETIC), inner, inner),
            st.tuples(st.sampled_from(DIVISIONS), inner, inner),
            st.tuples(st.sampled_from(DIVISIONS), inner, numbers()),
        ),
        max_leaves=max_leaves,
    )


def assignments() -> st.SearchStrategy[dict[str, int]]:
    values: dict[str, st.SearchStrategy[Any]] = {name: bounds.values() for name, bounds in VARIABLES.items()}
    return st.fixed_dictionaries(values | {name: st.booleans() for name in PROPOSITIONS})


def variable(name: str) -> Integer:
    return shapes.variable(name, name, VARIABLES[name].low, VARIABLES[name].high)


def built(tree: Tree) -> Integer:
    """Return the tree as a symbolic integer. Raise the exceptions of the operations."""
    operator, *operands = tree
    match operator:
        case "number":
            return shapes.constant(operands[0])
        case "variable":
            return variable(operands[0])
        case "?":
            return shapes.choose(built_condition(operands[0]), built(operands[1]), built(operands[2]))
    values = [built(operand) for operand in operands]
    match operator:
        case "+":
            return values[0] + values[1]
        case "-":
            return values[0] - values[1]
        case "*":
            return values[0] * values[1]
        case "/":
            return shapes.floor_divide(*values)
        case "\\":
            return shapes.ceil_divide(*values)
        case "%":
            return shapes.remainder(*values)
        case "**":
            return shapes.power(*values)
        case "<?":
            return shapes.minimum(*values)
        case ">?":
            return shapes.maximum(*values)
        case "abs":
            return shapes.absolute(*values)
        case "sign":
            return shapes.sign(*values)
        case "negate":
            return -values[0]
    raise AssertionError(operator)


def built_condition(tree: Tree) -> Truth:
    """Return the tree as a symbolic condition."""
    operator, *operands = tree
    if operator == "proposition":
        return shapes.proposition(operands[0], operands[0])
    if operator in RELATIONS:
        return shapes.compare(operator, built(operands[0]), built(operands[1]))
    conditions = [built_condition(operand) for operand in operands]
    connectives = {"!": shapes.not_, "&&": shapes.and_, "||": shapes.or_, "^": shapes.xor, "=>": shapes.implies}
    return connectives[operator](*conditions)


def value(tree: Tree, variables: Mapping[str, int]) -> int:
    """Return the value of the tree for these variables. Raise DivisionByZero or NegativeExponent if it has none."""
    operator, *operands = tree
    match operator:
        case "number":
            return int(operands[0])
        case "variable":
            return variables[operands[0]]
        case "?":
            return value(operands[1 if condition_value(operands[0], variables) else 2], variables)
    a, *rest = (value(operand, variables) for operand in operands)
    b = rest[0] if rest else 0
    if operator in DIVISIONS and b == 0:
        raise DivisionByZero
    if operator == "**" and b < 0:
        raise NegativeExponent
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a // b
        case "\\":
            return -(-a // b)
        case "%":
            return a % b
        case "**":
            return int(a**b)
        case "<?":
            return a if a < b else b
        case ">?":
            return a if a > b else b
        case "abs":
            return -a if a < 0 else a
        case "sign":
            return -1 if a < 0 else 1 if a > 0 else 0
        case "negate":
            return -a
    raise AssertionError(operator)


def condition_value(tree: Tree, variables: Mapping[str, int]) -> bool:
    """Return whether the condition holds; connectives skip operands that no longer matter."""
    operator, *operands = tree
    match operator:
        case "proposition":
            return bool(variables[operands[0]])
        case "!":
            return not condition_value(operands[0], variables)
        case "&&":
            return condition_value(operands[0], variables) and condition_value(operands[1], variables)
        case "||":
            return condition_value(operands[0], variables) or condition_value(operands[1], variables)
        case "=>":
            return not condition_value(operands[0], variables) or condition_value(operands[1], variables)
        case "^":
            return condition_value(operands[0], variables) != condition_value(operands[1], variables)
    a, b = (value(operand, variables) for operand in operands)
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[str(operator)]


def defined(tree: Tree, variables: Mapping[str, int]) -> int | None:
    """Return the value, or None if there is none."""
    try:
        return value(tree, variables)
    except (DivisionByZero, NegativeExponent):
        return None
