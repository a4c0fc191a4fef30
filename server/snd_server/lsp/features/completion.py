"""Completions at a position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from msgspec import Struct

from snd_analysis.base import Source
from snd_analysis.ide import front_end
from snd_analysis.ide.completion import (
    TRIGGERS,
    Completion,
    CompletionKind,
    Completions,
)
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.abilities import experimental
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.position_request import at_position
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.session.workspace_edits import text_edit
from snd_server.lsp.wire.markup import markup, plain_text, reads_markdown
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_KINDS = {
    CompletionKind.KEYWORD: types.CompletionItemKind.Keyword,
    CompletionKind.BLOCK: types.CompletionItemKind.Keyword,
    CompletionKind.TYPE: types.CompletionItemKind.TypeParameter,
    CompletionKind.VALUE: types.CompletionItemKind.Value,
    CompletionKind.FUNCTION: types.CompletionItemKind.Function,
    CompletionKind.OPERATOR: types.CompletionItemKind.Function,
    CompletionKind.GRAPH: types.CompletionItemKind.Class,
    CompletionKind.MODULE: types.CompletionItemKind.Module,
    CompletionKind.ATTRIBUTE: types.CompletionItemKind.Property,
    CompletionKind.TENSOR: types.CompletionItemKind.Variable,
    CompletionKind.NAME: types.CompletionItemKind.Constant,
    CompletionKind.LABEL: types.CompletionItemKind.Reference,
    CompletionKind.MEMBER: types.CompletionItemKind.Field,
    CompletionKind.RULE: types.CompletionItemKind.EnumMember,
    CompletionKind.GENERATOR: types.CompletionItemKind.Function,
    CompletionKind.SNIPPET: types.CompletionItemKind.Snippet,
}


SHOW_PARAMETERS = "editor.action.triggerParameterHints"
"""A command of clients that list it in their experimental capability ``commands``."""


class _Abilities(Struct, frozen=True):
    """Abilities of the client with completions."""

    snippets: bool
    two_ranges: bool
    """True if it chooses between inserting before the rest of a word, and replacing it."""
    common_range: bool
    """True if the range may be given once for all."""
    shows_parameters: bool
    """True if it can open parameter hints when an invocation is accepted."""
    formats: Sequence[str] | None
    """Formats of documentation; None if it accepts only a string."""


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    options = types.CompletionOptions(trigger_characters=[*TRIGGERS], resolve_provider=True)
    server.answer(types.TEXT_DOCUMENT_COMPLETION, _completion, options)
    server.answer(types.COMPLETION_ITEM_RESOLVE, _resolve)


def _abilities(session: ClientSession) -> _Abilities:
    document = session.capabilities.text_document
    known = document.completion if document else None
    item = known.completion_item if known else None
    defaults = known.completion_list.item_defaults if known and known.completion_list else None
    return _Abilities(
        snippets=bool(item and item.snippet_support),
        two_ranges=bool(item and item.insert_replace_support),
        common_range="editRange" in (defaults or ()),
        shows_parameters=SHOW_PARAMETERS in (experimental(session.capabilities, "commands") or ()),
        formats=item.documentation_format if item else None,
    )


async def _completion(session: ClientSession, params: types.TextDocumentPositionParams) -> types.CompletionList:
    abilities = _abilities(session)

    def answer(snapshot: Snapshot, path: str, offset: int) -> types.CompletionList:
        found = front_end(path).completions(snapshot, path, offset, abilities.snippets, session.files())
        return _converted(session, snapshot, path, found, abilities)

    return await at_position(session, params, answer)


def _converted(
    session: ClientSession, snapshot: Snapshot, path: str, found: Completions, abilities: _Abilities
) -> types.CompletionList:
    source = snapshot.source(path)
    range_ = _range(session, source, found, abilities)
    uri = session.documents.uri(path)
    items = [
        _item(session, snapshot, uri, at, each, None if abilities.common_range else range_, abilities)
        for at, each in enumerate(found.items)
    ]
    if not abilities.common_range:
        return types.CompletionList(found.is_incomplete, items)
    common: types.Range | types.EditRangeWithInsertReplace
    if isinstance(range_, types.InsertReplaceEdit):
        common = types.EditRangeWithInsertReplace(range_.insert, range_.replace)
    else:
        common = range_
    defaults = types.CompletionItemDefaults(edit_range=common)
    return types.CompletionList(found.is_incomplete, items, defaults)


def _range(
    session: ClientSession, source: Source, found: Completions, abilities: _Abilities
) -> types.Range | types.InsertReplaceEdit:
    converter = session.converter
    insert = converter.range(source, found.insert)
    if abilities.two_ranges:
        return types.InsertReplaceEdit("", insert, converter.range(source, found.replace))
    return insert


def _item(
    session: ClientSession,
    snapshot: Snapshot,
    uri: str,
    at: int,
    item: Completion,
    range_: types.Range | types.InsertReplaceEdit | None,
    abilities: _Abilities,
) -> types.CompletionItem:
    edit: types.TextEdit | types.InsertReplaceEdit | None = None
    if isinstance(range_, types.InsertReplaceEdit):
        edit = types.InsertReplaceEdit(item.inserted, range_.insert, range_.replace)
    elif range_ is not None:
        edit = types.TextEdit(range_, item.inserted)
    return types.CompletionItem(
        item.label,
        kind=_KINDS[item.kind],
        detail=item.detail or None,
        sort_text=f"{at:04}",
        filter_text=item.filter or None,
        insert_text_format=types.InsertTextFormat.Snippet if item.is_snippet else None,
        text_edit=edit,
        text_edit_text=item.text or None if edit is None else None,
        additional_text_edits=[text_edit(session, snapshot, each) for each in item.edits] or None,
        command=types.Command("", SHOW_PARAMETERS) if abilities.shows_parameters and _is_call(item) else None,
        data={"uri": uri, "subject": [*item.subject]} if item.subject else None,
    )


def _is_call(item: Completion) -> bool:
    """Return whether an item inserts an invocation with arguments to be written."""
    return item.kind in (CompletionKind.OPERATOR, CompletionKind.GRAPH) and "$1" in item.text.replace("{1", "1")


async def _resolve(session: ClientSession, item: types.CompletionItem) -> types.CompletionItem:
    """Return the item as the client sent it, with its documentation."""
    about = _subject(item.data)
    if about is None:
        return item
    uri, subject = about

    def answer(snapshot: Snapshot, question: Question) -> str:
        return front_end(path).documentation(snapshot, subject, path)

    path = path_of(uri)
    text = await session.ask(path, answer)
    if text:
        formats = _abilities(session).formats
        item.documentation = plain_text(text) if formats is None else markup(text, reads_markdown(formats))
    return item


def _subject(data: Any) -> tuple[str, tuple[str, ...]] | None:
    """Return the subject in the data of an item; None for other data."""
    if not isinstance(data, dict) or not isinstance(data.get("uri"), str) or not isinstance(data.get("subject"), list):
        return None
    return data["uri"], tuple(str(part) for part in data["subject"])
