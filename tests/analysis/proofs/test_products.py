"""Lemmas about products hold for all ints, and quotients are simplified to equal ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

from snd_analysis.proofs.goal import Expression, choose, number, unknown
from snd_analysis.proofs.linear import linearized
from snd_analysis.proofs.polynomials import Polynomials, divided, plus
from support import sampling

NAMES = range(1, 5)
VALUES = st.tuples(*(st.integers(-6, 9) for _ in NAMES))


def evaluate(e: Expression, values: dict[int, int]) -> int:
    """Return the value of an expression; a condition is 0 or 1."""
    parts = [evaluate(each, values) for each in e.operands] if e.operation != "choose" else []
    match e.operation:
        case "constant":
            return e.value
        case "unknown":
            return values[e.value]
        case "+":
            return sum(parts)
        case "*":
            return parts[0] * parts[1]
        case "<=":
            return int(parts[0] <= parts[1])
        case "==":
            return int(parts[0] == parts[1])
        case "not":
            return int(not parts[0])
        case "and":
            return int(all(parts))
        case "or":
            return int(any(parts))
    condition, first, second = e.operands
    return evaluate(first if evaluate(condition, values) else second, values)


def integers() -> st.SearchStrategy[Expression]:
    leaves = st.one_of(st.sampled_from([unknown(name) for name in NAMES]), st.integers(-3, 4).map(number))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(lambda a, b: a + b, inner, inner),
            st.builds(lambda a, b: a - b, inner, inner),
            st.builds(lambda a, b: a * b, inner, inner),
            st.builds(lambda a, b, c, d: choose(a <= b, c, d), inner, inner, inner, inner),
        ),
        max_leaves=6,
    )


@settings(max_examples=sampling.examples(400), deadline=None)
@given(st.lists(st.tuples(integers(), integers()), min_size=1, max_size=3), VALUES)
def test_lemmas_hold_for_all_ints(pairs, chosen):
    """With each product in its place, lemmas are true, and conditions have the values that they had."""
    values = dict(zip(NAMES, chosen, strict=True))
    conditions = [first <= second for first, second in pairs]
    found = linearized(conditions)
    if found is None:
        return
    for name, product in found.products.items():
        values[name] = evaluate(product, values)
    for condition, linear in zip(conditions, found.conditions, strict=True):
        assert evaluate(linear, values) == evaluate(condition, values)
    assert all(evaluate(lemma, values) for lemma in found.lemmas)


@settings(max_examples=sampling.examples(400), deadline=None)
@given(integers(), integers(), VALUES)
def test_a_quotient_is_taken_apart_exactly(dividend, divisor, chosen):
    values = dict(zip(NAMES, chosen, strict=True))
    polynomials = Polynomials()
    first, second = polynomials.of(dividend), polynomials.of(divisor)
    taken, rest = divided(polynomials, first, second)
    again = plus(polynomials.times(taken, second), rest)
    assert evaluate(polynomials.expression(again), values) == evaluate(dividend, values)


@settings(max_examples=sampling.examples(400), deadline=None)
@given(integers(), VALUES)
def test_a_polynomial_has_the_value_of_its_expression(integer, chosen):
    values = dict(zip(NAMES, chosen, strict=True))
    polynomials = Polynomials()
    assert evaluate(polynomials.expression(polynomials.of(integer)), values) == evaluate(integer, values)
