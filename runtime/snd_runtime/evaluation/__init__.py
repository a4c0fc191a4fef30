"""Evaluation of a graph or operator on request: plain data in, plain data out, so that a worker process can do it.

``Evaluator`` is the caller's side; the worker runs ``handler``.
"""

from snd_runtime.evaluation.answer import EvaluationAnswer, Progress, ShownStep, ShownTensor
from snd_runtime.evaluation.evaluator import Evaluator
from snd_runtime.evaluation.handler import KnownFiles
from snd_runtime.evaluation.request import (
    EvaluationRequest,
    InputValue,
    LiteralInput,
    StoredArray,
    Texts,
    dtype_of_input,
)

__all__ = [
    "EvaluationAnswer",
    "EvaluationRequest",
    "Evaluator",
    "InputValue",
    "KnownFiles",
    "LiteralInput",
    "Progress",
    "ShownStep",
    "ShownTensor",
    "StoredArray",
    "Texts",
    "dtype_of_input",
]
