"""Generic types of an evaluated definition: given, deduced from arguments, or the default (2.13)."""

from __future__ import annotations

from collections.abc import Mapping

from snd_analysis.compose import Template, element_type, failing_generic_type
from snd_analysis.skriptnd.types import ALLOWED, CONCRETE
from snd_analysis.symbolic.values import Value
from snd_runtime.evaluation.request import EvaluationRequest, dtype_of_input
from snd_runtime.evaluation.tensors import InvalidRequest

_PREFERRED = ("real", "int", "bool", "str")


def generic_types(template: Template, request: EvaluationRequest, attributes: Mapping[str, Value]) -> dict[str, str]:
    """Return the type that each generic type has in an evaluation.

    The type is the given one; else that of the given inputs, of the given attributes, the default, or real if the base
    allows it. Ints may be given for reals. Raise InvalidRequest for a type outside the base, and for two types.
    """
    found = dict(request.dtypes)
    inputs = [(each, dtype_of_input(request.inputs.get(each.name))) for each in template.inputs]
    values = [(each, element_type(attributes[each.name])) for each in template.attributes if each.name in attributes]
    for generic in template.generics:
        name = generic.name.text
        if name in found:
            continue
        tensors = [dtype for member, dtype in inputs if member.node.type.text == name and dtype is not None]
        others = [dtype for member, dtype in values if member.node.type.text == name and dtype is not None]
        default = generic.default.text if generic.default is not None else None
        allowed = ALLOWED[generic.base.text]
        usual = next((dtype for dtype in _PREFERRED if dtype in allowed and dtype in CONCRETE), "real")
        deduced = "real" if {*tensors} == {"int", "real"} else next(iter([*tensors, *others]), None)
        found[name] = deduced or default or usual
    as_given = [
        (each, "real" if dtype == "int" and found.get(each.node.type.text) == "real" else dtype)
        for each, dtype in inputs
    ]
    failure = failing_generic_type(template, found, [*as_given, *values])
    if failure is not None:
        raise InvalidRequest(failure)
    return found
