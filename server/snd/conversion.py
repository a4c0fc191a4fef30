"""Models of other formats as SkriptND models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, get_args

from msgspec import Struct

from snd.demands import by_name, demand_int, path_of
from snd.errors import ArgumentError, ConversionError, ModelError, diagnostic_of
from snd_analysis.base import UNFORKABLE
from snd_server.checking.checker import Checker
from snd_server.cli import allow_deep_recursion
from snd_server.exchange.conversion_request import ConvertRequest, WeightsForm
from snd_server.exchange.nnef1_conversion import convert_nnef1_file, source_errors
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings
from snd_server.workspace_files.model_folder import MAIN, SOURCE_SUFFIXES, main_file
from snd_server.workspace_files.reading import reason


class Conversion(Struct, frozen=True):
    """The result of ``snd.convert``."""

    path: str
    """The file of the new model, which ``snd.load`` takes."""
    untranslated: tuple[str, ...] = ()
    """Nodes of an ONNX model that no operator takes the place of, each with the reason; the rest is written."""


def convert(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    weights: WeightsForm = "dat",
    weights_from: str | os.PathLike[str] | None = None,
    map: str | os.PathLike[str] | None = None,
    constants: Mapping[str, Any] | None = None,
    force: bool = False,
    memory: int = 4 << 30,
) -> Conversion:
    """Write a model in ONNX, PyTorch or NNEF 1.0 as a SkriptND model with its weights; see docs/convert.md.

    ``output`` is the folder of the new model.

    ``weights_from`` is a folder or file that has the values of the variables instead of the model, as ``snd run
    --weights`` takes it; every variable must have a weight there, and every weight a variable. ``map`` is a file that
    renames these weights. ``constants`` are inputs of an ONNX model that become constants, such as the shape of a
    reshape. ``force`` writes into a folder that is not empty. Tensors may take ``memory`` bytes. Raise ArgumentError
    for a file that can't be read or written, ModelError for a model in NNEF 1.0 with errors, and ConversionError if
    no output of an ONNX model can be translated: nothing is written then. Raise TypeError for an argument of another
    type.
    """
    allow_deep_recursion()
    if weights not in get_args(WeightsForm):
        forms = " or ".join(f"'{each}'" for each in get_args(WeightsForm))
        raise ArgumentError(f"'weights' must be {forms}, not {weights!r}")
    demand_int("memory", memory)
    values, folder = by_name("constants", constants), path_of("output", output)
    if map is not None and weights_from is None:
        raise ArgumentError("'map' renames the weights of 'weights_from', which is not given")
    request = ConvertRequest(
        main_file(path_of("source", source)), folder, force=force, memory_bytes=int(memory), weights=weights,
        weights_from=None if weights_from is None else path_of("weights_from", weights_from),
        map=None if map is None else path_of("map", map),
    )  # fmt: skip
    if not force and os.path.isdir(folder) and os.listdir(folder):
        raise ArgumentError(f"the folder {folder} is not empty; force=True writes into it anyway")
    try:
        with UNFORKABLE:
            return _converted(request, values)
    except OSError as error:
        raise ArgumentError(f"{folder} can't be written: {reason(error)}") from None


def _converted(request: ConvertRequest, constants: Mapping[str, Any]) -> Conversion:
    main = os.path.join(request.output, MAIN)
    if request.path.endswith(SOURCE_SUFFIXES):
        from snd_server.exchange.onnx_conversion import convert_onnx_file

        converted, _ = convert_onnx_file(request, constants)
        if converted.left_out and not converted.outputs:
            raise ConversionError([str(each) for each in converted.problems])
        return Conversion(main, tuple(map(str, converted.problems)))
    checker = Checker(Configurations(None), RuleSettings())
    broken = source_errors(checker, request)
    if broken:
        raise ModelError([diagnostic_of(each, checker.source(each.location.path)) for each in broken])
    convert_nnef1_file(checker, request)
    return Conversion(main)
