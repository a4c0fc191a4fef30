"""The beginning and the end of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

from snd_server.lsp.convert import Converter
from snd_server.lsp.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_WATCHED = ("**/*.sknd", "**/snd.toml", "**/pyproject.toml")


def register(server: SndServer) -> None:
    """Registers the handlers of this module."""
    server.handle(types.INITIALIZE, _initialize)
    server.handle(types.INITIALIZED, _initialized)
    server.handle(types.SHUTDOWN, _shutdown)
    server.handle(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, _change_folders)
    server.handle(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, _change_files)


def _initialize(server: SndServer, params: types.InitializeParams) -> None:
    session = server.session
    encoding = ServerCapabilitiesBuilder.choose_position_encoding(params.capabilities)
    session.converter = Converter(encoding)
    folders = [(folder.uri, folder.name) for folder in params.workspace_folders or ()]
    if not folders and params.root_uri:
        folders = [(params.root_uri, "")]
    session.folders = {path_of(uri): name for uri, name in folders}

    def tell(error: Exception) -> None:
        server.window_log_message(types.LogMessageParams(types.MessageType.Error, str(error)))

    session.on_config_error = tell


async def _initialized(server: SndServer, params: types.InitializedParams) -> None:
    workspace = server.client_capabilities.workspace
    watched = workspace and workspace.did_change_watched_files
    if not watched or not watched.dynamic_registration:
        return
    watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    registration = types.Registration("watched-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    await server.client_register_capability_async(types.RegistrationParams([registration]))


def _shutdown(server: SndServer, params: None) -> None:
    server.session.stop()


def _change_folders(server: SndServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    for folder in params.event.removed:
        server.session.folders.pop(path_of(folder.uri), None)
    for folder in params.event.added:
        server.session.folders[path_of(folder.uri)] = folder.name


def _change_files(server: SndServer, params: types.DidChangeWatchedFilesParams) -> None:
    from snd_server.lsp.diagnostics import diagnose_again

    paths = [path_of(change.uri) for change in params.changes]
    if any(path.endswith(".toml") for path in paths):
        server.session.reconfigure()
    server.session.refresh(paths)
    diagnose_again(server)
