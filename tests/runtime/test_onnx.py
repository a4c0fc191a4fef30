"""The library against ONNX: the published test cases of its nodes, and nodes of our own choice.

``make test`` installs the ``onnx`` package. Where tests run without it they are skipped, but never in a submission's.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

if not os.environ.get("CI"):
    pytest.importorskip("onnx", reason="the comparison needs the onnx package")
    pytest.importorskip("onnxruntime", reason="the comparison needs onnxruntime")

import onnx

from oracles.onnx_reference import ReferenceCase, reference_cases
from snd_server.exchange.onnx_import.data import UntranslatableError
from snd_server.exchange.onnx_import.node import TRANSLATIONS
from support.onnx_models.onnx_cases import NO_COUNTERPART, NodeCase, cases
from support.sampling import sample

PAGE = Path(__file__).parents[2] / "docs" / "onnx.md"
EXPANDED = "made of several nodes"
# Numbers of the published cases of each kind, and of our own, that are tried on every change.
_OF_A_NODE, _OF_SEVERAL, _OWN = 1, 4, 4


@cache
def own_cases() -> tuple[ReferenceCase, ...]:
    """Nodes of our own choice."""
    return tuple(reference_cases())


@cache
def result(case: NodeCase | ReferenceCase) -> str | AssertionError | frozenset[str]:
    """Return the cached result of a case: a reason not to compare it, its difference, or its operators if it agrees."""
    try:
        return case.check()
    except UntranslatableError as reason:
        return str(reason)
    except AssertionError as difference:
        return difference


def _differences(some: Iterable[NodeCase | ReferenceCase]) -> str:
    found = [(case, result(case)) for case in some]
    return "\n".join(f"{case}: {each}" for case, each in found if isinstance(each, AssertionError))


def _group(case: NodeCase) -> str:
    return case.model.graph.node[0].op_type if len(case.model.graph.node) == 1 else EXPANDED


@cache
def kinds() -> tuple[str, ...]:
    """Return the kinds of nodes with published cases."""
    return tuple(sorted({_group(case) for case in cases()} - {EXPANDED}))


@pytest.mark.parametrize("kind", sorted({kind for domain, kind in TRANSLATIONS if not domain}))
def test_published_cases_of_a_node(kind: str):
    assert not _differences(sample((case for case in cases() if _group(case) == kind), _OF_A_NODE))


@pytest.mark.parametrize("part", range(4))
def test_published_models_of_several_nodes(part: int):
    expanded = [case for case in cases() if _group(case) == EXPANDED]
    assert not _differences(sample(expanded[part::4], _OF_SEVERAL))


@pytest.mark.parametrize("kind", sorted({case.kind for case in own_cases()}))
def test_own_cases_of_a_node(kind: str):
    own = sample((case for case in own_cases() if case.kind == kind), _OWN)
    assert not _differences(own)
    assert sum(isinstance(result(case), frozenset) for case in own) > len(own) / 2


BY_MODELS = {"ConcatFromSequence", "GlobalLpPool", "QGemm", "SequenceErase", "SimplifiedLayerNormalization"}
"""Kinds of nodes without a case, which models in tests/server/test_onnx_models.py have."""


def _kinds_in(graph: onnx.GraphProto) -> Iterator[str]:
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            yield from _kinds_in(attribute.g)


def test_every_translation_has_a_case():
    tested = {kind for case in cases() for kind in _kinds_in(case.model.graph)} | {case.kind for case in own_cases()}
    assert {kind for _, kind in TRANSLATIONS} - tested == BY_MODELS


# ---- coverage --------------------------------------------------------------------------------------------------------
def _page() -> str:
    compared: Counter[str] = Counter()
    groups: Counter[str] = Counter()
    used: defaultdict[str, set[str]] = defaultdict(set)
    left_out: defaultdict[str, list[NodeCase]] = defaultdict(list)
    for case in cases():
        found = result(case)
        groups[_group(case)] += 1
        if isinstance(found, frozenset):
            compared[_group(case)] += 1
            used[_group(case)] |= found
        else:
            left_out[_reason(str(found))].append(case)
    missing = [case for reason, some in left_out.items() if reason == NO_COUNTERPART for case in some]
    own: Counter[str] = Counter()
    for each in own_cases():
        found = result(each)
        if isinstance(found, frozenset):
            own[each.kind] += 1
            used[each.kind] |= found
    del used[EXPANDED]
    head = f"""\
# Comparison with ONNX

The `onnx` package publishes {groups.total()} test cases of nodes. `snd convert` converts {compared.total()} of them,
and the SkriptND models give what they should. So do those of {own.total()} nodes of our own choice, by the judgement
of the package's reference evaluator in 64 bits, or of onnxruntime in 32. Where ONNX computes with reals of 16 bits, a
converted model has 32, and may differ by the rounding of the former. The translations are in
`server/snd_server/exchange/onnx_import/operations`.

This page is made by `pytest --update-goldens tests/runtime/test_onnx.py`, with onnx {onnx.__version__}. The test fails
when a case is not compared any more.

## Nodes with a counterpart

| node | operators | compared | published | own |
|---|---|---|---|---|
"""
    rows = (
        f"| {kind} | {', '.join(f'`{name}`' for name in sorted(used[kind]))} "
        f"| {compared[kind]} | {groups[kind]} | {own[kind]} |"
        for kind in (*(each for each in kinds() if compared[each] or own[each]), EXPANDED)
    )
    unknown = Counter(_group(case) for case in missing)
    nodes = (f"{kind} ({number})" for kind, number in sorted(unknown.items()))
    middle = f"""

## What is left out

{len(missing)} of the published cases have a node without a counterpart: {", ".join(nodes)}.

The others ask for something that the library does not have, that the draft means otherwise, or that must be known when
a model is composed:

| reason | cases |
|---|---|
"""
    reasons = (
        f"| {reason} | {_shown(some)} |"
        for reason, some in sorted(left_out.items(), key=lambda item: (-len(item[1]), item[0]))
        if reason != NO_COUNTERPART
    )
    return head + "\n".join(rows) + middle + "\n".join(reasons) + "\n"


def _reason(text: str) -> str:
    """A reason without the names of tensors."""
    plain = re.sub(r"'[^']*' must be|the elements of '[^']*' must be", "what shapes depend on must be", text)
    return NO_COUNTERPART if plain.startswith(NO_COUNTERPART) else plain


def _shown(some: list[NodeCase]) -> str:
    names = ", ".join(f"`{case}`" for case in some[:8])
    return f"{len(some)}: {names}" + (", …" if len(some) > 8 else "")


def _compared(page: str) -> dict[str, int]:
    """Return the number of compared cases of each node according to a page."""
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
