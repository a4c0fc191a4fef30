"""A version, extension or import statement stands below something that it has to stand above (2.16)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes

MISPLACED_HEADER = Rule("misplaced-header", section="2.16")

_ORDER = {nodes.Version: 0, nodes.Extension: 1, nodes.Import: 2, nodes.Definition: 3}
_MESSAGES = (
    "the version must be the first statement",
    "extensions stand before imports and definitions",
    "imports must stand above all definitions",
)


def check(tree: SyntaxTree) -> Iterator[Problem]:
    """Report every statement that stands below a part that comes later. A second version breaks another rule."""
    has_version, latest = False, 0
    for placed in tree.chunks:
        for item in placed.chunk.document.items:
            rank = _ORDER.get(type(item))
            if rank is None or (rank == 0 and has_version):
                continue
            has_version = has_version or rank == 0
            if rank < latest:
                yield Problem(MISPLACED_HEADER, item.span.shifted(placed.start), _MESSAGES[rank])
            latest = max(latest, rank)
