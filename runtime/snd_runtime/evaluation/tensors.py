"""The tensors of an evaluation: given ones, and generated ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from snd_analysis.base import Rule
from snd_analysis.compose import Failure, Member, Site, Template
from snd_runtime.evaluation.limits import MOST_MADE_ITEMS
from snd_runtime.evaluation.request import InputValue, LiteralInput
from snd_runtime.generators import Generator, generate, source_of
from snd_runtime.limits import Budget
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import ARGUMENT_VALUE
from snd_runtime.values import array_of, converted

Array: TypeAlias = np.ndarray[Any, Any]
Parts: TypeAlias = "Array | tuple[Array | None, ...] | None"
"""A tensor; null; or the tensors of a pack, None for each that is still to generate."""
KnownShapes: TypeAlias = "tuple[tuple[int, ...], ...] | None"
"""The shape of an input, or the shapes of the tensors in a pack; None for null."""


class InvalidRequest(Exception):  # noqa: N818
    """Given arguments do not fit the definition."""

    def __init__(self, *failures: Failure) -> None:
        super().__init__(failures[0].message)
        self.failures = failures


def failure_at(template: Template, message: str, member: Member | None = None, rule: Rule = ARGUMENT_VALUE) -> Failure:
    """Return a failure at the declaration of a member, or at the name of the definition."""
    place = template.place(0, template.definition.name) if member is None else template.declared(member.symbol)
    return Failure(rule, message, (Site(place, ""),))


class InputTensors:
    """Factory of the tensors for the inputs of one definition.

    ``dtypes`` are its generic types; generated ints are ``least`` or one more.
    """

    def __init__(
        self,
        template: Template,
        dtypes: Mapping[str, str],
        seed: int,
        real: np.dtype[Any],
        budget: Budget,
        least: int = 0,
    ) -> None:
        self._template = template
        self._dtypes = dtypes
        self._seed = seed
        self._real = real
        self._budget = budget
        self._least = least

    def dtype(self, member: Member) -> str:
        """Return the type of the elements of an input."""
        written = member.node.type.text
        return self._dtypes.get(written, written)

    def given(self, member: Member, value: InputValue) -> Parts:
        """Return the tensors given for an input. Raise InvalidRequest if they do not fit its declaration."""
        if member.node.pack is None:
            return self._tensor(member, member.name, value)
        if isinstance(value, LiteralInput) and isinstance(value.value, list | tuple):
            value = tuple(LiteralInput(item) for item in value.value)
        match value:
            case Mapping():
                most = max(value, default=-1)
                if most >= MOST_MADE_ITEMS:
                    message = f"the pack '{member.name}' would have {most + 1} tensors"
                    raise InvalidRequest(failure_at(self._template, message, member))
                return tuple(
                    self._tensor(member, f"{member.name}[{at}]", value[at]) if at in value else None
                    for at in range(most + 1)
                )
            case tuple():
                return tuple(self._tensor(member, f"{member.name}[{at}]", item) for at, item in enumerate(value))
            case None:
                return self._tensor(member, member.name, None)
            case _:
                message = f"the input '{member.name}' is a pack of tensors: give them by position"
                raise InvalidRequest(failure_at(self._template, message, member))

    def _tensor(self, member: Member, name: str, value: InputValue) -> Array | None:
        dtype = self.dtype(member)
        try:
            match value:
                case None:
                    if member.node.optional:
                        return None
                    raise ValueError("it is not optional, so it can't be null")
                case Generator():
                    return self._generated(member, name, value)
                case LiteralInput():
                    return array_of(value.value, dtype, self._real)
                case np.ndarray():
                    return converted(value, dtype, self._real)
            raise ValueError("it is one tensor, not a pack")
        except ValueError as error:
            raise InvalidRequest(failure_at(self._template, f"the input '{name}': {error}", member)) from None

    def argument(self, member: Member, part: Parts, shapes: KnownShapes) -> Argument:
        """Return the argument for an input of these shapes; None for one that is null, or has its default."""
        if shapes is None:
            return None
        if member.node.pack is None:
            return part if isinstance(part, np.ndarray) else self._random(member, member.name, shapes[0])
        items = part if isinstance(part, tuple) else ()
        given = dict(enumerate(items))
        return tuple(
            self._random(member, f"{member.name}[{at}]", shape) if (item := given.get(at)) is None else item
            for at, shape in enumerate(shapes)
        )

    def _random(self, member: Member, name: str, shape: tuple[int, ...]) -> Array:
        kind = "zeros" if self.dtype(member) == "str" else "random"
        found = self._generated(member, name, Generator(kind, shape))
        return np.asarray(found + self._least) if found.dtype.kind == "i" else found

    def _generated(self, member: Member, name: str, generator: Generator) -> Array:
        source, place = source_of(self._seed, name), self._template.declared(member.symbol)
        return generate(generator, self.dtype(member), source, real=self._real, budget=self._budget, place=place)
