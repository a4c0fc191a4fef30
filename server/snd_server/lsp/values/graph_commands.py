"""Commands about graphs: evaluate with chosen or given arguments, choose a sample, show or hide values."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from snd_analysis.ide.evaluation import GraphName, SampleName, graphs_in
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.analysis_thread import Interrupted, Question
from snd_server.lsp.session.freshness import ValueKey
from snd_server.lsp.session.session import UnknownDocument
from snd_server.lsp.values.graph_choices import GivenInputs
from snd_server.lsp.values.sample_commands import REFRESH, arguments_of, sample_name
from snd_server.lsp.values.shown_values import ShownGraph, ShownSample
from snd_server.lsp.wire.parameters import entry, flag, texts
from snd_server.lsp.wire.uris import path_of
from snd_server.running.arguments import ArgumentError

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

EVALUATE_GRAPH, CANCEL_GRAPH = "snd.evaluateGraph", "snd.cancelGraph"
CHOOSE_SAMPLE, SHOW_VALUES = "snd.chooseSample", "snd.showGraphValues"

_Work = Callable[["SndServer", ValueKey, Any], Awaitable[None]]


def register(server: SndServer) -> None:
    """Register the commands of this module. None of them waits for an evaluation: it could not be cancelled."""

    def about_graph(work: _Work) -> Callable[..., None]:
        def run(*arguments: Any) -> None:
            key, more = _graph(arguments)
            _check(work, more)
            server.begin(_told(server, _in_turn(server, work, key, more)))

        return run

    for command, work in ((EVALUATE_GRAPH, _evaluate), (CANCEL_GRAPH, _cancel), (SHOW_VALUES, _show)):
        server.command(command)(about_graph(work))

    def choose(*arguments: Any) -> None:
        name = sample_name(arguments[1]) if len(arguments) == 2 and isinstance(arguments[0], str) else None
        if name is None:
            raise JsonRpcInvalidParams("this command takes the URI of a document and the code of a sample")
        server.begin(_told(server, _choose(server, path_of(arguments[0]), name)))

    server.command(CHOOSE_SAMPLE)(choose)


def again_command(uri: str, subject: ShownSample | ShownGraph) -> types.Command:
    """Return the command that evaluates a sample or graph again."""
    if isinstance(subject, ShownSample):
        return types.Command("refresh", REFRESH, arguments=arguments_of(uri, subject.sample.name))
    return types.Command("refresh", EVALUATE_GRAPH, arguments=[uri, subject.graph.name.name, {"again": True}])


def _graph(arguments: tuple[Any, ...]) -> tuple[ValueKey, Any]:
    if not 2 <= len(arguments) <= 3 or not all(isinstance(each, str) for each in arguments[:2]):
        raise JsonRpcInvalidParams("this command takes the URI of a document and the name of a graph")
    return ValueKey(path_of(arguments[0]), GraphName(arguments[1])), arguments[2] if len(arguments) == 3 else None


async def _in_turn(server: SndServer, work: _Work, key: ValueKey, more: Any) -> None:
    """After the commands that came before: one that chooses a sample asks the analysis which graph it is about."""
    await server.session.work(lambda: None)
    await work(server, key, more)


async def _told(server: SndServer, work: Awaitable[None]) -> None:
    """Tell the user why a command does nothing."""
    try:
        await work
    except ArgumentError as problem:
        server.warn(str(problem))
    except (Interrupted, UnknownDocument) as problem:
        server.log(types.MessageType.Info, str(problem) or "the graph has changed since it was to be evaluated")


async def _evaluate(server: SndServer, key: ValueKey, more: Any) -> None:
    """Evaluate with the given arguments, which are kept, or the chosen ones; show hidden values."""
    given = _given(more)
    if given is not None:
        server.evaluations.choices.choose(key, given)
    server.evaluations.choices.show(key, True)
    await server.evaluations.evaluate(key.path, key.name, again=flag(more, "again"))
    server.evaluations.refresh()


def _given(more: Any) -> GivenInputs | None:
    """Return the lists of ``NAME=VALUE`` that a client gives; None if it gives none. Raise JsonRpcInvalidParams."""
    names = [name for name in ("attributes", "types", "inputs") if entry(more, name) is not None]
    return GivenInputs(**{name: texts(more, name) for name in names}) if names else None


def _check(work: _Work, more: Any) -> None:
    """Raise JsonRpcInvalidParams at once if the third argument does not fit the command."""
    if work is _show:
        if not isinstance(more, bool | None):
            raise JsonRpcInvalidParams("the third argument says whether values are shown: true or false")
    elif isinstance(more, str | bool | int | float | list):
        raise JsonRpcInvalidParams("the third argument must be an object")
    else:
        _given(more)
        flag(more, "again")


async def _cancel(server: SndServer, key: ValueKey, more: Any) -> None:
    server.evaluations.cancel(key.path, key.name)


async def _show(server: SndServer, key: ValueKey, more: Any) -> None:
    server.evaluations.choices.show(key, more is not False)
    if more is False:
        server.evaluations.cancel(key.path, key.name)
    server.evaluations.changed()
    server.evaluations.refresh()


async def _choose(server: SndServer, path: str, name: SampleName) -> None:
    """Run the graph that a sample invokes by this sample from now on."""

    def answer(snapshot: Snapshot, question: Question) -> GraphName | None:
        graphs = graphs_in(snapshot, path)
        return next((each.name for each in graphs if any(sample.name == name for sample in each.samples)), None)

    graph = await server.session.ask(path, answer)
    if graph is None:
        raise UnknownDocument("there is no such sample of a graph any more")
    key = ValueKey(path, graph)
    server.evaluations.choices.choose(key, name)
    server.evaluations.choices.show(key, True)
    await server.evaluations.evaluate(path, graph)
    server.evaluations.refresh()
