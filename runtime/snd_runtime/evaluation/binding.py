"""Binding of a definition to given arguments; missing inputs get shapes that fit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from snd_analysis import rules
from snd_analysis.compose import (
    Arguments,
    Failure,
    Member,
    Session,
    Specialization,
    Template,
    compose_root,
    warnings_of_root,
)
from snd_analysis.model import Tensor, TensorKind, TensorValue
from snd_analysis.symbolic.integers import constant
from snd_analysis.symbolic.values import NULL, Pack
from snd_runtime.evaluation.generic_types import generic_types
from snd_runtime.evaluation.limits import MOST_KEPT_SHAPES
from snd_runtime.evaluation.request import EvaluationRequest
from snd_runtime.evaluation.shape_demands import demanded_of
from snd_runtime.evaluation.shape_search import SECONDS, search
from snd_runtime.evaluation.tensors import InputTensors, InvalidRequest, KnownShapes, Parts, failure_at
from snd_runtime.execution.plain import value_of
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering.lowered import Argument

Array: TypeAlias = np.ndarray[Any, Any]


class Bound(Struct, frozen=True):
    """An instance with an argument for each of its inputs; ``made`` are the inputs that nothing was given for."""

    specialization: Specialization
    arguments: tuple[Argument, ...]
    made: tuple[str, ...]
    root: Callable[[], Specialization]
    """The same for all sizes, composed when it is asked for."""


class FoundShapes:
    """Shapes that were found for inputs, by all that decides them: definitions, attributes, types, other shapes."""

    def __init__(self) -> None:
        self._found: dict[Hashable, Mapping[str, KnownShapes]] = {}

    def find(self, key: Hashable, search: Callable[[], Mapping[str, KnownShapes]]) -> Mapping[str, KnownShapes]:
        """Return the known shapes of a key; search for them if there are none."""
        known = self._found.get(key)
        if known is None:
            if len(self._found) >= MOST_KEPT_SHAPES:
                self._found.clear()  # most are about definitions of long ago
            known = self._found[key] = search()
        return known


def bound(
    session: Session,
    template: Template,
    request: EvaluationRequest,
    real: np.dtype[Any],
    budget: Budget,
    found: FoundShapes | None = None,
    *,
    search_seconds: float = SECONDS,
    least: int = 0,
) -> Bound:
    """Bind a graph or operator. Ints that are made up are ``least`` or one more.

    Raise InvalidRequest, and EvaluationFailed for tensors that are too large.
    """
    return _Inputs(session, template, request, real, budget, found or FoundShapes(), search_seconds, least).bound()


def fitting_shapes(
    session: Session, template: Template, request: EvaluationRequest, real: np.dtype[Any], search_seconds: float
) -> Mapping[str, KnownShapes]:
    """Return shapes to which a definition can be bound; None for optional inputs. No tensor is made.

    Raise InvalidRequest.
    """
    made = _Inputs(session, template, request, real, Budget(Limits()), FoundShapes(), search_seconds, 0).made_shapes()
    return {member.name: made.get(member.name) for member in template.inputs}


class _Inputs:
    def __init__(
        self,
        session: Session,
        template: Template,
        request: EvaluationRequest,
        real: np.dtype[Any],
        budget: Budget,
        found: FoundShapes,
        search_seconds: float,
        least: int,
    ) -> None:
        self._search_seconds = search_seconds
        self._found = found
        self._session = session
        self._template = template
        self._request = request
        self._attributes = {name: value_of(value) for name, value in request.attributes.items()}
        self._dtypes = generic_types(template, request, self._attributes)
        self._tensors = InputTensors(template, self._dtypes, request.seed, real, budget, least)

    def bound(self) -> Bound:
        self._demand_attributes()
        parts = {
            member.name: self._tensors.given(member, self._request.inputs[member.name])
            for member in self._template.inputs
            if member.name in self._request.inputs
        }
        made = tuple(member.name for member in self._template.inputs if self._is_to_be_made(member, parts))
        shapes = self._shapes(parts, made)
        specialization = self._specialization(shapes)
        failures = tuple(specialization.failures)
        if failures or not specialization.valid:
            raise InvalidRequest(*(failures or (failure_at(self._template, "it can't be bound to these inputs"),)))
        arguments = tuple(
            self._tensors.argument(member, parts.get(member.name), shapes.get(member.name))
            for member in self._template.inputs
        )
        return Bound(specialization, arguments, made, self._root)

    def made_shapes(self) -> Mapping[str, KnownShapes]:
        """Return the shapes of inputs that nothing is given for. Raise InvalidRequest."""
        self._demand_attributes()
        return self._shapes({}, tuple(each.name for each in self._template.inputs if self._is_to_be_made(each, {})))

    def _root(self) -> Specialization:
        return compose_root(self._session, self._template, self._attributes, self._dtypes)

    def _demand_attributes(self) -> None:
        for member in self._template.attributes:
            node = member.node
            if member.name not in self._attributes and node.default is None and not node.optional:
                message = f"the attribute '{member.name}' of '{self._template.shown}' has no default: give it a value"
                raise InvalidRequest(failure_at(self._template, message, member, rules.MISSING_ATTRIBUTE))

    def _is_to_be_made(self, member: Member, parts: Mapping[str, Parts]) -> bool:
        if member.name in parts:
            part = parts[member.name]
            return isinstance(part, tuple) and None in [None if item is None else 0 for item in part]
        return not member.node.optional and member.node.default is None

    # ---- shapes ------------------------------------------------------------------------------------------------------
    def _shapes(self, parts: Mapping[str, Parts], made: tuple[str, ...]) -> Mapping[str, KnownShapes]:
        """Return shapes of all inputs except omitted ones. Shapes that were searched for bind the definition."""
        given = {name: _shapes_of(part) for name, part in parts.items() if name not in made}
        if not made:
            return given
        key = (
            self._template,
            self._session.reached(self._template),
            tuple(sorted((name, repr(value)) for name, value in self._request.attributes.items())),
            tuple(sorted(self._dtypes.items())),
            tuple(sorted((name, _items_of(part)) for name, part in parts.items())),
        )
        return self._found.find(key, lambda: self._searched(parts, made, given))

    def _searched(
        self, parts: Mapping[str, Parts], made: tuple[str, ...], given: Mapping[str, KnownShapes]
    ) -> Mapping[str, KnownShapes]:
        root = compose_root(self._session, self._template, self._attributes, self._dtypes, given)
        values = dict(zip((member.name for member in self._template.inputs), root.inputs, strict=False))
        warnings = warnings_of_root(self._session, root, self._attributes, self._dtypes)
        failures = (*root.failures, *warnings)
        if failures or not values:  # for any shapes
            raise InvalidRequest(*(failures or [failure_at(self._template, "it can't be composed")]))
        last: list[Failure] = []
        found: dict[str, KnownShapes] = {}

        def attempt(shapes: Mapping[str, KnownShapes]) -> bool:
            merged = {name: _merged(shape, parts.get(name)) for name, shape in shapes.items()}
            specialization = self._specialization({**given, **merged})
            failures = tuple(specialization.failures)
            if specialization.valid and not failures:
                found.update(given, **merged)
                return True
            last[:] = failures or last
            return False

        wanted = {name: values[name] for name in made}
        if search(self._template, wanted, demanded_of(root), attempt, self._search_seconds):
            return found
        names = " and ".join(f"'{name}'" for name in made)
        message = f"no shape was found for {names} with which '{self._template.shown}' can be evaluated: give one"
        if last:
            message = f"{message} (with the last one that was tried: {last[0].message})"
        raise InvalidRequest(failure_at(self._template, message))

    def _specialization(self, shapes: Mapping[str, KnownShapes]) -> Specialization:
        return self._session.specialization(self._template, self._given_to(shapes))

    def _given_to(self, shapes: Mapping[str, KnownShapes]) -> Arguments:
        dtypes = tuple(self._dtypes[generic.name.text] for generic in self._template.generics)
        inputs = tuple(self._tensor_value(member, shapes.get(member.name)) for member in self._template.inputs)
        return Arguments(dtypes, self._attributes, inputs)

    def _tensor_value(self, member: Member, shapes: KnownShapes) -> TensorValue:
        if shapes is None:
            return NULL
        dtype = self._tensors.dtype(member)
        if member.node.pack is None:
            return _tensor_of(member.name, dtype, shapes[0])
        return Pack([_tensor_of(f"{member.name}[{at}]", dtype, shape) for at, shape in enumerate(shapes)], dtype=dtype)


# ---- shapes ----------------------------------------------------------------------------------------------------------
def _tensor_of(name: str, dtype: str, shape: tuple[int, ...]) -> Tensor:
    return Tensor(name, dtype, tuple(constant(extent) for extent in shape), TensorKind.INPUT)


def _shapes_of(part: Parts) -> KnownShapes:
    if part is None:
        return None
    items = part if isinstance(part, tuple) else (part,)
    return tuple(item.shape for item in items if item is not None)


def _items_of(part: Parts) -> str:
    """Return the shapes as a key that distinguishes a tensor from a pack, and missing items of a pack."""
    if isinstance(part, tuple):
        return str([None if item is None else item.shape for item in part])
    return str(None if part is None else part.shape)


def _merged(shapes: KnownShapes, part: Parts) -> KnownShapes:
    """Return the shapes of the given tensors of a pack, and the found shapes of the others."""
    if shapes is None or not isinstance(part, tuple):
        return shapes
    count = max(len(shapes), len(part))
    given = [item.shape if item is not None else None for item in part]
    usual = next((shape for shape in given if shape is not None), shapes[0] if shapes else ())
    return tuple(given[at] if at < len(given) and given[at] is not None else usual for at in range(count))  # type: ignore[misc]
