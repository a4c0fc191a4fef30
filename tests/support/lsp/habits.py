"""Requests that editors send by themselves during typing."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import converters

from support.lsp.clients import capabilities

_CONVERTER = converters.get_converter()


@dataclass(frozen=True)
class Habits:
    """The habits of one editor; methods without ``textDocument/``."""

    editor: str
    at_rest: tuple[str, ...]
    """Requests when typing pauses."""
    every_letter: bool
    """True if completion is asked for at every letter of a word, not only at the first."""
    pulls: bool = True

    @property
    def capabilities(self) -> object:
        """Return the capabilities that the editor announces."""
        return _CONVERTER.unstructure(capabilities(self.editor))


CODE = Habits(
    "visual-studio-code",
    (
        "diagnostic", "semanticTokens/full/delta", "inlayHint", "documentSymbol", "foldingRange", "codeLens",
        "documentHighlight", "codeAction", "documentLink",
    ),
    every_letter=False,
)  # fmt: skip
NEOVIM = Habits("neovim@v0.10", ("diagnostic", "semanticTokens/full/delta", "inlayHint"), every_letter=True)
EMACS = Habits("emacs", ("hover", "signatureHelp", "documentHighlight", "inlayHint"), every_letter=False, pulls=False)
