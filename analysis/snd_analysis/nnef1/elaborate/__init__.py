"""Graphs of NNEF 1.0 as graphs of SkriptND: every operation is an invocation of an operator of the library.

``elaborate`` evaluates a graph statement by statement. It computes values that are known at compile time, inlines
fragments, and turns each operation into a statement of a SkriptND graph, whose nodes keep their places in the ``.nnef``
text. The code that composes and runs SkriptND then provides shapes, values and drawings.
"""

from snd_analysis.nnef1.elaborate.context import BodyValues, FragmentCall, FragmentInvocation, StoredVariable, notes_of
from snd_analysis.nnef1.elaborate.elaboration import (
    SPECIAL,
    Elaborated,
    FragmentsOfFile,
    elaborate,
    fragments_of,
    resources_in,
    same_fragments,
    submodels_in,
)
from snd_analysis.nnef1.elaborate.flat_graph import QUANTIZATION
from snd_analysis.nnef1.elaborate.fragment_graph import (
    ArgumentValue,
    FragmentGraph,
    GivenArgument,
    GivenTensor,
    fragment_graph,
)
from snd_analysis.nnef1.elaborate.operators import OperationParameter, Operators, parameters
from snd_analysis.nnef1.elaborate.tensor_files import (
    NO_ARCHIVES,
    Submodel,
    TensorArchives,
    TensorFile,
    TensorFiles,
    described,
    file_of,
    submodel_paths,
)
from snd_analysis.nnef1.elaborate.values import (
    UNKNOWN,
    ElaboratedValue,
    GraphTensor,
    ItemList,
    KnownItems,
    PulseOf,
    ReportedUnknown,
    Stream,
)

__all__ = [
    "NO_ARCHIVES",
    "QUANTIZATION",
    "SPECIAL",
    "UNKNOWN",
    "ArgumentValue",
    "BodyValues",
    "Elaborated",
    "ElaboratedValue",
    "FragmentCall",
    "FragmentGraph",
    "FragmentInvocation",
    "FragmentsOfFile",
    "GivenArgument",
    "GivenTensor",
    "GraphTensor",
    "ItemList",
    "KnownItems",
    "OperationParameter",
    "Operators",
    "PulseOf",
    "ReportedUnknown",
    "StoredVariable",
    "Stream",
    "Submodel",
    "TensorArchives",
    "TensorFile",
    "TensorFiles",
    "described",
    "elaborate",
    "file_of",
    "fragment_graph",
    "fragments_of",
    "notes_of",
    "parameters",
    "resources_in",
    "same_fragments",
    "submodel_paths",
    "submodels_in",
]
