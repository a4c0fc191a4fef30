"""Everywhere that something is named: in definitions and their heads, import statements, dotted names, comments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator

from msgspec import Struct

from snd_analysis.base import Location, Span
from snd_analysis.ide.cursor import comment_at, definition_at, import_at, use_at
from snd_analysis.ide.targets import LocalName, NameSubject, name_of, path_of, subject_of, subject_of_target
from snd_analysis.skriptnd.names import (
    TENSOR_KINDS,
    ModuleName,
    OperatorName,
    Resolution,
    Role,
    StatementPart,
    Symbol,
    SymbolKind,
)
from snd_analysis.skriptnd.syntax import PlacedChunk, comment_above, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types import Context, TrailStep, trails
from snd_analysis.workspace import PlacedSample, Snapshot

# ---- names in backquotes in the comment above a definition; renaming a parameter renames them, too -------------------
_NAME = re.compile(r"`([A-Za-z_]\w*)`")
_SAMPLE_LINE = re.compile(r"[ \t]*#[ \t]*>>>")
_PARAMETERS = frozenset(
    {
        SymbolKind.DTYPE,
        SymbolKind.ATTRIBUTE,
        SymbolKind.INPUT,
        SymbolKind.OUTPUT,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
        SymbolKind.EXTENT,
        SymbolKind.LENGTH,
    }
)


def documented_symbols(text: str, start: int, resolution: Resolution) -> Iterator[tuple[Span, Symbol]]:
    """Yield the parameters that the comment above a definition names in backquotes, outside of samples."""
    block = comment_above(text, start)
    if text.find("`", block.start, block.end) < 0:
        return
    symbols: dict[str, Symbol] = {}
    for each in resolution.symbols:
        if each.kind in _PARAMETERS:
            symbols.setdefault(each.name, each)
    for found in _NAME.finditer(text, block.start, block.end):
        symbol = symbols.get(found[1])
        line = text.rfind("\n", 0, found.start()) + 1
        if symbol is not None and _SAMPLE_LINE.match(text, line) is None:
            yield Span(*found.span(1)), symbol


# ---- everywhere that something is named ------------------------------------------------------------------------------
# Marks of texts that can name something local to a definition of another file.
_QUANTIZE = "@quantize"
_SAMPLE = ">>>"


class Mention(Struct, frozen=True):
    """A name at a place in a file, its subject, and its role."""

    span: Span
    subject: NameSubject
    role: Role


class Occurrence(Struct, frozen=True):
    """A place where a name occurs, and the role of the name there."""

    location: Location
    role: Role


def subject_at(snapshot: Snapshot, path: str, offset: int) -> tuple[NameSubject, Span] | None:
    """Return the subject of the name at an offset, and the span of the name."""
    imported = import_at(snapshot, path, offset)
    if imported is not None:
        span, _, target = imported
        return None if target is None else (ModuleName(target), span)
    tree = snapshot.tree(path)
    around = definition_at(tree, offset)
    if around is None or comment_at(tree, offset) is not None:
        found = (*_sample_mentions_at(snapshot, path, offset), *_documented_mentions_at(snapshot, path, offset))
        return _touching(found, offset)
    start, definition = around
    head = definition.name.span.shifted(start)
    if head.start <= offset <= head.end and definition.name.text:
        return OperatorName(path, definition.name.text), head
    dotted = _touching(_dotted_mentions(snapshot, path, start, definition), offset)
    if dotted is not None:
        return dotted
    placed = use_at(snapshot, path, offset)
    return None if placed is None else (subject_of(snapshot, placed), placed.span)


def occurrences(snapshot: Snapshot, subject: NameSubject, paths: Iterable[str]) -> Iterator[Occurrence]:
    """Everywhere in the files that something is named, its declaration too."""
    name = name_of(subject)
    for path in dict.fromkeys(paths):
        if not _may_mention(snapshot, subject, path):
            continue
        is_local_elsewhere = isinstance(subject, LocalName) and path != subject.path
        for mention in (mentions_of_others if is_local_elsewhere else mentions)(snapshot, path, name):
            if mention.subject == subject:
                yield Occurrence(Location(path, mention.span), mention.role)


def _may_mention(snapshot: Snapshot, subject: NameSubject, path: str) -> bool:
    """Return whether a file can name a subject at all, by a cheap test of both."""
    own = path_of(subject)
    if own is None or path == own or isinstance(subject, ModuleName):
        return True
    text = snapshot.source(path).text
    dotted = _QUANTIZE in text
    if isinstance(subject, LocalName):
        kind = subject.symbol.kind
        return (kind in TENSOR_KINDS or kind is SymbolKind.LABEL) and (dotted or _SAMPLE in text)
    return dotted or any(item.path == own for item in snapshot.imports(path))


def mentions(
    snapshot: Snapshot, path: str, name: str | None = None, known: Container[StatementPart] = ()
) -> Iterator[Mention]:
    """Yield every name in a file, in no order. With ``name``, at least the places of that name.

    Rows of statements in ``known`` yield no names local to their definition, and every other name once.
    """
    text = snapshot.source(path).text
    if name is not None and name not in text:
        return
    for item in snapshot.imports(path):
        if item.path is not None:
            yield Mention(item.span, ModuleName(item.path), Role.READ)
    for placed in snapshot.tree(path).chunks:
        above = comment_above(text, placed.start)
        is_named = name is None or name in placed.chunk.text
        if name is None or is_named or name in text[above.start : above.end]:
            for definition in placed.chunk.definitions:
                if is_named:
                    yield from _mentions_in(snapshot, path, placed.start, definition, name, known)
                yield from _documented_mentions(snapshot, path, placed, definition)
    for sample in _samples_of(snapshot, path, name, text):
        yield from _sample_mentions(snapshot, path, sample)


def mentions_of_others(snapshot: Snapshot, path: str, name: str | None = None) -> Iterator[Mention]:
    """Yield the places in a file that can name symbols local to definitions of other files.

    ``name`` as for ``mentions``.
    """
    text = snapshot.source(path).text
    for placed in snapshot.tree(path).chunks:
        if _QUANTIZE in placed.chunk.text and (name is None or name in placed.chunk.text):
            for definition in placed.chunk.definitions:
                yield from _dotted_mentions(snapshot, path, placed.start, definition)
    for sample in _samples_of(snapshot, path, name, text):
        yield from _sample_mentions(snapshot, path, sample)


def _mentions_in(
    snapshot: Snapshot,
    path: str,
    start: int,
    definition: nodes.Definition,
    name: str | None,
    known: Container[StatementPart],
) -> Iterator[Mention]:
    if definition.name.text:
        subject: NameSubject = OperatorName(path, definition.name.text)
        yield Mention(definition.name.span.shifted(start), subject, Role.DECLARATION)
    dotted = [*_dotted_mentions(snapshot, path, start, definition)]
    yield from dotted
    told = {mention.span for mention in dotted}
    resolution = snapshot.resolution(path, definition)
    for use in resolution.uses_but(known) if name is None else resolution.uses_named(name):
        span = use.span.shifted(start)
        if span not in told:
            yield Mention(span, subject_of_target(snapshot, path, definition, use.target), use.role)


# ---- dotted names ----------------------------------------------------------------------------------------------------
def _dotted_mentions(snapshot: Snapshot, path: str, start: int, definition: nodes.Definition) -> Iterator[Mention]:
    """Yield the parts of dotted names in ``@quantize``: labels and tensors, of this definition and of others."""
    context: Context | None = None
    for base, entry in entries_of(definition, BlockKind.QUANTIZE, nodes.Quantization):
        parts = entry.target.parts
        if len(parts) == 1 or not all(part.text for part in parts):
            continue
        context = context or Context(definition, snapshot.resolution(path, definition), snapshot.others(path))
        found: dict[Mention, None] = {}
        for trail in trails(context, tuple(part.text for part in parts)):
            for part, step in zip(parts, trail.steps, strict=False):
                subject = _subject_of_step(snapshot, path, definition, step)
                if subject is not None:
                    found[Mention(part.span.shifted(start + base), subject, Role.READ)] = None
        yield from found


def _subject_of_step(
    snapshot: Snapshot, path: str, definition: nodes.Definition, step: TrailStep
) -> NameSubject | None:
    if step.target is None:
        return None
    if step.definition is None:
        return subject_of_target(snapshot, path, definition, step.target)
    return subject_of_target(snapshot, step.definition.path, snapshot.definition(step.definition), step.target)


# ---- comments --------------------------------------------------------------------------------------------------------
def _documented_mentions_at(snapshot: Snapshot, path: str, offset: int) -> Iterator[Mention]:
    chunks = snapshot.tree(path).chunks
    after = bisect_right(chunks, offset, key=lambda placed: placed.start)
    for placed in chunks[after : after + 1]:
        for definition in placed.chunk.definitions:
            yield from _documented_mentions(snapshot, path, placed, definition)


def _documented_mentions(
    snapshot: Snapshot, path: str, placed: PlacedChunk, definition: nodes.Definition
) -> Iterator[Mention]:
    resolution, text = snapshot.resolution(path, definition), snapshot.source(path).text
    for span, symbol in documented_symbols(text, placed.start + definition.start, resolution):
        yield Mention(span, subject_of_target(snapshot, path, definition, symbol), Role.READ)


# ---- samples ---------------------------------------------------------------------------------------------------------
def _samples_of(snapshot: Snapshot, path: str, name: str | None, text: str) -> Iterator[PlacedSample]:
    for placed in snapshot.samples(path):
        span = placed.sample.span.shifted(placed.start)
        if name is None or text.find(name, span.start, span.end) >= 0:
            yield placed


def _sample_mentions_at(snapshot: Snapshot, path: str, offset: int) -> Iterator[Mention]:
    for placed in snapshot.samples(path):
        span = placed.sample.span.shifted(placed.start)
        if span.start <= offset <= span.end:
            yield from _sample_mentions(snapshot, path, placed)


def _sample_mentions(snapshot: Snapshot, path: str, placed: PlacedSample) -> Iterator[Mention]:
    named = snapshot.named_sample(path, placed.sample)
    for use in snapshot.sample_uses(named):
        target, span = use.target, use.span.shifted(placed.start)
        if isinstance(target, Symbol):  # an output of the invoked operator
            assert named.target is not None
            yield Mention(span, LocalName(named.target.path, target), use.role)
        else:
            yield Mention(span, subject_of_target(snapshot, path, None, target), use.role)


def _touching(found: Iterable[Mention], offset: int) -> tuple[NameSubject, Span] | None:
    """Return the mention that begins at an offset, or else the shortest that touches it."""
    touching = [each for each in found if each.span.start <= offset <= each.span.end]
    if not touching:
        return None
    best = min(touching, key=lambda each: (each.span.end == offset, each.span.end - each.span.start))
    return best.subject, best.span
