"""Completion: possible texts at a cursor, from the parser's next terminals and the meanings of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from snd_analysis.base import Span
from snd_analysis.ide.completion import attributes, names, operators, words
from snd_analysis.ide.completion.expected import expected_at
from snd_analysis.ide.completion.item import Completion, CompletionKind, Completions, documentation, ranked
from snd_analysis.ide.completion.place import CompletionPlace, place_at, sample_place, string_place
from snd_analysis.ide.completion.snippets import of_document, of_statement
from snd_analysis.ide.completion.stack import OpenBracket
from snd_analysis.ide.completion.visible import Visible, visible_at
from snd_analysis.ide.completion.words import comment_completions, sample_code
from snd_analysis.ide.cursor import comment_at
from snd_analysis.ide.limits import MOST_COMPLETIONS
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

__all__ = ["TRIGGERS", "Completion", "CompletionKind", "Completions", "completions", "documentation"]

TRIGGERS = (".", "@", "{", "(", "=", "<", "[", ",", ">", "'", '"')
"""The characters after which something is offered without being asked for."""

_PRAGMA = re.compile(r"(?:.*;)?\s*(?:version|extension)\s[^;]*")
"""Text before a number or a name that only the author can know."""


def completions(
    snapshot: Snapshot, path: str, offset: int, snippets: bool = False, files: Sequence[str] = ()
) -> Completions:
    """Return the completions at an offset. ``files`` are the files that may be modules to import."""
    comment = comment_at(snapshot.tree(path), offset)
    if comment is not None:
        code = sample_code(snapshot.source(path), comment, offset)
        if code is None:
            return comment_completions(snapshot, path, comment, offset, snippets)
        place = sample_place(snapshot, path, offset, code, comment.start)
    else:
        place = place_at(snapshot, path, offset)
    if place is not None:
        return _completions(place, _offered(snapshot, place, snippets, files))
    string = string_place(snapshot, path, offset) if comment is None else None
    if string is not None:
        return _completions(string, attributes.string_values(snapshot, string, quoted=False))
    return Completions(Span(offset, offset), Span(offset, offset))


def _completions(place: CompletionPlace, items: Iterable[Completion]) -> Completions:
    ordered = ranked(items, place.prefix)
    shown = tuple(_placed(item, place) for item in ordered[:MOST_COMPLETIONS])
    # Definitions of modules that are not imported are offered for a matching beginning. If the user types on before the
    # answer arrives, editors filter it by the new text: they must know that there is more, or they find nothing and
    # stop asking.
    is_all = bool(place.qualifier) and not place.prefix and len(ordered) <= MOST_COMPLETIONS
    return Completions(place.insert, place.replace, shown, not is_all)


def _placed(item: Completion, place: CompletionPlace) -> Completion:
    """Add the definition that a name belongs to."""
    if item.subject[:1] != ("symbol",) or len(item.subject) != 2:
        return item
    name = place.definition.name.text if place.definition is not None else ""
    return replace(item, subject=("symbol", place.path, name, *item.subject[1:]))


def _offered(snapshot: Snapshot, place: CompletionPlace, snippets: bool, files: Sequence[str]) -> Iterator[Completion]:
    stack = place.stack
    if place.prefix.startswith("@") or any(kind.startswith("B_") for kind in stack.terminals):
        yield from words.blocks(place, snippets)
        return
    line = place.text[place.text.rfind("\n", 0, place.start) + 1 : place.start]
    if stack.frame is OpenBracket.DOCUMENT and _PRAGMA.fullmatch(line):
        return
    if not place.qualifier and not place.in_sample:
        yield from words.keywords(place, snippets)
    if snippets and stack.frame is OpenBracket.DOCUMENT and "OPERATOR" in stack.terminals and place.following == "":
        yield from of_document()
    if stack.frame is OpenBracket.DOCUMENT and "qualified" in stack.roles:  # after 'import', and not after its ';'
        yield from operators.imports(snapshot, place, files)
        return
    if "ID" not in stack.terminals and not place.qualifier:
        return
    if stack.frame is OpenBracket.ATTRIBUTES and "name" in stack.roles:
        yield from attributes.attributes(snapshot, place, files)
        return
    if stack.frame is OpenBracket.DOCUMENT or not stack.roles:
        return
    visible = visible_at(snapshot, place)
    if snippets:
        yield from of_statement(place, visible)
    if "type_name" in stack.roles:
        if not place.qualifier:
            yield from words.primitive_types(place, snippets)
            if place.block != BlockKind.DTYPE:
                yield from names.types(visible)
        return
    if "qualified" in stack.roles:
        yield from _expressions(snapshot, place, visible, snippets, files)
    elif not place.qualifier:
        yield from names.assignable(place, visible)
        yield from names.indices(place, visible)


def _expressions(
    snapshot: Snapshot, place: CompletionPlace, visible: Visible, snippets: bool, files: Sequence[str]
) -> Iterator[Completion]:
    stack = place.stack
    if place.block == BlockKind.QUANTIZE and stack.frame is OpenBracket.BLOCK:
        if stack.top == "COLON":
            yield from operators.operators(snapshot, place, visible, snippets, files)
            yield from operators.qualifiers(snapshot, place, files)
        elif stack.top in ("quantize_entries", "LBRACE") and not place.qualifier:
            yield from names.quantizable(visible)
        elif stack.top in ("quantize_entries", "LBRACE") and place.definition is not None:
            yield from names.scoped(snapshot, place, place.definition)
        return
    if place.in_sample:
        yield from names.generators(place, snippets)
    is_callee = place.following in ("(", "{") or (place.following == "<" and stack.is_callable())
    if stack.is_callable():
        if not place.member and (is_callee or place.stands_alone):
            yield from operators.operators(snapshot, place, visible, snippets, files)
        yield from operators.qualifiers(snapshot, place, files)
    if place.qualifier:
        yield from names.members(place, visible)
        return
    if place.in_sample and stack.frame not in (OpenBracket.ATTRIBUTES, OpenBracket.LIST):
        return
    if place.member and place.member not in ("shape", "rank", "size"):
        return
    if operators.awaits_several(place):
        return
    if operators.begins_generics(snapshot, place):
        yield from words.concrete_types()
        yield from names.types(visible)
        return
    expected = expected_at(snapshot, place, visible)
    if not is_callee:
        yield from attributes.string_values(snapshot, place, quoted=True)
        yield from attributes.compared_values(place)
        yield from names.visible_names(place, visible, expected)
        yield from words.literals(place, expected) if not place.member else ()
    if not (stack.is_callable() and is_callee) and (place.following in ("", "(") or place.prefix):
        yield from words.functions(place, snippets, expected)
    yield from words.primitive_types(place, snippets, expected)
    if place.following in ("", "("):
        yield from names.types(visible, words.CAST)
