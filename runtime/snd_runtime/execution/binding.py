"""The specialization of an operator or graph for given arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from snd_analysis import rules
from snd_analysis.compose import Arguments, Member, Session, Specialization, Template
from snd_analysis.compose.formulas import INT_MAX
from snd_analysis.model import Place, Tensor, TensorValue
from snd_analysis.symbolic.values import NULL, Pack, Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.failing import raise_failure
from snd_runtime.execution.plain import array_dtype, plain, static_shape, tensor_of
from snd_runtime.lowering.arithmetic import STR, Array
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import ARGUMENT_TYPE, LIMIT_EXCEEDED, UNKNOWN_VALUE

_KINDS = {"real": "fiu", "int": "iu", "bool": "b", "str": "OU"}


def bind_arrays(
    session: Session,
    template: Template,
    inputs: Sequence[Argument],
    attributes: Mapping[str, Value] | None = None,
    dtypes: Sequence[str] = (),
    real: np.dtype[Any] | None = None,
) -> Specialization:
    """Return the specialization of an operator or graph for arrays, attributes by name, and generic types in order.

    Arguments that are left out at the end are null. Raise EvaluationFailed, saying why, if there is none.
    """
    types = dict(zip((generic.name.text for generic in template.generics), dtypes, strict=False))
    arrays = converted(template, inputs, real or np.dtype(np.float32), types)
    given = Arguments(tuple(dtypes), attributes or {}, tuple(_tensors(template, arrays)))
    try:
        specialization = session.specialization(template, given)
    except RecursionError:
        message = f"the invocations in '{template.shown}' are nested too deeply"
        raise EvaluationFailed(LIMIT_EXCEEDED, message, _place(template)) from None
    raise_failure(specialization.failures)
    if not specialization.valid:
        raise EvaluationFailed(UNKNOWN_VALUE, reason(template, given), _place(template))
    return specialization


def bound(session: Session, specialization: Specialization, inputs: Sequence[Argument]) -> Specialization:
    """Return the specialization itself if it takes these arrays, else one with their shapes.

    Raise EvaluationFailed.
    """
    raise_failure(specialization.failures)
    if specialization.valid and _takes(specialization, inputs):
        return specialization
    scope = specialization.scope
    dtypes = [
        scope.dtypes[generic.name.text]
        for generic in specialization.template.generics
        if generic.name.text in scope.dtypes
    ]
    attributes = {name: value for name, value in specialization.attributes.items() if _is_known(value)}
    return bind_arrays(session, specialization.template, inputs, attributes, dtypes)


def converted(
    template: Template, inputs: Sequence[Argument], real: np.dtype[Any], dtypes: Mapping[str, str]
) -> list[Argument]:
    """Return the arguments as arrays of the tensors' types. Raise EvaluationFailed if that is impossible.

    ``dtypes`` are the bound generic types, as far as they are known. Ints are accepted for reals.
    """
    if len(inputs) > len(template.inputs):
        message = f"'{template.shown}' has {len(template.inputs)} inputs, but {len(inputs)} arguments are given"
        raise EvaluationFailed(rules.ARGUMENT_COUNT, message, _place(template))
    given = list(zip(template.inputs, inputs, strict=False))
    dtypes = {**_deduced(template, given), **dtypes}
    return [_converted(template, member, value, real, dtypes) for member, value in given]


def _deduced(template: Template, given: Sequence[tuple[Member, Argument]]) -> dict[str, str]:
    """Return the generic types that several arrays, some of ints and some of reals, make reals."""
    found: dict[str, set[str]] = {generic.name.text: set() for generic in template.generics}
    for member, value in given:
        if found and value is not None and member.node.type.text in found:
            arrays = [value] if isinstance(value, np.ndarray) else value
            found[member.node.type.text].update(_element_type(np.asarray(array)) for array in arrays)
    return {name: "real" for name, types in found.items() if types == {"int", "real"}}


def _element_type(array: Array) -> str:
    return {"f": "real", "b": "bool", "O": "str", "U": "str"}.get(array.dtype.kind, "int")


def _converted(
    template: Template, member: Member, value: Argument, real: np.dtype[Any], dtypes: Mapping[str, str]
) -> Argument:
    if value is None:
        return None
    if member.node.pack is None:
        return _array(template, member, value, real, dtypes)
    if isinstance(value, np.ndarray):
        message = f"the input '{member.name}' is a pack of tensors, but one array is given for it"
        raise EvaluationFailed(ARGUMENT_TYPE, message, template.declared(member.symbol))
    return tuple(_array(template, member, item, real, dtypes) for item in value)


def _array(template: Template, member: Member, value: Any, real: np.dtype[Any], dtypes: Mapping[str, str]) -> Array:
    array = np.asarray(value)
    wanted = dtypes.get(member.node.type.text, member.node.type.text)
    if array.dtype.kind not in _KINDS.get(wanted, "fiubOU"):
        message = f"the input '{member.name}' is '{wanted}', but an array of {array.dtype} is given for it"
        raise EvaluationFailed(ARGUMENT_TYPE, message, template.declared(member.symbol))
    if wanted not in _KINDS:  # a generic type: that of the array
        wanted = _element_type(array)
    if array.dtype.kind == "U":
        return array.astype(STR)
    if wanted == "int" and array.dtype == np.uint64 and array.size and int(array.max()) > INT_MAX:
        message = f"an element of the input '{member.name}': {rules.formulas.too_wide(int(array.max()))}"
        raise EvaluationFailed(rules.INT_OVERFLOW, message, template.declared(member.symbol))
    return array.astype(array_dtype(wanted, real), copy=False)


def _tensors(template: Template, arrays: Sequence[Argument]) -> list[TensorValue]:
    known: dict[int, TensorValue] = {}
    found = []
    for member, value in zip(template.inputs, arrays, strict=False):
        # One array in two places is one tensor (2.4).
        found.append(known.setdefault(id(value), tensor_of(value, member.name)))
    return found


def _takes(specialization: Specialization, inputs: Sequence[Argument]) -> bool:
    return len(inputs) == len(specialization.inputs) and all(
        _fits(declared, value) for declared, value in zip(specialization.inputs, inputs, strict=True)
    )


def _fits(declared: Value, value: Argument) -> bool:
    match declared, value:
        case Tensor(), np.ndarray():
            return tuple(value.shape) == static_shape(declared)
        case Pack(items=tuple(items)), Sequence():
            return len(items) == len(value) and all(map(_fits, items, value))
    return declared is NULL and value is None


def _is_known(value: Value) -> bool:
    try:
        plain(value)
    except ValueError:
        return False
    return True


def _place(template: Template) -> Place:
    return template.place(0, template.definition.name)


def reason(template: Template, given: Arguments) -> str:
    """Return the reason that an operator has no specialization for its arguments, as far as no failure states it."""
    missing = [
        f"the attribute '{member.name}'"
        for member in template.attributes
        if member.name not in given.attributes and not member.node.optional and member.node.default is None
    ]
    missing += [
        f"the input '{member.name}'"
        for at, member in enumerate(template.inputs)
        if (at >= len(given.inputs) or given.inputs[at] is NULL)
        and not member.node.optional
        and member.node.default is None
    ]
    if missing:
        return f"'{template.shown}' needs {' and '.join(missing)}"
    if template.errors:
        return f"'{template.shown}' has errors"
    return f"'{template.shown}' can't be composed for what it is given"
