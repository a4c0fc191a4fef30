from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule, Severity
from snd_analysis.nnef1.lints.definitions import extensions
from snd_analysis.nnef1.syntax import nodes

UNKNOWN_EXTENSION = Rule("unknown-extension", section="NNEF 1.0, 2.1", severity=Severity.WARNING)
KNOWN = frozenset(
    [
        "KHR_enable_fragment_definitions",
        "KHR_enable_operator_expressions",
        "tract_registry",
        "tract_symbol",
        "tract_assert",
        "tract_pulse_streaming_symbol",
        "tract_resource",
    ]
)


def check_unknown_extensions(document: nodes.Document) -> Iterator[Problem]:
    """Yield the extensions that no tool is known to have."""
    for start, extension in extensions(document):
        names = [extension.name.text]
        if not names[0].startswith("tract_"):
            names += extension.text.split()
        unknown = [name for name in names if name not in KNOWN]
        if unknown:
            span = extension.name.span.shifted(start)
            yield Problem(UNKNOWN_EXTENSION, span, f"snd does not know the extension '{unknown[0]}'")
