"""An exported program as a graph of ATen calls: every name has one value, and modules are those of the program.

Calls that change a tensor in place become calls that make a new tensor, which later calls take instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import IO, Any

import numpy as np
from msgspec import Struct

from snd_server.exchange.onnx_import.limits import MOST_NODES
from snd_server.exchange.onnx_import.modules import Modules, ProgramModule
from snd_server.exchange.onnx_import.source import (
    EXPORTED_PROGRAM,
    Declared,
    InvalidModelError,
    SourceGraph,
    SourceNode,
)
from snd_server.exchange.torch_import.archive import DTYPES, ProgramArchive

_SYMBOL = re.compile(r"^(?:Symbol\('(\w+)'.*\)|([A-Za-z_]\w*))$")
_CONTAINERS = "torch.nn.modules.container."
_UNBOUNDED = 1 << 31
"""Bounds from here on are none: torch writes the greatest int."""
_VIEWS = frozenset([
    "alias", "as_strided", "chunk", "detach", "diagonal", "expand", "expand_as", "flatten", "movedim", "mT", "narrow",
    "numpy_T", "permute", "reshape", "reshape_as", "select", "slice", "split", "split_with_sizes", "squeeze",
    "swapaxes", "t", "transpose", "unbind", "unflatten", "unfold", "unsqueeze", "view", "view_as", "contiguous", "to",
    "dropout", "identity", "lift_fresh", "lift_fresh_copy", "type_as", "feature_dropout", "adaptive_avg_pool2d",
])  # fmt: skip
"""Operators whose result may share its elements with the first argument."""
_WHOLE = frozenset(["alias", "detach", "dropout", "contiguous", "to", "identity", "lift_fresh", "feature_dropout"])
"""Views with the same shape as their argument."""


class Ref(Struct, frozen=True):
    """An argument of a call that an input has: its position among the inputs."""

    at: int


def read_program(file: IO[bytes], most_bytes: int, extents: Mapping[str, str] | None = None) -> SourceGraph:
    """Return the program of an archive; ``extents`` has names for symbols. Raise InvalidModelError."""
    archive = ProgramArchive(file, most_bytes)
    try:
        return _Program(archive, archive.model(), extents or {}).graph()
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InvalidModelError(f"its 'models/model.json' is no exported program ({error!r})") from None


class _Program:
    def __init__(self, archive: ProgramArchive, model: Mapping[str, Any], extents: Mapping[str, str]) -> None:
        self._archive = archive
        self._module = model["graph_module"]
        self._graph = self._module["graph"]
        self._signature = self._module["signature"]
        self._ranges: Mapping[str, Any] = model.get("range_constraints") or {}
        self._extents = dict(extents)

    def graph(self) -> SourceGraph:
        """Return the whole program."""
        if len(self._graph["nodes"]) > MOST_NODES:
            raise InvalidModelError(f"it has more than {MOST_NODES:,} calls")
        stored = self._archive.tensors()
        inputs: list[Declared] = []
        buffers: dict[str, str] = {}
        arrays: dict[str, str] = {}
        scalars: dict[str, Any] = {}
        for spec in self._signature["input_specs"]:
            ((kind, each),) = spec.items()
            match kind:
                case "user_input" if "as_tensor" in each["arg"]:
                    inputs.append(self._input(each["arg"]["as_tensor"]["name"]))
                case "user_input":
                    raise InvalidModelError("it has an input that is no tensor: make it a constant, or a tensor")
                case "constant_input":
                    scalars[each["name"]] = next(iter(each["value"].values()))
                case "parameter" | "buffer" | "tensor_constant":
                    name = next(value for key, value in each.items() if key.endswith("_name"))
                    arrays[each["arg"]["name"]] = name
                    if kind == "buffer":
                        buffers[name] = each["arg"]["name"]
                case _:
                    raise InvalidModelError(f"it has an input of the kind '{kind}', which has no tensor of SkriptND")
        missing = [name for name in arrays.values() if name not in stored]
        if missing:
            raise InvalidModelError(f"the elements of '{missing[0]}' are missing")
        single = _SingleValues(scalars, {target: name for name, target in buffers.items()})
        nodes = tuple(single.nodes(self._graph["nodes"]))
        outputs, updates = self._outputs(single, buffers)
        outputs, copies = _with_copies(outputs)
        nodes += tuple(copies)
        updates.update({target: new for target, new in single.changed_buffers() if target not in updates})
        used = {name for node in nodes for name in node.inputs} | {each.name for each in outputs}
        taken = {target: name for target, name in arrays.items() if target in used or target in updates}
        return SourceGraph(
            self._name(),
            tuple(inputs),
            tuple(outputs),
            {target: self._archive.array(stored[name]) for target, name in taken.items()},
            nodes,
            {name: self._declared(name) for name in self._graph["tensor_values"]},
            bounds=self._bounds(),
            updates=updates,
            labels=taken,
        )

    def _name(self) -> str:
        """Return the class of the outermost module."""
        stacks = (call.get("metadata", {}).get("nn_module_stack", "") for call in self._graph["nodes"])
        outermost = next(filter(None, stacks), "").partition(";")[0]
        name = str(outermost.rpartition(",")[2].rpartition(".")[2])
        return name if name.isidentifier() else "model"

    def _outputs(self, single: _SingleValues, buffers: Mapping[str, str]) -> tuple[list[Declared], dict[str, str]]:
        outputs: list[Declared] = []
        updates: dict[str, str] = {}
        for spec in self._signature["output_specs"]:
            ((kind, each),) = spec.items()
            argument = each["arg"]
            match kind:
                case "user_output" if "as_tensor" in argument:
                    declared = self._declared(argument["as_tensor"]["name"])
                    outputs.append(Declared(single.current(declared.name), declared.dtype, declared.shape))
                case "user_output" if "as_none" in argument:
                    continue
                case "user_output":
                    raise InvalidModelError("it has an output that is no tensor")
                case "buffer_mutation":
                    updates[buffers[each["buffer_name"]]] = single.current(argument["name"])
                case "token":
                    continue
                case _:
                    raise InvalidModelError(f"it has an output of the kind '{kind}', which SkriptND has no place for")
        return outputs, updates

    def _input(self, name: str) -> Declared:
        declared = self._declared(name)
        if None in (declared.shape or ()):
            raise InvalidModelError(f"the input '{name}' has an extent that is an expression of others")
        return declared

    def _declared(self, name: str) -> Declared:
        meta = self._graph["tensor_values"][name]
        dtype = DTYPES.get(meta["dtype"])
        is_half = dtype == "bfloat16"
        shape = tuple(self._extent(each, axis, len(meta["sizes"])) for axis, each in enumerate(meta["sizes"]))
        return Declared(name, None if dtype is None else np.dtype("float16" if is_half else dtype), shape)

    def _extent(self, size: Mapping[str, Any], axis: int, rank: int) -> int | str | None:
        if "as_int" in size:
            return int(size["as_int"])
        found = _SYMBOL.match(size["as_expr"]["expr_str"])
        if found is None:
            return None
        symbol = found[1] or found[2]
        return self._extents.setdefault(symbol, self._new_name(axis, rank))

    def _new_name(self, axis: int, rank: int) -> str:
        """Return the usual name of an extent, which the file does not tell."""
        usual = ("batch", *({4: ("channels", "height", "width")}.get(rank, ("length", "width", "depth"))))
        name = usual[axis] if axis < len(usual) else f"extent_{axis}"
        count = sum(re.sub(r"_\d+$", "", each) == name for each in self._extents.values())
        return name if not count else f"{name}_{count + 1}"

    def _bounds(self) -> dict[str, int]:
        found = {
            self._extents[name]: each.get("max_val") for name, each in self._ranges.items() if name in self._extents
        }
        return {name: int(most) for name, most in found.items() if isinstance(most, int) and most < _UNBOUNDED}


class _SingleValues:
    """The calls of a graph, with a new name for each value of a tensor that is changed in place."""

    def __init__(self, scalars: Mapping[str, Any], buffers: Mapping[str, str]) -> None:
        self._scalars = scalars
        self._buffers = buffers
        """Names of buffers by their names in the graph."""
        self._value: dict[str, str] = {}
        """The present values of names, for tensors that were changed."""
        self._storage: dict[str, str] = {}
        """The first tensor that a view has its elements from."""
        self._is_whole: dict[str, bool] = {}
        self._stale: dict[str, str] = {}
        """Tensors whose elements were changed by way of another one, with the call that did it."""

    def current(self, name: str) -> str:
        """Return the name of the present value. Raise InvalidModelError for one that a view has changed."""
        if name in self._stale:
            raise InvalidModelError(
                f"'{self._stale[name]}' changes '{name}' by way of a view, which is not translated: save "
                "'program.run_decompositions({})' instead, which has no such calls"
            )
        return self._value.get(name, name)

    def changed_buffers(self) -> Iterator[tuple[str, str]]:
        """Yield the buffers that calls change, each with the name of its last value."""
        for target in self._buffers:
            if target in self._value and self._value[target] != target:
                yield target, self._value[target]

    def nodes(self, calls: Iterable[Mapping[str, Any]]) -> Iterator[SourceNode]:
        """Yield the calls."""
        for call in calls:
            inputs: list[str] = []
            target = str(call["target"])
            kind = target.removeprefix("torch.ops.aten.").removeprefix("torch.ops.")
            arguments = {each["name"]: self._argument(each["arg"], inputs) for each in call["inputs"]}
            outputs = list(_names(call["outputs"]))
            shown = str(call.get("name") or next(iter(outputs), kind))
            modules = _modules(call.get("metadata", {}).get("nn_module_stack", ""))
            base = kind.partition(".")[0]
            name = base.removesuffix("_")
            if _is_in_place(base) and inputs:
                kind = f"{name}{kind.removeprefix(base)}"
                self._change(self._first(call), outputs[0] if outputs else "", shown)
            elif name in _VIEWS and inputs:
                first = self._first(call)
                for output in outputs:
                    self._storage[output] = self._storage.get(first, first)
                    self._is_whole[output] = name in _WHOLE and self._is_whole.get(first, True)
            yield SourceNode(kind, EXPORTED_PROGRAM, shown, tuple(inputs), tuple(outputs), arguments, 1, modules)

    @staticmethod
    def _first(call: Mapping[str, Any]) -> str:
        (argument,) = call["inputs"][0]["arg"].values()
        return str(argument["name"]) if isinstance(argument, Mapping) else ""

    def _change(self, name: str, new: str, call: str) -> None:
        """Note that a call gives all names of a tensor the value ``new``."""
        storage = self._storage.get(name, name)
        same = {each for each, first in self._storage.items() if first == storage} | {storage}
        for each in same:
            if self._is_whole.get(each, True) == self._is_whole.get(name, True) and (
                each == name or self._is_whole.get(name, True)
            ):
                self._value[each] = new
            else:
                self._stale[each] = call
        self._storage[new] = storage
        self._is_whole[new] = self._is_whole.get(name, True)

    def _argument(self, argument: Mapping[str, Any], inputs: list[str]) -> Any:
        ((kind, value),) = argument.items()
        match kind:
            case "as_none":
                return None
            case "as_tensor":
                return self._input(value["name"], inputs)
            case "as_tensors":
                return [self._input(each["name"], inputs) for each in value]
            case "as_optional_tensors" | "as_sym_ints" | "as_sym_bools" | "as_sym_floats":
                return [self._argument(each, inputs) for each in value]
            case "as_sym_int" | "as_sym_bool" | "as_sym_float" | "as_optional_tensor":
                return self._argument(value, inputs)
            case "as_name":
                return self._input(value, inputs)
            case "as_float":
                return float(value)  # infinities and NaN are texts
            case "as_floats":
                return [float(each) for each in value]
            case "as_scalar_type":
                dtype = DTYPES.get(value)
                if dtype is None:
                    raise InvalidModelError(f"elements of the type {value}, which SkriptND has no type for")
                return np.dtype("float16" if dtype == "bfloat16" else dtype)
            case "as_graph" | "as_custom_obj" | "as_operator" | "as_complex" | "as_string_to_argument":
                return Unsupported(kind.removeprefix("as_"))
        return value

    def _input(self, name: str, inputs: list[str]) -> Any:
        if name in self._scalars:
            return self._scalars[name]
        inputs.append(self.current(name))
        return Ref(len(inputs) - 1)


class Unsupported(Struct, frozen=True):
    """An argument that no translation takes, such as a graph of ``torch.cond``."""

    kind: str


def _is_in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__")


def _names(outputs: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for output in outputs:
        ((kind, value),) = output.items()
        match kind:
            case "as_tensor":
                yield str(value["name"])
            case "as_tensors":
                yield from (str(each["name"]) for each in value)
            case "as_sym_int" | "as_sym_bool" | "as_sym_float":
                yield str(value["as_name"])
            case "as_optional_tensor":
                yield str(value["as_tensor"]["name"]) if "as_tensor" in value else ""
            case _:
                yield ""


def _with_copies(outputs: Sequence[Declared]) -> tuple[list[Declared], list[SourceNode]]:
    """Return outputs with different names, and the nodes that copy tensors which are several outputs."""
    found: list[Declared] = []
    copies: list[SourceNode] = []
    names = {each.name for each in outputs}
    for each in outputs:
        if all(each.name != other.name for other in found):
            found.append(each)
            continue
        name = next(new for number in count(1) if (new := f"{each.name}_{number}") not in names)
        names.add(name)
        found.append(Declared(name, each.dtype, each.shape))
        copies.append(SourceNode("alias.default", EXPORTED_PROGRAM, name, (each.name,), (name,), {"self": Ref(0)}, 1))
    return found, copies


def _modules(stack: str) -> Modules:
    """Return the modules of a call, from entries such as ``L__self__layer1,layer1,package.Block``."""
    found: list[ProgramModule] = []
    for entry in stack.split(";"):
        _, _, rest = entry.partition(",")
        path, _, kind = rest.rpartition(",")
        if path:
            found.append(ProgramModule(path, "" if kind.startswith(_CONTAINERS) else kind.rpartition(".")[2]))
    return _without_repetition(found)


def _without_repetition(modules: Sequence[ProgramModule]) -> Modules:
    return tuple(each for at, each in enumerate(modules) if not at or modules[at - 1].path != each.path)
