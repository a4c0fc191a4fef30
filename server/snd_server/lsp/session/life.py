"""The beginning and the end of a session."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

from snd_server.lsp.session.abilities import diagnostic_abilities
from snd_server.lsp.session.client_settings import SECTION, fetch, take
from snd_server.lsp.session.watching import watch, watch_folders
from snd_server.lsp.wire.positions import Converter
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

# Interval between checks of the client's process.
_LOOK_SECONDS = 3.0


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.handle(types.INITIALIZE, _initialize)
    server.handle(types.INITIALIZED, _initialized)
    server.handle(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, _change_folders)


def _initialize(server: SndServer, params: types.InitializeParams) -> None:
    """Read the client's description of itself. pygls answers, by the features that have handlers."""
    encoding = ServerCapabilitiesBuilder.choose_position_encoding(params.capabilities)
    server.session.capabilities = params.capabilities
    server.session.converter = Converter(types.PositionEncodingKind(encoding))
    server.session.on_config_error = server.warn
    server.session.on_config_diagnostics = server.publish
    server.session.diagnostic_abilities = diagnostic_abilities(params.capabilities)
    if params.trace is not None:
        server.protocol.trace = params.trace
    folders = {folder.uri: folder.name for folder in params.workspace_folders or ()}
    if not folders and params.root_uri:
        folders = {params.root_uri: ""}
    _set_folders(server, folders)
    if params.initialization_options is not None:
        take(server, params.initialization_options)
    if params.process_id is not None and _is_alive(params.process_id):
        server.begin(_follow(server, params.process_id))


async def _initialized(server: SndServer, params: types.InitializedParams) -> None:
    server.begin(watch(server))
    workspace = server.client_capabilities.workspace
    changes = workspace and workspace.did_change_configuration
    if changes and changes.dynamic_registration:
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        options = types.DidChangeConfigurationRegistrationOptions(SECTION)
        registration = types.Registration("configuration", method, options)
        await server.client_register_capability_async(types.RegistrationParams([registration]))
    if workspace and workspace.configuration:
        await fetch(server)
        server.refresher.everything()


async def _change_folders(server: SndServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    removed = {folder.uri for folder in params.event.removed}
    folders = {uri: name for uri, name in server.folders.items() if uri not in removed}
    _set_folders(server, {**folders, **{folder.uri: folder.name for folder in params.event.added}})
    watch_folders(server)
    await fetch(server)
    server.refresher.everything()


def _set_folders(server: SndServer, folders: dict[str, str]) -> None:
    server.folders = folders
    server.session.set_folders(map(path_of, folders))


async def _follow(server: SndServer, process: int) -> None:
    """End when the client's process has, even if somebody else holds its end of the pipe."""
    while _is_alive(process):
        await asyncio.sleep(_LOOK_SECONDS)
    server.stop(1)
    server.hang_up()


def _is_alive(process: int) -> bool:
    """Return whether there is such a process here; unknown on Windows, where signals end processes."""
    if sys.platform == "win32":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
