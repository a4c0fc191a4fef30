"""Checks files: from the cache if nothing they depend on has changed, by the analysis otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Location, ProjectSettings, Severity, Source, Span
from snd_server.checking.cache import Cache, text_digest
from snd_server.checking.cached_diagnostics import decoded, encoded
from snd_server.checking.parallel import in_parallel
from snd_server.checking.suppressed import configured, unsuppressed
from snd_server.console.tracebacks import show_traceback
from snd_server.settings.rule_selection import RuleSettings
from snd_server.workspace_files.files import DiskReader

if TYPE_CHECKING:
    from snd_analysis.workspace import Snapshot, Workspace
    from snd_server.settings.config import Configurations


class Checker:
    """Checks the files of one run under their configurations. Texts are read once; see ``DiskReader``."""

    def __init__(
        self,
        configurations: Configurations,
        command_line: RuleSettings,
        cache_folder: str | None = None,
        tries_fixes: bool = False,
    ) -> None:
        self.reader = DiskReader()
        self.configurations = configurations
        self.from_cache = 0
        """Number of files that needed no analysis."""
        self._command_line = command_line
        self._tries_fixes = tries_fixes
        self._workspaces: dict[ProjectSettings, Workspace] = {}
        self._snapshots: dict[ProjectSettings, Snapshot] = {}
        self._sources: dict[str, Source] = {}
        self._digests: dict[str, str | None] = {}
        self._cache = Cache(cache_folder, self._digest, self.reader.exists) if cache_folder is not None else None

    def check(self, path: str) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of one file, by the rules that are on for it, in order of their places.

        A fault of ours becomes an ``internal-error``. Raise ConfigError if the file's configuration is broken.
        """
        self.configurations.of_file(path)
        known = self._known(path)
        return self.select(path, self._analysed(path) if known is None else known)

    def check_all(self, paths: Sequence[str], tracked: Callable[[Sequence[str]], Iterable[str]]) -> list[Diagnostic]:
        """Return the same for many files, checked by several processes; see ``in_parallel`` for ``tracked``."""
        for path in paths:
            self.configurations.of_file(path)
        known = {path: self._known(path) for path in paths}
        sizes = {path: len(self.source(path).text) for path, diagnostics in known.items() if diagnostics is None}
        told = in_parallel(lambda path: encoded(self._analysed(path)), sizes, tracked)
        found: list[Diagnostic] = []
        for path, diagnostics in known.items():
            found.extend(self.select(path, decoded(told[path]) if diagnostics is None else diagnostics))
        return found

    def select(self, path: str, diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of a file that configuration and command line select."""
        return configured(path, diagnostics, self.configurations.of_file(path), self._command_line)

    def analyse(self, path: str, text: str | None = None) -> tuple[Diagnostic, ...]:
        """Return every unsuppressed diagnostic of one file; with ``text``, of that text in place of the file's."""
        try:
            if text is not None:
                self._replace(path, text)
            snapshot = self._snapshot(path)
            return unsuppressed(snapshot, path, snapshot.diagnostics(path))
        except Exception as error:  # any failure must affect this file only
            show_traceback()
            return (_internal_error(path, error),)

    def source(self, path: str) -> Source:
        """Return the text of a file or library module; empty if it has none."""
        known = self._sources.get(path)
        if known is None:
            known = self._sources[path] = self._load_source(path)
        return known

    def companions(self, path: str) -> tuple[str, ...]:
        """Return the files that say more of a graph in NNEF 1.0 and are checked with it: ``graph.quant``."""
        from snd_analysis.nnef1.syntax import quantization_path  # SkriptND has none: it does without the other language

        quantization = quantization_path(path)
        return () if quantization is None or self._digest(quantization) is None else (quantization,)

    def provide(self, path: str, content: bytes) -> None:
        """Replace the contents of a file on disk by ``content``."""
        self.reader.provide(path, content)

    def close(self) -> None:
        """Write the cache at the end of a run."""
        if self._cache is not None:
            self._cache.close()

    def _known(self, path: str) -> tuple[Diagnostic, ...] | None:
        """Return the cached diagnostics of a file."""
        if self._cache is None:
            return None
        known = self._cache.load(path, self.configurations.of_file(path).project_settings)
        self.from_cache += known is not None
        return known

    def _analysed(self, path: str) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of a file that the cache doesn't know, but will."""
        diagnostics = self.analyse(path)
        if any(found.rule == rules.INTERNAL_ERROR for found in diagnostics):
            return diagnostics
        recorded = None if self._cache is None else self._snapshot(path).recorded(path)
        if self._tries_fixes and any(found.fix is not None for found in diagnostics):
            diagnostics = self.with_declined_fixes(path, diagnostics)
        if self._cache is not None and recorded is not None:
            settings = self.configurations.of_file(path).project_settings
            self._cache.store(path, settings, diagnostics, recorded.texts, recorded.places)
        return diagnostics

    def with_declined_fixes(self, path: str, diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return diagnostics of a file whose fixes tell whether ``--fix`` would apply them."""
        from snd_server.checking.fixing import with_declined_fixes

        text = self.source(path).text
        tried = with_declined_fixes(text, diagnostics, lambda changed: self.analyse(path, changed))
        self._replace(path, text)
        return tried

    def snapshot(self, path: str) -> Snapshot:
        """Return the current files, for queries beyond the diagnostics of ``path``. Raise ConfigError."""
        return self._snapshot(path)

    def _snapshot(self, path: str) -> Snapshot:
        """Return the current files with the configuration of ``path``."""
        settings = self.configurations.of_file(path).project_settings
        snapshot = self._snapshots.get(settings)
        if snapshot is None:
            from snd_analysis.workspace import Workspace

            workspace = self._workspaces.setdefault(settings, Workspace(self.reader, settings, edited=False))
            snapshot = self._snapshots[settings] = workspace.snapshot()
        return snapshot

    def _replace(self, path: str, text: str) -> None:
        self.reader.provide(path, text.encode())
        for workspace in self._workspaces.values():  # workspaces made later read the provided text
            workspace.open(path, text)
        self._snapshots.clear()
        self._sources[path] = Source(path, text)
        self._digests.pop(path, None)

    def _load_source(self, path: str) -> Source:
        try:
            if path.startswith("snd:"):
                return self._snapshot(path).source(path)
            return Source(path, self.reader.read(path))
        except Exception:  # only the frame is lost: a diagnostic about the file is shown over its legible part
            return Source(path, self.reader.legible(path))

    def _digest(self, path: str) -> str | None:
        if path not in self._digests:
            self._digests[path] = self._load_digest(path)
        return self._digests[path]

    def _load_digest(self, path: str) -> str | None:
        try:
            return text_digest(self.reader.read(path))
        except FileNotFoundError:
            return None
        except Exception as error:  # UnreadableText: its message says all that the diagnostic will say
            return text_digest(f"unreadable: {error!r} {getattr(error, 'message', '')}")


def _internal_error(path: str, error: Exception) -> Diagnostic:
    what = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
    message = (
        f"snd failed while it checked this file ({what}). This is a fault of snd, not of the file: please report it, "
        "with the file and the traceback that -v shows"
    )
    return Diagnostic(rules.INTERNAL_ERROR, Severity.ERROR, message, Location(path, Span(0, 0)))
