"""The modules that a node belongs to: exporters say them in its name, or beside it. So are calls of functions."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from snd_server.exchange.onnx_import.naming import readable, snake

_NAMES = "pkg.torch.onnx.name_scopes"
_CLASSES = "pkg.torch.onnx.class_hierarchy"
_LIBRARY = "torch.nn.modules."
_UNNUMBERED = re.compile(r"[._]\d+$")
"""Suffix that exporters add to the names of functions that differ by attributes only."""


class ProgramModule(Struct, frozen=True):
    """A module of the program that a model is exported from: where it is, ``encoder.layer.0``, and its class."""

    path: str
    kind: str = ""
    """Empty if it is not known, or a container that says nothing."""
    prefix: str = ""
    """Prefix of the names inside a call of a function."""


Modules = tuple[ProgramModule, ...]
"""Modules within each other, the outermost first."""


def modules_of(name: str, metadata: Mapping[str, str]) -> Modules:
    """Return the modules of a node with this name.

    >>> [each.path for each in modules_of("/layers/layers.0/conv/Conv", {})]
    ['layers', 'layers.0', 'layers.0.conv']
    """
    paths, kinds = _listed(metadata.get(_NAMES, "")), _listed(metadata.get(_CLASSES, ""))
    if paths and len(paths) == len(kinds):  # torch.onnx.export(…, dynamo=True); the last is the function that is called
        pairs = zip(paths[:-1], kinds[:-1], strict=True)
        return tuple(ProgramModule(path, _class(kind)) for path, kind in pairs if path)
    return tuple(_of_name(name))


def _listed(text: str) -> list[str]:
    try:
        found = ast.literal_eval(text) if text else []
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    return found if isinstance(found, list) and all(isinstance(each, str) for each in found) else []


def _class(kind: str) -> str:
    name = kind.rpartition(".")[2]
    return "" if kind.startswith(f"{_LIBRARY}container.") else name


def _of_name(name: str) -> Iterator[ProgramModule]:
    """Yield the modules that a name like ``/layer1/layer1.0/conv1/Conv`` says."""
    parts = [each for each in name.split("/") if each][:-1]
    whole = ""
    for at, part in enumerate(parts):
        before = parts[at - 1] if at else ""
        # The item of a container says its name once more: layer1/layer1.0.
        whole = f"{whole.removesuffix(before)}{part}" if before and part.startswith(f"{before}.") else f"{whole}.{part}"
        whole = whole.strip(".")
        yield ProgramModule(whole)


class CallNames:
    """Names for calls of functions, unique within a model."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def module(self, function: str, result: str, prefix: str, outer: Modules) -> ProgramModule:
        """Return a call as a module of the nodes inside, whose names begin with ``prefix``."""
        around = (
            outer[-1] if outer and outer[-1].prefix and f"{result}/".startswith(outer[-1].prefix) else ProgramModule("")
        )
        # A call whose result is the result of the outer function has the name of the function.
        own = result.removeprefix(around.prefix)
        name = readable(own, function) if f"{own}/" != around.prefix else snake(function)
        path = f"{around.path}.{name}".strip(".")
        self._counts[path] += 1
        path = path if self._counts[path] == 1 else f"{path}_{self._counts[path]}"
        return ProgramModule(path, _UNNUMBERED.sub("", function), prefix)


def within(call: ProgramModule, inner: Modules) -> Modules:
    """Return the modules that a node of a function says, inside of a call."""
    return tuple(replace(each, path=f"{call.path}.{each.path}") for each in inner)


def common(each: Modules, other: Modules) -> Modules:
    """Return the modules that both are in."""
    count = 0
    for one, two in zip(each, other, strict=False):
        if one.path != two.path:
            break
        count += 1
    return each[:count]


def items(modules: Modules) -> dict[str, str]:
    """Return the items of containers that modules are, by their containers.

    >>> items((Module("encoder"), Module("encoder.layer.1"), Module("encoder.layer.1.norm")))
    {'encoder.layer': '1'}
    """
    found: dict[str, str] = {}
    for each in modules:
        for at, name in enumerate(parts := each.path.split(".")):
            if name.isdigit():
                found.setdefault(".".join(parts[:at]), name)
    return found


def title(modules: list[Modules]) -> str:
    """Return the name of an operator that replaces several modules: their class, or the common part of their names.

    >>> title([(Module("encoder.layer.0"),), (Module("encoder.layer.1"),)])
    'encoder_layer'
    """
    inner = [each[-1] for each in modules if each]
    if len(inner) < len(modules):
        return ""
    kinds = {each.kind for each in inner}
    if len(kinds) == 1 and (kind := kinds.pop()):
        return snake(kind)
    stems = {_stem(each.path) for each in inner}
    return stems.pop() if len(stems) == 1 else ""


def _stem(path: str) -> str:
    """Return the name of the items of a container: ``encoder_layer`` for ``encoder.layers.0``."""
    container, _, name = path.rpartition(".")
    if name.isdigit():
        return snake("_".join(container.split(".")[-2:])).removesuffix("s")
    return snake(name).rstrip("_0123456789")
