"""A composed graph as tables for people: its tensors, its operations, totals."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence

from snd_analysis.base import counted
from snd_analysis.compose import Cost, multiply_adds, shape_text, shown, total_multiply_adds
from snd_analysis.model import Loop, Operation, Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer, bounds
from snd_analysis.symbolic.values import NULL, Pack
from snd_server.console.visible import visible
from snd_server.limits import MOST_TENSORS_OF_OPERATION
from snd_server.render.composed import ComposedGraph, Level, rows
from snd_server.render.reports import full

_BYTES = {"real": 4, "int": 4, "bool": 1}
"""Bytes of an element where it is stored: 32-bit numbers."""

_INDENT = "  "
_Row = tuple[str, ...]


def shapes_table(composed: ComposedGraph, width: int | None = None) -> str:
    """Return the graph as tables of tensors and operations, with totals, and its diagnostics.

    Tables are folded to ``width`` columns, if there is a limit.
    """
    graph = composed.graph
    parts = []
    if composed.report.diagnostics:
        parts.append(full.render(composed.report))
    if graph is not None:
        level = Level(graph)
        tensors = _tensors(composed, level)
        parts += [
            _aligned(("tensor", "kind", "type", "at most", "elements", "bytes"), tensors, (4, 5), width),
            _aligned(
                ("operation", "label", "attributes", "inputs", "results", "multiply-adds"),
                _operations(composed, level), (5,), width,
            ),
            _totals(level),
        ]  # fmt: skip
    attributes = ", ".join(f"{name}={shown(value)}" for name, value in composed.attributes.items())
    head = visible(f"graph {composed.name}{f' {{{attributes}}}' if attributes else ''}") + "\n"
    return "\n".join([head, *parts])


# ---- tensors ---------------------------------------------------------------------------------------------------------
def _tensors(composed: ComposedGraph, level: Level, indent: str = "") -> Iterator[_Row]:
    graph = level.graph
    kinds = {name: kind for kind in ("input", "output", "variable", "constant") for name in getattr(graph, f"{kind}s")}
    for name, value in level.tensors.items():
        kind = kinds.get(name, "")
        found = [*rows(name, value)]
        if not found and not isinstance(value, Pack):
            yield indent + name, kind, "unknown", "", "", ""
        for listed, tensor in found:
            yield indent + listed, kind, *_measures(tensor)
    for operation in level.operations:
        for part, inner in level.parts(operation).items():
            if inner.tensors:
                title = " ".join(filter(None, (composed.operator(operation), operation.label)))
                yield f"{indent}{title}, {part}", "", "", "", "", ""
                yield from _tensors(composed, inner, indent + _INDENT)


def _measures(tensor: Tensor) -> _Row:
    if tensor.shape is None:
        return "unknown", "", "", ""
    bound = tensor.bound
    dynamic = bound is not None and any(not isinstance(each, Integer) or each.value is None for each in tensor.shape)
    most = f"[{','.join('?' if each is None else str(each) for each in bound or ())}]" if dynamic else ""
    elements = _elements(tensor).most
    size = _BYTES.get(tensor.dtype or "", 0)
    return (
        f"{tensor.dtype}[{shape_text(tensor)}]", most, _number(elements),
        _number(None if elements is None or not size else elements * size),
    )  # fmt: skip


def _elements(tensor: Tensor) -> Cost:
    amount = tensor.elements
    if amount is None:
        return Cost(0, None)
    low, high = bounds(amount)
    return Cost(max(low or 0, 0), high)


def _number(amount: int | None) -> str:
    return "" if amount is None else f"{amount:,}"


# ---- operations ------------------------------------------------------------------------------------------------------
def _operations(composed: ComposedGraph, level: Level, indent: str = "") -> Iterator[_Row]:
    for operation in level.graph.operations:
        yield from _operation(composed, level, operation, indent)
    if level.graph.updates:
        yield f"{indent}update", "", "", "", "", ""
        for operation in level.graph.update_operations:
            yield from _operation(composed, level, operation, indent + _INDENT)
        for name, value in level.graph.updates.items():
            if _names(level, [value]) != name:
                yield f"{indent}{_INDENT}=", "", "", _names(level, [value]), name, ""


def _operation(composed: ComposedGraph, level: Level, operation: Operation, indent: str) -> Iterator[_Row]:
    given = {name: value for name, value in operation.attributes.items() if value is not NULL}
    attributes = ", ".join(f"{name}={shown(value)}" for name, value in given.items())
    if isinstance(operation.control, Loop) and isinstance(operation.control.count, Integer):
        attributes = f"count={operation.control.count}"
    yield (
        indent + composed.operator(operation), operation.label or "", attributes,
        _names(level, level.reads(operation)), _names(level, operation.outputs), _macs(multiply_adds(operation)),
    )  # fmt: skip
    for name, part in level.parts(operation).items():
        if part.operations:
            yield f"{indent}{_INDENT}{name}", "", "", "", "", ""
            yield from _operations(composed, part, indent + 2 * _INDENT)
        else:
            yield f"{indent}{_INDENT}{name}", "", "", "", _names(level, part.graph.outputs.values()), ""


def _names(level: Level, values: Iterable[TensorValue]) -> str:
    """Return the names of tensors, of a long pack not all."""
    return ", ".join(text for value in values for text in _names_of(level, value))


def _names_of(level: Level, value: TensorValue) -> Iterator[str]:
    tensors = tensors_of(value)
    for tensor in tensors[:MOST_TENSORS_OF_OPERATION]:
        yield level.name(tensor) or ("?" if tensor.value is None else shown(tensor.value))
    if len(tensors) > MOST_TENSORS_OF_OPERATION:
        yield "..."


def _macs(cost: Cost) -> str:
    if cost.exact is not None:
        return _number(cost.exact or None)
    return "unknown" if cost.most is None else f"at most {cost.most:,}"


# ---- totals ----------------------------------------------------------------------------------------------------------
def _totals(level: Level) -> str:
    variables = [tensor for value in level.graph.variables.values() for tensor in tensors_of(value)]
    elements, stored = Cost(0, 0), Cost(0, 0)
    for tensor in variables:
        size = _BYTES.get(tensor.dtype or "", 0)
        elements += _elements(tensor)
        stored += _elements(tensor) * Cost(size, size)
    count, listed = _counted(level)
    return (
        f"{counted(f'{count:,}', 'operation')}, {counted(f'{listed:,}', 'tensor')}; "
        f"{_amount(elements)} elements in variables ({_amount(stored)} bytes); "
        f"{_amount(total_multiply_adds(level.operations))} multiply-adds\n"
    )


def _counted(level: Level) -> tuple[int, int]:
    """Return the numbers of operations and tensors, control flow included."""
    count, listed = len(level.operations), len(level.tensors)
    for operation in level.operations:
        for part in level.parts(operation).values():
            more = _counted(part)
            count, listed = count + more[0], listed + more[1]
    return count, listed


def _amount(cost: Cost) -> str:
    if cost.exact is not None:
        return f"{cost.exact:,}"
    if cost.most is not None:
        return f"at most {cost.most:,}"
    return f"at least {cost.least:,}" if cost.least else "an unknown number of"


# ---- layout ----------------------------------------------------------------------------------------------------------
def _aligned(head: _Row, lines: Iterable[_Row], numbers: Sequence[int], width: int | None) -> str:
    """Return aligned columns, with the ``numbers`` flush right; lines are folded to ``width`` columns of text."""
    table = [head, *(tuple(map(visible, line)) for line in lines)]
    if width is None:
        return _unfolded(table, numbers)
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="")
    for at, title in enumerate(head):
        drawn.add_column(Text(title), justify="right" if at in numbers else "left", overflow="fold")
    for line in table[1:]:
        drawn.add_row(*(Text(cell) for cell in line))
    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None, legacy_windows=False).print(drawn)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _unfolded(table: Sequence[_Row], numbers: Sequence[int]) -> str:
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
    lines = []
    for row in table:
        cells = [
            cell.rjust(width) if at in numbers else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"
