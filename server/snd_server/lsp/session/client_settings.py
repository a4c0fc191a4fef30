"""Settings of the client: section ``snd``, for all and for each workspace folder.

The keys are those of ``snd.toml`` (``select``, ``ignore``, ``error``, ``warn``, ``module-paths``, ``line-width``), also
in the spelling of editors (``modulePaths``, ``lineWidth``). They override the configuration files, as a command line
does. Other keys are the switches of features, which each feature reads for itself. A key with a wrong value is ignored.
An empty list is accepted as an empty object: Lua has one empty table, which clients written in it send as a list.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from msgspec import Struct, field

from snd_server.lsp.session.switches import mistakes_of_switches, spelled, spelled_switches
from snd_server.lsp.wire.uris import path_of
from snd_server.settings.config_schema import checked_settings
from snd_server.settings.rule_selection import RuleSettings
from snd_server.workspace_files.config_error import ConfigError

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

SECTION = "snd"

_KEYS = ("select", "ignore", "error", "warn", "module-paths", "line-width")
_ORIGIN = f"the settings '{SECTION}' of the editor"


class ClientSettings(Struct, frozen=True):
    """The settings for one scope."""

    rules: RuleSettings = field(default_factory=RuleSettings)
    module_paths: tuple[str, ...] = ()
    """Absolute paths."""
    line_width: int | None = None
    switches: Mapping[str, Any] = field(default_factory=dict)
    """All other settings, in the spelling of files."""
    mistakes: tuple[str, ...] = ()
    """Mistakes in the settings that the client sent."""


class Scopes(Struct, frozen=True):
    """The settings for all, and the settings of folders."""

    everywhere: ClientSettings = field(default_factory=ClientSettings)
    by_folder: Mapping[str, ClientSettings] = field(default_factory=dict)

    def of(self, path: str) -> ClientSettings:
        """Return the settings for a file: of the innermost folder around it."""
        around = [folder for folder in self.by_folder if path.startswith(folder.rstrip(os.sep) + os.sep)]
        return self.by_folder[max(around, key=len)] if around else self.everywhere

    @property
    def mistakes(self) -> tuple[str, ...]:
        """Mistakes in any of the settings, without duplicates: clients repeat general settings for folders."""
        return tuple(
            dict.fromkeys(each for one in (self.everywhere, *self.by_folder.values()) for each in one.mistakes)
        )


def parse_client_settings(value: Any, folder: str | None = None) -> ClientSettings:
    """Return the settings that a client sent; relative module paths are below ``folder``."""
    if value is None or value == []:
        return ClientSettings()
    if not isinstance(value, dict):
        return ClientSettings(mistakes=(f"{_ORIGIN} must be an object",))
    by_name = {spelled(key): (key, each) for key, each in value.items() if each is not None}
    known, mistakes = _checked({name: given for name, given in by_name.items() if name in _KEYS})
    written = {key: {} if each == [] else each for name, (key, each) in by_name.items() if name not in _KEYS}
    mistakes += [f"{_ORIGIN}: {each}" for each in mistakes_of_switches(written, _KEYS)]
    settings = checked_settings(known, _ORIGIN)
    paths = (os.path.abspath(os.path.join(folder or os.curdir, path)) for path in settings.module_paths)
    width = settings.line_width if "line-width" in known else None
    return ClientSettings(settings.rules, tuple(paths), width, spelled_switches(written), tuple(mistakes))


def _checked(given: Mapping[str, tuple[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    """Return the valid settings, by name, and the mistakes in the others, as written."""
    right: dict[str, Any] = {}
    mistakes: list[str] = []
    for key, (written, value) in given.items():
        try:
            checked_settings({**right, key: value}, _ORIGIN)
        except ConfigError as error:
            mistakes.append(str(error).replace(f"'{key}'", f"'{written}'"))
        else:
            right[key] = value
    return right, mistakes


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.handle(types.WORKSPACE_DID_CHANGE_CONFIGURATION, _change)


def take(server: SndServer, value: Any) -> None:
    """Take settings that came unasked: with ``initialize``, or with a change of settings."""
    section = value.get(SECTION, value) if isinstance(value, dict) else value
    _set(server, Scopes(parse_client_settings(section)))


async def fetch(server: SndServer) -> None:
    """Ask the client for its settings, if it can be asked."""
    workspace = server.client_capabilities.workspace
    if not workspace or not workspace.configuration:
        return
    folders = list(server.folders)
    items = [types.ConfigurationItem(section=SECTION)]
    items += [types.ConfigurationItem(scope_uri=uri, section=SECTION) for uri in folders]
    values = await server.workspace_configuration_async(types.ConfigurationParams(items))
    if len(values) != len(items):
        server.fault("workspace/configuration", ValueError(f"{len(values)} answers to {len(items)} questions"))
        return
    by_folder = {
        path_of(uri): parse_client_settings(value, path_of(uri)) for uri, value in zip(folders, values[1:], strict=True)
    }
    _set(server, Scopes(parse_client_settings(values[0]), by_folder))


async def _change(server: SndServer, params: types.DidChangeConfigurationParams) -> None:
    workspace = server.client_capabilities.workspace
    if workspace and workspace.configuration:
        await fetch(server)
    else:
        take(server, params.settings)
    server.refresher.everything()


def _set(server: SndServer, scopes: Scopes) -> None:
    """Store settings, and report mistakes that were not reported before."""
    for mistake in scopes.mistakes:
        if mistake not in server.wrong_settings:
            server.warn(mistake)
    server.wrong_settings = scopes.mistakes
    server.session.set_scopes(scopes)
