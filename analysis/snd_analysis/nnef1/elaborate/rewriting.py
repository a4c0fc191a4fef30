"""Operations of tract that texts in strings describe: einsum by an expression, scan by the name of a fragment.

An einsum becomes an operator that has numbers for the letters, and so does a product of matrices in old files. A scan
becomes the invocations of its body, one after the other; where the number of turns is not known, only the shapes of its
results are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Span
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.nnef1.elaborate.arithmetic import binary
from snd_analysis.nnef1.elaborate.evaluation import Evaluator, Source
from snd_analysis.nnef1.elaborate.folding import plain
from snd_analysis.nnef1.elaborate.invocations import invoke
from snd_analysis.nnef1.elaborate.items.item_types import Given, item_type
from snd_analysis.nnef1.elaborate.operators import Parameter
from snd_analysis.nnef1.elaborate.scan_loops import Carried, Scanned, Wanted, loop
from snd_analysis.nnef1.elaborate.values import UNKNOWN, Items, TensorName, Value, has_unknown
from snd_analysis.nnef1.names import sanitized
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer

_EXPRESSION = re.compile(r"(?P<inputs>[^\W\d_]*(,[^\W\d_]*)*)->(?P<result>[^\W\d_]*)")


# ---- einsum ----------------------------------------------------------------------------------------------------------
class _Letters(Struct, frozen=True):
    """The letters of an expression of einsum: one for each dimension of each input, and of the result."""

    inputs: tuple[str, ...]
    result: str


def _letters(evaluator: Evaluator, given: Given, count: int) -> _Letters | None:
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
    evaluator: Evaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> Value:
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
    evaluator: Evaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> Value:
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
    evaluator: Evaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> Value:
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


def _axes(evaluator: Evaluator, given: Mapping[str, Given]) -> tuple[list[int], int] | None:
    """Return the six numbers of dimensions, and the rank of both inputs; None if these are unknown or do not fit."""
    ranks = {
        len(value.tensor.shape)
        for name in ("A", "B")
        if isinstance(value := given[name].value, TensorName) and value.tensor is not None and value.tensor.shape
    }
    if has_unknown(given["axes"].value) or not ranks:
        return None
    values = given["axes"].value.values if isinstance(given["axes"].value, Items) else ()
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


def _operands(evaluator: Evaluator, given: Mapping[str, Given]) -> tuple[Value, ...] | None:
    inputs = given["inputs"]
    if has_unknown(inputs.value):
        return None
    if not isinstance(inputs.value, Items) or not inputs.value.values:
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


# ---- scan ------------------------------------------------------------------------------------------------------------
class _Scanned(Struct, frozen=True):
    """A tensor that a scan cuts into pieces along an axis, for the parameter of its body that takes them."""

    parameter: str
    tensor: Value
    axis: int
    step: int


def _scan(evaluator: Evaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None) -> Value:
    fragment = _body(evaluator, given["body"])
    if fragment is None:
        return UNKNOWN
    rows = {name: list(_rows(given, name)) for name in ("scan", "full", "state", "output")}
    if any(has_unknown(given[name].value) for name in rows if name in given):
        return UNKNOWN
    try:
        scanned = [_Scanned(_name(row[0]), row[1], _number(row[2]), _number(row[3])) for row in rows["scan"]]
        fixed = {_name(row[0]): row[1] for row in rows["full"]}
        state = {_name(row[0]): row[1] for row in rows["state"]}
        carried = {_name(row[0]): _name(row[2]) for row in rows["state"]}
        wanted = [(_name(row[0]), row[1], _number(row[2]), _number(row[-1])) for row in rows["output"]]
        counts = [_count(each) for each in scanned]
    except (_Unsuitable, IndexError) as error:
        return evaluator.report(rules.TYPE_MISMATCH, call.function, f"this is no list for a scan: {error}")
    if not counts or len(set(counts)) > 1:
        message = "the scanned tensors must have equally many pieces"
        return evaluator.report(rules.LENGTH_MISMATCH, given.get("scan", given["body"]).span, message)
    results = [each.name.text for each in fragment.head.results]
    fixed, state = (
        {name: _tensor(evaluator, call, value) if isinstance(value, Items) else value for name, value in row.items()}
        for row in (fixed, state)
    )

    def turn(pieces: Mapping[str, Value]) -> dict[str, Value]:
        values = {name: Given(value, call.function.span) for name, value in {**fixed, **state, **pieces}.items()}
        missing = [each.name.text for each in fragment.head.parameters if each.name.text not in values]
        if missing:
            message = f"nothing is given for '{missing[0]}' of the body"
            evaluator.report(rules.MISSING_ARGUMENT, call.function, message)
            return {}
        found = evaluator.invoke_fragment(call, fragment, values, None)
        made = found.values if isinstance(found, Items) and len(results) > 1 else (found,)
        return dict(zip(results, made, strict=False))

    many = len(wanted) > 1
    outputs: list[Value] = []
    if counts[0].value is None:
        made = _loop(evaluator, call, scanned, state, carried, wanted, counts[0], turn, target)
        if made is not None:
            return Items(tuple(made)) if many else made[0]
        with evaluator.context.scratch():
            found = turn({each.parameter: _any_piece(each) for each in scanned})
        for at, (name, kind, axis, _) in enumerate(wanted):
            place = _target(target, at, many)
            known = found.get(name, UNKNOWN)
            outputs.append(
                _shaped(evaluator, call, scanned[0], known, counts[0] if kind == "full" else None, axis, place)
            )
        return Items(tuple(outputs)) if many else outputs[0]
    steps: list[dict[str, Value]] = []
    for number in range(counts[0].value):
        pieces = {each.parameter: _piece(evaluator, call, each, number, counts[0].value) for each in scanned}
        steps.append(turn(pieces))
        state = {name: steps[-1].get(carried[name], UNKNOWN) for name in state}
    for at, (name, kind, axis, step) in enumerate(wanted):
        values = [each.get(name, UNKNOWN) for each in steps]
        outputs.append(_output(evaluator, call, values, kind, axis, step, _target(target, at, many)))
    return Items(tuple(outputs)) if many else outputs[0]


def _body(evaluator: Evaluator, given: Given) -> nodes.Definition | None:
    """Return the fragment that a scan names, if it has statements."""
    body = given.value
    fragment = evaluator.context.names.fragments.get(sanitized(body)) if isinstance(body, str) else None
    if fragment is None or fragment.body is None:
        what = f"there is no fragment '{body}'" if isinstance(body, str) else "'body' is the name of a fragment"
        evaluator.report(rules.UNKNOWN_OPERATOR, given.span, what)
        return None
    return fragment


def _tensor(evaluator: Evaluator, call: nodes.Call, value: Value) -> Value:
    """Return a literal as a tensor of the graph."""
    return _invoked(evaluator, call, "copy", {"x": Given(value, call.function.span)}, None)


def _loop(
    evaluator: Evaluator,
    call: nodes.Call,
    scanned: Sequence[_Scanned],
    state: Mapping[str, Value],
    carried: Mapping[str, str],
    wanted: Sequence[tuple[str, Value, int, int]],
    count: Integer,
    turn: Callable[[Mapping[str, Value]], Mapping[str, Value]],
    target: nodes.Expression | None,
) -> list[Value] | None:
    """Return a scan of pieces of extent 1 as a loop; None for other scans.

    Tensors that the scan goes through backwards are reversed before and after the loop.
    """
    rows = [(kind == "full" and step == -1, axis) for _, kind, axis, step in wanted]
    steps = (*(each.step for each in scanned), *(step for _, kind, _, step in wanted if kind != "last"))
    if any(abs(step) != 1 for step in steps):
        return None
    pieces = [
        Scanned(each.parameter, tensor, each.axis)
        for each in scanned
        if isinstance(tensor := _forwards(evaluator, call, each), TensorName)
    ]
    initial = {
        name: value if isinstance(value, TensorName) and value.name else _tensor(evaluator, call, value)
        for name, value in state.items()
    }
    kept = [Carried(name, each, carried[name]) for name, each in initial.items() if isinstance(each, TensorName)]
    if len(pieces) < len(scanned) or len(kept) < len(state):
        return None
    targets = [_target(target, at, len(wanted) > 1) for at in range(len(wanted))]
    results = [
        Wanted(name, kind == "last", axis, None if is_reversed else place)
        for (name, kind, axis, _), (is_reversed, _), place in zip(wanted, rows, targets, strict=True)
    ]
    made = loop(evaluator.context, evaluator.frame, call.function.span, count, pieces, kept, results, turn)
    if made is None:
        return None
    return [
        _reversed(evaluator, call, value, axis, place) if is_reversed else value
        for value, (is_reversed, axis), place in zip(made, rows, targets, strict=True)
    ]


def _forwards(evaluator: Evaluator, call: nodes.Call, scanned: _Scanned) -> Value:
    if scanned.step > 0:
        return scanned.tensor
    return _reversed(evaluator, call, scanned.tensor, scanned.axis, None)


def _reversed(
    evaluator: Evaluator, call: nodes.Call, value: Value, axis: int, target: nodes.Expression | None
) -> Value:
    span = call.function.span
    numbers = {"axis": axis, "stride": -1, "modulo": 0}
    given = {name: Given(integers.constant(number), span) for name, number in numbers.items()}
    return _invoked(evaluator, call, "tract_core_downsample", {"input": Given(value, span), **given}, target)


def _rows(given: Mapping[str, Given], name: str) -> Iterator[tuple[Value, ...]]:
    value = given[name].value if name in given else Items(())
    for row in value.values if isinstance(value, Items) else ():
        yield row.values if isinstance(row, Items) else (row,)


class _Unsuitable(Exception):  # noqa: N818
    """A value that a scan can't have; the message names the expected one."""


def _name(value: Value) -> str:
    if not isinstance(value, str):
        raise _Unsuitable("each item begins with a name")
    return sanitized(value)


def _number(value: Value) -> int:
    value = plain(value)
    if not isinstance(value, Integer) or value.value is None:
        raise _Unsuitable("axes and steps are numbers")
    return value.value


def _extents(scanned: _Scanned) -> list[Integer]:
    tensor = scanned.tensor.tensor if isinstance(scanned.tensor, TensorName) else None
    shape = () if tensor is None or tensor.shape is None else tensor.shape
    extents = [each for each in shape if isinstance(each, Integer)]
    if len(extents) != len(shape) or not 0 <= scanned.axis < len(extents):
        raise _Unsuitable(f"what '{scanned.parameter}' takes has no dimension {scanned.axis}")
    return extents


def _count(scanned: _Scanned) -> Integer:
    """Return the number of pieces of a tensor, which may be symbolic."""
    extent = _extents(scanned)[scanned.axis]
    if scanned.step == 0 or (extent.value is not None and (extent.value % scanned.step or not extent.value)):
        raise _Unsuitable(f"an extent of {extent} is no multiple of the step {scanned.step}")
    count = binary("/", extent, integers.constant(abs(scanned.step)))
    assert isinstance(count, Integer)
    return count


def _any_piece(scanned: _Scanned) -> TensorName:
    """Return a tensor with the extents of a piece."""
    assert isinstance(scanned.tensor, TensorName)
    assert scanned.tensor.tensor is not None
    shape = _extents(scanned)
    shape[scanned.axis] = integers.constant(abs(scanned.step))
    tensor = Tensor(scanned.parameter, scanned.tensor.tensor.dtype, tuple(shape), TensorKind.RESULT)
    return TensorName(scanned.parameter, tensor)


def _shaped(
    evaluator: Evaluator,
    call: nodes.Call,
    scanned: _Scanned,
    found: Value,
    count: Integer | None,
    axis: int,
    target: nodes.Expression | None,
) -> Value:
    """Return a result of a scan whose turns can't be counted: its shape follows from one turn."""
    tensor = found.tensor if isinstance(found, TensorName) else None
    if tensor is None or tensor.shape is None or not 0 <= axis < len(tensor.shape):
        return UNKNOWN
    span = call.function.span
    shape: list[Value] = [each for each in tensor.shape if isinstance(each, Integer)]
    if count is not None:
        shape[axis] = binary("*", shape[axis], count)
    arguments = {
        "input": Given(scanned.tensor, span),
        "shape": Given(Items(tuple(shape)), span),
        "datum_type": Given(_TYPES.get(tensor.dtype or "", "f32"), span),
    }
    return _invoked(evaluator, call, "tract_core_scan", arguments, target)


_TYPES = {"int": "i64", "bool": "bool", "str": "string"}


def _piece(evaluator: Evaluator, call: nodes.Call, scanned: _Scanned, at: int, count: int) -> Value:
    """Return the piece of a tensor that one turn takes: a negative step begins at the end."""
    size = abs(scanned.step)
    first = (at if scanned.step > 0 else count - 1 - at) * size
    numbers = {"start": first, "end": first + size, "len": size, "axis": scanned.axis}
    span = call.function.span
    arguments = {name: Given(integers.constant(number), span) for name, number in numbers.items()}
    return _invoked(evaluator, call, "tract_core_dyn_slice", {"input": Given(scanned.tensor, span), **arguments}, None)


def _output(
    evaluator: Evaluator,
    call: nodes.Call,
    found: Sequence[Value],
    kind: Value,
    axis: int,
    step: int,
    target: nodes.Expression | None,
) -> Value:
    if kind == "last":
        return found[-1]
    values = Items(tuple(found if step > 0 else reversed(found)))
    span = call.function.span
    arguments = {"values": Given(values, span), "axis": Given(integers.constant(axis), span)}
    return _invoked(evaluator, call, "concat", arguments, target)


def _target(target: nodes.Expression | None, at: int, many: bool) -> nodes.Expression | None:
    items = target.items if isinstance(target, nodes.Array | nodes.Tuple) else ()
    return items[at] if at < len(items) else None if many else target


# ---- both ------------------------------------------------------------------------------------------------------------
def _invoked(
    evaluator: Evaluator,
    call: nodes.Call,
    operation: str,
    given: Mapping[str, Given],
    target: nodes.Expression | None,
) -> Value:
    template = evaluator.context.template(operation)
    if template is None or any(has_unknown(each.value) for each in given.values()):
        return UNKNOWN
    return invoke(evaluator.context, evaluator.frame, call.function, template, given, target)


def _integers(numbers: Sequence[int]) -> Items:
    return Items(tuple(map(integers.constant, numbers)))


def _tensors(*names: str) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, True, False, False) for name in names)


def _attributes(required: Sequence[str], optional: Sequence[str]) -> tuple[Parameter, ...]:
    return (
        *(Parameter(name, False, False, True) for name in required),
        *(Parameter(name, False, False, False) for name in optional),
    )


_INPUTS = Parameter("inputs", True, True, True)
_MATRICES = (Parameter("A", True, False, True), Parameter("B", True, False, True))
REWRITTEN: Mapping[str, tuple[tuple[Parameter, ...], Source]] = {
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
            *(Parameter(name, True, False, True) for name in _OF_QUANTIZED[1:]),
            *_attributes(["output_type"], []),
        ),
        _matmul,
    ),
    "tract_core_scan": (
        _attributes(["body", "scan"], ["full", "state", "output", "skip", "reset_every_turn", "external_state"]),
        _scan,
    ),
}
