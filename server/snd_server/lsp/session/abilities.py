"""Abilities of a client, read from its capabilities once."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from msgspec import Struct

from snd_server import rule_url, site
from snd_server.lsp.wire.parameters import entry


class DiagnosticAbilities(Struct, frozen=True):
    """The parts of a diagnostic that the client shows."""

    rule_page: str = ""
    """The URI of the page of a rule, of the client or of the site, with ``{rule}`` for its name; empty for none."""
    related: bool = False
    unnecessary: bool = False


def diagnostic_abilities(capabilities: types.ClientCapabilities) -> DiagnosticAbilities:
    """Return the parts of diagnostics that the client shows, pulled or pushed."""
    document = capabilities.text_document
    kinds = [each for each in ((document.publish_diagnostics, document.diagnostic) if document else ()) if each]
    tags = [each.tag_support for each in kinds if each.tag_support]
    page = experimental(capabilities, "rulePage") or (site() and rule_url("{rule}"))
    return DiagnosticAbilities(
        rule_page=page if isinstance(page, str) and any(each.code_description_support for each in kinds) else "",
        related=any(each.related_information for each in kinds),
        unnecessary=any(types.DiagnosticTag.Unnecessary in each.value_set for each in tags),
    )


def takes(capabilities: types.ClientCapabilities, name: str) -> bool:
    """Return whether a client lists something that the protocol does not know among its experimental capabilities."""
    return experimental(capabilities, name) is True


def experimental(capabilities: types.ClientCapabilities, name: str) -> Any:
    """Return an experimental capability of a client; None if it is missing."""
    return entry(capabilities.experimental, name)
