"""Configuration: ``snd.toml``, or ``[tool.snd]`` of ``pyproject.toml``, the one nearest to the checked file."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from snd_analysis.base import ProjectSettings
from snd_server.limits import MOST_SETTINGS_BYTES
from snd_server.settings.config_schema import Settings, parse_settings, refuse
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.reading import may_read, read_file, reason

_NAMES = ("snd.toml", "pyproject.toml")


class Configuration(Struct, frozen=True, dict=True):
    """The contents of one configuration file; its patterns and paths are relative to ``folder``."""

    folder: str = "/"
    """Absolute path of the folder of the file."""
    origin: str | None = None
    """The file, as it is named to people; None if there is none and all settings are defaults."""
    settings: Settings = field(default_factory=Settings)
    pulse: tuple[str, int] | None = None
    """The symbol that graphs in NNEF 1.0 see pulse by pulse, and the number of items of a pulse: an option gives it."""

    @cached_property
    def module_paths(self) -> tuple[str, ...]:
        """Folders searched for modules, below the current folder named relative to it, as paths given by hand are."""
        return tuple(_as_given(os.path.join(self.folder, path)) for path in self.settings.module_paths)

    @cached_property
    def project_settings(self) -> ProjectSettings:
        """Settings that affect the meaning of files."""
        return ProjectSettings(
            self.module_paths, self.settings.dialect, dict(self.settings.targets).get("tosa"), self.pulse
        )

    @property
    def weights(self) -> str | None:
        """Path of the variables of a model, relative to the same folder as module paths."""
        return None if self.settings.weights is None else _as_given(os.path.join(self.folder, self.settings.weights))

    @cached_property
    def excludes(self) -> Callable[[str, bool], bool]:
        """Return whether a path (and whether it is a folder) is excluded by the ``exclude`` patterns."""
        return self._matcher(self.settings.exclude)

    def ignored_rules(self, path: str) -> tuple[str, ...]:
        """Return the rules that ``per-file-ignores`` switches off for a file."""
        return tuple(rule for matches, rules in self._per_file if matches(path, False) for rule in rules)

    @cached_property
    def _per_file(self) -> tuple[tuple[Callable[[str, bool], bool], tuple[str, ...]], ...]:
        return tuple((self._matcher((glob,)), rules) for glob, rules in self.settings.per_file_ignores)

    def _matcher(self, patterns: tuple[str, ...]) -> Callable[[str, bool], bool]:
        if not patterns:
            return lambda path, is_folder: False
        from snd_server.workspace_files.patterns import parse_patterns

        parsed = parse_patterns(patterns)

        def matches(path: str, is_folder: bool) -> bool:
            relative = os.path.relpath(path, self.folder).replace(os.sep, "/")
            return not relative.startswith("../") and parsed.covers(relative, is_folder)

        return matches


class Configurations:
    """The configuration of every file of a run; each configuration file is read once.

    With ``only``, that file holds for all of them. ``wrong`` is called with each mistake in a file when it is read
    (with ``only`` at once); unless it raises that, the valid settings hold. All have the same ``pulse``.
    """

    def __init__(
        self,
        only: str | None = None,
        wrong: Callable[[ConfigError], None] = refuse,
        pulse: tuple[str, int] | None = None,
    ) -> None:
        self.wrong = wrong
        self._pulse = pulse
        found = _load(only, wrong, explicit=True) if only is not None else None
        self._only = None if found is None else replace(found, pulse=pulse)
        self._by_folder: dict[str, Configuration] = {}

    def of_file(self, path: str) -> Configuration:
        """Return the configuration that holds for a file."""
        return self.of_folder(os.path.dirname(path))

    def of_folder(self, folder: str) -> Configuration:
        """Return the configuration that holds for the files of a folder (empty: the current one)."""
        if self._only is not None:
            return self._only
        return self._nearest(os.path.abspath(folder))

    def inputs(self) -> set[str]:
        """Return the files and folders met so far that may lie outside the checked folders.

        These are configuration files and module paths.
        """
        met = [*self._by_folder.values(), *([self._only] if self._only else [])]
        return {path for each in met if each.origin for path in (each.origin, *each.module_paths)}

    def _nearest(self, folder: str) -> Configuration:
        known = self._by_folder.get(folder)
        if known is None:
            found = self._own(folder) or self._above(folder)
            known = self._by_folder[folder] = replace(found, pulse=self._pulse)
        return known

    def _own(self, folder: str) -> Configuration | None:
        candidates = (os.path.join(folder, name) for name in _NAMES)
        files = (path for path in candidates if os.path.isfile(path) and may_read(path))
        return next((found for path in files if (found := _load(path, self.wrong))), None)

    def _above(self, folder: str) -> Configuration:
        parent = os.path.dirname(folder)
        return Configuration() if parent == folder else self._nearest(parent)


def _load(path: str, wrong: Callable[[ConfigError], None], explicit: bool = False) -> Configuration | None:
    """Return the configuration in a file.

    None for a ``pyproject.toml`` that does not mention snd, unless ``explicit``.
    """
    origin = _as_given(path)
    folder = os.path.dirname(os.path.abspath(path))
    try:
        text = read_file(path, MOST_SETTINGS_BYTES).decode("utf-8-sig")
    except OSError as error:
        wrong(ConfigError(f"cannot be read: {reason(error)}", origin))
        return Configuration(folder, origin)
    except UnicodeDecodeError as error:
        wrong(ConfigError(f"not UTF-8: byte at offset {error.start}", origin))
        return Configuration(folder, origin)
    table = ("tool", "snd") if os.path.basename(path) == "pyproject.toml" else ()
    settings = parse_settings(text, origin, table, wrong)
    if settings is None and explicit:
        wrong(ConfigError("has no table [tool.snd]", origin))
    return None if settings is None else Configuration(folder, origin, settings)


def _as_given(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative
