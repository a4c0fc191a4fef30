"""Files that change on disk: the client watches them, or we do."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from snd_server.discovery import SUFFIX
from snd_server.lsp.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_CONFIGURATION = ("snd.toml", "pyproject.toml", ".gitignore")


def register(server: SndServer) -> None:
    """Registers the handlers of this module."""
    server.handle(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, _change)


async def watch(server: SndServer) -> None:
    """Lets the client watch, if it can; else watches itself."""
    if not _client_watches(server):
        watch_folders(server)
        return
    patterns = [f"**/*{SUFFIX}", *(f"**/{name}" for name in _CONFIGURATION)]
    options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(each) for each in patterns])
    registration = types.Registration("watched-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    await server.client_register_capability_async(types.RegistrationParams([registration]))


def watch_folders(server: SndServer) -> None:
    """The workspace folders are known, or others than before; nothing is to be done if the client watches."""
    if _client_watches(server):
        return
    if server.watching is not None:
        server.watching.cancel()
    folders = [path for path in map(path_of, server.folders) if os.path.isdir(path)]
    server.watching = server.begin(_follow(server, folders)) if folders else None


def _client_watches(server: SndServer) -> bool:
    workspace = server.client_capabilities.workspace
    watched = workspace and workspace.did_change_watched_files
    return bool(watched and watched.dynamic_registration)


async def _follow(server: SndServer, folders: list[str]) -> None:
    from watchfiles import awatch

    async for changes in awatch(*folders, watch_filter=lambda _, path: _matters(path)):
        changed(server, [path for _, path in changes])


def changed(server: SndServer, paths: Iterable[str]) -> None:
    """Files changed, appeared or vanished."""
    matter = [path for path in paths if _matters(path)]
    if not matter:
        return
    if any(os.path.basename(path) in _CONFIGURATION for path in matter):
        server.session.reconfigure()
    server.session.refresh(matter)
    server.refresher.everything()


def _matters(path: str) -> bool:
    return path.endswith(SUFFIX) or os.path.basename(path) in _CONFIGURATION


def _change(server: SndServer, params: types.DidChangeWatchedFilesParams) -> None:
    changed(server, [path_of(change.uri) for change in params.changes])
