"""Comments in Markdown tests that state facts about the composed graph ``net``.

    # shape of y: [4, s|10]
    # shape of ys: [2], [3]
    # checks: s == 4, k == 4 in twice
    # variables: y.then.w, y.else.w
    # multiply-adds: 0 to 128

An unknown extent has its bound after it. Checks are those of the flat graph; a check of another definition names
it. Variables are those of the flat graph, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from snd_analysis.compose import Composition, decompose, total_multiply_adds
from snd_analysis.model import Graph, Tensor, TensorKind, tensors_of
from snd_analysis.symbolic.values import ItemRun, Pack
from support.analysis.composing import MAIN, composed
from support.annotations import parse_annotations
from support.memory import split_files

_FACT = re.compile(r"(?m)^([ \t]*# (?:shape of (?P<tensor>\w+)|(?P<name>checks|variables|multiply-adds)): ).*$")


def is_fact(line: str) -> bool:
    """Return whether a line is a comment that tells a fact."""
    return _FACT.match(line) is not None


def with_facts(program: str) -> str:
    """Return an annotated program with the right text in every comment that tells a fact."""
    if _FACT.search(program) is None:
        return program
    composition = composed({name: parse_annotations(text)[0] for name, text in split_files(program).items()})
    return _FACT.sub(lambda match: match[1] + _fact(composition, match["name"], match["tensor"]), program)


def _fact(composition: Composition, name: str | None, tensor: str | None) -> str:
    graph = composition.graph
    if graph is None or composition.failures:
        return "nothing is composed"
    flat = decompose(graph, lambda name: True, MAIN)
    match name:
        case "checks":
            return ", ".join(_checks(flat)) or "none"
        case "variables":
            return ", ".join(_variables(flat))
        case "multiply-adds":
            cost = total_multiply_adds(graph.operations)
            most = "any number" if cost.most is None else str(cost.most)
            return most if cost.least == cost.most else f"{cost.least} to {most}"
        case _:
            return _shape(graph.tensors[tensor])


def _checks(graph: Graph) -> Iterator[str]:
    for check in graph.checks:
        assert check.message
        within = "" if check.place.definition == "net" else f" in {check.place.definition}"
        yield f"{check.condition}{within}"


def _variables(graph: Graph) -> list[str]:
    """Return the names of variables; each is one tensor wherever it is used."""
    held = Counter(tensor.name for tensor in all_tensors(graph) if tensor.kind is TensorKind.VARIABLE)
    assert held == Counter([*graph.variables]), "a variable has several names, or several have one"
    return [*graph.variables]


def all_tensors(graph: Graph) -> Iterator[Tensor]:
    """Every tensor of a graph and its parts, once."""
    seen: dict[Tensor, None] = {}
    pending = [graph]
    while pending:
        part = pending.pop(0)
        values = [*part.inputs.values(), *part.variables.values()]
        for operation in part.operations:
            values += [*operation.inputs, *operation.outputs]
            pending += operation.subgraphs.values()
        seen.update((tensor, None) for value in values for tensor in tensors_of(value))
    yield from seen


def _shape(value: object) -> str:
    if isinstance(value, Pack) and value.items is not None:
        return ", ".join(map(_shape, value.items))
    if not isinstance(value, Tensor) or value.shape is None:
        return "not known"
    bounds = value.bound or (None,) * len(value.shape)
    extents = (
        f"{extent}|{bound}" if isinstance(extent, ItemRun) or extent.value is None else str(extent)
        for extent, bound in zip(value.shape, bounds, strict=True)
    )
    return f"[{', '.join(extents)}]"
