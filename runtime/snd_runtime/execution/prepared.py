"""Preparation of a specialization for runs, computed once and kept as long as the specialization."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose import Member, Specialization
from snd_analysis.model import Place, Tensor, TensorValue, as_tensor
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import OperatorName, Symbol
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack
from snd_runtime.conditions import Conditions, conditions_of
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.compilation import Undecided, compiled
from snd_runtime.execution.lifetimes import last_uses
from snd_runtime.execution.plain import array_dtype, fits, plain, static_shape
from snd_runtime.execution.program import Program
from snd_runtime.intrinsics import INTRINSICS, Intrinsic
from snd_runtime.limits import Budget
from snd_runtime.lowering import Lowered, constant_values, lower
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.lowered import Argument
from snd_runtime.values import PlainValue

OutputShape: TypeAlias = "tuple[int | None, ...] | tuple[tuple[int | None, ...], ...] | None"


class PreparedSpecialization:
    """One specialization, ready to be run.

    An operator is run by its formulas, else by its composition (chapter 3), else by an intrinsic.
    """

    def __init__(self, specialization: Specialization) -> None:
        self.specialization = specialization
        self.has_formulas = bool(specialization.template.formulas)
        self.has_updates = bool(specialization.template.updates)
        self.runs = 0
        """Number of runs of the composition."""
        self.repeated_programs: dict[tuple[bool, bool], Program | None] = {}
        """Programs for repeated runs; see ``execution.flat``."""
        self._constants: dict[np.dtype[Any], dict[str, Argument]] = {}
        self._defaults: dict[tuple[int, np.dtype[Any]], Argument] = {}

    @cached_property
    def program(self) -> Program | None:
        """Return the program of the composition; None if there is none, or if its shapes depend on data."""
        if self.specialization.body is None:
            return None
        try:
            return compiled(self.specialization, weight_of)
        except Undecided:
            return None

    @cached_property
    def is_only_composed(self) -> bool:
        """Return whether nothing happens in it but the steps of its composition."""
        return self._is_plain and self.specialization.template.is_composite and not self.has_formulas

    @cached_property
    def is_only_formulas(self) -> bool:
        """Return whether nothing happens in it but formulas that read its inputs."""
        return self._is_plain and self.has_formulas and not self.specialization.template.variables

    @cached_property
    def is_same_again(self) -> bool:
        """Return whether a run consists only of steps of the composition and of checks with constant results."""
        return self._is_unchecked and self.specialization.template.is_composite and not self.has_formulas

    @property
    def _is_plain(self) -> bool:
        """Return whether nothing is checked or noted before and after it, nor stored."""
        return self._is_unchecked and not self.specialization.dynamic

    @property
    def _is_unchecked(self) -> bool:
        specialization, body = self.specialization, self.specialization.body
        return (
            not (specialization.checks or self.has_updates)
            and specialization.template.wrong_body is None
            and self.conditions is None
            and (body is None or not body.quantizations)
        )

    @cached_property
    def lowered(self) -> Lowered:
        """The formulas. Raise EvaluationFailed if they can't be run."""
        return lower(self.specialization)

    @cached_property
    def intrinsic(self) -> Intrinsic | None:
        """Return the function that computes an operator without formulas; None if there is none."""
        return INTRINSICS.get(self.operator)

    @property
    def operator(self) -> OperatorName:
        """The name of the operator; of a definition that is one of the library, the name there."""
        template = self.specialization.template
        return template.original or template.name

    @cached_property
    def conditions(self) -> Conditions | None:
        """Return the conditions of a format on the elements; None if there are none."""
        return conditions_of(self.operator)

    @cached_property
    def weight(self) -> int:
        """Return the number of operations, as far as it is known before the run."""
        program = self.program if self.specialization.template.is_composite else None
        return 1 if program is None else program.weight

    @cached_property
    def last_uses(self) -> dict[Symbol, int]:
        """The number of the last statement that names a symbol."""
        return last_uses(self.specialization.template)

    @cached_property
    def attributes(self) -> dict[str, PlainValue]:
        """The attributes as Python values. Raise ValueError if one is not known."""
        return {name: plain(value) for name, value in self.specialization.attributes.items()}

    @cached_property
    def output_shapes(self) -> tuple[OutputShape, ...]:
        """The extents of outputs, None for each that the run decides; for packs the extents of all tensors."""
        return tuple(_shapes(value) for value in self.specialization.outputs)

    def constants(self, real: np.dtype[Any], budget: Budget) -> dict[str, Argument]:
        """Return the declared constants, by name. Raise EvaluationFailed if one has no value."""
        known = self._constants.get(real)
        if known is None:
            known = self._constants[real] = constant_values(self.specialization, real, budget)
            for value in known.values():
                _protect(value)
        return known

    def with_defaults(self, given: list[Argument], real: np.dtype[Any]) -> list[Argument]:
        """Return the arguments, with defaults for omitted ones.

        Raise EvaluationFailed if one has no value.
        """
        return [
            given[at] if at < len(given) and given[at] is not None else self._known_default(at, real)
            for at in range(len(self.specialization.inputs))
        ]

    def _known_default(self, at: int, real: np.dtype[Any]) -> Argument:
        if (at, real) not in self._defaults:
            member, declared = self.specialization.template.inputs[at], self.specialization.inputs[at]
            value = self._defaults[at, real] = self._default(member, declared, real)
            _protect(value)
        return self._defaults[at, real]

    def _default(self, member: Member, declared: TensorValue, real: np.dtype[Any]) -> Argument:
        default = member.node.default
        if default is None:
            return None
        template = self.specialization.template
        try:
            value = as_tensor(self.specialization.scope.evaluate(default.value), member.name)
        except EvaluationError as error:
            raise EvaluationFailed(error.rule, error.message, template.place(member.base, error.node)) from None
        place = template.place(member.base, default.value)
        if isinstance(value, Pack) and isinstance(declared, Pack):
            pairs = zip(value.items or (), declared.items or (), strict=False)
            return tuple(_uniform(one, other, real, place) for one, other in pairs)
        return _uniform(value, declared, real, place)


def _protect(value: Argument) -> None:
    """Let nobody change arrays that all runs share."""
    for array in (value,) if isinstance(value, np.ndarray) else value or ():
        array.flags.writeable = False


def _uniform(value: object, declared: object, real: np.dtype[Any], place: Place) -> Array:
    """Return an array of a declared shape, all of whose elements have one value.

    Raises EvaluationFailed at ``place`` for an int of more than 64 bits.
    """
    assert isinstance(value, Tensor)
    assert isinstance(declared, Tensor)
    element = plain(value.value)
    if not fits(element):
        raise EvaluationFailed(rules.INT_OVERFLOW, rules.formulas.too_wide(element), place)
    return np.full(static_shape(declared) or (), element, array_dtype(declared.dtype or "real", real))


def _shapes(value: TensorValue) -> OutputShape:
    if isinstance(value, Tensor):
        return _shape(value)
    if isinstance(value, Pack):
        return tuple(_shape(item) for item in value.items or () if isinstance(item, Tensor))
    return None


def _shape(tensor: Tensor) -> tuple[int | None, ...]:
    return tuple(extent.value if isinstance(extent, Integer) else None for extent in tensor.shape or ())


_PREPARED: WeakKeyDictionary[Specialization, PreparedSpecialization] = WeakKeyDictionary()


def prepared(specialization: Specialization) -> PreparedSpecialization:
    """Return the preparations for running a specialization; the same for the same specialization."""
    known = _PREPARED.get(specialization)
    if known is None:
        # The kept value must not keep the specialization alive, so it refers to a copy.
        known = _PREPARED[specialization] = PreparedSpecialization(replace(specialization))
    return known


def weight_of(specialization: Specialization) -> int:
    """Return how many operations there are in a specialization."""
    return prepared(specialization).weight
