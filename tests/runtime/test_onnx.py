"""The library against ONNX: the published test cases of its nodes, and nodes of our own choice.

``make test`` installs the ``onnx`` package. Where tests run without it they are skipped, but never in a submission's.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

if not os.environ.get("CI"):
    pytest.importorskip("onnx", reason="the comparison needs the onnx package")
    pytest.importorskip("onnxruntime", reason="the comparison needs onnxruntime")

import onnx

from support.onnx_models.onnx_cases import NO_COUNTERPART, NodeCase, cases
from support.onnx_models.onnx_nodes import TRANSLATIONS, USED, UntranslatableError
from support.onnx_models.onnx_reference import ReferenceCase, reference_cases
from support.sampling import sample

PAGE = Path(__file__).parents[2] / "docs" / "onnx.md"
EXPANDED = "made of several nodes"
# How many of the published cases of each kind are tried on every change.
_OF_A_NODE, _OF_SEVERAL = 6, 15


@cache
def own_cases() -> tuple[ReferenceCase, ...]:
    """Nodes of our own choice."""
    return tuple(reference_cases())


@cache
def result(case: NodeCase | ReferenceCase) -> str | AssertionError | None:
    """What comes of a case, looked for once: why it is not compared, how it differs, or None if it agrees."""
    try:
        case.check()
    except UntranslatableError as reason:
        return str(reason)
    except AssertionError as difference:
        return difference
    return None


def _differences(some: Iterable[NodeCase | ReferenceCase]) -> str:
    found = [(case, result(case)) for case in some]
    return "\n".join(f"{case}: {each}" for case, each in found if isinstance(each, AssertionError))


def _group(case: NodeCase) -> str:
    return case.model.graph.node[0].op_type if len(case.model.graph.node) == 1 else EXPANDED


@pytest.mark.parametrize("kind", sorted(TRANSLATIONS))
def test_published_cases_of_a_node(kind: str):
    assert not _differences(sample((case for case in cases() if _group(case) == kind), _OF_A_NODE))


@pytest.mark.parametrize("part", range(4))
def test_published_models_of_several_nodes(part: int):
    expanded = [case for case in cases() if _group(case) == EXPANDED]
    assert not _differences(sample(expanded[part::4], _OF_SEVERAL))


@pytest.mark.parametrize("kind", sorted({case.kind for case in own_cases()}))
def test_own_cases_of_a_node(kind: str):
    own = [case for case in own_cases() if case.kind == kind]
    assert not _differences(own)
    assert sum(result(case) is None for case in own) > len(own) / 2


# ---- coverage --------------------------------------------------------------------------------------------------------
def _page() -> str:
    compared: Counter[str] = Counter()
    groups: Counter[str] = Counter()
    left_out: defaultdict[str, list[NodeCase]] = defaultdict(list)
    for case in cases():
        reason = result(case)
        groups[_group(case)] += 1
        if reason is None:
            compared[_group(case)] += 1
        else:
            left_out[str(reason)].append(case)
    missing = {reason: some for reason, some in left_out.items() if reason.endswith(NO_COUNTERPART)}
    own = Counter(case.kind for case in own_cases() if result(case) is None)
    head = f"""\
# Comparison with ONNX

The `onnx` package publishes {groups.total()} test cases of nodes. Operators of the standard library can take the place
of the nodes in {compared.total()} of them, and give what they should. So they do for {own.total()} nodes of our own
choice, by the judgement of the package's reference evaluator in 64 bits, or of onnxruntime in 32. The translations are
in `tests/runtime/onnx_*.py`, a module for each family.

This page is made by `pytest --update-goldens tests/runtime/test_onnx.py`, with onnx {onnx.__version__}. The test fails
when a case is not compared any more.

## Nodes with a counterpart

| node | operators | compared | published | own |
|---|---|---|---|---|
"""
    rows = (
        f"| {kind} | {', '.join(f'`{name}`' for name in sorted(USED.get(kind, ())))} "
        f"| {compared[kind]} | {groups[kind]} | {own[kind]} |"
        for kind in (*sorted(TRANSLATIONS), EXPANDED)
    )
    nodes = (f"{reason.partition(':')[0]} ({len(some)})" for reason, some in sorted(missing.items()))
    middle = f"""

## What is left out

Of the published cases {sum(map(len, missing.values()))} have a node without a counterpart: {", ".join(nodes)}.

The others ask for something that the library does not have, or that the draft means otherwise:

| reason | cases |
|---|---|
"""
    reasons = (
        f"| {reason} | {_shown(some)} |"
        for reason, some in sorted(left_out.items(), key=lambda item: (-len(item[1]), item[0]))
        if reason not in missing
    )
    return head + "\n".join(rows) + middle + "\n".join(reasons) + "\n"


def _shown(some: list[NodeCase]) -> str:
    names = ", ".join(f"`{case}`" for case in some[:8])
    return f"{len(some)}: {names}" + (", …" if len(some) > 8 else "")


def _compared(page: str) -> dict[str, int]:
    """How many cases of each node a page tells to be compared."""
    rows = re.findall(r"^\| ([^|]+) \| `[^|]*\| (\d+) \|", page, re.MULTILINE)
    return {kind: int(count) for kind, count in rows}


@pytest.mark.exhaustive
def test_no_case_is_lost(request: pytest.FixtureRequest):
    """``pytest --update-goldens`` writes the page. With another version of onnx, no node may have fewer cases."""
    page = _page()
    if request.config.getoption("--update-goldens"):
        PAGE.write_bytes(page.encode())
    known = PAGE.read_bytes().decode()
    if f"with onnx {onnx.__version__}." in known:
        assert known == page
        return
    found = _compared(page)
    assert {kind: found.get(kind, 0) for kind, count in _compared(known).items() if found.get(kind, 0) < count} == {}
