"""One export as NNEF 1.0: write, let snd and the engine of the dialect check the files, compare if asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from tempfile import TemporaryDirectory

from snd_analysis.base import counted
from snd_analysis.nnef1.syntax import Dialect
from snd_runtime.lowering.lowered import Argument
from snd_server.console.terminal import say
from snd_server.exchange.export_comparison import Chosen, shown_comparison, verify
from snd_server.exchange.export_request import CLEAN, ExportRequest
from snd_server.exchange.graph_export.errors import ExportProblem, NotExportable
from snd_server.exchange.nnef1_export.acceptance import accept
from snd_server.exchange.nnef1_export.exported_file import FileInSnd, FileInTract, Nnef1File
from snd_server.exchange.nnef1_export.model_writer import write_model
from snd_server.exchange.nnef1_export.packing import is_packed, model_files, packed
from snd_server.exchange.nnef1_export.scope import Nnef1Model
from snd_server.exchange.nnef1_export.tract_inference import TractInference, has_tract
from snd_server.workspace_files.writing import demand_replaceable, write_below, write_file

_KINDS = (".tgz", ".tar", ".gz")
_FAULT = "this is a fault of snd, not of the model: please report it"


def export_nnef1(request: ExportRequest, chosen: Chosen, variables: Mapping[str, Argument]) -> int:
    """Write a model in NNEF 1.0, and return the exit status. Raise NotExportable, ArgumentError, OSError."""
    dialect = Dialect(request.dialect)
    with TractInference(request.memory_bytes) as inference:
        if has_tract():
            inference.start()
        model = write_model(
            chosen.specialization, variables, dialect, flat=request.flat, labels=chosen.labels,
            quantizing=chosen.session if request.quantize else None,
        )  # fmt: skip
        note = save(model, request.output, chosen.specialization.template.name.name, inference)
        if not request.quiet:
            fragments = f", {counted(len(model.fragments), 'fragment')}" if model.fragments else ""
            say(f"{request.output}: {counted(model.operations, 'operation')}{fragments}")
        for each in model.notes:
            say(f"warning: {each}", err=True)
        if note is not None:
            say(f"warning: the file was not checked completely: {note}", err=True)
        if not request.verify:
            return CLEAN
        with TemporaryDirectory() as folder:
            files: list[Nnef1File] = [FileInSnd(model, chosen, variables, folder)]
            if dialect is Dialect.TRACT and has_tract():
                files.insert(0, FileInTract(model, chosen, variables, folder, inference))
            elif dialect is Dialect.TRACT:
                say(
                    "warning: tract is not installed, so it did not run the file: pip install tract installs it",
                    err=True,
                )
            for file in files:
                found = verify(chosen, variables, file, request.seed, request.memory_bytes)
                status = shown_comparison(found, file.engine, request.quiet)
                if status != CLEAN:
                    return status
    return CLEAN


def save(model: Nnef1Model, path: str, name: str, inference: TractInference) -> str | None:
    """Write a model as an archive, or as a text with its tensors beside.

    A file appears only if snd, and tract or the parser of Khronos where they are installed, accept the model. Return
    the reason if they could not be asked. Raise NotExportable if they refuse the model; OSError.
    """
    demand_replaceable(path, *_KINDS)
    with TemporaryDirectory() as folder:
        try:
            found = accept(folder, model, inference)
        except ValueError as error:
            raise NotExportable([ExportProblem(name, str(error))]) from None
    if found.refusal is not None:
        raise NotExportable([ExportProblem(name, f"{found.refusal} ({_FAULT})")])
    if is_packed(path):
        write_file(path, packed(model_files(model), path), *_KINDS)
    else:
        write_below(
            os.path.dirname(path) or os.curdir,
            {each: (content,) for each, content in model_files(model, os.path.basename(path)).items()},
        )
    return found.note
