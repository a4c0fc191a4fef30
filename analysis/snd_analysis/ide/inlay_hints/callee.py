"""Facts about an invoked definition for the hints of an invocation."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.base import Location
from snd_analysis.db import Database, query
from snd_analysis.ide.declarations import Declared, declared
from snd_analysis.ide.knowledge import knowledge_of
from snd_analysis.skriptnd.names import OperatorName, is_constant
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot


class CalleeDeclarations(Struct, frozen=True):
    """The declarations of a definition that is invoked."""

    generics: tuple[Declared, ...]
    inputs: tuple[Declared, ...]
    outputs: tuple[Location, ...]
    """Locations of the declarations of the outputs."""
    result_types: frozenset[str]
    """The names of their types, generic ones too: hints of shapes show these."""
    deduced: tuple[Declared, ...]
    """Attributes whose defaults are no constants."""


@query
def callee(db: Database, name: OperatorName) -> CalleeDeclarations:
    """Return the declarations of a definition; an empty result if there is none of that name."""
    snapshot = Snapshot(db)
    outputs = declared(snapshot, name, (BlockKind.OUTPUT,))
    knowledge = knowledge_of(snapshot, name)
    return CalleeDeclarations(
        generics=tuple(declared(snapshot, name, (BlockKind.DTYPE,))),
        inputs=tuple(declared(snapshot, name, (BlockKind.INPUT,))),
        outputs=tuple(Location(name.path, entry.name_span) for entry in outputs),
        result_types=frozenset(entry.node.type.text for entry in outputs if isinstance(entry.node, nodes.Parameter)),
        deduced=tuple(
            entry
            for entry in declared(snapshot, name, (BlockKind.ATTRIB,))
            if knowledge is not None
            and isinstance(entry.node, nodes.Parameter)
            and isinstance(entry.node.default, nodes.Default)
            and not is_constant(knowledge.resolution, entry.node.default.value)
        ),
    )
