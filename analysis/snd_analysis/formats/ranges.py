"""The ranges of the int tensors of a composed graph, from types of storage, constants and operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from msgspec import Struct

from snd_analysis.compose import Failure, Site, Specialization
from snd_analysis.formats.intervals import (
    Finding,
    Known,
    Operands,
    Range,
    Transfer,
    bits_of,
    constant_range,
    number,
    union_of,
)
from snd_analysis.formats.limits import MOST_OPERATIONS
from snd_analysis.model import Graph, Operation, Tensor, TensorValue, tensors_of
from snd_analysis.skriptnd.names import is_library

__all__ = ["Range", "Ranges", "bits_of", "ranges_of"]

_CVM = "snd:cvm"
_LIBRARIES = {"snd:tosa": "tosa", _CVM: "cvm"}


class Ranges(Struct, frozen=True):
    """What is known of the tensors of a graph, and what that breaks."""

    by_tensor: Mapping[Tensor, Range]
    failures: tuple[Failure, ...]
    has_precision: bool
    """Whether CVM gives the tensors a precision."""

    def of(self, tensor: Tensor) -> Range | None:
        """Return the range of the elements of a tensor."""
        return self.by_tensor.get(tensor) or constant_range(tensor)


def ranges_of(root: Specialization) -> Ranges:
    """Return the ranges of the int tensors of a graph. What nothing limits has none."""
    if root.body is None:
        return Ranges({}, (), False)
    walk = _Walk()
    walk.enter(root.body)
    failures = tuple(walk.graph(root.body))
    return Ranges(walk.known, failures, walk.has_precision)


class _Walk:
    def __init__(self) -> None:
        self.known: dict[Tensor, Range] = {}
        self.seen = 0
        self.has_precision = False

    def enter(self, graph: Graph) -> None:
        """Take what a graph says of its tensors: `@quantize { x: cvm.cvm_clip{precision=8}; }`."""
        for name, quantization in graph.quantizations.items():
            precision = number(quantization.attributes.get("precision"))
            if quantization.operator.path == _CVM and quantization.operator.name == "cvm_clip" and precision:
                most = (1 << (precision - 1)) - 1
                for tensor in tensors_of(graph.tensors[name]) if name in graph.tensors else ():
                    self.known[tensor] = Range(-most, most)

    def read(self, value: TensorValue) -> Range | None:
        return union_of(value, self._tensor)

    def _tensor(self, tensor: Tensor) -> Range | None:
        return self.known.get(tensor) or constant_range(tensor)

    def graph(self, graph: Graph) -> Iterator[Failure]:
        for operation in graph.operations:
            self.seen += 1
            if self.seen > MOST_OPERATIONS:
                return
            for part in operation.subgraphs.values():
                yield from self.graph(part)
            yield from self._operation(operation)

    def _operation(self, operation: Operation) -> Iterator[Failure]:
        operator = operation.operator
        if operator is None:
            return
        transfer = _transfer(operator.path, operator.name)
        if transfer is not None:
            self.has_precision |= operator.path == _CVM
            found = transfer(Operands(operation, self.read))
            known = found if isinstance(found, Known) else Known((found,))
            for value, range in zip(operation.outputs, known.results, strict=False):
                self._keep(value, range)
            yield from (failure_at(operation, finding) for finding in known.findings)
        elif operation.body is not None and not is_library(operator.path):
            yield from self._composed(operation, operation.body)

    def _composed(self, operation: Operation, body: Graph) -> Iterator[Failure]:
        """Look into an operator of the author with what this invocation gives it."""
        for inner, outer in zip(body.inputs.values(), operation.inputs, strict=False):
            self._keep(inner, self.read(outer), or_forget=True)
        self.enter(body)
        site = Site(operation.place, f"'{operation.operator.name if operation.operator else ''}' is invoked here")
        for failure in self.graph(body):
            yield failure.via(site)
        for value, inner in zip(operation.outputs, body.outputs.values(), strict=False):
            self._keep(value, self.read(inner))

    def _keep(self, value: TensorValue, range: Range | None, or_forget: bool = False) -> None:
        for tensor in tensors_of(value):
            if range is not None and tensor.dtype == "int":
                self.known[tensor] = range
            elif or_forget:
                self.known.pop(tensor, None)


def failure_at(operation: Operation, finding: Finding) -> Failure:
    """Return a finding at the invocation that it is about."""
    assert operation.operator is not None
    module = operation.operator.path.rpartition(":")[2]
    site = Site(operation.place, f"'{module}.{operation.operator.name}' is invoked here")
    return Failure(finding.rule, finding.message, (site,))


def _transfer(path: str, name: str) -> Transfer | None:
    module = _LIBRARIES.get(path)
    if module is None:
        return None
    found: Transfer | None = import_module(f"snd_analysis.formats.{module}_ranges").TRANSFERS.get(name)
    return found
