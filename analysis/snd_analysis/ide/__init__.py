"""Answers to queries at a position: plain data in, plain data out. Offsets are code points; clients are unknown here.

``front_end`` has the answers for the language of a file; ``generic`` has those common to all languages. The packages
below have the answers of SkriptND, one for each feature, and their shared parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.base import loaded_when_used

if TYPE_CHECKING:
    from snd_analysis.ide.cursor import comment_at, definition_at, use_at
    from snd_analysis.ide.hover.invocations import PICTURED, module_page, operator_names, operator_page, summaries
    from snd_analysis.ide.language_features import FrontEnd
    from snd_analysis.ide.languages import folds, front_end, highlights, references, selections
    from snd_analysis.ide.markdown import Example, code, code_block, example_of, first_sample, paragraphs, plain, run_of
    from snd_analysis.ide.semantic_tokens import Modifier, SemanticToken, TokenGroup, TokenType
    from snd_analysis.ide.signature_help import ParameterHelp, SignatureHelp
else:
    __getattr__ = loaded_when_used(
        __name__, "markdown", "cursor", "semantic_tokens", "signature_help", "languages", "hover.invocations"
    )

__all__ = [
    "PICTURED",
    "Example",
    "FrontEnd",
    "Modifier",
    "ParameterHelp",
    "SemanticToken",
    "SignatureHelp",
    "TokenGroup",
    "TokenType",
    "code",
    "code_block",
    "comment_at",
    "definition_at",
    "example_of",
    "first_sample",
    "folds",
    "front_end",
    "highlights",
    "module_page",
    "operator_names",
    "operator_page",
    "paragraphs",
    "plain",
    "references",
    "run_of",
    "selections",
    "summaries",
    "use_at",
]
