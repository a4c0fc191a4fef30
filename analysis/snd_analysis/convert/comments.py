"""The comments of a text in NNEF 1.0, by the statements that they are about."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.nnef1.syntax import Nnef1SyntaxTree, nodes

_SIGN = re.compile(r"#+ ?")


class About(Struct):
    """The comments above a statement, and the one behind it."""

    above: list[str]
    behind: str = ""


class Comments:
    """Hands out each comment once. Statements are known by the offsets where their entries start."""

    def __init__(self, tree: Nnef1SyntaxTree) -> None:
        self.head: list[str] = []
        """Comments above everything else than the graph."""
        self.documentation: list[str] = []
        """Comments right above the graph."""
        self._about: dict[int, About] = {}
        self._of_fragments: dict[str, list[str]] = {}
        self._last: list[str] = []
        definitions = [each for each in tree.document.items if isinstance(each, nodes.Definition)]
        self._graph = next((each for each in definitions if each.head.kind == "graph"), None)
        entries = sorted((entry for each in definitions for entry in each.body or ()), key=lambda each: each.start)
        self._starts = [] if self._graph is None else [each.start for each in self._graph.body or ()]
        self._passed = 0
        """Number of entries that were passed as skipped."""
        self._first = min((each.start for each in tree.document.items), default=0)
        for span in tree.comments:
            self._place(tree.text, span, definitions, entries)

    def _place(
        self, text: str, span: Span, definitions: Sequence[nodes.Definition], entries: Sequence[nodes.Entry]
    ) -> None:
        written = _SIGN.sub("", text[span.start : span.end].rstrip(), count=1)
        line = max(text.rfind("\n", 0, span.start), text.rfind("\r", 0, span.start)) + 1
        follows = text[line : span.start].strip() != ""
        at = bisect_left(entries, span.start, key=lambda each: each.start)
        before = entries[at - 1] if at else None
        after = entries[at] if at < len(entries) else None
        inside = next((each for each in definitions if each.start <= span.start < each.end), None)
        following = next((each for each in definitions if each.start > span.start), None)
        if inside is None:
            if span.start < self._first:
                self.head.append(written)
            elif following is not None and following is self._graph:
                self.documentation.append(written)
            elif following is not None:
                self._of_fragments.setdefault(following.head.name.text, []).append(written)
            else:
                self.head.append(written)
        elif follows and before is not None and before.start >= inside.start:
            self._of(before.start).behind = written
        elif after is not None and after.start < inside.end:
            self._of(after.start).above.append(written)
        elif inside is self._graph:
            self._last.append(written)

    def _of(self, start: int) -> About:
        return self._about.setdefault(start, About([]))

    def entry_at(self, offset: int) -> int:
        """Return where the statement of the graph starts that an offset is in."""
        at = bisect_right(self._starts, offset)
        return self._starts[at - 1] if at else offset

    def of_fragment(self, name: str) -> list[str]:
        """Return the comments about a fragment."""
        return self._of_fragments.pop(name, [])

    def about(self, start: int) -> About:
        """Return the comments about a statement."""
        return self._about.pop(start, About([]))

    def skipped(self, start: int) -> list[str]:
        """Return the comments about earlier statements of the graph that the converted text omits."""
        found: list[str] = []
        while self._passed < len(self._starts) and self._starts[self._passed] < start:
            about = self.about(self._starts[self._passed])
            found += [*about.above, *filter(None, [about.behind])]
            self._passed += 1
        return found

    def rest(self) -> list[str]:
        """Return the remaining comments of the graph at its end."""
        last = self._starts[-1] + 1 if self._starts else 0
        return [*self.skipped(last), *self._last]
