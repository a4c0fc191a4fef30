"""Branches and loops: control flow of the language for nodes of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from snd_analysis.convert import Block, BranchStep, LoopStep, needed_steps, taken_by
from snd_analysis.model import Tensor, TensorKind, TensorValue
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import ItemRun, Pack
from snd_server.exchange.onnx_import.data import Data, UntranslatableError, require, type_name
from snd_server.exchange.onnx_import.limits import LONGEST_LOOP, MOST_UNROLLED
from snd_server.exchange.onnx_import.naming import readable
from snd_server.exchange.onnx_import.node import INT, Item, OnnxNode, translation, unless
from snd_server.exchange.onnx_import.source import SourceGraph


@translation("If")
def branch(node: OnnxNode) -> list[Item]:
    condition = node.input(0)
    then, otherwise = node.graph("then_branch"), node.graph("else_branch")
    if condition.scalar is not None:
        return node.translator.nested(then if condition.scalar else otherwise, {})
    first, one = _block(node, then, {})
    second, other = _block(node, otherwise, {})
    outputs = []
    for found, wanted in zip(one, other, strict=True):
        require(type_name(found.dtype) == type_name(wanted.dtype), "its branches give other types")
        shapes = " and ".join(f"[{', '.join(map(str, each.shape))}]" for each in (found, wanted))
        require(found.shape == wanted.shape, f"its branches give tensors of other shapes, {shapes}")
        outputs.append(replace(found, array=None, contents=None, tensor=_result(found)))
    flag = _scalar(node, condition)
    tensors = tuple(_tensor(each) for each in outputs)
    step = BranchStep(node.builder.tensor(flag), first, second, tensors)
    node.builder.steps.append(step)
    return list(outputs)


def _block(node: OnnxNode, graph: SourceGraph, known: dict[str, Item]) -> tuple[Block, list[Data]]:
    """Translate a graph as a block of its own."""
    with node.builder.block() as steps:
        results = node.translator.nested(graph, known)
        data = [_single(each) for each in results]
        tensors = tuple(node.builder.tensor(each) for each in data)
    return Block(needed_steps(steps, tensors), tensors), data


def _single(value: Item) -> Data:
    require(isinstance(value, Data), "its graph gives a sequence, or nothing")
    assert isinstance(value, Data)
    return value


def _result(data: Data, name: str = "result") -> Tensor:
    return Tensor(name, type_name(data.dtype), data.shape, TensorKind.RESULT)


def _tensor(data: Data) -> Tensor:
    assert data.tensor is not None
    return data.tensor


def _scalar(node: OnnxNode, data: Data) -> Data:
    """Return a tensor of one element without dimensions."""
    return node.run("layout.squeeze", data, axes=list(range(data.rank)), like=data.dtype) if data.rank else data


# ---- loops -----------------------------------------------------------------------------------------------------------
@translation("Loop")
def loop(node: OnnxNode) -> list[Item]:
    graph = node.graph("body")
    count, condition = node.maybe(0), node.maybe(1)
    initial = list(node.inputs[2:])
    require(len(graph.inputs) == len(initial) + 2, "its graph has another number of inputs")
    known = None if count is None else count.scalar
    if condition is not None and condition.scalar is False:
        known = 0
    if any(not isinstance(each, Data) for each in initial):
        return _unrolled(node, graph, known, initial)
    try:
        return _do(node, graph, count, condition, [_single(each) for each in initial])
    except UntranslatableError:
        if known is None or known > MOST_UNROLLED:
            raise
        return _unrolled(node, graph, known, initial)


def _do(
    node: OnnxNode, graph: SourceGraph, count: Data | None, condition: Data | None, initial: list[Data]
) -> list[Item]:
    number, flag, *names = [each.name for each in graph.inputs]
    index = Data(INT, (), Tensor("i", "int", (), TensorKind.LOCAL))
    keep = Data(np.dtype(np.bool_), (), Tensor("going_on", "bool", (), TensorKind.LOCAL))
    locals_ = [_local(each, name) for each, name in zip(initial, names, strict=True)]
    known: dict[str, Item] = {number: index, flag: keep, **dict(zip(names, locals_, strict=True))}
    body, results = _block(node, graph, known)
    goes_on, *rest = results
    for before, after in zip(initial, rest, strict=False):
        require(before.shape == after.shape, "a carried tensor changes its shape")
    always = goes_on.tensor is keep.tensor or goes_on.scalar is True
    starts = condition is None or condition.scalar is True
    is_while = not (always and starts)
    require(is_while or count is not None, "it never ends")
    carried = [(_tensor(local), node.builder.tensor(each)) for local, each in zip(locals_, initial, strict=True)]
    updated = list(body.results[1 : 1 + len(carried)])
    if is_while:
        start = node.constant(True, np.dtype(np.bool_)) if condition is None else _scalar(node, condition)
        carried.append((_tensor(keep), node.builder.tensor(start)))
        updated.append(body.results[0])
    results_of_body = (*updated, *body.results[1 + len(initial) :])
    steps = Block(needed_steps(body.steps, results_of_body), results_of_body)
    times = None if count is None else _scalar(node, count)
    length = _length(node, times, is_while)
    found = [replace(each, array=None, contents=None, tensor=_result(each)) for each in rest[: len(initial)]]
    scans = rest[len(initial) :]
    packs = [_pack(each, length) for each in scans]
    last = [_result(keep, "going_on")] if is_while else []
    outputs: tuple[TensorValue, ...] = (*map(_tensor, found), *last, *packs)
    uses_index = any(index.tensor is each for each in taken_by(steps))
    node.builder.steps.append(
        LoopStep(
            tuple(carried), (), index.tensor if uses_index else None,
            None if times is None else node.builder.tensor(times),
            keep.tensor if is_while else None, steps, outputs,
        )
    )  # fmt: skip
    stacked = [node.run("layout.stack", pack, axis=0, like=each.dtype) for pack, each in zip(packs, scans, strict=True)]
    return [*found, *stacked]


def _local(data: Data, name: str) -> Data:
    tensor = Tensor(readable(name), type_name(data.dtype), data.shape, TensorKind.LOCAL)
    return Data(data.dtype, data.shape, tensor)


def _length(node: OnnxNode, times: Data | None, is_while: bool) -> Integer:
    if times is not None and not is_while:
        if times.scalar is not None:
            return integers.constant(int(times.scalar))
        if times.contents is not None:
            return Integer(times.contents.item().terms)
    return integers.variable(object(), "n", 0, LONGEST_LOOP)


def _pack(data: Data, length: Integer) -> Pack:
    return Pack([ItemRun(length, _result(data, "items"))], dtype=type_name(data.dtype))


def _unrolled(node: OnnxNode, graph: SourceGraph, count: Any, initial: list[Item]) -> list[Item]:
    """Write out the iterations of a loop whose number is known."""
    require(count is not None and count <= MOST_UNROLLED, "how often it runs is not known")
    number, flag, *names = [each.name for each in graph.inputs]
    carried = list(initial)
    scans: list[list[Data]] = [[] for _ in range(len(graph.outputs) - 1 - len(initial))]
    for at in range(int(count)):
        known: dict[str, Item] = {number: node.constant(at), flag: node.constant(True, np.dtype(np.bool_))}
        goes_on, *results = node.translator.nested(graph, {**known, **dict(zip(names, carried, strict=True))})
        carried = results[: len(initial)]
        for scan, value in zip(scans, results[len(initial) :], strict=True):
            scan.append(_single(value))
        require(isinstance(goes_on, Data) and goes_on.scalar is not None, "whether it goes on depends on data")
        if isinstance(goes_on, Data) and not goes_on.scalar:
            break
    require(all(scans), "its results have no items")
    stacked = [node.run("layout.stack", scan, axis=0, like=scan[0].dtype) for scan in scans]
    return [*carried, *stacked]


@translation("Scan")
def scan(node: OnnxNode) -> list[Item]:
    require(node.opset >= 9, "the form of Scan that takes batches")
    graph = node.graph("body")
    count = node.number("num_scan_inputs", 1)
    states = [node.input(at) for at in range(len(node.inputs) - count)]
    scanned = [node.input(at) for at in range(len(states), len(node.inputs))]
    axes, backwards = _list(node, "scan_input_axes", count), _list(node, "scan_input_directions", count)
    state_names = [each.name for each in graph.inputs[: len(states)]]
    locals_ = [_local(each, name) for each, name in zip(states, state_names, strict=True)]
    items, packs = [], []
    length: Integer | None = None
    for at, data in enumerate(scanned):
        axis = axes[at] % data.rank
        if backwards[at]:
            data = node.run("onnx.reverse", data, **unless(not axis, axis=axis))
        length = data.shape[axis]
        (pack,) = node.builder.run("layout.unstack", [data], [], {"axis": axis})
        shape = (*data.shape[:axis], *data.shape[axis + 1 :])
        if isinstance(pack, Pack) and pack.items is not None:
            pack = Pack([ItemRun(length, replace(_result(data, "items"), shape=shape))], dtype=pack.dtype)
            node.builder.steps[-1] = replace(node.builder.steps[-1], outputs=(pack,))
        packs.append(pack)
        items.append(_local(replace(data, shape=shape), graph.inputs[len(states) + at].name))
    assert length is not None
    names = [each.name for each in graph.inputs]
    body, results = _block(node, graph, dict(zip(names, [*locals_, *items], strict=True)))
    for before, after in zip(states, results, strict=False):
        require(before.shape == after.shape, "a carried tensor changes its shape")
    found = [replace(each, array=None, contents=None, tensor=_result(each)) for each in results[: len(states)]]
    scans = results[len(states) :]
    collected = [_pack(each, length) for each in scans]
    carried = tuple((_tensor(local), node.builder.tensor(each)) for local, each in zip(locals_, states, strict=True))
    pairs = tuple((_tensor(item), pack) for item, pack in zip(items, packs, strict=True))
    outputs: tuple[TensorValue, ...] = (*map(_tensor, found), *collected)
    node.builder.steps.append(LoopStep(carried, pairs, None, None, None, body, outputs))
    out_axes = _list(node, "scan_output_axes", len(scans))
    out_backwards = _list(node, "scan_output_directions", len(scans))
    stacked: list[Item] = []
    for at, (pack, each) in enumerate(zip(collected, scans, strict=True)):
        axis = out_axes[at] % (each.rank + 1)
        whole = node.run("layout.stack", pack, axis=axis, like=each.dtype)
        if out_backwards[at]:
            whole = node.run("onnx.reverse", whole, **unless(not axis, axis=axis))
        stacked.append(whole)
    return [*found, *stacked]


def _list(node: OnnxNode, name: str, count: int) -> list[int]:
    found = node.attribute(name, [0] * count)
    require(len(found) == count, f"'{name}' must have {count} items")
    return [int(each) for each in found]
