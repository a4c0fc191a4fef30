"""The shapes of what library operators give, for many ranks, attributes and formats, against those of NumPy arrays.

Every case is composed three times: with the extents as numbers; with an attribute without a value in place of each
number, which is given afterwards; and with a dynamic extent in place of each, whose bound is the number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from generators.library_shapes.case import DTYPES, Case, Upto, literal
from generators.library_shapes.image_cases import images, others
from generators.library_shapes.layout_cases import blocks, extending, generators, indexing, joining, views
from generators.library_shapes.linalg_cases import linear_algebra
from generators.library_shapes.math_cases import binary, reductions, several, unary
from generators.library_shapes.nn_cases import convolutions, deconvolutions, layers, pools
from snd_analysis.compose import Composition
from snd_analysis.model import Tensor, TensorValue
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import ItemRun, Pack, Value, substitute
from snd_analysis.workspace import Snapshot
from support.memory import snapshot_of
from support.sampling import sample

MODULES = ("algo", "image", "layer", "layout", "linalg", "math", "misc", "nn", "quant", "rand")
MAIN = "main.sknd"
GROUPS: tuple[Callable[[], Iterator[Case]], ...] = (
    unary, binary, several, reductions, linear_algebra, generators, views, joining, extending, blocks, indexing,
    convolutions, deconvolutions, pools, layers, images, others,
)  # fmt: skip


def _graph(case: Case, name: str, extent: Callable[[int], str], attributes: str = "") -> str:
    inputs: list[str] = []

    def argument(value: Any) -> str:
        if isinstance(value, list):
            return f"[{', '.join(map(argument, value))}]"
        if value is None:
            return "~"
        if not isinstance(value, np.ndarray):
            return literal(value)
        inputs.append(f"x{len(inputs)}: {DTYPES[value.dtype.kind]}[{', '.join(map(extent, value.shape))}];")
        return f"x{len(inputs) - 1}"

    arguments = ", ".join(map(argument, case.inputs))
    given = ", ".join(f"{key}={literal(value)}" for key, value in case.attributes.items())
    results, outputs = [], []
    for at, value in enumerate(case.expected):
        results.append(f"y{at}" + (f"..({len(value)})" if isinstance(value, list) else ""))
        element = value[0] if isinstance(value, list) else value.array if isinstance(value, Upto) else value
        length = f"..({len(value)})" if isinstance(value, list) else ""
        outputs.append(f"y{at}: {DTYPES[np.asarray(element).dtype.kind]}{length};")
    generic = f"<{case.generic}>" if case.generic else ""
    return (
        f"graph {name} {{\n    @attrib {{ {attributes} }}\n    @input {{ {' '.join(inputs)} }}\n"
        f"    @output {{ {' '.join(outputs)} }}\n"
        f"    @compose {{ {', '.join(results)} = {case.operator}{generic}{{{given}}}({arguments}); }}\n}}\n"
    )


def _extents(case: Case) -> set[int]:
    flat = [each for value in case.inputs for each in (value if isinstance(value, list) else [value])]
    return {extent for each in flat if isinstance(each, np.ndarray) for extent in each.shape}


def _dynamic() -> Callable[[int], str]:
    """Return extents by name, with their bound at the first use; 0 and 1, which broadcasting knows, stay numbers."""
    named: set[int] = set()

    def extent(number: int) -> str:
        if number <= 1:
            return str(number)
        bound = "" if number in named else f"|{number}"
        named.add(number)
        return f"n{number}{bound}"

    return extent


def _attributes(case: Case) -> str:
    return " ".join(f"n{extent}: int;" for extent in sorted(_extents(case)) if extent > 1)


FORMS: dict[str, Callable[[Case, str], str]] = {
    "numbers": lambda case, name: _graph(case, name, str),
    "attributes": lambda case, name: _graph(case, name, lambda n: f"n{n}" if n > 1 else str(n), _attributes(case)),
    "dynamic": lambda case, name: _graph(case, name, _dynamic()),
}


@cache
def _cases(group: Callable[[], Iterator[Case]]) -> tuple[Case, ...]:
    return tuple(group())


def _snapshot(cases: Sequence[Case], form: str) -> Snapshot:
    """One file with a graph for each case."""
    texts = [FORMS[form](case, f"g{at}") for at, case in enumerate(cases)]
    return snapshot_of({MAIN: f"import {', '.join(MODULES)};\n\n" + "\n".join(texts)})


def _numbers(value: TensorValue) -> list[Any]:
    return (
        [each.element if isinstance(each, ItemRun) else each for each in value.segments]
        if isinstance(value, Pack)
        else []
    )


def _values(composition: Composition) -> dict[Hashable, Value]:
    """Return the numbers of the symbols of inputs and attributes, by key."""
    assert composition.graph is not None
    tensors = [each for value in composition.graph.inputs.values() for each in (_numbers(value) or [value])]
    extents = [extent for tensor in tensors for extent in tensor.shape]
    leaves = [leaf for each in (*extents, *composition.attributes.values()) for leaf in each.leaves]
    return {leaf.key: int(leaf.name[1:]) for leaf in leaves}


def _problem(tensor: Any, wanted: Any, values: dict[Hashable, Value], bounded: bool) -> str | None:
    """Return the mismatch between a result, after substitution of its symbols, and the extents of an array."""
    if isinstance(wanted, list):
        items = _numbers(tensor)
        if len(items) != len(wanted):
            return f"{len(items)} items, not {len(wanted)}"
        found = (_problem(item, each, values, bounded) for item, each in zip(items, wanted, strict=True))
        return next((each for each in found if each), None)
    array, varying = (wanted.array, wanted.axis) if isinstance(wanted, Upto) else (np.asarray(wanted), None)
    if not isinstance(tensor, Tensor) or tensor.shape is None:
        return f"{tensor} is not known"
    if tensor.dtype != DTYPES[array.dtype.kind]:
        return f"{tensor.dtype}, not {array.dtype}"
    if len(tensor.shape) != array.ndim:
        return f"rank {len(tensor.shape)}, not {array.shape}"
    for axis, (extent, bound, number) in enumerate(zip(tensor.shape, tensor.bound or (), array.shape, strict=True)):
        shown = f"extent {extent} with bound {bound} at {axis}, not {number}"
        if bounded if bound is None else bound < number:
            return shown
        if axis == varying:
            if (extent.value is not None and number) or bound not in (number, None):
                return shown
            continue
        if substitute(extent, values) != shapes.constant(number):
            return shown
    return None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_shapes(group: Callable[[], Iterator[Case]], form: str) -> None:
    cases = [each for each in _cases(group) if form == "numbers" or each.symbolic]
    if form != "numbers" and len(cases) > 150:  # each symbolic form takes a half of many
        cases = cases[form == "dynamic" :: 2]
    cases = sample(cases, 14)
    snapshot = _snapshot(cases, form)
    problems = []
    for at, each in enumerate(cases):
        composition = snapshot.compose(OperatorName(MAIN, f"g{at}"))
        # Dynamic channels can't size weights; the shapes of the results are told all the same.
        ignored = "dynamic-variable" if form == "dynamic" else None
        messages = [failure.message for failure in composition.failures if failure.rule.name != ignored]
        if composition.graph is not None and not messages:
            outputs = [composition.graph.outputs[f"y{k}"] for k in range(len(each.expected))]
            values = _values(composition)
            found = (_problem(*pair, values, form != "attributes") for pair in zip(outputs, each.expected, strict=True))
            messages = [message for message in found if message]
        messages = messages or ([] if composition.graph else ["there is no graph"])
        problems += [f"{each}: {message}" for message in messages]
    assert not problems, f"{len(problems)} of {len(cases)}:\n" + "\n".join(problems)


def test_every_operator_has_three_cases() -> None:
    counts = Counter(each.operator for group in GROUPS for each in _cases(group))
    snapshot = snapshot_of({MAIN: ""})
    names = {
        f"{module}.{name}"
        for module in MODULES
        for name in snapshot.definitions(f"snd:{module}")
        if not name.startswith("_")
    }
    assert {name: counts[name] for name in names if counts[name] < 3} == {}
    assert set(counts) <= names
