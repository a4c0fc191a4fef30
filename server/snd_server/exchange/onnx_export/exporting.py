"""One export as ONNX: write, let onnx and onnxruntime check the file, compare with onnxruntime if asked for."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from tempfile import TemporaryDirectory

import onnx

from snd_analysis.base import counted
from snd_analysis.compose import Specialization
from snd_runtime.lowering.lowered import Argument
from snd_server.console.terminal import say
from snd_server.exchange import special_values
from snd_server.exchange.export_comparison import Chosen, shown_comparison, verify
from snd_server.exchange.export_request import CLEAN, ExportRequest
from snd_server.exchange.inference import Inference
from snd_server.exchange.onnx_export.acceptance import accept, refused
from snd_server.exchange.onnx_export.exported_file import OnnxFile
from snd_server.exchange.onnx_export.model_writer import write_model
from snd_server.limits import MOST_MODEL_BYTES
from snd_server.running.arguments import ArgumentError
from snd_server.workspace_files.writing import demand_below, demand_replaceable, is_stream, write_file, write_together

_MODEL = "model.onnx"
_KINDS = (".onnx", ".pb")
_SMALLEST_OUTSIDE, _ALIGNMENT = 1024, 4096
"""Minimum size and alignment, in bytes, of weights in another file: programs map its pages into memory."""


def export_onnx(request: ExportRequest, chosen: Chosen, variables: Mapping[str, Argument]) -> int:
    """Write an ONNX file, and return the exit status. Raise NotExportable, ArgumentError, OSError."""
    specialization, quantizing = chosen.specialization, chosen.session if request.quantize else None
    with Inference(request.memory_bytes) as inference:
        inference.start()
        model = write_model(specialization, variables, flat=request.flat, quantizing=quantizing)
        note = save(model, request.output, specialization, variables, inference)
        if not request.quiet:
            functions = f", {counted(len(model.functions), 'function')}" if model.functions else ""
            say(f"{request.output}: {counted(len(model.graph.node), 'node')}{functions}")
            special = special_values.note(model)
            if special is not None:
                say(special)
        if note is not None:
            say(f"warning: the file was not checked completely: {note}", err=True)
        if not request.verify:
            return CLEAN
        if note is not None:
            raise ArgumentError(f"--verify: {note}")
        file = OnnxFile(request.output, chosen, variables, inference)
        found = verify(chosen, variables, file, request.seed, request.memory_bytes)
    return shown_comparison(found, file.engine, request.quiet)


def save(
    model: onnx.ModelProto,
    path: str,
    specialization: Specialization,
    variables: Mapping[str, Argument],
    inference: Inference,
) -> str | None:
    """Write the model of a graph; the weights of a very large one into a file beside it, ``NAME.data``.

    A file appears only if ``onnx.checker`` and onnxruntime accept it. Return the reason if they could not be asked.
    Raises NotExportable if they refuse the file; OSError.
    """
    names = [os.path.basename(path)]
    note: str | None = None

    def check(temporaries: Sequence[str]) -> None:
        """Check new files under the names that they will have: the model names the file of its weights."""
        nonlocal note
        with TemporaryDirectory(prefix=".", dir=os.path.dirname(temporaries[0])) as trial:
            moved = [(each, os.path.join(trial, name)) for each, name in zip(temporaries, names, strict=True)]
            for temporary, named in moved:
                os.replace(temporary, named)
            try:
                found = accept(model, moved[0][1], inference)
            finally:
                for temporary, named in moved:
                    os.replace(named, temporary)
        if found.refusal is not None:
            raise refused(specialization, variables, found.refusal, inference)
        note = found.note

    demand_replaceable(path, *_KINDS)
    is_small = sum(len(each.raw_data) for each in model.graph.initializer) < MOST_MODEL_BYTES
    if is_stream(path):
        if not is_small:
            raise OSError(errno.EFBIG, "a model of this size is two files: name one in a folder", path)
        content = model.SerializeToString()
        with TemporaryDirectory() as folder:
            names = [_MODEL]
            write_together({os.path.join(folder, _MODEL): (content,)}, check)
        write_file(path, content, *_KINDS)
        return note
    if is_small:
        write_together({path: (model.SerializeToString(),)}, check)
        return note
    beside = f"{path}.data"
    demand_below(os.path.dirname(path) or os.curdir, beside)
    names.append(os.path.basename(beside))
    pieces = _external(model, names[1])
    write_together({path: (model.SerializeToString(),), beside: pieces}, check)
    return note


def _external(model: onnx.ModelProto, location: str) -> list[bytes]:
    """Move weights out of a model: return the bytes of the file ``location``, where the model has them now."""
    from onnx.external_data_helper import set_external_data

    pieces: list[bytes] = []
    end = 0
    for tensor in model.graph.initializer:
        content = tensor.raw_data
        if len(content) < _SMALLEST_OUTSIDE:
            continue
        padding = bytes(-end % _ALIGNMENT)
        set_external_data(tensor, location, offset=end + len(padding), length=len(content))
        tensor.ClearField("raw_data")
        pieces += [padding, content]
        end += len(padding) + len(content)
    return pieces
