"""What a client can show, read from its capabilities once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lsprotocol import types


@dataclass(frozen=True, slots=True)
class DiagnosticAbilities:
    """What of a diagnostic the client shows."""

    links: bool = False
    related: bool = False
    unnecessary: bool = False


def diagnostic_abilities(capabilities: types.ClientCapabilities) -> DiagnosticAbilities:
    """What the client shows of diagnostics, whether they are pulled or pushed."""
    document = capabilities.text_document
    kinds = [each for each in ((document.publish_diagnostics, document.diagnostic) if document else ()) if each]
    tags = [each.tag_support for each in kinds if each.tag_support]
    return DiagnosticAbilities(
        links=any(each.code_description_support for each in kinds),
        related=any(each.related_information for each in kinds),
        unnecessary=any(types.DiagnosticTag.Unnecessary in each.value_set for each in tags),
    )


def takes(capabilities: types.ClientCapabilities, name: str) -> bool:
    """Whether a client lists something that the protocol does not know among its experimental capabilities."""
    experimental = capabilities.experimental
    if isinstance(experimental, Mapping):
        return experimental.get(name) is True
    return getattr(experimental, name, None) is True
