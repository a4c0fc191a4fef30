"""Data flow of operators of the library against brute force: what changes where an element of an input is another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from generators.library_cases import Case, all_cases
from snd_analysis.compose import Session, Specialization
from snd_analysis.ide.data_flow import Direction, flow_of, shape_of, tensors_of
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import Execution, bind_arrays, execute, value_of
from support.memory import snapshot_of
from support.sampling import sample

FLOAT64 = np.dtype(np.float64)
CASES = all_cases()
EXACT = {
    "nn.conv", "nn.deconv", "nn.sum_pool", "nn.avg_pool", "linalg.matmul", "layout.pad", "layout.transpose",
    "layout.tile",
    "layout.concat", "layout.slice", "layout.reshape", "layout.stack", "layout.unsqueeze", "layout.squeeze",
    "math.sum_reduce",
}  # fmt: skip
"""Linear ones: each element that is read has a factor that is not zero."""
SUPERSET = {"nn.max_pool", "math.max_reduce", "nn.softmax", "nn.relu", "layout.gather", "nn.batch_norm"}
MOST_ELEMENTS = 400


def _size(case: Case) -> int:
    items = [item for each in case.inputs for item in (each if isinstance(each, tuple | list) else [each])]
    return sum(np.size(item) for item in items if item is not None)


def _chosen() -> list[Case]:
    found = [case for case in CASES if case.operator in EXACT | SUPERSET and _size(case) <= MOST_ELEMENTS]
    by_name: dict[str, list[Case]] = {}
    for case in found:
        by_name.setdefault(case.operator, []).append(case)
    return [case for cases in by_name.values() for case in sample(cases, 2)]


@pytest.fixture(scope="module")
def session() -> Session:
    modules = sorted({case.operator.partition(".")[0] for case in CASES})
    return Session(snapshot_of({"main.sknd": "".join(f"import {each};\n" for each in modules)}))


def _bound(session: Session, case: Case) -> tuple[Specialization, list[Any]]:
    module, _, name = case.operator.partition(".")
    template = session.template(OperatorName(f"snd:{module}", name))
    assert template is not None
    arrays = [
        [*map(np.asarray, each)] if isinstance(each, tuple | list) else each if each is None else np.asarray(each)
        for each in case.inputs
    ]
    attributes = {key: value_of(each) for key, each in case.attributes.items()}
    return bind_arrays(session, template, arrays, attributes, case.dtypes, FLOAT64), arrays


def _changed(
    session: Session, specialization: Specialization, arrays: list[Any]
) -> Iterator[tuple[str, tuple[int, ...], dict[str, set[tuple[int, ...]]]]]:
    """For elements of inputs: the cells of outputs that are others where it is another."""

    def outputs() -> dict[str, Any]:
        computed = execute(session, specialization, arrays, Execution(real=FLOAT64)).outputs
        return {
            f"{name}[{at}]" if isinstance(value, list | tuple) else name: np.array(item)
            for name, value in computed.items()
            for at, item in enumerate(value if isinstance(value, list | tuple) else [value])
        }

    before = outputs()
    for member, value in zip(specialization.template.inputs, arrays, strict=True):
        for at, array in enumerate(value if isinstance(value, list) else [value]):
            if array is None or array.dtype.kind != "f":
                continue
            name = f"{member.name}[{at}]" if isinstance(value, list) else member.name
            for cell in sample([*product(*map(range, array.shape))], 6):
                kept = array[cell]
                array[cell] = kept + 0.37
                differs = {
                    each: {tuple(map(int, one)) for one in np.argwhere(now != before[each])}
                    for each, now in outputs().items()
                }
                array[cell] = kept
                yield name, cell, differs


@pytest.mark.parametrize("case", _chosen(), ids=str)
def test_what_changes_is_read(session: Session, case: Case):
    specialization, arrays = _bound(session, case)
    outputs = [
        (name, cell)
        for name, tensor in tensors_of(specialization, Direction.READS).items()
        for cell in product(*(range(extent) for extent in shape_of(tensor) if extent is not None))
    ]
    read = {
        (name, cell): {each.name: each.cells for each in flow_of(specialization, name, cell).tensors}
        for name, cell in sample(outputs, 6)
    }
    changes = list(_changed(session, specialization, arrays))
    assert changes or not any(np.size(each) for each in arrays if each is not None), "there is nothing to change"
    for source, cell, differs in changes:
        fed = {each.name: each.cells for each in flow_of(specialization, source, cell).tensors}
        for name, cells in differs.items():
            assert all(_holds(fed.get(name, ()), each) for each in cells), (source, cell)
            if case.operator in EXACT:
                assert cells == fed.get(name, frozenset()), (source, cell)
        for (name, at), reads in read.items():
            is_read = _holds(reads.get(source, ()), cell)
            assert is_read or at not in differs[name], (source, cell)
            assert is_read == _holds(fed.get(name, ()), at), (source, cell)


def _holds(cells: Any, cell: tuple[int, ...]) -> bool:
    return any(all(a is None or a == b for a, b in zip(each, cell, strict=True)) for each in cells)
