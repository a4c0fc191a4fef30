"""A client that does not ask for diagnostics is sent them, once for each change, for the dependants too."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_analysis.base import Source
from snd_server.lsp.diagnostics.push import Publisher, _Shown
from snd_server.lsp.session.documents import Document
from support.lsp.clients import PUSHING, SERVER, Editor, begin, change_text, open_text, rest
from support.lsp.protocol_texts import BLOCKS, BROKEN, MAIN, RIGHT, UNKNOWN_NAME
from support.lsp.raw_client import running
from support.waiting import until


@pytest_lsp.fixture(config=SERVER, params=PUSHING)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest, folder: Path):
    await begin(lsp_client, request.param, folder)
    yield
    await lsp_client.shutdown_session()


def shown(client: Editor, uri: str) -> tuple[int | None, list[object]] | None:
    """The version and the rules that were published last."""
    published = client.of(uri)
    return (published[-1].version, [each.code for each in published[-1].diagnostics]) if published else None


async def test_syntax_at_once_and_the_rest_after_a_pause(client: Editor):
    uri = "untitled:a"
    text = RIGHT.replace("operator f", "operator g") + UNKNOWN_NAME
    document = open_text(client, uri, text)
    await until(lambda: shown(client, uri) == (1, ["undefined-name"]))
    change_text(client, uri, text.replace("x: real[n];", "\n x: real[n", 1), 2)
    await until(lambda: (shown(client, uri) or (0,))[0] == 2)
    first = next(each for each in client.of(uri) if each.version == 2)
    # what was known goes on to be shown, where it is now
    assert {each.code for each in first.diagnostics} == {"undefined-name", "unclosed-bracket"}
    assert next(each for each in first.diagnostics if each.code == "undefined-name").range.start.line == 9
    change_text(client, uri, RIGHT, 3)
    await until(lambda: shown(client, uri) == (3, []))
    versions = [each.version for each in client.of(uri)]
    assert versions == sorted(versions), "never for an older version than is shown"
    client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    await until(lambda: shown(client, uri) == (None, []))


async def test_typing_is_not_followed_letter_by_letter(client: Editor):
    uri = "untitled:a"
    open_text(client, uri, RIGHT)
    await until(lambda: shown(client, uri) == (1, []))
    for version in range(2, 30):
        change_text(client, uri, RIGHT.replace("= x", "= " + "z" * version), version)
    await until(lambda: shown(client, uri) == (29, ["undefined-name"]))
    assert len(client.of(uri)) < 10


async def test_dependants_are_told_again_and_nothing_is_told_twice(client: Editor, folder: Path):
    main, blocks = ((folder / name).as_uri() for name in ("main.sknd", "blocks.sknd"))
    open_text(client, main, MAIN)
    document = open_text(client, blocks, BLOCKS)
    await until(lambda: shown(client, main) == (1, []) and shown(client, blocks) == (1, []))
    await rest(client)
    told = len(client.published)
    change_text(client, blocks, BROKEN.replace("operator f", "operator other"), 2)
    await until(lambda: shown(client, main) == (1, ["unknown-operator"]))
    client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    await until(lambda: shown(client, main) == (1, []))
    await rest(client)
    assert len(client.of(main)) == 3
    assert len(client.published) - told <= 5


@pytest.mark.parametrize(
    ("experimental", "leads_to"),
    [({"rulePage": "pages:/{rule}.md"}, {"href": "pages:/undefined-name.md"}), ({}, None), ({"rulePage": 1}, None)],
)
async def test_a_diagnostic_leads_to_the_page_of_its_rule_if_the_client_has_one(experimental: object, leads_to: object):
    knows = {"textDocument": {"publishDiagnostics": {"codeDescriptionSupport": True}}, "experimental": experimental}
    async with running() as (_, client):
        await client.initialize(capabilities=knows)
        client.open("untitled:a", UNKNOWN_NAME)

        def found() -> list[dict[str, object]]:
            told = [each["params"] for each in client.others if each["method"] == "textDocument/publishDiagnostics"]
            return [diagnostic for each in told for diagnostic in each["diagnostics"]]

        await until(lambda: bool(found()))
        assert {each["code"]: each.get("codeDescription") for each in found()} == {"undefined-name": leads_to}


@pytest.mark.parametrize("edited", [False, True])
async def test_what_was_found_of_an_older_text_is_not_told(edited: bool):
    """An edit may come between the answer of the analysis and whoever waits for it: nothing is left to be given up."""
    before, after = (Document("untitled:a", at, Source("untitled:a", text)) for at, text in enumerate(("z", RIGHT), 1))
    open_, told = {"untitled:a": before}, []

    class Documents:
        def __iter__(self) -> Iterator[Document]:
            return iter([*open_.values()])

        def get(self, path: str) -> Document | None:
            return open_.get(path)

    async def ask(path: str, function: object, **how: bool) -> object:
        if edited:
            open_[path] = after
        return _Shown(before, (), (), [types.Diagnostic(types.Range(start, start), "of the older text")])

    start = types.Position(0, 0)
    session = SimpleNamespace(documents=Documents(), ask=ask)
    begun: list[asyncio.Future[None]] = []

    def begin_work(work: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        begun.append(asyncio.ensure_future(work))
        return begun[-1]

    server: Any = SimpleNamespace(session=session, begin=begin_work, text_document_publish_diagnostics=told.append)
    Publisher(server).others()
    await asyncio.gather(*begun)
    assert len(told) == (0 if edited else 1)
