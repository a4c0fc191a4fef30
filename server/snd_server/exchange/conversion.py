"""One run of ``snd convert``."""

from __future__ import annotations

from snd_server.exchange.conversion_request import ConvertRequest
from snd_server.running.arguments import ArgumentError
from snd_server.workspace_files.model_folder import ONNX_SUFFIX


def run_convert(request: ConvertRequest) -> int:
    """Convert a model, and return the exit status.

    Raise ArgumentError for missing inputs, ConfigError, and OSError for a file that can't be written.
    """
    if request.weights_from is None and (request.map is not None or request.write_map is not None):
        option = "--map" if request.write_map is None else "--write-map"
        raise ArgumentError(f"{option} takes --weights-from PLACE: it says which weights belong to which variables")
    if request.weights_from is not None and request.verify:
        raise ArgumentError("--verify compares two models with the same weights, and can't be used with --weights-from")
    if request.path.endswith(ONNX_SUFFIX):
        from snd_server.exchange.onnx_conversion import run_onnx

        return run_onnx(request)
    from snd_server.exchange.nnef1_conversion import run_nnef1

    return run_nnef1(request)
