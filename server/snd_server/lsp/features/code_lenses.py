"""Code lenses: commands for a sample or a graph, and the number of references to a definition.

The setting ``codeLenses`` of the client is ``false`` for none, or an object with the switches ``samples``, ``graphs``
and ``references``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from snd_analysis.base import Span, counted
from snd_analysis.ide import references
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot
from snd_server.lsp.limits import MOST_COUNTED_AT_ONCE
from snd_server.lsp.session.abilities import experimental
from snd_server.lsp.session.analysis_thread import Interrupted, Question, Urgency
from snd_server.lsp.session.freshness import Freshness
from snd_server.lsp.session.session import ClientSession, UnknownDocument
from snd_server.lsp.session.switches import is_on
from snd_server.lsp.values.graph_commands import CANCEL_GRAPH, CHOOSE_SAMPLE, EVALUATE_GRAPH, SHOW_VALUES
from snd_server.lsp.values.sample_commands import CANCEL, EVALUATE, RECORD, REFERENCES, REFRESH, arguments_of
from snd_server.lsp.values.shown_values import ShownGraph, ShownSample
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer
    from snd_server.lsp.values.evaluation import Evaluations

SHOW_REFERENCES = "snd.showReferences"
"""A command of clients that list it in their experimental capability ``commands``: URI, position, locations."""

_FEATURE = "code-lenses"


_TITLES = {
    Freshness.NONE: ("evaluate", EVALUATE),
    Freshness.PENDING: ("pending … cancel", CANCEL),
    Freshness.RUNNING: ("running … cancel", CANCEL),
    Freshness.FRESH: ("refresh", REFRESH),
    Freshness.STALE: ("stale: refresh", REFRESH),
    Freshness.FAILED: ("failed: refresh", REFRESH),
    Freshness.OVER_LIMIT: ("over limit: evaluate again", REFRESH),
}

_GRAPH_TITLES = {
    freshness: (title.replace("evaluate", "evaluate the graph"), CANCEL_GRAPH if command == CANCEL else EVALUATE_GRAPH)
    for freshness, (title, command) in _TITLES.items()
}


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    lenses = partial(_lenses, server.evaluations)
    server.answer(types.TEXT_DOCUMENT_CODE_LENS, lenses, types.CodeLensOptions(resolve_provider=True))
    server.answer(types.CODE_LENS_RESOLVE, _resolve)


async def _lenses(
    evaluations: Evaluations, session: ClientSession, params: types.CodeLensParams
) -> list[types.CodeLens]:
    path = path_of(params.text_document.uri)

    def answer(snapshot: Snapshot, question: Question) -> list[types.CodeLens]:
        switches = session.settings(path).switches
        found: list[types.CodeLens] = []
        if is_on(switches, _FEATURE, "samples"):
            for each in evaluations.samples(snapshot, path):
                found += _sample_lenses(session, snapshot, path, each)
        if is_on(switches, _FEATURE, "graphs"):
            for graph in evaluations.graphs(snapshot, path):
                found += _graph_lenses(session, snapshot, path, graph)
        if is_on(switches, _FEATURE, "references"):
            found += _definition_lenses(session, snapshot, question, path)
        return found

    return await session.ask(path, answer, if_unchanged=True)


def _sample_lenses(
    session: ClientSession, snapshot: Snapshot, path: str, each: ShownSample
) -> Iterator[types.CodeLens]:
    if not each.sample.can_run:
        return
    source = snapshot.source(path)
    range_ = session.converter.range(source, Span(each.sample.span.start, each.sample.code_end))
    arguments = arguments_of(session.documents.uri(path), each.sample.name)
    title, command = _TITLES[each.value.freshness]
    yield types.CodeLens(range_, types.Command(title, command, arguments=arguments))
    outcome = each.value.outcome
    if not each.value.settled or outcome is None:
        return
    from snd_runtime.samples import update_edits

    if update_edits(source.text, each.sample.placed, outcome):
        yield types.CodeLens(range_, types.Command("record result", RECORD, arguments=arguments))


def _graph_lenses(session: ClientSession, snapshot: Snapshot, path: str, each: ShownGraph) -> Iterator[types.CodeLens]:
    """Above the graph; and above each of its samples that it is not run by, though it could be."""
    if not each.can_run:
        return
    converter, source = session.converter, snapshot.source(path)
    range_ = converter.range(source, each.graph.head)
    uri, name = session.documents.uri(path), each.graph.name.name
    title, command = _GRAPH_TITLES[Freshness.NONE if each.is_hidden else each.value.freshness]
    outcome = each.value.outcome
    if each.value.settled and outcome is not None and outcome.left_out and not each.is_hidden:
        title = f"{title} (values of the first {len(outcome.values):,} tensors)"
    arguments: list[Any] = [uri, name] if command == CANCEL_GRAPH else [uri, name, {"again": each.value.settled}]
    yield types.CodeLens(range_, types.Command(title, command, arguments=arguments))
    if outcome is not None and not each.is_hidden:
        yield types.CodeLens(range_, types.Command("hide values", SHOW_VALUES, arguments=[uri, name, False]))
    for sample in each.graph.samples:
        if sample.can_run and sample != each.choice:
            place = converter.range(source, Span(sample.span.start, sample.code_end))
            chosen = types.Command(f"run '{name}' by this", CHOOSE_SAMPLE, arguments=arguments_of(uri, sample.name))
            yield types.CodeLens(place, chosen)


def _definition_lenses(
    session: ClientSession, snapshot: Snapshot, question: Question, path: str
) -> Iterator[types.CodeLens]:  # fmt: skip
    """Yield the lenses of definitions, counted at once if that is quick.

    Clients show unresolved lenses badly during typing.
    """
    source, files = snapshot.source(path), session.files()
    named = [
        (name, definition.name.span.shifted(start))
        for start, definition in snapshot.tree(path).definitions
        if snapshot.definition(name := OperatorName(path, definition.name.text)) is definition
    ]
    is_quick = len(named) * len(files) <= MOST_COUNTED_AT_ONCE and snapshot.files_read() >= {*files}
    for name, span in named:
        if is_quick:
            yield _counted(session, snapshot, question, name, span)
        else:
            data = {"path": path, "name": name.name}
            yield types.CodeLens(session.converter.range(source, span), data=data)


async def _resolve(session: ClientSession, lens: types.CodeLens) -> types.CodeLens:
    """Count references, which searches all files and is done only for visible lenses.

    Raise Interrupted if the subject of the lens is gone, so that the client asks for new lenses.
    """
    data: Any = lens.data
    if not isinstance(data, Mapping) or not isinstance(data.get("path"), str):
        return lens
    name = OperatorName(data["path"], str(data.get("name")))

    def answer(snapshot: Snapshot, question: Question) -> types.CodeLens:
        found = snapshot.definitions(name.path).get(name.name)
        if found is None:
            raise Interrupted
        return _counted(session, snapshot, question, name, found.definition.name.span.shifted(found.start))

    try:
        return await session.ask(name.path, answer, urgency=Urgency.BACKGROUND)
    except UnknownDocument:
        raise Interrupted from None


def _counted(
    session: ClientSession, snapshot: Snapshot, question: Question, name: OperatorName, span: Span
) -> types.CodeLens:  # fmt: skip
    paths = question.each(session.files())
    places = references(snapshot, name.path, span.start, paths, with_declaration=False)
    title = counted(len(places), "reference")
    uri = session.documents.uri(name.path)
    range_ = session.converter.range(snapshot.source(name.path), span)
    if not _shows_references(session):
        return types.CodeLens(range_, types.Command(title, REFERENCES, arguments=[uri, name.name]))
    shown = [session.location(snapshot, each) for each in places]
    return types.CodeLens(range_, types.Command(title, SHOW_REFERENCES, arguments=[uri, range_.start, shown]))


def _shows_references(session: ClientSession) -> bool:
    commands = experimental(session.capabilities, "commands")
    return isinstance(commands, list | tuple) and SHOW_REFERENCES in commands
