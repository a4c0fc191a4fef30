"""The parts of a file in NNEF 1.0 at an offset: the definition, the entry of its body, the name."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from operator import attrgetter

from msgspec import Struct

from snd_analysis.base import Node, Span, children
from snd_analysis.db import Database, query
from snd_analysis.nnef1.names import (
    Fragment,
    LocalSubject,
    Nnef1Subject,
    Nnef1Use,
    OperationSubject,
    ParameterSubject,
    uses_in,
)
from snd_analysis.nnef1.syntax import Nnef1SyntaxTree, nodes
from snd_analysis.skriptnd.names import Role
from snd_analysis.workspace import Snapshot, nnef1_tree

_SEMICOLON = re.compile(r"(?:\s|#[^\r\n]*)*;")


class PlacedEntry(Struct, frozen=True):
    """An entry of a body, and the how many-th it is."""

    definition: nodes.Definition
    entry: nodes.Entry
    number: int

    @property
    def end(self) -> int:
        """Offset of the end of its last statement in the file."""
        return self.entry.start + self.entry.statements[-1].end


def tree_of(snapshot: Snapshot, path: str) -> Nnef1SyntaxTree:
    """Return the tree of a file."""
    return nnef1_tree(snapshot.db, path)


def definitions(tree: Nnef1SyntaxTree) -> Iterator[nodes.Definition]:
    """Yield the fragments and graphs of a file."""
    return (each for each in tree.document.items if isinstance(each, nodes.Definition))


def fragment_named(tree: Nnef1SyntaxTree, name: str) -> nodes.Definition | None:
    """Return the first fragment of a name; None if there is none."""
    fragments = (each for each in definitions(tree) if each.head.kind == "fragment")
    return next((each for each in fragments if each.head.name.text == name), None)


def definition_at(tree: Nnef1SyntaxTree, offset: int) -> nodes.Definition | None:
    """Return the definition around an offset."""
    return next((each for each in definitions(tree) if each.start <= offset <= each.end), None)


def entries_in(definition: nodes.Definition, within: Span) -> Iterator[PlacedEntry]:
    """Yield the entries of a body that touch a part of the file."""
    body = definition.body or ()
    first = max(bisect_right(body, within.start, key=attrgetter("start")) - 1, 0)
    for number in range(first, len(body)):
        if body[number].start > within.end:
            return
        yield PlacedEntry(definition, body[number], number)


def entry_at(tree: Nnef1SyntaxTree, offset: int) -> PlacedEntry | None:
    """Return the entry of a body that an offset stands in or behind."""
    definition = definition_at(tree, offset)
    if definition is None:
        return None
    before = [each for each in entries_in(definition, Span(offset, offset)) if each.entry.start <= offset]
    return before[-1] if before else None


def entry_end(text: str, placed: PlacedEntry) -> int | None:
    """Return the offset behind the semicolon of an entry; None if it has none."""
    found = _SEMICOLON.match(text, placed.end)
    return None if found is None else found.end()


def nodes_around(entry: nodes.Entry, offset: int) -> list[Node]:
    """Return the nodes of an entry around an offset, from the statement to the innermost one."""
    at = offset - entry.start
    found: list[Node] = []
    level: list[Node] = [*entry.statements]
    while True:
        touching = [each for each in level if each.start <= at <= each.end]
        if not touching:
            return found
        found.append(next((each for each in touching if each.start == at), touching[0]))
        level = list(children(found[-1]))


# ---- names -----------------------------------------------------------------------------------------------------------
@query
def uses(db: Database, path: str) -> tuple[Nnef1Use, ...]:
    """Return every name of a file with a subject, in the order of the text."""
    found = (*uses_in(nnef1_tree(db, path)), *_uses_in_samples(db, path))
    return tuple(sorted(found, key=lambda each: each.span))


def _uses_in_samples(db: Database, path: str) -> Iterator[Nnef1Use]:
    """Yield the names in comments: invoked definitions of samples, their parameters, and recorded results."""
    own = {each.head.name.text for each in definitions(nnef1_tree(db, path))}
    for placed in Snapshot(db).samples(path):
        call = placed.sample.invocation
        if call is None or len(call.function.parts) > 1:
            continue
        name = call.function.text
        yield Nnef1Use(
            call.function.span.shifted(placed.start),
            Fragment(name) if name in own else OperationSubject(name),
            Role.READ,
        )
        for each in () if call.attributes is None else call.attributes.items:
            subject: Nnef1Subject = (
                LocalSubject(name, each.name.text) if name in own else ParameterSubject(name, each.name.text)
            )
            yield Nnef1Use(each.name.span.shifted(placed.start), subject, Role.READ)
        for recorded in placed.sample.results if name in own else ():
            yield Nnef1Use(recorded.name_span.shifted(placed.start), LocalSubject(name, recorded.name), Role.READ)


def use_at(snapshot: Snapshot, path: str, offset: int) -> Nnef1Use | None:
    """Return the name that an offset touches; between two names the one that begins there."""
    found = uses(snapshot.db, path)
    behind = bisect_right(found, offset, key=lambda each: each.span.start)
    touching = [each for each in found[max(behind - 2, 0) : behind] if offset <= each.span.end]
    return touching[-1] if touching else None


def uses_of(snapshot: Snapshot, path: str, subject: Nnef1Subject) -> Iterator[Nnef1Use]:
    """Yield the places of a file where something is named."""
    return (each for each in uses(snapshot.db, path) if each.subject == subject)
