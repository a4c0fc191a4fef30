"""Operations of tract that are rewritten: products by letters in strings, and scans.

An einsum becomes an operator that has numbers for the letters, and so does a product of matrices in old files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Span
from snd_analysis.nnef1.elaborate.evaluation import BodyEvaluator, Source
from snd_analysis.nnef1.elaborate.invocations import invoke
from snd_analysis.nnef1.elaborate.items.item_types import Given, item_type
from snd_analysis.nnef1.elaborate.operators import OperationParameter
from snd_analysis.nnef1.elaborate.scans import scan as scans
from snd_analysis.nnef1.elaborate.values import UNKNOWN, ElaboratedValue, GraphTensor, ItemList, has_unknown
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer

_EXPRESSION = re.compile(r"(?P<inputs>[^\W\d_]*(,[^\W\d_]*)*)->(?P<result>[^\W\d_]*)")


# ---- einsum ----------------------------------------------------------------------------------------------------------
class _Letters(Struct, frozen=True):
    """The letters of an expression of einsum: one for each dimension of each input, and of the result."""

    inputs: tuple[str, ...]
    result: str


def _letters(evaluator: BodyEvaluator, given: Given, count: int) -> _Letters | None:
    text = given.value
    match = _EXPRESSION.fullmatch(text.replace(" ", "")) if isinstance(text, str) else None
    if match is None:
        evaluator.report(rules.TYPE_MISMATCH, given.span, "'expr' is a string such as 'mk,kn->mn'")
        return None
    letters = _Letters(tuple(match["inputs"].split(",")), match["result"])
    if len(letters.inputs) != count:
        message = f"'expr' is about {len(letters.inputs)} inputs, but there are {count}"
        evaluator.report(rules.TYPE_MISMATCH, given.span, message)
        return None
    return letters


def _einsum(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    operands = _operands(evaluator, given)
    letters = None if operands is None else _letters(evaluator, given["expr"], len(operands))
    if operands is None or letters is None:
        return UNKNOWN
    span = given["inputs"].span
    # Contract the remaining operands two at a time, keeping the letters that are needed afterwards.
    rest = list(zip(operands, letters.inputs, strict=True))
    if len(rest) == 1:
        one = integers.constant(1) if item_type(rest[0][0]) == "int" else 1.0
        rest.append((one, ""))
    while len(rest) > 1:
        (left, of_left), (right, of_right), *rest = rest
        later = letters.result + "".join(each for _, each in rest)
        kept = "".join(dict.fromkeys(each for each in of_left + of_right if each in later)) if rest else letters.result
        numbers = {"lhs": of_left, "rhs": of_right, "result": kept}
        arguments = {"x": Given(left, span), "y": Given(right, span), **_numbered(numbers, given["expr"].span)}
        made = _invoked(evaluator, call, "tract_core_einsum", arguments, None if rest else target)
        rest = [(made, kept), *rest]
    return rest[0][0]


_OF_QUANTIZED = ("bias", "a0", "a_scale", "b0", "b_scale", "c0", "c_scale")


def _quantized_einsum(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    operands = _operands(evaluator, given)
    letters = None if operands is None else _letters(evaluator, given["expr"], len(operands) + len(_OF_QUANTIZED))
    if operands is None or letters is None or len(operands) != 2:
        return UNKNOWN
    (left, right), span = operands, given["inputs"].span
    numbers = {"lhs": letters.inputs[0], "rhs": letters.inputs[1], "result": letters.result}
    arguments = {
        "x": Given(left, span),
        "y": Given(right, span),
        **{name: given[name] for name in (*_OF_QUANTIZED, "output") if name in given},
        **_numbered(numbers, given["expr"].span),
    }
    return _invoked(evaluator, call, "tract_core_einsum_q", arguments, target)


def _matmul(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    """Rewrite a product of matrices whose dimensions are given by number, as in files of older versions."""
    axes = _axes(evaluator, given)
    if axes is None:
        return UNKNOWN
    (a_m, a_k, b_k, b_n, c_m, c_n), rank = axes
    batch = "".join(chr(ord("p") + at) for at in range(rank - 2))
    letters = (
        _with_letters(batch, {a_m: "m", a_k: "k"}),
        _with_letters(batch, {b_k: "k", b_n: "n"}),
        _with_letters(batch, {c_m: "m", c_n: "n"}),
    )
    numbers = dict(zip(("lhs", "rhs", "result"), letters, strict=True))
    arguments = {"x": given["A"], "y": given["B"], **_numbered(numbers, given["axes"].span)}
    if "output_type" not in given:
        return _invoked(evaluator, call, "tract_core_einsum", arguments, target)
    quantized = {name: given[name] for name in _OF_QUANTIZED if name in given}
    quantized.setdefault("bias", Given(integers.constant(0), call.function.span))
    arguments = {**arguments, **quantized, "output": given["output_type"]}
    return _invoked(evaluator, call, "tract_core_einsum_q", arguments, target)


def _axes(evaluator: BodyEvaluator, given: Mapping[str, Given]) -> tuple[list[int], int] | None:
    """Return the six numbers of dimensions, and the rank of both inputs; None if these are unknown or do not fit."""
    ranks = {
        len(value.tensor.shape)
        for name in ("A", "B")
        if isinstance(value := given[name].value, GraphTensor) and value.tensor is not None and value.tensor.shape
    }
    if has_unknown(given["axes"].value) or not ranks:
        return None
    values = given["axes"].value.values if isinstance(given["axes"].value, ItemList) else ()
    axes = [each.value for each in values if isinstance(each, Integer) and each.value is not None]
    rank = max(ranks)
    pairs = [tuple(axes[at : at + 2]) for at in (0, 2, 4)]
    if len(axes) == 6 and len(ranks) == 1 and all(0 <= x < rank and 0 <= y < rank and x != y for x, y in pairs):
        return axes, rank
    message = "'axes' must be six dimensions: those of 'm' and 'k' in 'A', of 'k' and 'n' in 'B', of both in the result"
    evaluator.report(rules.TYPE_MISMATCH, given["axes"].span, message)
    return None


def _with_letters(batch: str, letters: Mapping[int, str]) -> str:
    """Return the letters of all dimensions: batch letters at dimensions that ``letters`` does not name."""
    others = iter(batch)
    return "".join(letters[at] if at in letters else next(others) for at in range(len(batch) + len(letters)))


def _operands(evaluator: BodyEvaluator, given: Mapping[str, Given]) -> tuple[ElaboratedValue, ...] | None:
    inputs = given["inputs"]
    if has_unknown(inputs.value):
        return None
    if not isinstance(inputs.value, ItemList) or not inputs.value.values:
        evaluator.report(rules.TYPE_MISMATCH, inputs.span, "'inputs' must be an array of tensors")
        return None
    return inputs.value.values


def _numbered(lists: Mapping[str, str], span: Span) -> dict[str, Given]:
    """Return numbers for letters, the same in each list, and the number of distinct letters."""
    numbers = {letter: number for number, letter in enumerate(dict.fromkeys("".join(lists.values())))}
    found = {name: [numbers[letter] for letter in letters] for name, letters in lists.items()}
    return {
        **{name: Given(_integers(each), span) for name, each in found.items()},
        "count": Given(integers.constant(len(numbers)), span),
    }


# ---- parts -----------------------------------------------------------------------------------------------------------
def _invoked(
    evaluator: BodyEvaluator,
    call: nodes.Call,
    operation: str,
    given: Mapping[str, Given],
    target: nodes.Expression | None,
) -> ElaboratedValue:
    template = evaluator.context.template(operation)
    if template is None or any(has_unknown(each.value) for each in given.values()):
        return UNKNOWN
    return invoke(evaluator.context, evaluator.frame, call.function, template, given, target)


def _integers(numbers: Sequence[int]) -> ItemList:
    return ItemList(tuple(map(integers.constant, numbers)))


def _tensors(*names: str) -> tuple[OperationParameter, ...]:
    return tuple(OperationParameter(name, True, False, False) for name in names)


def _attributes(required: Sequence[str], optional: Sequence[str]) -> tuple[OperationParameter, ...]:
    return (
        *(OperationParameter(name, False, False, True) for name in required),
        *(OperationParameter(name, False, False, False) for name in optional),
    )


_INPUTS = OperationParameter("inputs", True, True, True)
_MATRICES = (OperationParameter("A", True, False, True), OperationParameter("B", True, False, True))
REWRITTEN: Mapping[str, tuple[tuple[OperationParameter, ...], Source]] = {
    "tract_core_einsum": ((_INPUTS, *_attributes(["expr"], ["acc", "output"])), _einsum),
    "tract_core_einsum_q": (
        (_INPUTS, *_attributes(["expr"], ["acc", "output"]), *_tensors(*_OF_QUANTIZED)),
        _quantized_einsum,
    ),
    "tract_core_matmul": ((*_MATRICES, *_attributes(["axes"], [])), _matmul),
    "tract_core_qmatmul": (
        (
            *_MATRICES,
            *_tensors("bias"),
            *_attributes(["axes"], []),
            *(OperationParameter(name, True, False, True) for name in _OF_QUANTIZED[1:]),
            *_attributes(["output_type"], []),
        ),
        _matmul,
    ),
    "tract_core_scan": (scans.PARAMETERS, scans.scan),
}
