"""Restrictions of a profile of TOSA 0.30: operators, types of storage, compile-time operands, and sizes.

The assertions of the operators hold for every profile: ranks, broadcasting, attributes, zero points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import OperatorName, Rule, Span
from snd_analysis.compose import Failure, Site, Specialization, shape_text, specialization_of, written_call
from snd_analysis.formats.intervals import Operands, constant_items, extents, storage_attribute
from snd_analysis.formats.reached import TOSA
from snd_analysis.model import Graph, Loop, Operation, Tensor, TensorKind, TensorValue, tensors_of
from snd_analysis.skriptnd.names import is_library
from snd_analysis.symbolic.integers import FALSE, TRUE
from snd_analysis.symbolic.values import NULL


# ---- operators of TOSA that operators of the standard library can be written with ------------------------------------
class Counterpart(Struct, frozen=True):
    """An operator of TOSA; ``same`` if its inputs are the same in the same order, and it needs no attribute."""

    name: str
    same: bool = False


_SAME = {
    "iden": "identity", "neg": "negate", "rcp": "reciprocal", "rsqrt": "rsqrt", "exp": "exp", "log": "log",
    "tanh": "tanh", "abs": "abs", "not": "logical_not", "floor": "floor", "ceil": "ceil", "add": "add", "sub": "sub",
    "mul": "mul", "pow": "pow", "min": "minimum", "max": "maximum", "gt": "greater", "ge": "greater_equal",
    "eq": "equal", "and": "logical_and", "or": "logical_or", "xor": "logical_xor", "select": "select",
}  # fmt: skip
_OTHERS = {
    ("math", "clamp"): "clamp", ("math", "div"): "reciprocal", ("math", "sum_reduce"): "reduce_sum",
    ("math", "max_reduce"): "reduce_max", ("math", "min_reduce"): "reduce_min",
    ("math", "prod_reduce"): "reduce_product",
    ("math", "any_reduce"): "reduce_any", ("math", "all_reduce"): "reduce_all", ("math", "argmax"): "argmax",
    ("math", "lt"): "greater", ("math", "le"): "greater_equal", ("linalg", "matmul"): "matmul",
    ("nn", "conv"): "conv2d",
    ("nn", "deconv"): "transpose_conv2d", ("nn", "max_pool"): "max_pool2d", ("nn", "avg_pool"): "avg_pool2d",
    ("nn", "linear"): "fully_connected", ("nn", "relu"): "clamp", ("layout", "cast"): "cast",
    ("layout", "concat"): "concat", ("layout", "pad"): "pad", ("layout", "reshape"): "reshape",
    ("layout", "flatten"): "reshape", ("layout", "squeeze"): "reshape", ("layout", "unsqueeze"): "reshape",
    ("layout", "slice"): "slice", ("layout", "tile"): "tile", ("layout", "transpose"): "transpose",
    ("layout", "gather"): "gather", ("layout", "scatter"): "scatter", ("layout", "tensor"): "const",
    ("image", "nearest_upsample"): "resize", ("image", "linear_upsample"): "resize",
}  # fmt: skip
COUNTERPARTS = {
    **{("math", name): Counterpart(other, True) for name, other in _SAME.items()},
    **{name: Counterpart(other) for name, other in _OTHERS.items()},
    ("nn", "sigmoid"): Counterpart("sigmoid", True),
}
"""Counterparts by module and name."""


# ---- invocations of the standard library as TOSA writes them ---------------------------------------------------------
_REDUCTIONS = frozenset({"sum_reduce", "max_reduce", "min_reduce", "prod_reduce", "any_reduce", "all_reduce"})
_RESHAPING = frozenset({"reshape", "flatten", "squeeze", "unsqueeze"})
_GREATEST_RANK = 4


def as_tosa(operation: Operation, module: str, name: str) -> str | None:
    """Return an operator of TOSA with its attributes, without a module, that means the same for the same inputs.

    Return None if there is none, or extents that it must name are not known.
    """
    counterpart = COUNTERPARTS.get((module, name))
    if counterpart is None:
        return None
    if counterpart.same:
        ranks = {len(shape) for each in operation.inputs if (shape := extents(each)) is not None}
        plain = all(value is NULL for value in operation.attributes.values())
        return counterpart.name if plain and len(ranks) == 1 else None
    attributes = _attributes(Operands(operation, lambda _: None), module, name)
    return None if attributes is None else f"{counterpart.name}{attributes}"


def _attributes(found: Operands, module: str, name: str) -> str | None:
    """Return the attributes in braces; empty for none, None if there is no counterpart."""
    first = next(iter(tensors_of(found.operation.inputs[0])), None) if found.operation.inputs else None
    shape = extents(first) if first is not None else None
    result = found.result_shape()
    given = sum(each is not NULL for each in found.operation.inputs)
    if shape is None or result is None:
        return None
    rank = len(shape)
    match module, name:
        case "math", _ if name in _REDUCTIONS:
            axes = found.numbers("axes")
            if axes and len(axes) == 1 and found.attributes.get("squeeze") is FALSE and rank <= _GREATEST_RANK:
                return f"{{axis={axes[0] % rank}}}"
        case "math", "argmax":
            axis = found.number("axis")
            if axis is not None and found.attributes.get("squeeze") is TRUE and rank <= _GREATEST_RANK:
                return f"{{axis={axis % rank}}}"
        case "layout", "concat":
            axis = found.number("axis")
            return None if axis is None else f"{{axis={axis % rank}}}"
        case "layout", "transpose":
            perm, axis = found.numbers("perm"), found.number("axis")
            if perm and axis is not None:
                return f"{{perms={_list([*range(axis % rank), *(each % rank for each in perm)])}}}"
        case "layout", _ if name in _RESHAPING:
            return f"{{new_shape={_list(result)}}}"
        case "layout", "tile" if rank <= _GREATEST_RANK:
            return f"{{multiples={_list([new // max(old, 1) for old, new in zip(shape, result, strict=True)])}}}"
        case "layout", "slice" if rank <= _GREATEST_RANK:
            axes, begin, stride = (found.numbers(each) for each in ("axes", "begin", "stride"))
            if axes is not None and begin is not None and stride is not None and all(each == 1 for each in stride):
                first_of = {axis % rank: at for axis, at in zip(axes, begin, strict=True)}
                return f"{{start={_list([first_of.get(at, 0) for at in range(rank)])}, size={_list(result)}}}"
        case "layout", "pad":
            axes, padding = found.numbers("axes"), found.numbers("padding")
            if axes is not None and padding and found.text("method") == "CONSTANT" and given == 1:
                around = {axis % rank: padding[2 * at : 2 * at + 2] for at, axis in enumerate(axes)}
                return f"{{padding={_list([each for at in range(rank) for each in around.get(at, [0, 0])])}}}"
        case "nn", "linear":
            return "" if given == 3 else None
        case "linalg", "matmul":
            plain = all(found.attributes.get(each) is FALSE for each in ("transA", "transB"))
            other = found.shape(1)
            same_batch = rank == 3 and other is not None and len(other) == rank and other[0] == shape[0]
            return "" if plain and same_batch and given == 2 else None
        case "nn", "relu":
            most = found.attributes.get("max")
            if isinstance(most, float) and found.attributes.get("alpha") is NULL:
                return f"{{min_val=0.0, max_val={most!r}}}"
    return None


def _list(items: Sequence[int]) -> str:
    return f"[{','.join(map(str, items))}]"


# ---- restrictions of a profile of TOSA 0.30: operators, types of storage, compile-time operands, and sizes -----------
_BASE = "base-inference"
_TRAINING = "main-training"
_NOT_IN_BASE = frozenset({
    "fft2d", "rfft2d", "sigmoid", "tanh", "pow", "ceil", "exp", "floor", "log", "reciprocal", "rsqrt", "reduce_product",
})  # fmt: skip
_REALS = ("fp16_t", "bf16_t", "fp32_t")
_CONSTANT_INPUTS = frozenset({"weight", "bias", "table", "multiplier", "shift"})
_READ_BY = {
    "int4_t": "only weights are", "int48_t": "only RESCALE reads",
    "uint8_t": "only RESCALE reads", "uint16_t": "only RESCALE reads",
}  # fmt: skip
"""Reasons by storage type, for types that neither CONST nor an operator for all other types supports."""
_GREATEST_SIZE = 2**32 - 1


def profile_failures(root: Specialization, profile: str, module: str | None) -> Iterator[Failure]:
    """Yield violations of a profile by a graph; ``module`` is the name under which the file imports TOSA."""
    if root.body is not None:
        yield from _Walk(profile, module).graph(root.body)


class _Walk:
    def __init__(self, profile: str, module: str | None) -> None:
        self.profile = profile
        self.module = module
        self.stored: dict[Tensor, tuple[str, str]] = {}
        """The type that stores a tensor, with the operator that gives or takes it so."""
        self.constants: set[Tensor] = set()
        """The results of CONST."""

    def graph(self, graph: Graph) -> Iterator[Failure]:
        for operation in graph.operations:
            yield from self._parts(operation)
            yield from self.operation(operation)

    def _parts(self, operation: Operation) -> Iterator[Failure]:
        if isinstance(operation.control, Loop):
            for each in operation.control.carried:
                self._pass_on(each.source, each.local)
        for name, part in operation.subgraphs.items():
            yield from self.graph(part)
            if name.startswith("condition"):
                yield from _condition(operation, part)
            for inner, outer in zip(part.outputs.values(), operation.outputs, strict=False):
                if not name.startswith("condition"):
                    self._pass_on(inner, outer)

    def operation(self, operation: Operation) -> Iterator[Failure]:
        operator = operation.operator
        if operator is None:
            return
        if operator.path == TOSA:
            yield from self._operator(operation, operator.name)
            yield from self._shapes(operation)
            yield from self._types(operation, operator.name)
            yield from self._constants(operation, operator.name)
            yield from _scales(operation, operator.name)
        elif is_library(operator.path):
            yield self._foreign(operation, operator)
        elif operation.body is not None:
            yield from self._composed(operation, operation.body, operator.name)
        else:
            message = f"'{operator.name}' is a CUSTOM operator of TOSA, and not portable"
            yield _at(operation, rules.TOSA_OPERATOR, message)

    def _composed(self, operation: Operation, body: Graph, name: str) -> Iterator[Failure]:
        for inner, outer in zip(body.inputs.values(), operation.inputs, strict=False):
            self._pass_on(outer, inner)
        for failure in self.graph(body):
            yield failure.via(Site(operation.place, f"'{name}' is invoked here"))
        for inner, outer in zip(body.outputs.values(), operation.outputs, strict=False):
            self._pass_on(inner, outer)

    def _pass_on(self, source: TensorValue, target: TensorValue) -> None:
        for one, other in zip(tensors_of(source), tensors_of(target), strict=False):
            if one in self.stored:
                self.stored[other] = self.stored[one]
            if one in self.constants:
                self.constants.add(other)

    # ---- T1, T10 -----------------------------------------------------------------------------------------------------
    def _operator(self, operation: Operation, name: str) -> Iterator[Failure]:
        if self.profile == _BASE and name in _NOT_IN_BASE:
            yield _at(operation, rules.TOSA_OPERATOR, f"'tosa.{name}' is not in {_BASE}, but in main-inference")

    def _foreign(self, operation: Operation, operator: OperatorName) -> Failure:
        module = operator.path.rpartition(":")[2]
        counterpart = COUNTERPARTS.get((module, operator.name))
        message = f"'{module}.{operator.name}' is no operator of TOSA"
        if counterpart is None:
            return _at(operation, rules.TOSA_OPERATOR, message)
        message += f": write it with tosa.{counterpart.name}"
        failure = _at(operation, rules.TOSA_OPERATOR, message)
        allowed = self.profile != _BASE or not (counterpart.name in _NOT_IN_BASE or _has_reals(operation))
        written = as_tosa(operation, module, operator.name) if allowed and self.module is not None else None
        call = written_call(operation.place)
        if written is None or call is None or call.generics is not None:
            return failure
        end = (call.attributes or call.function).span.end
        replaced = Span(call.function.span.start, end).shifted(operation.place.start)
        return replace(failure, instead=f"{self.module}.{written}", replaced=replaced)

    # ---- T2, T3, T5 to T9 --------------------------------------------------------------------------------------------
    def _types(self, operation: Operation, name: str) -> Iterator[Failure]:
        attributes = operation.attributes
        written = [value for key, value in attributes.items() if key.endswith("_t") and isinstance(value, str)]
        if self.profile == _BASE and name not in _NOT_IN_BASE and _has_reals(operation):
            kinds = [each for each in written if each in _REALS] or ["reals"]
            yield _at(operation, rules.TOSA_TYPE, f"{_BASE} has no {kinds[0]}: 'tosa.{name}' works on ints there")
            return
        for parameter, value in zip(_inputs(operation), operation.inputs, strict=False):
            wanted = _wanted(operation, name, parameter)
            for tensor in tensors_of(value):
                yield from self._read(operation, name, tensor, wanted)
        result = _stored_result(operation, name) or self._first_stored(operation)
        if result is not None:
            for value in operation.outputs:
                for tensor in tensors_of(value):
                    if tensor.dtype != "bool":
                        self.stored[tensor] = result, f"tosa.{name}"
        if name == "const":
            self.constants.update(tensor for value in operation.outputs for tensor in tensors_of(value))

    def _read(self, operation: Operation, name: str, tensor: Tensor, wanted: str | None) -> Iterator[Failure]:
        known = self.stored.get(tensor)
        if tensor in self.constants and wanted in _READ_BY:
            message = f"'{tensor.name}' is a CONST, which is never stored as {wanted}, as 'tosa.{name}' reads it"
            yield _at(operation, rules.TOSA_TYPE, message)
            return
        if known is None:
            if wanted is not None and tensor.dtype != "bool":
                self.stored[tensor] = wanted, f"tosa.{name}"
            return
        stored, by = known
        if wanted is not None and stored != wanted:
            verb = "gives" if tensor.kind is TensorKind.RESULT else "takes"
            message = f"'{by}' {verb} '{tensor.name}' as {stored}, and 'tosa.{name}' reads {wanted}"
            yield _at(operation, rules.TOSA_TYPE, message)
        elif wanted is None and stored in _READ_BY:
            message = f"'{tensor.name}' is stored as {stored}, which {_READ_BY[stored]}, not 'tosa.{name}'"
            yield _at(operation, rules.TOSA_TYPE, message)

    def _first_stored(self, operation: Operation) -> str | None:
        """Return the type of the elements that an operator moves from its input to its output."""
        for value in operation.inputs:
            for tensor in tensors_of(value):
                if tensor in self.stored and tensor.dtype != "bool":
                    return self.stored[tensor][0]
        return None

    # ---- T4 ----------------------------------------------------------------------------------------------------------
    def _constants(self, operation: Operation, name: str) -> Iterator[Failure]:
        if self.profile == _TRAINING and name != "fully_connected":
            return
        for parameter, value in zip(_inputs(operation), operation.inputs, strict=False):
            for tensor in tensors_of(value):
                changes = tensor.kind in (TensorKind.INPUT, TensorKind.RESULT) and tensor not in self.constants
                if parameter in _CONSTANT_INPUTS and changes:
                    where = self.profile if name != "fully_connected" else "every profile"
                    message = (
                        f"'{parameter}' of 'tosa.{name}' is an attribute in {where}: '{tensor.name}' is not constant"
                    )
                    yield _at(operation, rules.TOSA_CONSTANT, message)

    # ---- T11, T12 ----------------------------------------------------------------------------------------------------
    def _shapes(self, operation: Operation) -> Iterator[Failure]:
        for value in (*operation.inputs, *operation.outputs):
            for tensor in tensors_of(value):
                shape = extents(tensor)
                if shape is not None and 0 in shape:
                    message = f"dimension {shape.index(0)} of '{tensor.name}' is 0, and extents are 1 or more"
                    yield _at(operation, rules.TOSA_SHAPE, message)
                elif shape is not None and prod(shape) > _GREATEST_SIZE:
                    message = f"'{tensor.name}' has {prod(shape)} elements, more than the maximum of {_GREATEST_SIZE}"
                    yield _at(operation, rules.TOSA_SHAPE, message)


def _condition(operation: Operation, condition: Graph) -> Iterator[Failure]:
    """Yield a condition of COND_IF or WHILE_LOOP that has dimensions (T39)."""
    for value in condition.outputs.values():
        if isinstance(value, Tensor) and value.shape:
            message = f"a condition of TOSA has rank 0, but this one has the shape [{shape_text(value)}]"
            place = value.place if value.kind is TensorKind.RESULT else None
            site = Site(place or operation.place, "the condition is tested here")
            yield Failure(rules.TOSA_SHAPE, message, (site,))


def _scales(operation: Operation, name: str) -> Iterator[Failure]:
    """Report multipliers that are not normalised, which lose precision (T29)."""
    if name != "rescale":
        return
    items = constant_items(operation.inputs[1])
    bits = 30 if operation.attributes.get("scale32") is TRUE else 14
    wrong = [each for each in items or () if each > 0 and not 2**bits <= each < 2 ** (bits + 1)]
    if wrong:
        message = (
            f"multiplier {wrong[0]} is not normalised: {2**bits} to {2 ** (bits + 1) - 1} keep all bits of a scale"
        )
        yield _at(operation, rules.TOSA_SCALE, message)


# ---- types -----------------------------------------------------------------------------------------------------------
def _has_reals(operation: Operation) -> bool:
    values = (*operation.inputs, *operation.outputs)
    return any(tensor.dtype == "real" for value in values for tensor in tensors_of(value))


def _inputs(operation: Operation) -> list[str]:
    callee = specialization_of(operation)
    return [] if callee is None else [member.name for member in callee.template.inputs]


def _wanted(operation: Operation, name: str, parameter: str) -> str | None:
    """Return the type in which an operator reads an input; None for any, and for multipliers and their shifts."""
    if parameter == "indices":
        return "int32_t"
    if name in ("fft2d", "rfft2d"):
        return "fp32_t"
    attribute = storage_attribute(parameter, operation.attributes)
    found = operation.attributes[attribute] if attribute is not None else None
    return found if isinstance(found, str) else None


def _stored_result(operation: Operation, name: str) -> str | None:
    """Return the type of the result; None if the input determines it."""
    attributes = operation.attributes
    source = attributes.get("in_t")
    match name:
        case "fft2d" | "rfft2d":
            return "fp32_t"
        case "mul" | "argmax" if source not in _REALS or name == "argmax":
            return "int32_t"
        case "table":
            return "int32_t" if source == "int16_t" else "int8_t"
        case "resize" if source in ("int8_t", "int16_t"):
            nearest = attributes.get("mode") == "NEAREST"
            return str(source) if nearest else {"int8_t": "int32_t", "int16_t": "int48_t"}[str(source)]
    found = attributes.get("out_t", attributes.get("in_out_t", source))
    return found if isinstance(found, str) else None


def _at(operation: Operation, rule: Rule, message: str) -> Failure:
    assert operation.operator is not None
    module = operation.operator.path.rpartition(":")[2]
    site = Site(operation.place, f"'{module}.{operation.operator.name}' is invoked here")
    return Failure(rule, message, (site,))
