"""The operators that implement operations of NNEF 1.0, by the names of the operations."""

from __future__ import annotations

from functools import cache, lru_cache

from snd_analysis.base import MADE_FOR
from snd_analysis.nnef1.elaborate import QUANTIZATION
from snd_analysis.nnef1.syntax import Dialect
from snd_analysis.skriptnd.names import ModuleNames, ModuleScope, OperatorName, library_names
from snd_analysis.workspace.limits import MOST_KEPT_GRAPHS

_MODULES = {Dialect.KHRONOS: ("nnef1",), Dialect.TRACT: ("tract", "nnef1")}
"""Modules in which operations are looked up, in this order: for tract first its additions and changes."""


class OperationScope(ModuleScope, frozen=True, eq=False):
    """The scope of a graph made of a file in NNEF 1.0: operations, by their names alone.

    Quantizing operations have the name of their module before their own. Samples see the graph, too.
    """

    def operator(self, parts: tuple[str, ...]) -> OperatorName | None:
        """Return the operator of an operation; None if there is no such operation.

        It has the name of the operation, or that with ``_`` after it where SkriptND does not allow the name.
        """
        if MADE_FOR in parts[-1]:
            return OperatorName(self.own.path, parts[-1])
        if len(parts) > 1:
            return super().operator(parts)
        for module in (found for name, found in self.imports.items() if name != QUANTIZATION):
            for name in (parts[0], f"{parts[0]}_"):
                if name in module.definitions:
                    return OperatorName(module.path, name)
        return super().operator(parts)


@cache
def operation_names(dialect: Dialect) -> frozenset[str]:
    """Return the names of the operations of a dialect."""
    modules = operations_of_dialect(dialect).imports.values()
    return frozenset(
        name.removesuffix("_") for module in modules for name in module.definitions if not name.startswith("_")
    )


@lru_cache(maxsize=MOST_KEPT_GRAPHS)
def scope_of_graph(dialect: Dialect, path: str, name: str | None) -> OperationScope:
    """Return the scope of the graph of a file, if it has one, and of samples."""
    operations = operations_of_dialect(dialect)
    return OperationScope(
        ModuleNames(path, {} if name is None else {name: "graph"}), operations.imports, operations.available
    )


@cache
def operations_of_dialect(dialect: Dialect) -> OperationScope:
    """Return the operations of a dialect."""
    modules = (*_MODULES[dialect], QUANTIZATION)
    return OperationScope(ModuleNames("", {}), {each: library_names(each) for each in modules}, {})
