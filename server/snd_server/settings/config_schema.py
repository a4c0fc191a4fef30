"""Schema of a configuration: TOML in, checked settings out, mistakes with their line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct, field

from snd_analysis.base import Source, Span
from snd_analysis.skriptnd.format import DEFAULT_WIDTH
from snd_server.limits import MOST_CONFIGURATION_DOTS, MOST_MODULE_PATHS, MOST_UNKNOWN_KEYS
from snd_server.settings.rule_selection import RuleSettings, UnknownRuleError, demand_known, nearest
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.patterns import PatternError, demand_few

_RULE_LISTS = ("select", "ignore", "error", "warn")
_KEYS = (*_RULE_LISTS, "module-paths", "exclude", "per-file-ignores", "line-width", "weights", "dialect", "targets")
_WIDEST_LINE = 400
_DIALECTS = ("khronos", "tract")
_TARGETS = {"tosa": ("base-inference", "main-inference", "main-training")}


class Settings(Struct, frozen=True):
    """The keys of a configuration file, checked."""

    rules: RuleSettings = field(default_factory=RuleSettings)
    module_paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    """Patterns as in a ``.gitignore``."""
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    line_width: int = DEFAULT_WIDTH
    """Columns the formatter may fill."""
    weights: str | None = None
    """A folder, or an ``.npz`` or ``.safetensors`` file with the variables of the model."""
    dialect: str | None = None
    """The dialect of files in NNEF 1.0; None if each file tells by itself."""
    targets: tuple[tuple[str, str], ...] = ()
    """The formats that models are for, each with the profile."""


def refuse(mistake: ConfigError) -> None:
    """Raise it: nothing holds of a configuration with a mistake."""
    raise mistake


def parse_settings(
    text: str, origin: str, table: tuple[str, ...], wrong: Callable[[ConfigError], None] = refuse
) -> Settings | None:
    """Return the settings in the given table of a TOML text; None if the table is missing.

    ``wrong`` is called with each mistake. If it does not raise it, the setting is ignored, and the others hold; invalid
    TOML has no settings.
    """
    import tomllib  # most runs have no configuration

    try:
        _demand_few_dots(text)
        document: Any = tomllib.loads(text)
    except RecursionError:
        wrong(ConfigError("its values are nested too deeply", origin))
        return Settings()
    except ValueError as error:  # TOMLDecodeError; of numbers with thousands of digits a plain ValueError
        wrong(_invalid(origin, str(error).partition("\n")[0], text))
        return Settings()
    for name in table:
        document = document.get(name) if isinstance(document, dict) else None
    if document is None:
        return None
    return _Reader(text, origin, table, wrong).settings(document)


def checked_settings(table: Mapping[str, Any], origin: str) -> Settings:
    """Return the settings in a table that does not come from a file. Raise ConfigError."""
    return _Reader("", origin, (), refuse).settings(table)


class _Reader(Struct, frozen=True):
    text: str
    origin: str
    table: tuple[str, ...]
    wrong: Callable[[ConfigError], None]

    def settings(self, document: Any) -> Settings:
        if not isinstance(document, Mapping):
            self.wrong(self.error(self.table[-1], f"'{'.'.join(self.table)}' must be a table"))
            return Settings()
        for key in islice((key for key in document if key not in _KEYS), MOST_UNKNOWN_KEYS):
            suggestion = nearest(key, _KEYS)
            meant = f"; did you mean '{suggestion}'?" if suggestion else ""
            self.wrong(self.error(key, f"unknown key '{key}'{meant}"))
        right = {key: value for key in _KEYS if key in document for value in self.value(key, document[key])}
        lists = {key: right.pop(key) for key in _RULE_LISTS if key in right}
        both = set(lists.get("error", ())) & set(lists.get("warn", ()))
        if both:
            self.wrong(self.error("warn", f"'{min(both)}' is in both 'error' and 'warn'"))
            del lists["warn"]
        return Settings(rules=RuleSettings(**lists), **{key.replace("-", "_"): right[key] for key in right})

    def value(self, key: str, value: Any) -> Iterator[Any]:
        """Yield the value of a key; nothing if it is wrong."""
        try:
            match key:
                case "module-paths":
                    yield self.module_paths(key, self.strings(key, value))
                case "exclude":
                    yield self.patterns(key, self.strings(key, value))
                case "per-file-ignores":
                    yield self.per_file_ignores(value)
                case "line-width":
                    yield self.line_width(value)
                case "weights":
                    yield self.string(key, value)
                case "dialect":
                    yield self.choice(key, value, _DIALECTS)
                case "targets":
                    yield self.targets(value)
                case _:
                    yield self.rules(key, value)
        except ConfigError as mistake:
            self.wrong(mistake)

    def strings(self, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"'{key}' must be a list of strings")
        return tuple(value)

    def string(self, key: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self.error(key, f"'{key}' must be a string")
        return value

    def choice(self, key: str, value: Any, choices: tuple[str, ...]) -> str:
        if value not in choices:
            raise self.error(key, f"'{key}' must be {' or '.join(map(repr, choices))}")
        return self.string(key, value)

    def patterns(self, key: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
        try:
            demand_few(patterns)
        except PatternError as error:
            raise self.error(key, f"'{key}': {error}") from error
        return patterns

    def module_paths(self, key: str, paths: tuple[str, ...]) -> tuple[str, ...]:
        if len(paths) > MOST_MODULE_PATHS:
            raise self.error(key, f"'{key}' has {len(paths):,} folders, and snd searches up to {MOST_MODULE_PATHS:,}")
        return paths

    def rules(self, key: str, value: Any) -> tuple[str, ...]:
        names = self.strings(key, value)
        for name in names:
            try:
                demand_known([name])
            except UnknownRuleError as error:
                raise self.error(name, f"'{key}': {error}", after=key) from error
        return names

    def per_file_ignores(self, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
        if not isinstance(value, dict):
            raise self.error("per-file-ignores", "'per-file-ignores' must be a table of patterns and lists of rules")
        globs = self.patterns("per-file-ignores", tuple(value))
        return tuple((glob, self.rules(glob, value[glob])) for glob in globs)

    def targets(self, value: Any) -> tuple[tuple[str, str], ...]:
        if not isinstance(value, dict):
            raise self.error("targets", "'targets' must be a table of formats and profiles")
        for target in value:
            if target not in _TARGETS:
                raise self.error(target, f"'targets': there is no target '{target}', only {', '.join(_TARGETS)}")
        return tuple((target, self.choice(target, value[target], _TARGETS[target])) for target in value)

    def line_width(self, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _WIDEST_LINE:
            raise self.error("line-width", f"'line-width' must be a whole number from 1 to {_WIDEST_LINE}")
        return value

    def error(self, word: str, message: str, after: str | None = None) -> ConfigError:
        """Return an error at the first line of our table that has ``word``, at or after the one that has ``after``.

        tomllib knows no lines; a word in a comment further up can mislead this, which costs only precision.
        """
        if not self.text:
            return ConfigError(message, self.origin)
        lines = self.text.splitlines()
        header = r"^\s*\[\s*" + r"\s*\.\s*".join(map(re.escape, self.table)) + r"\b"
        start = _first(lines, 0, header) if self.table else 0
        if after is not None:
            start = _first(lines, start, _word(after))
        line = _first(lines, start, _word(word))
        found = re.search(_word(word), lines[line]) if line < len(lines) else None
        columns = (found.end() - len(word), found.end()) if found is not None else (0, 0)
        return ConfigError(message, self.origin, _place(self.text, line + 1, *columns))


def _word(word: str) -> str:
    return rf"^[^#]*(?<![\w-]){re.escape(word)}(?![\w-])"


def _first(lines: list[str], start: int, pattern: str) -> int:
    return next((index for index in range(start, len(lines)) if re.search(pattern, lines[index])), start)


def _demand_few_dots(text: str) -> None:
    """Raise ValueError for a text with which tomllib would fill the memory.

    Of a key with dots it keeps every prefix, which is quadratic in the dots of a line.
    """
    if sum(line.count(".") ** 2 for line in text.split("\n")) > MOST_CONFIGURATION_DOTS**2:
        raise ValueError("there are too many dots in a line")


def _invalid(origin: str, message: str, text: str) -> ConfigError:
    """Return the error for a text that is no TOML; tomllib appends the place to its messages."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message)
    if found is None:
        line = len(text.splitlines()) or 1
        return ConfigError(message.removesuffix(" (at end of document)"), origin, _place(text, line, 0, 0))
    column = int(found[3]) - 1
    return ConfigError(found[1], origin, _place(text, int(found[2]), column, column))


def _place(text: str, line: int, start: int, end: int) -> tuple[Source, Span]:
    """Return characters of a line, counted from 1, as a place."""
    source = Source("", text)
    at = source.line_starts[min(line, len(source.line_starts)) - 1]
    return source, Span(at + start, at + end)
