"""Navigation: definitions, callers, symbols of a file and of all files, folds and selections."""

from snd_analysis.ide.navigation.definition import (
    CallItem,
    Link,
    call_item,
    call_item_at,
    declaration_of,
    definition,
    implementation,
    incoming,
    outgoing,
    type_definition,
)
from snd_analysis.ide.navigation.document_symbols import (
    DocumentSymbol,
    OutlineKind,
    document_symbols,
    similarity,
    workspace_symbols,
)
from snd_analysis.ide.navigation.folding import FoldKind, document_links

__all__ = [
    "CallItem",
    "DocumentSymbol",
    "FoldKind",
    "Link",
    "OutlineKind",
    "call_item",
    "call_item_at",
    "declaration_of",
    "definition",
    "document_links",
    "document_symbols",
    "implementation",
    "incoming",
    "outgoing",
    "similarity",
    "type_definition",
    "workspace_symbols",
]
