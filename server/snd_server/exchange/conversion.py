"""One run of ``snd convert``."""

from __future__ import annotations

import os
import tempfile

from msgspec.structs import replace

from snd_server.exchange.conversion_request import ConvertRequest
from snd_server.running.arguments import ArgumentError
from snd_server.workspace_files.model_folder import PROGRAM_SUFFIX, SOURCE_SUFFIXES
from snd_server.workspace_files.writing import withdrawn_if_interrupted


def run_convert(request: ConvertRequest) -> int:
    """Convert a model, and return the exit status.

    Raise ArgumentError for missing inputs, ConfigError, and OSError for a file that can't be written.
    """
    if request.weights_from is None and (request.map is not None or request.write_map is not None):
        option = "--map" if request.write_map is None else "--write-map"
        raise ArgumentError(f"{option} takes --weights-from PLACE: it says which weights belong to which variables")
    if request.weights_from is not None and request.verify:
        raise ArgumentError("--verify compares two models with the same weights, and can't be used with --weights-from")
    if request.verify and request.path.endswith(PROGRAM_SUFFIX) and not request.trust:
        raise ArgumentError(
            "--verify loads the file with PyTorch, which may execute code in it: add --trust if you know who made it"
        )
    with withdrawn_if_interrupted():
        return _converted(request)


def _converted(request: ConvertRequest) -> int:
    if ":" in request.path and not os.path.exists(request.path):
        return _run_factory(request)
    if request.path.endswith(SOURCE_SUFFIXES):
        from snd_server.exchange.onnx_conversion import run_onnx

        return run_onnx(request)
    from snd_server.exchange.nnef1_conversion import run_nnef1

    return run_nnef1(request)


def _run_factory(request: ConvertRequest) -> int:
    """Export the module that a Python function returns, and convert that."""
    if not request.trust:
        raise ArgumentError(
            f"{request.path} is a Python function: converting executes it, and the modules it imports. Add --trust if "
            "you trust this code"
        )
    from snd_server.exchange.torch_import.factory import save_program

    with tempfile.TemporaryDirectory(prefix="snd-") as folder:
        path = os.path.join(folder, f"{request.path.rpartition(':')[2]}{PROGRAM_SUFFIX}")
        extents = save_program(request.path, request.inputs, path)
        from snd_server.exchange.onnx_conversion import run_onnx

        return run_onnx(replace(request, path=path, extents=extents))
