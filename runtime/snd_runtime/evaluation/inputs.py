"""The inputs of an evaluation as arrays: given, made by a generator, defaults, or random of a shape that fits."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np

from snd_analysis.compose.binding import Given, bind
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.instance import Instance
from snd_analysis.compose.root import InputShapes, compose_root
from snd_analysis.compose.session import Session
from snd_analysis.compose.unit import Member, Unit
from snd_analysis.model import Tensor, TensorKind, TensorValue
from snd_analysis.shapes import Integer, constant
from snd_analysis.types.generics import ALLOWED
from snd_analysis.types.type import CONCRETE
from snd_analysis.values import NULL, Pack, Value, dtype_of
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.request import EvaluationRequest, InputValue, Literal
from snd_runtime.evaluation.shape_search import search
from snd_runtime.execution.plain import plain, value_of
from snd_runtime.generators import Generator, generate, source_of
from snd_runtime.limits import Budget
from snd_runtime.lowering.lowered import Argument
from snd_runtime.values import array_of, converted, dtype_name, numpy_dtype

Array: TypeAlias = np.ndarray[Any, Any]
Parts: TypeAlias = "Array | tuple[Array | None, ...] | None"
"""A tensor; null; or those of a pack, None for one that is still to be made."""

_MOST_ITEMS = 1024
_MOST_FOUND = 256
_PREFERRED = ("real", "int", "bool", "str")


class InvalidRequest(Exception):  # noqa: N818
    """What is given does not fit what is to be evaluated."""

    def __init__(self, *failures: Failure) -> None:
        super().__init__(failures[0].message)
        self.failures = failures


@dataclass(frozen=True, slots=True)
class Bound:
    """An instance with an argument for each of its inputs; ``made`` are the inputs that nothing was given for."""

    instance: Instance
    arguments: tuple[Argument, ...]
    made: tuple[str, ...]


class FoundShapes:
    """Shapes that were found for inputs, by all that decides them: definitions, attributes, types, other shapes."""

    def __init__(self) -> None:
        self._found: dict[Hashable, Mapping[str, InputShapes]] = {}

    def find(self, key: Hashable, search: Callable[[], Mapping[str, InputShapes]]) -> Mapping[str, InputShapes]:
        """Those that are known, else those that are searched for."""
        known = self._found.get(key)
        if known is None:
            if len(self._found) >= _MOST_FOUND:
                self._found.clear()  # most are about definitions of long ago
            known = self._found[key] = search()
        return known


def bound(
    session: Session,
    unit: Unit,
    request: EvaluationRequest,
    real: np.dtype[Any],
    budget: Budget,
    found: FoundShapes | None = None,
) -> Bound:
    """Binds a graph or operator. Raises InvalidRequest, and EvaluationFailed for tensors that are too large."""
    return _Inputs(session, unit, request, real, budget, found or FoundShapes()).bound()


class _Inputs:
    def __init__(
        self,
        session: Session,
        unit: Unit,
        request: EvaluationRequest,
        real: np.dtype[Any],
        budget: Budget,
        found: FoundShapes,
    ) -> None:
        self._found = found
        self._session = session
        self._unit = unit
        self._request = request
        self._real = real
        self._budget = budget
        self._attributes = {name: value_of(value) for name, value in request.attributes.items()}
        self._dtypes = self._found_dtypes()

    def bound(self) -> Bound:
        self._demand_attributes()
        parts = {
            member.name: self._given(member, self._request.inputs[member.name])
            for member in self._unit.inputs
            if member.name in self._request.inputs
        }
        made = tuple(member.name for member in self._unit.inputs if self._is_to_be_made(member, parts))
        shapes = self._shapes(parts, made)
        instance = self._instance(shapes)
        failures = _failures(instance)
        if failures or not instance.valid:
            raise InvalidRequest(*(failures or (self._failure("it can't be bound to these inputs"),)))
        defaults = bind(self._unit, self._given_to(shapes)).inputs
        arguments = tuple(
            self._argument(member, parts.get(member.name), shapes.get(member.name), default)
            for member, default in zip(self._unit.inputs, defaults, strict=True)
        )
        return Bound(instance, arguments, made)

    # ---- types and attributes ----------------------------------------------------------------------------------------
    def _found_dtypes(self) -> dict[str, str]:
        """Of generic types, those given; else those of attributes and tensors that are given; else the usual one."""
        found = dict(self._request.dtypes)
        for generic in self._unit.generics:
            name = generic.name.text
            if name in found:
                continue
            deduced = next(self._deduced(name), None)
            default = generic.default.text if generic.default is not None else None
            allowed = ALLOWED[generic.base.text]
            usual = next((dtype for dtype in _PREFERRED if dtype in allowed and dtype in CONCRETE), "real")
            found[name] = deduced or default or usual
        return found

    def _deduced(self, generic: str) -> Iterator[str]:
        for member in self._unit.inputs:
            if member.node.type.text == generic:
                dtype = _dtype_of_input(self._request.inputs.get(member.name))
                if dtype is not None:
                    yield dtype
        for member in self._unit.attributes:
            if member.node.type.text == generic and member.name in self._attributes:
                value: Value = self._attributes[member.name]
                dtype = value.dtype if isinstance(value, Pack) else dtype_of(value)
                if dtype is not None:
                    yield dtype

    def _demand_attributes(self) -> None:
        for member in self._unit.attributes:
            node = member.node
            if member.name not in self._attributes and node.default is None and not node.optional:
                message = f"the attribute '{member.name}' of '{self._unit.shown}' has no default: give it a value"
                raise InvalidRequest(self._failure(message, member, "missing-attribute"))

    def _dtype(self, member: Member) -> str:
        written = member.node.type.text
        return self._dtypes.get(written, written)

    def _failure(self, message: str, member: Member | None = None, rule: str = "argument-value") -> Failure:
        unit = self._unit
        place = unit.place(0, unit.definition.name) if member is None else unit.declared(member.symbol)
        return Failure(rule, message, (Site(place, ""),))

    # ---- given inputs ------------------------------------------------------------------------------------------------
    def _given(self, member: Member, value: InputValue) -> Parts:
        if member.node.pack is None:
            return self._tensor(member, member.name, value)
        if isinstance(value, Literal) and isinstance(value.value, list | tuple):
            value = tuple(Literal(item) for item in value.value)
        if isinstance(value, Mapping):
            most = max(value, default=-1)
            if most >= _MOST_ITEMS:
                raise InvalidRequest(self._failure(f"the pack '{member.name}' would have {most + 1} tensors", member))
            return tuple(
                self._tensor(member, f"{member.name}[{at}]", value[at]) if at in value else None
                for at in range(most + 1)
            )
        if isinstance(value, tuple):
            return tuple(self._tensor(member, f"{member.name}[{at}]", item) for at, item in enumerate(value))
        if value is None:
            return self._tensor(member, member.name, None)
        message = f"the input '{member.name}' is a pack of tensors: give them by position"
        raise InvalidRequest(self._failure(message, member))

    def _tensor(self, member: Member, name: str, value: InputValue) -> Array | None:
        dtype = self._dtype(member)
        try:
            if value is None:
                if member.node.optional:
                    return None
                raise ValueError("it is not optional, so it can't be null")
            if isinstance(value, Generator):
                source = source_of(self._request.seed, name)
                return generate(value, dtype, source, real=self._real, budget=self._budget)
            if isinstance(value, Literal):
                return array_of(value.value, dtype, self._real)
            if isinstance(value, np.ndarray):
                return converted(value, dtype, self._real)
            raise ValueError("it is one tensor, not a pack")
        except ValueError as error:
            raise InvalidRequest(self._failure(f"the input '{name}': {error}", member)) from None

    def _is_to_be_made(self, member: Member, parts: Mapping[str, Parts]) -> bool:
        if member.name in parts:
            part = parts[member.name]
            return isinstance(part, tuple) and None in [None if item is None else 0 for item in part]
        return not member.node.optional and member.node.default is None

    # ---- shapes ------------------------------------------------------------------------------------------------------
    def _shapes(self, parts: Mapping[str, Parts], made: tuple[str, ...]) -> Mapping[str, InputShapes]:
        """The shapes of all inputs but those that are left out; such that they bind, if anything has to be found."""
        given = {name: _shapes_of(part) for name, part in parts.items() if name not in made}
        if not made:
            return given
        key = (
            self._unit,
            self._session.reached(self._unit),
            tuple(sorted((name, repr(value)) for name, value in self._request.attributes.items())),
            tuple(sorted(self._dtypes.items())),
            tuple(sorted((name, _items_of(part)) for name, part in parts.items())),
        )
        return self._found.find(key, lambda: self._searched(parts, made, given))

    def _searched(
        self, parts: Mapping[str, Parts], made: tuple[str, ...], given: Mapping[str, InputShapes]
    ) -> Mapping[str, InputShapes]:
        root = compose_root(self._session, self._unit, self._attributes, self._dtypes, given)
        values = dict(zip((member.name for member in self._unit.inputs), root.inputs, strict=False))
        if not values:
            raise InvalidRequest(*(tuple(root.failures) or (self._failure("it can't be composed"),)))
        last: list[Failure] = []
        found: dict[str, InputShapes] = {}

        def attempt(shapes: Mapping[str, InputShapes]) -> bool:
            merged = {name: _merged(shape, parts.get(name)) for name, shape in shapes.items()}
            instance = self._instance({**given, **merged})
            failures = _failures(instance)
            if instance.valid and not failures:
                found.update(given, **merged)
                return True
            last[:] = failures or last
            return False

        if search(self._unit, {name: values[name] for name in made}, attempt):
            return found
        names = " and ".join(f"'{name}'" for name in made)
        message = f"no shape was found for {names} with which '{self._unit.shown}' can be evaluated: give one"
        if last:
            message = f"{message} (with the last one that was tried: {last[0].message})"
        raise InvalidRequest(*root.failures, self._failure(message))

    def _instance(self, shapes: Mapping[str, InputShapes]) -> Instance:
        return self._session.instance(self._unit, self._given_to(shapes))

    def _given_to(self, shapes: Mapping[str, InputShapes]) -> Given:
        dtypes = tuple(self._dtypes[generic.name.text] for generic in self._unit.generics)
        inputs = tuple(self._tensor_value(member, shapes.get(member.name)) for member in self._unit.inputs)
        return Given(dtypes, self._attributes, inputs)

    def _tensor_value(self, member: Member, shapes: InputShapes) -> TensorValue:
        if shapes is None:
            return NULL
        dtype = self._dtype(member)
        if member.node.pack is None:
            return _tensor_of(member.name, dtype, shapes[0])
        return Pack([_tensor_of(f"{member.name}[{at}]", dtype, shape) for at, shape in enumerate(shapes)], dtype=dtype)

    # ---- arrays ------------------------------------------------------------------------------------------------------
    def _argument(self, member: Member, part: Parts, shapes: InputShapes, default: TensorValue) -> Argument:
        dtype = self._dtype(member)
        if shapes is None:
            return self._default(default, dtype)
        if member.node.pack is None:
            return part if isinstance(part, np.ndarray) else self._random(member.name, dtype, shapes[0])
        items = part if isinstance(part, tuple) else ()
        given = dict(enumerate(items))
        return tuple(
            self._random(f"{member.name}[{at}]", dtype, shape) if (item := given.get(at)) is None else item
            for at, shape in enumerate(shapes)
        )

    def _random(self, name: str, dtype: str, shape: tuple[int, ...]) -> Array:
        kind = "zeros" if dtype == "str" else "random"
        source = source_of(self._request.seed, name)
        return generate(Generator(kind, shape), dtype, source, real=self._real, budget=self._budget)

    def _default(self, value: TensorValue, dtype: str) -> Argument:
        """The tensors that stand for the default value of an input."""
        if value is NULL:
            return None
        if isinstance(value, Pack):
            items = value.items or ()
            return tuple(self._constant(item, dtype) for item in items)
        return self._constant(value, dtype)

    def _constant(self, tensor: TensorValue, dtype: str) -> Array:
        if not isinstance(tensor, Tensor) or tensor.shape is None:
            raise EvaluationFailed("unknown-value", "the default value of an input is not known")
        shape = tuple(extent.value or 0 for extent in tensor.shape if isinstance(extent, Integer))
        item = numpy_dtype(dtype, self._real)
        self._budget.allocate("a default value", prod(shape), item.itemsize, tensor.place)
        value = plain(tensor.value)
        return np.array(value, item).reshape(shape) if isinstance(value, tuple) else np.full(shape, value, item)


# ---- shapes ----------------------------------------------------------------------------------------------------------
def _tensor_of(name: str, dtype: str, shape: tuple[int, ...]) -> Tensor:
    return Tensor(name, dtype, tuple(constant(extent) for extent in shape), TensorKind.INPUT)


def _shapes_of(part: Parts) -> InputShapes:
    if part is None:
        return None
    items = part if isinstance(part, tuple) else (part,)
    return tuple(item.shape for item in items if item is not None)


def _items_of(part: Parts) -> str:
    """The shapes, in a form that tells a tensor from a pack, and those of a pack that are not given."""
    if isinstance(part, tuple):
        return str([None if item is None else item.shape for item in part])
    return str(None if part is None else part.shape)


def _merged(shapes: InputShapes, part: Parts) -> InputShapes:
    """Those of the tensors of a pack that are given, and those that were found for the others."""
    if shapes is None or not isinstance(part, tuple):
        return shapes
    count = max(len(shapes), len(part))
    given = [item.shape if item is not None else None for item in part]
    usual = next((shape for shape in given if shape is not None), shapes[0] if shapes else ())
    return tuple(given[at] if at < len(given) and given[at] is not None else usual for at in range(count))  # type: ignore[misc]


def _failures(instance: Instance) -> tuple[Failure, ...]:
    return tuple(instance.failures)


def _dtype_of_input(value: InputValue) -> str | None:
    """The type of the elements, if what is given tells: reals if there is one among ints."""
    if isinstance(value, np.ndarray):
        return dtype_name(value)
    if isinstance(value, Literal):
        found = {type(item) for item in _flat(value.value)}
        names: dict[type, str] = {float: "real", int: "int", bool: "bool", str: "str"}
        return next((name for kind, name in names.items() if kind in found), None)
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, tuple):
        return next(filter(None, map(_dtype_of_input, value)), None)
    return None


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _flat(item)
    else:
        yield value
