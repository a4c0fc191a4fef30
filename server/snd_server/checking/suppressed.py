"""Reported diagnostics of a file, without suppressed and disabled ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snd_analysis.base import Diagnostic
from snd_server.settings.rule_selection import RuleSettings, selected

if TYPE_CHECKING:
    from snd_analysis.workspace import Snapshot
    from snd_server.settings.config import Configuration


def unsuppressed(snapshot: Snapshot, path: str, diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Return the unsuppressed diagnostics of a file, and the diagnostics about suppression comments."""
    if "snd:" not in snapshot.source(path).text:  # no suppression without it: spares most files the work
        return diagnostics
    from snd_analysis.skriptnd.lints import apply_suppressions

    return apply_suppressions(diagnostics, snapshot.source(path), snapshot.comments(path))


def configured(
    path: str, diagnostics: Sequence[Diagnostic], configuration: Configuration, *layers: RuleSettings
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a file that its configuration, and further layers above it, select."""
    per_file = RuleSettings(ignore=configuration.ignored_rules(path))
    return selected(diagnostics, (configuration.settings.rules, per_file, *layers))
