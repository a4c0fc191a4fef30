"""Generic types of what is evaluated: given, deduced from what else is given, or the usual one (2.13)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from snd_analysis.compose import Template
from snd_analysis.skriptnd.types import ALLOWED, CONCRETE
from snd_analysis.symbolic.values import Pack, Value, dtype_of
from snd_runtime.evaluation.request import EvaluationRequest, dtype_of_input

_PREFERRED = ("real", "int", "bool", "str")


def generic_types(template: Template, request: EvaluationRequest, attributes: Mapping[str, Value]) -> dict[str, str]:
    """Of generic types, those given; else those of tensors and attributes that are given; else defaults; else real."""
    found = dict(request.dtypes)
    for generic in template.generics:
        name = generic.name.text
        if name in found:
            continue
        deduced = next(_deduced(name, template, request, attributes), None)
        default = generic.default.text if generic.default is not None else None
        allowed = ALLOWED[generic.base.text]
        usual = next((dtype for dtype in _PREFERRED if dtype in allowed and dtype in CONCRETE), "real")
        found[name] = deduced or default or usual
    return found


def _deduced(
    generic: str, template: Template, request: EvaluationRequest, attributes: Mapping[str, Value]
) -> Iterator[str]:
    for member in template.inputs:
        if member.node.type.text == generic:
            dtype = dtype_of_input(request.inputs.get(member.name))
            if dtype is not None:
                yield dtype
    for member in template.attributes:
        if member.node.type.text == generic and member.name in attributes:
            value = attributes[member.name]
            dtype = value.dtype if isinstance(value, Pack) else dtype_of(value)
            if dtype is not None:
                yield dtype
