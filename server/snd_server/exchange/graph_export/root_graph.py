"""The graph that is exported: one of the model, or one that only invokes an operator."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from snd_analysis.compose import (
    MOST_OPERATIONS,
    Specialization,
    decompose,
    flat_size,
    specializations_below,
    variables_below,
)
from snd_analysis.model import Graph, Operation, Tensor, TensorValue
from snd_analysis.skriptnd.names import OperatorName, is_library
from snd_analysis.symbolic.values import NULL, Maybe
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.prepared import prepared
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering import constant_values
from snd_runtime.lowering.lowered import FLOAT32, Argument
from snd_server.exchange.graph_export.errors import ExportProblem, NotExportable
from snd_server.exchange.graph_export.tensors import is_static


def root_graph(specialization: Specialization, is_inlined: Callable[[OperatorName], bool]) -> Graph:
    """Return the graph of a specialization, or one that only invokes it, with some compositions in place.

    Raise NotExportable for one that is too large.
    """
    template = specialization.template
    has_variables = next(variables_below(specialization), None) is not None  # named below the root
    if specialization.body is not None and (template.is_graph or has_variables):
        size = flat_size(specialization.body, is_inlined)
        if size > MOST_OPERATIONS:  # of such a graph, decomposing returns a part
            reason = f"written flat, it has {size:,} operations, more than the {MOST_OPERATIONS:,} of a file"
            raise NotExportable([ExportProblem(operator_text(template.name), reason)])
        return decompose(specialization.body, is_inlined, template.name.path)
    members = zip(template.outputs, specialization.outputs, strict=True)
    named = {member.name: value for member, value in members}
    formals = zip(template.inputs, specialization.inputs, strict=True)
    inputs = {member.name: value for member, value in formals if value is not NULL and not _is_constant(value)}
    place = template.place(0, template.definition.name)
    only = Operation(template.name, None, {}, {}, specialization.inputs, specialization.outputs, place, specialization)
    flat = Graph(template.name.name, inputs, named, {}, {}, {**inputs, **named}, (only,))
    return decompose(flat, lambda name: False, template.name.path)


def flat_graph(specialization: Specialization) -> Graph:
    """Return a graph with all but operators of the library written where they are invoked. Raise NotExportable."""
    return root_graph(specialization, is_own)


def is_own(name: OperatorName) -> bool:
    """Return whether an operator is one of the model, not of the library."""
    return name.path == "snd:layer" or not is_library(name.path)


def operator_text(name: OperatorName) -> str:
    """Return an operator as messages name it: ``nn.conv``, or the name alone for one of the model."""
    return f"{module_of(name)}.{name.name}" if is_library(name.path) else name.name


def module_of(name: OperatorName) -> str:
    """Return the module of an operator without its folder."""
    return name.path.rpartition(":")[2].rpartition("/")[2].removesuffix(".sknd")


def declared_constants(
    specialization: Specialization, wanted: Container[str], is_root: bool = True
) -> dict[str, Argument]:
    """Return the constants that definitions declare, by scoped name; constants without a value are left out.

    For ``is_root`` see ``decompose``.
    """
    found: dict[str, Argument] = {}
    for scope, callee in specializations_below(specialization, lambda each: each.template.constants, is_root):
        names = [f"{scope}.{each.name}" if scope else each.name for each in callee.template.constants]
        if any(name in wanted for name in names):
            with suppress(EvaluationFailed):  # users of unknown constants report them
                found.update(zip(names, constant_values(callee, FLOAT32, Budget(Limits())).values(), strict=True))
    return found


def defaults_of_inputs(specialization: Specialization, graph: Graph) -> dict[Tensor, np.ndarray[Any, Any]]:
    """Return the default values of the inputs of a graph that have one, and extents that are numbers."""
    found = {}
    if any(member.node.default is not None for member in specialization.template.inputs):
        defaults = prepared(specialization).with_defaults([], FLOAT32)
        for member, default in zip(specialization.template.inputs, defaults, strict=True):
            declared = graph.inputs.get(member.name)
            if isinstance(default, np.ndarray) and isinstance(declared, Tensor) and is_static(declared):
                found[declared] = default
    return found


def undecided_inputs(specialization: Specialization) -> list[str]:
    """Return the names of the optional inputs of a graph that may be null as well as not."""
    members = zip(specialization.template.inputs, specialization.inputs, strict=True)
    return [member.name for member, value in members if isinstance(value, Maybe)]


def with_open_inputs(specialization: Specialization, problems: Sequence[ExportProblem]) -> list[ExportProblem]:
    """Return problems with the inputs that may be their reason."""
    names = ", ".join(f"'{each}'" for each in undecided_inputs(specialization))
    rest = f"; {names} may be null, and a file has one of the two cases" if names else ""
    return [ExportProblem(each.operator, f"{each.reason}{rest}") for each in problems]


def _is_constant(value: TensorValue) -> bool:
    return isinstance(value, Tensor) and value.value is not None
