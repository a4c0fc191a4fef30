"""The common parts of composing and running the statements of a body.

``BodyState`` is the state of one body, and an ``Interpreter`` walks its statements. An interpreter needs the names
exported here.
"""

from snd_analysis.compose.body.branches import scopes_of_branch, static_condition
from snd_analysis.compose.body.interpreter import call, right_side
from snd_analysis.compose.body.outputs import blame, finished_outputs
from snd_analysis.compose.body.quantization import missing_dimensions
from snd_analysis.compose.body.results import Targets, assign, made_output
from snd_analysis.compose.body.scoped_names import Naming, quantized_name
from snd_analysis.compose.body.state import BodyState, ResultValues

__all__ = [
    "BodyState",
    "Naming",
    "ResultValues",
    "Targets",
    "assign",
    "blame",
    "call",
    "finished_outputs",
    "made_output",
    "missing_dimensions",
    "quantized_name",
    "right_side",
    "scopes_of_branch",
    "static_condition",
]
