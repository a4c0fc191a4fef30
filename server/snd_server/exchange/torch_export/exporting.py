"""One export as a Python file with modules of PyTorch: write, and compare if asked for."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping

import numpy as np

from snd_analysis.base import counted
from snd_runtime.files import write_safetensors
from snd_runtime.lowering.lowered import Argument
from snd_server.console.terminal import say
from snd_server.exchange.export_comparison import Chosen, shown_comparison, verify
from snd_server.exchange.export_request import CLEAN, PYTHON_SUFFIX, ExportRequest
from snd_server.exchange.graph_export.errors import ExportProblem, NotExportable
from snd_server.exchange.torch_export.exported_file import TorchFile
from snd_server.exchange.torch_export.model_writer import WRITTEN_BY, write_model
from snd_server.workspace_files.writing import demand_replaceable, write_together

_HEAD_BYTES = 1000


def export_torch(request: ExportRequest, chosen: Chosen, variables: Mapping[str, Argument]) -> int:
    """Write a Python file and its weights; return the exit status. Raise NotExportable, ArgumentError, OSError."""
    if request.quantize:
        reason = "--quantize is for ONNX: a Python file computes with reals"
        raise NotExportable([ExportProblem(chosen.template.name.name, reason)])
    stem = request.output.removesuffix(PYTHON_SUFFIX)
    weights = f"{os.path.basename(stem)}.safetensors"
    model = write_model(chosen.specialization, variables, weights)
    _demand_own(request.output)
    demand_replaceable(f"{stem}.safetensors", ".safetensors")
    content = write_safetensors({name: np.ascontiguousarray(array) for name, array in model.weights.items()})
    write_together({f"{stem}.safetensors": (content,), request.output: (model.text.encode(),)})
    if not request.quiet:
        count = model.text.count("\nclass ")
        classes = f"{count} class{'' if count == 1 else 'es'}"
        say(f"{request.output}: {classes}, {counted(len(model.weights), 'weight')}")
    if not request.verify:
        return CLEAN
    found = verify(chosen, variables, TorchFile(request.output, model), request.seed, request.memory_bytes)
    return shown_comparison(found, "PyTorch", request.quiet)


def _demand_own(path: str) -> None:
    """Raise OSError for a Python file that snd did not write."""
    if not os.path.isfile(path):
        return
    # It is no input, which snd would refuse to replace.
    with open(path, "rb") as file:
        first = file.readline(_HEAD_BYTES)
    if WRITTEN_BY.encode() not in first:
        raise OSError(errno.EEXIST, "snd did not write this Python file, and does not replace it", path)
