"""Influences on diagnostics besides texts: configuration files, settings of the client, files on disk."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_analysis.ide.inlay_hints import HintKind
from snd_server.lsp.features.inlay_hints import switched_on
from snd_server.lsp.session.client_settings import ClientSettings, Scopes, parse_client_settings
from snd_server.lsp.session.switches import is_on
from support.lsp.clients import SERVER, Editor, begin, codes, open_text, rest
from support.lsp.protocol_texts import BLOCKS, MAIN, RIGHT, UNKNOWN_NAME
from support.waiting import eventually

UNUSED = "import nn;\n\n" + RIGHT


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return two projects; the second has a module in a folder that its configuration names."""
    one, two = tmp_path / "one", tmp_path / "two"
    (two / "shared").mkdir(parents=True)
    one.mkdir()
    (one / "snd.toml").write_text('ignore = ["unused-import"]\n')
    (two / "snd.toml").write_text('module-paths = ["shared"]\nwarn = ["undefined-name"]\n')
    (two / "shared" / "blocks.sknd").write_text(BLOCKS)
    for folder in (one, two):
        (folder / "unused.sknd").write_text(UNUSED)
        (folder / "wrong.sknd").write_text(UNKNOWN_NAME)
    (two / "main.sknd").write_text(MAIN)
    return one, two


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: LanguageClient, folders: tuple[Path, Path]):
    await begin(lsp_client, "visual-studio-code", folders=folders)
    yield
    await lsp_client.shutdown_session()


def opened(client: LanguageClient, path: Path) -> str:
    open_text(client, path.as_uri(), path.read_text())
    return path.as_uri()


def tell(client: LanguageClient, path: Path, kind: types.FileChangeType = types.FileChangeType.Changed) -> None:
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([types.FileEvent(path.as_uri(), kind)]))


async def severities(client: LanguageClient, uri: str) -> list[types.DiagnosticSeverity | None]:
    params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
    report = await client.text_document_diagnostic_async(params)
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return [each.severity for each in report.items]


async def test_each_folder_has_its_configuration(client: Editor, folders: tuple[Path, Path]):
    one, two = folders
    assert await codes(client, opened(client, one / "unused.sknd")) == []
    assert await codes(client, opened(client, two / "unused.sknd")) == ["unused-import"]
    assert await severities(client, opened(client, one / "wrong.sknd")) == [types.DiagnosticSeverity.Error]
    assert await severities(client, opened(client, two / "wrong.sknd")) == [types.DiagnosticSeverity.Warning]
    assert await codes(client, opened(client, two / "main.sknd")) == []
    # the same file, by its module and as it is open
    blocks = two / "shared" / "blocks.sknd"
    open_text(client, blocks.as_uri(), BLOCKS.replace("double", "triple"))
    assert await codes(client, (two / "main.sknd").as_uri()) == ["unknown-operator"]


async def test_configurations_are_read_again(client: Editor, folders: tuple[Path, Path]):
    one, _ = folders
    uri = opened(client, one / "unused.sknd")
    assert await codes(client, uri) == []
    await rest(client)
    before = client.diagnostic_refresh_count
    (one / "snd.toml").write_text("")
    tell(client, one / "snd.toml")
    assert await codes(client, uri) == ["unused-import"]
    await rest(client)
    assert client.diagnostic_refresh_count == before + 1
    (one / "snd.toml").write_text('ignroe = ["unused-import"]')
    tell(client, one / "snd.toml")
    assert await codes(client, uri) == await codes(client, uri) == ["unused-import"]
    assert not client.messages, "a mistake has a place in its file"
    found = client.diagnostics[(one / "snd.toml").as_uri()]
    assert [each.message for each in found] == ["unknown key 'ignroe'; did you mean 'ignore'?"]
    assert found[0].range == types.Range(types.Position(0, 0), types.Position(0, 6))
    (one / "snd.toml").write_text("")
    tell(client, one / "snd.toml")
    assert await codes(client, uri) == ["unused-import"]
    assert not client.diagnostics[(one / "snd.toml").as_uri()]


async def test_a_wrong_setting_costs_no_other(client: Editor, folders: tuple[Path, Path]):
    one, _ = folders
    (one / "snd.toml").write_text('line-width = "a"\nerror = ["unused-import"]\nwarn = ["no-such-rule"]\nselct = 1\n')
    tell(client, one / "snd.toml")
    assert await severities(client, opened(client, one / "unused.sknd")) == [types.DiagnosticSeverity.Error]
    found = await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    assert (one / "wrong.sknd").as_uri() in {each.uri for each in found.items}
    await rest(client)
    assert not client.messages
    found = client.diagnostics[(one / "snd.toml").as_uri()]
    assert len(found) == 3
    assert {each.range.start.line for each in found} == {0, 2, 3}


async def test_the_client_has_a_word(client: Editor, folders: tuple[Path, Path]):
    _, two = folders
    uris = [opened(client, folder / "unused.sknd") for folder in folders]
    client.set_configuration({"select": ["unused-import"], "error": ["unused-import"]}, section="snd")
    client.set_configuration({"snd": {"ignore": ["all"]}}, scope_uri=two.as_uri())
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await rest(client)
    # what holds everywhere outweighs the file
    assert await severities(client, uris[0]) == [types.DiagnosticSeverity.Error]
    assert await codes(client, uris[1]) == []
    client.set_configuration({"snd": {"ignroe": 1, "ignore": 1}}, scope_uri=two.as_uri())
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await rest(client)
    assert await codes(client, uris[1]) == ["unused-import"]
    assert any("'ignore' must be a list" in each.message for each in client.messages)


async def test_folders_come_and_go(client: Editor, folders: tuple[Path, Path]):
    one, _ = folders

    async def known() -> set[str]:
        report = await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
        return {each.uri.removeprefix(one.parent.as_uri()).split("/")[1] for each in report.items}

    assert await known() == {"one", "two"}
    gone = types.WorkspaceFolder(one.as_uri(), "one")
    client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent([], [gone]))
    )
    assert await known() == {"two"}
    client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent([gone], []))
    )
    assert await known() == {"one", "two"}


async def test_modules_come_and_go(client: Editor, folders: tuple[Path, Path]):
    one, _ = folders
    main = one / "main.sknd"
    main.write_text(MAIN)
    uri = opened(client, main)
    assert "module-not-found" in await codes(client, uri)
    assert types.WORKSPACE_DID_CHANGE_WATCHED_FILES in {each.method for each in client.registered}
    blocks = one / "blocks.sknd"
    blocks.write_text(BLOCKS)
    tell(client, blocks, types.FileChangeType.Created)
    assert await codes(client, uri) == []
    blocks.unlink()
    tell(client, blocks, types.FileChangeType.Deleted)
    assert "module-not-found" in await codes(client, uri)


async def test_what_the_client_saves_is_read_again(client: Editor, folders: tuple[Path, Path]):
    """Without being told that the file has changed."""
    _, two = folders
    main, blocks = two / "main.sknd", two / "shared" / "blocks.sknd"
    uri = opened(client, main)
    assert await codes(client, uri) == []
    blocks.write_text(BLOCKS.replace("double", "triple"))
    client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(blocks.as_uri())))
    assert await codes(client, uri) == ["unknown-operator"]


@pytest_lsp.fixture(config=SERVER)
async def blind(lsp_client: LanguageClient, folders: tuple[Path, Path]):
    """A client that watches no files."""
    await begin(lsp_client, "neovim@v0.10", folders=folders)
    yield
    await lsp_client.shutdown_session()


async def test_files_are_watched_if_the_client_does_not(blind: Editor, folders: tuple[Path, Path]):
    one, _ = folders
    assert not blind.registered
    uri = opened(blind, one / "unused.sknd")
    assert await codes(blind, uri) == []

    async def after_a_change() -> list[Any]:  # another one each time: nobody is told when watching has begun
        with (one / "snd.toml").open("w") as file:
            file.write(f"# {time.monotonic()}\n")
        await asyncio.sleep(0.1)
        return await codes(blind, uri)

    await eventually(after_a_change, lambda found: found == ["unused-import"])


def test_settings_are_those_of_files_in_either_spelling():
    settings = parse_client_settings(
        {"lineWidth": 80, "module-paths": ["shared"], "ignore": ["unused-import"], "inlayHints": {"shapes": False}},
        "/project",
    )
    assert settings.line_width == 80
    assert settings.module_paths == ("/project/shared",)
    assert settings.rules.ignore == ("unused-import",)
    assert settings.switches == {"inlay-hints": {"shapes": False}}


@pytest.mark.parametrize("section", [
    {"codeLenses": {"samples": False}, "inlayHints": {"blockEnds": False}},
    {"code-lenses": {"samples": False}, "inlay-hints": {"block-ends": False}},
])  # fmt: skip
def test_switches_are_obeyed_in_either_spelling(section: dict[str, Any]):
    switches = parse_client_settings(section).switches
    assert not is_on(switches, "code-lenses", "samples")
    assert is_on(switches, "code-lenses", "graphs")
    assert switched_on(switches) == {*HintKind} - {HintKind.BLOCK_END}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (["unused-import"], "must be an object"),
        ("all", "must be an object"),
        ({"select": "all"}, "'select' must be a list of strings"),
        ({"lineWidth": "wide"}, "'lineWidth' must be a whole number"),
        ({"line-width": "wide"}, "'line-width' must be a whole number"),
        ({"modulePaths": 1}, "'modulePaths' must be a list of strings"),
        ({"lineWidht": 1}, "unknown key 'lineWidht'; did you mean 'lineWidth'?"),
        ({"line-widht": 1}, "unknown key 'line-widht'; did you mean 'line-width'?"),
        ({"error": ["no-such-rule"]}, "no-such-rule"),
        ({"error": ["unused-import"], "warn": ["unused-import"]}, "is in both"),
        ({"ignroe": []}, "unknown key 'ignroe'; did you mean 'ignore'?"),
        ({"inlayHint": False}, "unknown key 'inlayHint'; did you mean 'inlayHints'?"),
        ({"inlayHints": 1}, "'inlayHints' must be true, false or an object"),
        ({"inlayHints": {"shape": True}}, "'inlayHints': unknown switch 'shape'; did you mean 'shapes'?"),
        ({"inlay-hints": {"blockEnds": "no"}}, "'inlay-hints.blockEnds' must be true or false"),
        ({"codeLenses": {"bogus": True}}, "'codeLenses': unknown switch 'bogus'"),
        ({"evaluation": {"timeout": 0}}, "'evaluation.timeout' must be a number above 0"),
        ({"evaluation": {"seed": 1.5}}, "'evaluation.seed' must be a whole number"),
        ({"evaluation": {"real": "f16"}}, "'evaluation.real' must be 'f32' or 'f64'"),
    ],
)
def test_settings_that_are_wrong(value: object, told: str):
    (mistake,) = parse_client_settings(value).mistakes
    assert told in mistake
    assert mistake.startswith("the settings 'snd' of the editor")


def test_what_is_right_beside_a_mistake_counts():
    value = {"lineWidth": 80, "select": ["nope"], "ignore": ["unused-import"], "inlayHints": {"bogus": 1}}
    settings = parse_client_settings(value)
    assert settings.line_width == 80
    assert settings.rules.ignore == ("unused-import",)
    assert settings.rules.select == ClientSettings().rules.select
    assert len(settings.mistakes) == 2


@pytest.mark.parametrize("value", [None, {}, []])
def test_no_settings(value: object):
    assert parse_client_settings(value) == ClientSettings()


def test_an_empty_list_stands_for_an_empty_object():
    value = {"inlayHints": [], "code-lenses": [], "evaluation": []}
    assert parse_client_settings(value) == parse_client_settings({key: {} for key in value})


async def test_an_empty_table_of_lua_is_no_setting(client: Editor, folders: tuple[Path, Path]):
    uri = opened(client, folders[1] / "unused.sknd")
    client.set_configuration([], section="snd")
    client.set_configuration({"snd": []}, scope_uri=folders[1].as_uri())
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"snd": []}))
    await rest(client)
    assert await codes(client, uri) == ["unused-import"]
    assert client.messages == []


def test_what_is_no_mistake():
    value = {
        "trace": {"server": "off"}, "serverPath": "snd", "codeLenses": False, "lineWidth": None,
        "inlayHints": {"blockEnds": False, "block-ends": True, "values": True, "shapes": None},
        "evaluation": {"automatic": True, "timeout": 0.7, "memory": 64, "budget": 1, "seed": 0, "real": "f64"},
    }  # fmt: skip
    assert parse_client_settings(value).mistakes == ()


async def test_each_mistake_is_told_once(client: Editor, folders: tuple[Path, Path]):
    _, two = folders
    wrong = {"inlayHints": {"bogus": 1}, "lineWidth": "x", "select": ["nope"]}

    async def told(value: object) -> list[str]:
        before = len(client.messages)
        client.set_configuration(value, section="snd")
        client.set_configuration({"snd": value}, scope_uri=two.as_uri())
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        await rest(client)
        return sorted(each.message.partition(": ")[2] for each in client.messages[before:])

    first = await told(wrong)
    assert [message.split("'")[1] for message in first] == ["inlayHints", "lineWidth", "select"]
    assert await told(wrong) == []
    assert await told({}) == []
    assert await told(wrong) == first, "what is wrong again is told again"


def test_the_innermost_folder_counts():
    outer, inner = ClientSettings(line_width=1), ClientSettings(line_width=2)
    scopes = Scopes(ClientSettings(), {"/a": outer, "/a/b": inner})
    assert scopes.of("/a/b/c.sknd") is inner
    assert scopes.of("/a/bc.sknd") is outer
    assert scopes.of("untitled:a") is scopes.everywhere
