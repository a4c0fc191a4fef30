"""Arguments in a sample."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.ide.completion.item import Completion, CompletionKind
from snd_analysis.ide.completion.place import CompletionPlace
from snd_analysis.ide.completion.stack import OpenBracket
from snd_analysis.skriptnd.samples import GENERATORS

_WHAT = {
    "random": "normally distributed numbers", "iota": "0, 1, 2, …", "zeros": "all 0", "ones": "all 1",
}  # fmt: skip


def generators(place: CompletionPlace, snippets: bool) -> Iterator[Completion]:
    """Yield the generators of tensors, and ``null`` for an omitted argument."""
    stack = place.stack
    if stack.frame not in (OpenBracket.ARGUMENTS, OpenBracket.LIST) or stack.top not in ("LPAR", "COMMA", "LSQB"):
        return
    snippet = snippets and place.following != "["
    for name in GENERATORS:
        yield Completion(
            name, CompletionKind.GENERATOR, 0, text=f"{name}[$1]" if snippet else "", is_snippet=snippet,
            detail=_WHAT[name],
        )  # fmt: skip
    if stack.frame is OpenBracket.ARGUMENTS:
        yield Completion("null", CompletionKind.VALUE, 1, detail="no tensor, for an optional input")
