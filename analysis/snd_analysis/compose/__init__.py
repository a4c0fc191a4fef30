"""The composition of a definition and its arguments into a model (chapter 3).

``compose_graph`` composes whole graphs, ``compose_root`` any definition by itself. Code that interprets bodies in
another way, such as the runtime where shapes depend on data, uses ``body`` and ``loops``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.base import loaded_when_used
from snd_analysis.compose.bind.arguments import Arguments, element_type, failing_generic_type
from snd_analysis.compose.bind.asserted import canonical
from snd_analysis.compose.bind.declarations import as_condition
from snd_analysis.compose.bind.destructuring import IndexedValue
from snd_analysis.compose.bind.root_binding import AS_DECLARED, GivenInput, InputShapes
from snd_analysis.compose.body.operation_scopes import (
    passes_scope_on,
    quantizations_below,
    specializations_below,
    variables_below,
)
from snd_analysis.compose.budget import FileBudget
from snd_analysis.compose.checks.accidental_equality import UnstatedEquality, unstated_equalities, without_implied
from snd_analysis.compose.checks.assertion_text import leaves_of
from snd_analysis.compose.checks.bias_alignment import misaligned_biases
from snd_analysis.compose.checks.known_elements import failing_known_elements
from snd_analysis.compose.checks.omitted_inputs import open_inputs
from snd_analysis.compose.composing import Composing, arguments
from snd_analysis.compose.dynamic import input_extent
from snd_analysis.compose.failure import Failure, PlacedProblem, Site, placed_problems
from snd_analysis.compose.freshen import results_of
from snd_analysis.compose.limits import GREATEST_COUNT, MOST_ITERATIONS, MOST_OPERATIONS, MOST_STEPS_OF_FILE
from snd_analysis.compose.reuse.lasting_model import LastingModel
from snd_analysis.compose.root import (
    Composition,
    compose_graph,
    compose_root,
    declare_root,
    errors_by_omission,
    warnings_of_root,
)
from snd_analysis.compose.scope import ValueScope, member_of
from snd_analysis.compose.session import Session
from snd_analysis.compose.specialization import (
    Specialization,
    extent_text,
    invoking_over_budget,
    shape_text,
    shown,
    specialization_of,
    tensor_text,
    written_call,
)
from snd_analysis.compose.specializations import Reach, Specializations, reach_of, reach_of_cycle
from snd_analysis.compose.template import Member, Origin, Template

if TYPE_CHECKING:
    from snd_analysis.compose.cost import Cost, iteration_count, multiply_adds, total_multiply_adds
    from snd_analysis.compose.decomposition import decompose, flat_size
else:
    __getattr__ = loaded_when_used(__name__, "cost", "decomposition")

__all__ = [
    "AS_DECLARED",
    "GREATEST_COUNT",
    "MOST_ITERATIONS",
    "MOST_OPERATIONS",
    "MOST_STEPS_OF_FILE",
    "Arguments",
    "Composing",
    "Composition",
    "Cost",
    "Failure",
    "FileBudget",
    "GivenInput",
    "IndexedValue",
    "InputShapes",
    "LastingModel",
    "Member",
    "Origin",
    "PlacedProblem",
    "Reach",
    "Session",
    "Site",
    "Specialization",
    "Specializations",
    "Template",
    "UnstatedEquality",
    "ValueScope",
    "arguments",
    "as_condition",
    "canonical",
    "compose_graph",
    "compose_root",
    "declare_root",
    "decompose",
    "element_type",
    "errors_by_omission",
    "extent_text",
    "failing_generic_type",
    "failing_known_elements",
    "flat_size",
    "input_extent",
    "invoking_over_budget",
    "iteration_count",
    "leaves_of",
    "member_of",
    "misaligned_biases",
    "multiply_adds",
    "open_inputs",
    "passes_scope_on",
    "placed_problems",
    "quantizations_below",
    "reach_of",
    "reach_of_cycle",
    "results_of",
    "shape_text",
    "shown",
    "specialization_of",
    "specializations_below",
    "tensor_text",
    "total_multiply_adds",
    "unstated_equalities",
    "variables_below",
    "warnings_of_root",
    "without_implied",
    "written_call",
]
