"""Requests that the protocol does not have, for views of values, models and trees; docs/lsp.md describes them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from msgspec.structs import replace
from pygls.exceptions import JsonRpcInvalidParams

from snd_analysis.base import Diagnostic, Severity, Span
from snd_analysis.compose import decompose
from snd_analysis.ide.evaluation import GraphName, SampleName, samples_in
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot, reached_diagnostics
from snd_server.checking.report import Report
from snd_server.lsp.diagnostics.diagnostics import reported
from snd_server.lsp.features.syntax_tree import tree_content
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.late_runtime import load_runtime
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.values.asked_graph import graph_choice, graph_name
from snd_server.lsp.values.graph_choices import GivenInputs
from snd_server.lsp.values.sample_commands import sample_name
from snd_server.lsp.values.sample_json import sample_content, trace_content
from snd_server.lsp.wire.parameters import (
    demand_alone,
    document_path,
    entry,
    flag,
    one_of,
    place,
    seconds,
    text,
    texts,
    whole,
)
from snd_server.lsp.wire.progress import RequestProgress, progress
from snd_server.render.composed import ComposedGraph
from snd_server.render.shapes_json import shapes_content
from snd_server.running.arguments import ArgumentError, parse_arguments

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer
    from snd_server.running.evaluate import RunRequest

EVALUATE, COMPOSED_GRAPH, SYNTAX_TREE = "snd/evaluate", "snd/composedGraph", "snd/syntaxTree"

_MEGABYTE = 1 << 20
_NO_SAMPLE = "sample: this must be an object with the code of a sample, and its occurrence"
# Parameters that change the evaluated definition or its arguments.
_WITH = ("attributes", "types", "inputs", "seed", "real", "quantize")
_ALONE = {
    "sample": ("position", "graph", "operator", "chosen", "trace", *_WITH),
    "position": ("graph", "operator", "chosen", "trace", *_WITH),
    "graph": ("operator",),
    "chosen": ("operator", *_WITH),
}


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.handle(EVALUATE, _evaluate)
    server.answer(COMPOSED_GRAPH, _composed_graph)
    server.answer(SYNTAX_TREE, _syntax_tree)


# ---- evaluating ------------------------------------------------------------------------------------------------------
async def _evaluate(server: SndServer, params: Any) -> dict[str, Any]:
    path = document_path(params)
    for each, others in _ALONE.items():
        demand_alone(params, each, others)
    seconds(params, "timeout")  # a wrong one is refused for any subject
    if entry(params, "sample") is not None or entry(params, "position") is not None:
        return await _evaluate_sample(server, path, params)
    try:
        if flag(params, "chosen"):
            return await _evaluate_as_chosen(server, path, params)
        return await _run(server, path, params, await server.session.work(lambda: _run_request(server, path, params)))
    except ArgumentError as problem:
        raise JsonRpcInvalidParams(str(problem)) from None


async def _evaluate_sample(server: SndServer, path: str, params: Any) -> dict[str, Any]:
    given, position = entry(params, "sample"), place(params, "position")
    again, allowed = flag(params, "again"), seconds(params, "timeout")
    name = await _name_at(server, path, position) if position is not None else sample_name(given)
    if name is None:
        raise JsonRpcInvalidParams("position: there is no sample" if given is None else _NO_SAMPLE)
    with _evaluating(server, params):
        outcome = await server.evaluations.evaluate(path, name, again=again, seconds=allowed)
    return {"version": 1, "sample": {"code": name.code, "occurrence": name.occurrence}, **sample_content(outcome)}


async def _evaluate_as_chosen(server: SndServer, path: str, params: Any) -> dict[str, Any]:
    """Return a graph with the arguments chosen in the editor: a sample, or inputs that were given to it."""
    wanted = text(params, "graph")
    graph, choice = await server.session.ask(path, lambda now, _: graph_choice(server.evaluations, now, path, wanted))
    if isinstance(choice, GivenInputs):
        request = await server.session.work(lambda: _chosen_request(server, path, graph, choice, params))
        return await _run(server, path, params, request)
    with _evaluating(server, params):
        return trace_content(graph, choice.name, await server.evaluations.evaluate(path, graph))


async def _run(server: SndServer, path: str, params: Any, request: RunRequest) -> dict[str, Any]:
    with _evaluating(server, params) as shown:
        value = await server.graph_evaluations.evaluate(
            request, lambda done, total: shown.report(done, total, "operations")
        )
    from snd_server.render.evaluated_json import evaluated_content

    evaluated, snapshot = value.evaluated, value.snapshot
    report = Report((path,), evaluated.diagnostics, snapshot.source)
    return await server.session.work(lambda: evaluated_content(evaluated, report))


def _evaluating(server: SndServer, params: Any) -> AbstractContextManager[RequestProgress]:
    return progress(server, entry(params, "workDoneToken"), "Evaluating")


async def _name_at(server: SndServer, path: str, at: types.Position) -> SampleName | None:
    def answer(snapshot: Snapshot, question: Question) -> SampleName | None:
        offset = server.session.converter.offset(snapshot.source(path), at)
        return next((each.name for each in samples_in(snapshot, path, Span(offset, offset))), None)

    return await server.session.ask(path, answer)


def _run_request(server: SndServer, path: str, params: Any) -> RunRequest:
    options = server.evaluations.options(path)
    inputs = texts(params, "inputs")
    for item in inputs:
        if item.partition("=")[2].lstrip().startswith("@"):
            raise JsonRpcInvalidParams(f"{item}: no files are read for this request")
    load_runtime()
    from snd_server.running.evaluate import RunRequest

    seed = whole(params, "seed")
    return RunRequest(
        path,
        graph=text(params, "graph"),
        operator=text(params, "operator"),
        attributes=texts(params, "attributes"),
        types=texts(params, "types"),
        inputs=inputs,
        seed=options.seed if seed is None else seed,
        double=(one_of(params, "real", ("f32", "f64")) or options.real) == "f64",
        quantize=options.quantize if entry(params, "quantize") is None else flag(params, "quantize"),
        trace=flag(params, "trace"),
        seconds=seconds(params, "timeout") or options.timeout,
        memory_bytes=options.memory * _MEGABYTE,
    )


def _chosen_request(server: SndServer, path: str, name: GraphName, choice: GivenInputs, params: Any) -> RunRequest:
    options = server.evaluations.options(path)
    allowed = seconds(params, "timeout") or options.timeout
    return replace(choice.request(path, name, options), trace=flag(params, "trace"), seconds=allowed)


# ---- the model -------------------------------------------------------------------------------------------------------
async def _composed_graph(session: ClientSession, params: Any) -> dict[str, Any]:
    path = document_path(params)

    def answer(snapshot: Snapshot, question: Question) -> dict[str, Any]:
        try:
            return _composed(session, snapshot, path, params)
        except ArgumentError as problem:
            raise JsonRpcInvalidParams(str(problem)) from None

    return await session.ask(path, answer, if_unchanged=True)


def _composed(session: ClientSession, snapshot: Snapshot, path: str, params: Any) -> dict[str, Any]:
    name = OperatorName(path, graph_name(snapshot, path, text(params, "graph")))
    template = snapshot.template(name)
    assert template is not None
    given = parse_arguments(template, (*texts(params, "attributes"), *texts(params, "types")), texts(params, "inputs"))
    composition = snapshot.compose(name, given.attributes, given.dtypes, given.inputs)
    found: list[Diagnostic] = []
    for each, diagnostics in reached_diagnostics(snapshot, name, composition).items():
        found += reported(session, snapshot, each, diagnostics)
    graph = composition.graph
    if graph is not None:
        deep = flag(params, "decompose")
        graph = decompose(graph, lambda _: deep, path)
    shown = tuple(each for each in found if each.severity is not Severity.HINT)
    report = Report((path,), shown, snapshot.source)
    starts = {(path, each): found.start for each, found in snapshot.definitions(path).items()}
    return shapes_content(
        ComposedGraph(name.name, path, graph, composition.attributes, report, snapshot.source, starts)
    )  # fmt: skip


# ---- the tree --------------------------------------------------------------------------------------------------------
async def _syntax_tree(session: ClientSession, params: Any) -> dict[str, Any]:
    path = document_path(params)
    range_ = entry(params, "range")
    start, end = (place(range_, each) for each in ("start", "end"))
    if range_ is not None and (start is None or end is None):
        raise JsonRpcInvalidParams("range: it has a start and an end")

    def answer(snapshot: Snapshot, question: Question) -> dict[str, Any]:
        source, converter = snapshot.source(path), session.converter
        within = None
        if start is not None and end is not None:
            within = converter.span(source, types.Range(start, end))
        return tree_content(snapshot.tree(path), lambda span: _plain_range(converter.range(source, span)), within)

    return await session.ask(path, answer, if_unchanged=True)


def _plain_range(range_: types.Range) -> dict[str, Any]:
    ends = {"start": range_.start, "end": range_.end}
    return {name: {"line": each.line, "character": each.character} for name, each in ends.items()}
