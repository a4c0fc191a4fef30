"""Conversion of models in other formats to SkriptND models in the style of a human author.

The composed graph of a model is expressed in operators of the standard library (``unfolding``, ``idioms``) and written
as a module (``module_text``). ``nnef1`` is the entry point for NNEF 1.0; another format gets another module beside it.
"""

from snd_analysis.convert.module_text import GraphText, StoredTensor, Writer, module_text
from snd_analysis.convert.nnef1 import Converted, NotConvertible, convert_nnef1
from snd_analysis.convert.steps import (
    Block,
    BranchStep,
    DefinitionNames,
    GraphStep,
    InvocationStep,
    LocalStep,
    LoopStep,
    blocks_of,
    literal,
    modules_of,
    needed_steps,
    numbers,
    shortest,
    taken_by,
    with_inputs,
)

__all__ = [
    "Block",
    "BranchStep",
    "Converted",
    "DefinitionNames",
    "GraphStep",
    "GraphText",
    "InvocationStep",
    "LocalStep",
    "LoopStep",
    "NotConvertible",
    "StoredTensor",
    "Writer",
    "blocks_of",
    "convert_nnef1",
    "literal",
    "module_text",
    "modules_of",
    "needed_steps",
    "numbers",
    "shortest",
    "taken_by",
    "with_inputs",
]
