"""Modules of PyTorch as models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snd.demands import demand_int
from snd.errors import ConversionError
from snd.model import Model
from snd_analysis.base import UNFORKABLE
from snd_runtime.limits import Limits
from snd_server.checking.checker import Checker
from snd_server.cli import allow_deep_recursion
from snd_server.running.evaluate import RunRequest, prepare
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings


def from_torch(
    module: Any,
    example_inputs: Sequence[Any] = (),
    *,
    example_keywords: Mapping[str, Any] | None = None,
    dynamic: Any = None,
    memory: int = 4 << 30,
) -> Model:
    """Return a ``torch.nn.Module`` as a model; see docs/pytorch.md.

    ``torch.export`` exports the module in evaluation mode for ``example_inputs``, its arguments. Extents of these are
    numbers of the model, unless ``dynamic`` gives them names: ``({0: "batch"},)`` has the axes of each input, in order
    or by name. Tensors may take ``memory`` bytes. Raise ArgumentError if PyTorch is missing or can't export the
    module, and ConversionError for calls that no operator takes the place of.
    """
    demand_int("memory", memory)
    allow_deep_recursion()
    with UNFORKABLE:
        return _converted(module, example_inputs, example_keywords or {}, dynamic, int(memory))


def _converted(module: Any, inputs: Sequence[Any], keywords: Mapping[str, Any], dynamic: Any, memory: int) -> Model:
    from snd_server.exchange.onnx_import import tensor_array
    from snd_server.exchange.torch_import.tracing import converted_program, export_program

    name = type(module).__name__
    program = export_program(module, inputs, keywords, dynamic)
    converted = converted_program(program, name, dynamic, memory)
    if converted.problems:
        raise ConversionError([str(each) for each in converted.problems])
    arrays = {label: tensor_array(array) for label, array in converted.weights.items()}
    checker = Checker(Configurations(None), RuleSettings())
    path = f"{name}.sknd"
    checker.provide(path, converted.text.encode())
    request = RunRequest(path, memory_bytes=memory, arrays=arrays)
    prepared = prepare(checker.snapshot(path), request, None)
    return Model(checker, prepared, {}, {}, Limits(tensor_bytes=memory), None)
