"""Files that change on disk: the client watches them, or we do."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from lsprotocol import types

from snd_server.lsp.wire.uris import path_of
from snd_server.workspace_files.discovery import NEVER_ENTERED, NNEF1_ARCHIVES, NNEF1_FILES, SUFFIX

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_SUFFIXES = (SUFFIX, *NNEF1_FILES, *NNEF1_ARCHIVES, ".dat", ".safetensors")
_CONFIGURATION = ("snd.toml", "pyproject.toml", ".gitignore")


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.handle(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, _change)


async def watch(server: SndServer) -> None:
    """Let the client watch, if it can; else watches itself."""
    if not _client_watches(server):
        watch_folders(server)
        return
    watchers = [
        types.FileSystemWatcher(f"**/{name}") for name in (*(f"*{suffix}" for suffix in _SUFFIXES), *_CONFIGURATION)
    ]
    # For a folder that is moved or deleted, clients may report only its own name, which can be any.
    watchers.append(types.FileSystemWatcher("**", types.WatchKind.Create | types.WatchKind.Delete))
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    registration = types.Registration("watched-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    await server.client_register_capability_async(types.RegistrationParams([registration]))


def watch_folders(server: SndServer) -> None:
    """Watch the workspace folders, which are new or changed, unless the client watches."""
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
    from watchfiles import Change, awatch

    def matters(change: Change, path: str) -> bool:
        return _matters(path, change is Change.modified, folders)

    async for changes in awatch(*folders, watch_filter=matters):
        _changed(server, [path for _, path in changes])


def _change(server: SndServer, params: types.DidChangeWatchedFilesParams) -> None:
    changes = {path_of(change.uri): change.type is types.FileChangeType.Changed for change in params.changes}
    roots = [path_of(folder) for folder in server.folders]
    _changed(server, [path for path, modified in changes.items() if _matters(path, modified, roots)])


def _matters(path: str, modified: bool, roots: Iterable[str]) -> bool:
    """Return whether it is a file of ours, or may be a folder that came or went with such files in it."""
    return _is_ours(path) or not (modified or any(part in NEVER_ENTERED for part in _inside(path, roots)))


def _inside(path: str, roots: Iterable[str]) -> list[str]:
    """Return the names that lead to it from the workspace folder it is in: that one may be below anything."""
    within = max((root for root in roots if path.startswith(root + os.sep)), key=len, default="")
    return path[len(within) :].split(os.sep)


def _changed(server: SndServer, paths: Iterable[str]) -> None:
    """Take changes of files and folders. Clients need not report files in a folder that came or went."""
    files: list[str] = []
    folders: set[str] = set()
    for path in paths:
        if _is_ours(path):
            files.append(path)
        else:
            folders.add(path)
    if any(os.path.basename(path) in _CONFIGURATION for path in files):
        server.session.reconfigure()
    if files:
        server.session.refresh(files)
        server.refresher.everything()
    if folders:
        server.begin(_refresh_below(server, server.session.refresh_below(folders)))


async def _refresh_below(server: SndServer, concerns: Future[bool]) -> None:
    if await asyncio.wrap_future(concerns):
        server.refresher.everything()


def _is_ours(path: str) -> bool:
    return path.endswith(_SUFFIXES) or os.path.basename(path) in _CONFIGURATION
